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
constexpr int64_t kKeyword = 2;  // schema.ArgumentKind

// What a name may look like in a graph's text.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "_");
  return out;
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
  place(n);
  return n;
}

Value* GraphReader::constant(IValue value) {
  Value* out = graph_.constant(std::move(value), block_->return_node());
  place(out->node());
  return out;
}

void GraphReader::nodes(const Json& graph) {
  Metas metas;
  const Json& values = doc_.need(graph, "tensor_values", Kind::Object);
  budget_.spend(values.items.size());  // a graph may be read many times: in loops, twice
  for (const auto& [name, meta] : values.items) metas.emplace(name, meta);
  std::swap(metas, metas_);
  for (const auto& [none, n] : doc_.need(graph, "nodes", Kind::Array).items) node(*n);
  std::swap(metas, metas_);
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
  const HigherOrder read = higher_order(target);
  results(node, read ? (this->*read)(node) : call_target(node, target));
}

// `skipped`: so many arguments of the node are not the target's.
GraphReader::Values GraphReader::call_target(const Json& node, const std::string& target,
                                             size_t skipped) {
  std::vector<Given> given = inputs_of(node);
  given.erase(given.begin(), given.begin() + static_cast<ptrdiff_t>(skipped));
  if (const Function* function = function_of_target(target)) return function_call(given, *function);
  const std::string name = operator_of_target(target);
  if (!name.empty() && !overloads(base_of(name)).empty()) return operator_call(node, given, name);
  ++depth_;
  fail("'{}': {} calls {}, which Fusillade does not have", label_,
       name_of_node(doc_, node, listing_.lines()), target);
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
    const Type& type = value->type();
    if (!type.is_tensor() && !type.is(TypeKind::Optional) && !type.is(TypeKind::None))
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
