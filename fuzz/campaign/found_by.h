// What a campaign's causes were found by: which policy generated the program, from which
// productions, with which patterns of other compilers, which oracle judged it, under which plan.
// Says where an hour of a campaign is best spent.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace fusillade::fuzz {

// A cause that nothing mutes.
struct OpenCause {
  std::string origin;  // of its first program: "seed=1 index=7 policy=large"
  std::string oracle;
  std::string plan;
  int64_t cases = 0;
  double first_seen = 0;                      // seconds of the campaign
  std::vector<std::string> productions = {};  // of its first program
};

// Rates, events an hour, which so many events in these seconds admit: 95 %, exact, of Poisson's
// distribution (Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28, 1936).
// Without time nothing is known: 0 and 0.
std::pair<double, double> rates_per_hour(int64_t events, double seconds);

class FoundBy {
 public:
  void add(const OpenCause& cause);
  // Rows of `found_by` in campaign.json, of each kind the most causes first.
  nlohmann::json rows(double seconds) const;

  struct Row {
    int64_t causes = 0, cases = 0;
    double first_seen = 0;
  };

 private:
  std::map<std::string, Row> policies_, productions_, patterns_, oracles_, plans_;
};
nlohmann::json found_by(const std::vector<OpenCause>& causes, double seconds);

// The part of summary.md; "" where nothing was found.
std::string found_by_summary(const nlohmann::json& rows);

}  // namespace fusillade::fuzz
