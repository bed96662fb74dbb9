// A limit of this thread on single allocations of tensors' memory: for who tries what may ask for
// any size. The budget of the process (Storage::set_budget) stands beside it.
#pragma once

#include <cstddef>

namespace fusillade {

// While alive, a storage of more bytes throws std::bad_alloc.
class LargestStorage {
 public:
  explicit LargestStorage(size_t bytes);
  ~LargestStorage();
  static size_t now();  // of this thread
  LargestStorage(const LargestStorage&) = delete;
  LargestStorage& operator=(const LargestStorage&) = delete;

 private:
  size_t before_;
};

}  // namespace fusillade
