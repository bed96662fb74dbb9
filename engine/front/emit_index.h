// Subscripts: select, slice, unsqueeze and index on tensors; items of lists, dicts, strings and
// tuples; what is assigned to them and deleted.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

class Subscripts {
 public:
  explicit Subscripts(Emitter& to) : to_(to) {}

  Value* subscript(const Expr& e);
  void store(const Expr& target, Value* value);
  void augment(const Expr& target, Sign sign, const Expr& value, const Expr& at);
  void remove(const Expr& target);  // del l[i], del d[k]

  // The content of the brackets: slice(1, 3) is 1:3, and Ellipsis is `...`.
  const Expr& index_part(const Expr& p);
  Value* tuple_index(Value* of, const Expr& e);
  Value* item_key(const Expr& e);  // the i of x[i]; a tuple for x[i, j]

 private:
  TensorPlace tensor_place(Value* of, const Expr& e);
  Value* read(const TensorPlace& place, const Expr& e);
  void tensor_store(Value* of, const Expr& target, Value* value);
  void augment_tensor(Value* of, const Expr& target, Sign sign, const Expr& value, const Expr& at);
  Value* slice_of(std::vector<Argument> args, const Expr& slice, const Expr& e);
  Value* sequence_index(Value* of, const Expr& e);

  Emitter& to_;
};

}  // namespace fusillade::front
