// The most bytes that all storages, and what kernels put aside, together have held, since somebody
// began to look.
#pragma once

#include <cstddef>

namespace fusillade {

// Begins anew at what is held now.
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
