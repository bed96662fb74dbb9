// What builds said of a finding, and what that makes of it.
#include "fuzz/campaign/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/store.h"

namespace fusillade::fuzz {
namespace {

TEST(Observation, TheBuildThatSpokeLastHasIt) {
  using enum FindingState;
  EXPECT_EQ(state_of({}), Open);
  EXPECT_EQ(state_of({{"b", "1", true, 5}}), Open);
  EXPECT_EQ(state_of({{"b", "1", true, 5}, {"b", "2", false, 6}}), Closed);
  EXPECT_EQ(state_of({{"b", "1", true, 7}, {"b", "2", false, 6}}), Reopened);
  EXPECT_EQ(state_of({{"b", "1", true, 7}, {"b", "1", false, 6}}), Reopened);
  EXPECT_EQ(state_of({{"b", "1", true, 7}, {"b", "1", false, 8}}), Closed);
  EXPECT_EQ(state_of({{"b", "1", true, 7}, {"b", "2", false, 7}}), Reopened);  // at one time
}

TEST(Observation, OfFindingsThatAreOneCauseABuildShowsItIfOneDoes) {
  std::vector<Observation> observations = {{"a", "1", false, 9}, {"b", "1", true, 5}};
  EXPECT_EQ(state_of(observations), FindingState::Reopened);
  observations.push_back({"b", "1", false, 6});
  EXPECT_EQ(state_of(observations), FindingState::Closed);
  ASSERT_EQ(by_build(observations).size(), 1u);
  EXPECT_EQ(by_build(observations)[0].at, 9);
}

TEST(Observation, TheOrderOfWordsIsNothing) {
  std::vector<Observation> observations = {{"a", "1", true, 3},
                                           {"a", "2", false, 4},
                                           {"b", "2", true, 2},
                                           {"b", "3", false, 4},
                                           {"a", "3", true, 1}};
  std::ranges::sort(observations);
  const FindingState state = state_of(observations);
  do {
    EXPECT_EQ(state_of(observations), state);
  } while (std::ranges::next_permutation(observations).found);
}

// What is said again by the same build is not news; what another said between is.
TEST(Observation, AFindingIsClosedSinceNoneShowedIt) {
  EXPECT_EQ(closed_since({{"b", "1", true, 5, 5}}), 0);
  EXPECT_EQ(closed_since({{"b", "1", true, 5, 5}, {"b", "2", false, 90, 6}}), 6);
  EXPECT_EQ(closed_since({{"b", "1", true, 50, 5}, {"b", "2", false, 90, 6}}), 50);
  const std::string folder = testing::TempDir() + "/closed_since";
  std::filesystem::create_directories(folder);
  Store store(folder);
  const auto since = [&] { return closed_since(store.observations()); };
  store.say("b", "1", false, 100);
  store.say("b", "1", false, 200);
  EXPECT_EQ(since(), 100);
  store.say("b", "1", true, 300);
  EXPECT_EQ(since(), 0);
  store.say("b", "1", false, 400);
  store.say("b", "1", false, 500);
  EXPECT_EQ(since(), 400);
  std::filesystem::remove_all(folder);
}

TEST(Observation, BuildsAreDistinguishedByTime) {
  nlohmann::json finding;
  put_observations(finding, {});
  EXPECT_EQ(finding, nlohmann::json({{"state", "open"}}));
  put_observations(finding, {{"b", "new", false, 86400}, {"b", "old", true, 0}});
  EXPECT_EQ(finding["state"], "closed");
  EXPECT_EQ(finding["builds"][0]["build"], "old");
  EXPECT_EQ(finding["builds"][1]["at"], "1970-01-02T00:00:00Z");
  EXPECT_EQ(build_name("fusillade 1.2.3\ncommit ab\nbuild Release", {{"torch", "PyTorch 2"}}),
            "fusillade 1.2.3, commit ab; torch: PyTorch 2");
}

TEST(Observation, AStoreKeepsThemAndWhatIsSaidLastCounts) {
  const std::string out = std::filesystem::temp_directory_path() / "fusillade_words";
  std::filesystem::remove_all(out);
  std::filesystem::create_directories(out);
  Store store(out);
  FindingRow row;
  row.bucket = "b";
  EXPECT_TRUE(store.add_finding(row, "1.case"));
  EXPECT_FALSE(store.shows_again("b", "x", 50));  // nobody spoke of it
  EXPECT_TRUE(store.observations().empty());
  store.say("b", "x", false, 100);
  EXPECT_EQ(store.findings()[0].state(), FindingState::Closed);
  EXPECT_TRUE(store.shows_again("b", "x", 90));  // by a clock that went back
  EXPECT_EQ(store.findings()[0].state(), FindingState::Reopened);
  EXPECT_FALSE(store.shows_again("b", "x", 95));
  store.say("b", "x", false, 10);
  EXPECT_EQ(store.findings()[0].state(), FindingState::Closed);
  EXPECT_EQ(store.outdated_findings(), std::vector<std::string>{"b"});
  store.clear_outdated();
  EXPECT_TRUE(store.outdated_findings().empty());
  EXPECT_FALSE(store.add_finding(row, "2.case"));
  EXPECT_EQ(store.outdated_findings(), std::vector<std::string>{"b"});
  std::filesystem::remove_all(out);
}

}  // namespace
}  // namespace fusillade::fuzz
