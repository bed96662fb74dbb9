// Claim: a program written as C++ over tensors computes what its graph computes, and its trace does
// so too.
//
// The program is replayed through the eager API, plainly and recorded. The recorded graph must give
// the bits of the program on the call it was recorded on, in outputs and in what the inputs are
// afterwards; where the program has no control flow and takes only tensors, also on the other
// calls, and on inputs with every size above 1 doubled: what a trace bakes in shows there (programs
// that state a size raise, and so must the trace).
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/trace_ways.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kLargest = 1 << 12;  // elements of a doubled input

// The tensor repeated once along every dimension longer than 1; itself when that is too large.
Tensor double_sizes(const Tensor& t) {
  Dims sizes = t.sizes();
  for (int d = 0; d < t.rank(); ++d) sizes[d] = sizes[d] > 1 ? 2 * sizes[d] : sizes[d];
  if (numel_of(sizes) > kLargest) return t;
  Tensor out = Tensor::empty(sizes, t.dtype());
  bool floats = category_of(t.dtype()) == Category::Float;
  for (int64_t i = 0; i < out.numel(); ++i) {
    int64_t rest = i, from = 0, scale = 1;
    for (int d = t.rank() - 1; d >= 0; --d) {
      from += rest % sizes[d] % t.sizes()[d] * scale;
      rest /= sizes[d];
      scale *= t.sizes()[d];
    }
    if (floats) set_element(out, i, element_as_double(t, from));
    else set_element_int(out, i, element_as_int(t, from));
  }
  return out;
}

IValue double_sizes(const IValue& v) {
  if (v.is_tensor()) return double_sizes(v.as_tensor());
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(double_sizes(item));
  return v.tag() == IValue::Tag::List ? IValue::list(std::move(items), TypeKind::Tensor)
                                      : IValue::tuple(std::move(items));
}

void forget_shapes(const Block* block) {
  each_value<Within::Callees>(block, [](Value* v) { v->set_type(v->type().without_shapes()); });
}

Verdict skip(const std::string& reason) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = reason;
  return v;
}

// A trace of `call`, and the program, on inputs of other sizes.
Verdict on_other_sizes(const Case& c, const TraceWays& ways, const Graph& traced,
                       const Call& call) {
  Call grown;
  for (const IValue& v : call.inputs) grown.inputs.push_back(double_sizes(v));
  std::unique_ptr<Graph> program = c.program->clone();
  forget_shapes(program->block());
  return compare_way(Prepared::of_graph(*program, reference_plan()).run(grown),
                     ways.run(traced, grown), "trace on other sizes");
}

Verdict judge_ways(const Case& c) {
  Judging judging;
  TraceWays ways(c);
  Prepared walked(c, reference_plan());
  std::shared_ptr<Graph> first;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Call& call = c.calls[i];
    int at = static_cast<int>(i);
    if (has_tasks(c.program->block()) && !ways.takes(call)) continue;
    Outcome expected = ways.expected_outcome(walked.run(call), call);
    judging.count_runs(2);
    if (judging.add(compare_way(expected, ways.eagerly(call), "eager API"), reference_plan(), at))
      break;
    Outcome ended;
    std::shared_ptr<Graph> traced = ways.record_trace(call, ended);
    judging.count_runs(traced ? 2 : 1);
    if (!traced) {
      if (judging.add(compare_way(expected, ended, "recording"), reference_plan(), at)) break;
      continue;
    }
    if (judging.add(compare_way(expected, ways.run(*traced, call), "trace"), reference_plan(), at))
      break;
    bool other = first && ways.general();
    if (other && judging.add(compare_way(expected, ways.run(*first, call), "trace of another call"),
                             reference_plan(), at))
      break;
    if (!first) first = traced;
  }
  if (first && ways.general()) {
    judging.count_runs(2);
    judging.add(on_other_sizes(c, ways, *first, c.calls[0]), reference_plan(), 0);
  }
  return judging.verdict();
}

Verdict judge(const Case& c) {
  if (!c.refused.empty()) return skip("no graph");
  try {
    return judge_ways(c);
  } catch (const Unsupported& e) {
    Verdict v = skip("a trace cannot record it");
    v.detail = e.what();
    return v;
  }
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "trace",
     .summary = "the program written in the eager API, and a trace of it, give the same bits as "
                "the program",
     .judge = &judge,
     .part = "tracer"});

}  // namespace
}  // namespace fusillade::fuzz
