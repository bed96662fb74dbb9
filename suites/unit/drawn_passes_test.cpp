// Every pass is in a plan that a default campaign draws: a fault of one that is in none is never
// found. fold_conv may round beyond the bound of any oracle; golden files are its test.
#include <gtest/gtest.h>

#include <set>

#include "engine/passes/pass.h"
#include "fuzz/campaign/judgement.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kPrograms = 1500;

TEST(DrawnPasses, AreAllButOne) {
  std::set<std::string> missing;
  for (const Pass* pass : Table<Pass>::instance().by_name()) missing.insert(pass->name);
  const CampaignOptions options;
  for (uint64_t index = 0; index < kPrograms; ++index) {
    for (const Judgement& judgement : make_trial(options, index).judgements)
      for (const Plan& plan : judgement.plans)
        for (const PassCall& call : plan.pipeline) missing.erase(call.pass->name);
  }
  std::string names;
  for (const std::string& name : missing) names += " " + name;
  EXPECT_EQ(names, " fold_conv");
}

}  // namespace
}  // namespace fusillade::fuzz
