// See disk_cache.h.
#include "engine/kernel/disk_cache.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <utility>

#include "engine/base/hash.h"
#include "engine/base/log.h"
#include "engine/base/options.h"
#include "engine/base/probe.h"

namespace fusillade::kernel {
namespace {

const Option<std::string> kFolder("cache", "", "folder that keeps compiled kernels; empty: none");

Probe probe_hit("kernel/disk-hit");
Probe probe_miss("kernel/disk-miss");
Probe probe_refused("kernel/disk-refused");

constexpr char kMagic[] = "fusillade kernel 1\n";

struct Setting {
  std::mutex mutex;
  std::string folder = kFolder.get();
  bool reported = false;  // that nothing can be kept there
};

Setting& setting() {
  static Setting now;
  return now;
}

std::string folder() {
  std::lock_guard lock(setting().mutex);
  return setting().folder;
}

std::string digest(const std::string& text) {
  return fmt::format("{:016x}{:016x}", hash_bytes(text), hash_bytes(text, 0x9e3779b97f4a7c15u));
}

void report_once(const std::string& why) {
  {
    std::lock_guard lock(setting().mutex);
    if (std::exchange(setting().reported, true)) return;
  }
  log_text(fmt::format("warning: FUSILLADE_CACHE: no kernels are kept in {}: {}\n", folder(), why));
}

std::string path_of(const std::string& key) { return folder() + "/" + digest(key) + ".kernel"; }

}  // namespace

bool keeps_on_disk() { return !folder().empty(); }

std::optional<std::string> find_on_disk(const std::string& key) {
  std::ifstream file(path_of(key), std::ios::binary);
  if (!file) {
    probe_miss.hit();
    return std::nullopt;
  }
  std::ostringstream all;
  all << file.rdbuf();  // what cannot be read is short, and refused
  const std::string text = all.str();
  const std::string head = kMagic + std::to_string(key.size()) + "\n" + key;
  constexpr size_t kDigest = 32;
  const bool whole = text.size() >= head.size() + kDigest && text.starts_with(head) &&
                     text.ends_with(digest(text.substr(0, text.size() - kDigest)));
  (whole ? probe_hit : probe_refused).hit();
  if (!whole) return std::nullopt;
  return text.substr(head.size(), text.size() - head.size() - kDigest);
}

void keep_on_disk(const std::string& key, const std::string& code) {
  static std::atomic<uint64_t> next{0};
  const std::string to = path_of(key);
  const std::string aside = fmt::format("{}.{}.{}", to, ::getpid(), next++);
  std::string text = kMagic + std::to_string(key.size()) + "\n" + key + code;
  text += digest(text);
  std::error_code error;
  std::filesystem::create_directories(folder(), error);
  if (error) return report_once(error.message());
  errno = 0;
  {
    std::ofstream file(aside, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.flush();
    if (!file.good()) error.assign(errno ? errno : EIO, std::generic_category());
  }
  if (!error) std::filesystem::rename(aside, to, error);
  if (!error) return;
  report_once(error.message());
  std::filesystem::remove(aside, error);
}

std::string this_build() {
  static const std::string identity = [] {
    Dl_info info{};
    struct stat file{};
    const bool found = ::dladdr(reinterpret_cast<const void*>(&this_build), &info) != 0 &&
                       info.dli_fname &&
                       (::stat(info.dli_fname, &file) == 0 || ::stat("/proc/self/exe", &file) == 0);
    if (!found) return fmt::format("process {}", ::getpid());
    return fmt::format("{} bytes of {}.{:09}", file.st_size, file.st_mtim.tv_sec,
                       file.st_mtim.tv_nsec);
  }();
  return identity;
}

void set_disk_cache(const std::string& to) {
  std::lock_guard lock(setting().mutex);
  setting().folder = to;
  setting().reported = false;
}

}  // namespace fusillade::kernel
