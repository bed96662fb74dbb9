// See file.h.
#include "engine/base/file.h"

#include <sys/stat.h>

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

}  // namespace fusillade
