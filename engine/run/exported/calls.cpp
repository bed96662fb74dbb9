// Calls of operators and functions; see graph_reader.h. (law: rules name ops)
//
// An operator is found by its full name first. What its schema takes no number or bool for, where
// PyTorch does, is called otherwise: by another overload, with the number as a tensor of no
// dimensions, with 0 or 1 for a bool and the dtype of the result as the text declares it.
#include <algorithm>

#include "engine/base/error.h"
#include "engine/ir/visit.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/graph_reader.h"
#include "engine/run/exported/meta.h"
#include "engine/run/exported/targets.h"

namespace fusillade::exported {

using front::Round;
using front::Step;
using Kind = Json::Kind;

namespace {

constexpr size_t kCandidates = 8;  // listed in a message

bool gives_tensors(const Operator& op) {
  return std::ranges::all_of(op.schema.results, [](const SchemaArg& result) {
    const Type& type = result.type;
    return type.is_tensor() || (type.is(TypeKind::List) && type.element().is_tensor());
  });
}

bool is_number(const Type& type) {
  return type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Bool) ||
         type.is(TypeKind::Number);
}

// What the schema says of the parameter that is given `value`; null: nothing.
const Type* type_of_formal(const Schema& schema, const std::vector<front::Argument>& args,
                           const Value* value) {
  const auto arg = std::ranges::find(args, value, &front::Argument::value);
  if (arg == args.end()) return nullptr;
  const auto formal = std::ranges::find(schema.args, arg->keyword, &SchemaArg::name);
  return formal == schema.args.end() ? nullptr : &formal->type;
}

// Constants and lists of an argument in a form that was not called.
void drop_unused(const std::vector<Value*>& values) {
  for (Value* v : values) {
    Node* n = v->node();
    if (v->is_unused() && (n->is(prim::constant()) || n->is(prim::list_construct()))) n->destroy();
  }
}

// An If whose condition is a constant: the nodes of its block take its place. The first of them, or
// the node behind it.
Node* choose_block(Node* n, std::vector<Value*>& results) {
  if (!n->is(prim::if_()) || !n->input()->node()->is(prim::constant())) return nullptr;
  const Block* chosen = n->blocks()[n->input()->node()->constant().as_bool() ? 0 : 1];
  Node* first = chosen->first() ? chosen->first() : n->next();
  while (Node* moved = chosen->first()) moved->move_before(n);
  for (int i = 0; i < std::ssize(n->outputs()); ++i) {
    std::ranges::replace(results, n->output(i), chosen->results()[i]);
    n->output(i)->replace_all_uses_with(chosen->results()[i]);
  }
  n->destroy();
  return first;
}

}  // namespace

// What is given by a name that the schema lacks is meant by its position, or says nothing where it
// is None.
GraphReader::Arguments GraphReader::arguments(const std::vector<Given>& given, const Values& values,
                                              const Schema& schema) {
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(schema.args, [&](const SchemaArg& a) { return a.name == name; });
  };
  const auto is_given = [&](const std::string& name) {
    return std::ranges::any_of(given, [&](const Given& g) { return g.name == name; });
  };
  Arguments out;
  for (size_t i = 0; i < given.size(); ++i) {
    std::string name = given[i].name;
    if (!has(name)) {
      const bool at_place = given[i].positional && i < schema.args.size() &&
                            !schema.args[i].keyword_only && !is_given(schema.args[i].name);
      if (at_place) name = schema.args[i].name;
      else if (values[i]->type().is(TypeKind::None)) continue;
    }
    out.push_back({values[i], name});
  }
  return out;
}

// `of_tensors`: only an overload that gives tensors is meant.
std::optional<GraphReader::Values> GraphReader::fitting_call(const std::vector<Given>& given,
                                                             const Values& values,
                                                             const std::string& name,
                                                             bool of_tensors) {
  const auto fit = [&](const Operator& op, Round round) {
    return front::fit(op.schema, arguments(given, values, op.schema), round, nullptr);
  };
  constexpr Round kRounds[] = {Round::Exact, Round::Subtype, Round::Real};
  if (const Operator* exact = find_operator(name))
    for (const Round round : {Round::Exact, Round::Subtype, Round::Real, Round::Implicit})
      if (const auto found = fit(*exact, round)) return build(*exact, *found);
  for (const Round round : kRounds)
    for (const Operator* op : overloads(base_of(name)))
      if (!of_tensors || gives_tensors(*op))
        if (const auto found = fit(*op, round)) return build(*op, *found);
  return {};
}

