// See shapes.h.
#include "bench/harness/shapes.h"

#include <cmath>

#include "bench/harness/steady.h"
#include "engine/tensor/random.h"

namespace fusillade::bench {

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"flat", "flat", [](size_t, size_t, uint64_t) { return 1.0; }},
      {"warm-up, a step of 1.5", "warmup",
       [](size_t i, size_t n, uint64_t) { return 10 * i < 3 * n ? 1.5 : 1.0; }},
      {"warm-up, decaying from 3", "warmup",
       [](size_t i, size_t n, uint64_t) {
         return 1 + 2 * std::exp(-40.0 * static_cast<double>(i) / static_cast<double>(n));
       }},
      {"slowdown, a step of 1.5", "slowdown",
       [](size_t i, size_t n, uint64_t) { return 10 * i < 3 * n ? 1.0 : 1.5; }},
      {"a step of 1.5 near the end", "no steady state",
       [](size_t i, size_t n, uint64_t) { return 4 * i < 3 * n ? 1.0 : 1.5; }},
      {"cyclic, two cycles of 1 and 1.4", "no steady state",
       [](size_t i, size_t n, uint64_t) { return 4 * i / n % 2 ? 1.4 : 1.0; }},
      {"bimodal, processes at 1 or 1.3", "flat",
       [](size_t, size_t, uint64_t process) { return process % 2 ? 1.3 : 1.0; }},
  };
  return all;
}

std::vector<double> draw_samples(const Shape& shape, size_t calls, double spread,
                                 uint64_t process) {
  std::vector<double> out;
  for (size_t i = 0; i < calls; ++i) {
    const double late =
        random_unit(process, 3 * i) < 0.05 ? 2 * random_unit(process, 3 * i + 1) : 0;
    const double scatter = std::exp(spread * random_normal(process, 3 * i + 2));
    out.push_back(1e-3 * shape.level(i, calls, process) * scatter * (1 + late));
  }
  return out;
}

double detected_share(const Shape& shape, size_t calls, double spread, int processes) {
  int right = 0;
  for (int p = 0; p < processes; ++p) {
    right += find_steady(draw_samples(shape, calls, spread, static_cast<uint64_t>(p))).kind ==
             shape.kind;
  }
  return right / static_cast<double>(processes);
}

}  // namespace fusillade::bench
