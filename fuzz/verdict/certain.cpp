// See certain.h.
#include "fuzz/verdict/certain.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

std::vector<std::string> lines_of(const std::string& script) {
  std::vector<std::string> out;
  std::istringstream in(script);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

size_t indentation(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// `text` with no digit or letter behind it.
bool mentions(const std::string& line, const std::string& text) {
  for (size_t at = line.find(text); at != std::string::npos; at = line.find(text, at + 1)) {
    const size_t end = at + text.size();
    if (end == line.size() || !std::isalnum(static_cast<unsigned char>(line[end]))) return true;
  }
  return false;
}

std::vector<std::string> what_is_asserted(const std::string& script, const std::string& name) {
  std::string list = name;
  std::ranges::replace(list, ' ', '_');
  const std::vector<std::string> lines = lines_of(script);
  std::vector<std::string> out;
  bool classifies = false;
  for (const std::string& line : lines) {
    if (!mentions(line, name) && !mentions(line, list)) continue;
    out.emplace_back(trim(line));
    classifies =
        classifies || mentions(line, kQuestionFunction) || mentions(line, kFormerQuestionFunction);
  }
  bool within = false;
  for (const std::string& line : lines) {
    within = line.starts_with(fmt::format("def {}(", kQuestionFunction)) ||
             line.starts_with(fmt::format("def {}(", kFormerQuestionFunction)) ||
             (within && indentation(line) > 0);
    if (classifies && within) out.push_back(line);
  }
  return out;
}

}  // namespace

std::string failed_certainty(const std::string& message) {
  const std::string head = fmt::format("AssertionError: {} ", kCertain);
  if (!message.starts_with(head)) return "";
  const size_t end = message.find_first_not_of("0123456789", head.size());
  return fmt::format("{} {}", kCertain, message.substr(head.size(), end - head.size()));
}

bool certain_alike(const Case& smaller, const Case& before, const std::string& name) {
  return name.empty() ||
         what_is_asserted(smaller.script, name) == what_is_asserted(before.script, name);
}

}  // namespace fusillade::fuzz
