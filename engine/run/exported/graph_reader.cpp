// See graph_reader.h. (law: rules name ops)
#include "engine/run/exported/graph_reader.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/ir/visit.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/targets.h"

namespace fusillade::exported {

using front::Argument;
using front::Round;
using front::Step;
using Kind = Json::Kind;

namespace {

constexpr Round kRounds[] = {Round::Exact, Round::Subtype, Round::Real, Round::Implicit};
constexpr size_t kCandidates = 8;  // listed in a message
constexpr int64_t kKeyword = 2;    // schema.ArgumentKind

// What a name may look like in a graph's text.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  return out;
}

std::string base_of(const std::string& name) {
  const size_t dot = name.find('.');
  return dot == name.npos ? name : name.substr(0, dot);
}

}  // namespace

void GraphReader::bind(const Json& at, const std::string& name, Value* value) {
  if (!names_.emplace(name, value).second) doc_.wrong(at, fmt::format("'{}' is named twice", name));
  if (value->name().empty() && !value->node()->is(prim::constant()))
    value->set_name(plain_name(name));
}

Value* GraphReader::value_of(const Json& at, const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) doc_.wrong(at, fmt::format("nothing is named '{}' here", name));
  return found->second;
}

Node* GraphReader::make(const Operator& op, const Values& inputs, int results) {
  Node* n = results < 0 ? graph_.append(op, inputs, block_)
                        : block_->append(graph_.create(op, inputs, results));
  listing_.place(n);
  return n;
}

Value* GraphReader::constant(IValue value) {
  Value* out = graph_.constant(std::move(value), block_->return_node());
  listing_.place(out->node());
  return out;
}

void GraphReader::nodes(const Json& graph) {
  for (const auto& [none, n] : doc_.need(graph, "nodes", Kind::Array).items) node(*n);
}

void GraphReader::node(const Json& node) {
  listing_.add_line(line_of(doc_, node));
  const std::string name = name_of_node(doc_, node, listing_.lines());
  const int depth = depth_;
  try {
    call(node);
  } catch (const Error& e) {
    if (depth_ > depth) throw;  // a node within it is named
    ++depth_;
    fail("'{}': {} ({}): {}", label_, name, doc_.text(node, "target"), e.what());
  }
}

void GraphReader::call(const Json& node) {
  const std::string target = doc_.text(node, "target");
  if (const HigherOrder read = higher_order(target)) return results(node, (this->*read)(node));
  if (const Function* function = function_of_target(target))
    return results(node, function_call(node, *function));
  const std::string name = operator_of_target(target);
  if (name.empty() || overloads(base_of(name)).empty()) {
    ++depth_;
    fail("'{}': {} calls {}, which Fusillade does not have", label_,
         name_of_node(doc_, node, listing_.lines()), target);
  }
  results(node, operator_call(node, name));
}

std::vector<GraphReader::Given> GraphReader::inputs_of(const Json& node) {
  std::vector<Given> out;
  for (const auto& [none, input] : doc_.need(node, "inputs", Kind::Array).items) {
    const Json* kind = doc_.find(*input, "kind");
    const bool keyword = kind && kind->is(Kind::Int) && kind->integer == kKeyword;
    out.push_back({doc_.text(*input, "name"), !keyword, &doc_.need(*input, "arg")});
  }
  return out;
}

