// See least_count.h.
#include "engine/passes/least_count.h"

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade {

size_t least_count(const char* pass, const std::vector<std::string>& words) {
  int64_t least = 2;
  const bool number = words.empty() || (words.size() == 1 && parse_int(words[0], &least));
  if (!number || least < 2) fail("{} takes the least number of products, 2 or more", pass);
  return static_cast<size_t>(least);
}

}  // namespace fusillade
