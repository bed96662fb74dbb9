// How far scalar functions are from the true value, in ulps of their type: those of libm, of
// libmvec in registers of each length, which compiled kernels and eager mode call, and a kernel of
// back end `llvm`, which has some written out. Of floats any share of all 2^32 is asked, against
// doubles; of doubles a sample, against the x87's 64 digits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fusillade::bench {

struct Accuracy {
  bool single = true;
  int lanes = 1;        // 1: libm
  bool kernel = false;  // of `llvm`, in the vectors that it chose
  uint64_t inputs = 0;
  double worst = 0;      // ulps; infinity where a NaN or an infinity is another
  double at = 0;         // an input that shows it
  uint64_t outside = 0;  // results that the function has nowhere: cos above 1
  double outside_at = 0;
};

std::vector<std::string> measured_functions();  // of one argument
// Floats whose bits are 0, every, 2 * every, ...; so many doubles. On all threads.
std::vector<Accuracy> accuracy_of(const std::string& function, uint64_t every, uint64_t doubles);

}  // namespace fusillade::bench
