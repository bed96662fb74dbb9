// Durations on the command line: "60", "90s", "10m", "2h", "1.5h".
#pragma once

#include <string>

namespace fusillade::cli {

// Seconds. Throws Error naming the flag and the legal forms.
double parse_duration(const std::string& flag, const std::string& text);

}  // namespace fusillade::cli
