// See refusal.h.
#include "fuzz/verdict/refusal.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <vector>

namespace fusillade::fuzz {
namespace {

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t end_of_word(const std::string& text, size_t at) {
  while (at < text.size() && word_char(text[at])) ++at;
  return at;
}

// One past ":3:12" at `at`; `at` where there is none.
size_t end_of_place(const std::string& text, size_t at) {
  size_t end = at;
  for (int i = 0; i < 2; ++i) {
    if (end >= text.size() || text[end] != ':') return at;
    const size_t digits = ++end;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end == digits) return at;
  }
  return end;
}

using Words = std::map<std::string, size_t>;  // with how often each is there

Words words_of(const std::string& text) {
  Words out;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = end_of_word(text, at);
    if (end > at) ++out[text.substr(at, end - at)];
    at = end;
  }
  return out;
}

// What a line binds, or a little more: an import all of its words, an assignment those before its
// sign, a `return` the end of its function.
Words bound_in(const std::string& line) {
  const size_t from = std::min(line.find_first_not_of(' '), line.size());
  const std::string first = line.substr(from, end_of_word(line, from) - from);
  if (first == "import" || first == "from") return words_of(line);
  if (first == "def" || first == "class") {
    const size_t name = from + first.size() + 1;
    return words_of(line.substr(std::min(name, line.size()), end_of_word(line, name) - name));
  }
  if (first == "for") return words_of(line.substr(from + 3, line.find(" in ") - from - 3));
  if (first == "with") return words_of(line.substr(std::min(line.find(" as "), line.size())));
  const size_t sign = line.find("= ");
  return sign == std::string::npos ? Words() : words_of(line.substr(0, sign));
}

std::vector<std::string> lines_of(const std::string& script) {
  std::vector<std::string> out;
  std::istringstream in(script);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Words bound_words(const std::vector<std::string>& lines) {
  Words out;
  for (const std::string& line : lines)
    for (const auto& [word, count] : bound_in(line)) out[word] += count;
  return out;
}

// By the head of each function, how many returns it has.
Words returns_of(const std::vector<std::string>& lines) {
  Words out;
  std::string head;
  for (const std::string& line : lines) {
    const size_t from = std::min(line.find_first_not_of(' '), line.size());
    if (line.compare(from, 4, "def ") == 0) head = line;
    out[head] += line.compare(from, 6, "return") == 0;
  }
  return out;
}

}  // namespace

// A place is the name of a file and ":3:12".
std::string refusal_of(const Case& c) {
  std::string line = c.refused.substr(0, c.refused.find('\n'));
  line.resize(std::min(line.find("; did you mean "), line.size()));
  std::string out, file;
  for (size_t at = 0; at < line.size();) {
    const size_t end = end_of_place(line, at);
    if (end == at) {
      out += line[at++];
      continue;
    }
    if (file.empty()) file = out;  // the line begins with it, and it may hold blanks
    out.resize(out.ends_with(file) ? out.size() - file.size() : out.find_last_of(" (") + 1);
    at = line.compare(end, 2, ": ") == 0 ? end + 2 : end;
  }
  return out;
}

bool refused_alike(const Case& smaller, const Case& before) {
  if (refusal_of(smaller) != refusal_of(before)) return false;
  if (smaller.refused.empty()) return true;
  const std::vector<std::string> lines = lines_of(smaller.script);
  const std::vector<std::string> lines_before = lines_of(before.script);
  const Words words = words_of(smaller.script);
  Words bound = bound_words(lines);
  for (const auto& [word, count] : bound_words(lines_before))
    if (words.count(word) && bound[word] != count) return false;
  Words returns = returns_of(lines_before);
  for (const auto& [head, count] : returns_of(lines))
    if (returns.count(head) && returns[head] != count) return false;
  return true;
}

}  // namespace fusillade::fuzz
