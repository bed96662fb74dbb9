// How much of a campaign's time triage may take: a fifth. Of a campaign that was given a time
// (`asked`) that is a fifth of it, or `least` where that is more, during it and after its end
// together. One without (`--runs`) has what kTriageShare of its time so far gives, and
// kLastSeconds after its end.
#pragma once

#include <algorithm>

namespace fusillade::fuzz {

inline constexpr double kTriageShare = 0.2;
inline constexpr double kLeastShare = 30;  // seconds: a hang is confirmed in 10
// With engines outside, where each triage starts a worker of its own, and compilers compile.
inline constexpr double kLeastShareOutside = 45;
inline constexpr double kLastSeconds = 30;     // without a time asked
inline constexpr double kLeastOfATriage = 20;  // for blame and reduction, without a time asked

struct TriageShare {
  double least = kLeastShare;
  double asked = 0;          // seconds; 0: until it is stopped, or has run so many programs
  double used = 0;           // by triages that ended
  double used_at_end = 0;    // of these, before the workers' end
  double workers_ended = 0;  // seconds of the campaign; 0: they run

  // What a triage that begins now may take; none is to begin with 0.
  double left(double elapsed) const {
    const bool running = workers_ended == 0;
    if (running && used >= kTriageShare * elapsed) return 0;
    if (asked > 0) return std::max(0.0, std::max(least, kTriageShare * asked) - used);
    if (running) return std::max(kTriageShare * elapsed - used, kLeastOfATriage);
    return std::max(0.0, std::max(used_at_end + kLastSeconds, kTriageShare * workers_ended) - used);
  }
};

}  // namespace fusillade::fuzz
