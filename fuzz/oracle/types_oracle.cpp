// Claim: what the pass `types` states is what runs. Compiled for the types of a call's inputs,
// whole or with some of what they tell left out, every fact on every value holds in that call.
//
// What is left out changes from call to call and from input to input: nothing; strides; sizes,
// which become symbols; the rank; all. A script that knows nothing of its inputs is the last of
// these.
#include "engine/ir/types.h"
#include "engine/run/examples.h"
#include "fuzz/oracle/promise.h"

namespace fusillade::fuzz {
namespace {

constexpr int kWays = 5;

Type partly(const Type& type, int way) {
  if (!type.is_tensor() || way == 0) return type;
  const TensorInfo& full = type.info();
  TensorInfo info;
  info.has_dtype = full.has_dtype && way < 4;
  info.dtype = full.dtype;
  info.rank_known = full.rank_known && way < 3;
  if (info.rank_known) info.sizes = full.sizes;
  if (way == 2)
    for (int64_t& size : info.sizes) size = -1;
  return Type::tensor(info);
}

// What is left out may have been declared.
Type no_wider(const Type& type, const Type& declared) {
  return type.subtype_of(declared) ? type : declared;
}

Verdict judge_typed(const Graph& program, const Call& call, int way) {
  static const std::vector<PassCall> typing = parse_pipeline("inline,types");
  std::unique_ptr<Graph> typed = program.clone();
  PipelineOptions options;
  options.inputs = example_types(program, call.inputs);
  for (size_t i = 0; i < options.inputs.size(); ++i)
    options.inputs[i] = no_wider(partly(options.inputs[i], way == 0 ? 0 : (way + int(i)) % kWays),
                                 program.inputs()[i]->type());
  try {
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
      judging.executed();
      Verdict step = judge_typed(*c.program, c.calls[i], way);
      if (judging.add(std::move(step), reference_plan(), static_cast<int>(i)))
        return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"types", "what the pass `types` states of values is what ran", &judge});

}  // namespace
}  // namespace fusillade::fuzz
