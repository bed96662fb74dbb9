// Formats of text decomposed: "{} of {}" and "%5d of %s".
#pragma once

#include <string>
#include <vector>

namespace fusillade::archive {

// Literal text, or one field: a value's number and how it is written.
struct Piece {
  char kind = 0;  // 0: literal; 'v' for {} without a type: as the value's type says; else the
                  // letter of the type
  std::string text;
  size_t argument = 0;
  std::string flags;  // of "-+ 0#,_" those given; in {} '-' is '<'
  char align = 0;     // of "<>^=", 0 where none is given
  char fill = ' ';
  int width = 0;
  int precision = -1;
  bool braces = false;
  std::string spelled;  // "%-5.2f", "{:>8}"
  bool has(char flag) const { return flags.find(flag) != std::string::npos; }
  bool plain() const { return kind == 0 || spelled == "{}"; }
};

// In order, literals joined. False with the reason for a field that is none.
bool pieces_of(const std::string& format, bool percent, std::vector<Piece>& out, std::string& why);

}  // namespace fusillade::archive
