// How accurate scalar functions are: within what the oracles allow, and within their range. A
// sample; `fusillade ulps --every 1` asks all floats.
#include "bench/harness/ulps.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/scalar/accuracy.h"

namespace fusillade::bench {
namespace {

TEST(Ulps, OfAllFunctionsAreWithinWhatTheOraclesAllow) {
  ASSERT_EQ(measured_functions().size(), 20u);
  for (const std::string& name : measured_functions()) {
    const std::vector<Accuracy> all = accuracy_of(name, 65537, 30000);
    EXPECT_GE(all.size(), 2u);
    for (const Accuracy& a : all) {
      EXPECT_EQ(a.inputs, a.single ? 65536u : 30000u);
      EXPECT_LE(a.worst, accuracy::kTranscendental) << name << " " << a.lanes << " " << a.at;
      EXPECT_EQ(a.outside, 0u) << name << " " << a.lanes << " " << a.outside_at;
    }
  }
  EXPECT_THROW(accuracy_of("gelu", 65537, 0), Error);
}

}  // namespace
}  // namespace fusillade::bench
