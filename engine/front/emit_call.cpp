// See emit_call.h.
#include "engine/front/emit_call.h"

#include <algorithm>
#include <map>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/base/text.h"
#include "engine/front/class_emit.h"
#include "engine/front/emit_autocast.h"
#include "engine/front/emit_gradients.h"
#include "engine/front/find_argument.h"
#include "engine/front/form.h"
#include "engine/front/out_form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// x.where(c, y): the tensor of a method is the argument 'self', which is not the first one of each
// operator.
void place_self(std::vector<Argument>& args, const std::string& base) {
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

}  // namespace

Value* CallEmitter::call(const Expr& e, const Type* hint) {
  const Expr& callee = *e.kids[0];
  if (Value* v = to_.classes().class_call(e)) return v;
  const std::string path = to_.module_path(callee);
  if (!path.empty()) return module_call(path, e, hint);
  if (callee.is(ExprKind::Attribute)) return method(e, hint);
  if (!callee.is(ExprKind::Name))
    to_.wrong(callee, "only functions and methods are called by name");
  if (to_.scopes().find(callee.text))
    to_.wrong(callee, fmt::format("'{}' is a value and cannot be called", callee.text));
  if (to_.unit().has_function(callee.text)) return user_call(callee.text, e);
  if (Value* v = form_call(callee.text, {e, callee.text, hint})) return v;
  unknown_function(to_, callee);
}

// Null: there is no such form, or it takes no such call.
Value* CallEmitter::form_call(const std::string& name, const FormCall& call) {
  const Form* form = find_form(name);
  return form && form->emit ? form->emit(to_, call) : nullptr;
}

Value* CallEmitter::method(const Expr& e, const Type* hint) {
  const Expr& callee = *e.kids[0];
  std::vector<Argument> args{{to_.emit(*callee.kids[0]), ""}};
  const Type& self = args[0].value->type();
  if (self.is(TypeKind::Class)) return to_.classes().object_call(args[0].value, callee.text, e);
  if (Value* v = self.is(TypeKind::Union) ? to_.classes().union_call(args[0].value, callee.text, e)
                                          : nullptr)
    return v;
  const char* kind = self.is_tensor()                                 ? "Tensor."
                     : self.is(TypeKind::Tuple) && !self.class_type() ? "Future."
                                                                      : nullptr;
  const std::string form = kind ? kind + callee.text : "";
  if (Value* v = kind ? form_call(form, {e, form, hint, args[0].value}) : nullptr) return v;
  std::optional<DType> dtype = converting_method(callee.text);
  if (dtype && self.is_tensor() && e.kids.size() == 1) {
    args.push_back({to_.constant(IValue(row_of(*dtype).aten_code), e), ""});
    return to_.call_operator(op::kTo, args, e);
  }
  bool container = self.is(TypeKind::List) || self.is(TypeKind::Dict);
  if (self.is(TypeKind::Optional))
    to_.wrong(e, fmt::format("a {} has no methods: test it against None before", self));
  std::string base = method_op(callee.text);
  bool known = self.is_tensor() ? !overloads(base).empty() : is_method(self.kind(), callee.text);
  if (!known && self.is_tensor()) {
    std::vector<Argument> all = args;
    for (Argument& a : to_.arguments(e)) all.push_back(std::move(a));
    if (Value* v = library_call("torch." + callee.text, std::move(all), e)) return v;
  }
  if (!known) {
    to_.wrong(e, fmt::format("'{}' has no method '{}'{}", self, callee.text,
                             near_misses(callee.text,
                                         self.is_tensor() ? op_names() : methods_of(self.kind()))));
  }
  bool resized = container && resizes(callee.text);
  if (resized && to_.is_iterated(args[0].value)) {
    to_.wrong(e, fmt::format("'{}' changes a {} while a loop runs over it: loop over a copy of it",
                             callee.text, self.is(TypeKind::List) ? "list" : "dict"));
  }
  // As a size, it would be the dtype's number.
  if (self.is_tensor() && base == "aten::view" && e.kids.size() == 2 &&
      names_dtype(to_.module_path(*e.kids[1])))
    to_.wrong(*e.kids[1], "a view of another dtype is not supported");
  for (Argument& a : to_.arguments(e, container ? &self : nullptr)) args.push_back(std::move(a));
  if (self.is_tensor()) place_self(args, base);
  const char* of = self.is(TypeKind::Str)    ? "str."
                   : self.is(TypeKind::List) ? "list."
                   : self.is(TypeKind::Dict) ? "dict."
                                             : nullptr;
  const std::string named = of ? of + callee.text : "";
  const FormCall call{e, named, hint, args[0].value, &args};
  if (Value* v = of ? form_call(named, call) : nullptr) return v;
  return to_.call_operator(base, args, e);
}

Value* CallEmitter::named_call(const std::string& path, const Expr& e) {
  return path.find('.') == std::string::npos ? user_call(path, e) : module_call(path, e);
}

