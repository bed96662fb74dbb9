// Conditions and loops that elements of tensors decide, as graphs within; see recorder.h.
// (law: rules name ops)
#include <algorithm>

#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/recorder.h"
#include "engine/run/exported/targets.h"

namespace fusillade::exported {
namespace {

using Tag = IValue::Tag;

const Node* raise_in(const Block* block) {
  for (const Node* n : block->nodes())
    if (n->is(prim::raise())) return n;
  return nullptr;
}

// What is known of the message: of a text with fields, the text.
std::string message_of(const Node* raise) {
  const Node* text = raise->input()->node();
  if (!text->is(prim::constant()) && !text->inputs().empty()) text = text->input()->node();
  const bool told = text->is(prim::constant()) && text->constant().tag() == Tag::Str;
  return told ? text->constant().as_str() : "the program raises an error here";
}

// May it run where the program would not have run it? It computes numbers, and never raises.
bool is_harmless(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (n->is(prim::constant())) continue;
    if (n->is(prim::if_())) {
      if (!is_harmless(n->blocks()[0]) || !is_harmless(n->blocks()[1])) return false;
      continue;
    }
    static constexpr std::string_view kBases[] = {
        "aten::eq",   "aten::ne",    "aten::lt",   "aten::le",     "aten::gt",      "aten::ge",
        "aten::add",  "aten::sub",   "aten::mul",  "aten::neg",    "aten::__not__", "aten::__and__",
        "aten::Bool", "aten::Float", "aten::item", "aten::__or__", "aten::size",    "aten::len"};
    if (n->kind() != OpKind::Scalar ||
        std::ranges::find(kBases, n->op().schema.name) == std::end(kBases))
      return false;
  }
  return true;
}

bool is_bool(const Recorded& x, bool value) {
  return x.is_known() && x.value.is_bool() && x.value.as_bool() == value;
}

bool is_same(const Recorded& a, const Recorded& b) {
  if (!a.is_known() || !b.is_known()) return !a.name.empty() && a.name == b.name;
  if (a.value.tag() != b.value.tag()) return false;
  return a.value.is_tensor() ? a.value.as_tensor().same(b.value.as_tensor())
                             : a.value.identical(b.value);
}

}  // namespace

void Recorder::unknown_branch(In& in, const Node* node) {
  const Recorded chosen = in.at(node->input());
  if (raises(in, node, chosen) || is_logic(in, node, chosen)) return;
  condition(in, node, chosen);
}

// if c: raise ...   ->   a check that stays
bool Recorder::raises(In& in, const Node* node, const Recorded& chosen) {
  const Node* at[] = {raise_in(node->blocks()[0]), raise_in(node->blocks()[1])};
  if (!at[0] == !at[1]) return false;
  const int stays = at[0] ? 1 : 0;
  const bool taken = chosen.value.as_bool();
  if (taken == (stays == 1)) in.block(node->blocks()[1 - stays]);  // the example raises
  Recorded holds = as_tensor(chosen);
  if (stays == 1) holds = call_one("aten::logical_not", {holds});
  const std::string message = message_of(at[1 - stays]);
  level().text.add_node(
      {.target = "torch.ops.aten._assert_async.msg",
       .inputs = {input_text("self",
                             only("as_tensor", name_text(name_of(holds.value.as_tensor())))),
                  input_text("assert_msg", only("as_string", quote(message)))},
       .outputs = {},
       .name = fresh_name("_assert_async_msg"),
       .place = place_});
  const Block* rest = node->blocks()[stays];
  in.block(rest);
  for (size_t k = 0; k < node->outputs().size(); ++k)
    in.set(node->outputs()[k], in.at(rest->results()[k]));
  return true;
}

