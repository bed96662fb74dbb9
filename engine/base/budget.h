// What reading one file may make of it: a small text that says the same many times over costs no
// more than this.
#pragma once

#include <cstddef>

#include "engine/base/error.h"

namespace fusillade {

class Budget {
 public:
  static constexpr size_t kNode = 16;  // of a graph; a number costs one
  // Throws Error where that much is no longer left.
  void spend(size_t units) {
    if (units > left_) fail("more is made of it than {} nodes and numbers", kUnits / kNode);
    left_ -= units;
  }

 private:
  static constexpr size_t kUnits = size_t{1} << 24;
  size_t left_ = kUnits;
};

}  // namespace fusillade
