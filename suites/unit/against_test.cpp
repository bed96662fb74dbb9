// What a plan achieves, in counts, and which of them decides between two builds. Here a pass that
// is switched off represents another build; test_against.py covers two processes.
#include "fuzz/case/against.h"

#include <gtest/gtest.h>

#include "engine/passes/switch_off.h"
#include "fuzz/run/static_cost.h"
#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {
namespace {

Case case_of(const std::string& program, const std::string& call) {
  return parse_case(
      "fusillade case 1\noracle: against\nprogram:\n" + program + "call:\n" + call + "end\n",
      "<test>");
}

Case repeated_product() {
  return case_of(
      "  graph(%x : Tensor, %y : Tensor):\n"
      "    %a : Tensor = aten::mul(%x, %y)\n"
      "    %b : Tensor = aten::mul(%x, %y)\n"
      "    %c : Tensor = aten::sub(%a, %b)\n"
      "    %d : Tensor = aten::exp(%c)\n"
      "    return (%d)\n",
      "    x = f32[4] {1, 2, 3, 4}\n    y = f32[4] {1, 2, 3, 4}\n");
}

Case loop_of_three_iterations() {
  return case_of(
      "  graph(%x : Tensor):\n"
      "    %n : int = prim::Constant[value=3]()\n"
      "    %t : bool = prim::Constant[value=1]()\n"
      "    %r : Tensor = prim::Loop(%n, %t, %x)\n"
      "      block0(%i : int, %c : Tensor):\n"
      "        %d : Tensor = aten::exp(%c)\n"
      "        -> (%t, %d)\n"
      "    return (%r)\n",
      "    x = f32[4] {0.1, 0.2, 0.3, 0.4}\n");
}

int64_t count(const StaticCost& a, const std::string& what) {
  for (const auto& [name, n] : a.counts)
    if (name == what) return n;
  return -1;
}

StaticCost under(const Case& c, const std::string& plan, const std::string& off = "") {
  const SwitchOff without(off);
  return static_cost(c, parse_plan(plan), true);
}

TEST(StaticCost, IsTheSameAgain) {
  for (const char* plan : {"vm", "vm/o2", "vm/o2,fuse(loopnest,interp)", "jit/o2"}) {
    const StaticCost a = under(repeated_product(), plan), b = under(repeated_product(), plan);
    EXPECT_EQ(a.why_not, "");
    EXPECT_EQ(a.counts, b.counts) << plan;
    EXPECT_EQ(to_text({a}), to_text({b})) << plan;
    EXPECT_FALSE(growth(a, b));
  }
}

TEST(StaticCost, CountsWhatRuns) {
  EXPECT_EQ(count(under(repeated_product(), "vm"), "steps"), 4);
  EXPECT_EQ(count(under(repeated_product(), "vm/cse"), "steps"), 3);
  const StaticCost fused = under(repeated_product(), "vm/inline,types,fuse(loopnest,interp)");
  EXPECT_EQ(count(fused, "steps"), 1);
  EXPECT_GE(count(fused, "bytes moved"), 3 * 16);  // two operands and a result
  EXPECT_EQ(count(under(loop_of_three_iterations(), "vm"), "steps"), 3 + 4);  // loop, iterations
  EXPECT_EQ(count(under(loop_of_three_iterations(), "vm/unroll"), "steps"), 3);
}

TEST(StaticCost, CountsTraining) {
  const Case sine = case_of(
      "  graph(%x : Tensor, %y : Tensor):\n"
      "    %a : Tensor = aten::mul(%x, %y)\n"
      "    %b : Tensor = aten::sin(%a)\n"
      "    return (%b)\n",
      "    x = f32[4] {1, 2, 3, 4}\n    y = f32[4] {1, 2, 3, 4}\n");
  const StaticCost cuts = under(sine, "vm"), saves = under(sine, "vm/autodiff(1,save)");
  EXPECT_GT(count(cuts, "training steps"), 2 * count(cuts, "steps"));
  EXPECT_EQ(count(cuts, "training derivations"), 1) << "the second call is of the same types";
  EXPECT_EQ(count(cuts, "training groups by operators"), 0);
  EXPECT_GT(count(cuts, "training peak bytes"), 0);
  EXPECT_EQ(count(saves, "training saved bytes") - count(cuts, "training saved bytes"), 16)
      << "the product is computed again, or kept";
  EXPECT_LT(count(saves, "training steps"), count(cuts, "training steps"));
  const Case integers = case_of(
      "  graph(%x : Tensor):\n"
      "    %a : Tensor = aten::neg(%x)\n"
      "    return (%a)\n",
      "    x = i64[2] {1, 2}\n");
  EXPECT_EQ(count(under(integers, "vm"), "training steps"), -1) << "nothing to train";
}

TEST(StaticCost, CountsVersionsAndRefusals) {
  const StaticCost jit = under(repeated_product(), "jit/o2");
  EXPECT_EQ(count(jit, "versions"), 1);
  EXPECT_EQ(count(jit, "failed guards"), 0);
  const StaticCost generic = under(repeated_product(), "jit(static=0,dynamic=0)/o2");
  EXPECT_EQ(count(generic, "versions"), 1);
  EXPECT_EQ(count(generic, "generic kinds"), 1);
  const StaticCost fused = under(repeated_product(), "vm/inline,types,fuse(loopnest,interp)");
  EXPECT_EQ(count(fused, "kernels compiled"), 1);
  EXPECT_GE(count(fused, "split refused"), 0);
  EXPECT_NE(fused.kernels, "");
  EXPECT_EQ(under(repeated_product(), "vm").kernels, "");
}

TEST(StaticCost, NamesRulesAndNodesOfPasses) {
  const StaticCost a = under(repeated_product(), "vm/cse,dce");
  ASSERT_EQ(a.nodes.size(), 2u);
  EXPECT_EQ(a.nodes[0], (std::pair<std::string, int64_t>("cse", 3)));
  ASSERT_FALSE(a.rewrites.empty());
  EXPECT_EQ(a.rewrites[0].rule, "cse/merge");
}

TEST(StaticCost, DistinguishesGraphsByWhatTheyDo) {
  const std::string head = "fusillade case 2\noracle: against\n";
  const std::string script =
      "script:\n  def main(x: Tensor) -> Tensor:\n      return x + x\ncall:\n    x = f32[1] "
      "{1}\nend\n";
  const StaticCost a = under(parse_case(head + script, "<one>"), "vm");
  const StaticCost b = under(parse_case(head + "plan: vm\n" + script, "<other>"), "vm");
  EXPECT_NE(a.graph, "");
  EXPECT_EQ(a.graph, b.graph) << "where a line stands is no difference";
  EXPECT_NE(under(repeated_product(), "vm/cse").graph, under(repeated_product(), "vm").graph);
}

TEST(StaticCost, SaysWhyNothingIsCounted) {
  const Case raises = case_of(
      "  graph(%x : Tensor, %y : Tensor):\n"
      "    %a : Tensor = aten::mm(%x, %y)\n"
      "    return (%a)\n",
      "    x = f32[2] {1, 2}\n    y = f32[2] {1, 2}\n");
  const StaticCost a = under(raises, "vm");
  EXPECT_EQ(a.why_not, "the program raises an error");
  EXPECT_TRUE(a.counts.empty());
}

TEST(StaticCost, IsReadBackAsItWasWritten) {
  const StaticCost a = under(repeated_product(), "vm/o2,fuse(loopnest,interp)");
  const std::vector<StaticCost> read = static_cost_of_text(to_text({a, a}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(to_text(read), to_text({a, a}));
  EXPECT_THROW(static_cost_of_text("no JSON"), Error);
  EXPECT_THROW(static_cost_of_text("[{\"counts\": 3}]"), Error);
}

TEST(Growth, IsOfTheFirstCountThatDiffers) {
  StaticCost before, after;
  before.counts = {{"steps", 5}, {"bytes moved", 64}, {"nodes", 7}};
  after.counts = {{"steps", 5}, {"bytes moved", 80}, {"nodes", 9}};
  ASSERT_TRUE(growth(before, after));
  EXPECT_EQ(growth(before, after)->what, "bytes moved");
  after.counts[0].second = 4;
  EXPECT_FALSE(growth(before, after)) << "fewer steps pay for more bytes";
  after.counts = {{"steps", 5}, {"new count", 3}};
  EXPECT_FALSE(growth(before, after)) << "a count that one build lacks says nothing";
}

TEST(Growth, ComparesRefusalsOfTheSameKernels) {
  StaticCost before, after;
  before.counts = {{"nodes", 7}, {"split refused", 2}};
  after.counts = {{"nodes", 7}, {"split refused", 3}};
  before.kernels = after.kernels = "k";
  ASSERT_TRUE(growth(before, after));
  EXPECT_EQ(refusing_transform(growth(before, after)->what), "split");
  EXPECT_EQ(refusing_transform("nodes"), "");
  EXPECT_TRUE(is_of_training("training steps"));
  EXPECT_FALSE(is_of_training("steps"));
  after.kernels = "other";
  EXPECT_FALSE(growth(before, after)) << "another kernel can be written otherwise in other ways";
}

TEST(Growth, ReadsBuildsThatCountLess) {
  StaticCost a = under(repeated_product(), "vm/o2,fuse(loopnest,interp)");
  const std::string older =
      "[{\"why_not\":\"\",\"counts\":[[\"steps\",1]],\"nodes\":[],\"graph\":\"\",\"rewrites\":[]}]";
  const StaticCost before = static_cost_of_text(older).at(0);
  EXPECT_EQ(before.kernels, "");
  EXPECT_FALSE(growth(before, a)) << "what the older build does not count says nothing";
}

TEST(Growth, SeesAPassThatIsSwitchedOff) {
  const auto what_grew = [](const Case& c, const char* plan, const char* off) {
    const std::optional<Growth> g = growth(under(c, plan), under(c, plan, off));
    return g ? g->what : "";
  };
  EXPECT_EQ(what_grew(repeated_product(), "vm/o2", "cse"), "steps");
  EXPECT_EQ(what_grew(loop_of_three_iterations(), "vm/o2", "unroll"), "steps");
  EXPECT_NE(what_grew(repeated_product(), "jit/o2", "cse"), "");  // in the repeated call
  EXPECT_EQ(what_grew(repeated_product(), "vm/o2", "licm"), "");
}

TEST(Against, IsANoteThatFindingsKeep) {
  Case c = repeated_product();
  EXPECT_EQ(against_of(c), "");
  c.notes = {"by hand"};
  set_against(c, "/a b/fusillade");
  EXPECT_EQ(against_of(c), "/a b/fusillade");
  Verdict v;
  v.kind = VerdictKind::Slow;
  v.oracle = kAgainst;
  v.plan = parse_plan("vm/o2");
  v.reason = "steps";
  const Case found = parse_case(print(finding_case(c, v)), "<test>");
  EXPECT_EQ(against_of(found), "/a b/fusillade");
  EXPECT_EQ(found.verdict, "slow");
  set_against(c, "");
  EXPECT_EQ(c.notes, std::vector<std::string>{"by hand"});
}

TEST(Against, CausesAreTheirParts) {
  Verdict v;
  v.kind = VerdictKind::Slow;
  v.oracle = kAgainst;
  v.plan = parse_plan("vm/cse");
  v.reason = "steps";
  const Cause one = cause_of(v, read_culprit("cse/merge"), repeated_product());
  v.reason = "nodes";
  EXPECT_TRUE(same_cause(one, cause_of(v, read_culprit("cse/merge"), loop_of_three_iterations())));
  EXPECT_FALSE(same_cause(one, cause_of(v, read_culprit("licm/hoist"), repeated_product())));
}

}  // namespace
}  // namespace fusillade::fuzz
