// A limit of this thread on single allocations of tensors' memory: for a caller that tries
// operations which may ask for any size. It applies in addition to the process's budget
// (Storage::set_budget).
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
