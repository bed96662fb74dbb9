// Formats of text taken apart: "{} of {:>5d}" and "%5d of %s".
#pragma once

#include <string>
#include <vector>

namespace fusillade::archive {

// Literal text, or one field: a value's number and how it is written.
struct Piece {
  char kind = 0;  // 0: literal; 's' also for {}; else the letter behind % or of {:d}; kByType for {:5}
  std::string text;  // literal, or the field as it is written
  size_t argument = 0;
  std::string flags;
  int width = 0;
  int precision = -1;
  bool implicit = true;  // literal text, or {} without a number
  bool spec = false;     // of {:...}: strings stand left unless `right`
  bool right = false;
};
inline constexpr char kByType = '?';

// In order, literals joined. False with the reason for a field that is none.
bool pieces_of(const std::string& format, bool percent, std::vector<Piece>& out, std::string& why);

}  // namespace fusillade::archive
