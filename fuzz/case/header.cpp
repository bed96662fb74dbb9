// See header.h.
#include "fuzz/case/header.h"

#include <utility>

namespace fusillade::fuzz {

CaseHeader read_header(std::istream& lines) {
  CaseHeader h;
  const std::pair<std::string_view, std::string CaseHeader::*> fields[] = {
      {"oracle: ", &CaseHeader::oracle},       {"verdict: ", &CaseHeader::verdict},
      {"plan: ", &CaseHeader::plan},           {"origin: ", &CaseHeader::origin},
      {"note: reason: ", &CaseHeader::reason}, {"note: detail: ", &CaseHeader::detail}};
  std::string line;
  while (std::getline(lines, line) && line != "program:" && line != "script:")
    for (const auto& [name, field] : fields)
      if (line.starts_with(name)) h.*field = line.substr(name.size());
  h.graph = line == "program:";
  return h;
}

}  // namespace fusillade::fuzz
