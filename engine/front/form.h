// Special forms: calls of Python, torch and math that are no operator with its arguments as they
// are written. A form is a row that registers itself, in a file of engine/front/form; it has all
// that is known of its name:
//
//   emit       what the call gives in a graph; null: it is no such call, perhaps an operator's
//   evaluate   what it gives in a constructor, from values; where there is none, or it gives
//              nothing, the call is compiled and run
//   quoted     the same, from the call as it is written
//   loop       what a loop over the call runs over
//   length     len() of the call
//   contains   is an int in it?
//   decide     what types alone tell of it as a condition
//   attribute  of its result, in a graph: torch.finfo(t).max
//   part       the same in a constructor
//   instead    what to write where nothing of this can be had
#pragma once

#include "engine/base/table.h"
#include "engine/front/elaborate.h"

namespace fusillade::front {

struct FormCall {
  const Expr& e;
  const std::string& name;                // of the form
  const Type* hint = nullptr;             // the type that is wanted
  Value* self = nullptr;                  // of a method
  std::vector<Argument>* args = nullptr;  // of a method of a str, list or dict: self first
};

struct Form {
  std::string name{};  // "sorted", "torch.unique", "Tensor.norm"
  Value* (*emit)(Emitter&, const FormCall&) = nullptr;
  std::optional<Py> (*evaluate)(Elaborator&, const PyArgs&, const Expr&) = nullptr;
  Py (*quoted)(Elaborator&, const Expr&) = nullptr;
  Iterable (*loop)(Emitter&, const Expr&) = nullptr;
  Value* (*length)(Emitter&, const Expr&) = nullptr;
  Value* (*contains)(Emitter&, Value* item, const Expr&) = nullptr;
  std::optional<bool> (*decide)(Emitter&, const Expr&) = nullptr;
  Value* (*attribute)(Emitter&, const Expr&) = nullptr;
  Py (*part)(Elaborator&, const PyRef&, const std::string& name, const Expr& at) = nullptr;
  const char* instead = nullptr;
};

inline const Form* find_form(std::string_view name) { return Table<Form>::instance().find(name); }

inline bool add_form(std::initializer_list<const char*> names, Form form) {
  for (const char* name : names) {
    form.name = name;
    Table<Form>::instance().add(form);
  }
  return true;
}

// The built-in functions that a program may call, by name.
std::vector<std::string> builtin_forms();
// The operator of a built-in function on these.
Value* builtin_op(Emitter& to, const std::string& name, const std::vector<Argument>& args,
                  const Expr& e);
[[noreturn]] void unknown_function(Emitter& to, const Expr& callee);

}  // namespace fusillade::front
