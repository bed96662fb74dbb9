// Ranges that inputs' names promise: the elements of "from_2_to_7_n5" lie in [-2, 7], whoever draws
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fusillade::fuzz {

// Is it such a name?
inline bool is_range_name(std::string_view name) { return name.starts_with("from_"); }

// False, and nothing said, for another name.
bool range_of_name(const std::string& name, int64_t* lo, int64_t* hi);

}  // namespace fusillade::fuzz
