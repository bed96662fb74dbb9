// Calls: special forms (form.h), functions of the library and operators by their paths, methods,
// and functions of the same file.
#include <algorithm>
#include <map>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/base/text.h"
#include "engine/front/class.h"
#include "engine/front/emit_gradients.h"
#include "engine/front/form.h"
#include "engine/front/out_form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {

// The dotted path of a name that denotes a module or something in it; empty for values.
std::string Emitter::module_path(const Expr& e) const {
  if (e.is(ExprKind::Attribute)) {
    std::string base = module_path(*e.kids[0]);
    return base.empty() ? base : base + "." + e.text;
  }
  return e.is(ExprKind::Name) && !scopes_.find(e.text) ? unit_->path(e) : "";
}

// `container`: what the call is a method of; literals of lists and dicts take their types from it.
std::vector<Argument> Emitter::arguments(const Expr& e, const Type* container) {
  std::vector<Argument> out;
  bool fine = true;
  // These take a container like it, others an item.
  const bool whole = e.kids[0]->text == "extend" || e.kids[0]->text == "update";
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (kid.is(ExprKind::Starred)) {
      Iterable over = iterable(*kid.kids[0]);
      if (!over.unrolled) wrong(kid, "'*' unpacks a tuple, whose length is known; pass the list");
      for (Value* item : over.items) out.push_back({item, ""});
      continue;
    }
    const Type* hint = nullptr;
    bool list = kid.is(ExprKind::List) || kid.is(ExprKind::ListComp);
    bool dict = kid.is(ExprKind::Dict) || kid.is(ExprKind::DictComp);
    if (container && (list || dict)) {
      TypeKind wanted = list ? TypeKind::List : TypeKind::Dict;
      if (!whole) hint = container_within(&container->elements().back(), wanted);
      if (!hint && container->is(wanted)) hint = container;
    }
    out.push_back({part(kid, hint, &fine), e.words[i - 1]});
  }
  if (!fine) throw Unknown();
  return out;
}

// Null: it is no call, of no form, or of a function that the program has under this name.
const Form* Emitter::form_of_call(const Expr& e) const {
  if (!e.is(ExprKind::Call)) return nullptr;
  const Expr& callee = *e.kids[0];
  const std::string path = module_path(callee);
  if (!path.empty()) return find_form(path);
  const bool own =
      !callee.is(ExprKind::Name) || scopes_.find(callee.text) || unit_->has_function(callee.text);
  return own ? nullptr : find_form(callee.text);
}

Value* Emitter::call(const Expr& e, const Type* hint) {
  const Expr& callee = *e.kids[0];
  if (Value* v = class_call(e)) return v;
  const std::string path = module_path(callee);
  if (!path.empty()) return module_call(path, e, hint);
  if (callee.is(ExprKind::Attribute)) return method(e, hint);
  if (!callee.is(ExprKind::Name)) wrong(callee, "only functions and methods are called by name");
  if (scopes_.find(callee.text))
    wrong(callee, fmt::format("'{}' is a value and cannot be called", callee.text));
  if (unit_->has_function(callee.text)) return user_call(callee.text, e);
  if (Value* v = form_call(callee.text, {e, callee.text, hint})) return v;
  unknown_function(*this, callee);
}

// Null: there is no such form, or it takes no such call.
Value* Emitter::form_call(const std::string& name, const FormCall& call) {
  const Form* form = find_form(name);
  return form && form->emit ? form->emit(*this, call) : nullptr;
}

// x.where(c, y): the tensor of a method is the argument 'self', which is not the first one of each
// operator.
static void place_self(std::vector<Argument>& args, const std::string& base) {
  size_t at = 0;
  for (const Operator* r : overloads(base))
    for (size_t i = 0; i < r->schema.args.size(); ++i)
      if (r->schema.args[i].name == "self") at = i;
  if (at == 0) return;
  Argument self = args[0];
  args.erase(args.begin());
  auto positional = [](const Argument& a) { return a.keyword.empty(); };
  if (static_cast<size_t>(std::count_if(args.begin(), args.end(), positional)) < at) {
    self.keyword = "self";
    args.push_back(self);
  } else {
    args.insert(args.begin() + static_cast<long>(at), self);
  }
}

