// What was called otherwise in earlier versions is found by both names, and printed by the new one.
#include <gtest/gtest.h>

#include "engine/fuse/transforms/transform.h"
#include "engine/ir/graph.h"
#include "engine/ops/operator.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

template <class R>
void expect_found(size_t least) {
  const Table<R>& all = Table<R>::instance();
  EXPECT_GE(all.former().size(), least);
  for (const auto& [former, now] : all.former()) {
    ASSERT_NE(all.find(now), nullptr) << now;
    EXPECT_EQ(all.find(former), all.find(now)) << former;
    EXPECT_NE(all.find(now)->name, former);
  }
}

TEST(FormerNames, AreFoundAsTheNewOnes) {
  expect_found<Operator>(50);
  expect_found<Pass>(1);
  expect_found<fuse::Transform>(1);
  EXPECT_EQ(Table<Pass>::instance().find("no_such_pass"), nullptr);
}

TEST(FormerNames, GraphsThatSayThemAreRead) {
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n"
      "  %y : Tensor = prim::halves_widened(%x)\n"
      "  return (%y)\n");
  EXPECT_NE(print(*graph).find("prim::widen_halves("), std::string::npos) << print(*graph);
}

}  // namespace
}  // namespace fusillade
