// See duration.h.
#include "fuzz/cli/duration.h"

#include <cmath>
#include <cstdlib>

#include "engine/base/error.h"

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

}  // namespace fusillade::cli