std::optional<DType> GraphReader::declared_dtype(const Json& node) const {
  const Json& outputs = doc_.need(node, "outputs", Kind::Array);
  if (outputs.items.empty()) return {};
  const Json* tensor = doc_.find(*outputs.items[0].second, "as_tensor");
  if (!tensor) return {};
  const auto meta = metas_.find(doc_.need(*tensor, "name", Kind::String).text);
  if (meta == metas_.end()) return {};
  return find_dtype(doc_.integer(*meta->second, "dtype"));
}

// With other values where the schema of the operator takes no such ones.
std::optional<GraphReader::Values> GraphReader::call_otherwise(const std::vector<Given>& given,
                                                               Values values,
                                                               const std::string& name,
                                                               const Otherwise& otherwise) {
  const Operator* op = find_operator(name);
  if (!op) return {};
  const Arguments args = arguments(given, values, op->schema);
  bool changed = false;
  for (Value*& v : values) {
    const Type* formal = type_of_formal(op->schema, args, v);
    Value* other = formal ? otherwise(v, *formal) : v;
    changed = changed || other != v;
    v = other;
  }
  if (!changed) return {};
  return fitting_call(given, values, name, true);
}

// Numbers where the operator that is named takes tensors.
std::optional<GraphReader::Values> GraphReader::call_with_tensors(const std::vector<Given>& given,
                                                                  const Values& values,
                                                                  const std::string& name,
                                                                  DType dtype) {
  return call_otherwise(given, values, name, [&](Value* v, const Type& formal) {
    if (!is_number(v->type()) || !formal.is_tensor()) return v;
    const DType of = v->type().is(TypeKind::Bool)  ? DType::Bool
                     : v->type().is(TypeKind::Int) ? DType::I64
                     : is_float(dtype)             ? dtype
                                                   : DType::F64;
    Value* number = v->type().is(TypeKind::Bool) ? as_number(v, TypeKind::Int) : v;
    const IValue none;
    return make(operator_named("aten::scalar_tensor"),
                {number, constant(int64_t{row_of(of).aten_code}), constant(none), constant(none),
                 constant(none)})
        ->output();
  });
}

// 0 and 1 for bools, and the dtype that a result has with these.
std::optional<GraphReader::Values> GraphReader::call_with_ints(const std::vector<Given>& given,
                                                               const Values& values,
                                                               const std::string& name,
                                                               DType dtype) {
  std::optional<Values> out =
      call_otherwise(given, values, name, [&](Value* v, const Type& formal) {
        if (!v->type().is(TypeKind::Bool) || formal.is(TypeKind::Bool)) return v;
        const Type& type = formal.is(TypeKind::Optional) ? formal.element() : formal;
        const bool takes_ints = type.is(TypeKind::Number) || type.is_tensor();
        return takes_ints ? as_number(v, TypeKind::Int) : v;
      });
  if (!out || out->size() != 1 || operator_named(name).schema.writes()) return out;
  Node* cast = make(operator_named("aten::to.dtype"),
                    {out->at(0), constant(int64_t{row_of(dtype).aten_code}), constant(false),
                     constant(false), constant(IValue())});
  return Values{cast->output()};
}

