// Durations on the command line: "60", "90s", "10m", "2h", "1.5h".
#pragma once

#include <string>
#include <vector>

namespace fusillade::cli {

// Seconds. Throws Error naming the flag and the legal forms.
double parse_duration(const std::string& flag, const std::string& text);

// What --timeout says, or its default, which is longer where a plan is of an engine outside: its
// worker has a limit of its own for each call.
inline constexpr const char* kTimeoutHelp =
    "per program; longer is a hang (default: 10s; 10m with plans of engines outside)";
double timeout_of(const std::string& given, const std::vector<std::string>& plans);

}  // namespace fusillade::cli