// a and b, a or b: both are computed, where that does no harm.
bool Recorder::is_logic(In& in, const Node* node, const Recorded& chosen) {
  if (node->outputs().size() != 1 || !node->output()->type().is(TypeKind::Bool)) return false;
  if (!is_harmless(node->blocks()[0]) || !is_harmless(node->blocks()[1])) return false;
  Recorded sides[2];
  for (int i = 0; i < 2; ++i) {
    in.block(node->blocks()[i]);
    sides[i] = in.at(node->blocks()[i]->results()[0]);
  }
  const bool value = sides[chosen.value.as_bool() ? 0 : 1].value.as_bool();
  const auto join = [&](const char* target, const Recorded& a, const Recorded& b) {
    return decide(target,
                  {input_text("a", argument("", TypeKind::Any, a)),
                   input_text("b", argument("", TypeKind::Any, b))},
                  IValue(value));
  };
  Recorded out;
  if (is_bool(sides[0], true) && is_bool(sides[1], false)) out = chosen;
  else if (is_same(sides[0], sides[1])) out = sides[0];
  else if (is_bool(sides[1], false)) out = join("_operator.and_", chosen, sides[0]);
  else if (is_bool(sides[0], true)) out = join("_operator.or_", chosen, sides[1]);
  else return false;
  in.set(node->output(), out);
  return true;
}

Recorder::Within Recorder::record(const std::function<Values()>& body) {
  levels_.push_back(std::make_unique<Level>());
  Within out;
  try {
    out.results = body();
  } catch (...) {
    levels_.pop_back();
    throw;
  }
  out.level = std::move(levels_.back());
  levels_.pop_back();
  return out;
}

// A tensor of the graph within, which shares memory with none from outside.
Recorded Recorder::own_copy(const Recorded& tensor) {
  const Tensor t = tensor.value.as_tensor();
  const auto same_memory = [&](const Captured& c) { return c.tensor.shares_storage(t); };
  const bool shared = named_tensor(t).level + 1 < levels_.size() ||
                      std::ranges::any_of(level().captured, same_memory) ||
                      std::ranges::any_of(level().inputs, same_memory);
  return shared ? call_one("aten::clone", {tensor}) : tensor;
}

// Results of a graph within: tensors, and numbers as tensors.
void Recorder::add_outputs(Within& within, const Values& values) {
  levels_.push_back(std::move(within.level));
  for (const Recorded& v : values) {
    const Recorded tensor = v.value.is_tensor() ? own_copy(v) : as_tensor(v);
    within.outputs.push_back(only("as_tensor", name_text(name_of(tensor.value.as_tensor()))));
    within.results.push_back(tensor);
  }
  within.level = std::move(levels_.back());
  levels_.pop_back();
}

namespace {

// What either of two graphs takes, each once.
template <class C>
std::vector<C> merge(const std::vector<C>& a, const std::vector<C>& b) {
  std::vector<C> out = a;
  for (const C& c : b)
    if (std::ranges::find(out, c.outside, &C::outside) == out.end()) out.push_back(c);
  return out;
}

}  // namespace

// Its inputs: `first`, then all of `all`.
std::string Recorder::graph_text(Within& within, const std::vector<Captured>& first,
                                 const std::vector<Captured>& all, bool single) {
  std::vector<std::string> inputs;
  const auto add = [&](const Captured& c) {
    within.level->text.describe(c.inside,
                                meta_text(c.tensor, false, c.type.info().sizes, symbols_));
    inputs.push_back(only("as_tensor", name_text(c.inside)));
  };
  for (const Captured& c : first) add(c);
  for (const Captured& c : all) {
    const auto own = std::ranges::find(within.level->captured, c.outside, &Captured::outside);
    Captured mine = own != within.level->captured.end() ? *own : c;
    if (own == within.level->captured.end() && !c.number.is_none())
      mine.inside = fresh_name("unused");
    add(mine);
  }
  return within.level->text.finish(inputs, within.outputs, single);
}

