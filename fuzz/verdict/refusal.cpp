// See refusal.h.
#include "fuzz/verdict/refusal.h"

#include <cctype>
#include <set>

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

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = end_of_word(text, at);
    if (end > at) out.insert(text.substr(at, end - at));
    at = end;
  }
  return out;
}

// How many lines begin with the word, or bind it in a loop.
size_t bindings(const std::string& script, const std::string& word) {
  size_t count = 0;
  for (size_t at = 0; at < script.size(); at = std::min(script.find('\n', at), script.size()) + 1) {
    size_t from = std::min(script.find_first_not_of(' ', at), script.size());
    if (script.compare(from, 4, "for ") == 0) from += 4;
    count += script.compare(from, end_of_word(script, from) - from, word) == 0;
  }
  return count;
}

}  // namespace

// A place is the name of a file and ":3:12".
std::string refusal_of(const Case& c) {
  const std::string line = c.refused.substr(0, c.refused.find('\n'));
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
  const std::string message = refusal_of(before);
  if (refusal_of(smaller) != message) return false;
  for (const std::string& word : words_of(message))
    if (bindings(smaller.script, word) != bindings(before.script, word)) return false;
  return true;
}

}  // namespace fusillade::fuzz
