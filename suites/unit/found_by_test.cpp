// What a campaign's causes were found by.
#include "fuzz/campaign/found_by.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fusillade::fuzz {
namespace {

TEST(FoundBy, PoliciesOraclesAndPlansTheMostCausesFirst) {
  const nlohmann::json rows = found_by({{"seed=1 index=7 policy=large", "gradient", "vm/o2", 3, 9},
                                        {"seed=1 index=9 policy=rows", "exact", "vm/o2", 1, 4},
                                        {"seed=1 index=12 policy=rows", "exact", "vm/o2", 2, 2}},
                                       1800);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0]["by"], "policy");
  EXPECT_EQ(rows[0]["name"], "rows");
  EXPECT_EQ(rows[0]["causes"], 2);
  EXPECT_EQ(rows[0]["cases"], 3);
  EXPECT_EQ(rows[0]["first_seen"], 2);
  EXPECT_EQ(rows[0]["causes_per_hour"], 4);
  EXPECT_EQ(rows[1]["name"], "large");
  EXPECT_EQ(rows[2]["by"], "oracle");
  EXPECT_EQ(rows[4]["causes"], 3);
}

TEST(FoundBy, ProductionsOfTheFirstProgram) {
  const nlohmann::json rows =
      found_by({{"seed=1 index=7 policy=large", "exact", "vm", 3, 9, {"loop", "call"}},
                {"seed=1 index=9 policy=large", "exact", "vm", 1, 4, {"call"}}},
               3600);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1]["by"], "production");
  EXPECT_EQ(rows[1]["name"], "call");
  EXPECT_EQ(rows[1]["causes"], 2);
  EXPECT_EQ(rows[2]["name"], "loop");
  EXPECT_EQ(rows[2]["first_seen"], 9);
}

// However it was broken, a pattern is one row; a program counts once.
TEST(FoundBy, PatternsOfOtherCompilers) {
  const nlohmann::json rows = found_by(
      {{"seed=1 index=7 policy=peers pattern=ort/gelu:dtype,xla/neg,ort/gelu", "exact", "vm", 3, 9},
       {"seed=1 index=9 policy=peers pattern=ort/gelu equivalent=call", "exact", "vm", 1, 4}},
      3600);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1]["by"], "pattern");
  EXPECT_EQ(rows[1]["name"], "ort/gelu");
  EXPECT_EQ(rows[1]["causes"], 2);
  EXPECT_EQ(rows[2]["name"], "xla/neg");
  EXPECT_EQ(rows[2]["cases"], 3);
}

// Garwood's table.
TEST(FoundBy, FewCausesSayLittleOfARate) {
  const auto expect_rates = [](int64_t events, double low, double high) {
    const auto [least, most] = rates_per_hour(events, 3600);
    EXPECT_NEAR(least, low, 5e-3);
    EXPECT_NEAR(most, high, 5e-3);
  };
  expect_rates(0, 0, 3.689);
  expect_rates(1, 0.0253, 5.572);
  expect_rates(10, 4.795, 18.390);
  expect_rates(100, 81.364, 121.627);
  expect_rates(10000, 9804.952, 10197.952);
  EXPECT_NEAR(rates_per_hour(1, 20).second, 180 * 5.572, 1);
  EXPECT_EQ(rates_per_hour(3, 0).second, 0);
}

TEST(FoundBy, ProgramsThatNoPolicyMade) {
  const auto name = [](const char* origin) {
    return found_by({{origin, "exact", "vm", 1, 0}}, 1)[0]["name"].get<std::string>();
  };
  EXPECT_EQ(name("mutant of seeds/a.pt"), "mutants of seeds");
  EXPECT_EQ(name("f.py seed=1 draw=2"), "programs given");
  EXPECT_EQ(name("seed=1 index=2"), "generator died");
}

TEST(FoundBy, NothingFound) {
  EXPECT_TRUE(found_by({}, 10).empty());
  EXPECT_EQ(found_by_summary(found_by({}, 10)), "");
  EXPECT_EQ(found_by({{"policy=p", "o", "vm", 1, 0}}, 0)[0]["causes_per_hour"], 0);
}

TEST(FoundBy, NamesOfStrangersStayInTheirCell) {
  const std::string text =
      found_by_summary(found_by({{"policy=a|b", "exact", "mine:`x`", 1, 0}}, 1));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_EQ(text.find("| a|b |"), std::string::npos);
}

}  // namespace
}  // namespace fusillade::fuzz
