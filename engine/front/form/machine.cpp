// What is asked of the machine and decides branches while a program is compiled: it runs scripts,
// on the cpu alone. A constructor is not scripted.
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

template <bool yes>
Value* answer(Emitter& to, const FormCall&) {
  return to.flag(yes);
}

template <bool yes>
std::optional<bool> decision(Emitter&, const Expr&) {
  return yes;
}

std::optional<Py> no(Elaborator&, const PyArgs&, const Expr&) { return Py(IValue(false)); }

const bool kYes = add_form({"torch.jit.is_scripting"},
                           {.emit = &answer<true>, .evaluate = &no, .decide = &decision<true>});
const bool kNo =
    add_form({"torch.jit.is_tracing", "torch.cuda.is_available", "torch.backends.mps.is_available"},
             {.emit = &answer<false>, .evaluate = &no, .decide = &decision<false>});

}  // namespace
}  // namespace fusillade::front
