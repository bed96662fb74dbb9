// See folder.h.
#include "fuzz/cli/folder.h"

#include <filesystem>

#include "engine/base/error.h"

namespace fusillade::cli {

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail("cannot make the folder '{}': {}", path, error.message());
}

void make_place_for(const std::string& file) {
  std::filesystem::path path(file);
  std::error_code ignored;
  if (file.empty() || std::filesystem::is_directory(path, ignored))
    fail("cannot write '{}': a folder, not a file", file);
  if (path.has_parent_path()) make_folders(path.parent_path().string());
}

}  // namespace fusillade::cli
