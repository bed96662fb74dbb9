// Python's built-in functions.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

Value* builtin(Emitter& to, const std::string& name, const Expr& e);
// x.tolist(), of the type that the annotation of the variable or of the result gives.
Value* tensor_items(Emitter& to, Value* of, const Type* wanted, const Expr& at);
Value* to_list(Emitter& to, const Expr& e, const Type* hint);
Value* to_dict(Emitter& to, const Expr& e, const Type* hint);

}  // namespace fusillade::front
