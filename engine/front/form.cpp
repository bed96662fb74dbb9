// See form.h.
#include "engine/front/form.h"

#include <algorithm>

#include "engine/base/text.h"

namespace fusillade::front {

std::vector<std::string> builtin_forms() {
  std::vector<std::string> out;
  for (const Form* f : Table<Form>::instance().by_name())
    if (f->emit && !f->loop && f->name.find('.') == std::string::npos) out.push_back(f->name);
  return out;
}

Value* builtin_op(Emitter& to, const std::string& name, const std::vector<Argument>& args,
                  const Expr& e) {
  std::vector<std::string> bases =
      builtin_ops(name, !args.empty() && args[0].value->type().is_tensor());
  bool second = bases.size() > 1 && overloads(bases[0]).empty();
  return to.call_operator(bases[second ? 1 : 0], args, e);
}

void unknown_function(Emitter& to, const Expr& callee) {
  const std::string& name = callee.text;
  if (const Form* form = find_form(name); form && form->instead)
    to.wrong(callee, fmt::format("'{}' is not supported: {}", name, form->instead));
  std::vector<std::string> known = builtin_forms();
  const std::string builtins = join(known, ", ");
  for (const std::string& f : to.unit().function_names()) known.push_back(f);
  to.wrong(
      callee,
      fmt::format("unknown function '{}'{}; supported are the functions of this file, torch.*, "
                  "torch.nn.functional.*, math.*, methods, and {}",
                  name, near_misses(name, known), builtins));
}

}  // namespace fusillade::front
