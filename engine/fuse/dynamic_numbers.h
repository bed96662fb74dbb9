// How the numbers of a group appear in its kernel.
//
// Where sizes are dynamic, primes replace them (dynamic_sizes.h). A number that is a product of
// these is an extent, an argument of the kernel. So is a quotient of one, such as a block count.
// Functions here that take a number take an extent as well (kernel::is_dynamic).
//
// The kernel states a range of each extent, so that its indices need few bits. A mapping that is
// legal, or good, only up to some number says so (`limit`). Arguments beyond it get another kernel.
#pragma once

#include <string>
#include <vector>

#include "engine/fuse/dynamic_sizes.h"
#include "engine/kernel/kernel.h"

namespace fusillade::fuse {

class DynamicNumbers {
 public:
  // `stand_ins` null: all numbers are what they are.
  DynamicNumbers(kernel::Kernel& kernel, const StandIns* stand_ins)
      : kernel_(kernel), stand_ins_(stand_ins) {}

  bool any() const { return stand_ins_; }
  Product product(int64_t n) const;
  bool dynamic(int64_t n) const { return kernel::is_dynamic(n) || product(n).dynamic(); }
  // As extents, sizes or strides of the kernel: n, and n / by rounded up or down.
  int64_t extent(int64_t n);
  int64_t ceil_div(int64_t n, int64_t by);
  int64_t whole(int64_t n, int64_t by);
  Expr value(int64_t n);
  std::string text(int64_t n) const;  // for people
  // Its value for the arguments that the kernel is compiled for.
  int64_t size_hint(int64_t n) const;
  // The kernel takes no more than `most` of it, which is at least what was seen.
  void limit(int64_t n, int64_t most);
  // A range in which all buffers lie whole.
  int64_t reach() const;

  const std::vector<Extent>& extents() const { return extents_; }

 private:
  Extent extent_of(int64_t n) const;
  int64_t divide(int64_t n, int64_t by, bool whole);
  int64_t add(const Extent& extent);

  kernel::Kernel& kernel_;
  const StandIns* stand_ins_;
  size_t first_ = 0;  // scalar of the kernel
  std::vector<Extent> extents_;
};

}  // namespace fusillade::fuse
