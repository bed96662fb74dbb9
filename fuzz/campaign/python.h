// The Python side (reports/), run as a child process.
#pragma once

#include <string>
#include <vector>

namespace fusillade::fuzz {

// Runs `python -m fusillade_reports ARGS` with the interpreter of FUSILLADE_PYTHON (default
// /usr/bin/python3). The package is looked for in FUSILLADE_REPORTS, then in reports/ above the
// binary. Returns an empty string on success, else why not.
std::string run_report(const std::vector<std::string>& args);

// The same for what answers by its exit status and prints: the status. Throws Error where there is
// no answer.
int ask_report(const std::vector<std::string>& args);

}  // namespace fusillade::fuzz
