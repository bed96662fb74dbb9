// Expressions of serialised functions; see import_function.h.
#include <cmath>

#include "engine/base/error.h"
#include "engine/front/emit.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/import_function.h"

namespace fusillade::archive {

using front::ExprKind;

namespace {

constexpr size_t kMaxNodes = 200000;

const Type& unwrap_optional(const Type& type) {
  return type.is(TypeKind::Optional) ? type.element() : type;
}

}  // namespace

std::string dotted_path(const front::Expr& e) {
  if (e.is(ExprKind::Name)) return e.text;
  if (!e.is(ExprKind::Attribute)) return "";
  std::string base = dotted_path(*e.kids[0]);
  return base.empty() ? base : base + "." + e.text;
}

void FunctionImporter::count(size_t nodes, const Expr& at) {
  out_.weight += nodes;
  if (out_.weight > kMaxNodes)
    wrong(at, fmt::format("the function needs more than {} nodes, calls included", kMaxNodes));
}

void FunctionImporter::place(Node* n, const Expr& at) {
  block_->append(n);
  n->range = {source_, at.begin, at.end};
  count(1, at);
}

Node* FunctionImporter::node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at,
                             int results) {
  Node* n = graph_->create(op, inputs,
                           results < 0 ? static_cast<int>(op.schema.results.size()) : results);
  block_->append(n);
  count(1, at);
  try {
    infer_types(n);
  } catch (const Error& e) {
    wrong(at, e.what());
  }
  for (Value* v : n->outputs()) v->set_type(v->type().without_shapes());
  n->range = {source_, at.begin, at.end};
  return n;
}

Node* FunctionImporter::typed_node(const Operator& op, const std::vector<Value*>& inputs,
                                   const Type& type, const Expr& at) {
  Node* n = graph_->create(op, inputs, 1);
  place(n, at);
  n->output()->set_type(type.without_shapes());
  return n;
}

Value* FunctionImporter::constant(IValue value, const Expr& at) {
  count(1, at);
  Value* v = graph_->constant(std::move(value), block_->return_node());
  v->set_type(v->type().without_shapes());
  v->node()->range = {source_, at.begin, at.end};
  return v;
}

// A number, string, True, False, None, inf, nan; the negative of a number.
std::optional<IValue> FunctionImporter::literal(const Expr& e) const {
  if (e.is_name("inf")) return IValue(static_cast<double>(INFINITY));
  if (e.is_name("nan")) return IValue(static_cast<double>(NAN));
  bool negative = e.is(ExprKind::Unary, front::Sign::Sub);
  if (!negative) return front::literal_value(e);
  std::optional<IValue> v = literal(*e.kids[0]);
  if (v && v->is_float()) return IValue(-v->as_double());
  return front::literal_value(e);
}

// torch.device("cpu"), where that is one.
std::optional<IValue> FunctionImporter::named_device(const Expr& e) const {
  bool named = e.is(ExprKind::Call) && e.kids.size() == 2 && e.kids[1]->is(ExprKind::Str) &&
               dotted_path(*e.kids[0]) == "torch.device";
  std::optional<Device> device = named ? find_device(e.kids[1]->text) : std::nullopt;
  return device ? std::optional<IValue>(*device) : std::nullopt;
}

Value* FunctionImporter::emit(const Expr& e, const Type* hint) {
  std::vector<Value*> values = several(e, hint);
  if (values.size() == 1) return values[0];
  if (values.empty()) wrong(e, "this gives no value");
  return node(prim::tuple_construct(), values, e, 1)->output();
}

// The results of a call; one value for every other expression.
std::vector<Value*> FunctionImporter::several(const Expr& e, const Type* hint) {
  if (e.is(ExprKind::Name)) {
    const Binding* b = find(e.text);
    if (b && b->value) return {b->value};
    if (b) wrong(e, fmt::format("the function '{}' is no value", b->function));
  }
  if (std::optional<IValue> v = literal(e)) {
    Value* emitted = constant(*v, e);
    if (v->is_none() && hint && hint->is(TypeKind::Optional))
      emitted->set_type(hint->without_shapes());
    return {emitted};
  }
  switch (e.kind) {
    case ExprKind::Name:
      wrong(e, fmt::format("'{}' is not defined", e.text));
    case ExprKind::List:
      return {list(e, hint)};
    case ExprKind::Tuple:
      return {tuple(e, hint)};
    case ExprKind::Dict:
      return {dict(e, hint)};
    case ExprKind::Attribute:
      return {attribute(e)};
    case ExprKind::Subscript:
      return {subscript(e)};
    case ExprKind::Call:
      return call(e, hint);
    default:
      wrong(e, "serialised code has no expression of this kind");
  }
}

Value* FunctionImporter::list(const Expr& e, const Type* hint) {
  const Type* wanted = hint && unwrap_optional(*hint).is(TypeKind::List)
                           ? &unwrap_optional(*hint).element()
                           : nullptr;
  std::vector<Value*> items;
  std::optional<Type> common;
  if (wanted) common = *wanted;
  for (const front::ExprPtr& kid : e.kids) {
    items.push_back(emit(*kid, wanted));
    Type type = items.back()->type().without_shapes();
    if (!wanted) common = common ? unify(*common, type) : type;
    bool fits = wanted ? type.subtype_of(*wanted) : !common->is(TypeKind::Any);
    if (!fits) wrong(*kid, fmt::format("an item of type {} does not fit the list", type));
  }
  return typed_node(prim::list_construct(), items,
                    Type::list(common ? *common : Type(TypeKind::Tensor)), e)
      ->output();
}

