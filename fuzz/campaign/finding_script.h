// script.py of a finding of an external engine, next to its reduced case.
//
// A script is kept once it was seen to show the finding, which takes as long as the engine takes. A
// triage may be cut meanwhile, so the README says first that there is no script and which command
// makes one; that line goes once there is.
#pragma once

#include <string>

#include "fuzz/process/spawn.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {

// Does nothing where `folder` has a script, or a recorded reason for having none. `tried` is the
// file that is run; a triage that is cut leaves it.
void save_finding_script(const std::string& folder, const std::string& tried, const Triaged& t,
                         const Limits& limits);

}  // namespace fusillade::fuzz
