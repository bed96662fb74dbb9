// See python.h.
#include "fuzz/campaign/python.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

#include "engine/base/error.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

bool exists(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0;
}

// The folder that holds the package fusillade_reports, or empty.
std::string package_folder() {
  if (const char* given = std::getenv("FUSILLADE_REPORTS")) return given;
  char buffer[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", buffer, sizeof buffer - 1);
  if (n <= 0) return "";
  std::string at(buffer, static_cast<size_t>(n));
  for (int up = 0; up < 4; ++up) {
    size_t slash = at.rfind('/');
    if (slash == std::string::npos) return "";
    at.resize(slash);
    for (const char* place : {"/reports", "/share/fusillade/reports"}) {
      if (exists(at + place + "/fusillade_reports")) return at + place;
    }
  }
  return "";
}

std::string interpreter() {
  const char* given = std::getenv("FUSILLADE_PYTHON");
  return given ? given : "/usr/bin/python3";
}

// `output`: what becomes its stdout. Sets `problem` where it could not be started.
Ending run_package(const std::vector<std::string>& args, int output, std::string* problem) {
  std::string folder = package_folder();
  if (folder.empty()) {
    *problem = "reports/ was not found; set FUSILLADE_REPORTS to its folder";
    return {};
  }
  std::vector<std::string> words{interpreter(), "-m", "fusillade_reports"};
  words.insert(words.end(), args.begin(), args.end());
  SpawnOptions options{.name = "report"};
  options.output = output;
  Ending ending = spawn(
                      [&] {
                        setenv("PYTHONPATH", folder.c_str(), 1);
                        setenv("PYTHONSAFEPATH", "1", 1);  // no module of the working folder
                        become(words);
                      },
                      options)
                      .wait();
  if (ending.signal == 0 && ending.status == kCannotExec)
    *problem = interpreter() + " cannot be run";
  return ending;
}

}  // namespace

std::string run_report(const std::vector<std::string>& args) {
  std::string problem;
  const Ending ending = run_package(args, STDERR_FILENO, &problem);
  return problem.empty() && !ending.clean() ? "the report program failed" : problem;
}

int ask_report(const std::vector<std::string>& args) {
  std::string problem;
  std::fflush(stdout);
  const Ending ending = run_package(args, -1, &problem);
  if (!problem.empty()) fail("{}", problem);
  if (ending.signal != 0) fail("the report program died of signal {}", ending.signal);
  return ending.status;
}

}  // namespace fusillade::fuzz
