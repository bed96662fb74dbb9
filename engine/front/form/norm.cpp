// norm: the order may be a word, and is Frobenius' when left out. (law: rules name ops)
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// norm(x, dim=1), norm(x, "fro", ...), norm(x, p="nuc"), norm(x, 2, None). Null: as ATen has it.
Value* norm(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  Value* self = call.self;
  const std::vector<std::string> names{"input", "p", "dim", "keepdim", "dtype"};
  std::map<std::string, const Expr*> given;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const std::string& name = e.words[i - 1];
    size_t at = i - (self ? 0 : 1);
    if (e.kids[i]->is(ExprKind::Starred)) return nullptr;
    given[name.empty() && at < names.size() ? names[at] : name] = e.kids[i].get();
  }
  const Expr* order = given.count("p") ? given["p"] : nullptr;
  const bool by_word = order && order->is(ExprKind::Str);
  if (!order && given.size() == (self ? 0 : 1)) return nullptr;
  static constexpr std::pair<std::string_view, bool> kNuclear[] = {{"fro", false}, {"nuc", true}};
  const auto* word = std::ranges::find(kNuclear, by_word ? order->text : "fro",
                                       &std::pair<std::string_view, bool>::first);
  if (word == std::end(kNuclear))
    to.wrong(*order, "the order of a norm is a number, 'fro' or 'nuc'");
  for (const auto& [name, value] : given) {
    bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && order && !by_word) return nullptr;
    if (!known) to.wrong(*value, fmt::format("norm takes {}; not '{}'", join(names, ", "), name));
  }
  auto value_of = [&](const char* name) {
    return given.count(name) ? to.emit(*given[name]) : nullptr;
  };
  Value *input = self ? self : value_of("input"), *dim = value_of("dim"),
        *keep = value_of("keepdim"), *dtype = value_of("dtype");
  if (!input) to.wrong(e, "norm takes a tensor");
  Value* p = order && !by_word ? to.emit(*order) : to.constant(IValue(2), e);
  auto may_be_none = [](const Value* v) {
    return v->type().is(TypeKind::None) || v->type().is(TypeKind::Optional);
  };
  if (order && !by_word && !may_be_none(p) &&
      !(dim && (may_be_none(dim) || dim->type().is(TypeKind::Tuple)))) {
    std::vector<Argument> args{{input, ""}, {p, ""}};
    const std::pair<const char*, Value*> rest[] = {
        {"dim", dim}, {"keepdim", keep}, {"dtype", dtype}};
    for (const auto& [name, value] : rest)
      if (value) args.push_back({value, name});
    return to.call_operator("aten::norm", args, e);
  }
  if (!keep) keep = to.flag(false);
  if (dim && dim->type().is(TypeKind::Int)) dim = to.list_of({dim}, TypeKind::Int, e);
  if (dim && dim->type().is(TypeKind::Tuple))
    dim = to.list_of(to.items_of(dim, e), TypeKind::Int, e);
  if (dim && dim->type().is(TypeKind::Optional) && dim->type().element().is(TypeKind::List)) {
    Value* none = to.apply(op_of(Sign::Is), {dim, to.constant(IValue(), e)}, e);
    auto dims = [&] { return to.known_as(dim, Type::list(TypeKind::Int), e); };
    dim = to.choose(none, e, [&] { return to.list_of({}, TypeKind::Int, e); }, dims);
  }
  if (!dim || dim->type().is(TypeKind::None)) dim = nullptr;
  if (dtype) input = to.apply(op::kTo, {input, dtype}, e);
  if (word->second)
    return dim ? to.apply("aten::nuclear_norm", {input, dim, keep}, e)
               : to.apply("aten::nuclear_norm", {input, keep}, e);
  return to.apply("aten::norm", {input, p, dim ? dim : to.list_of({}, TypeKind::Int, e), keep}, e);
}

const bool kAdded = add_form({"torch.norm", "Tensor.norm"}, {.emit = &norm});

}  // namespace
}  // namespace fusillade::front
