// What a benchmark's file says of the machine it was measured on: Google Benchmark's "context".
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace fusillade::bench {

// Keys, units and types as Google Benchmark writes them (schema 1): mhz_per_cpu, caches with sizes
// in bytes, load averages; what the system does not report is left out of a list, or 0. Our
// additions: "schema", "toolchain", "machine".
nlohmann::json context();

// Of the first processor: type, level, size, num_sharing.
nlohmann::json caches();

}  // namespace fusillade::bench
