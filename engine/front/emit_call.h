// Calls: special forms (form.h), operators and functions of the library by their paths, methods,
// functions of the same file, and whatever else was compiled.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

struct FormCall;
struct OutForm;

class CallEmitter {
 public:
  explicit CallEmitter(Emitter& to) : to_(to) {}

  Value* call(const Expr& e, const Type* hint = nullptr);
  Value* named_call(const std::string& path, const Expr& e);  // of a function, or dotted
  Value* library_call(const std::string& path, std::vector<Argument> args,
                      const Expr& e);  // null: not in the library
  Value* compiled_call(const Compiled& callee, const std::string& name, std::vector<Argument> args,
                       const Expr& e);
  // As they are written, for the parameters behind the first `skip`, whose types are theirs.
  std::vector<Argument> arguments_for(const Schema& schema, size_t skip, const Expr& e);

 private:
  Value* method(const Expr& e, const Type* hint);
  Value* form_call(const std::string& name, const FormCall& call);
  Value* module_call(const std::string& path, const Expr& e, const Type* hint = nullptr);
  Value* module_op_call(const std::string& path, const std::string& base,
                        std::vector<Argument> args, const Expr& e);
  Value* out_call(const std::string& path, const std::string& base, const OutForm& form,
                  const Expr& e);
  Value* user_call(const std::string& name, const Expr& e);

  // Functions of the library (emit_library.cpp).
  Value* library_call(Unit& unit, const Function& f, std::vector<Argument> args, const Expr& e);
  Value* write_out(Unit& unit, const Function& f, const Schema& schema,
                   const std::vector<Argument>& args, const Expr& e);
  Value* compute(const Compiled& callee, const std::vector<Value*>& inputs, const Expr& e);

  Emitter& to_;
};

}  // namespace fusillade::front