Value* Emitter::method(const Expr& e, const Type* hint) {
  const Expr& callee = *e.kids[0];
  std::vector<Argument> args{{emit(*callee.kids[0]), ""}};
  const Type& self = args[0].value->type();
  if (self.is(TypeKind::Class)) return object_call(args[0].value, callee.text, e);
  if (Value* v = self.is(TypeKind::Union) ? union_call(args[0].value, callee.text, e) : nullptr)
    return v;
  const char* kind = self.is_tensor()                                 ? "Tensor."
                     : self.is(TypeKind::Tuple) && !self.class_type() ? "Future."
                                                                      : nullptr;
  const std::string form = kind ? kind + callee.text : "";
  if (Value* v = kind ? form_call(form, {e, form, hint, args[0].value}) : nullptr) return v;
  std::optional<DType> dtype = converting_method(callee.text);
  if (dtype && self.is_tensor() && e.kids.size() == 1) {
    args.push_back({constant(IValue(row_of(*dtype).aten_code), e), ""});
    return call_operator(op::kTo, args, e);
  }
  bool container = self.is(TypeKind::List) || self.is(TypeKind::Dict);
  if (self.is(TypeKind::Optional))
    wrong(e, fmt::format("a {} has no methods: test it against None before", self));
  std::string base = method_op(callee.text);
  bool known = self.is_tensor() ? !overloads(base).empty() : is_method(self.kind(), callee.text);
  if (!known && self.is_tensor()) {
    std::vector<Argument> all = args;
    for (Argument& a : arguments(e)) all.push_back(std::move(a));
    if (Value* v = library_call("torch." + callee.text, std::move(all), e)) return v;
  }
  if (!known) {
    wrong(e, fmt::format("'{}' has no method '{}'{}", self, callee.text,
                         near_misses(callee.text,
                                     self.is_tensor() ? op_names() : methods_of(self.kind()))));
  }
  bool resized = container && resizes(callee.text);
  if (resized && is_iterated(args[0].value)) {
    wrong(e, fmt::format("'{}' changes a {} while a loop runs over it: loop over a copy of it",
                         callee.text, self.is(TypeKind::List) ? "list" : "dict"));
  }
  // As a size, it would be the dtype's number.
  if (self.is_tensor() && base == "aten::view" && e.kids.size() == 2 &&
      names_dtype(module_path(*e.kids[1])))
    wrong(*e.kids[1], "a view of another dtype is not supported");
  for (Argument& a : arguments(e, container ? &self : nullptr)) args.push_back(std::move(a));
  if (self.is_tensor()) place_self(args, base);
  const char* of = self.is(TypeKind::Str)    ? "str."
                   : self.is(TypeKind::List) ? "list."
                   : self.is(TypeKind::Dict) ? "dict."
                                             : nullptr;
  const std::string named = of ? of + callee.text : "";
  const FormCall call{e, named, hint, args[0].value, &args};
  if (Value* v = of ? form_call(named, call) : nullptr) return v;
  return call_operator(base, args, e);
}

Value* Emitter::known_as(Value* value, const Type& type, const Expr& at) {
  Value* out = node(operator_named(op::kUncheckedCast), {value}, at)->output();
  out->set_type(type);
  return out;
}

