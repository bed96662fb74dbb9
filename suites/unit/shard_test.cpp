// Shards and their merge, the parts that only compute: which programs are whose, which findings
// represent which, whose state of a shard is later, and samples on one clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "engine/base/error.h"
#include "fuzz/campaign/fold.h"
#include "fuzz/campaign/lot.h"
#include "fuzz/campaign/part.h"
#include "fuzz/campaign/union.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kRuns = 500;

// Judges some programs of each lot, and returns what is left.
std::vector<Progression> judge(const std::vector<Lot>& lots, std::vector<int> how_many,
                               std::multiset<uint64_t>& judged) {
  std::vector<Progression> left;
  for (size_t w = 0; w < lots.size(); ++w) {
    uint64_t at = lots[w].from(0);
    for (int n = how_many[w]; n > 0 && at < kRuns; --n) {
      judged.insert(at);
      at = lots[w].from(at + 1);
    }
    for (const Progression& p : lots[w].left_from(at)) left.push_back(p);
  }
  return left;
}

TEST(Lot, GoesUpThroughItsProgressions) {
  const Lot lot({{7, 3}, {2, 4, 11}});
  std::vector<uint64_t> seen;
  for (uint64_t at = lot.from(0); at < 20; at = lot.from(at + 1)) seen.push_back(at);
  EXPECT_EQ(seen, (std::vector<uint64_t>{2, 6, 7, 10, 13, 16, 19}));
  EXPECT_EQ(lot.left_from(8), (std::vector<Progression>{{10, 3}, {10, 4, 11}}));
  EXPECT_EQ(lot.left_from(11), (std::vector<Progression>{{13, 3}}));
  EXPECT_EQ(Lot().from(0), kEndless);
  EXPECT_EQ((Progression{5, kEndless - 3}.from(6)), kEndless);
  EXPECT_EQ((Progression{5, 2, 5}.from(0)), kEndless);
}

TEST(Lot, EachProgramIsJudgedOnceWhateverTheShardsAndTheWorkers) {
  for (const uint64_t shards : {1, 2, 5, 64}) {
    std::multiset<uint64_t> judged;
    for (uint64_t i = 0; i < shards; ++i) {
      std::vector<Progression> left;
      uint64_t random = 17 + i;
      for (const int workers : {3, 3, 1, 7, 2, 7, 4}) {
        std::vector<int> how_many;
        for (int w = 0; w < workers; ++w) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          how_many.push_back(static_cast<int>(random >> 60));
        }
        left = judge(deal({i, shards}, left, workers), how_many, judged);
      }
      judge(deal({i, shards}, left, 2), {1000, 1000}, judged);
    }
    ASSERT_EQ(judged.size(), kRuns) << shards;
    EXPECT_EQ(std::set<uint64_t>(judged.begin(), judged.end()).size(), kRuns) << shards;
    EXPECT_EQ(*judged.rbegin(), kRuns - 1);
  }
}

TEST(Shard, IsReadStrictly) {
  EXPECT_EQ(parse_shard("2/5"), (Shard{2, 5}));
  EXPECT_EQ(parse_shard("0/1").text(), "0/1");
  for (const char* text : {"", "/", "1", "0/0", "2/2", "3/2", "-1/3", "1/2/3", "1/ 3", "1/3x",
                           "a/b", "0x1/3", "1/1000001", "kubernetes", "kubernetes/0", "slurm/x"}) {
    try {
      parse_shard(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("legal: I/N"), std::string::npos) << e.what();
    }
  }
}

FindingRow finding(const std::string& bucket, const Cause& cause, double seen, uint64_t index) {
  return {.bucket = bucket,
          .verdict = cause.verdict,
          .oracle = "differential",
          .blame = print(cause.part),
          .nodes = 1,
          .path = "findings/" + bucket + "/reduced.case",
          .origin = fmt::format("seed=1 index={} policy=rows", index),
          .first_seen = seen,
          .cause = print(cause)};
}

