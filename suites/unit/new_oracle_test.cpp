// An oracle is one file with one row, and the row says how its findings are blamed. These two, in
// the tables of a child alone, claim that no program gives a NaN; a part of ours is at fault, or by
// the row of one an operator by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fuzz/bisect/bisect.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kPart = "test part";

bool has_nan(const IValue& v) {
  if (!v.is_tensor() || !is_float(v.as_tensor().dtype())) return false;
  for (int64_t i = 0; i < v.as_tensor().numel(); ++i)
    if (std::isnan(element_as_double(v.as_tensor(), i))) return true;
  return false;
}

Verdict judge_nans(const Case& c) {
  Judging judging;
  Prepared eager(c, reference_plan());
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Outcome o = eager.run(c.calls[i]);
    Verdict step;
    step.elements = {1, 1, 0};
    if (std::ranges::any_of(o.outputs, &has_nan)) {
      step = mismatch("nan", "a result is no number");
      step.part = kPart;
    }
    if (judging.add(std::move(step), reference_plan(), static_cast<int>(i)))
      return judging.verdict();
  }
  return judging.verdict();
}

template <class Look>
nlohmann::json with_the_oracles(Look look) {
  const ChildResult r = run_isolated(
      [&] {
        Table<Oracle>::instance().add(
            {.name = "test_nan_part", .summary = "of a test", .judge = &judge_nans, .part = kPart});
        Table<Oracle>::instance().add({.name = "test_nan_operator",
                                       .summary = "of a test",
                                       .judge = &judge_nans,
                                       .part = kPart,
                                       .blaming = {.alone = Alone::Graph}});
        return nlohmann::json(look()).dump();
      },
      {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Done) << r.output;
  return nlohmann::json::parse(r.output.empty() ? "null" : r.output);
}

Case sample(const std::string& oracle, const char* values) {
  Case c =
      parse_case(std::string("fusillade case 1\nprogram:\n  graph(%x : Tensor):\n"
                             "    %a : Tensor = aten::neg(%x)\n    %b : Tensor = aten::log(%a)\n"
                             "    return (%b)\ncall:\n    x = f32[2] ") +
                     values + "\nend\n",
                 "test");
  c.oracle = oracle;
  c.plans = {reference_plan()};
  return c;
}

TEST(NewOracle, IsJudgedAndBlamedAsItsRowSays) {
  const auto said = with_the_oracles([] {
    std::vector<std::string> out;
    for (const char* oracle : {"test_nan_part", "test_nan_operator"})
      out.push_back(print(bisect(sample(oracle, "{1, 2}"), {}, 900).who));
    return out;
  });
  EXPECT_EQ(said, (nlohmann::json{kPart, "operator aten::log"}));
}

TEST(NewOracle, IsQuietOnRightPrograms) {
  const auto said = with_the_oracles([] {
    const Case c = sample("test_nan_part", "{-1, -2}");
    const Culprit who = bisect(c, {}, 900).who;
    return std::vector<std::string>{name_of(judge_isolated(c, {}).kind), print(who)};
  });
  EXPECT_EQ(said, (nlohmann::json{name_of(VerdictKind::Ok), "not reproduced"}));
}

TEST(NewOracle, CampaignsAskIt) {
  const auto said = with_the_oracles([] {
    int asked = 0;
    for (uint64_t i = 0; i < 200; ++i)
      for (const Judgement& j : make_trial({}, i).judgements)
        asked += j.oracle->name == "test_nan_part";
    return asked;
  });
  EXPECT_GT(said.get<int>(), 0);
}

}  // namespace
}  // namespace fusillade::fuzz
