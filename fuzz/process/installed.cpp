// See installed.h.
#include "fuzz/process/installed.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAbove = 4;  // build/release/fusillade, or lib/PACKAGE/bin/fusillade

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

std::string own_executable() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

std::string installed_folder(const std::string& name) {
  fs::path at = own_executable();
  for (int up = 0; up < kMostAbove && at.has_relative_path(); ++up) {
    at = at.parent_path();
    for (const fs::path& folder : {at / name, at / "share/fusillade" / name})
      if (is_there(folder)) return folder.string();
  }
  return "";
}

std::string here_or_installed(const std::string& given) {
  if (is_there(given)) return given;
  const std::string found = installed_folder(given);
  return found.empty() ? given : found;
}

std::string adjacent_python() {
  const fs::path python = fs::path(own_executable()).parent_path() / "python3";
  return access(python.c_str(), X_OK) == 0 ? python.string() : "";
}

std::string python_interpreter() {
  const char* given = std::getenv("FUSILLADE_PYTHON");
  if (given && *given) return given;
  if (const std::string adjacent = adjacent_python(); !adjacent.empty()) return adjacent;
  constexpr const char* kDebians = "/usr/bin/python3";
  return access(kDebians, X_OK) == 0 ? kDebians : "python3";
}

}  // namespace fusillade::fuzz