Cause wrong(const std::set<std::string>& ops) {
  Cause cause;
  cause.verdict = "mismatch";
  cause.part = read_culprit("cse");
  cause.message = "wrong result";
  cause.ops = ops;
  return cause;
}

// Compares with each of those kept so far, which takes the square of their number.
std::map<std::string, std::string> folded_slowly(const std::map<std::string, Reported>& reported) {
  std::vector<std::pair<std::string, Cause>> all, representatives;
  for (const auto& [bucket, g] : reported) all.emplace_back(bucket, parse_cause(g.row.cause));
  std::ranges::sort(all, {},
                    [](const auto& t) { return std::tuple(t.second.ops.size(), t.first); });
  std::map<std::string, std::string> out;
  for (const auto& t : all) {
    const auto same = std::ranges::find_if(
        representatives, [&](const auto& s) { return same_cause(s.second, t.second); });
    out[t.first] = same == representatives.end() ? t.first : same->first;
    if (same == representatives.end()) representatives.push_back(t);
  }
  return out;
}

TEST(Fold, FindsWhatComparingAllFinds) {
  std::mt19937 draw(7);
  const char* const parts[] = {"cse", "front end", "operator aten::mm"};
  const char* const verdicts[] = {"mismatch", "bug"};
  for (int round = 0; round < 60; ++round) {
    std::map<std::string, Reported> reported;
    for (int i = 0; i < 60; ++i) {
      std::set<std::string> ops;
      for (uint32_t n = draw() % 4; n > 0; --n) ops.insert(std::string(1, 'a' + draw() % 6));
      Cause cause = wrong(ops);
      cause.verdict = verdicts[draw() % 2];
      cause.part = read_culprit(parts[draw() % 3]);
      cause.message = draw() % 2 ? "wrong result" : "error";
      const std::string bucket = fmt::format("f{}", draw() % 1000);
      reported[bucket] = {finding(bucket, cause, 1, 1), {}};
    }
    ASSERT_EQ(fold(reported), folded_slowly(reported));
  }
}

TEST(Fold, HangsOnTheSetAloneAndOnCauses) {
  std::map<std::string, Reported> reported;
  const auto add = [&](const std::string& bucket, const std::set<std::string>& ops) {
    reported[bucket] = {finding(bucket, wrong(ops), 1, 1), {}};
  };
  add("m-x", {"view", "write"});
  add("m-y", {"view"});
  add("m-a", {"compute"});
  add("m-b", {"compute", "view"});  // with either: with the first by name
  const std::map<std::string, std::string> expected = {
      {"m-x", "m-y"}, {"m-y", "m-y"}, {"m-a", "m-a"}, {"m-b", "m-a"}};
  EXPECT_EQ(fold(reported), expected);
  Cause other = wrong({"view"});
  other.verdict = "crash";
  reported["m-z"] = {finding("m-z", other, 1, 1), {}};
  EXPECT_EQ(fold(reported).at("m-z"), "m-z");
  // What names no part of a compiler says too little.
  for (const char* bucket : {"untriaged-1", "untriaged-2"})
    reported[bucket] = {finding(bucket, Cause{}, 1, 1), {}};
  EXPECT_EQ(fold(reported).at("untriaged-2"), "untriaged-2");
}

TEST(Fold, KeepsOneOfTwoWhicheverComesFirst) {
  const Reported a{finding("b", wrong({"view"}), 9, 4), {"p"}};
  Reported b = a;
  b.row.origin = "seed=1 index=30 policy=rows";
  b.row.first_seen = 2;
  Reported ab = a, ba = b;
  keep_one(ab, b);
  keep_one(ba, a);
  EXPECT_EQ(print(ab), print(ba));
  EXPECT_EQ(ab.row.origin, a.row.origin);
  EXPECT_EQ(ab.row.first_seen, 2);
  EXPECT_EQ(print(parse_reported(print(ab))), print(ab));
  Shown one{"5-0.case", "b", "o"}, other{"5-0.case", "", ""};
  keep_one(other, one);
  EXPECT_EQ(other, one);
}