GraphReader::Values GraphReader::operator_call(const Json& node, const std::vector<Given>& given,
                                               const std::string& name) {
  Values values;
  for (const Given& g : given) values.push_back(argument(*g.value));
  const Json& outputs = doc_.need(node, "outputs", Kind::Array);
  const bool of_tensors = !outputs.items.empty() &&
                          doc_.as(*outputs.items[0].second, Kind::Object).items.size() == 1 &&
                          outputs.items[0].second->items[0].first.starts_with("as_tensor");
  std::optional<Values> out = fitting_call(given, values, name, of_tensors);
  if (const std::optional<DType> dtype = declared_dtype(node); dtype && !out) {
    out = call_with_ints(given, values, name, *dtype);
    if (!out) out = call_with_tensors(given, values, name, *dtype);
  }
  drop_unused(values);
  if (out) return *out;
  std::vector<const Operator*> candidates = overloads(base_of(name));
  if (const Operator* exact = find_operator(name)) candidates = {exact};
  std::string message = "no operator takes these arguments:";
  for (size_t i = 0; i < candidates.size() && i < kCandidates; ++i) {
    std::string why;
    const Schema& schema = candidates[i]->schema;
    front::fit(schema, arguments(given, values, schema), Round::Implicit, &why);
    message += "\n  " + schema.text() + ": " + why;
  }
  fail("{}", message);
}

GraphReader::Values GraphReader::function_call(const std::vector<Given>& given,
                                               const Function& function) {
  Values values;
  for (const Given& g : given) values.push_back(argument(*g.value));
  const Schema& schema = function.schema;
  std::string why;
  const auto fit = front::fit(schema, arguments(given, values, schema), Round::Implicit, &why);
  if (!fit) fail("{}: {}", schema.text(), why);
  Values inputs;
  for (size_t i = 0; i < fit->steps.size(); ++i)
    inputs.push_back(realise(fit->steps[i], schema.args[i]));
  return inline_function(function, inputs);
}

void GraphReader::require_size(Value* tensor, int64_t dim, int64_t least, int64_t most) {
  Value* name = constant(IValue::str(tensor->name()));
  inline_function(*function_of_target("size_in_range"),
                  {tensor, constant(dim), name, constant(least), constant(most)});
}

GraphReader::Values GraphReader::inline_function(const Function& function, const Values& inputs) {
  Node* last = block_->last();
  Values results = inline_graph(*function.graph, block_->return_node(), inputs);
  for (Node* n = last ? last->next() : block_->first(); n && n != block_->return_node();) {
    if (Node* first = choose_block(n, results)) {
      n = first;
      continue;
    }
    place(n);
    for (Block* inner : n->blocks())
      each_node_inside_out(inner, [this](Node* within) { place(within); });
    n = n->next();
  }
  if (results.size() != 1 || !results[0]->type().is(TypeKind::Tuple)) return results;
  const auto count = static_cast<int>(results[0]->type().elements().size());
  Node* unpack = make(prim::tuple_unpack(), results, count);
  for (int i = 0; i < count; ++i)
    unpack->output(i)->set_type(results[0]->type().elements()[static_cast<size_t>(i)]);
  return {unpack->outputs().begin(), unpack->outputs().end()};
}

GraphReader::Values GraphReader::build(const Operator& op, const front::Fit& fit) {
  Values inputs;
  for (size_t i = 0; i < fit.steps.size(); ++i) {
    SchemaArg formal = op.schema.args[i];
    formal.type = front::substitute(formal.type, fit.vars);
    inputs.push_back(realise(fit.steps[i], formal));
  }
  Node* n = make(op, inputs);
  for (Value* v : n->outputs()) v->set_type(front::substitute(v->type(), fit.vars));
  return {n->outputs().begin(), n->outputs().end()};
}

Value* GraphReader::realise(const Step& step, const SchemaArg& formal) {
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  Values items;
  switch (step.how) {
    case Step::How::Pass:
      return step.values[0];
    case Step::How::Implicit:
      return make(operator_named(step.via), step.values)->output();
    case Step::How::Broadcast:
      items.assign(static_cast<size_t>(formal.fixed_size), step.values[0]);
      break;
    case Step::How::Gather:
      items = step.values;
      break;
    case Step::How::Unpack:
      fail("argument '{}' is a tuple", formal.name);
    case Step::How::Default:
      if (formal.default_value.tag() != IValue::Tag::List) return constant(formal.default_value);
      for (const IValue& v : formal.default_value.items()) items.push_back(constant(v));
      break;
  }
  return typed_list(items, type.element().without_shapes());
}

}  // namespace fusillade::exported
