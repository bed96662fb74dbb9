// Golden cases of passes: every suites/golden/passes/*.ir holds cases of the form
//
//   # case: what it shows
//   # pipeline: cse
//   graph(...): ...
//   # expect:
//   graph(...): ...
//
// Each is run with verification after every pass; the printed result must equal the expectation, parse back
// to itself, stay valid at every fuel, and not change when an idempotent pipeline of one pass runs again.
// BLESS=1 rewrites the expectations.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/base/text.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

std::string folder() { return std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/passes"; }

struct Golden {
  std::string title, pipeline, program, expected;
};

std::vector<Golden> read_cases(const std::string& path) {
  std::ifstream in(path);
  std::vector<Golden> out;
  std::string* into = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# case: ", 0) == 0) {
      out.push_back({line.substr(8), "", "", ""});
      into = nullptr;
    } else if (out.empty()) {
      ADD_FAILURE() << path << ": text before the first '# case: '";
      return out;
    } else if (line.rfind("# pipeline: ", 0) == 0) {
      out.back().pipeline = line.substr(12);
      into = &out.back().program;
    } else if (line == "# expect:") {
      into = &out.back().expected;
    } else if (into && !trim(line).empty()) {
      *into += line + "\n";
    }
  }
  return out;
}

void write_cases(const std::string& path, const std::vector<Golden>& cases) {
  std::ofstream out(path);
  for (const Golden& c : cases)
    out << (&c == &cases[0] ? "" : "\n") << "# case: " << c.title << "\n# pipeline: " << c.pipeline << "\n"
        << c.program << "# expect:\n"
        << c.expected;
}

std::string optimised(const Golden& c, int64_t fuel, int64_t* rewrites = nullptr) {
  auto graph = parse_graph(c.program, c.title);
  verify(*graph);
  PipelineOptions options;
  options.fuel = fuel;
  options.verify = true;
  int64_t spent = run_pipeline(*graph, parse_pipeline(c.pipeline), options).rewrites;
  if (rewrites) *rewrites = spent;
  return print(*graph);
}

void check_case(const Golden& c) {
  int64_t rewrites = 0;
  std::string got = optimised(c, -1, &rewrites);
  EXPECT_EQ(got, c.expected);
  EXPECT_EQ(print(*parse_graph(got, "printed")), got);
  for (int64_t fuel = 0; fuel < rewrites; ++fuel) optimised(c, fuel);
  std::vector<PassCall> pipeline = parse_pipeline(c.pipeline);
  if (pipeline.size() != 1 || !(pipeline[0].pass->flags & kIdempotent)) return;
  auto graph = parse_graph(got, "again");
  EXPECT_EQ(run_pipeline(*graph, pipeline).rewrites, 0) << print(*graph);
}

std::vector<std::string> files() {
  std::vector<std::string> out;
  DIR* dir = opendir(folder().c_str());
  for (dirent* entry = dir ? readdir(dir) : nullptr; entry; entry = readdir(dir)) {
    std::string name = entry->d_name;
    if (name.size() > 3 && name.substr(name.size() - 3) == ".ir") out.push_back(name);
  }
  if (dir) closedir(dir);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(GoldenPasses, All) {
  size_t count = 0;
  for (const std::string& file : files()) {
    std::string path = folder() + "/" + file;
    std::vector<Golden> cases = read_cases(path);
    for (Golden& c : cases) {
      SCOPED_TRACE(file + ": " + c.title);
      try {
        if (std::getenv("BLESS")) c.expected = optimised(c, -1);
        check_case(c);
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
      ++count;
    }
    if (std::getenv("BLESS")) write_cases(path, cases);
  }
  EXPECT_GE(count, 60u);
}

TEST(GoldenPasses, EveryPassHasAFile) {
  std::vector<std::string> names = files();
  for (const Pass* pass : Table<Pass>::instance().sorted())
    EXPECT_TRUE(std::count(names.begin(), names.end(), pass->name + ".ir")) << pass->name;
}

}  // namespace
}  // namespace fusillade
