// See error_class.h.
#include "fuzz/run/error_class.h"

#include <algorithm>
#include <cctype>

namespace fusillade::fuzz {
namespace {

constexpr const char* kWords[] = {"Error",     "Exception", "Iteration",
                                  "Interrupt", "Exit",      "Warning"};

}  // namespace

std::string error_class(const std::string& message, std::string* behind) {
  std::string line = message.substr(0, message.find('\n'));
  for (size_t at = 0; at < line.size();) {
    size_t end = at;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
      ++end;
    std::string word = line.substr(at, end - at);
    bool ends = end == line.size() || line[end] == ':';
    for (const char* suffix : kWords) {
      if (!ends || !word.ends_with(suffix) || !std::isupper(static_cast<unsigned char>(word[0])))
        continue;
      if (behind) *behind = end < line.size() ? line.substr(std::min(end + 2, line.size())) : "";
      return word;
    }
    at = end + 1;
  }
  return "";
}

std::string raised_class(const std::string& message) {
  std::string named = error_class(message);
  return named.empty() ? "RuntimeError" : named;
}

}  // namespace fusillade::fuzz
