// A finding as data: what its file says, what README.md consists of, and untrusted folders. Who is
// to blame, as text and parsed back.
#include "fuzz/triage/finding.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/file.h"
#include "engine/ir/graph.h"
#include "fuzz/case/header.h"

using namespace fusillade;
using namespace fusillade::fuzz;
using nlohmann::json;

namespace {

Triaged sample_triage() {
  Triaged t;
  t.bucket = "mismatch-cse-merge-0123456789ab";
  t.verdict.kind = VerdictKind::Mismatch;
  t.verdict.oracle = "ring";
  t.verdict.detail = "out0: \x9b \xe2\x80\xae ``` \x1b[31m";
  t.cause.message = "wrong result";
  t.cause.operators = {"aten::exp"};
  t.blame = read_culprit("cse/merge");
  t.note = "believed";
  t.nodes = 1;
  t.reproduced = t.tried = 3;
  t.reduced.program =
      parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::exp(%x)\n  return (%a)\n", "t");
  t.reduced.plans = parse_plans({"vm/cse"});
  return t;
}

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/fusillade-finding-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    for (const char* file : {"/finding.json", "/README.md"}) unlink((path + file).c_str());
    rmdir(path.c_str());
  }
};

}  // namespace

TEST(Culprit, WordsReadBack) {
  using K = CulpritKind;
  const Culprit addmm{K::Operator, "aten::addmm", ""}, folds{K::OperatorKind, "reduce", ""};
  EXPECT_EQ(read_culprit("row aten::addmm"), addmm) << "files of version 0.1 are read";
  EXPECT_EQ(read_culprit("row reduce"), folds);
  EXPECT_EQ(print(read_culprit("row ")), "operator ");
  const std::pair<const char*, Culprit> all[] = {
      {"operator aten::addmm", {K::Operator, "aten::addmm", ""}},
      {"operator pointwise", {K::OperatorKind, "pointwise", ""}},
      {"peephole/mul-one", {K::Rule, "mul-one", "peephole"}},
      {"fuse(loopnest)", {K::Fuser, "loopnest", "fuse"}},
      {"backend llvm", {K::Backend, "llvm", ""}},
      {"transform/split", {K::Transform, "split", ""}},
      {"cse", {K::Pass, "cse", ""}},
      {"vm", {K::Engine, "vm", ""}},
      {"effects", {K::Effects, "effects", ""}},
      {"front end", {K::Part, "front end", ""}},
      {"archive state", {K::Part, "archive state", ""}},
      {"not reproduced", {K::NotReproduced, "not reproduced", ""}},
      {"out of time", {K::OutOfTime, "out of time", ""}},
      {"unknown", {K::Unknown, "unknown", ""}},
      {"flaky, 2 of 3", {K::Flaky, "2 of 3", ""}},
      {"generator", {K::Generator, "generator", ""}},
      {"untriaged", {K::Triage, "untriaged", ""}},
      {"", {}},
  };
  for (const auto& [words, culprit] : all) {
    EXPECT_TRUE(read_culprit(words) == culprit) << words;
    EXPECT_EQ(print(culprit), words);
  }
  for (const char* odd : {"(", ")", "()", "/", "operator ", "a/b/c", "fuse(", "\x1b[31m"})
    EXPECT_EQ(print(read_culprit(odd)), odd);
}

TEST(Finding, FileHoldsNoRawControlCharacters) {
  Folder f;
  write_finding_files(f.path, finding_of(sample_triage(), "seed=1"));
  const std::string text = read_text_file(f.path + "/finding.json");
  for (const unsigned char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << int{c};
  const json j = json::parse(text);
  EXPECT_EQ(j["blame"]["kind"], "rule");
  EXPECT_EQ(j["blame"]["words"], "cse/merge");
  EXPECT_EQ(j["cases"], 1);
  EXPECT_EQ(j["program"]["language"], "graph");
}

TEST(Finding, ReadmeIsWrittenFromIt) {
  Folder f;
  json finding = finding_of(sample_triage(), "seed=1");
  finding["cases"] = 7;
  write_finding_files(f.path, finding);
  const std::string readme = read_text_file(f.path + "/README.md");
  EXPECT_NE(readme.find("\n- cases: 7\n"), std::string::npos) << readme;
  EXPECT_NE(readme.find("\n- blame: cse/merge (believed)\n"), std::string::npos) << readme;
  EXPECT_EQ(readme.find('\x1b'), std::string::npos);
  EXPECT_EQ(readme.find("script.py"), std::string::npos);
  EXPECT_EQ(readme.find("sh repro.sh"), std::string::npos);
  write_atomically(f.path + "/repro.sh", "");
  write_finding_files(f.path, finding);
  EXPECT_NE(read_text_file(f.path + "/README.md").find("sh repro.sh"), std::string::npos);
  finding["no_script"] = {{"reason", "it takes no \x1b"}, {"command", "make it"}};
  const std::string more = readme_of(finding, true);
  EXPECT_NE(more.find("There is no script.py: `it takes no"), std::string::npos) << more;
  EXPECT_NE(more.find("```\nmake it\n```\n"), std::string::npos) << more;
  EXPECT_EQ(more.find('\x1b'), std::string::npos);
}

TEST(Finding, OfStrangersIsReadWholeOrNotAtAll) {
  Folder f;
  EXPECT_FALSE(read_finding(f.path));
  const json good = finding_of(sample_triage(), "");
  write_finding_files(f.path, good);
  EXPECT_TRUE(read_finding(f.path));
  const auto with = [&](const std::string& text) {
    write_atomically(f.path + "/finding.json", text);
    return read_finding(f.path);
  };
  for (const char* bad : {"", "{", "[]", "null", "7", "{}", "\xff\xfe"}) EXPECT_FALSE(with(bad));
  for (const auto& [key, value] : good.items()) {
    json less = good, other = good;
    less.erase(key);
    other[key] = json::array({json::array()});
    const bool asked = key != "schema" && key != "origin" && key != "operators";
    EXPECT_EQ(with(less.dump(-1, ' ', true, json::error_handler_t::replace)).has_value(), !asked)
        << key;
    EXPECT_EQ(with(other.dump(-1, ' ', true, json::error_handler_t::replace)).has_value(), !asked)
        << key;
  }
  unlink((f.path + "/finding.json").c_str());
  ASSERT_EQ(symlink("/dev/zero", (f.path + "/finding.json").c_str()), 0);
  EXPECT_FALSE(read_finding(f.path));
}

TEST(CaseHeader, IsReadWithoutTheProgram) {
  std::istringstream lines(
      "fusillade case 1\noracle: ring\nverdict: mismatch\nplan: vm\nplan: eager\nnote: reason: a\n"
      "note: reason: b\nnote: detail: c\nprogram:\n  verdict: bug\n");
  const CaseHeader h = read_header(lines);
  EXPECT_EQ(h.oracle + "|" + h.verdict + "|" + h.plan + "|" + h.reason + "|" + h.detail,
            "ring|mismatch|eager|b|c");
  EXPECT_TRUE(h.graph);
  std::istringstream nothing("verdict: ");
  EXPECT_FALSE(read_header(nothing).graph);
}
