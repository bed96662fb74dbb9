// A saved case, ready to be judged.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::cli {

// `plan`: judged instead of the case's; `against`: the other build that it is about; empty: none is
// given. Throws Error naming the file where it cannot be judged.
fuzz::Case load_case(const std::string& file, const std::string& plan, const std::string& against);

}  // namespace fusillade::cli
