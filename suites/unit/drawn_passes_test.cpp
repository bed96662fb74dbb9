// Every pass, and every word that a pass takes besides numbers, fusers and back ends, is in a plan
// that a default campaign judges: a fault of one that is in none is never found.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "engine/passes/pass.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/oracle/fold_in_ring.h"
#include "fuzz/run/training.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kPrograms = 1500;

// "cse", "cse(views)". A summary shows the words of its pass in parentheses behind its name; those
// in capitals stand for others.
std::set<std::string> all_passes() {
  std::set<std::string> out;
  for (const Pass* pass : Table<Pass>::instance().by_name()) {
    out.insert(pass->name);
    const std::regex call(pass->name + R"(\(([^)]*)\))"), word("[a-z_]+");
    const std::sregex_iterator end;
    for (std::sregex_iterator c(pass->summary.begin(), pass->summary.end(), call); c != end; ++c) {
      const std::string words = (*c)[1];
      for (std::sregex_iterator w(words.begin(), words.end(), word); w != end; ++w)
        out.insert(pass->name + "(" + w->str() + ")");
    }
  }
  return out;
}

void erase_those_of(const Plan& plan, std::set<std::string>& missing) {
  for (const PassCall& call : plan.pipeline) {
    missing.erase(call.pass->name);
    for (const std::string& word : call.args) missing.erase(call.pass->name + "(" + word + ")");
  }
}

TEST(DrawnPasses, AreAllWithAllTheirWords) {
  std::set<std::string> missing = all_passes();
  EXPECT_TRUE(missing.count("fuse(wide)") && missing.count("autodiff(save)"));
  const CampaignOptions options;
  for (uint64_t index = 0; index < kPrograms; ++index) {
    for (const Judgement& judgement : make_trial(options, index).judgements) {
      for (const Plan& plan : judgement.plans) {
        erase_those_of(plan, missing);
        if (judgement.oracle->name != "gradient") continue;
        for (const Plan& derived : plans_with_autodiff(plan)) erase_those_of(derived, missing);
      }
      if (judgement.oracle->name == "freeze")
        for (const Plan& plan : folding_plans()) erase_those_of(plan, missing);
    }
  }
  missing.erase("autodiff(mincut)");  // what it does without a word
  EXPECT_EQ(missing, std::set<std::string>());
}

}  // namespace
}  // namespace fusillade::fuzz
