// Which rows the policy `rows` draws, and of the others why not.
#pragma once

#include <string>
#include <string_view>

#include "engine/ops/row.h"

namespace fusillade::fuzz {

// Empty for a row that is drawn, else one of the words of undrawn_words().
std::string_view why_undrawn(const Row& row);
// Those words with what they mean, for help.
std::string undrawn_words();

}  // namespace fusillade::fuzz
