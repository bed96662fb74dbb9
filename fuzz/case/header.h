// The lines of a case before its program, without the program: of cases that do not read back, or
// whose programs are not for this process. What is said twice counts by its last line.
#pragma once

#include <istream>
#include <string>

namespace fusillade::fuzz {

struct CaseHeader {
  std::string oracle, verdict, plan, origin;
  std::string reason, detail;  // of its notes
  bool graph = false;          // a graph follows, else a script or nothing
};

// Reads up to the line after which the program follows.
CaseHeader read_header(std::istream& lines);

}  // namespace fusillade::fuzz
