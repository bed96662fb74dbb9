// Of which versions the external engines are that answered here: what every file written about them
// says, for what is true of one version need not be of the next.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// "PyTorch 2.13.0, Python 3.13.5", by family, of those of these plans that greeted this process.
// Starts no worker.
std::map<std::string, std::string> engine_versions(const std::vector<Plan>& plans);
// Notes them in a case: "engine: torch: PyTorch 2.13.0, Python 3.13.5".
void note_engines(Case& c);
// A line for each engine that answered here as another version than the case notes; none of those
// that it notes nothing of.
std::vector<std::string> other_versions(const Case& c);

}  // namespace fusillade::fuzz
