// The oracle `speed` reports groups that are slower than their nodes, and no others.
#include <gtest/gtest.h>

#include "engine/base/table.h"
#include "engine/kernel/kernel.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {
namespace {

// The checking back end, declared as one that is meant to be fast.
const kernel::Backend& slow = Table<kernel::Backend>::instance().add(
    {.name = "test_slow",
     .summary = "for a test",
     .exact = false,
     .drawn = false,
     .compile = [](const kernel::Kernel& k) { return kernel::backend("interp").compile(k); }});

Case case_of(const std::string& plan) {
  std::string numbers = "0";
  for (int i = 1; i < 2048; ++i) numbers += fmt::format(", {}", i % 7);
  return parse_case("fusillade case 1\noracle: speed\nverdict: ok\nplan: " + plan +
                        "\norigin: test\nprogram:\n  graph(%0 : Tensor):\n"
                        "    %1 : Tensor = aten::mul(%0, %0)\n    %2 : Tensor = aten::relu(%1)\n"
                        "    %3 : Tensor = aten::mul(%2, %0)\n    return (%3)\n"
                        "call:\n    input0 = f32[2048] {" +
                        numbers + "}\nend\n",
                    "test");
}

TEST(Speed, TellsGroupsThatAreSlowerThanTheirNodes) {
  const Verdict v = oracle("speed").judge(case_of("vm/o2,fuse(loopnest,test_slow)"));
  EXPECT_EQ(v.kind, VerdictKind::Slow);
  EXPECT_EQ(v.reason, "slower than unfused");
  EXPECT_EQ(v.part, "fuse(loopnest)");
}

TEST(Speed, IsQuietOnMachineCode) {
  EXPECT_EQ(oracle("speed").judge(case_of("vm/o2,fuse(loopnest,llvm)")).kind, VerdictKind::Ok);
  EXPECT_EQ(oracle("speed").judge(case_of("jit/o2,fuse(loopnest,llvm)")).kind, VerdictKind::Ok);
}

TEST(Speed, LeavesPlansAloneThatAreNotMadeToBeFast) {
  for (const char* plan : {"vm/o2", "vm/o2,fuse(loopnest,interp)", "eager"})
    EXPECT_EQ(oracle("speed").judge(case_of(plan)).kind, VerdictKind::Skip) << plan;
}

}  // namespace
}  // namespace fusillade::fuzz
