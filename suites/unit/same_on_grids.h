// Kernels of loop nests as grids, checked: the interpreter, which looks for races and for what is
// outside, gives the bits that it gives of the loops, and so does their CUDA text, all of them
// compiled as one.
#pragma once

#include "engine/fuse/on_grids.h"
#include "engine/kernel/cuda_emulated.h"
#include "fuzz/oracle/kernel_data.h"
#include "suites/unit/drawn_grids.h"

namespace fusillade::kernel::built {

class OnGrids {
 public:
  // `text`: on the interpreter, and where they are all compiled. `exact`: no function is libm's.
  void add(const fuse::Lowered& loops, bool text = true, bool exact = true) {
    const fuse::Lowered grids = fuse::on_grids(loops);
    check(grids.kernel);
    const fuzz::KernelData data(loops);
    const auto wanted = data.run(*backend("interp").compile(loops.kernel));
    const auto got = data.run(*backend("interp").compile(grids.kernel));
    ASSERT_EQ(got, wanted) << print(loops.kernel) << print(grids.kernel);
    if (!text) return;
    kernels_.push_back(grids.kernel);
    cases_.push_back({data, wanted, exact});
  }

  void expect_same_text() const {
    const auto programs = emulate(kernels_);
    for (size_t i = 0; i < programs.size(); ++i) {
      expect_same(i, cases_[i].data.run(*programs[i]), *programs[i]);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  using Results = std::vector<std::vector<uint8_t>>;
  struct Case {
    fuzz::KernelData data;
    Results wanted;
    bool exact;
  };

  void expect_same(size_t i, const Results& got, const Program& p) const {
    const Case& c = cases_[i];
    size_t result = 0;
    for (const Buffer& b : kernels_[i].buffers) {
      if (b.role != BufferRole::Out) continue;
      const auto &x = got[result], &y = c.wanted[result];
      ++result;
      const size_t size = size_of(b.dtype);
      for (size_t at = 0; at + size <= x.size(); at += size)
        ASSERT_TRUE(same_element(b.dtype, kernels_[i].domain, &x[at], &y[at]) ||
                    (!c.exact && is_close(b.dtype, &x[at], &y[at])))
            << "element " << at / size << " of result " << result - 1 << ": "
            << as_double(b.dtype, &x[at]) << ", not " << as_double(b.dtype, &y[at]) << "\n"
            << print(kernels_[i]) << p.disassembly();
    }
  }

  std::vector<Kernel> kernels_;
  std::vector<Case> cases_;
};

}  // namespace fusillade::kernel::built
