// Policies with weights, as --policy takes them, and as an earlier campaign's yield gives them.
#include "fuzz/gen/policy_mix.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "fuzz/campaign/yield_mix.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

std::string error_of(const std::string& text) {
  try {
    PolicyMix mix(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

uint64_t weight_in(const std::string& text, const std::string& name) {
  const PolicyMix mix(text);
  for (const auto& [drawn, weight] : mix.weights())
    if (drawn->name == name) return weight;
  return 0;
}

json campaign(const std::string& policy, const json& causes) {
  json rows = json::array();
  for (const auto& [name, n] : causes.items())
    rows.push_back({{"by", "policy"}, {"name", name}, {"causes", n}});
  rows.push_back({{"by", "oracle"}, {"name", "chains"}, {"causes", 99}});
  return {{"schema", 3}, {"policy", policy}, {"found_by", rows}};
}

TEST(PolicyMix, DrawsByItsWeights) {
  const PolicyMix mix("chains=3,large=1");
  int large = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    Choices choices(1, i);
    large += mix.draw(choices).name == "large";
  }
  EXPECT_NEAR(large, 1000, 5 * 27.4);  // five deviations
}

TEST(PolicyMix, OneTakesNoDecision) {
  Choices drawn(1, 7), other(1, 7);
  EXPECT_EQ(PolicyMix("chains").draw(drawn).name, "chains");
  EXPECT_EQ(drawn.bits(), other.bits());
}

TEST(PolicyMix, EmptyIsAllThatHaveAWeight) {
  const PolicyMix all("");
  for (const auto& [drawn, weight] : all.weights())
    EXPECT_EQ(weight, static_cast<uint64_t>(drawn->weight)) << drawn->name;
  EXPECT_EQ(weight_in("", "python"), 0u);
}

TEST(PolicyMix, SaysWhatIsIllegal) {
  EXPECT_NE(error_of("chans").find("did you mean"), std::string::npos);
  EXPECT_NE(error_of("chains,large=1").find("'chains' has no weight"), std::string::npos);
  EXPECT_NE(error_of("chains=1,chains=2").find("'chains' is there twice"), std::string::npos);
  for (const char* weight : {"0", "-1", "1.5", "", "1000001", "x"})
    EXPECT_NE(error_of(std::string("chains=") + weight).find("is no weight"), std::string::npos)
        << weight;
}

TEST(YieldMix, WhatFoundMoreIsDrawnMore) {
  const std::string mix = mix_by_yield(campaign("", {{"chains", 20}}));
  EXPECT_EQ(mix, mix_by_yield(campaign("", {{"chains", 20}})));
  EXPECT_GT(weight_in(mix, "chains"), 8 * weight_in("", "chains"));
  EXPECT_LT(weight_in(mix, "large"), 8 * weight_in("", "large"));
  EXPECT_GT(weight_in(mix, "large"), 0u);
}

TEST(YieldMix, ItIsBoundedAndSmallCountsChangeLittle) {
  const std::string many = mix_by_yield(campaign("", {{"chains", 1000000}}));
  EXPECT_EQ(weight_in(many, "chains"), 32 * weight_in("", "chains"));
  EXPECT_EQ(weight_in(many, "large"), 2 * weight_in("", "large"));
  const std::string none = mix_by_yield(campaign("", json::object()));
  EXPECT_EQ(weight_in(none, "chains"), 8 * weight_in("", "chains"));
}

TEST(YieldMix, FollowsThoseThatWereDrawnAlone) {
  const std::string mix = mix_by_yield(campaign("chains=1,large=1", {{"large", 9}}));
  EXPECT_EQ(PolicyMix(mix).weights().size(), 2u);
  EXPECT_THROW(mix_by_yield(campaign("chains", {{"chains", 9}})), Error);
}

TEST(YieldMix, RefusesWhatNoCampaignWrites) {
  const auto refuses = [](json c) { EXPECT_THROW(mix_by_yield(c), Error) << c.dump(); };
  json c = campaign("", {{"chains", 1}});
  c["schema"] = 99;
  refuses(c);
  c.erase("schema");
  refuses(c);
  refuses(campaign("", {{"chains", -4}}));
}

}  // namespace
}  // namespace fusillade::fuzz
