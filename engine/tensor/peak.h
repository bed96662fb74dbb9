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
class HeldBeside {
 public:
  explicit HeldBeside(size_t bytes);
  HeldBeside(const HeldBeside&) = delete;
  HeldBeside& operator=(const HeldBeside&) = delete;
  ~HeldBeside();

 private:
  size_t bytes_;
};

}  // namespace fusillade
