// A pass is one row. This one, in the tables of a child alone, looks for negations: pipelines,
// campaigns and bisection know it by that.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/ir/visit.h"
#include "engine/passes/pass.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {
namespace {

bool is_negation(const Node* node) { return node->op().name == "aten::neg"; }

// Wrong of negations: they become sines.
void run(Graph& graph, Rewriter& rewriter, const std::vector<std::string>&) {
  each_node(graph.block(), [&](Node* n) {
    if (is_negation(n) && rewriter.allow("break", n)) n->set_op(operator_named("aten::sin"));
  });
}

// What `look` says where the pass is in the table.
template <class Look>
nlohmann::json with_the_pass(Look look) {
  const ChildResult r = run_isolated(
      [&] {
        Table<Pass>::instance().add({.name = "test_negations",
                                     .flags = kExact,
                                     .summary = "of a test",
                                     .run = &run,
                                     .looks_for = &is_negation});
        return nlohmann::json(look()).dump();
      },
      {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Done) << r.output;
  return nlohmann::json::parse(r.output.empty() ? "null" : r.output);
}

Case sample() {
  Case c = parse_case(
      "fusillade case 1\nprogram:\n  graph(%x : Tensor):\n    %a : Tensor = aten::exp(%x)\n"
      "    %b : Tensor = aten::neg(%a)\n    return (%b)\ncall:\n    x = f32[3] {1, 2, 3}\nend\n",
      "test");
  c.oracle = "differential";
  return c;
}

TEST(NewPass, IsReadRunAndBlamed) {
  const auto said = with_the_pass([] {
    Case c = sample();
    const std::vector<PassCall> pipeline = parse_pipeline("cse,test_negations,dce");
    const int64_t rewrites = run_pipeline(*c.program->clone(), pipeline).rewrites;
    c.plans = parse_plans({"vm/cse,test_negations,dce"});
    return std::vector<std::string>{std::to_string(rewrites), print(bisect(c, {}, 900).who)};
  });
  EXPECT_EQ(said, (nlohmann::json{"1", "test_negations/break"}));
}

TEST(NewPass, AWordThatIsNoneNamesIt) {
  const auto said = with_the_pass([] {
    try {
      parse_pipeline("test_negation");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  });
  EXPECT_NE(said.get<std::string>().find("test_negations"), std::string::npos) << said;
}

// Plans of drawn orders that hold it, and those of programs with a negation that do not.
TEST(NewPass, CampaignsDrawItWhereItHasSomethingToDo) {
  const auto said = with_the_pass([] {
    int with = 0, fitting = 0, others = 0;
    CampaignOptions options;
    for (uint64_t i = 0; i < 300; ++i) {
      const Trial trial = make_trial(options, i);
      if (!trial.program.program) continue;
      const bool fits = any_node(trial.program.program->block(), &is_negation);
      std::string plans;
      for (const Judgement& j : trial.judgements)
        for (const Plan& plan : j.plans) plans += to_string(plan) + "\n";
      const bool drawn = plans.find("test_negations") != std::string::npos;
      (fits ? fitting : others)++;
      with += fits && drawn;
    }
    return std::vector<int>{with, fitting, others};
  });
  const int with = said[0], fitting = said[1], others = said[2];
  EXPECT_GT(fitting, 10);
  EXPECT_GT(others, 10);
  EXPECT_GT(2 * with, fitting);  // most
}

}  // namespace
}  // namespace fusillade::fuzz
