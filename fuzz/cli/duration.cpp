// See duration.h.
#include "fuzz/cli/duration.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/run/plan.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {

double parse_duration(const std::string& flag, const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || scale == 0 || !(value >= 0) || std::isinf(value)) {
    fail("{}: '{}' is not a duration; write seconds, or 90s, 10m, 2h", flag, text);
  }
  return value * scale;
}

double timeout_of(const std::string& given, const std::vector<std::string>& plans) {
  if (!given.empty()) return parse_duration("--timeout", given);
  bool outside = std::any_of(plans.begin(), plans.end(), [](const std::string& plan) {
    return fuzz::is_outside(parse_plan(plan).engine);
  });
  return outside ? 600 : 10;
}

}  // namespace fusillade::cli
