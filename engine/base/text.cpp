// Helpers on text; see text.h. Numbers are parsed without regard to the locale.
#include "engine/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fusillade {

namespace {

constexpr size_t kWordBits = 64;  // no name that is legal somewhere is longer

// Distances from one word of 1 to 64 characters: a column of the table as bits, which say where
// neighbours differ by +1 and by -1. Myers 1999, in the form of Hyyro 2003.
class DistanceByBits {
 public:
  explicit DistanceByBits(std::string_view word) : size_(word.size()) {
    for (size_t j = 0; j < size_; ++j) where_[static_cast<unsigned char>(word[j])] |= 1ull << j;
  }
  size_t to(std::string_view other) const {
    const uint64_t last = 1ull << (size_ - 1);
    uint64_t more = ~0ull, less = 0;
    size_t distance = size_;
    for (char c : other) {
      const uint64_t same = where_[static_cast<unsigned char>(c)] | less;
      const uint64_t diagonal = (((same & more) + more) ^ more) | same;
      const uint64_t right_more = less | ~(diagonal | more);
      const uint64_t right_less = more & diagonal;
      distance += (right_more & last) != 0;
      distance -= (right_less & last) != 0;
      const uint64_t down_more = (right_more << 1) | 1;
      less = down_more & diagonal;
      more = (right_less << 1) | ~(down_more | diagonal);
    }
    return distance;
  }

 private:
  size_t size_;
  std::array<uint64_t, 256> where_ = {};  // bit set of a character's positions in the word
};

size_t distance_by_rows(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above + 1, row[j - 1] + 1, change});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.empty() || a.size() > kWordBits) return distance_by_rows(a, b);
  return DistanceByBits(a).to(b);
}

std::string near_misses(std::string_view word, const std::vector<std::string>& legal) {
  std::vector<std::pair<size_t, std::string>> candidates;
  if (word.empty() || word.size() > kWordBits) return "";
  const DistanceByBits distance(word);
  const size_t most = word.size() < 4 ? 1 : std::max<size_t>(2, word.size() / 3);
  for (const std::string& candidate : legal) {
    const size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) > most) continue;
    size_t d = distance.to(candidate);
    if (d <= most) candidates.emplace_back(d, candidate);
  }
  if (candidates.empty()) return "";
  std::sort(candidates.begin(), candidates.end());
  std::string out = "; did you mean ";
  for (size_t i = 0; i < std::min<size_t>(candidates.size(), 3); ++i)
    out += (i ? " or " : "") + candidates[i].second;
  return out + "?";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty() || &word != &words.front()) out += separator;
    out += word;
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string> split_outside_brackets(std::string_view text, char separator,
                                                std::vector<size_t>* offsets) {
  std::vector<std::string> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : separator;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (i < text.size() && (c != separator || depth > 0)) continue;
    out.emplace_back(text.substr(begin, i - begin));
    if (offsets) offsets->push_back(begin);
    begin = i + 1;
  }
  return out;
}

bool parse_int(std::string_view text, int64_t* value) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return code == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool parse_double(std::string_view text, double* value) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return code == std::errc() && end == text.data() + text.size() && !text.empty();
}

namespace {

// Not finite: by name. Else as `digits`, with `point` behind what would look like an int.
std::string float_text(double v, std::string digits, const char* point) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  return digits.find_first_of(".e") == std::string::npos ? digits + point : digits;
}

}  // namespace

std::string python_float_text(double v) { return float_text(v, fmt::format("{}", v), ".0"); }
std::string torchscript_float_text(double v) { return float_text(v, fmt::format("{}", v), "."); }
std::string archive_float_text(double v) { return float_text(v, fmt::format("{:.17g}", v), "."); }
std::string hexadecimal_float_text(double v) { return float_text(v, fmt::format("{:a}", v), ""); }

}  // namespace fusillade