std::string Recorder::operands(const std::vector<Captured>& all) {
  std::vector<std::string> out;
  for (const Captured& c : all) {
    if (c.number.is_none()) {
      out.push_back(name_text(c.outside));
      continue;
    }
    const Recorded tensor = as_tensor({c.number, c.outside});
    out.push_back(name_text(name_of(tensor.value.as_tensor())));
  }
  return input_text("", only("as_tensors", array_text(out)));
}

std::string Recorder::graph_argument(const char* name, const std::string& text) {
  return input_text("", only("as_graph", fmt::format(R"({{"name": {}, "graph": {}}})",
                                                     quote(fresh_name(name)), text)));
}

// The node, and its results with the values of these.
Recorder::Values Recorder::call_graphs(const std::string& target,
                                       const std::vector<std::string>& inputs,
                                       const Values& examples, const std::vector<Type>& types) {
  NodeText text{.target = "torch.ops.higher_order." + target,
                .inputs = inputs,
                .outputs = {},
                .name = fresh_name(target),
                .place = place_,
                .higher_order = true};
  Values out;
  for (size_t i = 0; i < examples.size(); ++i) {
    const Tensor tensor = contiguous(examples[i].value.as_tensor(), true);
    const Type type = sized_type(tensor, types[i].info().sizes);
    text.outputs.push_back(add_result(tensor, "", type));
    out.push_back({tensor, {}});
  }
  level().text.add_node(text);
  return out;
}

void Recorder::condition(In& in, const Node* node, const Recorded& chosen) {
  const bool taken = chosen.value.as_bool();
  Within sides[2];
  Values ends[2];
  for (const int i : {taken ? 1 : 0, taken ? 0 : 1}) {  // the one that the example takes comes last
    const Block* block = node->blocks()[i];
    sides[i] = record([&] {
      in.block(block);
      ends[i] = in.all(block->results());
      return Values();
    });
  }
  Values tensors[2];
  for (size_t k = 0; k < node->outputs().size(); ++k)
    collect(ends[0][k], ends[1][k], tensors[0], tensors[1]);
  for (int i = 0; i < 2; ++i) add_outputs(sides[i], tensors[i]);
  std::vector<Type> types;
  for (size_t i = 0; i < tensors[0].size(); ++i)
    types.push_back(type_of_either(sides[0].results[i], sides[1].results[i]));
  const std::vector<Captured> all = merge(sides[0].level->captured, sides[1].level->captured);
  std::vector<std::string> inputs{input_text("", argument("", TypeKind::Any, chosen))};
  const char* names[] = {"true_graph_0", "false_graph_0"};
  for (int i = 0; i < 2; ++i)
    inputs.push_back(graph_argument(names[i], graph_text(sides[i], {}, all, false)));
  inputs.push_back(operands(all));
  const Values out = call_graphs("cond", inputs, sides[taken ? 0 : 1].results, types);
  auto next = out.begin();
  for (size_t k = 0; k < node->outputs().size(); ++k)
    in.set(node->outputs()[k], combine(ends[0][k], ends[1][k], next));
}

namespace {

Recorded item_of(const Recorded& list, size_t i) {
  return list.items ? (*list.items)[i] : Recorded{list.value.items()[i], {}};
}

bool are_sequences(const Recorded& a, const Recorded& b) {
  return a.value.is_sequence() && a.value.tag() == b.value.tag() &&
         a.value.items().size() == b.value.items().size();
}

}  // namespace

// The results of both branches: what is no tensor and alike in both is known, tensors and numbers
// are results of the graphs, lists and tuples are made of these.
void Recorder::collect(const Recorded& a, const Recorded& b, Values& on, Values& off) {
  if (is_same(a, b) && !a.value.is_tensor()) return;
  if (are_sequences(a, b)) {
    for (size_t i = 0; i < a.value.items().size(); ++i)
      collect(item_of(a, i), item_of(b, i), on, off);
    return;
  }
  const bool both = (a.value.is_tensor() && b.value.is_tensor()) ||
                    (a.value.is_number() && a.value.tag() == b.value.tag());
  if (!both)
    fail(
        "elements of tensors decide between branches that give a {} and a {}: torch.export has no "
        "form for that",
        a.value.type(), b.value.type());
  on.push_back(a);
  off.push_back(b);
}

