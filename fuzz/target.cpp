// The libFuzzer entry point, compiled once per oracle (FUSILLADE_TARGET_ORACLE): the bytes are the
// decision stream of one program, which is judged under the default plans. A finding prints its
// case and aborts.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/campaign/judgement.h"
#include "fuzz/judge/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fusillade::fuzz;
  static const Oracle& judge = oracle(FUSILLADE_TARGET_ORACLE);
  static const std::vector<fusillade::Plan> plans = default_plans();
  Choices choices(std::span<const uint8_t>(data, size));
  GenerateOptions options;
  options.calls = 2;
  bool tensors = judge.form == Form::Script && choices.chance(0.5);
  if (judge.form == Form::Script || judge.form == Form::PlainScript)
    options.policy = tensors ? "source_tensors" : "source";
  Case c = generate_case(choices, options);
  if (!takes(judge, c)) return 0;
  c.oracle = judge.name;
  c.plans = {choices.pick(plans)};
  Verdict v = judge_here(c);
  if (!is_finding(v.kind)) return 0;
  std::fprintf(stderr, "%s\n%s\n", v.detail.c_str(), print(finding_case(c, v)).c_str());
  std::abort();
}
