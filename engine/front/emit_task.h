// torch.jit.fork and torch.jit.wait, and other calls that mean another expression.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

Value* task_call(Emitter& to, const std::string& path, const Expr& e);  // null: another function
Value* await_task(Emitter& to, Value* task, const Expr& at);
Value* get_attribute(Emitter& to, const Expr& e);  // getattr(x, "name", default)

}  // namespace fusillade::front
