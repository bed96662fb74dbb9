// Files and folders that processes with few rights may change: opened once, before the first of
// them runs. What one of them puts in the place of such a folder is not opened for the next.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace fusillade::fuzz {

class Grounds {
 public:
  // Those that are there. A symbolic link in a path is not followed where such a process could
  // have made it, below any of them or of `grounds_of_workers`: a line on stderr says so.
  explicit Grounds(const std::vector<std::string>& paths);
  Grounds(const Grounds&) = delete;
  ~Grounds();

  struct Ground {
    int fd;            // O_PATH
    std::string path;  // without links
    bool is_folder;
    bool is_device;
  };
  const std::vector<Ground>& all() const { return all_; }

 private:
  std::vector<Ground> all_;
};

// It again, as this process' namespace of mounts has it (O_PATH); -1: something else is there now.
int open_again(const Grounds::Ground& ground);

// None.
std::shared_ptr<const Grounds> no_grounds();

// Temporary files, caches, and what FUSILLADE_ENGINE_WRITES names, with colons between; of the
// folder of devices those that hold nothing, memory (/dev/shm) and devices that compute. Opened
// when first asked for.
const Grounds& grounds_of_engines();
// Those and the folder of compiled kernels (FUSILLADE_CACHE).
const Grounds& grounds_of_workers();

}  // namespace fusillade::fuzz
