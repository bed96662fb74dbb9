// A timing as bench.json has it: Google Benchmark's entry, and our fields
// (docs/reference/reports.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/harness/measure.h"

namespace fusillade::bench {

// `base`: the timing that it is a multiple of; `family`: its index in the file; `runtime`: hash of
// the libraries.
nlohmann::json entry(const Measured& m, const Measured& base, int family, bool typed,
                     const std::string& runtime);

}  // namespace fusillade::bench
