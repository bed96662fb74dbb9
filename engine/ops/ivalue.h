// IValue: one run-time value: None, int, float, bool, device, str, Tensor, list, tuple, dict,
// object, enum member. 16 bytes; heap kinds are reference counted. Lists, dicts and objects are
// mutable and shared, tuples immutable. Cycles of objects are not collected.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/tasks.h"
#include "engine/ops/type.h"
#include "engine/tensor/tensor.h"

namespace fusillade {

class IValue;

struct StrBox : Counted {
  std::string value;
  std::atomic<const std::u32string*> points{nullptr};  // decoded once it is asked for
  ~StrBox() { delete points.load(); }
};
// A task whose results are the items of a tuple.
struct TaskBox : Task {
  std::vector<IValue> results;
  ~TaskBox() override;
};
struct SeqBox : Counted {
  std::vector<IValue> items;
  Ref<TaskBox> task = {};        // a tuple that it will give; null: the items are here
  Type element = TypeKind::Any;  // lists: the static element type; named tuples: their type
  ~SeqBox();
};
struct DictBox;
struct ObjectBox;
struct EnumBox;

class IValue {
 public:
  enum class Tag : uint8_t {
    None,
    Int,
    Float,
    Bool,
    Device,
    Str,  // the first that lies in the heap
    Tensor,
    List,
    Tuple,
    Dict,
    Object,
    Enum
  };

  IValue() = default;
  IValue(int64_t v) : tag_(Tag::Int) { u_.i = v; }    // NOLINT
  IValue(int v) : IValue(static_cast<int64_t>(v)) {}  // NOLINT
  IValue(double v) : tag_(Tag::Float) { u_.d = v; }   // NOLINT
  IValue(bool v) : tag_(Tag::Bool) { u_.i = v; }      // NOLINT
  IValue(Device v) : tag_(Tag::Device) {              // NOLINT
    u_.i = static_cast<int64_t>(v.type) << 8 | static_cast<uint8_t>(v.index);
  }
  IValue(Tensor t);  // NOLINT
  IValue(const IValue& other);
  IValue(IValue&& other) noexcept : tag_(other.tag_), u_(other.u_) { other.tag_ = Tag::None; }
  IValue& operator=(IValue other) noexcept {
    std::swap(tag_, other.tag_);
    std::swap(u_, other.u_);
    return *this;
  }
  ~IValue() {
    if (tag_ >= Tag::Str) free_heap();
  }
  static IValue str(std::string s);
  static IValue list(std::vector<IValue> items, const Type& element);
  static IValue int_list(const Dims& dims);
  static IValue tuple(std::vector<IValue> items);
  static IValue task(Ref<TaskBox> task);                // the tuple of its results
  static IValue failed_task(std::exception_ptr error);  // of one that is done
  static IValue named_tuple(std::vector<IValue> items, Type type);
  static IValue dict(Type key, Type value);  // empty
  static IValue object(ClassPtr cls);        // every slot None
  static IValue enum_member(ClassPtr cls, size_t member);

  Tag tag() const { return tag_; }
  bool is_none() const { return tag_ == Tag::None; }
  bool is_tensor() const { return tag_ == Tag::Tensor; }
  bool is_int() const { return tag_ == Tag::Int; }
  bool is_float() const { return tag_ == Tag::Float; }
  bool is_bool() const { return tag_ == Tag::Bool; }
  bool is_device() const { return tag_ == Tag::Device; }
  bool is_sequence() const { return tag_ == Tag::List || tag_ == Tag::Tuple; }
  bool is_number() const { return is_int() || is_float() || is_bool(); }
  // Each throws Bug when the tag differs (as_double and as_int take any number).
  int64_t as_int() const;
  double as_double() const;
  bool as_bool() const;
  Device as_device() const;
  const std::string& as_str() const;
  const std::u32string& code_points() const;  // of a str; as long as it lives
  Tensor as_tensor() const;
  // List or tuple; of a task its results: waits for it, and throws what it threw.
  const std::vector<IValue>& items() const;
  std::vector<IValue>& mutable_items();  // list
  SeqBox* seq() const;                   // list or tuple
  Dims as_dims() const;                  // a list of ints
  DictBox& as_dict() const;
  ObjectBox& as_object() const;
  const EnumBox& as_enum() const;
  // The most precise static type of this value.
  Type type() const;
  // Do two values hold the same object (heap kinds) or equal scalars?
  bool identical(const IValue& other) const;

 private:
  void free_heap();
  Tag tag_ = Tag::None;
  union U {
    int64_t i;
    double d;
    Counted* p;
  } u_ = {0};
};

// Python's ==, for keys of dicts, items of lists and the like: numbers by value across int, float
// and bool, strings, None, enum members, lists, tuples and dicts item by item; tensors and objects
// by identity.
bool equal_values(const IValue& a, const IValue& b);

// A dict keeps the order of insertion. Keys are str, int, float, bool or enum members (by value),
// or tensors (by identity).
struct DictBox : Counted {
  struct Index;
  DictBox(Type key, Type value);
  ~DictBox();
  const IValue* find(const IValue& key) const;  // null when absent
  void set(const IValue& key, IValue value);
  bool erase(const IValue& key);  // false when absent
  void clear();
  size_t size() const { return items_.size() - gone_; }
  const std::vector<std::pair<IValue, IValue>>& items() const;  // in order of insertion
  Type key;
  Type value;

 private:
  // What was erased leaves a key None behind, until somebody asks for the items.
  mutable std::vector<std::pair<IValue, IValue>> items_;
  mutable size_t gone_ = 0;
  std::unique_ptr<Index> index_;
};

// An instance of a class or module: one slot per field.
struct ObjectBox : Counted {
  ClassPtr cls;
  std::vector<IValue> slots;
};

struct EnumBox : Counted {
  ClassPtr cls;
  size_t member = 0;
  const std::string& name() const;
  const IValue& value() const;
};

// For messages: "3", "1.5", "f32[2, 3]", "[1, 2]".
std::string describe(const IValue& v);

}  // namespace fusillade