// `next`: of the node's results.
Recorded Recorder::combine(const Recorded& a, const Recorded& b, Values::const_iterator& next) {
  if (is_same(a, b) && !a.value.is_tensor()) return a;
  if (a.value.is_tensor()) return *next++;
  if (!are_sequences(a, b)) return as_number((next++)->value.as_tensor());
  auto items = std::make_shared<Values>();
  std::vector<IValue> values;
  for (size_t i = 0; i < a.value.items().size(); ++i) {
    items->push_back(combine(item_of(a, i), item_of(b, i), next));
    values.push_back(items->back().value);
  }
  const bool is_list = a.value.tag() == IValue::Tag::List;
  const bool known = std::ranges::all_of(*items, &Recorded::is_known);
  return {is_list ? IValue::list(values, a.value.seq()->element)
                  : IValue::named_tuple(values, a.value.seq()->element),
          {},
          known ? nullptr : items};
}

// Sizes in which they differ are known when the program runs.
Type Recorder::type_of_either(const Recorded& on, const Recorded& off) {
  const Tensor a = on.value.as_tensor(), b = off.value.as_tensor();
  const Type type = named_tensor(a).type, other = named_tensor(b).type;
  const bool alike = a.dtype() == b.dtype() && a.rank() == b.rank();
  Dims sizes = type.info().sizes;
  for (int d = 0; alike && d < sizes.rank(); ++d)
    if (sizes[d] != other.info().sizes[d])
      sizes[d] = sizes[d] >= 0 && other.info().sizes[d] >= 0 ? -1 : symbols_.fresh();
  if (!alike || std::ranges::find(sizes, -1) != sizes.end())
    fail(
        "elements of tensors decide between branches that give {} and {}: torch.export has no "
        "form for that",
        describe(a), describe(b));
  return sized_type(a, sizes);
}

// What a loop carries, as an input of its graphs.
Recorder::Captured Recorder::parameter(const Recorded& carried) {
  const Recorded tensor = carried.value.is_tensor() ? carried : as_tensor(carried);
  const Tensor outside = tensor.value.as_tensor();
  return {name_of(outside), "", outside, named_tensor(outside).type,
          carried.value.is_tensor() ? IValue() : carried.value};
}

// The inputs of a loop's graph, in that graph.
std::vector<Recorder::Captured> Recorder::bind_parameters(std::vector<Captured> parameters) {
  for (Captured& p : parameters) {
    p.tensor = contiguous(p.tensor, true);
    p.inside = fresh_name("carried");
    bind(p.tensor, p.inside, p.type);
  }
  level().inputs = parameters;
  return parameters;
}

Recorded Recorder::value_of(const Captured& parameter) {
  return parameter.number.is_none() ? Recorded{parameter.tensor, {}} : as_number(parameter.tensor);
}

// The state of a loop: the number of the turn where it matters, whether it goes on, what varies.
struct Recorder::Turning {
  const Node* node;
  Recorded trips;
  Values carried;
  std::vector<size_t> open = {};          // those of `carried` that are tensors and numbers
  std::vector<Captured> parameters = {};  // [index], more, carried
  bool counted = false, indexed = false;
};

