// Which pass is blamed for a regression, on counts as if two builds had been counted.
#include "bench/harness/blame.h"

#include <gtest/gtest.h>

namespace fusillade::bench {
namespace {

std::vector<std::string> plans(const std::string& plan, bool backward) {
  std::vector<std::string> out;
  for (const Trial& t : trials_of(parse_plan(plan), backward)) out.push_back(t.plan);
  return out;
}

// Of the plan, 10000 instructions before under each trial, and so many more after.
std::vector<Trial> trials_with(const std::string& plan, bool backward,
                               const std::vector<int>& extra) {
  std::vector<Trial> out = trials_of(parse_plan(plan), backward);
  EXPECT_EQ(out.size(), extra.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].before = 10000;
    out[i].after = 10000 + extra[i];
    out[i].before_code = out[i].after_code = "same";
  }
  return out;
}

constexpr const char* kBackward = "vm/inline,cse,autodiff(whole,mincut,2)";

TEST(BlameTest, TrialsGoFromNothingToAll) {
  EXPECT_EQ(plans("vm/inline,cse~7", false),
            (std::vector<std::string>{"vm", "vm/inline", "vm/inline,cse"}));
  EXPECT_EQ(plans("eager", true), (std::vector<std::string>{"eager"}));
}

TEST(BlameTest, GradientsAreTriedAloneAndKept) {
  EXPECT_EQ(plans(kBackward, true),
            (std::vector<std::string>{"vm", "vm/autodiff(whole,mincut,2)",
                                      "vm/inline,autodiff(whole,mincut,2)", kBackward}));
  EXPECT_EQ(plans("vm/inline,autodiff(save),dce", true),
            (std::vector<std::string>{"vm", "vm/autodiff(save)", "vm/inline,autodiff(save)",
                                      "vm/inline,autodiff(save),dce"}));
  EXPECT_EQ(plans("vm/autodiff(save),dce", false),
            (std::vector<std::string>{"vm", "vm/autodiff(save)", "vm/autodiff(save),dce"}));
}

TEST(BlameTest, WhatIsThereWithGradientsAloneIsNoOtherPass) {
  EXPECT_EQ(blame_text(trials_with(kBackward, true, {0, 435, 435, 500})),
            "pass autodiff (the pipeline of gradients): +0.00 % without it, +4.35 % with it, "
            "+5.00 % with all");
  EXPECT_EQ(blame_text(trials_with(kBackward, true, {0, 0, 0, 500})),
            "pass cse: +0.00 % without it, +5.00 % with it");
  EXPECT_EQ(blame_text(trials_with(kBackward, true, {450, 460, 460, 500})),
            "no pass: +4.50 % without any");
}

TEST(BlameTest, OtherGraphsOfGradientsTellOnlyWithTheirGrowth) {
  std::vector<Trial> trials = trials_with(kBackward, true, {0, 10, 10, 500});
  for (size_t i = 1; i < trials.size(); ++i) trials[i].after_code = "other";
  EXPECT_EQ(blame_text(trials), "pass cse: +0.10 % without it, +5.00 % with it");
  trials[1].after = trials[2].after = 10400;
  EXPECT_EQ(blame_text(trials),
            "pass autodiff (the pipeline of gradients): +0.00 % without it, +4.00 % with it, "
            "+5.00 % with all");
}

TEST(BlameTest, OtherGraphsAreOfThePassBeforeThem) {
  std::vector<Trial> trials = trials_with("vm/cse,licm,dce", false, {0, 0, 500, 500});
  for (size_t i = 1; i < trials.size(); ++i) trials[i].after_code = "other";
  EXPECT_EQ(blame_text(trials), "pass cse: +0.00 % without it, +0.00 % with it, +5.00 % with all");
}

TEST(BlameTest, LessThanHalfIsNotReported) {
  EXPECT_EQ(blame_text(trials_with("vm/inline,cse,dce", false, {0, 200, 350, 500})),
            "unknown: +5.00 % with all, no pass adds half of it");
  EXPECT_EQ(blame_text(trials_with("vm/inline,cse,dce", false, {0, 250, 350, 500})),
            "pass inline: +0.00 % without it, +2.50 % with it, +5.00 % with all");
}

TEST(BlameTest, APassThatStandsTwiceIsBlamedInAll) {
  EXPECT_EQ(blame_text(trials_with("vm/cse,inline,cse(views)", false, {0, 200, 300, 500})),
            "pass cse: 80 % of +5.00 %, by 2 of it together");
}

TEST(BlameTest, WhatIsNoGrowthIsNoPass) {
  EXPECT_EQ(blame_text(trials_with("vm/cse", false, {0, 50})), "no pass: counted, it is +0.50 %");
}

}  // namespace
}  // namespace fusillade::bench
