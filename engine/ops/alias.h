// Second names of ops.
#pragma once

#include <string>
#include <string_view>

namespace fusillade {

// "aten::clamp_" for "aten::clip_"; empty for names that are no second ones.
std::string alias_target(std::string_view base_name);

}  // namespace fusillade
