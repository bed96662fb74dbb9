// Series of timings of known shape, as processes show them, for asking whether `find_steady` says
// what they are. Calls scatter, and one in twenty is disturbed by up to three times its length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fusillade::bench {

struct Shape {
  std::string name;
  std::string kind;  // what find_steady is to say
  double (*level)(size_t call, size_t of, uint64_t process) = nullptr;  // of a call, 1 is usual
};

const std::vector<Shape>& shapes();

// `spread`: the standard deviation of the logarithm of a call.
std::vector<double> draw_samples(const Shape& shape, size_t calls, double spread, uint64_t process);

// Of so many processes, the share of which the right kind is said.
double detected_share(const Shape& shape, size_t calls, double spread, int processes);

}  // namespace fusillade::bench
