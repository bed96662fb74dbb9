// Assertions that generated scripts are certain of: drawn often enough, true under every engine of
// ours and under CPython, and a finding where one of them fails.

#include "fuzz/verdict/certain.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzz/gen/generate.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/reduce/reduce.h"

namespace fusillade::fuzz {
namespace {

Verdict judge_with(const char* name, Case& c) {
  c.oracle = name;
  return oracle(name).judge(c);
}

std::vector<Case> draw_cases(const char* policy, int programs) {
  std::vector<Case> out;
  for (int i = 0; i < programs; ++i) {
    Choices choices(2611, static_cast<uint64_t>(i));
    GenerateOptions options;
    options.policy = policy;
    options.calls = 1;
    Case c = generate_case(choices, options);
    if (c.script.find(std::string(", \"") + kCertain) != std::string::npos)
      out.push_back(std::move(c));
  }
  return out;
}

TEST(Certain, EachQuestionIsDrawnOften) {
  std::string all;
  for (const Case& c : draw_cases("source_tensors", 3000)) all += c.script;
  const auto times = [&](const std::string& text) {
    int found = 0;
    for (size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++found;
    return found;
  };
  for (const char* text :
       {".item(), int)", ".item(), float)", ".item(), bool)", ".item(), (int, float))", ".index(",
        ".remove(", ".count(", " == [", " != [", " + 1 in ", " + 2 not in ", "kind_of(None)",
        "kind_of([", "torch.jit.isinstance(v, Optional[Tensor])",
        "torch.jit.isinstance(v, List[Tensor])", "torch.jit.isinstance(v, Dict[str, int])"})
    EXPECT_GE(times(text), 5) << text;
}

TEST(Certain, WhatIsCertainHoldsInEveryEngine) {
  int passed = 0;
  for (Case& c : draw_cases("source_tensors", 600)) {
    c.plans = parse_plans({"vm/o2", "jit/o2"});
    for (const char* name : {"frontends", "differential"}) {
      const Verdict v = judge_with(name, c);
      ASSERT_FALSE(is_finding(v.kind)) << name << ": " << v.reason << v.detail << print(c);
      passed += v.kind == VerdictKind::Ok;
    }
  }
  EXPECT_GE(passed, 100);
}

TEST(Certain, PythonAgreesAboutValuesOfAny) {
  int passed = 0;
  for (Case& c : draw_cases("source", 600)) {
    for (const char* name : {"frontends", "python"}) {
      const Verdict v = judge_with(name, c);
      ASSERT_FALSE(is_finding(v.kind)) << name << ": " << v.reason << v.detail << print(c);
      passed += v.kind == VerdictKind::Ok;
    }
  }
  EXPECT_GE(passed, 50);
}

TEST(Certain, WhatDoesNotHoldIsAFinding) {
  const auto verdict_on = [](const std::string& what) {
    Case c;
    set_script(c,
               "from torch import Tensor\ndef f(x: Tensor) -> int:\n    assert " + what +
                   "\n    return 1\n",
               "<test>");
    c.calls.push_back({{IValue(Tensor::zeros({}, DType::I64))}});
    return judge_with("frontends", c);
  };
  EXPECT_EQ(verdict_on("isinstance(x.item(), int), \"certain 3\"").kind, VerdictKind::Ok);
  const Verdict wrong = verdict_on("isinstance(x.item(), float), \"certain 3\"");
  EXPECT_EQ(wrong.kind, VerdictKind::Bug);
  EXPECT_EQ(wrong.reason, "what is certain does not hold");
  EXPECT_EQ(verdict_on("isinstance(x.item(), float), \"check 3\"").kind, VerdictKind::Ok);
}

// An assertion that fails stays as it is, with what it depends on; one that is added by hand here
// does not hold.
void expect_reduction_keeps(const std::string& question) {
  Case c;
  set_script(
      c,
      "from typing import Any\nfrom torch import Tensor\n"
      "def " +
          question +
          "(v: Any) -> int:\n    if isinstance(v, int):\n        return 0\n"
          "    if isinstance(v, float):\n        return 1\n    return -1\n"
          "def main(x: Tensor, n: int) -> int:\n    y = x + 1\n    if n > 2:\n        y = y * 2\n"
          "    certain_12 = [y, y + 1, y]\n    assert certain_12.index(y) == 0, \"certain 12\"\n"
          "    assert " +
          question + "(3) == 1, \"certain 1\"\n    return n\n",
      "<test>");
  c.calls.push_back({{IValue(Tensor::zeros({}, DType::I64)), IValue(3)}});
  EXPECT_EQ(judge_with("frontends", c).reason, "what is certain does not hold");
  const Reduced r = reduce(c, Limits{}, 20);
  EXPECT_NE(r.smallest.script.find("assert " + question + "(3) == 1, \"certain 1\""),
            std::string::npos);
  EXPECT_NE(r.smallest.script.find("    if isinstance(v, int):\n        return 0\n"
                                   "    if isinstance(v, float):\n        return 1\n"),
            std::string::npos);
  EXPECT_EQ(r.smallest.script.find("certain_12"), std::string::npos) << r.smallest.script;
  EXPECT_EQ(failed_certainty("AssertionError: certain 12\n  File"), "certain 12");
  EXPECT_EQ(failed_certainty("AssertionError: check 12"), "");
  EXPECT_TRUE(certain_alike(r.smallest, c, "certain 1"));
  EXPECT_FALSE(certain_alike(r.smallest, c, "certain 12"));
}

TEST(Certain, ReductionChangesNoCertainty) { expect_reduction_keeps("kind_of"); }

// As generators of earlier versions named the function.
TEST(Certain, ReductionChangesNoCertaintyOfFormerCases) { expect_reduction_keeps("told"); }

}  // namespace
}  // namespace fusillade::fuzz
