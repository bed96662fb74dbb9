// See commits.h.
#include "bench/harness/commits.h"

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "fuzz/campaign/python.h"
#include "fuzz/gen/generate.h"
#include "fuzz/process/exit_code.h"
#include "fuzz/process/tool.h"

namespace fusillade::bench {
namespace {

void say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

std::string part(const std::string& out, const char* arm, int round) {
  return fmt::format("{}/parts/{}-{}.json", out, arm, round);
}

}  // namespace

void measure_interleaved(const fuzz::CommitBuild& before, const fuzz::CommitBuild& after,
                         int rounds, const std::vector<std::string>& words,
                         const std::vector<std::string>& first, const std::string& out) {
  struct Arm {
    const char* name;
    const fuzz::CommitBuild* build;
  };
  Arm arms[] = {{"old", &before}, {"again", &before}, {"new", &after}};
  make_folder(out + "/parts");
  fuzz::Choices order(1, static_cast<uint64_t>(rounds));
  for (int round = 0; round < rounds; ++round) {
    order.shuffle(arms);
    for (const Arm& arm : arms) {
      if (isatty(STDERR_FILENO))
        say(fmt::format("round {} of {}: {}", round + 1, rounds, arm.name));
      std::vector<std::string> command{
          arm.build->binary, "bench", "--processes", "1", "--seed", std::to_string(round + 1)};
      command.insert(command.end(), words.begin(), words.end());
      if (round == 0) command.insert(command.end(), first.begin(), first.end());
      else command.push_back("--no-check");
      command.insert(command.end(), {"--out", part(out, arm.name, round)});
      fuzz::Tool run{command};
      run.also_fine =
          fuzz::kFindings;  // of wrong outputs, or a program that cannot run: rows say so
      fuzz::output_of(run);
    }
  }
  for (const Arm& arm : arms) {
    std::vector<std::string> merge{"merge", fmt::format("{}/{}.json", out, arm.name)};
    for (int round = 0; round < rounds; ++round) merge.push_back(part(out, arm.name, round));
    const std::string problem = fuzz::run_report(merge);
    if (!problem.empty()) fail("{}", problem);
  }
}

}  // namespace fusillade::bench
