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

void write_atomically(const std::string& path, const std::string& text) {
  std::string temporary = path + ".part";
  int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail("cannot write {}: {}", temporary, std::strerror(errno));
  size_t at = 0;
  while (at < text.size()) {
    ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int error = errno;
      close(fd);
      unlink(temporary.c_str());
      fail("cannot write {}: {}", temporary, std::strerror(error));
    }
    at += static_cast<size_t>(n);
  }
  // Some file systems tell only now that they are full; some files cannot be synced (EINVAL).
  int error = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    fail("cannot write {}: {}", temporary, std::strerror(error));
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    fail("cannot rename {} to {}: {}", temporary, path, std::strerror(errno));
  }
}

}  // namespace fusillade
