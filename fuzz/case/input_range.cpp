// See input_range.h.
#include "fuzz/case/input_range.h"

#include <cinttypes>
#include <cstdio>

namespace fusillade::fuzz {

bool range_of_name(const std::string& name, int64_t* lo, int64_t* hi) {
  int64_t below = 0, above = 0;
  if (std::sscanf(name.c_str(), "from_%" SCNd64 "_to_%" SCNd64, &below, &above) != 2 ||
      -below > above)
    return false;
  *lo = -below;
  *hi = above;
  return true;
}

}  // namespace fusillade::fuzz