// A None in it is of its own type, whatever the tuple is declared as: an Optional would be written
// as such.
Value* FunctionImporter::tuple(const Expr& e, const Type* hint) {
  bool fits = hint && unwrap_optional(*hint).is(TypeKind::Tuple) &&
              unwrap_optional(*hint).elements().size() == e.kids.size();
  std::vector<Value*> items;
  for (size_t i = 0; i < e.kids.size(); ++i) {
    bool hinted = fits && !e.kids[i]->is(ExprKind::None);
    items.push_back(emit(*e.kids[i], hinted ? &unwrap_optional(*hint).elements()[i] : nullptr));
  }
  return node(prim::tuple_construct(), items, e, 1)->output();
}

Value* FunctionImporter::dict(const Expr& e, const Type* hint) {
  bool typed = hint && unwrap_optional(*hint).is(TypeKind::Dict);
  std::vector<Value*> items;
  Type key = TypeKind::Str;
  Type mapped = TypeKind::Tensor;
  if (typed) {
    key = unwrap_optional(*hint).key();
    mapped = unwrap_optional(*hint).value_type();
  }
  for (size_t i = 0; i < e.kids.size(); ++i) {
    Type& type = i % 2 ? mapped : key;
    items.push_back(emit(*e.kids[i], typed ? &type : nullptr));
    Type given = items.back()->type().without_shapes();
    if (!typed) type = i < 2 ? given : unify(type, given);
    if (!given.subtype_of(type) || (!typed && type.is(TypeKind::Any)))
      wrong(*e.kids[i], fmt::format("a {} does not fit the dict", given));
  }
  return typed_node(prim::dict_construct(), items, Type::dict(key, mapped), e)->output();
}

std::optional<IValue> FunctionImporter::member(const std::string& path) const {
  size_t dot = path.rfind('.');
  if (path.rfind("__torch__.", 0) != 0 || dot == std::string::npos) return std::nullopt;
  std::string name = path.substr(0, dot);
  ClassPtr cls = unit_.has_class(name) ? unit_.resolve_class(name) : nullptr;
  for (size_t i = 0; cls && i < cls->members.size(); ++i)
    if (cls->members[i].name == path.substr(dot + 1)) return IValue::enum_member(cls, i);
  return std::nullopt;
}

Value* FunctionImporter::attribute(const Expr& e) {
  std::string path = dotted_path(e);
  if (path.rfind("CONSTANTS.c", 0) == 0) {
    std::string digits = path.substr(std::string_view("CONSTANTS.c").size());
    size_t i = digits.empty() || digits.size() > 9 ||
                       digits.find_first_not_of("0123456789") != std::string::npos
                   ? SIZE_MAX
                   : static_cast<size_t>(std::stoul(digits));
    if (i >= unit_.constants().size())
      wrong(e, fmt::format("the archive has {} constants", unit_.constants().size()));
    return constant(unit_.constants()[i], e);
  }
  if (path.rfind("__torch__.", 0) == 0) {
    if (std::optional<IValue> of_enum = member(path)) return constant(*of_enum, e);
    wrong(e, fmt::format("'{}' is no value", path));
  }
  return get_attribute(emit(*e.kids[0]), e.text, e);
}

Value* FunctionImporter::get_attribute(Value* object, const std::string& field, const Expr& at) {
  const Type& type = object->type();
  if (type.is(TypeKind::Class)) {
    int slot = type.class_type()->slot(field);
    if (slot < 0)
      wrong(at, fmt::format("'{}' has no attribute '{}'", type.class_type()->name, field));
    Node* n = typed_node(prim::get_attr(), {object},
                         type.class_type()->fields[static_cast<size_t>(slot)].type, at);
    n->set_attr("name", IValue::str(field));
    return n->output();
  }
  bool of_enum = type.is(TypeKind::Enum) && (field == "name" || field == "value");
  if (!of_enum) wrong(at, fmt::format("a {} has no attribute '{}'", type, field));
  bool name = field == "name";
  return typed_node(operator_named(name ? "prim::EnumName" : "prim::EnumValue"), {object},
                    name ? Type(TypeKind::Str) : type.class_type()->value_type, at)
      ->output();
}

Value* FunctionImporter::subscript(const Expr& e) {
  if (e.kids.size() != 2) wrong(e, "a subscript has one index");
  Value* of = emit(*e.kids[0]);
  Value* index = emit(*e.kids[1]);
  if (of->type().is(TypeKind::Tuple))
    return node(operator_named("prim::TupleIndex"), {of, index}, e, 1)->output();
  bool modules =
      of->type().is(TypeKind::Class) && of->type().class_type()->kind == ClassType::Kind::Module;
  if (modules && (index->type().is(TypeKind::Int) || index->type().is(TypeKind::Str))) {
    std::string chooser = unit_.chooser(*of->type().class_type(), index->type().is(TypeKind::Str));
    if (!chooser.empty()) return function_call(chooser, {{of, ""}, {index, ""}}, e);
  }
  std::vector<Value*> out = op("aten::__getitem__", {{of, ""}, {index, ""}}, e);
  return out[0];
}

}  // namespace fusillade::archive
