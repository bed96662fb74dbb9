// Operators that have graphs among their arguments; see graph_reader.h.
#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/graph_reader.h"
#include "engine/run/exported/meta.h"

namespace fusillade::exported {

using Kind = Json::Kind;

GraphReader::HigherOrder GraphReader::higher_order(const std::string& target) {
  struct Row {
    std::string_view target;
    HigherOrder read;
  };
  static constexpr Row kRows[] = {
      {"torch.ops.higher_order.cond", &GraphReader::condition},
      {"torch.ops.higher_order.while_loop", &GraphReader::loop},
      {"torch.ops.higher_order.scan", &GraphReader::scan},
      {"torch.ops.higher_order.map_impl", &GraphReader::map},
      {"torch.ops.higher_order.wrap_with_set_grad_enabled", &GraphReader::without_gradients},
      {"torch.ops.higher_order.wrap_with_autocast", &GraphReader::autocast},
      {"torch.ops.higher_order.with_effects", &GraphReader::effect},
  };
  for (const Row& row : kRows)
    if (row.target == target) return row.read;
  return nullptr;
}

const Json& GraphReader::input(const Json& node, size_t i) const {
  const Json& inputs = doc_.need(node, "inputs", Kind::Array);
  if (i >= inputs.items.size()) doc_.wrong(inputs, fmt::format("argument {} is missing", i));
  return doc_.need(*inputs.items[i].second, "arg", Kind::Object);
}

const Json& GraphReader::graph_input(const Json& node, size_t i) const {
  return doc_.need(doc_.need(input(node, i), "as_graph"), "graph", Kind::Object);
}

// A list among the arguments is its items.
void GraphReader::add_operands(const Json& arg, Values& out) {
  Value* value = argument(arg);
  if (!value->type().is(TypeKind::List)) {
    out.push_back(value);
    return;
  }
  Node* list = value->node();
  out.insert(out.end(), list->inputs().begin(), list->inputs().end());
  list->destroy();
}

// The nodes of a graph within, at the end of the current block.
GraphReader::Values GraphReader::inline_body(const Json& graph, const Values& operands) {
  std::map<std::string, Value*, std::less<>> outside;
  std::swap(outside, names_);
  const Json& inputs = doc_.need(graph, "inputs", Kind::Array);
  if (inputs.items.size() != operands.size())
    doc_.wrong(inputs, fmt::format("the graph takes {} values, and is given {}",
                                   inputs.items.size(), operands.size()));
  for (size_t i = 0; i < operands.size(); ++i) {
    const Json& in = *inputs.items[i].second;
    if (const Json* tensor = doc_.find(in, "as_tensor"))
      bind(in, doc_.text(*tensor, "name"), operands[i]);
    for (const char* key : {"as_sym_int", "as_sym_float", "as_sym_bool"})
      if (const Json* number = doc_.find(in, key); number && doc_.find(*number, "as_name"))
        bind(in, doc_.text(*number, "as_name"), operands[i]);
  }
  nodes(graph);
  Values out;
  for (const auto& [none, output] : doc_.need(graph, "outputs", Kind::Array).items)
    out.push_back(argument(*output));
  std::swap(outside, names_);
  return out;
}

GraphReader::Values GraphReader::condition(const Json& node) {
  Value* chosen = as_number(argument(input(node, 0)), TypeKind::Bool);
  Values operands;
  add_operands(input(node, 3), operands);
  Node* n = make(prim::if_(), {chosen}, 0);
  Block* outside = block_;
  for (size_t side = 1; side <= 2; ++side) {
    block_ = n->add_block();
    for (Value* v : inline_body(graph_input(node, side), operands)) block_->add_result(v);
    block_ = outside;
  }
  const List<Value*>&on = n->blocks()[0]->results(), &off = n->blocks()[1]->results();
  if (on.size() != off.size())
    doc_.wrong(node,
               fmt::format("one graph gives {} results, the other {}", on.size(), off.size()));
  for (size_t i = 0; i < on.size(); ++i) n->add_output(unify(on[i]->type(), off[i]->type()));
  return {n->outputs().begin(), n->outputs().end()};
}

// A Loop, whose block is the current one from now on.
GraphReader::OpenLoop GraphReader::open_loop(Value* turns, Value* holds, const Values& carried) {
  Values inputs{turns, holds};
  inputs.insert(inputs.end(), carried.begin(), carried.end());
  OpenLoop loop{make(prim::loop(), inputs, 0), block_, nullptr, {}};
  block_ = loop.node->add_block();
  loop.turn = block_->add_param(TypeKind::Int);
  for (const Value* v : carried) {
    const Type type = v->type().without_shapes();
    loop.state.push_back(block_->add_param(type));
    loop.node->add_output(type);
  }
  return loop;
}

// `next`: what the next turn begins with.
GraphReader::Values GraphReader::close_loop(const Json& node, const OpenLoop& loop, Value* holds,
                                            const Values& next) {
  for (size_t i = 0; i < next.size(); ++i)
    if (!next[i]->type().without_shapes().subtype_of(loop.state[i]->type()))
      doc_.wrong(node, fmt::format("a loop carries a {}, and its body gives a {}",
                                   loop.state[i]->type(), next[i]->type()));
  block_->add_result(holds);
  for (Value* v : next) block_->add_result(v);
  block_ = loop.outside;
  return {loop.node->outputs().begin(), loop.node->outputs().end()};
}

GraphReader::Values GraphReader::loop(const Json& node) {
  Values carried, fixed;
  add_operands(input(node, 2), carried);
  add_operands(input(node, 3), fixed);
  const auto with_fixed = [&](Values values) {
    values.insert(values.end(), fixed.begin(), fixed.end());
    return values;
  };
  const auto holds = [&](const Values& values) {
    const Values results = inline_body(graph_input(node, 0), with_fixed(values));
    if (results.size() != 1) doc_.wrong(node, "the condition of a loop is one value");
    return as_number(results[0], TypeKind::Bool);
  };
  const OpenLoop loop = open_loop(constant(INT64_MAX), holds(carried), carried);
  const Values next = inline_body(graph_input(node, 1), with_fixed(loop.state));
  if (next.size() != carried.size())
    doc_.wrong(node, fmt::format("the loop carries {} values, and its body gives {}",
                                 carried.size(), next.size()));
  return close_loop(node, loop, holds(next), next);
}

GraphReader::Values GraphReader::scan(const Json& node) {
  Values carried, over, fixed;
  add_operands(input(node, 1), carried);
  add_operands(input(node, 2), over);
  add_operands(input(node, 3), fixed);
  return each_slice(node, carried, over, fixed);
}

GraphReader::Values GraphReader::map(const Json& node) {
  Values over, fixed;
  add_operands(input(node, 1), over);
  add_operands(input(node, 2), fixed);
  return each_slice(node, {}, over, fixed);
}

void GraphReader::append(Value* list, Value* item) {
  const Given by_place{"", true, nullptr};
  if (!fitting_call({by_place, by_place}, {list, item}, "aten::append.t", false))
    fail("a list of tensors takes no {}", item->type());
}

// A turn for each slice of `over` along their first dimensions. What the body gives beyond what is
// carried is kept in lists, and stacked.
GraphReader::Values GraphReader::each_slice(const Json& node, const Values& carried,
                                            const Values& over, const Values& fixed) {
  const Json& body = graph_input(node, 0);
  const size_t given = doc_.need(body, "outputs", Kind::Array).items.size();
  if (over.empty()) doc_.wrong(node, "there is no tensor whose slices are taken");
  if (given < carried.size())
    doc_.wrong(node, fmt::format("the loop carries {} values, and its body gives {}",
                                 carried.size(), given));
  Value* first = constant(int64_t{0});
  Value* turns = make(operator_named("aten::size.int"), {over[0], first})->output();
  Value* yes = constant(true);
  Values lists;
  for (size_t i = carried.size(); i < given; ++i) lists.push_back(typed_list({}, TypeKind::Tensor));
  const OpenLoop loop = open_loop(turns, yes, carried);
  Values operands = loop.state;
  for (Value* of : over)
    operands.push_back(
        make(operator_named("aten::select.int"), {of, constant(int64_t{0}), loop.turn})->output());
  operands.insert(operands.end(), fixed.begin(), fixed.end());
  const Values results = inline_body(body, operands);
  const auto kept = results.begin() + static_cast<ptrdiff_t>(carried.size());
  for (size_t i = 0; i < lists.size(); ++i) append(lists[i], kept[static_cast<ptrdiff_t>(i)]);
  Values out = close_loop(node, loop, constant(true), {results.begin(), kept});
  for (Value* list : lists)
    out.push_back(make(operator_named("aten::stack"), {list, constant(int64_t{0})})->output());
  return out;
}

// Gradients are asked of nothing that is read: the graph is what it is without.
GraphReader::Values GraphReader::without_gradients(const Json& node) { return region(node, 1); }

// The casts of autocast are not in the text: they are made, as scripts have them made.
GraphReader::Values GraphReader::autocast(const Json& node) {
  const Json& lower = input(node, 1);
  front::AutocastContext context;
  context.of_cpu = doc_.text(input(node, 0), "as_string") == "cpu";
  context.enabled = doc_.need(input(node, 2), "as_bool", Kind::Bool).integer;
  if (const Json* dtype = doc_.find(lower, "as_scalar_type"))
    context.dtype = dtype_of(doc_, *dtype);
  const bool legal = context.dtype == DType::BF16 || context.dtype == DType::F16;
  if (!legal) doc_.wrong(lower, "autocast to a dtype that is no half");
  Node* before = block_->last();
  Values out = region(node, 4);
  front::autocast_behind(block_, before, context, not_cast_);
  return out;
}

// A call that stays where it is: nodes with effects do, so the token that it hands on means
// nothing.
GraphReader::Values GraphReader::effect(const Json& node) {
  constexpr size_t kBefore = 2;  // the token and the operator
  const std::string target = doc_.text(input(node, 1), "as_operator");
  Values out{constant(IValue())};
  for (Value* v : call_target(node, target, kBefore)) out.push_back(v);
  return out;
}

GraphReader::Values GraphReader::region(const Json& node, size_t graph_at) {
  Values operands;
  const size_t count = doc_.need(node, "inputs", Kind::Array).items.size();
  for (size_t i = graph_at + 1; i < count; ++i) operands.push_back(argument(input(node, i)));
  return inline_body(graph_input(node, graph_at), operands);
}

}  // namespace fusillade::exported
