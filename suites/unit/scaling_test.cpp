// The oracle `scaling` reports a pass that costs the square of its program, and no other. The
// passes that it once reported are in proportion.
#include <gtest/gtest.h>

#include "engine/passes/pass.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {
namespace {

// Looks at every pair of nodes.
PASS(test_all_pairs, kNoPromise, "looks at every pair of nodes") {
  volatile size_t seen = 0;
  for (const Node* a : graph.block()->nodes())
    for (const Node* b : graph.block()->nodes()) seen = seen + (a->before(b) ? 1 : 0);
}

Case case_of(const std::string& plan, const std::string& body) {
  return parse_case(
      "fusillade case 1\noracle: scaling\nverdict: ok\nplan: " + plan +
          "\norigin: test\nprogram:\n  graph(%0 : Tensor, %1 : Tensor):\n" + body +
          "call:\n    input0 = f32[2, 2] {1, 2, 3, 4}\n    input1 = f32[2, 2] {1, 2, 3, "
          "4}\nend\n",
      "test");
}

const char* const kProducts =
    "    %2 : Tensor = aten::mm(%0, %1)\n    %3 : Tensor = aten::relu(%2)\n    return (%3)\n";

TEST(Scaling, TellsThePassThatIsNot) {
  const Verdict v = oracle("scaling").judge(case_of("vm/cse,test_all_pairs,dce", kProducts));
  EXPECT_EQ(v.kind, VerdictKind::Slow);
  EXPECT_EQ(v.part, "test_all_pairs");
  EXPECT_EQ(v.reason, "growth");
  EXPECT_NE(v.detail.find("for 4096 nodes"), std::string::npos) << v.detail;
}

// Products of operands of their own, lists that are written, branches, loops that are unrolled,
// constants that leave the program, results that are equal and not one.
TEST(Scaling, PassesAreInProportion) {
  for (const char* body :
       {kProducts,
        "    %2 : Tensor[] = prim::ListConstruct(%0)\n    %3 : Tensor[] = aten::append(%2, %1)\n"
        "    %4 : int = prim::Constant[value=0]()\n    %5 : Tensor = aten::stack(%2, %4)\n"
        "    return (%5)\n",
        "    %2 : bool = aten::is_floating_point(%0)\n    %3 : bool = aten::Bool(%1)\n"
        "    %4 : Tensor = prim::If(%3)\n      block0():\n        -> (%0)\n      block1():\n"
        "        -> (%1)\n    return (%4)\n",
        "    %2 : int = prim::Constant[value=11]()\n    %3 : bool = prim::Constant[value=1]()\n"
        "    %4 : Tensor = prim::Loop(%2, %3, %0)\n      block0(%5 : int, %6 : Tensor):\n"
        "        %7 : Tensor = aten::relu(%6)\n        -> (%3, %7)\n    return (%4)\n",
        "    %2 : float[] = prim::Constant[value=[1., 2.]]()\n"
        "    %3 : float[] = prim::max(%2, %2)\n    return (%3)\n",
        "    %2 : int[] = prim::Constant[value=[3]]()\n    %3 : NoneType = prim::Constant()\n"
        "    %4 : Tensor = aten::zeros(%2, %3, %3, %3, %3)\n    return (%4)\n"}) {
    const Verdict v = oracle("scaling").judge(case_of("vm/o2,fuse(loopnest,interp)", body));
    EXPECT_EQ(v.kind, VerdictKind::Ok) << v.part << ": " << v.detail << v.reason << body;
  }
}

TEST(Scaling, SaysWhyNot) {
  const Verdict none = oracle("scaling").judge(case_of("vm", kProducts));
  EXPECT_EQ(none.kind, VerdictKind::Skip);
  EXPECT_EQ(none.reason, "no plan with passes of ours");
}

}  // namespace
}  // namespace fusillade::fuzz