Part part(uint64_t index, uint64_t of, std::vector<Sample> samples) {
  Part p;
  p.shard = {index, of};
  p.totals.programs = samples.empty() ? 0 : samples.back().programs;
  p.seconds = samples.empty() ? 0 : samples.back().seconds;
  p.job_seconds = p.seconds;
  p.samples = std::move(samples);
  return p;
}

TEST(Part, ReadsBackAndKnowsItsLaterStates) {
  Part a = part(1, 3, {{0.1234567, 5}, {1.5, 9}});
  a.reasons["skip: no elements"] = 3;
  a.totals.verdicts[2] = 4;
  a.reach.operators["aten::mm"] = 2;
  a.cost.parts["generate"] = {1, 2, 3};
  EXPECT_EQ(print(parse_part(print(a))), print(a));
  Part later = a;
  later.samples.push_back({2.5, 11});
  EXPECT_TRUE(goes_on(a, later));
  EXPECT_TRUE(goes_on(a, a));
  EXPECT_FALSE(goes_on(later, a));
  Part other = later;
  other.samples[0].seconds = 0.1234568;
  EXPECT_FALSE(goes_on(a, other));
  Part restarted = a;
  restarted.jobs = 2;
  EXPECT_NE(goes_on(a, restarted), goes_on(restarted, a));
  Part changed = a;
  changed.totals.programs = 1;
  EXPECT_FALSE(goes_on(a, changed));
}

TEST(Part, KnowsItsLaterStatesByThinnedSamples) {
  std::vector<Sample> all;
  for (uint64_t i = 0; i < 20000; ++i) all.push_back({static_cast<double>(i) + 0.25, 10 * i});
  const auto until = [&](size_t count) {  // as the store has it after so many
    std::vector<Sample> kept = {all.begin(), all.begin() + static_cast<ptrdiff_t>(count)};
    const Sample last = kept.back();
    kept = thin_out(kept, sample_step(last.seconds, count % 2 ? 512 : 4096));  // of a merge, or not
    if (!(kept.back() == last)) kept.push_back(last);
    return part(0, 2, kept);
  };
  EXPECT_EQ(sample_step(4096), 1);
  EXPECT_EQ(sample_step(604800), 256);
  for (size_t a : {1u, 7u, 4000u, 4097u, 8193u, 12345u, 19998u})
    for (size_t b : {2u, 4096u, 8192u, 8193u, 19997u, 19999u}) {
      EXPECT_LE(until(b).samples.size(), size_t{4098});
      if (a == b) continue;
      EXPECT_EQ(goes_on(until(a), until(b)), a < b) << a << " " << b;
    }
  Part other = until(19999);
  other.samples[0].programs = 1;
  EXPECT_FALSE(goes_on(until(12345), other));
}

TEST(Part, SamplesAreOnOneClock) {
  const std::vector<Part> parts = {part(0, 2, {{0.4, 3}, {1.4, 6}, {2.2, 9}}),
                                   part(1, 2, {{0.9, 10}, {3.5, 40}})};
  Reach reached;
  reached.operators = {{"a", 1}, {"b", 1}};
  const auto samples = on_one_clock(parts, 3.5, {0.7, 3.2}, reached);
  std::vector<std::vector<double>> reported;
  for (const Sample& s : samples)
    reported.push_back(
        {s.seconds, static_cast<double>(s.programs), static_cast<double>(s.findings)});
  EXPECT_EQ(reported,
            (std::vector<std::vector<double>>{{1, 13, 1}, {2, 16, 1}, {3, 19, 1}, {3.5, 49, 2}}));
  EXPECT_EQ(samples.back().operators, 2u);
}

Handed shard_output(const std::string& folder, const Part& p) {
  Handed h;
  h.folder = folder;
  h.origin = {R"({"seed":1,"plans":[]})", "build 1", p.shard.of};
  h.parts[p.shard.index] = p;
  return h;
}

