// What profiled calls showed of types: of each value of a graph, over calls and iterations of
// loops, and of the arguments of each call.
//
// A fact that differed is unknown. Sizes of arguments that differed become symbols where the
// compiled code shall serve many sizes: one symbol where they were equal in every call.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// By value id. Tensors alone are recorded.
class TypeRecord {
 public:
  void see(const Value* v, const Tensor& t);
  void merge(const TypeRecord& other);
  const Type* of(const Value* v) const;  // null: never seen

 private:
  void see(size_t id, const Type& type);
  std::vector<std::optional<Type>> types_;
};

// What the arguments are, narrower than declared: a tensor's dtype, sizes, strides, device and
// requires_grad, the option of an Optional or a Union, these within tuples.
std::vector<Type> types_of_arguments(const Graph& graph, std::span<const IValue> args);

// What all these calls have in common; facts that differ are unknown.
std::vector<Type> common_types(const Graph& graph, const std::vector<std::vector<Type>>& calls);

// The last of these calls, with symbols for sizes in which those like it differ. Calls are alike
// where nothing but sizes and strides differs, and where no size is 0 or 1 in one of them alone.
std::vector<Type> symbolic_types(const std::vector<std::vector<Type>>& calls);

}  // namespace fusillade
