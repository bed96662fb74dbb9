// See near_misses.h.
#include "fuzz/rules/near_misses.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ir/literal.h"
#include "engine/passes/pass.h"
#include "fuzz/gen/near_miss.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/rules/exhaust.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostChoices = 4000;  // of types for one pattern; more are drawn from
constexpr int64_t kElements = 48;

// What a variable may be: a value of a type, or a constant.
struct Choice {
  std::string name;
  Type type;
  IValue constant;
  bool is_constant = false;
};

Choice tensor(std::string name, DType dtype, const Dims& sizes, const Dims& strides) {
  Type type = Type::tensor(dtype, sizes);
  type.info().strides = strides;
  type.info().strides_known = true;
  type.info().device = Device();
  return {std::move(name), std::move(type), {}, false};
}

std::vector<Choice> of_values() {
  std::vector<Choice> out;
  for (int i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    out.push_back(tensor(name_of(dtype), dtype, {kElements}, {1}));
  }
  out.push_back(tensor("strided f32", DType::F32, {kElements}, {2}));
  out.push_back(tensor("f32 of one", DType::F32, {1}, {1}));
  out.push_back(tensor("i64 without dims", DType::I64, {}, {}));
  for (auto [name, kind] :
       {std::pair{"int", TypeKind::Int}, {"float", TypeKind::Float}, {"bool", TypeKind::Bool}})
    out.push_back({name, kind, {}, false});
  return out;
}

// Rules about views: layouts of one tensor, dims and sizes.
std::vector<Choice> of_views() {
  std::vector<Choice> out;
  out.push_back(tensor("f32", DType::F32, {2, 3, 4}, {12, 4, 1}));
  out.push_back(tensor("turned f32", DType::F32, {2, 3, 4}, {1, 2, 6}));
  out.push_back(tensor("gapped f32", DType::F32, {2, 3, 4}, {24, 8, 2}));
  out.push_back(tensor("f32 of one", DType::F32, {1, 2, 1}, {2, 1, 1}));
  out.push_back(tensor("matrix", DType::F32, {4, 3}, {1, 4}));
  auto constant = [&](IValue v) { out.push_back({print_literal(v), v.type(), v, true}); };
  for (int64_t d : {-2, -1, 0, 1, 2}) constant(IValue(d));
  for (const Dims& sizes : {Dims{24}, Dims{2, 3, 4}, Dims{6, 4}, Dims{-1, 2}})
    constant(IValue::int_list(sizes));
  return out;
}

// Where memory is written: after the left side, what it says is read afterwards.
enum class Between : uint8_t { Nothing, WritesVariable, WritesInner, WritesResult, Leaves };

struct Tried {
  std::unique_ptr<Graph> graph;
  std::string what;
};

Value* append(Graph& graph, const Operator& op, std::vector<Value*> inputs, const Type& type) {
  Node* n = graph.create(op, inputs);
  graph.block()->append(n);
  n->output()->set_type(type);
  if (!type.is(TypeKind::List)) infer_types(n);
  return n->output();
}

// A copy of a tensor that no rule sees through; other values are handed out as they are.
Value* append_copy(Graph& graph, Value* v) {
  if (!v->type().is_tensor()) return v;
  Node* list = graph.create(prim::list_construct(), {v});
  list->output()->set_type(Type::list(TypeKind::Tensor));
  graph.block()->append(list);
  Value* dim = graph.constant(IValue(0), graph.block()->return_node());
  return append(graph, aten::stack(), {list->output(), dim}, TypeKind::Tensor);
}

bool may_be_negated(const Value* v) {
  if (!v->type().is_tensor() || v->node()->is(prim::constant())) return false;
  const TensorInfo& info = v->type().info();
  return info.has_dtype && info.dtype != DType::Bool;
}

// Null: the ops do not take such values, or there is nothing to write.
std::unique_ptr<Graph> graph_of(const Pattern& written, const std::vector<std::string>& names,
                                const std::vector<const Choice*>& chosen, Between between,
                                bool same_memory) {
  auto graph = std::make_unique<Graph>();
  Node* end = graph->block()->return_node();
  Match m;
  m.root = end;
  for (size_t i = 0; i < names.size(); ++i) {
    Value* v = chosen[i]->is_constant ? graph->constant(chosen[i]->constant, end)
                                      : graph->add_input(chosen[i]->type);
    v->set_name(names[i]);
    m.bound.emplace_back(names[i], v);
  }
  Value* result = build(written, m);
  if (!result) return nullptr;
  for (const Node* n : graph->block()->nodes())
    if (n->outputs().size() != n->op().schema.results.size() && !n->is(prim::constant()))
      return nullptr;
  Value* inner = result->node()->inputs().empty() ? nullptr : result->node()->input();
  Value* target = between == Between::WritesVariable ? m.bound[0].second
                  : between == Between::WritesInner  ? inner
                  : between == Between::WritesResult ? result
                                                     : nullptr;
  const bool inner_is_input = inner && inner->node()->is(prim::param());
  if (between == Between::WritesInner && inner_is_input) return nullptr;
  const bool writes = between != Between::Nothing && between != Between::Leaves;
  if (writes && (!target || !may_be_negated(target))) return nullptr;
  if (writes) append(*graph, aten::neg_(), {target}, target->type());
  const bool leaves = between == Between::Leaves || same_memory;
  graph->add_output(leaves ? result : append_copy(*graph, result));
  return graph;
}