// What is given by a name that the schema lacks is meant by its position, or says nothing where it
// is None.
GraphReader::Arguments GraphReader::arguments(const std::vector<Given>& given,
                                              const std::vector<Value*>& values,
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

GraphReader::Values GraphReader::operator_call(const Json& node, const std::string& name) {
  const std::vector<Given> given = inputs_of(node);
  Values values;
  for (const Given& g : given) values.push_back(argument(*g.value));
  std::vector<const Operator*> candidates = overloads(base_of(name));
  const Operator* exact = find_operator(name);
  const auto fits = [&](const Operator& op) -> std::optional<front::Fit> {
    for (const Round round : kRounds)
      if (auto fit = front::fit(op.schema, arguments(given, values, op.schema), round, nullptr))
        return fit;
    return {};
  };
  const auto clear = [&](Values results) {
    for (Value* v : values)
      if (v->is_unused() && !v->node()->is(prim::param()) && v->node()->op().kind == OpKind::Prim &&
          v->name().empty())
        v->node()->destroy();
    return results;
  };
  if (exact)
    if (const auto fit = fits(*exact)) return clear(build(*exact, *fit));
  for (const Round round : kRounds)
    for (const Operator* op : candidates)
      if (auto fit = front::fit(op->schema, arguments(given, values, op->schema), round, nullptr))
        return clear(build(*op, *fit));
  if (exact) candidates = {exact};
  std::string message = "no operator takes these arguments:";
  for (size_t i = 0; i < candidates.size() && i < kCandidates; ++i) {
    std::string why;
    const Schema& schema = candidates[i]->schema;
    front::fit(schema, arguments(given, values, schema), Round::Implicit, &why);
    message += "\n  " + schema.text() + ": " + why;
  }
  fail("{}", message);
}

GraphReader::Values GraphReader::function_call(const Json& node, const Function& function) {
  const std::vector<Given> given = inputs_of(node);
  Values values;
  for (const Given& g : given) values.push_back(argument(*g.value));
  const Schema& schema = function.schema;
  std::string why;
  const auto fit = front::fit(schema, arguments(given, values, schema), Round::Implicit, &why);
  if (!fit) fail("{}: {}", schema.text(), why);
  Values inputs;
  for (size_t i = 0; i < fit->steps.size(); ++i)
    inputs.push_back(realise(fit->steps[i], schema.args[i]));
  Node* last = block_->last();
  Values results = inline_graph(*function.graph, block_->return_node(), inputs);
  for (Node* n = last ? last->next() : block_->first(); n && n != block_->return_node();
       n = n->next()) {
    listing_.place(n);
    for (Block* inner : n->blocks())
      each_node_inside_out(inner, [this](Node* within) { listing_.place(within); });
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

// The number that the text declares, of one whose kind is known when it runs.
Value* GraphReader::as_number(Value* value, TypeKind kind) {
  if (value->type().is(kind)) return value;
  const char* base = kind == TypeKind::Int     ? "aten::Int"
                     : kind == TypeKind::Float ? "aten::Float"
                                               : "aten::Bool";
  for (const Round round : kRounds)
    for (const Operator* op : overloads(base))
      if (const auto fit = front::fit(op->schema, {{value, ""}}, round, nullptr))
        return build(*op, *fit)[0];
  fail("a {} is no {}", value->type(), Type(kind));
}

void GraphReader::result(const Json& output, Value* value) {
  const Json& arg = doc_.as(output, Kind::Object);
  if (arg.items.size() != 1) doc_.wrong(arg, "an output is an object of one key");
  const auto [key, named] = arg.items[0];
  if (key == "as_none") return;
  if (key == "as_tensor") {
    if (!value->type().is_tensor() && !value->type().is(TypeKind::Optional))
      doc_.wrong(arg, fmt::format("a {} is no tensor", value->type()));
    return bind(*named, doc_.text(*named, "name"), value);
  }
  const TypeKind kind = key == "as_sym_int"     ? TypeKind::Int
                        : key == "as_sym_float" ? TypeKind::Float
                        : key == "as_sym_bool"  ? TypeKind::Bool
                                                : TypeKind::None;
  if (kind == TypeKind::None) doc_.wrong(arg, fmt::format("an output '{}' is not supported", key));
  const std::string name = doc_.text(*named, "as_name");
  bind(*named, name, as_number(value, kind));
}

void GraphReader::results(const Json& node, const Values& values) {
  const Json& outputs = doc_.need(node, "outputs", Kind::Array);
  std::vector<const Json*> names;  // those of a list one by one
  Values given = values;
  for (const auto& [none, output] : outputs.items) {
    const Json* list = doc_.find(*output, "as_tensors");
    if (!list) {
      names.push_back(output);
      continue;
    }
    const Json& items = doc_.as(*list, Kind::Array);
    if (outputs.items.size() == 1 && values.size() == 1 && values[0]->type().is(TypeKind::List)) {
      const Type element = values[0]->type().element();
      Node* unpack = make(prim::list_unpack(), values, static_cast<int>(items.items.size()));
      for (Value* v : unpack->outputs()) v->set_type(element);
      given.assign(unpack->outputs().begin(), unpack->outputs().end());
    }
    for (size_t i = 0; i < items.items.size(); ++i) {
      const std::string name = doc_.text(*items.items[i].second, "name");
      if (i >= given.size()) doc_.wrong(*items.items[i].second, "there are not as many results");
      bind(*items.items[i].second, name, given[i]);
    }
    return;
  }
  if (names.size() > given.size())
    doc_.wrong(outputs, fmt::format("it names {} results of {}", names.size(), given.size()));
  for (size_t i = 0; i < names.size(); ++i) result(*names[i], given[i]);
}

}  // namespace fusillade::exported
