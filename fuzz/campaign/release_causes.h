// Which causes of a campaign over two releases of one compiler are of both, and which of one alone.
//
// The campaign's plans are of two families, the same worker under two interpreters. Each finding's
// case is judged again under either; findings that are one cause but for the family are one row.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {

struct Releases {
  std::string before, after;  // families: "old", "new"
  std::string shown;          // the family that both are of, for people: "torch"
};

// The fields `causes` and `unread` of releases.json (reports/fusillade_reports/schemas), of the
// findings in `folder`/findings that are of these families; `tries` judgements of each under each
// release. Tells stderr how far it is.
nlohmann::json causes_by_release(const std::string& folder, const Releases& releases,
                                 const Limits& limits, int tries);

}  // namespace fusillade::fuzz