Value* CallEmitter::module_call(const std::string& path, const Expr& e, const Type* hint) {
  if (Value* v = form_call(path, {e, path, hint})) return v;
  bool math = path.rfind("math.", 0) == 0;
  std::string base = module_op(path);
  if (base.empty() && !to_.program().library_function(path)) {
    const bool known = path.starts_with("torch.") || path.starts_with("math.");
    to_.wrong(
        *e.kids[0],
        known ? fmt::format(
                    "'{}' cannot be called; functions of torch, torch.nn.functional and math can",
                    path)
              : fmt::format("'{}' cannot be called: other files are not read, so what is used of "
                            "them stands in this one",
                            path));
  }
  const auto as_number = [&](Value* value, const Expr& at) {
    if (math && value->type().is_tensor()) value = to_.apply(op::kFloat, {value}, at);
    return math ? to_.as_int(value, at) : value;
  };
  std::vector<Argument> args = to_.arguments(e, nullptr, as_number);
  return module_op_call(path, base, std::move(args), e);
}

// torch.cumsum(x, 1, out=y), torch.max(x, 1, out=(a, b)): see out_form.h.
Value* CallEmitter::out_call(const std::string& path, const std::string& base, const OutForm& form,
                             const Expr& e) {
  std::vector<Argument> rest = form.rest;
  Value* first = form.outs[0].value;
  OutForm given = form;
  if (first->type().is(TypeKind::Tuple)) {
    given.outs.clear();
    for (Value* item : to_.items_of(first, e))
      given.outs.push_back({item, fmt::format("out{}", given.outs.size())});
  }
  Value* result = nullptr;
  std::string why;
  if (form.takes_dtype) {
    std::vector<Argument> typed = rest;
    typed.push_back({to_.apply(tensor_attribute("dtype"), {first}, e), "dtype"});
    result = to_.try_overloads(base, typed, e, &why);
  }
  if (!result) result = module_op_call(path, base, rest, e);
  const Type type = result->type();
  const bool several = type.is(TypeKind::Tuple);
  const std::vector<Value*> results =
      several ? to_.items_of(result, e) : std::vector<Value*>{result};
  const std::optional<std::vector<Value*>> outs =
      in_order_of_results(base, given, results.size(), &why);
  if (!outs) to_.wrong(e, why);
  const std::string name = base.substr(base.find("::") + 2);
  std::vector<Value*> written;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i]->type().is_tensor())
      to_.wrong(e,
                fmt::format("'out' is for tensors, and {} gives a {}", base, results[i]->type()));
    written.push_back(to_.apply(kInto,
                                {(*outs)[i], results[i], to_.constant(IValue::str(name), e),
                                 to_.constant(IValue(form.exact), e)},
                                e));
  }
  if (!several) return written[0];
  return type.class_type() ? to_.named_tuple(written, type, e) : to_.tuple_of(written, e);
}

// A function of the library, or the op of the path: `base`, empty where there is none.
Value* CallEmitter::module_op_call(const std::string& path, const std::string& base,
                                   std::vector<Argument> args, const Expr& e) {
  if (asks_gradients(base)) return gradients(to_, base, std::move(args), e);
  const MethodPlace text = to_.program().library_function(path);
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
  if (Value* v = to_.try_overloads(base, args, e, &why)) return v;
  if (const Argument* out = find_argument(args, SIZE_MAX, "out"))
    why = fmt::format(
        "'out' is a tensor, or a tuple of one for each tensor that the op makes, given {}",
        out->value->type());
  to_.wrong(e, why);
}

Value* CallEmitter::user_call(const std::string& name, const Expr& e) {
  if (to_.program().is_library(to_.unit())) {
    const Function& f = *to_.unit().function(name);
    return library_call(to_.unit(), f, arguments_for(to_.unit().schema_of(f), 0, e), e);
  }
  const Compiled& callee = to_.unit().callee(name, to_.source(), e);
  return compiled_call(callee, to_.program().qualified_function(to_.unit(), name),
                       arguments_for(callee.schema, 0, e), e);
}

std::vector<Argument> CallEmitter::arguments_for(const Schema& schema, size_t skip, const Expr& e) {
  std::vector<Argument> out;
  bool fine = true;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (kid.is(ExprKind::Starred)) {
      Value* items = to_.emit(*kid.kids[0]);
      if (!items->type().is(TypeKind::Tuple))
        to_.wrong(kid, fmt::format("'*' takes apart a tuple, given {}", items->type()));
      for (Value* item : to_.items_of(items, kid)) out.push_back({item, ""});
      continue;
    }
    const std::string& word = e.words[i - 1];
    const Type* hint = nullptr;
    for (size_t k = 0; k < schema.args.size(); ++k) {
      bool here = word.empty() ? k == out.size() + skip : schema.args[k].name == word;
      if (here) hint = &schema.args[k].type;
    }
    out.push_back({to_.part(kid, hint, &fine), word});
  }
  if (!fine) throw Unknown();
  return out;
}

Value* CallEmitter::compiled_call(const Compiled& callee, const std::string& name,
                                  std::vector<Argument> args, const Expr& e) {
  const std::vector<Value*> inputs = to_.fit_arguments(callee.schema, args, e);
  if (Value* v = to_.site() ? compute(callee, inputs, e) : nullptr) return v;
  to_.count_call(callee.weight, callee.height);
  Node* n = to_.node(prim::call_function(), inputs, callee.result, e);
  n->set_attr("name", IValue::str(name));
  std::shared_ptr<Graph> copy = callee.graph->clone();
  copy_not_cast(*callee.graph, *copy, to_.program().not_cast);
  n->set_attr("Subgraph", std::move(copy));
  return n->output();
}

}  // namespace fusillade::front
