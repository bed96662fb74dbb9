// Static types of values, TorchScript's: partial tensor types, scalars, and containers. A plain
// value type; containers share their element types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/tensor/device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace fusillade {

enum class TypeKind : uint8_t {
  None,
  Tensor,
  Int,
  Float,
  Bool,
  Number,
  Str,
  Device,
  Any,
  Tuple,
  List,
  Optional,
  Var,
  Dict,   // elements: key, value
  Union,  // elements: the options, flattened, distinct, ordered by their text
  Class,  // an object or a module
  Enum,
};

struct ClassType;  // class_type.h
class ClassTable;
using ClassPtr = std::shared_ptr<const ClassType>;

// What is known of a tensor. Unknown dtype: has_dtype false. Unknown rank: rank_known false. An
// unknown size or stride is -1; a size below -1 is a symbol, SS(-2): sizes of one symbol are equal,
// wherever it appears in a graph (not in its callees). No value requires a gradient yet; a text may
// declare one that does.
struct TensorInfo {
  bool has_dtype = false;
  bool rank_known = false;
  bool strides_known = false;
  DType dtype = DType::F32;
  Dims sizes;
  Dims strides;
  std::optional<Device> device;
  std::optional<bool> requires_grad;
  bool complete() const;  // dtype, every size and every stride known: what kernels are built for
  bool operator==(const TensorInfo&) const = default;
};

class Type {
 public:
  Type() = default;
  Type(TypeKind kind) : kind_(kind) {}  // NOLINT: scalars and the unknown tensor
  Type(const Type&) = default;
  Type(Type&&) noexcept = default;
  // `other` may lie within what this one holds, as in type = type.element().
  Type& operator=(const Type& other) { return *this = Type(other); }
  Type& operator=(Type&&) noexcept = default;
  static Type tensor(const TensorInfo& info);
  static Type tensor(DType dtype, const Dims& sizes);
  static Type list(Type element);
  static Type optional(Type element);
  static Type tuple(std::vector<Type> elements);
  static Type var(std::string name);  // schema type variable, "t"
  static Type dict(Type key, Type value);
  // The union of these, simplified: one option is itself, None with one other is an Optional.
  static Type union_of(const std::vector<Type>& options);
  // A Class, an Enum, or the Tuple of a named tuple.
  static Type of(ClassPtr cls);

  // How deep containers of containers may nest, and how many parts a type may have, each counted as
  // often as it is in it: their makers throw Error beyond it.
  static constexpr int kMaxDepth = 64;
  static constexpr size_t kMaxParts = 10000;

  TypeKind kind() const { return kind_; }
  bool is(TypeKind kind) const { return kind_ == kind; }
  bool is_tensor() const { return kind_ == TypeKind::Tensor; }
  const TensorInfo& info() const { return info_; }  // tensors
  TensorInfo& info() { return info_; }
  const Type& element() const { return parts_->elements[0]; }  // list, optional
  const std::vector<Type>& elements() const { return parts_->elements; }
  const Type& key() const { return parts_->elements[0]; }         // dict
  const Type& value_type() const { return parts_->elements[1]; }  // dict
  const ClassPtr& class_type() const;  // null but for Class, Enum, named tuples
  // TorchScript's text: "Float(4, 5, strides=[5, 1])", "Tensor", "int[]", "(Tensor, int)",
  // "float?".
  std::string text() const;
  // Is every value of this type a value of `wider`? Unshaped Tensor is wider than any shaped one.
  bool subtype_of(const Type& wider) const;
  // This with nothing said of its tensors (deeply).
  Type without_shapes() const;
  // This with every symbol (deeply) an unknown size: what is valid in another graph.
  Type without_symbols() const;
  bool operator==(const Type& other) const;

 private:
  // The parts of a type that is neither a tensor nor a scalar.
  struct Parts {
    std::vector<Type> elements;
    ClassPtr cls;
    std::string name;  // of a variable
    int depth;         // of nesting
    size_t size;       // of its text, about: a tuple of two equal tuples is as large as both
  };
  static Type of_parts(TypeKind kind, std::vector<Type> elements, ClassPtr cls = nullptr);
  TypeKind kind_ = TypeKind::None;
  TensorInfo info_;
  std::shared_ptr<const Parts> parts_;
};

// The least common type of the two ends of an If, or nullopt-like kind Any when there is none.
Type unify(const Type& a, const Type& b);
// Parses the text form; throws Error with the column. Names of classes are looked up in `classes`
// (null: none).
Type parse_type(const std::string& text, const ClassTable* classes = nullptr);

}  // namespace fusillade
