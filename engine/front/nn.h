// The text of the nn library, written in the language itself: one file of engine/front/nn per
// family.
#pragma once

#include <string_view>
#include <vector>

namespace fusillade::front {

struct LibraryText {
  const char* name;  // "linear": engine/front/nn/linear.py
  const char* text;
};

const std::vector<LibraryText>& library_texts();

}  // namespace fusillade::front
