// See file_within.h.
#include "engine/base/file_within.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/lack.h"

namespace fusillade {
namespace {

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    if (c == '/') out.emplace_back();
    else out.back() += c;
  }
  for (const std::string& part : out)
    if (part.empty() || part == "..")
      fail(
          "the file '{}' is not named within its folder: a path without '..' that does not begin "
          "or end with '/'",
          name);
  return out;
}

// Opens a part of a path, or says that it is a link.
int open_part(int folder, const std::string& part, int flags, const std::string& name) {
  const int fd = openat(folder, part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0) return fd;
  const int error = errno;
  struct stat there;
  if (fstatat(folder, part.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(there.st_mode))
    fail("the file '{}': '{}' is a symbolic link, which is not followed", name, part);
  fail("the file '{}': {}", name, error_text(error));
}

}  // namespace

FileWithin::FileWithin(const std::string& folder, const std::string& name) : name_(name) {
  if (name.find('\0') != std::string::npos) fail("the name of a file holds a zero");
  const std::vector<std::string> parts = parts_of(name);
  int at = open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) fail("the folder '{}': {}", folder, error_text(errno));
  try {
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const int flags = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
      const int next = open_part(at, parts[i], flags, name);
      close(at);
      at = next;
    }
    struct stat info;
    if (fstat(at, &info) != 0) fail("the file '{}': {}", name, error_text(errno));
    if (!S_ISREG(info.st_mode)) fail("'{}' is no file", name);
    size_ = static_cast<uint64_t>(info.st_size);
  } catch (...) {
    close(at);
    throw;
  }
  fd_ = at;
}

FileWithin::~FileWithin() { close(fd_); }

void FileWithin::require(uint64_t offset, uint64_t bytes) const {
  if (offset > size_ || bytes > size_ - offset)
    fail("the file '{}' has {} bytes, and {} from {} on are asked for", name_, size_, bytes,
         offset);
}

void FileWithin::read(uint64_t offset, char* to, size_t bytes) const {
  require(offset, bytes);
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = pread(fd_, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("the file '{}': {}", name_, error_text(errno));
    if (n == 0) fail("the file '{}' ends at {} bytes of {}", name_, offset + done, size_);
    done += static_cast<size_t>(n);
  }
}

}  // namespace fusillade
