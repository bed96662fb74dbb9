// Calls of serialised functions: operators by schema, functions and methods of the archive, and the
// few forms that only serialised code has. (law: rules name ops)
#include <algorithm>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/front/out_form.h"
#include "engine/front/script.h"
#include "engine/front/spelling.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/import_function.h"
#include "engine/run/archive/overload.h"

namespace fusillade::archive {

using front::Argument;
using front::ExprKind;
using front::Round;
using front::Step;

namespace {

constexpr size_t kCandidates = 8;  // listed in a message

struct Cast {
  std::string_view name;
  const char* base;
};
constexpr Cast kCasts[] = {{"bool", "aten::Bool"},   {"int", "aten::Int"},
                           {"float", "aten::Float"}, {"str", "aten::str"},
                           {"print", "prim::Print"}, {"sorted", "aten::sorted"}};

// Operators whose meaning changed, and the archive version that has today's.
struct Changed {
  std::string_view base;
  int version;
  bool of_tensors;  // only with a tensor among the arguments
};
constexpr Changed kChanged[] = {
    {"aten::div", 4, true}, {"aten::div_", 4, true}, {"aten::full", 5, false}};

// Is there an operator of this name on a tensor and a number?
bool takes_number(const std::string& base) {
  const std::vector<const Operator*>& operators = overloads(base);
  return std::any_of(operators.begin(), operators.end(), [](const Operator* r) {
    const std::vector<SchemaArg>& args = r->schema.args;
    return args.size() > 1 && args[0].type.is_tensor() && args[1].type.is(TypeKind::Number);
  });
}

}  // namespace

std::vector<Argument> FunctionImporter::arguments(const Expr& e) {
  std::vector<Argument> out;
  for (size_t i = 1; i < e.kids.size(); ++i) out.push_back({emit(*e.kids[i]), e.words[i - 1]});
  return out;
}

std::vector<Value*> FunctionImporter::call(const Expr& e, const Type*) {
  const Expr& callee = *e.kids[0];
  if (callee.is(ExprKind::Name)) {
    const Binding* named = find(callee.text);
    if (named && !named->value) return {function_call(named->function, arguments(e), e)};
    if (std::optional<std::vector<Value*>> results = special(callee.text, e)) return *results;
    wrong(callee, fmt::format("'{}' is no function of serialised code", callee.text));
  }
  std::string path = dotted_path(callee);
  std::string head = path.substr(0, path.find('.'));
  if (!path.empty() && !find(head)) {
    if (head == "__torch__") return archive_call(path, e);
    if (head == "torch" || head == "ops") return torch_call(path, e);
    wrong(callee, fmt::format("'{}' is not defined", head));
  }
  if (!callee.is(ExprKind::Attribute)) wrong(callee, "a call names a function or a method");
  Value* object = emit(*callee.kids[0]);
  if (object->type().is(TypeKind::Union)) {
    std::string chosen = unit_.dispatcher(object->type(), callee.text);
    if (chosen.empty())
      wrong(callee, fmt::format("no interface declares '{}' of a {}", callee.text, object->type()));
    std::vector<Argument> args{{object, ""}};
    for (Argument& a : arguments(e)) args.push_back(std::move(a));
    return {function_call(chosen, std::move(args), e)};
  }
  if (!object->type().is(TypeKind::Class))
    wrong(callee, fmt::format("a {} has no methods", object->type()));
  std::vector<Argument> args{{object, ""}};
  for (Argument& a : arguments(e)) args.push_back(std::move(a));
  return {function_call(object->type().class_type()->name + "." + callee.text, std::move(args), e)};
}

std::optional<std::vector<Value*>> FunctionImporter::special(const std::string& name,
                                                             const Expr& e) {
  size_t count = e.kids.size() - 1;
  if (name == "annotate" && count == 2) return {{annotate(e)}};
  if (name == "unchecked_cast" && count == 2) {
    Type type = type_of(*e.kids[1]);
    return {{typed_node(operator_named("prim::unchecked_cast"), {emit(*e.kids[2])}, type, e)
                 ->output()}};
  }
  if (name == "uninitialized" && count == 1)
    return {
        {typed_node(operator_named("prim::Uninitialized"), {}, type_of(*e.kids[1]), e)->output()}};
  if (name == "getattr" && count == 2 && e.kids[2]->is(ExprKind::Str))
    return {{get_attribute(emit(*e.kids[1]), e.kids[2]->text, e)}};
  if (name == "fork" && count == 1 && e.kids[1]->is(ExprKind::Name)) {
    auto task = tasks_.find(e.kids[1]->text);
    if (task == tasks_.end())
      wrong(*e.kids[1], fmt::format("'{}' is no function of serialised code", e.kids[1]->text));
    return {{task->second}};
  }
  if (name == "isinstance" && count == 2) return {{is_instance(e)}};
  for (const Cast& c : kCasts)
    if (name == c.name) return op(c.base, arguments(e), e);
  return std::nullopt;
}

// x.tolist() of an annotated type: a call of a function in the language of scripts, which archives
// that are saved bring along.
Value* FunctionImporter::tolist(const Expr& call, const Type& type) {
  Value* tensor = emit(*call.kids[0]->kids[0]);
  Type element = type;
  int depth = 0;
  for (; element.is(TypeKind::List); ++depth) element = Type(element.element());
  const bool numbers =
      element.is(TypeKind::Int) || element.is(TypeKind::Float) || element.is(TypeKind::Bool);
  if (!numbers || !tensor->type().is_tensor())
    wrong(call, fmt::format("a {} has no list of numbers that is a {}", tensor->type(), type));
  std::string annotation = element.text();
  for (int i = 0; i < depth; ++i) annotation = "List[" + annotation + "]";
  const std::string name = fmt::format("listed_{}_{}", element.text(), depth);
  Script script = compile_script(
      fmt::format("from typing import List\nfrom torch import Tensor\n\n\n"
                  "def {}(x: Tensor) -> {}:\n    out: {} = x.tolist()\n    return out\n",
                  name, annotation, annotation),
      "<archive>");
  Node* n = typed_node(prim::call_function(), {tensor}, type, call);
  n->set_attr("name", IValue::str("__torch__.fusillade." + name));
  n->set_attr("Subgraph", script.functions.at(0));
  return n->output();
}

Value* FunctionImporter::annotate(const Expr& e) {
  Type type = type_of(*e.kids[1]);
  const Expr& given = *e.kids[2];
  if (given.is(ExprKind::Call) && given.kids.size() == 1 &&
      given.kids[0]->is(ExprKind::Attribute) && given.kids[0]->text == "tolist")
    return tolist(given, type);
  Value* v = emit(*e.kids[2], &type);
  const bool convertible = v->type().is_tensor() || v->type().is(TypeKind::Number);
  if (const char* op = convertible ? front::implicit_op(v->type(), type) : nullptr)
    return typed_node(operator_named(op), {v}, type, e)->output();
  if (!v->type().without_shapes().subtype_of(type))
    wrong(e, fmt::format("a {} is annotated as {}", v->type(), type));
  return v;
}

// The types' texts go into the attribute "name", as prim::isinstance reads them.
Value* FunctionImporter::is_instance(const Expr& e) {
  const Expr& types = *e.kids[2];
  bool many = types.is(ExprKind::Tuple) || types.is(ExprKind::List);
  std::string text;
  for (size_t i = 0; i < (many ? types.kids.size() : 1); ++i) {
    const Expr& type = many ? *types.kids[i] : types;
    bool any = type.is_name("list") || type.is_name("dict") || type.is_name("tuple");
    text += (text.empty() ? "" : " | ") + (any ? type.text : type_of(type).text());
  }
  Node* n = typed_node(operator_named("prim::isinstance"), {emit(*e.kids[1])}, TypeKind::Bool, e);
  n->set_attr("name", IValue::str(text));
  return n->output();
}

std::vector<Value*> FunctionImporter::torch_call(const std::string& path, const Expr& e) {
  if (std::optional<IValue> device = named_device(e);
      device && device->as_device().type == DeviceType::Cpu)
    return {constant(*device, e)};
  std::vector<std::string> parts = split_outside_brackets(path, '.');
  if ((path == "ops.prim.EnumValue" || path == "ops.prim.EnumName") && e.kids.size() == 2)
    return {get_attribute(emit(*e.kids[1]), path == "ops.prim.EnumName" ? "name" : "value", e)};
  bool op_call = parts[0] == "torch" ? parts.size() == 2 : parts.size() == 3;
  if (!op_call) wrong(*e.kids[0], fmt::format("'{}' is no operator", path));
  std::vector<Argument> args = arguments(e);
  bool task = path == "torch.wait" && args.size() == 1 &&
              args[0].value->type().is(TypeKind::Tuple) &&
              args[0].value->type().elements().size() == 1;
  if (task) return node(prim::tuple_unpack(), {args[0].value}, e, 1)->outputs();
  const std::string name = parts[0] == "torch" ? "aten::" + parts[1] : parts[1] + "::" + parts[2];
  if (unit_.of_pytorch() && args.size() > 1 && args[0].value->type().is_tensor() &&
      takes_number(name))
    args[1].value = as_number(args[1].value, e);
  const bool filled = name == "aten::percentFormat" && args.size() == 2 &&
                      args[1].value->type().is(TypeKind::Tuple);
  if (filled) unpack_last(args, e);
  bool tensor = args.size() == 1 && args[0].value->type().is_tensor();
  if (name == "aten::dict" && args.empty()) {  // OrderedDict()
    Type type = Type::dict(TypeKind::Str, TypeKind::Tensor);
    return {typed_node(prim::dict_construct(), {}, type, e)->output()};
  }
  if (path == "ops.prim.abs" && tensor) return op("aten::abs", args, e);
  return op(name, args, e);
}

// In place of a tuple its items: what a format is filled with.
void FunctionImporter::unpack_last(std::vector<Argument>& args, const Expr& e) {
  Value* tuple = args.back().value;
  args.pop_back();
  Node* producer = tuple->node();
  const bool written = producer->is(prim::tuple_construct()) && tuple->is_unused();
  const int count = static_cast<int>(tuple->type().elements().size());
  for (Value* item : written
                         ? std::vector<Value*>(producer->inputs().begin(), producer->inputs().end())
                         : node(prim::tuple_unpack(), {tuple}, e, count)->outputs())
    args.push_back({item, ""});
  if (written) producer->destroy();
}

// A trace of PyTorch's holds the number of x * 2.5 as a tensor of no dims, which promotes as a
// tensor where x has none either, or is of ints. It is the number again, as PyTorch makes it before
// it runs. A bool promotes nothing, and stays what it is: no number is a bool in the language.
Value* FunctionImporter::as_number(Value* value, const Expr& e) {
  bool is_tensor = value->node()->is(prim::constant()) && value->node()->constant().is_tensor();
  const Tensor t = is_tensor ? value->node()->constant().as_tensor() : Tensor();
  bool number =
      t.is_defined() && t.rank() == 0 && (t.dtype() == DType::F64 || t.dtype() == DType::I64);
  if (!number) return value;
  return constant(
      t.dtype() == DType::F64 ? IValue(element_as_double(t, 0)) : IValue(element_as_int(t, 0)), e);
}

std::vector<Value*> FunctionImporter::archive_call(const std::string& path, const Expr& e) {
  constexpr std::string_view kNew = ".__new__";
  if (path.size() > kNew.size() && path.ends_with(kNew)) {
    ClassPtr cls = unit_.resolve_class(path.substr(0, path.size() - kNew.size()));
    if (cls->kind != ClassType::Kind::Object)
      wrong(e, fmt::format("'{}' is not made by code", cls->name));
    return {typed_node(prim::create_object(), {}, Type::of(cls), e)->output()};
  }
  if (!unit_.has_class(path)) return {function_call(path, arguments(e), e)};
  ClassPtr cls = unit_.resolve_class(path);
  Type type = Type::of(cls);
  if (cls->kind != ClassType::Kind::NamedTuple)
    wrong(e, fmt::format("'{}' is not made by a call", path));
  if (e.kids.size() - 1 != cls->fields.size())
    wrong(e, fmt::format("'{}' has {} items", path, cls->fields.size()));
  std::vector<Value*> items;
  for (size_t i = 0; i < cls->fields.size(); ++i) {
    items.push_back(emit(*e.kids[i + 1], &cls->fields[i].type));
    if (!items.back()->type().without_shapes().subtype_of(cls->fields[i].type))
      wrong(*e.kids[i + 1], fmt::format("'{}' is {}", cls->fields[i].name, cls->fields[i].type));
  }
  return {typed_node(prim::named_tuple(), items, type, e)->output()};
}

Value* FunctionImporter::function_call(const std::string& name, std::vector<Argument> args,
                                       const Expr& e) {
  const ImportedFunction* callee = nullptr;
  try {
    callee = &unit_.function(name);
  } catch (const Error& error) {
    front::fail_at(source_, e.begin, e.end,
                   fmt::format("'{}' cannot be called here:\n{}", name, error.what()));
  }
  std::string why;
  const Schema& schema = callee->function.schema;
  std::optional<front::Fit> fit = front::fit(schema, args, Round::Implicit, &why);
  if (!fit) wrong(e, fmt::format("the call does not fit {}: {}", schema.text(), why));
  std::vector<Value*> inputs;
  for (size_t i = 0; i < fit->steps.size(); ++i)
    inputs.push_back(realise(fit->steps[i], schema.args[i], e));
  count(callee->weight, e);
  Node* n = typed_node(prim::call_function(), inputs, schema.results[0].type, e);
  n->set_attr("name", IValue::str(name));
  n->set_attr("Subgraph", callee->function.graph);
  return n->output();
}

void FunctionImporter::check_version(const std::string& base, const std::vector<Argument>& args,
                                     const Expr& e) {
  bool tensors = false;  // division of numbers is what it was
  for (const Argument& a : args) tensors |= a.value->type().is_tensor();
  for (const Changed& c : kChanged)
    if (base == c.base && unit_.version() < c.version && (tensors || !c.of_tensors))
      wrong(e, fmt::format("'{}' means something else in archives of version {}; save it again "
                           "with PyTorch 1.10 or "
                           "newer (version {})",
                           base, unit_.version(), c.version));
}

std::vector<Value*> FunctionImporter::op(const std::string& base, const std::vector<Argument>& args,
                                         const Expr& e) {
  check_version(base, args, e);
  if (const std::optional<front::OutForm> form = front::out_form(base, args))
    return out_call(base, *form, e);
  Overload chosen = choose_overload(base, args);
  if (chosen.fit) return build(*chosen.op, *chosen.fit, e);
  if (chosen.op) {
    std::vector<Value*> inputs;
    for (const Argument& a : args) inputs.push_back(a.value);
    return node(*chosen.op, inputs, e, -1)->outputs();
  }
  const std::vector<const Operator*>& candidates = overloads(base);
  std::string given;
  for (const Argument& a : args)
    given += fmt::format("{}{}{}{}", given.empty() ? "" : ", ", a.keyword,
                         a.keyword.empty() ? "" : "=", a.value->type());
  std::string message = candidates.empty()
                            ? fmt::format("this engine has no operator '{}' (for {})", base, given)
                            : fmt::format("no overload of {} takes ({}):", base, given);
  for (size_t i = 0; i < candidates.size() && i < kCandidates; ++i) {
    std::string reason;
    front::fit(candidates[i]->schema, args, Round::Implicit, &reason);
    message += "\n  " + candidates[i]->schema.text() + ": " + reason;
  }
  throw Missing{&e, message};
}

// See front/out_form.h.
std::vector<Value*> FunctionImporter::out_call(const std::string& base, const front::OutForm& form,
                                               const Expr& e) {
  std::vector<Argument> args = form.rest;
  if (form.takes_dtype) {
    Value* dtype = node(operator_named("prim::dtype"), {form.outs[0].value}, e, 1)->output();
    args.push_back({dtype, "dtype"});
    if (!choose_overload(base, args).fit) {
      dtype->node()->destroy();
      args.pop_back();
    }
  }
  const std::vector<Value*> values = op(base, args, e);
  std::string why;
  const std::optional<std::vector<Value*>> outs =
      front::in_order_of_results(base, form, values.size(), &why);
  if (!outs) throw Missing{&e, why};
  std::vector<Value*> results;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::vector<Value*> given{(*outs)[i], values[i],
                                    constant(IValue::str(base.substr(base.find("::") + 2)), e),
                                    constant(IValue(form.exact), e)};
    results.push_back(node(operator_named(kInto), given, e, 1)->output());
  }
  return results;
}

