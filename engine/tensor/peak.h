// Peak bytes of all storages and of the scratch memory of kernels together, since the last
// restart_peak().
#pragma once

#include <cstddef>

namespace fusillade {

// Resets the peak to what is allocated now.
void restart_peak();
size_t peak_bytes();

// What Storage::set_budget set; 0: no ceiling.
size_t budget_bytes();

// Bytes that are no storage's, while it lives.
class ExtraBytes {
 public:
  explicit ExtraBytes(size_t bytes);
  ExtraBytes(const ExtraBytes&) = delete;
  ExtraBytes& operator=(const ExtraBytes&) = delete;
  ~ExtraBytes();

 private:
  size_t bytes_;
};

}  // namespace fusillade