std::string refusal(const Handed& first, const Handed& second) {
  Union all;
  all.add(first);
  try {
    all.add(second);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Union, RefusesWhatIsOfAnotherCampaign) {
  const Handed a = shard_output("a", part(0, 2, {{1, 5}}));
  Handed b = shard_output("b", part(1, 2, {{1, 5}}));
  EXPECT_EQ(refusal(a, b), "");
  b.origin.build = "build 2";
  EXPECT_NE(refusal(a, b).find("other builds (build 1; build 2)"), std::string::npos);
  b.origin.build = "";
  EXPECT_NE(refusal(a, b).find("does not tell which build"), std::string::npos);
  b.origin = {R"({"seed":7,"plans":[]})", "build 1", 2};
  EXPECT_NE(refusal(a, b).find("they differ in seed (1 and 7)"), std::string::npos);
  b.origin = {a.origin.identity, "build 1", 3};
  EXPECT_NE(refusal(a, b).find("of 2 shards and of 3"), std::string::npos);
  EXPECT_NE(refusal(a, shard_output("b", part(0, 2, {{2, 5}}))).find("both hold shard 0/2"),
            std::string::npos);
  EXPECT_NE(refusal(a, shard_output("b", part(5, 2, {{2, 5}}))).find("no shard 5 of 2"),
            std::string::npos);
  EXPECT_EQ(refusal(a, shard_output("b", part(0, 2, {{1, 5}, {2, 6}}))), "");
  Handed c = shard_output("c", part(1, 2, {{1, 5}})), d = a;
  c.parts[1].engines = {{"torch", "2"}};
  d.parts[0].engines = {{"torch", "1"}};
  EXPECT_NE(refusal(d, c).find("other versions"), std::string::npos);
}

TEST(Union, IsTheSameInAnyOrderAndCountsEachCaseOnce) {
  std::vector<Handed> all = {shard_output("a", part(0, 3, {{1, 5}})),
                             shard_output("b", part(1, 3, {{2, 7}})),
                             shard_output("c", part(2, 3, {{3, 9}}))};
  all[0].reported["m-x"] = {finding("m-x", wrong({"view", "write"}), 0.5, 3), {"p"}};
  all[1].reported["m-y"] = {finding("m-y", wrong({"view"}), 0.9, 4), {"q"}};
  all[2].reported["m-y"] = {finding("m-y", wrong({"view"}), 0.8, 5), {"r"}};
  all[0].shown = {{"3-0.case", "m-x", "o3"}, {"6-0.case", "", ""}};
  all[1].shown = {{"4-0.case", "m-y", all[1].reported["m-y"].row.origin}};
  all[2].shown = {{"5-0.case", "m-y", "o5"}, {"4-0.case", "m-y", "z"}};
  std::set<std::string> results;
  std::vector<size_t> order = {0, 1, 2, 1};
  do {
    Union u;
    for (const size_t i : order) u.add(all[i]);
    const MergedRows rows = u.rows(u.representatives());
    ASSERT_EQ(rows.findings.size(), 1u);
    EXPECT_EQ(rows.findings[0].bucket, "m-y");
    EXPECT_EQ(rows.findings[0].count, 3);
    EXPECT_EQ(rows.findings[0].first_seen, 0.5);
    EXPECT_EQ(u.joined_cases(u.representatives(), rows.findings).at("m-y"),
              (std::vector<std::string>{"o3", "o5"}));
    EXPECT_EQ(rows.totals.programs, 21u);
    std::string text;
    for (const auto& [key, value] : rows.meta) text += key + value;
    for (const auto& [key, value] : rows.parts) text += key + value;
    for (const auto& [key, value] : rows.reported) text += key + value;
    for (const Shown& s : rows.shown) text += s.name + s.bucket + s.origin;
    results.insert(text);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(results.size(), 1u);
}

}  // namespace
}  // namespace fusillade::fuzz
