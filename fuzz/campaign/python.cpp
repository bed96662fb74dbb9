// See python.h.
#include "fuzz/campaign/python.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

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
  pid_t pid = fork();
  if (pid < 0) return "cannot fork";
  if (pid == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setenv("PYTHONPATH", folder.c_str(), 1);
    std::vector<char*> argv;
    std::string module = "fusillade_reports";
    std::string flag = "-m";
    for (std::string* s : {&python, &flag, &module}) argv.push_back(s->data());
    std::vector<std::string> copies = args;
    for (std::string& s : copies) argv.push_back(s.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return python + " cannot be run";
  return "the report program failed";
}

}  // namespace fusillade::fuzz
