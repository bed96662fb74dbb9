// torch.finfo and torch.iinfo: attributes of a call.
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

const Operator& limits_of(bool real, const std::string& name) {
  return operator_named(real && name != "bits" ? "prim::finfo" : "prim::iinfo");
}

// torch.finfo(dtype).min, torch.iinfo(dtype).bits: constants where the dtype is one.
Value* limit_of(Emitter& to, const Expr& e, bool real) {
  const Expr& call = *e.kids[0];
  const char* path = real ? "torch.finfo" : "torch.iinfo";
  std::vector<Argument> args = to.arguments(call);
  if (args.empty() && real)
    args.push_back({to.constant(IValue(row_of(DType::F32).aten_code), e), ""});
  if (args.size() != 1 || !args[0].value->type().is(TypeKind::Int))
    to.wrong(call, fmt::format("{} takes a dtype", path));
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

Value* of_float(Emitter& to, const Expr& e) { return limit_of(to, e, true); }
Value* of_int(Emitter& to, const Expr& e) { return limit_of(to, e, false); }

Py part_of(Elaborator& in, const PyRef& limits, const std::string& name, const Expr& at,
           bool real) {
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

Py part_of_float(Elaborator& in, const PyRef& limits, const std::string& name, const Expr& at) {
  return part_of(in, limits, name, at, true);
}

Py part_of_int(Elaborator& in, const PyRef& limits, const std::string& name, const Expr& at) {
  return part_of(in, limits, name, at, false);
}

Py limits(const char* path, const PyArgs& args) {
  auto out = std::make_shared<PyRef>();
  out->path = path;
  out->given = args;
  return out;
}

std::optional<Py> limits_of_float(Elaborator&, const PyArgs& args, const Expr&) {
  return limits("torch.finfo", args);
}

std::optional<Py> limits_of_int(Elaborator&, const PyArgs& args, const Expr&) {
  return limits("torch.iinfo", args);
}

const bool kFloat =
    add_form({"torch.finfo"},
             {.evaluate = &limits_of_float, .attribute = &of_float, .part = &part_of_float});
const bool kInt = add_form(
    {"torch.iinfo"}, {.evaluate = &limits_of_int, .attribute = &of_int, .part = &part_of_int});

}  // namespace
}  // namespace fusillade::front
