// Series of known shape, and what is said of each: when it is steady, or that it never is.
#include <gtest/gtest.h>

#include "bench/harness/shapes.h"
#include "bench/harness/steady.h"

namespace fusillade::bench {
namespace {

TEST(Warm, ShapesAreClassified) {
  for (const Shape& s : shapes()) {
    EXPECT_GE(detected_share(s, 40, 0.02, 200), 0.6) << s.name;  // few calls for two cycles
    for (size_t calls : {80, 200}) {
      for (double spread : {0.005, 0.02})
        EXPECT_GE(detected_share(s, calls, spread, 200), 0.95)
            << s.name << " " << calls << " " << spread;
    }
  }
}

TEST(Warm, NoiseIsNoChange) {
  EXPECT_GE(detected_share(shapes()[0], 40, 0.05, 1000), 0.99);
  EXPECT_GE(detected_share(shapes()[0], 200, 0.1, 400), 0.99);
}

TEST(Warm, TheStepIsFoundWhereItIs) {
  const Steady s = find_steady(draw_samples(shapes()[1], 40, 0.02, 7));
  EXPECT_EQ(s.kind, "warmup");
  EXPECT_NEAR(static_cast<double>(s.start), 12, 2);
  EXPECT_NEAR(s.level, 1e-3, 3e-5);
}

TEST(Warm, FewCallsTellNothing) {
  EXPECT_EQ(find_steady(std::vector<double>(19, 1)).kind, "too short");
  EXPECT_EQ(find_steady(std::vector<double>(20, 1)).kind, "flat");
  EXPECT_EQ(find_steady({}).kind, "too short");
}

}  // namespace
}  // namespace fusillade::bench
