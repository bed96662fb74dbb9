// See python.h.
#include "fuzz/campaign/python.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "engine/base/error.h"
#include "fuzz/process/installed.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

// The folder that holds the package fusillade_reports, or empty.
std::string package_folder() {
  if (const char* given = std::getenv("FUSILLADE_REPORTS")) return given;
  const std::string package = installed_folder("reports/fusillade_reports");
  return package.substr(0, package.rfind('/'));
}

// `output`: what becomes its stdout. Sets `problem` where it could not be started.
Ending run_package(const std::vector<std::string>& args, int output, std::string* problem) {
  std::string folder = package_folder();
  if (folder.empty()) {
    *problem = "reports/ was not found; set FUSILLADE_REPORTS to its folder";
    return {};
  }
  const std::string python = python_interpreter();
  std::vector<std::string> words{python, "-m", "fusillade_reports"};
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
    *problem = python + " cannot be run; FUSILLADE_PYTHON names another";
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
