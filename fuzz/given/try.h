// How many draws of types eager mode is asked about.
#pragma once

#include <cstdint>

namespace fusillade::fuzz {

inline constexpr uint64_t kTries = 320;

}  // namespace fusillade::fuzz
