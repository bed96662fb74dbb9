// See file.h.
#include "engine/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/lack.h"

namespace fusillade {

std::string read_file(const std::string& path, size_t limit) {
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail("cannot open '{}': {}", path, std::strerror(errno));
  struct stat info;
  if (fstat(fileno(file.get()), &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)))
    fail("cannot read '{}': it is a device, not a file", path);
  std::string bytes;
  char buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    if (bytes.size() + n > limit)
      fail("'{}' has more than {} MiB, the most that is read", path, limit >> 20);
    bytes.append(buffer, n);
  }
  if (std::ferror(file.get())) fail("cannot read '{}': {}", path, std::strerror(errno));
  return bytes;
}

namespace {

// The error that ended it, or 0; the descriptor is closed.
int write_all(int fd, const std::string& text) {
  int error = 0;
  for (size_t at = 0; at < text.size() && error == 0;) {
    ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n > 0) at += static_cast<size_t>(n);
    else if (n == 0 || errno != EINTR) error = n == 0 ? EIO : errno;
  }
  // Some file systems tell only now that they are full; some files cannot be synced (EINVAL).
  if (error == 0 && fsync(fd) != 0 && errno != EINVAL) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_atomically(const std::string& path, const std::string& text) {
  struct stat there;
  const bool special = stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  if (special && S_ISDIR(there.st_mode)) fail("cannot write {}: it is a folder", path);
  const std::string temporary = special ? path : path + ".part";
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_TRUNC), 0644);
  const auto refuse = [&](int error) {
    note_lack("cannot write " + temporary, error);
    fail("cannot write {}: {}", temporary, std::strerror(error));
  };
  if (fd < 0) refuse(errno);
  if (const int error = write_all(fd, text)) {
    if (!special) unlink(temporary.c_str());
    refuse(error);
  }
  if (special) return;
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    fail("cannot rename {} to {}: {}", temporary, path, std::strerror(errno));
  }
}

}  // namespace fusillade
