// The text of values: str, repr, print, f-strings, format and %.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

// Which text of a value is wanted: of str(), of repr(), or of str() where there is one.
enum class Shown : uint8_t { Str, Repr, IfAny };

// Is the text of this value emitted here? Operators write that of others.
bool writes_text(Emitter& to, Value* value, const Expr& at);
// A text that is emitted here; the value itself where operators write it.
Value* as_text(Emitter& to, Value* value, const Expr& at, Shown how);
// As a str, whoever writes it.
Value* text_of(Emitter& to, Value* value, const Expr& at, Shown how);
// format.format(*values)
Value* apply_format(Emitter& to, const std::string& format, std::vector<Value*> values,
                    const Expr& at);
Value* f_string(Emitter& to, const Expr& e);
// "...".format(...); the format is the first argument.
Value* format_call(Emitter& to, const std::vector<Argument>& args, const Expr& e);
Value* percent(Emitter& to, Value* left, Value* right, const Expr& at);
Value* repr_call(Emitter& to, const Expr& e);  // repr(x)
Value* print_call(Emitter& to, const Expr& e);

}  // namespace fusillade::front
