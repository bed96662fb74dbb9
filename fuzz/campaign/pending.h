// Cases that wait for triage: files of a folder, of which the text alone is read, for their
// programs are not for the supervisor's process.
#pragma once

#include <string>
#include <vector>

#include "fuzz/campaign/known.h"

namespace fusillade::fuzz {

inline std::string pending_folder(const std::string& out) { return out + "/pending"; }

// Their names, sorted.
std::vector<std::string> cases_in(const std::string& folder);

// What such a case was reported with.
Untriaged read_pending(const std::string& path);

}  // namespace fusillade::fuzz
