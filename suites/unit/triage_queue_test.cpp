// Which case is triaged next: order, time, and what becomes of a triage that ended too soon.
#include "fuzz/campaign/triage_queue.h"

#include <gtest/gtest.h>

namespace fusillade::fuzz {
namespace {

using Why = TriagePick::Why;

constexpr double kAsked = 1000;  // seconds of the campaign: triage has 200

class TriageQueueTest : public testing::Test {
 protected:
  void wait(const std::map<std::string, Untriaged>& cases) {
    std::vector<std::string> names;
    for (const auto& [name, untriaged] : cases) names.push_back(name);
    queue_.set_waiting(names, [&](const std::string& name) {
      ++read_;
      return cases.at(name);
    });
  }
  void know(const std::string& verdict, const std::string& message) {
    Cause cause;
    cause.verdict = verdict;
    cause.message = message;
    cause.part = {CulpritKind::Pass, "cse", {}};
    FindingRow row;
    row.bucket = "bucket-" + std::to_string(queue_.findings());
    row.cause = print(cause);
    queue_.know(row);
  }
  void know_outside(const std::set<std::string>& ops) {
    Cause cause;
    cause.verdict = "mismatch";
    cause.message = "wrong result";
    cause.part = {CulpritKind::EngineOutside, "torch:compile", {}};
    cause.ops = ops;
    FindingRow row;
    row.cause = print(cause);
    queue_.know(row);
  }
  TriagePick next(double elapsed = 500) {
    std::optional<TriagePick> pick = queue_.next(elapsed);
    if (!pick) ADD_FAILURE() << "nothing is next";
    return pick.value_or(TriagePick{});
  }

