// The word that begins the message of an assertion which the generator knows to hold.
#pragma once

namespace fusillade::fuzz {

inline constexpr const char* kCertain = "certain";

}  // namespace fusillade::fuzz
