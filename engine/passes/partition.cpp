// See partition.h.
#include "engine/passes/partition.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "engine/passes/min_cut.h"

namespace fusillade {
namespace {

using Values = std::vector<const Value*>;
using ValueSet = std::unordered_set<const Value*>;

// What a node, its blocks included, reads of values that are defined outside of it.
Values reads_of(const Node* node) {
  Values out;
  each_read(node, [&](const Value* v) {
    if (v->node()->block() == node->block()) out.push_back(v);
  });
  return out;
}

bool is_constant(const Value* v) { return v->node()->is(prim::constant()); }
bool is_input(const Value* v) { return v->node()->is(prim::param()); }

bool is_cheap(const Operator& op);

bool all_cheap(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (n->is(prim::constant())) continue;
    if (!n->blocks().empty() || !is_cheap(n->op())) return false;
  }
  return true;
}

bool is_cheap(const Operator& op) {
  switch (op.kind) {
    case OpKind::Pointwise:
    case OpKind::View:
    case OpKind::Create:
    case OpKind::Scalar:
      return true;
    case OpKind::Prim:
      return &op == &prim::list_construct() || &op == &prim::list_unpack();
    default:
      return is_composite(op) && all_cheap(composite_body(op).block());
  }
}

// -1: not known.
int64_t bytes_of(const Value* v) {
  const TensorInfo& info = v->type().info();
  if (!info.has_dtype || !info.rank_known) return -1;
  int64_t bytes = row_of(info.dtype).size;
  for (int64_t size : info.sizes) {
    if (size < 0) return -1;
    bytes *= size;
  }
  return bytes;
}

bool holds_list_of_tensors(const Value* v) {
  return v->type().is(TypeKind::List) && is_memory(v->type().element());
}

// The nodes that `outputs` need, down to `given`, as a graph from these to those.
std::unique_ptr<Graph> extract(const Graph& from, const Values& given, const Values& outputs) {
  auto out = std::make_unique<Graph>();
  ValueMap map;
  for (const Value* v : given) {
    Value* input = out->add_input(v->type());
    input->set_name(v->name());
    map[v] = input;
  }
  std::unordered_set<const Node*> needed;
  Values work(outputs);
  while (!work.empty()) {
    const Value* v = work.back();
    work.pop_back();
    if (map.count(v) || !needed.insert(v->node()).second) continue;
    FUS_CHECK(!is_input(v), "an input that was not given is needed");
    for (const Value* read : reads_of(v->node())) work.push_back(read);
  }
  for (const Node* n : from.block()->nodes())
    if (needed.count(n)) clone_node(n, *out, out->block()->return_node(), map);
  for (const Value* v : outputs) out->add_output(map.at(v));
  return out;
}

class Partitioner {
 public:
  Partitioner(const Joint& joint, Keeps keeps) : joint_(joint), keeps_(keeps) {
    const Graph& graph = *joint.graph;
    for (size_t i = 0; i < graph.inputs().size(); ++i)
      (i < joint.inputs ? inputs_ : seeds_).push_back(graph.inputs()[static_cast<int>(i)]);
    for (size_t i = 0; i < graph.outputs().size(); ++i)
      (i < joint.results ? results_ : gradients_).push_back(graph.outputs()[static_cast<int>(i)]);
  }

  Partition run() {
    find_late();
    find_forward();
    find_used();
    const ValueSet captured = keeps_ == Keeps::Save ? saved_values() : cut();
    Partition out;
    Values given = backward_inputs(captured, out.inputs);
    out.captures = given.size() - out.inputs.size();
    Values results = results_;
    for (size_t i = 0; i < out.captures; ++i) {
      results.push_back(given[i]);
      if (given[i]->type().is_tensor()) out.bytes += std::max<int64_t>(bytes_of(given[i]), 0);
    }
    given.insert(given.end(), seeds_.begin(), seeds_.end());
    out.forward = extract(*joint_.graph, inputs_, results);
    out.backward = extract(*joint_.graph, given, gradients_);
    return out;
  }