  TriageQueue queue_{TriageShare{.asked = kAsked}};
  int read_ = 0;
};

Untriaged wrong(const std::string& message = "wrong result") {
  return {"mismatch", message, {}, {}};
}
Untriaged outside(std::set<std::string> ops, const std::string& engine = "torch:compile") {
  return {"mismatch", "wrong result", std::move(ops), {engine}};
}
Untriaged hang() { return {"hang", "time", {}, {}}; }

TEST_F(TriageQueueTest, NothingWaits) {
  EXPECT_FALSE(queue_.next(500));
  wait({});
  EXPECT_FALSE(queue_.next(500));
}

TEST_F(TriageQueueTest, OfEqualsTheFirstByName) {
  wait({{"2.case", wrong()}, {"1.case", wrong()}});
  EXPECT_EQ(next().name, "1.case");
  EXPECT_EQ(next().why, Why::LooksNew);
}

TEST(TriageShareTest, WithoutAFindingTheLastCasesHavePatience) {
  TriageShare share{.least = 45, .asked = 10};
  EXPECT_EQ(share.seconds_left(5, 14, 0), 45);  // programs run
  share.workers_ended = 10;
  EXPECT_EQ(share.seconds_left(10, 14, 0), kLeastShareOfFirst);
  EXPECT_EQ(share.seconds_left(10, 14, 1), 45);
}

TEST_F(TriageQueueTest, TheFirstFindingTakesHalfOfTheTime) {
  queue_.workers_ended(kAsked);
  wait(
      {{"1.case", wrong("a")}, {"2.case", wrong("b")}, {"3.case", wrong("c")}, {"4.case", hang()}});
  const double first = next(kAsked).seconds;
  know("mismatch", "other");
  EXPECT_EQ(first, 2 * next(kAsked).seconds);
}

TEST_F(TriageQueueTest, WhatMayJoinComesFirstTheLargestGroupBeforeAll) {
  know("mismatch", "small");
  know("mismatch", "large");
  wait({{"1.case", wrong("new")},
        {"2.case", wrong("small")},
        {"3.case", wrong("large")},
        {"4.case", wrong("large")}});
  EXPECT_EQ(next().name, "3.case");
  EXPECT_EQ(next().why, Why::MayJoin);
}

TEST_F(TriageQueueTest, AfterTwoThatWereAskedComesAWholeOne) {
  know("mismatch", "wrong result");
  wait({{"1.case", wrong()}, {"2.case", wrong()}, {"3.case", wrong()}, {"4.case", wrong("other")}});
  std::vector<Why> whys;
  for (int i = 0; i < 4; ++i) {
    whys.push_back(next().why);
    queue_.begin(next());
  }
  EXPECT_EQ(whys, (std::vector{Why::MayJoin, Why::MayJoin, Why::LooksNew, Why::MayJoin}));
}

TEST_F(TriageQueueTest, ACauseOfAnExternalEngineIsJoinedByWhatHasItsOperators) {
  know_outside({"aten::mul", "aten::neg"});
  wait({{"1.case", outside({"aten::neg"})}});
  EXPECT_EQ(next().why, Why::LooksNew);
  wait({{"2.case", outside({"aten::abs", "aten::mul", "aten::neg"})}});
  EXPECT_EQ(next().why, Why::MayJoin);
  wait({{"3.case", outside({"aten::mul", "aten::neg"}, "torch:script")}});
  EXPECT_EQ(next().why, Why::LooksNew);
  wait({{"4.case", outside({})}});  // whose operators are unknown
  EXPECT_EQ(next().why, Why::MayJoin);
}

TEST_F(TriageQueueTest, OfThoseThatLookNewTheSmallestIsFirst) {
  wait({{"1.case", outside({"aten::abs", "aten::neg"})}, {"2.case", outside({"aten::exp"})}});
  EXPECT_EQ(next().name, "2.case");
  Untriaged crash = outside({"aten::exp"}), begun = outside({"aten::exp"});
  crash.verdict = "crash";
  begun.begun = true;
  wait({{"3.case", hang()}, {"4.case", begun}, {"5.case", crash}});
  EXPECT_EQ(next().name, "5.case");
  wait({{"3.case", hang()}, {"4.case", begun}});
  EXPECT_EQ(next().name, "4.case");
}

TEST_F(TriageQueueTest, WhatDidNotJoinBeforeAResumeIsNotAskedAgain) {
  know("mismatch", "wrong result");
  queue_.did_not_join("1.case", queue_.findings());
  wait({{"1.case", wrong()}});
  EXPECT_EQ(next().why, Why::DidNotJoin);
  know("crash", "signal 11");
  EXPECT_EQ(next().why, Why::MayJoin);
}

TEST_F(TriageQueueTest, WhatDidNotJoinIsLastUntilThereIsAnotherFinding) {
  know("mismatch", "wrong result");
  wait({{"1.case", wrong()}, {"2.case", wrong("new")}});
  const TriagePick asked = next();
  EXPECT_EQ(asked.name, "1.case");
  queue_.did_not_join(asked);
  EXPECT_EQ(next().name, "2.case");
  wait({{"1.case", wrong()}});
  EXPECT_EQ(next().why, Why::DidNotJoin);
  know("crash", "signal 11");
  EXPECT_EQ(next().why, Why::MayJoin);
}

TEST_F(TriageQueueTest, OneTakesAPartOfTheTimeWhereOthersWait) {
  know("mismatch", "known");
  wait({{"1.case", wrong("a")}});
  EXPECT_EQ(next().seconds, 200);
  wait({{"1.case", wrong("a")}, {"2.case", wrong("b")}});
  EXPECT_NEAR(next().seconds, 200 * (0.2 + 0.3 / 9) / 0.2 / 2, 1e-9);
  std::map<std::string, Untriaged> many;
  for (char c = 'a'; c < 'a' + 20; ++c) many[std::string(1, c) + ".case"] = wrong({c});
  wait(many);
  EXPECT_EQ(next().seconds, 500 / 4.0);
  queue_.add_time(480);
  EXPECT_EQ(next(2000).seconds, 15);  // and no less
  queue_.add_time(10);
  EXPECT_EQ(next(2000).seconds, 10);
}

TEST_F(TriageQueueTest, AHangIsTheLastOfThoseThatLookNew) {
  wait({{"1.case", hang()}, {"2.case", wrong()}});
  EXPECT_EQ(next().name, "2.case");
}

TEST_F(TriageQueueTest, AHangHasHalfWhileProgramsRun) {
  wait({{"1.case", hang()}});
  TriagePick pick = next();
  EXPECT_TRUE(pick.halved);
  EXPECT_DOUBLE_EQ(pick.seconds, 100);
  queue_.cut(pick);
  EXPECT_FALSE(queue_.next(900)) << "again while programs run";
  queue_.workers_ended(kAsked);
  pick = next(kAsked);
  EXPECT_FALSE(pick.halved);
  EXPECT_DOUBLE_EQ(pick.seconds, 200);
}

TEST_F(TriageQueueTest, OneCutShortComesAgainWithTwiceAsMuch) {
  queue_.add_time(150);
  wait({{"1.case", wrong()}});
  queue_.workers_ended(kAsked);
  TriagePick pick = next(kAsked);
  EXPECT_DOUBLE_EQ(pick.seconds, 50);
  queue_.cut(pick);
  EXPECT_FALSE(queue_.next(kAsked));
  queue_.add_time(-50);  // 100 are left: twice as much
  EXPECT_EQ(next(kAsked).name, "1.case");
  queue_.add_time(1);
  EXPECT_FALSE(queue_.next(kAsked));
  wait({{"1.case", wrong()}, {"2.case", wrong()}});
  EXPECT_EQ(next(kAsked).name, "2.case") << "another is not held up";
}

TEST_F(TriageQueueTest, NoneBeginsWithoutTime) {
  wait({{"1.case", wrong()}});
  queue_.add_time(199.5);
  queue_.workers_ended(kAsked);
  EXPECT_FALSE(queue_.has_time(kAsked));
  EXPECT_FALSE(queue_.next(kAsked));
}

TEST_F(TriageQueueTest, OneKilledFromOutsideIsTriedThreeTimes) {
  const TriagePick pick{.name = "1.case"}, other{.name = "2.case"};
  EXPECT_TRUE(queue_.note_killed(pick));
  EXPECT_TRUE(queue_.note_killed(pick));
  EXPECT_TRUE(queue_.note_killed(other));
  EXPECT_FALSE(queue_.note_killed(pick));
}

TEST_F(TriageQueueTest, EightDeathsOfAKindAreSaved) {
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(queue_.saves_death("hang|time|1"));
  EXPECT_FALSE(queue_.saves_death("hang|time|1"));
  EXPECT_TRUE(queue_.saves_death("hang|time|2"));
}

TEST_F(TriageQueueTest, CasesAreReadOnceAndForgottenWhenTheyAreGone) {
  wait({{"1.case", wrong()}, {"2.case", hang()}});
  wait({{"1.case", hang()}, {"2.case", hang()}});
  EXPECT_EQ(read_, 2);
  const std::map<std::string, std::vector<std::string>> groups = {
      {"hang|time", {"2.case"}}, {"mismatch|wrong result", {"1.case"}}};
  EXPECT_EQ(queue_.groups(), groups);
  wait({{"2.case", hang()}});
  EXPECT_EQ(queue_.size(), 1u);
  wait({{"1.case", hang()}});
  EXPECT_EQ(queue_.groups().at("hang|time"), std::vector<std::string>{"1.case"});
}

TEST_F(TriageQueueTest, AFindingWithoutAPartIsKnownByItsSymptomAlone) {
  FindingRow row;
  Cause cause;
  cause.verdict = "mismatch";
  cause.message = "wrong result";
  row.cause = print(cause);
  queue_.know(row);
  EXPECT_EQ(queue_.findings(), 1u);
  EXPECT_TRUE(queue_.causes().empty());
  wait({{"1.case", wrong()}});
  EXPECT_EQ(next().why, Why::MayJoin);
}

TEST_F(TriageQueueTest, CasesOfKnownCausesAreCountedByRecord) {
  const KnownList known("known: slow\nverdict: hang\nreason: r\nowner: o\nuntil: 2999-01-01\n",
                        "known", "2026-01-01");
  wait({{"1.case", hang()}, {"2.case", wrong()}, {"3.case", hang()}});
  const std::map<std::string, size_t> muted = {{"slow", 2}};
  EXPECT_EQ(queue_.muted_counts(known), muted);
}

}  // namespace
}  // namespace fusillade::fuzz
