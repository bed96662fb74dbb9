// The worker of an external engine cannot be started, however often that is tried: nothing that
// needs the engine can go on, and what was not compared is not to be counted as if it were.
//
// It is no Exception: whoever judges or declines what a program throws lets it pass. A child that
// meets it exits with kCannotStart (spawn.h); who waits for the child throws it again
// (run_isolated), or ends its campaign.
#pragma once

#include <string>

namespace fusillade::fuzz {

struct Unstartable {
  std::string why;  // one line
};

// The prefix of an error on stderr.
inline constexpr const char* kErrorHead = "fusillade: error: ";

}  // namespace fusillade::fuzz
