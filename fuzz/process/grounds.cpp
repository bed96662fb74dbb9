// See grounds.h.
#include "fuzz/process/grounds.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "fuzz/process/descriptors.h"

namespace fusillade::fuzz {
namespace {

constexpr int kMostLinks = 40;  // as the kernel follows

// Devices that hold nothing, and those that compute, by how their names begin.
constexpr const char* kSinks[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                  "/dev/random", "/dev/urandom", "/dev/shm"};
constexpr const char* kComputing[] = {"nvidia", "nvhost", "nvmap", "dri", "kfd", "accel", "dxg"};

void add_devices(std::vector<std::string>& out) {
  out.insert(out.end(), std::begin(kSinks), std::end(kSinks));
  DIR* all = opendir("/dev");
  if (!all) return;
  while (const dirent* entry = readdir(all)) {
    const std::string_view name = entry->d_name;
    if (std::ranges::any_of(kComputing, [&](const char* head) { return name.starts_with(head); }))
      out.push_back("/dev/" + std::string(name));
  }
  closedir(all);
}

std::vector<std::string> paths_of_engines() {
  std::vector<std::string> out = {"/tmp", "/var/tmp"};
  const auto add = [&](const char* name, const char* below) {
    const char* value = std::getenv(name);
    if (value && *value) out.push_back(std::string(value) + below);
  };
  add("TMPDIR", "");
  add("XDG_CACHE_HOME", "");
  for (const char* folder : {"/.cache", "/.triton", "/.nv"}) add("HOME", folder);
  for (const char* name : {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUDA_CACHE_PATH",
                           "JAX_COMPILATION_CACHE_DIR"})
    add(name, "");
  if (const char* more = std::getenv("FUSILLADE_ENGINE_WRITES"))
    for (const std::string& path : split_outside_brackets(more, ':'))
      if (!path.empty()) out.push_back(path);
  add_devices(out);
  return out;
}

std::vector<std::string> paths_of_workers() {
  std::vector<std::string> out = paths_of_engines();
  if (const char* cache = std::getenv("FUSILLADE_CACHE"); cache && *cache) {
    std::error_code ignored;
    std::filesystem::create_directories(cache, ignored);  // no worker could
    out.emplace_back(cache);
  }
  return out;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

// Where workers may make links: below these, of which some need not be there.
std::vector<std::string> real_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    char* real = realpath(path.c_str(), nullptr);
    if (real) out.emplace_back(real);
    std::free(real);
  }
  return out;
}

std::optional<std::string> link_at(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t n = readlink(path.c_str(), target, sizeof target);
  if (n < 0) return std::nullopt;
  return std::string(target, static_cast<size_t>(n));
}

// `path` with the links followed that no worker could have made. None where there is another, which
// `link` then is, or no end of them.
std::optional<std::string> follow_links(const std::string& path,
                                        const std::vector<std::string>& changeable,
                                        std::string& link) {
  std::error_code ignored;
  std::deque<std::string> ahead;
  const auto push = [&](const std::string& more) {
    std::deque<std::string> words;
    for (const auto& word : std::filesystem::path(more).relative_path()) words.push_back(word);
    ahead.insert(ahead.begin(), words.begin(), words.end());
  };
  std::string at;  // of the root: empty
  push(std::filesystem::absolute(path, ignored).string());
  for (int links = 0; !ahead.empty();) {
    const std::string word = ahead.front();
    ahead.pop_front();
    if (word.empty() || word == ".") continue;
    if (word == "..") {
      at.erase(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + "/" + word;
    const std::optional<std::string> target = link_at(next);
    if (!target) {
      at = next;
      continue;
    }
    link = next;
    const auto holds = [&](const std::string& folder) { return is_below(at, folder); };
    if (++links > kMostLinks || std::ranges::any_of(changeable, holds)) return std::nullopt;
    if (target->starts_with('/')) at.clear();
    push(*target);
  }
  return at.empty() ? "/" : at;
}

// Through no link; -1: it is not there, or became one.
int open_without_links(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long fd = syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
  return open(path.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW);  // a container's filter may refuse it
}

}  // namespace

Grounds::Grounds(const std::vector<std::string>& paths) {
  std::vector<std::string> known = paths_of_workers();
  known.insert(known.end(), paths.begin(), paths.end());
  const std::vector<std::string> changeable = real_paths(known);
  for (const std::string& path : paths) {
    std::string link;
    const std::optional<std::string> real = follow_links(path, changeable, link);
    if (!real)
      std::fprintf(
          stderr,
          "fusillade: workers may not write to %s: the symbolic link %s is where one could "
          "have made it (docs/reference/safety.md)\n",
          visible_line(path).c_str(), visible_line(link).c_str());
    const int fd = real ? open_without_links(*real) : -1;
    if (fd < 0) continue;
    struct stat status{};
    fstat(fd, &status);
    keep_in_children(fd);
    all_.push_back(
        {fd, *real, S_ISDIR(status.st_mode), S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)});
  }
}

Grounds::~Grounds() {
  for (const Ground& ground : all_) {
    forget_in_children(ground.fd);
    close(ground.fd);
  }
}

int open_again(const Grounds::Ground& ground) {
  const int fd = open_without_links(ground.path);
  struct stat now{}, before{};
  if (fd >= 0 && fstat(fd, &now) == 0 && fstat(ground.fd, &before) == 0 &&
      now.st_dev == before.st_dev && now.st_ino == before.st_ino)
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

std::shared_ptr<const Grounds> no_grounds() {
  static const auto none = std::make_shared<const Grounds>(std::vector<std::string>());
  return none;
}

const Grounds& grounds_of_engines() {
  static const Grounds& grounds = *new Grounds(paths_of_engines());
  return grounds;
}

const Grounds& grounds_of_workers() {
  static const Grounds& grounds = *new Grounds(paths_of_workers());
  return grounds;
}

}  // namespace fusillade::fuzz