Value* Emitter::module_call(const std::string& path, const Expr& e, const Type* hint) {
  if (Value* v = form_call(path, {e, path, hint})) return v;
  bool math = path.rfind("math.", 0) == 0;
  std::string base = module_op(path);
  if (base.empty() && !unit_->program().library_function(path)) {
    const bool known = path.starts_with("torch.") || path.starts_with("math.");
    wrong(*e.kids[0],
          known ? fmt::format(
                      "'{}' cannot be called; functions of torch, torch.nn.functional and math can",
                      path)
                : fmt::format("'{}' cannot be called: other files are not read, so what is used of "
                              "them stands in this one",
                              path));
  }
  std::vector<Argument> args;
  bool fine = true;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (kid.is(ExprKind::Starred)) {
      Iterable over = iterable(*kid.kids[0]);
      if (!over.unrolled) wrong(kid, "'*' unpacks a tuple, whose length is known; pass the list");
      for (Value* item : over.items) args.push_back({item, ""});
      continue;
    }
    Value* value = part(kid, nullptr, &fine);
    if (!value) continue;
    if (math && value->type().is_tensor()) value = apply(op::kFloat, {value}, kid);
    if (math) value = as_int(value, kid);
    args.push_back({value, e.words[i - 1]});
  }
  if (!fine) throw Unknown();
  return module_op_call(path, base, std::move(args), e);
}

// torch.cumsum(x, 1, out=y), torch.max(x, 1, out=(a, b)): see out_form.h.
Value* Emitter::out_call(const std::string& path, const std::string& base, const OutForm& form,
                         const Expr& e) {
  std::vector<Argument> rest = form.rest;
  Value* first = form.outs[0].value;
  OutForm given = form;
  if (first->type().is(TypeKind::Tuple)) {
    given.outs.clear();
    for (Value* item : items_of(first, e))
      given.outs.push_back({item, fmt::format("out{}", given.outs.size())});
  }
  Value* result = nullptr;
  std::string why;
  if (form.takes_dtype) {
    std::vector<Argument> typed = rest;
    typed.push_back({apply(tensor_attribute("dtype"), {first}, e), "dtype"});
    result = try_overloads(base, typed, e, &why);
  }
  if (!result) result = module_op_call(path, base, rest, e);
  const Type type = result->type();
  const bool several = type.is(TypeKind::Tuple);
  const std::vector<Value*> results = several ? items_of(result, e) : std::vector<Value*>{result};
  const std::optional<std::vector<Value*>> outs =
      in_order_of_results(base, given, results.size(), &why);
  if (!outs) wrong(e, why);
  const std::string name = base.substr(base.find("::") + 2);
  std::vector<Value*> written;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i]->type().is_tensor())
      wrong(e, fmt::format("'out' is for tensors, and {} gives a {}", base, results[i]->type()));
    written.push_back(apply(
        kInto,
        {(*outs)[i], results[i], constant(IValue::str(name), e), constant(IValue(form.exact), e)},
        e));
  }
  if (!several) return written[0];
  return type.class_type() ? named_tuple(written, type, e)
                           : node(prim::tuple_construct(), written, e)->output();
}

// A function of the library, or the op of the path: `base`, empty where there is none.
Value* Emitter::module_op_call(const std::string& path, const std::string& base,
                               std::vector<Argument> args, const Expr& e) {
  if (asks_gradients(base)) return gradients(*this, base, std::move(args), e);
  const MethodPlace text = unit_->program().library_function(path);
  const auto is_parameter = [&](const Argument& a) {
    return text && std::ranges::any_of(text.function->parameters,
                                       [&](const Parameter& p) { return p.name == a.keyword; });
  };
  if (path.starts_with("torch."))
    if (const std::optional<OutForm> form = out_form(base, args);
        form && std::ranges::none_of(form->outs, is_parameter))
      return out_call(path, base, *form, e);
  if (Value* v = library_call(path, args, e)) return v;
  std::string why;
  if (Value* v = try_overloads(base, args, e, &why)) return v;
  for (const Argument& a : args)
    if (a.keyword == "out")
      why = fmt::format(
          "'out' is a tensor, or a tuple of one for each tensor that the op makes, given {}",
          a.value->type());
  wrong(e, why);
}

}  // namespace fusillade::front
