// What a triage tells its campaign: no field of it is believed unseen.
#include "fuzz/campaign/triage_result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

json good() {
  return {{"bucket", "mismatch-pass-0123456789ab"},
          {"verdict", "mismatch"},
          {"oracle", "differential"},
          {"blame", "pass dce"},
          {"nodes", 3},
          {"path", "findings/mismatch-pass-0123456789ab/reduced.case"},
          {"origin", "seed=1 index=2"},
          {"cause", "{}"},
          {"let_go", ""}};
}

TEST(TriageResult, IsARowOrAReasonForNone) {
  std::string let_go;
  const FindingRow row = parse_triage_result(good().dump(), &let_go);
  EXPECT_EQ(row.bucket, "mismatch-pass-0123456789ab");
  EXPECT_EQ(row.nodes, 3);
  EXPECT_EQ(let_go, "");
  json joined = good();
  joined["path"] = "";
  EXPECT_EQ(parse_triage_result(joined.dump(), &let_go).path, "");
  json none = {{"let_go", "flaky"}};
  parse_triage_result(none.dump(), &let_go);
  EXPECT_EQ(let_go, "flaky");
}

TEST(TriageResult, WhatNoTriageSaysIsRefused) {
  std::string let_go;
  for (const char* text : {"", "[]", "null", "{}", "{\"let_go\": 1}", "{\"let_go\": \"\"}"})
    EXPECT_THROW(parse_triage_result(text, &let_go), Error) << text;
  const std::pair<const char*, json> changes[] = {
      {"bucket", "../../home"},
      {"bucket", ".."},
      {"bucket", "a/b"},
      {"bucket", "untriaged"},
      {"bucket", std::string(300, 'a')},
      {"bucket", "a\x1b[2J"},
      {"bucket", 7},
      {"path", "/etc/passwd"},
      {"path", "findings/other/reduced.case"},
      {"path", "findings/../../x"},
      {"path", json()},
      {"verdict", "fine"},
      {"verdict", json::array()},
      {"oracle", 1},
      {"blame", json::object()},
      {"nodes", -1},
      {"nodes", 1.5},
      {"nodes", "3"},
      {"nodes", uint64_t{1} << 40},
      {"origin", json()},
      {"cause", false},
      {"let_go", json()},
  };
  for (const auto& [key, value] : changes) {
    json changed = good();
    changed[key] = value;
    EXPECT_THROW(parse_triage_result(changed.dump(), &let_go), Error) << key << " " << value;
  }
}

TEST(TriageResult, IsWrittenInMemoryAndEmptiedBeforeTheNext) {
  const TriageResult result;
  EXPECT_FALSE(result.is_written());
  result.write("one");
  EXPECT_TRUE(result.is_written());
  EXPECT_EQ(result.text(), "one");
  result.clear();
  EXPECT_FALSE(result.is_written());
  EXPECT_EQ(result.text(), "");
}

}  // namespace
}  // namespace fusillade::fuzz
