// An operator is one entry: a row with a formula, or a script. This file adds one of each, and
// executors, fusers, the bound and the ring know them by that.
#include <gtest/gtest.h>

#include "engine/fuse/compile_log.h"
#include "engine/ops/composite.h"
#include "engine/ops/entry.h"
#include "engine/ops/pointwise.h"
#include "engine/run/plan.h"
#include "fuzz/judge/judge.h"

namespace fusillade {
namespace {

// No generator of another test draws it.
const Operator& add_tripled() {
  PointwiseDef tripled;
  tripled.real = &real_formula<1>([](auto a) { return a + a + a; });
  tripled.generate = false;
  return add_pointwise("test_ops::tripled(Tensor self) -> Tensor", tripled, "test");
}
const Operator& kTripled = add_tripled();

constexpr const char* kEntries = R"(# Of a test.
test_ops::halves_summed(Tensor self, Tensor other) -> Tensor
    total = self * 0.5
    for i in range(2):
        total = total + other * 0.25
    return total
)";

const std::vector<Entry>& test_entries() {
  static const std::vector<Entry> all = parse_entries("engine/aten/test/ops.py", kEntries);
  return all;
}
const bool kScripted = [] {
  for (const Entry& e : test_entries()) add_scripted(e, {});
  return true;
}();

fuzz::Case case_of(const std::string& body) {
  return fuzz::parse_case("fusillade case 1\nprogram:\n  graph(%x : Tensor, %y : Tensor):\n" +
                              body +
                              "call:\n    x = f32[3] {1, -2, 3}\n    y = f32[3] {0.5, 4, 8}\nend\n",
                          "test");
}

// An element of the first call's result, as eager mode has it.
double eager_element(const fuzz::Case& c, int64_t at) {
  const fuzz::Call call = fuzz::copy_call(c.calls[0]);
  const auto eager = prepare(*c.program, parse_plan("eager"));
  return element_as_double(eager->run(call.inputs)[0].as_tensor(), at);
}

void expect_right(fuzz::Case& c) {
  for (const char* oracle : {"differential", "ring", "shapes", "roundtrip", "metamorphic"}) {
    c.oracle = oracle;
    c.plans = parse_plans({"eager", "vm/o2", "vm/fuse(loopnest,interp)", "vm/decompose"});
    const fuzz::Verdict v = fuzz::judge_here(c);
    EXPECT_EQ(v.kind, fuzz::VerdictKind::Ok) << oracle << ": " << v.reason << " " << v.detail;
  }
}

constexpr const char* kTriple =
    "    %a : Tensor = test_ops::tripled(%x)\n    %b : Tensor = aten::mul(%a, %y)\n"
    "    return (%b)\n";

TEST(NewOperator, AFormulaRunsEverywhere) {
  fuzz::Case c = case_of(kTriple);
  EXPECT_EQ(eager_element(c, 1), -24);
  expect_right(c);
}

TEST(NewOperator, AFormulaIsPartOfGroupsAndHasAnInPlaceForm) {
  const fuzz::Case c = case_of(kTriple);
  fuse::CompileLog log;
  prepare(*c.program, parse_plan("vm/fuse(loopnest,interp)"))
      ->run(fuzz::copy_call(c.calls[0]).inputs);
  ASSERT_EQ(log.compilations.size(), 1u);
  EXPECT_EQ(log.compilations[0].why, "");
  EXPECT_EQ(operator_named("test_ops::tripled_").functional, &kTripled);
}

TEST(NewOperator, AScriptIsABodyThatIsDecomposed) {
  ASSERT_TRUE(kScripted);
  fuzz::Case c = case_of("    %a : Tensor = test_ops::halves_summed(%x, %y)\n    return (%a)\n");
  EXPECT_EQ(eager_element(c, 2), 1.5 + 2 * 0.25 * 8);
  expect_right(c);
}

}  // namespace
}  // namespace fusillade