 private:
  // Late is what follows from a gradient.
  void find_late() {
    late_.insert(seeds_.begin(), seeds_.end());
    for (const Node* n : joint_.graph->block()->nodes()) {
      const Values reads = reads_of(n);
      if (std::ranges::none_of(reads, [&](const Value* v) { return late_.count(v) > 0; })) continue;
      late_.insert(n->outputs().begin(), n->outputs().end());
    }
  }

  // What the results need is computed forward in any case.
  void find_forward() {
    Values work = results_;
    while (!work.empty()) {
      const Value* v = work.back();
      work.pop_back();
      if (!forward_.insert(v).second || is_input(v)) continue;
      for (const Value* read : reads_of(v->node())) work.push_back(read);
    }
  }

  // Early values that late nodes, or the gradients themselves, read.
  void find_used() {
    ValueSet seen;
    Values work = gradients_;
    while (!work.empty()) {
      const Value* v = work.back();
      work.pop_back();
      if (!seen.insert(v).second) continue;
      if (!late_.count(v)) {
        used_.push_back(v);
      } else if (!is_input(v)) {
        for (const Value* read : reads_of(v->node())) work.push_back(read);
      }
    }
  }

  // Walks from used values to their operands; `stop` says where not to go on.
  void each_early(const std::function<bool(const Value*)>& stop) const {
    ValueSet seen;
    Values work = used_;
    while (!work.empty()) {
      const Value* v = work.back();
      work.pop_back();
      if (!seen.insert(v).second || is_constant(v) || stop(v) || is_input(v)) continue;
      for (const Value* read : reads_of(v->node())) work.push_back(read);
    }
  }

  ValueSet saved_values() const {
    ValueSet out;
    each_early([&](const Value* v) {
      const bool kept = forward_.count(v) && !is_input(v) && !holds_list_of_tensors(v);
      if (kept) out.insert(v);
      return kept;
    });
    return out;
  }

  // May it be computed on the way back? Always, if only that needs it.
  bool repeatable(const Value* v) const {
    if (!forward_.count(v)) return true;
    return v->node()->blocks().empty() && is_cheap(v->node()->op());
  }

  static int64_t cost_of(const Value* v) {
    constexpr int64_t kUnknown = int64_t{1} << 40;
    if (holds_list_of_tensors(v)) return kUnknown;
    if (!v->type().is_tensor()) return 0;
    const int64_t bytes = bytes_of(v);
    return bytes < 0 ? kUnknown : bytes;
  }

  ValueSet cut() const {
    Values early;
    std::unordered_map<const Value*, size_t> number;
    each_early([&](const Value* v) {
      number[v] = early.size();
      early.push_back(v);
      return is_input(v);
    });
    MinCut flow(early.size());
    for (size_t i = 0; i < early.size(); ++i) {
      const Value* v = early[i];
      flow.cost(i, is_input(v) ? 0 : cost_of(v));
      if (is_input(v)) continue;
      if (!repeatable(v)) flow.source(i);
      for (const Value* read : reads_of(v->node()))
        if (auto known = number.find(read); known != number.end()) flow.edge(known->second, i);
    }
    for (const Value* v : used_)
      if (auto known = number.find(v); known != number.end()) flow.sink(known->second);
    ValueSet out;
    for (size_t i : flow.solve())
      if (!is_input(early[i])) out.insert(early[i]);
    return out;
  }

  // The captures that the way back comes to, then the inputs.
  Values backward_inputs(const ValueSet& captured, std::vector<int>& inputs) const {
    ValueSet found;
    each_early([&](const Value* v) {
      if (captured.count(v) || is_input(v)) found.insert(v);
      return captured.count(v) > 0;
    });
    Values out;
    for (const Node* n : joint_.graph->block()->nodes())
      for (const Value* v : n->outputs())
        if (found.count(v)) out.push_back(v);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!found.count(inputs_[i])) continue;
      out.push_back(inputs_[i]);
      inputs.push_back(static_cast<int>(i));
    }
    return out;
  }

  const Joint& joint_;
  Keeps keeps_;
  Values inputs_, seeds_, results_, gradients_;
  ValueSet late_, forward_;
  Values used_;
};

}  // namespace

Partition partition(const Joint& joint, Keeps keeps) { return Partitioner(joint, keeps).run(); }

}  // namespace fusillade
