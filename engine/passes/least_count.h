// The word of a pass that joins things: at least how many, 2 where none is given.
#pragma once

#include <string>
#include <vector>

namespace fusillade {

// Throws Error when the words are anything but one number of 2 or more.
size_t least_count(const char* pass, const std::vector<std::string>& words);

}  // namespace fusillade
