// See durable.h.
#include "engine/base/durable.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/lack.h"

namespace fusillade {
namespace {

namespace fs = std::filesystem;

constexpr int kReadFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// One that cannot be synced: by its file system, or by whom may not list it.
bool may_stay_unsynced(int error) { return error == EINVAL || error == EACCES; }

int together = 0;  // how many of SyncedTogether live

int sync_and_close(int fd) {
  if (fd < 0) return may_stay_unsynced(errno) ? 0 : errno;
  if (SyncedTogether::is_on()) {
    close(fd);
    return 0;
  }
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return may_stay_unsynced(error) ? 0 : error;
}

[[noreturn]] void refuse(const std::string& what, int error) {
  note_lack(what, error);
  fail("{}: {}", what, error_text(error));
}

void sync_parent(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (const int error = sync_and_close(open(parent.c_str(), kReadFolder)))
    refuse("cannot sync " + parent.string(), error);
}

}  // namespace

int sync_folder(int fd) { return sync_and_close(openat(fd, ".", kReadFolder)); }

SyncedTogether::SyncedTogether(std::string folder) : folder_(std::move(folder)) { ++together; }

SyncedTogether::~SyncedTogether() {
  if (!ended_) --together;
}

bool SyncedTogether::is_on() { return together > 0; }

void SyncedTogether::sync() {
  --together;
  ended_ = true;
  const int fd = open(folder_.c_str(), kReadFolder);
  const int error = fd < 0 || syncfs(fd) != 0 ? errno : 0;
  if (fd >= 0) close(fd);
  if (error != 0 && !may_stay_unsynced(error)) refuse("cannot sync " + folder_, error);
}

void rename_for_good(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    refuse(fmt::format("cannot rename {} to {}", from, to), errno);
  sync_parent(to);
}

void make_folders(const std::string& path) {
  std::vector<fs::path> created;
  std::error_code error;
  fs::path at = path;
  if (!at.has_filename()) at = at.parent_path();  // "out/"
  for (; !at.empty() && !fs::exists(at, error); at = at.parent_path()) created.push_back(at);
  fs::create_directories(path, error);
  if (error) refuse("cannot make the folder " + path, error.value());
  for (const fs::path& folder : created) sync_parent(folder);
}

}  // namespace fusillade
