// A file that a stranger's text names: it is read where it lies within a given folder, as a file of
// its own. No link is followed on the way, and nothing is waited for.
#pragma once

#include <cstdint>
#include <string>

namespace fusillade {

class FileWithin {
 public:
  // `name`: relative to the folder, its parts divided by "/". Throws Error naming what is wrong.
  FileWithin(const std::string& folder, const std::string& name);
  ~FileWithin();
  FileWithin(const FileWithin&) = delete;
  FileWithin& operator=(const FileWithin&) = delete;
  // Throws Error where there are not as many bytes behind `offset`; so does `read`.
  void require(uint64_t offset, uint64_t bytes) const;
  void read(uint64_t offset, char* to, size_t bytes) const;

 private:
  std::string name_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace fusillade
