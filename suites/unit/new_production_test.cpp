// A production is one row, and a policy names it: nothing else in the tree knows this one.
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/passes/pass.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/campaign/reach.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

// A tensor, added to itself.
void add_to_itself(GraphState& g, int) {
  const Operator* add = drawable(g, operator_named("aten::add.Tensor"));
  Value* x = pick_tensor(g);
  if (add) with_defaults(g, *add, {x, x});
}

[[maybe_unused]] const bool kProduction =
    add_productions(Grammar::Step, 100, {{"test_add_to_itself", "x + x", 0, add_to_itself}});

const Policy& registered =
    Table<Policy>::instance().add({.name = "test_sums",
                                   .summary = "sums of a tensor and itself",
                                   .weight = 0,
                                   .productions = "test_add_to_itself 1000, fail 0, random 0",
                                   .min_ops = 3,
                                   .max_ops = 3});

const Production& production(const std::string& name) {
  return *Table<Production>::instance().find(name);
}

uint64_t count_of(const std::vector<uint32_t>& counts, const std::string& name) {
  const size_t number = production(name).number;
  return number < counts.size() ? counts[number] : 0;
}

TEST(Production, IsDrawnAndCountedWhereAPolicyNamesIt) {
  uint64_t produced = 0, sums = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    Choices choices(1, i);
    GenerateOptions options;
    options.policy = "test_sums";
    Case c = generate_case(choices, options);
    produced += count_of(choices.productions(), "test_add_to_itself");
    for (const Node* n : c.program->block()->nodes())
      sums += n->op().name == "aten::add.Tensor" && n->input(0) == n->input(1);
  }
  EXPECT_GE(produced, 140u);
  EXPECT_GE(sums, produced);
}

TEST(Production, IsNotDrawnWhereNoPolicyNamesIt) {
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(1, i);
    generate_case(choices, {});
    EXPECT_EQ(count_of(choices.productions(), "test_add_to_itself"), 0u);
  }
}

TEST(Production, EachIsMadeInTheDefaultCampaign) {
  CampaignOptions options;
  auto slot = std::make_unique<Slot>();
  for (uint64_t i = 0; i < 1500; ++i) slot->count_productions(make_trial(options, i).productions);
  Reach reach;
  reach.add(*slot);
  std::vector<std::string> missing = reach.missing_productions();
  // Those that only workers run.
  std::erase_if(missing, [](const std::string& name) { return name.starts_with("python."); });
  EXPECT_EQ(join(missing, " "), "test_add_to_itself");
  EXPECT_EQ(Reach::parse(reach.text()).productions, reach.productions);
}

TEST(Production, ReachOfAnOlderCampaignReads) {
  const Reach read = Reach::parse(R"({"rows":{"aten::neg":2},"rewrites":{},"guards":{}})");
  EXPECT_EQ(read.operators.at("aten::neg"), 2u);
  EXPECT_TRUE(read.productions.empty());
}

TEST(Policy, OfAnUnknownProductionIsAnError) {
  Policy policy{.name = "bad", .summary = "", .productions = "lopo 1"};
  try {
    resolve(policy);
    FAIL() << "an unknown production was taken";
  } catch (const Error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("'bad'"), std::string::npos) << said;
    EXPECT_NE(said.find("'lopo'"), std::string::npos) << said;
    EXPECT_NE(said.find("did you mean loop"), std::string::npos) << said;
  }
}

TEST(Policy, WithANameAndNoWeightIsAnError) {
  for (const char* text : {"loop", "loop x", "loop 1, branch"}) {
    Policy policy{.name = "bad", .summary = "", .productions = text};
    EXPECT_THROW(resolve(policy), Error) << text;
  }
}

TEST(Policy, LaterWeightOfANameCounts) {
  Policy policy{.name = "two", .summary = "", .productions = "loop 7, loop 0"};
  resolve(policy);
  for (const Share& s : policy.shares(Grammar::Step).weighted)
    EXPECT_NE(s.production->name, "loop");
}

// Each pass finds what it looks for, and only that.
TEST(Passes, LookForKindsOfNodes) {
  const auto names = [](const char* text) {
    std::vector<std::string> out;
    for (const Pass* pass : passes_looking_for(*parse_graph(text))) out.push_back(pass->name);
    return join(out, " ");
  };
  EXPECT_EQ(names("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n"), "");
  EXPECT_EQ(names("graph(%x : Tensor):\n  %y : Tensor = aten::neg_(%x)\n  return (%y)\n"),
            "final_stores remove_tensor_mutation whole_stores");
  EXPECT_EQ(names("graph(%x : Tensor, %y : Tensor):\n  %z : Tensor = aten::mm(%x, %y)\n"
                  "  return (%z)\n"),
            "batch_mm decompose sum_products");
}

}  // namespace
}  // namespace fusillade::fuzz