const char* name_of(Between between) {
  switch (between) {
    case Between::WritesVariable:
      return "a variable written";
    case Between::WritesInner:
      return "the operand written";
    case Between::WritesResult:
      return "the result written";
    case Between::Leaves:
      return "the result leaves";
    case Between::Nothing:
      break;
  }
  return "types";
}

// Which outputs share memory with which inputs, and how they lie there.
std::string shared_memory(const Outcome& o) {
  std::string out;
  for (const IValue& result : o.outputs)
    for (size_t i = 0; i < o.inputs.size(); ++i) {
      if (!result.is_tensor() || !o.inputs[i].is_tensor()) continue;
      const Tensor& t = result.as_tensor();
      if (!t.shares_storage(o.inputs[i].as_tensor())) continue;
      out += fmt::format("{} at {}", i, t.offset());
      for (int64_t stride : t.strides()) out += fmt::format(",{}", stride);
      out += ";";
    }
  return out;
}

// How the changed graph differs; empty: it does not.
std::string difference(const Graph& before, const Graph& after, uint64_t seed) {
  const auto left = Prepared::of_graph(before, reference_plan());
  const auto right = Prepared::of_graph(after, reference_plan());
  uint64_t at = 0;
  for (int round = 0; round < 2; ++round) {
    Call call;
    for (const Value* input : before.inputs())
      call.inputs.push_back(drawn_value(input->type(), seed, at));
    const Outcome a = left.run(call), b = right.run(call);
    if (a.kind != b.kind) return a.kind == Outcome::Kind::Values ? b.message : a.message;
    if (a.kind != Outcome::Kind::Values) continue;
    Verdict verdict;
    if (!bitwise_equal(a, b, verdict)) return "values differ";
    if (shared_memory(a) != shared_memory(b)) return "results share other memory";
  }
  return "";
}

class Meeting {
 public:
  Meeting(const Rule& rule, uint64_t seed)
      : rule_(rule), seed_(seed), same_memory_((rule.flags & kSameMemory) != 0) {
    choices_ = same_memory_ ? of_views() : of_values();
  }

  NearMisses run() {
    const Pattern left = parse_pattern(rule_.lhs);
    for (const NearMiss& miss : near_misses_of(left))
      each(miss.written, miss.broken, Between::Nothing);
    for (Between between : {Between::Nothing, Between::WritesVariable, Between::WritesInner,
                            Between::WritesResult, Between::Leaves})
      if (!same_memory_ || between == Between::Nothing) each(left, name_of(between), between);
    return std::move(out_);
  }

 private:
  // All choices for the variables, or as many drawn ones.
  void each(const Pattern& written, const std::string& broken, Between between) {
    const std::vector<std::string> names = variables_of(written);
    size_t total = 1;
    for (size_t i = 0; i < names.size(); ++i) total *= choices_.size();
    const size_t step = total / kMostChoices + 1;
    for (size_t k = 0; k < total; k += step) {
      // Every step-th in an order without a period that the sizes share.
      size_t rest = step == 1 ? k : (k * 2654435761u) % total;
      std::vector<const Choice*> chosen;
      std::string text;
      for (size_t i = 0; i < names.size(); ++i) {
        chosen.push_back(&choices_[rest % choices_.size()]);
        rest /= choices_.size();
        text += fmt::format("{}{}: {}", i ? ", " : "", names[i], chosen.back()->name);
      }
      heartbeat();
      if (auto graph = graph_of(written, names, chosen, between, same_memory_))
        meet(*graph, fmt::format("{} ({})", broken, text));
    }
  }

  void meet(const Graph& graph, const std::string& what) {
    static const std::vector<PassCall> pass = parse_pipeline("peephole");
    const std::unique_ptr<Graph> changed = graph.clone();
    PipelineOptions options;
    options.verify = options.keep_log = true;
    const PipelineResult ran = run_pipeline(*changed, pass, options);
    if (ran.log.empty()) {
      ++out_.left_alone;
      return;
    }
    const std::string how = difference(graph, *changed, seed_);
    if (how.empty()) ++out_.changed;
    else out_.wrong.push_back(fmt::format("{}: {} changed it, {}", what, ran.log[0].rule, how));
  }

  const Rule& rule_;
  uint64_t seed_;
  bool same_memory_;
  std::vector<Choice> choices_;
  NearMisses out_;
};

}  // namespace

NearMisses meet_near_misses(const Rule& rule, uint64_t seed) { return Meeting(rule, seed).run(); }

}  // namespace fusillade::fuzz
