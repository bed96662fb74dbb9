// What is known of rewrite rules: all of ours hold, and rules that are wrong on purpose are found
// out by each of the three ways.
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/gen/near_miss.h"
#include "fuzz/rules/exhaust.h"
#include "fuzz/rules/near_misses.h"
#include "fuzz/rules/smt.h"

namespace fusillade::fuzz {
namespace {

// The claim of a rule for these types; null: it claims nothing for them.
const RuleInstance* claim(const std::vector<RuleInstance>& claims, const std::string& types) {
  for (const RuleInstance& c : claims) {
    if (c.types == types) return &c;
  }
  return nullptr;
}

TEST(Rules, OursHoldForAllValuesMet) {
  size_t claims = 0;
  for (const Rule& rule : peephole_rules()) {
    for (const RuleInstance& c : instances_of(rule)) {
      Reach reach = reach_of(c) == Reach::All ? Reach::All : Reach::Some;
      EXPECT_EQ(meet(c, reach, 1).counterexample, "") << rule.name << " " << c.types;
      ++claims;
    }
  }
  EXPECT_GT(claims, 250u);
}

TEST(Rules, OursAreProvedForIntegers) {
  std::vector<std::string> questions, names;
  for (const Rule& rule : peephole_rules()) {
    for (const RuleInstance& c : instances_of(rule)) {
      std::optional<std::string> question = smt_of(c);
      if (!question) continue;
      questions.push_back(*question);
      names.push_back(std::string(rule.name) + " " + c.types);
    }
  }
  EXPECT_GT(questions.size(), 130u);
  std::optional<std::vector<Proof>> proofs = ask_z3(questions);
  if (!proofs) GTEST_SKIP() << "z3 is not installed";
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ((*proofs)[i], Proof::Proved) << names[i];
}

TEST(Rules, AllHalvesShowASignThatIsLost) {
  const Rule wrong{"add-zero", "aten::add(x, 0)", "x"};
  std::vector<RuleInstance> claims = instances_of(wrong);
  const RuleInstance* half = claim(claims, "x: f16");
  ASSERT_NE(half, nullptr);
  ASSERT_EQ(reach_of(*half), Reach::All);
  EXPECT_EQ(meet(*half, Reach::All, 1).counterexample, "x = -0: left 0, right -0");
  const RuleInstance* whole = claim(claims, "x: i16");
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(meet(*whole, Reach::All, 1).counterexample, "");
  EXPECT_EQ(meet(*whole, Reach::All, 1).values, 65536u);
}

TEST(Rules, DrawnValuesMeetEndsAndNan) {
  const Rule wrong{"x-minus-x", "aten::sub(x, x)", "aten::mul(x, 0)"};
  std::vector<RuleInstance> claims = instances_of(wrong);
  const RuleInstance* wide = claim(claims, "x: f64");
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(reach_of(*wide), Reach::Some);
  EXPECT_NE(meet(*wide, Reach::Some, 1).counterexample, "");  // -1 * 0 is -0
}

TEST(Rules, ASolverFindsWhatIsWrongForOneValueOf64Bits) {
  // abs of the least integer is negative
  const Rule wrong{"relu-abs", "aten::relu(aten::abs(x))", "aten::abs(x)"};
  std::vector<RuleInstance> claims = instances_of(wrong);
  const RuleInstance* wide = claim(claims, "x: i64");
  ASSERT_NE(wide, nullptr);
  std::optional<std::string> question = smt_of(*wide);
  ASSERT_TRUE(question);
  std::optional<std::vector<Proof>> proofs = ask_z3({*question});
  if (!proofs) GTEST_SKIP() << "z3 is not installed";
  EXPECT_EQ(proofs->at(0), Proof::Refuted);
}

TEST(Rules, OursLeaveNearMissesAloneOrRight) {
  for (const Rule& rule : peephole_rules()) {
    const NearMisses met = meet_near_misses(rule, 1);
    EXPECT_GT(met.left_alone + met.changed, 0u) << rule.name;
    for (const std::string& wrong : met.wrong) ADD_FAILURE() << rule.name << ": " << wrong;
  }
}

// One near miss for each condition that a pattern states.
TEST(Rules, EachConditionOfAPatternIsBroken) {
  const auto broken_conditions = [](const char* left) {
    std::vector<std::string> out;
    for (const NearMiss& miss : near_misses_of(parse_pattern(left))) out.push_back(miss.broken);
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(broken_conditions("aten::mul(x, 1)"),
            (Names{"constant 2", "constant 1.5", "constant -1", "no constant"}));
  EXPECT_EQ(broken_conditions("aten::add(x, -0.0)"),
            (Names{"alpha", "constant 0.", "constant 1.", "no constant"}));
  EXPECT_EQ(broken_conditions("aten::minimum(x, x)"), (Names{"another x"}));
  EXPECT_EQ(broken_conditions("aten::transpose(aten::transpose(x, a, b), b, a)"),
            (Names{"another b", "another a"}));
  const Names within = broken_conditions("aten::abs(aten::neg(x))");
  EXPECT_NE(std::ranges::find(within, "aten::relu within"), within.end());
  EXPECT_EQ(std::ranges::find(within, "aten::neg within"), within.end());
}

TEST(Rules, AGuardThatRefusesClaimsNothing) {
  const Rule never{"never", "aten::neg(x)", "x", [](const Match&) { return false; }};
  EXPECT_TRUE(instances_of(never).empty());
}

}  // namespace
}  // namespace fusillade::fuzz
