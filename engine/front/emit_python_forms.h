// Functions of torch whose form in Python is not that of ATen's operators.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

// `self` is the tensor of a method's call. Null: another function.
Value* python_form(Emitter& to, const std::string& name, const Expr& e, Value* self);
// The data of torch.tensor as it takes them.
Value* tensor_data(Emitter& to, Value* data, const Expr& at);
// torch.finfo(dtype).min and its kind. Null: another attribute.
Value* limit_of(Emitter& to, const Expr& e);

}  // namespace fusillade::front
