// Claim: what the pass `types` states is what runs. Compiled for the types of a call's inputs,
// whole or with some of their facts left out, every fact on every value holds in that call.
//
// Of an input is left out: nothing; strides; sizes, which become symbols; the rank; all. Of all
// inputs nothing, of all their sizes, which may only seem equal, or of each something else. A
// script that knows nothing of its inputs is the last of these.
#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/run/examples.h"
#include "fuzz/oracle/promise.h"

namespace fusillade::fuzz {
namespace {

enum : int { kNothing, kStrides, kSizes, kRank, kAll, kWays };

// What of input `i` is left out in one of kWays ways.
int left_out(int way, size_t i) {
  return way == 0 ? kNothing : way == 1 ? kSizes : (way + static_cast<int>(i)) % kWays;
}

Type partly(const Type& type, int out) {
  if (!type.is_tensor() || out == kNothing) return type;
  const TensorInfo& full = type.info();
  TensorInfo info;
  info.has_dtype = full.has_dtype && out < kAll;
  info.dtype = full.dtype;
  info.rank_known = full.rank_known && out < kRank;
  if (info.rank_known) info.sizes = full.sizes;
  if (out == kSizes)
    for (int64_t& size : info.sizes) size = -1;
  return Type::tensor(info);
}

// Nothing is declared any more but what kind of value each is: what is left out of the inputs could
// be read there.
void forget_types(Block* block) {
  each_value(block, [](Value* v) {
    if (!v->node()->is(prim::constant())) v->set_type(v->type().without_shapes());
  });
}

Verdict judge_typed(const Graph& program, const Call& call, int way) {
  static const std::vector<PassCall> inlining = parse_pipeline("inline");
  static const std::vector<PassCall> typing = parse_pipeline("types");
  std::unique_ptr<Graph> typed = program.clone();
  PipelineOptions options;
  try {
    options.inputs = example_types(program, call.inputs);
  } catch (const Error&) {  // these are no inputs of what it declares
    Verdict refused;
    refused.kind = VerdictKind::Skip;
    refused.reason = "the program raises an error";
    return refused;
  }
  for (size_t i = 0; i < options.inputs.size(); ++i)
    options.inputs[i] = partly(options.inputs[i], left_out(way, i));
  try {
    run_pipeline(*typed, inlining, {});
    if (way != 0) forget_types(typed->block());
    run_pipeline(*typed, typing, options);
  } catch (const Exception& e) {
    Verdict bug;
    bug.kind = VerdictKind::Bug;
    bug.reason = stable_phrase(e.what());
    bug.detail = e.what();
    return bug;
  }
  // The first way knows the inputs' values as well, and so some of the values behind them.
  if (way != 0) return promises_of(*typed, call);
  return promises_of(*typed, call, types_of(*typed, infos_of(call.inputs)));
}

Verdict judge(const Case& c) {
  Judging judging;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    for (int way = 0; way < kWays; ++way) {
      judging.count_runs();
      Verdict step = judge_typed(*c.program, c.calls[i], way);
      if (judging.add(std::move(step), reference_plan(), static_cast<int>(i)))
        return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "types",
     .summary = "the types that the pass `types` states are those of the run",
     .judge = &judge,
     .part = "types"});

}  // namespace
}  // namespace fusillade::fuzz
