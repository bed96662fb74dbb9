// Traits of operators: each line is read, each trait is somebody's, and what is none says what is
// legal. Operators that code names are there.
#include "engine/ops/traits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/aten/named.h"
#include "engine/base/error.h"
#include "engine/ops/entry.h"

namespace fusillade {
namespace {

TEST(Traits, AllLinesAreRead) {
  std::vector<Trait> seen;
  for (const Entry& e : entries()) {
    const EntryLine* line = e.line(LineKind::Traits);
    if (!line) continue;
    for (const Trait trait : parse_traits(line->text)) {
      seen.push_back(trait);
      for (const std::string_view name : e.names)
        EXPECT_TRUE(has_trait(operator_named(name), trait)) << e.place(line->number);
    }
  }
  for (int i = 0; i <= static_cast<int>(Trait::Refused); ++i)
    EXPECT_TRUE(std::ranges::count(seen, static_cast<Trait>(i))) << "no operator has trait " << i;
}

TEST(Traits, BelongToExactNames) {
  EXPECT_TRUE(has_trait(operator_named("aten::argmin"), Trait::Least));
  EXPECT_FALSE(has_trait(operator_named("aten::argmin"), Trait::Greatest));
  EXPECT_FALSE(has_trait(operator_named("aten::argsort"), Trait::Least));
  EXPECT_TRUE(has_trait(operator_named("aten::cumsum"), Trait::Sums));
  EXPECT_FALSE(has_trait(operator_named("aten::cumsum_"), Trait::Sums));
  EXPECT_TRUE(has_trait(operator_named("aten::add.Tensor"), Trait::Commutes));
  EXPECT_FALSE(has_trait(operator_named("aten::add_.Tensor"), Trait::Commutes));
  EXPECT_FALSE(has_trait(operator_named("aten::maximum"), Trait::Commutes));
  EXPECT_FALSE(has_trait(operator_named("prim::resize_dim"), Trait::Unwritten));
  EXPECT_TRUE(has_trait(operator_named("aten::add.int"), Trait::Total));
  EXPECT_TRUE(has_trait(operator_named("aten::add.int"), Trait::Commutes));
  EXPECT_FALSE(has_trait(operator_named("aten::floordiv.int"), Trait::Total));
}

TEST(Traits, WhatIsNoneSaysWhatIsLegal) {
  EXPECT_EQ(parse_traits("least, commutes").size(), 2u);
  try {
    parse_traits("greatest, lest");
    ADD_FAILURE() << "nothing is thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("'lest' is no trait"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("least"), std::string::npos) << e.what();
  }
}

TEST(NamedOperators, AreThere) {
#define FUS_IS_THERE(function, text) EXPECT_EQ(aten::function().name, std::string("aten::") + text);
  FUS_NAMED_OPERATORS(FUS_IS_THERE)
#undef FUS_IS_THERE
}

}  // namespace
}  // namespace fusillade
