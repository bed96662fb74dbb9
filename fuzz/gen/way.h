// Ways to draw one thing, each with a weight: what a production draws within itself.
//
//   static constexpr Way<Dims (*)(Choices&)> kWays[] = {{3, &square}, {1, &scalar}};
//   return draw_way(choices, kWays)(choices);
#pragma once

#include <cstdint>

#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

template <class F>
struct Way {
  uint64_t weight;
  F make;
};

template <class F, size_t n>
F draw_way(Choices& choices, const Way<F> (&ways)[n]) {
  uint64_t total = 0;
  for (const Way<F>& way : ways) total += way.weight;
  uint64_t at = choices.below(total);
  for (const Way<F>& way : ways) {
    if (at < way.weight) return way.make;
    at -= way.weight;
  }
  FUS_BUG("no way was drawn");
}

}  // namespace fusillade::fuzz
