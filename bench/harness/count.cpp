// See count.h.
#include "bench/harness/count.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define FUSILLADE_CALLGRIND 1
#endif
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/harness/ready.h"
#include "engine/base/file.h"
#include "engine/run/plan.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/tool.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::bench {
namespace {

using nlohmann::json;

constexpr int kCalls = 8;
const fuzz::Limits kLimits{3600, 0};

// What callgrind counted since the last call of this goes to the process's next dump.
void dump() {
#ifdef FUSILLADE_CALLGRIND
  CALLGRIND_DUMP_STATS;
#endif
}

// Until then valgrind only translates, which takes a tenth of the time.
void start_counting() {
#ifdef FUSILLADE_CALLGRIND
  CALLGRIND_START_INSTRUMENTATION;
#endif
}

void check_built_with_callgrind() {
#ifndef FUSILLADE_CALLGRIND
  fail(
      "this build cannot count instructions: valgrind's headers were not there (Debian: valgrind)");
#endif
}

// Four dumps: what came before, compile, first call, calls.
std::string run_one(const Program& program, const Plan& plan, const MeasureOptions& o) {
  Ready ready(program, plan, o.seed, o.typed);
  start_counting();
  dump();
  ready.compile();
  dump();
  ready.call();
  dump();
  for (int i = 0; i < kCalls; ++i) ready.call();
  dump();
  return std::to_string(getpid());
}

// A folder of this process's, gone with the object.
class Workplace {
 public:
  Workplace()
      : path_(std::filesystem::temp_directory_path() /
              ("fusillade-count-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Workplace() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

int64_t total_in(const std::string& path) {
  constexpr std::string_view kTotals = "totals: ";
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(kTotals)) return std::atoll(line.c_str() + kTotals.size());
  fail("{} holds no totals: callgrind counted nothing", path);
}

Instructions read_counts(const std::string& dumps) {
  Instructions n;
  n.compile = total_in(dumps + ".2");
  n.first_call = total_in(dumps + ".3");
  n.steady = total_in(dumps + ".4") / kCalls;
  return n;
}

}  // namespace

void run_counted(const std::vector<Program>& programs, const MeasureOptions& o,
                 const std::vector<std::string>& without, const std::string& into) {
  json out = json::array();
  for (const Program& p : programs) {
    for (const Plan& plan : o.plans) {
      const bool left_out = std::ranges::find(without, p.name + "/" + plan.text) != without.end();
      if (left_out || fuzz::is_outside(plan.engine)) continue;
      const fuzz::ChildResult r = fuzz::run_isolated([&] { return run_one(p, plan, o); }, kLimits);
      if (r.kind != fuzz::ChildResult::Kind::Done) continue;  // its instructions stay unknown
      out.push_back({{"program", p.name}, {"plan", plan}, {"process", r.output}});
    }
  }
  write_atomically(into, out.dump() + "\n");
}

void count_instructions(std::vector<Measured>& all, const std::vector<std::string>& words,
                        const std::function<bool()>& stopped) {
  check_built_with_callgrind();
  const Workplace place;
  // Valgrind 3.19 does not read clang 19's debug information.
  const std::string self = std::filesystem::canonical("/proc/self/exe");
  fuzz::run_tool({{"strip", "-g", "-o", place.file("fusillade"), self}, "binutils"});
  std::vector<std::string> command{
      "valgrind",           "--tool=callgrind", "-q",
      "--instr-atstart=no", "--dump-line=no",   "--callgrind-out-file=" + place.file("dump.%p")};
  command.push_back(place.file("fusillade"));
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--count-into", place.file("list.json")});
  // One thread, and kernels compiled anew.
  fuzz::run_tool(
      {command,
       "valgrind",
       {{"FUSILLADE_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}, {"FUSILLADE_CACHE", ""}},
       false,
       0,
       stopped});
  std::ifstream list(place.file("list.json"));
  for (const json& one : json::parse(list)) {
    const Instructions n = read_counts(place.file("dump." + one["process"].get<std::string>()));
    for (Measured& m : all)
      if (one["program"] == json(m.program->name) && one["plan"] == json(m.plan.text))
        m.instructions = n;
  }
}

}  // namespace fusillade::bench
