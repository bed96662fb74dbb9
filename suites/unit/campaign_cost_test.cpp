// What a judgement costs, in counts that no clock decides: executions under each oracle, gradients
// derived, clocks read; and the account of processor time that a campaign keeps.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/passes/pass.h"
#include "engine/passes/pass_times.h"
#include "engine/run/derivations.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/cost.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kPrograms = 160;
constexpr uint64_t kMostOfAProgram = 85;  // executions in the mean, all its judgements together
constexpr uint64_t kMostOfAGradient = 66;
constexpr double kLeastShared = 0.3;

uint64_t hits(const std::string& name) {
  for (const Probe* p : probes())
    if (p->name() == name) return p->count();
  return 0;
}

TEST(CampaignCost, AJudgementOfTheDefaultCampaignIsBounded) {
  std::map<std::string, Spent> by;
  uint64_t executions = 0;
  const uint64_t derived = hits("autodiff/derived"), shared = hits("autodiff/shared");
  CampaignOptions options;
  options.seed = 39;
  for (uint64_t i = 0; i < kPrograms; ++i) {
    Trial trial = make_trial(options, i);
    for (const Judgement& j : trial.judgements) {
      if (j.oracle->form != Form::Any) continue;  // those ask CPython
      trial.program.oracle = j.oracle->name;
      trial.program.plans = j.plans;
      // Other tests register passes and an engine, some of them wrong on purpose.
      std::erase_if(trial.program.plans, [](const Plan& plan) {
        return plan.text.find("test_") != std::string::npos || plan.engine == "twice";
      });
      if (trial.program.plans.empty()) continue;
      const Verdict v = judge_here(trial.program);
      EXPECT_FALSE(is_finding(v.kind))
          << trial.program.origin << " " << v.oracle << " " << v.detail;
      ++by[j.oracle->name].times;
      by[j.oracle->name].executions += v.executions;
      executions += v.executions;
    }
  }
  EXPECT_LE(executions, kMostOfAProgram * kPrograms);
  const Spent& gradient = by["gradient"];
  ASSERT_GT(gradient.times, 4u);
  EXPECT_LE(gradient.executions, kMostOfAGradient * gradient.times);
  const auto taken = static_cast<double>(hits("autodiff/shared") - shared);
  EXPECT_GE(taken, kLeastShared * static_cast<double>(hits("autodiff/derived") - derived));
}

Tensor ones() {
  Tensor t = Tensor::zeros({3}, DType::F32);
  for (int64_t i = 0; i < 3; ++i) set_element(t, i, 1.0);
  return t;
}

TEST(CampaignCost, PlansThatDifferInTheirFuserShareWhatIsDerived) {
  const auto graph = parse_graph(R"(graph(%x : Tensor):
  %a : Tensor = aten::tanh(%x)
  %b : Tensor = aten::mul(%a, %x)
  return (%b))");
  const auto run = [&](const std::string& plan) {
    eager::Gradients on;
    const auto ready = prepare({*graph}, parse_plan(plan));
    const Tensor x = ones();
    const IValue leaf = eager::requires_grad(x);
    const std::vector<IValue> out = ready->run({leaf});
    const std::vector<Tensor> grads =
        eager::gradients({out[0].as_tensor()}, {x}, {.seeds = {ones()}});
    return element_as_double(grads.at(0), 0);
  };
  const double wanted = run("eager");
  const Derivations shared;
  EXPECT_EQ(run("vm/autodiff(1,loopnest,interp)"), run("vm/autodiff(1,pointwise,interp)"));
  EXPECT_NEAR(run("vm/autodiff(1)"), wanted, 1e-6);
  EXPECT_EQ(shared.misses(), 1u);
  EXPECT_EQ(shared.hits(), 2u);
  EXPECT_NEAR(run("vm/autodiff(1,whole)"), wanted, 1e-6);
  EXPECT_EQ(shared.misses(), 2u) << "a whole function is another derivation";
}

TEST(CampaignCost, PassesReadTheClockForThoseWhoAskAlone) {
  const auto seconds = [] {
    const auto graph = parse_graph("graph(%x : Tensor):\n  return (%x)");
    double out = 0;
    for (const PassStat& s : run_pipeline(*graph, parse_pipeline("o2")).stats) out += s.seconds;
    return out;
  };
  EXPECT_EQ(seconds(), 0);
  {
    const PassTimes asked;
    EXPECT_GT(seconds(), 0);
  }
  EXPECT_EQ(seconds(), 0);
}

void spin() {
  const uint64_t end = process_ns() + 2'000'000;
  while (process_ns() < end) {
  }
}

TEST(CampaignCost, TimeCountsForTheInnermostStage) {
  {
    const StageScope nowhere(Stage::Run);
  }
  StageTimes times;
  time_stages(&times);
  {
    const StageScope outer(Stage::Run);
    const StageScope inner(Stage::Shadow);
    spin();
  }
  time_stages(nullptr);
  spin();
  const auto of = [&](Stage s) { return times.ns[static_cast<int>(s)]; };
  EXPECT_GT(of(Stage::Shadow), of(Stage::Run));
  EXPECT_GT(of(Stage::Shadow), 0u);
  EXPECT_EQ(of(Stage::Compile), 0u);
}

TEST(CampaignCost, AnAccountReadsBackAndAdds) {
  auto slot = std::make_unique<Slot>();
  slot->count_cost("gradient", 40, 3'000'000);
  slot->count_cost("gradient", 44, 5'000'000);
  slot->count_cost(kGenerate, 0, 2'000'000);
  slot->stages.ns[static_cast<int>(Stage::Run)] = 300;
  slot->stages.ns[static_cast<int>(Stage::Judge)] = 100;
  Cost cost;
  cost.add(*slot);
  cost = Cost::parse(cost.text());
  cost.add(*slot);  // the campaign goes on
  const nlohmann::json table = cost.table();
  ASSERT_EQ(table["parts"].size(), 2u);
  const nlohmann::json& first = table["parts"][0];
  EXPECT_EQ(first["part"], "gradient");
  EXPECT_EQ(first["times"], 4);
  EXPECT_EQ(first["executions"], 168);
  EXPECT_NEAR(first["cpu_us_each"].get<double>(), 4000, 1e-9);
  EXPECT_NEAR(first["share"].get<double>(), 0.8, 1e-12);
  EXPECT_NEAR(table["cpu_seconds"].get<double>(), 0.02, 1e-12);
  EXPECT_NEAR(table["stages"]["run"].get<double>(), 0.75, 1e-12);
  EXPECT_NE(cost_summary(table).find("| gradient | 4 | 4000 | 42.0 | 80.0 % |"), std::string::npos);
  EXPECT_EQ(cost_summary(Cost().table()), "");
}

}  // namespace
}  // namespace fusillade::fuzz
