// Whose memory it was that did not do. A program that eager mode cannot run under the limit is
// too large for it, under every plan and oracle; and an oracle holds a case many times over, as
// values, bounds and copies, which is the oracle's. A plan that needs more than the limit where
// eager mode and all that judges it fit is the engine's spree: a finding.
#pragma once

#include <functional>

#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// The reason given where the program, or what judges it, is too large.
inline constexpr const char* kTooLarge = "out of memory under the limit";

// In this process, under its budget of allocations.
bool is_spree(const Case& c, const Plan& plan);

// In fresh processes, each under the limits: of a case that ended one. `make_case` builds it in
// each.
bool is_spree(const std::function<Case()>& make_case, const Limits& limits);

}  // namespace fusillade::fuzz
