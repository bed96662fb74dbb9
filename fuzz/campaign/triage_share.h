// How much of a campaign's time triage may take: a fifth where one case waits, more where more do,
// a half where ten do, or `least` where that is more; while its programs run and after them
// together. A campaign that found nothing yet has more patience: its first finding is worth it.
// Where a time was asked that is a share of it, else of the time that the programs take.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fusillade::fuzz {

inline constexpr double kTriageShare = 0.2;
inline constexpr double kTriageShareOfMany = 0.5;
inline constexpr size_t kManyCases = 10;
inline constexpr double kLeastShare = 30;  // seconds: a hang is confirmed in 10
// With external engines, where each triage starts a worker of its own, and compilers compile.
inline constexpr double kLeastShareOutside = 45;
// Until there is a finding: a worker may take five seconds to start, and each trial takes as long.
inline constexpr double kLeastShareOfFirst = 120;
// Two releases are compared by what triage tells of them.
inline constexpr double kLeastShareOfReleases = 300;
// What one that wrote its finding may take beyond its time, to see the finding's script fail.
inline constexpr double kScriptShare = 90;

struct TriageShare {
  double least = kLeastShare;
  double asked = 0;          // seconds; 0: until it is stopped, or has run so many programs
  double used = 0;           // by triages that ended
  double workers_ended = 0;  // seconds of the campaign; 0: they run

  // Of the campaign's time, where so many cases wait.
  static double of_time(size_t waiting) {
    const double more = static_cast<double>(std::clamp<size_t>(waiting, 1, kManyCases) - 1) /
                        static_cast<double>(kManyCases - 1);
    return kTriageShare + more * (kTriageShareOfMany - kTriageShare);
  }

  // What triages that begin now may take, where so many cases wait and there are so many findings;
  // none is to begin with 0.
  double seconds_left(double elapsed, size_t waiting = 1, size_t findings = 1) const {
    const double share = of_time(waiting);
    const bool running = workers_ended == 0;
    if (running && used >= share * elapsed) return 0;
    const double whole = asked > 0 ? asked : running ? elapsed : workers_ended;
    const double patience = findings == 0 && !running ? kLeastShareOfFirst : 0;
    return std::max(0.0, std::max({least, patience, share * whole}) - used);
  }
};

}  // namespace fusillade::fuzz
