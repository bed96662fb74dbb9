// The decision stream and the generator: uniform and reproducible draws, exhausted bytes, and
// programs that verify, run, and keep every promise of inference about them.
#include "fuzz/gen/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/gen/policy.h"
#include "fuzz/gen/tried.h"

namespace fusillade::fuzz {
namespace {

TEST(Choices, SameAddressSameStream) {
  Choices a(7, 9), b(7, 9), c(7, 10), d(8, 9);
  int c_differs = 0;
  int d_differs = 0;
  for (int i = 0; i < 100; ++i) {
    uint64_t x = a.bits();
    EXPECT_EQ(x, b.bits());
    c_differs += x != c.bits();
    d_differs += x != d.bits();
  }
  EXPECT_GT(c_differs, 95);
  EXPECT_GT(d_differs, 95);
}

TEST(Choices, MixedWidthsReproduce) {
  auto draw = [](Choices& c) {
    std::vector<uint64_t> out;
    for (int i = 0; i < 200; ++i) {
      out.push_back(c.below(3));
      out.push_back(c.below(1000));
      out.push_back(c.below(uint64_t{1} << 40));
      out.push_back(c.chance(0.5));
    }
    return out;
  };
  Choices a(1, 2), b(1, 2);
  EXPECT_EQ(draw(a), draw(b));
}

// Chi-squared with n - 1 degrees of freedom: mean n - 1, deviation sqrt(2 (n - 1)); six deviations.
TEST(Choices, BelowIsUniform) {
  for (uint64_t n : {2u, 3u, 7u, 10u, 255u, 256u, 257u}) {
    Choices c(42, n);
    constexpr int kDraws = 100000;
    std::vector<int> seen(n);
    for (int i = 0; i < kDraws; ++i) {
      uint64_t v = c.below(n);
      ASSERT_LT(v, n);
      ++seen[v];
    }
    double expected = static_cast<double>(kDraws) / static_cast<double>(n);
    double chi = 0;
    for (int s : seen) chi += (s - expected) * (s - expected) / expected;
    double freedom = static_cast<double>(n) - 1;
    EXPECT_LT(chi, freedom + 6 * std::sqrt(2 * freedom)) << n;
  }
}

TEST(Choices, BetweenReachesBothEnds) {
  Choices c(3, 3);
  std::set<int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(c.between(-2, 2));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
  for (int i = 0; i < 100; ++i) c.between(INT64_MIN, INT64_MAX);
  EXPECT_EQ(c.between(5, 5), 5);
  EXPECT_EQ(c.between(INT64_MAX, INT64_MAX), INT64_MAX);
}

TEST(Choices, ChanceAndUnit) {
  Choices c(4, 4);
  int yes = 0;
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    yes += c.chance(0.3);
    double u = c.unit();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    ASSERT_FALSE(c.chance(0));
    ASSERT_TRUE(c.chance(1));
  }
  EXPECT_NEAR(yes, 30000, 900);
  EXPECT_NEAR(sum, 50000, 600);
}

TEST(Choices, ExhaustedBytesReadAsZero) {
  uint8_t bytes[] = {1, 2};
  Choices c{std::span<const uint8_t>(bytes)};
  EXPECT_EQ(c.below(200), 1u);
  EXPECT_EQ(c.below(200), 2u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(c.bits(), 0u);
    EXPECT_EQ(c.below(77), 0u);
    EXPECT_EQ(c.between(-3, 9), -3);
    EXPECT_EQ(c.unit(), 0);
    EXPECT_FALSE(c.chance(0.99));
  }
  Choices none{std::span<const uint8_t>()};
  EXPECT_EQ(none.bits(), 0u);
}

TEST(Choices, BytesGiveEveryChance) {
  uint8_t all[] = {255, 255, 255, 0};
  Choices c{std::span<const uint8_t>(all)};
  EXPECT_TRUE(c.chance(0.01));
  EXPECT_TRUE(c.chance(1));
  EXPECT_FALSE(c.chance(0));
  EXPECT_TRUE(c.chance(1));  // certain whatever the byte
}

GenerateOptions of_policy(const std::string& policy) {
  GenerateOptions o;
  o.policy = policy;
  o.calls = 1;
  return o;
}

std::vector<std::string> graph_policies() {
  std::vector<std::string> out = policy_names();
  std::erase_if(out, [](const std::string& name) { return policy(name).source; });
  return out;
}

class GraphPolicies : public testing::TestWithParam<std::string> {};

TEST_P(GraphPolicies, ProgramsVerifyRunAndKeepPromises) {
  const Oracle& valid = oracle("valid");
  const Oracle& shapes = oracle("shapes");
  std::map<std::string, int> counts;
  for (uint64_t i = 0; i < 1000; ++i) {
    Choices choices(2024, i);
    Case c = generate_case(choices, of_policy(GetParam()));
    ASSERT_NO_THROW(verify(*c.program)) << print(c);
    ASSERT_GE(c.program->outputs().size(), 1u);
    c.oracle = "shapes";
    for (const Oracle* o : {&valid, &shapes}) {
      Verdict v = o->judge(c);
      ASSERT_FALSE(is_finding(v.kind)) << o->name << ": " << v.reason << " " << v.detail << "\n"
                                       << print(c);
    }
    for (const Node* n : c.program->block()->nodes()) ++counts[n->op().name];
  }
  EXPECT_GE(counts.size(), 40u);  // a policy leans, it does not starve
}

INSTANTIATE_TEST_SUITE_P(All, GraphPolicies, testing::ValuesIn(graph_policies()),
                         [](const auto& info) { return info.param; });

class Policies : public testing::TestWithParam<std::string> {};

TEST_P(Policies, SameDecisionsSameCase) {
  for (uint64_t i = 0; i < 50; ++i) {
    Choices a(5, i), b(5, i), other(6, i);
    std::string text = print(generate_case(a, of_policy(GetParam())));
    EXPECT_EQ(text, print(generate_case(b, of_policy(GetParam()))));
    EXPECT_NE(text, print(generate_case(other, of_policy(GetParam()))));
  }
}

TEST_P(Policies, CasesReadBack) {
  for (uint64_t i = 0; i < 200; ++i) {
    Choices choices(77, i);
    std::string text = print(generate_case(choices, of_policy(GetParam())));
    ASSERT_EQ(print(parse_case(text, "g")), text);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Policies, testing::ValuesIn(policy_names()),
                         [](const auto& info) { return info.param; });

TEST(Generate, AnyBytesGiveAValidProgram) {
  for (uint64_t i = 0; i < 2000; ++i) {
    Choices source(99, i);
    std::vector<uint8_t> bytes(source.below(300));
    bool sparse = source.chance(0.3);
    for (uint8_t& b : bytes)
      b = sparse && source.chance(0.8) ? 0 : static_cast<uint8_t>(source.below(256));
    Choices choices{std::span<const uint8_t>(bytes)};
    Case c = generate_case(choices, {});
    ASSERT_NO_THROW(verify(*c.program));
    if (!c.script.empty()) continue;  // scripts may raise
    c.oracle = "valid";
    Verdict v = oracle("valid").judge(c);
    ASSERT_FALSE(is_finding(v.kind)) << v.detail << "\n" << print(c);
  }
}

TEST(Generate, NoBytesGiveASmallProgram) {
  Choices none{std::span<const uint8_t>()};
  Case c = generate_case(none, {});
  EXPECT_LE(c.program->node_count(), 16u);
}

TEST(Generate, MaxNodesBounds) {
  GenerateOptions o;
  o.max_nodes = 3;
  size_t most = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(8, i);
    std::string used;
    most = std::max(most, generate_graph(choices, o, &used)->node_count());
  }
  EXPECT_LE(most, 30u);  // one op may bring its list, its unpacking and its loop
}

// The most elements, and the most dims, of an input.
std::pair<int64_t, int> largest_input(const Case& c) {
  int64_t elements = 0;
  int rank = 0;
  for (const IValue& v : c.calls.at(0).inputs) {
    if (!v.is_tensor()) continue;
    elements = std::max(elements, v.as_tensor().numel());
    rank = std::max(rank, v.as_tensor().sizes().rank());
  }
  return {elements, rank};
}

TEST(Generate, SomeProgramsAreLargeAndSomeHaveManyDims) {
  int long_rows = 0, ranks = 0;
  for (uint64_t index = 0; index < 60; ++index) {
    Choices large_choices(3, index), many_choices(4, index);
    const Case large = generate_case(large_choices, {.policy = "mixed", .sizes = Sizes::Large});
    const auto [elements, rank] = largest_input(large);
    EXPECT_GE(elements, 8000) << index;
    EXPECT_LE(elements, (int64_t{2} << 20) + 2) << index;
    EXPECT_LE(large.calls.size(), 2u);
    long_rows += elements >= 32768;
    const Case many = generate_case(many_choices, {.policy = "mixed", .sizes = Sizes::ManyDims});
    ranks |= 1 << largest_input(many).second;
  }
  EXPECT_GT(long_rows, 30);
  for (int rank = 5; rank <= kMaxRank; ++rank) EXPECT_TRUE(ranks & (1 << rank)) << rank;
}

TEST(Generate, MoreProgramsOfCostlyPlansAreLarge) {
  std::map<Sizes, int> cheap, costly;
  for (uint64_t index = 0; index < 20000; ++index) {
    ++cheap[draw_sizes(1, index, false)];
    ++costly[draw_sizes(1, index, true)];
  }
  EXPECT_GT(cheap[Sizes::Large], 0);
  EXPECT_GT(costly[Sizes::Large], 10 * cheap[Sizes::Large]);
  EXPECT_GT(cheap[Sizes::ManyDims], 200);
}

TEST(Generate, EveryGeneratedOperatorAppears) {
  std::set<std::string> seen;
  for (uint64_t i = 0; i < 6000; ++i) {
    Choices choices(31, i);
    std::string used;
    auto g = generate_graph(choices, {}, &used);
    each_node(g->block(), [&](const Node* n) { seen.insert(n->op().name); });
  }
  std::string missing;
  for (const Operator* op : OperatorTable::instance().by_name()) {
    if (op->generate && !op->nondeterministic && !op->side_effect && !seen.count(op->name))
      missing += op->name + " ";
  }
  EXPECT_EQ(missing, "");
}

// Groups of one to sixty nodes with up to forty arguments.
TEST(Generate, ExpressionsBecomeLargeGroups) {
  size_t most_nodes = 0, most_arguments = 0, with_one = 0;
  for (uint64_t i = 0; i < 150; ++i) {
    Choices choices(77, i);
    std::unique_ptr<Graph> g = generate_graph(choices, of_policy("groups"), nullptr);
    EXPECT_LE(g->inputs().size(), 40u);
    run_pipeline(*g, parse_pipeline("fuse(loopnest,interp)"));
    bool any = false;
    for (const Node* n : g->block()->nodes()) {
      if (&n->op() != &prim::fusion_group()) continue;
      any = true;
      most_nodes = std::max(most_nodes, n->subgraph().node_count());
      most_arguments = std::max(most_arguments, n->inputs().size());
    }
    with_one += any;
  }
  EXPECT_GE(most_nodes, 40u);
  EXPECT_GE(most_arguments, 25u);
  EXPECT_GE(with_one, 100u);
}

TEST(Generate, UnknownPolicyIsAnError) {
  Choices c(1, 1);
  EXPECT_THROW(generate_case(c, of_policy("mixd")), Error);
}

TEST(Campaign, TrialsAreAFunctionOfSeedAndIndex) {
  CampaignOptions o;
  for (uint64_t i = 0; i < 30; ++i) {
    Trial a = make_trial(o, i);
    Trial b = make_trial(o, i);
    EXPECT_EQ(print(a.program), print(b.program));
    ASSERT_EQ(a.judgements.size(), b.judgements.size());
    for (size_t k = 0; k < a.judgements.size(); ++k) {
      EXPECT_EQ(a.judgements[k].oracle, b.judgements[k].oracle);
      EXPECT_EQ(a.judgements[k].plans, b.judgements[k].plans);
    }
  }
}

TEST(Tried, WhatAsksForMuchMemoryOnTheWayDoesNotRun) {
  auto sum_of = [](int64_t elements) {
    return runs([=]() -> std::vector<IValue> {
      const Tensor zeros = Tensor::zeros({elements}, DType::F32);
      return {IValue(zeros.numel())};
    });
  };
  EXPECT_TRUE(sum_of(int64_t{1} << 20));
  EXPECT_FALSE(sum_of(int64_t{1} << 25));
  EXPECT_EQ(Tensor::zeros({int64_t{1} << 25}, DType::F32).numel(), int64_t{1} << 25);
}

TEST(Campaign, UnknownWordsAreErrors) {
  CampaignOptions plans, oracles, policies;
  plans.plans = {read_plan("vm/nosuch")};
  oracles.oracles = {"nosuch"};
  policies.policy = "nosuch";
  for (const CampaignOptions* o : {&plans, &oracles, &policies}) EXPECT_THROW(validate(*o), Error);
  EXPECT_NO_THROW(validate({}));
  for (const Plan& p : default_plans()) EXPECT_TRUE(engine_of(p).drawn) << p.text;
}

}  // namespace
}  // namespace fusillade::fuzz
