// IValue: one run-time value: None, int, float, bool, str, Tensor, list, tuple. 16 bytes; heap kinds are
// reference counted. Lists are mutable and shared, tuples immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ops/type.h"
#include "engine/tensor/tensor.h"

namespace fusillade {

class IValue;

struct StrBox : Counted {
  std::string value;
};
struct SeqBox : Counted {
  std::vector<IValue> items;
  Type element = TypeKind::Any;  // lists: the static element type
  ~SeqBox();
};

class IValue {
 public:
  enum class Tag : uint8_t { None, Int, Float, Bool, Str, Tensor, List, Tuple };

  IValue() = default;
  IValue(int64_t v) : tag_(Tag::Int) { u_.i = v; }    // NOLINT
  IValue(int v) : IValue(static_cast<int64_t>(v)) {}  // NOLINT
  IValue(double v) : tag_(Tag::Float) { u_.d = v; }   // NOLINT
  IValue(bool v) : tag_(Tag::Bool) { u_.i = v; }      // NOLINT
  IValue(Tensor t);                                   // NOLINT
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
  static IValue list(std::vector<IValue> items, Type element);
  static IValue int_list(const Dims& dims);
  static IValue tuple(std::vector<IValue> items);

  Tag tag() const { return tag_; }
  bool is_none() const { return tag_ == Tag::None; }
  bool is_tensor() const { return tag_ == Tag::Tensor; }
  bool is_int() const { return tag_ == Tag::Int; }
  bool is_float() const { return tag_ == Tag::Float; }
  bool is_bool() const { return tag_ == Tag::Bool; }
  bool is_number() const { return is_int() || is_float() || is_bool(); }
  // Each throws Bug when the tag differs (as_double and as_int take any number).
  int64_t as_int() const;
  double as_double() const;
  bool as_bool() const;
  const std::string& as_str() const;
  Tensor as_tensor() const;
  const std::vector<IValue>& items() const;  // list or tuple
  std::vector<IValue>& mutable_items();      // list
  SeqBox* seq() const;                       // list or tuple
  Dims as_dims() const;                      // a list of ints
  // The most precise static type of this value.
  Type type() const;
  // Do two values hold the same object (heap kinds) or equal scalars?
  bool identical(const IValue& other) const;

 private:
  void free_heap();
  const Counted* heap() const;
  Tag tag_ = Tag::None;
  union U {
    int64_t i;
    double d;
    Counted* p;
  } u_ = {0};
};

// For messages: "3", "1.5", "f32[2, 3]", "[1, 2]".
std::string describe(const IValue& v);

}  // namespace fusillade
