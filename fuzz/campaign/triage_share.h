// How much of a campaign's time triage may take: a fifth, or `least` where that is more, while its
// programs run and after them together. Where a time was asked that is a fifth of it, else of the
// time that the programs take.
#pragma once

#include <algorithm>

namespace fusillade::fuzz {

inline constexpr double kTriageShare = 0.2;
inline constexpr double kLeastShare = 30;  // seconds: a hang is confirmed in 10
// With external engines, where each triage starts a worker of its own, and compilers compile.
inline constexpr double kLeastShareOutside = 45;
// What one that wrote its finding may take beyond its time, to see the finding's script fail.
inline constexpr double kScriptShare = 90;

struct TriageShare {
  double least = kLeastShare;
  double asked = 0;          // seconds; 0: until it is stopped, or has run so many programs
  double used = 0;           // by triages that ended
  double workers_ended = 0;  // seconds of the campaign; 0: they run

  // What a triage that begins now may take; none is to begin with 0.
  double seconds_left(double elapsed) const {
    const bool running = workers_ended == 0;
    if (running && used >= kTriageShare * elapsed) return 0;
    const double whole = asked > 0 ? asked : running ? elapsed : workers_ended;
    return std::max(0.0, std::max(least, kTriageShare * whole) - used);
  }
};

}  // namespace fusillade::fuzz
