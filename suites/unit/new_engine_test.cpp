// An engine is one file with one row. This one runs each call once on copies of the inputs and once
// on the inputs, has no graph to look at and takes no passes; nothing else in the tree knows it.
#include <gtest/gtest.h>

#include <atomic>

#include "engine/run/plan.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/outcome.h"

namespace fusillade {
namespace {

std::atomic<int> g_with_script = 0;  // programs that came with their text

class Twice : public Executable {
 public:
  explicit Twice(const ProgramView& program) : inner_(prepare(program, reference_plan())) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    fuzz::Call copy = fuzz::copy_call({inputs});
    std::vector<IValue> first = inner_->run(copy.inputs);
    std::vector<IValue> second = inner_->run(inputs);
    FUS_CHECK(first.size() == second.size(), "{} results, then {}", first.size(), second.size());
    return second;
  }

 private:
  std::unique_ptr<Executable> inner_;
};

std::unique_ptr<Executable> prepare_twice(const ProgramView& program, const Plan&,
                                          std::unique_ptr<Graph> optimised) {
  FUS_CHECK(!optimised, "our passes ran for an engine without them");
  g_with_script += !program.script.empty();
  return std::make_unique<Twice>(program);
}

DrawnPlans drawn_twice() { return {.one_of = {"twice"}}; }

const Engine& kTwice = Table<Engine>::instance().add({.name = "twice",
                                                      .summary = "the reference, two times",
                                                      .prepare = &prepare_twice,
                                                      .runs_passes = false,
                                                      .drawn = &drawn_twice});

const Engine& kTextOnly = Table<Engine>::instance().add({.name = "text_only",
                                                         .summary = "takes scripts",
                                                         .prepare = &prepare_twice,
                                                         .takes = Engine::kScript,
                                                         .runs_passes = false});

constexpr const char* kProgram = R"(graph(%x : int):
  %two : int = prim::Constant[value=2]()
  %y : int = aten::mul(%x, %two)
  return (%y)
)";

std::string error_of(const char* plan) {
  try {
    parse_plan(plan);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(NewEngine, IsParsedAndListed) {
  EXPECT_EQ(to_string(parse_plan("twice")), "twice");
  EXPECT_EQ(&engine_of(parse_plan("twice")), &kTwice);
  EXPECT_EQ(error_of("twice/cse"), "plan 'twice/cse', column 7: engine 'twice' runs no passes");
  EXPECT_NE(error_of("twicf").find("did you mean twice"), std::string::npos);
  std::vector<const Engine*> all = engines();
  EXPECT_EQ(all[0]->name, reference_name());
  EXPECT_EQ(std::count(all.begin(), all.end(), &kTwice), 1);
}

TEST(NewEngine, IsPreparedAndHasNoGraph) {
  auto graph = parse_graph(kProgram);
  auto executable = prepare(*graph, parse_plan("twice"));
  EXPECT_EQ(executable->graph(), nullptr);
  EXPECT_EQ(executable->run({IValue(21)})[0].as_int(), 42);
}

TEST(NewEngine, OneThatTakesOnlyTextGetsItFromACase) {
  EXPECT_THROW(prepare(*parse_graph(kProgram), parse_plan("text_only")), Unsupported);
  fuzz::Case c;
  set_script(c, "def f(x: int) -> int:\n    return x * 2\n", "<test>");
  fuzz::Call call{{IValue(21)}};
  int before = g_with_script;
  EXPECT_EQ(fuzz::Prepared(c, parse_plan("text_only")).run(call).outputs[0].as_int(), 42);
  EXPECT_EQ(g_with_script, before + 1);
  fuzz::Outcome declined = fuzz::Prepared::of_graph(*c.program, parse_plan("text_only")).run(call);
  EXPECT_EQ(declined.kind, fuzz::Outcome::Kind::Declined);
}

TEST(NewEngine, MeetsEveryOracleInCampaigns) {
  const std::vector<std::string> plans = texts_of(fuzz::default_plans());
  EXPECT_EQ(std::count(plans.begin(), plans.end(), "twice"), 1);
  EXPECT_EQ(std::count(plans.begin(), plans.end(), "text_only"), 0);
  fuzz::CampaignOptions options;
  for (uint64_t i = 0; i < 20; ++i) {
    for (const fuzz::Judgement& j : fuzz::make_trial(options, i).judgements) {
      if (j.oracle->form == fuzz::Form::Any && !j.plans.empty())
        EXPECT_EQ(std::ranges::count(texts_of(j.plans), "twice"), 1) << j.oracle->name;
    }
  }
}

TEST(NewEngine, OraclesJudgeIt) {
  fuzz::Case c;
  set_script(c, "def f(x: int) -> int:\n    return x * 2\n", "<test>");
  c.calls = {{{IValue(21)}}};
  c.plans = parse_plans({"twice"});
  for (const fuzz::Oracle* o : Table<fuzz::Oracle>::instance().by_name()) {
    c.oracle = o->name;
    fuzz::Verdict v = fuzz::judge_here(c);
    EXPECT_FALSE(is_finding(v.kind)) << o->name << ": " << v.reason << " " << v.detail;
  }
}

}  // namespace
}  // namespace fusillade
