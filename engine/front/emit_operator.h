// What operators and conversions make of values: those of numbers and tensors, of containers, and
// the methods of classes that stand for them (__add__, __eq__, __bool__).
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

class Operators {
 public:
  explicit Operators(Emitter& to) : to_(to) {}

  Value* binary_op(Sign sign, Value* left, Value* right, const Expr& at);
  Value* augment_value(Sign sign, Value* left, Value* right, const Expr& at);
  Value* compare_pair(Sign sign, Value* left, Value* right, const Expr& at);
  Value* to_bool(Value* value, const Expr& at);
  // Each null when the value is of no class, or the class has no such method.
  Value* magic(const char* name, const std::vector<Value*>& values, const Expr& at);
  Value* class_builtin(const std::string& name, Value* of, const Expr& e);  // len(of), bool(of)

 private:
  Value* compare_tuples(Sign sign, Value* left, Value* right, const Expr& at);
  Value* contains_item(Value* item, Value* in, const Expr& at);
  Value* magic_in_place(Sign sign, Value* left, Value* right, const Expr& at);
  Value* magic_binary(Sign sign, Value* left, Value* right, const Expr& at);
  Value* magic_compare(Sign sign, Value* left, Value* right, const Expr& at);
  Value* compare_fields(Sign sign, Value* left, Value* right, const Expr& at);

  Emitter& to_;
};

}  // namespace fusillade::front
