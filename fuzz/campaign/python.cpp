// See python.h.
#include "fuzz/campaign/python.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

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

}  // namespace

std::string run_report(const std::vector<std::string>& args) {
  std::string folder = package_folder();
  if (folder.empty()) return "reports/ was not found; set FUSILLADE_REPORTS to its folder";
  const char* given = std::getenv("FUSILLADE_PYTHON");
  std::string python = given ? given : "/usr/bin/python3";
  std::vector<std::string> words{python, "-m", "fusillade_reports"};
  words.insert(words.end(), args.begin(), args.end());
  SpawnOptions options{.name = "report"};
  options.output = STDERR_FILENO;
  Ending ending = spawn(
                      [&] {
                        setenv("PYTHONPATH", folder.c_str(), 1);
                        become(words);
                      },
                      options)
                      .wait();
  if (ending.clean()) return "";
  bool no_python = ending.signal == 0 && ending.status == kCannotExec;
  return no_python ? python + " cannot be run" : "the report program failed";
}

}  // namespace fusillade::fuzz
