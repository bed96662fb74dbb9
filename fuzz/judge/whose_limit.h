// Whose limit it was that did not do. A program that eager mode cannot run under the limit of
// memory is too large for it, under every plan and oracle. And what an oracle does with a case
// takes many times what eager mode takes: values, bounds, tapes and copies, which are the oracle's.
// A plan that needs more than the limit where eager mode and all that judges it fit is the
// engine's: a finding.
#pragma once

#include <functional>

#include "fuzz/process/isolate.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// The reason given where the program, or what judges it, is too large.
inline constexpr const char* kTooLarge = "out of memory under the limit";
// And where what judges it takes too long.
inline constexpr const char* kTooLong = "the oracle takes longer than the limit";

// Of a case that ran out of memory, in this process, under its budget of allocations: was it a
// plan?
bool is_spree(const Case& c, const Plan& plan);

// In fresh processes, each under the limits: of a case that ended one. `make_case` builds it in
// each.
bool is_spree(const std::function<Case()>& make_case, const Limits& limits);

// Of a case that was not judged in time: which part of the work does not end. `Judging`: eager mode
// and each plan end, and the former takes so much of the limit that what judges it may take it all.
enum class Late { Eager, Other, Judging };
Late who_is_late(const std::function<Case()>& make_case, const Limits& limits);

}  // namespace fusillade::fuzz