// One turn: what the next begins with.
Recorder::Within Recorder::record_body(In& in, const Turning& loop) {
  Values next;
  Within body = record([&] {
    const std::vector<Captured> own = bind_parameters(loop.parameters);
    const size_t first = loop.indexed ? 2 : 1;
    const Recorded index = loop.indexed ? value_of(own[0]) : Recorded{IValue(0), {}};
    Values inner = loop.carried;
    for (size_t i = 0; i < loop.open.size(); ++i) inner[loop.open[i]] = value_of(own[first + i]);
    Recorded more;
    in.iteration(loop.node, index, more, inner);
    if (loop.indexed)
      next.push_back(decide("_operator.add",
                            {input_text("a", argument("", TypeKind::Any, index)),
                             input_text("b", only("as_int", "1"))},
                            IValue(index.value.as_int() + 1)));
    next.push_back(more);
    for (size_t k = 0; k < inner.size(); ++k) {
      if (std::ranges::find(loop.open, k) != loop.open.end()) next.push_back(inner[k]);
      else if (!is_same(inner[k], loop.carried[k]))
        fail("a loop that elements of tensors end carries a {}: torch.export has no form for that",
             inner[k].value.type());
    }
    return Values();
  });
  add_outputs(body, next);
  for (size_t i = 0; i < body.results.size(); ++i) {
    const Tensor before = loop.parameters[i].tensor, after = body.results[i].value.as_tensor();
    const Dims& sizes = named_tensor(after).type.info().sizes;
    const bool stays =
        before.sizes() == after.sizes() && loop.parameters[i].type.info().sizes == sizes;
    if (before.dtype() != after.dtype() || !stays)
      fail(
          "a loop that elements of tensors end carries {}, and its body gives {}: torch.export "
          "has no form for that",
          describe(before), describe(after));
  }
  return body;
}

// Does it turn once more?
Recorder::Within Recorder::record_test(const Turning& loop) {
  Values holds;
  Within test = record([&] {
    const std::vector<Captured> own = bind_parameters(loop.parameters);
    const Recorded more{own[loop.indexed ? 1 : 0].tensor, {}};
    if (!loop.counted) {
      holds = {more};
      return Values();
    }
    const Recorded index = value_of(own[0]);
    const Recorded within = decide("_operator.lt",
                                   {input_text("a", argument("", TypeKind::Any, index)),
                                    input_text("b", argument("", TypeKind::Any, loop.trips))},
                                   IValue(true));
    holds = {call_one("aten::logical_and", {more, as_tensor(within)})};
    return Values();
  });
  add_outputs(test, holds);
  return test;
}

void Recorder::unknown_loop(In& in, const Node* node, int64_t turn, Recorded& more,
                            Values& carried) {
  Turning loop{.node = node, .trips = in.at(node->input(0)), .carried = carried};
  loop.counted = !loop.trips.is_known() || loop.trips.value.as_int() != INT64_MAX;
  loop.indexed = loop.counted || !node->blocks()[0]->params()[0]->is_unused();
  if (loop.indexed) loop.parameters.push_back(parameter({IValue(turn), {}}));
  loop.parameters.push_back(parameter(more));
  for (size_t k = 0; k < carried.size(); ++k) {
    if (!carried[k].value.is_tensor() && !carried[k].value.is_number()) continue;
    loop.open.push_back(k);
    loop.parameters.push_back(parameter(carried[k]));
  }
  Within body = record_body(in, loop), test = record_test(loop);
  const std::vector<Captured> all = merge(test.level->captured, body.level->captured);
  std::vector<std::string> state;
  for (const Captured& p : loop.parameters) state.push_back(name_text(p.outside));
  std::vector<Type> types;
  for (const Captured& p : loop.parameters) types.push_back(p.type);
  const std::vector<Captured> test_inputs = test.level->inputs, body_inputs = body.level->inputs;
  const Values out = call_graphs(
      "while_loop",
      {graph_argument("while_loop_cond_graph_0", graph_text(test, test_inputs, all, true)),
       graph_argument("while_loop_body_graph_0", graph_text(body, body_inputs, all, false)),
       input_text("", only("as_tensors", array_text(state))), operands(all)},
      body.results, types);
  more = {IValue(false), {}};
  for (size_t i = 0; i < loop.open.size(); ++i) {
    const Recorded& result = out[i + (loop.indexed ? 2 : 1)];
    Recorded& value = carried[loop.open[i]];
    value = value.value.is_tensor() ? result : as_number(result.value.as_tensor());
  }
}

}  // namespace fusillade::exported
