// What this machine can do at most, measured in a fraction of a second: multiply-adds of floats,
// and copies within each cache and in memory, by one thread and by all that kernels may use.
//
// Each figure is the best of a few short runs: on a busy machine too low, never too high.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace fusillade::bench {

// "threads"; "flops": of f32 in a second, a multiply-add being two; "copies": by size of what is
// copied, bytes read and written in a second. "one" and "all" threads.
nlohmann::json machine_peaks();

}  // namespace fusillade::bench
