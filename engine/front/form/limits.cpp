// torch.finfo and torch.iinfo: attributes of a call.
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

template <bool real>
constexpr const char* kPath = real ? "torch.finfo" : "torch.iinfo";

const Operator& limits_of(bool real, const std::string& name) {
  return operator_named(real && name != "bits" ? "prim::finfo" : "prim::iinfo");
}

// torch.finfo(dtype).min, torch.iinfo(dtype).bits: constants where the dtype is one.
template <bool real>
Value* limit_of(Emitter& to, const Expr& e) {
  const Expr& call = *e.kids[0];
  std::vector<Argument> args = to.arguments(call);
  if (args.empty() && real)
    args.push_back({to.constant(IValue(row_of(DType::F32).aten_code), e), ""});
  if (args.size() != 1 || !args[0].value->type().is(TypeKind::Int))
    to.wrong(call, fmt::format("{} takes a dtype", kPath<real>));
  const Operator& limits = limits_of(real, e.text);
  Value* dtype = args[0].value;
  if (!dtype->node()->is(prim::constant()))
    return to.node(limits, {dtype, to.constant(IValue::str(e.text), e)}, e)->output();
  try {
    return to.constant(fusillade::call(limits, std::vector<IValue>{dtype->node()->constant(),
                                                                   IValue::str(e.text)})[0],
                       e);
  } catch (const Error& error) {
    to.wrong(e, error.what());
  }
}

template <bool real>
Py part_of(Elaborator& in, const PyRef& limits, const std::string& name, const Expr& at) {
  const Py* given = limits.given.find(0, "type");
  Py dtype = given ? *given : Py(IValue(row_of(DType::F32).aten_code));
  try {
    return Py(
        fusillade::call(limits_of(real, name),
                        std::vector<IValue>{IValue(in.integer(dtype, at)), IValue::str(name)})[0]);
  } catch (const Error& error) {
    in.wrong(at, error.what());
  }
}

template <bool real>
std::optional<Py> limits(Elaborator&, const PyArgs& args, const Expr&) {
  auto out = std::make_shared<PyRef>();
  out->path = kPath<real>;
  out->given = args;
  return out;
}

template <bool real>
bool add() {
  return add_form(
      {kPath<real>},
      {.evaluate = &limits<real>, .attribute = &limit_of<real>, .part = &part_of<real>});
}

const bool kLimits[] = {add<true>(), add<false>()};

}  // namespace
}  // namespace fusillade::front
