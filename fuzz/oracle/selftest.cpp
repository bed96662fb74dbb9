// See selftest.h.
#include "fuzz/oracle/selftest.h"

#include "engine/tensor/random.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/run/shadow.h"
#include "fuzz/run/variant.h"

namespace fusillade::fuzz {
namespace {

Verdict judge_call(const Graph& program, const Call& call, Choices& choices, int ulps) {
  Verdict step;
  Call mine = copy_call(call);
  Call its = copy_call(call);
  Shadow shadow;
  try {
    // Both draw the same random numbers.
    const auto drawing = [](auto run) {
      const NumbersScope numbers;
      return run();
    };
    std::vector<IValue> expected = drawing([&] { return shadow.run(program, mine.inputs); });
    std::vector<IValue> got =
        drawing([&] { return Variant(choices, ulps).run(program, its.inputs); });
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!shadow.admits(expected[i], got[i], fmt::format("output {}", i), step)) return step;
    }
    for (size_t i = 0; i < mine.inputs.size(); ++i) {
      if (!shadow.admits(mine.inputs[i], its.inputs[i], fmt::format("input {}", i), step))
        return step;
    }
  } catch (const Untrusted& u) {
    step.kind = VerdictKind::Untrusted;
    step.reason = u.reason;
  } catch (const Error& e) {
    step.kind = VerdictKind::Skip;
    step.reason = "raises: " + stable_phrase(e.what());
    step.detail = e.what();
  }
  return step;
}

}  // namespace

Verdict judge_variant(const Case& c, uint64_t seed, int ulps) {
  Judging judging;
  Choices choices(seed, 0x5e1f7e57);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    judging.count_runs(2);
    if (judging.add(judge_call(*c.program, c.calls[i], choices, ulps), {}, static_cast<int>(i)))
      break;
  }
  return judging.verdict();
}

}  // namespace fusillade::fuzz
