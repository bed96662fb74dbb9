// Lists of rows that oracles are not about: each name is a row's.
#include "fuzz/run/row_names.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/ops/row.h"

namespace fusillade::fuzz {
namespace {

TEST(RowNames, EachIsARow) {
  EXPECT_GE(RowNames::all().size(), 7u);
  for (const RowNames* list : RowNames::all())
    for (const std::string& wrong : list->wrong()) ADD_FAILURE() << wrong;
}

TEST(RowNames, NamesAllOverloadsOrOne) {
  const RowNames all{"aten::std"}, one{"aten::std.correction"};
  EXPECT_TRUE(all.has(row("aten::std")) && all.has(row("aten::std.correction")));
  EXPECT_TRUE(one.has(row("aten::std.correction")));
  EXPECT_FALSE(one.has(row("aten::std")) || all.has(row("aten::std_mean")));
}

TEST(RowNames, APartOfANameNamesNothing) {
  const RowNames part{"eigh", "aten::std", "aten::std.correction"};
  EXPECT_EQ(part.wrong(), (std::vector<std::string>{"no row is called 'eigh'",
                                                    "'aten::std.correction' is named twice"}));
  EXPECT_THROW(part.has(row("aten::_weight_norm")), Bug);
}

}  // namespace
}  // namespace fusillade::fuzz
