// Every .case file of suites/golden and suites/regress: judged by the oracle it names (all of them
// when it names none, or "all") under the plans it names (the default ones when it names none); the
// verdict must be the one it states. Each file must also print to text that reads back.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "fuzz/campaign/judgement.h"
#include "fuzz/case/against.h"

namespace fusillade::fuzz {
namespace {

std::vector<std::string> case_files() {
  std::vector<std::string> out;
  for (const char* part : {"golden", "regress"}) {
    std::string folder = std::string(FUSILLADE_SOURCE_DIR) + "/suites/" + part;
    DIR* d = opendir(folder.c_str());
    if (!d) continue;
    while (dirent* e = readdir(d)) {
      std::string name = e->d_name;
      if (name.size() > 5 && name.substr(name.size() - 5) == ".case")
        out.push_back(folder + "/" + name);
    }
    closedir(d);
  }
  std::sort(out.begin(), out.end());
  return out;
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, GiveTheirVerdict) {
  Case c = read_case(GetParam());
  std::string text = print(c);
  EXPECT_EQ(print(parse_case(text, GetParam())), text);
  std::vector<const Oracle*> oracles = Table<Oracle>::instance().by_name();
  if (!c.oracle.empty() && c.oracle != "all") oracles = {&oracle(c.oracle)};
  if (c.plans.empty()) c.plans = default_plans();
  bool expects_ok = c.verdict == "ok";
  for (const Oracle* o : oracles) {
    if (!has_form(c, o->form) || plans_for(*o, c.plans).empty()) continue;
    if (o->name == kAgainst && against_of(c).empty()) continue;  // no other build is named
    if (o->asked && c.oracle != o->name) continue;               // it measures time
    c.oracle = o->name;
    Verdict v = o->judge(c);
    // Where the tape refuses a program, or no float goes in, nothing is claimed of gradients.
    const bool of_gradients = o->name == "gradient" || o->name == "adjoint";
    if (expects_ok && of_gradients && v.kind == VerdictKind::Skip) continue;
    // Where no group has a place for a transform.
    if (expects_ok && o->name == "schedules" && v.kind == VerdictKind::Skip) continue;
    if (expects_ok) {
      EXPECT_EQ(v.kind, VerdictKind::Ok)
          << o->name << " under " << v.plan.text << ", call " << v.call << ": " << name_of(v.kind)
          << " " << v.reason << " " << v.detail;
    } else {
      EXPECT_EQ(name_of(v.kind), c.verdict) << o->name << ": " << v.reason << " " << v.detail;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Cases, testing::ValuesIn(case_files()), [](const auto& info) {
  std::string name = info.param.substr(info.param.rfind('/') + 1);
  name.resize(name.size() - 5);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(CasesFolder, HoldsEnough) { EXPECT_GE(case_files().size(), 14u); }

}  // namespace
}  // namespace fusillade::fuzz