std::vector<Value*> FunctionImporter::build(const Operator& op, const front::Fit& fit,
                                            const Expr& e) {
  std::vector<Value*> inputs;
  for (size_t i = 0; i < fit.steps.size(); ++i) {
    SchemaArg formal = op.schema.args[i];
    formal.type = front::substitute(formal.type, fit.vars);
    inputs.push_back(realise(fit.steps[i], formal, e));
  }
  Node* n = node(op, inputs, e, -1);
  for (Value* v : n->outputs()) v->set_type(front::substitute(v->type(), fit.vars));
  return n->outputs();
}

Value* FunctionImporter::realise(const Step& step, const SchemaArg& formal, const Expr& e) {
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  std::vector<Value*> items;
  switch (step.how) {
    case Step::How::Pass:
      return step.values[0];
    case Step::How::Implicit:
      return node(operator_named(step.via), step.values, e, 1)->output();
    case Step::How::Broadcast:
      items.assign(static_cast<size_t>(formal.fixed_size), step.values[0]);
      break;
    case Step::How::Gather:
      items = step.values;
      break;
    case Step::How::Unpack:
      items = node(prim::tuple_unpack(), {step.values[0]}, e,
                   static_cast<int>(step.values[0]->type().elements().size()))
                  ->outputs();
      break;
    case Step::How::Default:
      if (formal.default_value.tag() != IValue::Tag::List) return constant(formal.default_value, e);
      for (const IValue& v : formal.default_value.items()) items.push_back(constant(v, e));
      break;
  }
  return typed_node(prim::list_construct(), items, Type::list(type.element().without_shapes()), e)
      ->output();
}

}  // namespace fusillade::archive
