// Values that are small in memory and large on paper.
#include "engine/ops/extent.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/ops/text.h"

namespace fusillade {
namespace {

IValue doubling_list(int levels) {
  IValue v = IValue::list({IValue(1)}, TypeKind::Int);
  for (int i = 1; i < levels; ++i) v = IValue::list({v, v}, TypeKind::Any);
  return v;
}

TEST(Extent, CountsAPartAsOftenAsItIsReached) {
  EXPECT_EQ(extent({IValue(1)}).values, 1u);
  EXPECT_EQ(extent({doubling_list(1)}).values, 2u);
  EXPECT_EQ(extent({doubling_list(3)}).values, 11u);
  EXPECT_EQ(extent({doubling_list(3), doubling_list(1)}).values, 13u);
  EXPECT_EQ(extent({doubling_list(3)}).levels, 4);
  EXPECT_TRUE(extent({doubling_list(20)}).fits());
  EXPECT_FALSE(extent({doubling_list(60)}).fits());
  EXPECT_FALSE(extent(std::vector<IValue>(3, doubling_list(20))).fits());
}

TEST(Extent, OfWhatHoldsItselfOrIsNestedTooDeep) {
  IValue v = IValue::list({}, TypeKind::Any);
  v.mutable_items().push_back(v);
  EXPECT_FALSE(extent({v}).fits());
  v.mutable_items().clear();
  IValue deep = IValue(1);
  for (int i = 0; i < kMostNested; ++i) deep = IValue::tuple({deep});
  EXPECT_FALSE(extent({deep}).fits());
  EXPECT_TRUE(extent({deep.items()[0].items()[0]}).fits());
}

TEST(Extent, TextsOfItEnd) {
  EXPECT_LT(describe(doubling_list(60)).size(), size_t{3'000'000});
  EXPECT_THROW(python_str(doubling_list(60)), Unsupported);
  EXPECT_EQ(python_str(doubling_list(2)), "[[1], [1]]");
}

}  // namespace
}  // namespace fusillade
