// Strings: Python's operators, methods and functions on them, under ATen's schemas.
//
// Positions and lengths count code points. Case mapping and character classes know ASCII; on other
// letters they are refused, so that no answer is wrong. ATen's `end=-1` of find, count, startswith
// and their kin means "to the end". strip() and split() without an argument take all of Python's
// ASCII whitespace.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>

#include "engine/aten/text/print.h"
#include "engine/base/text.h"
#include "engine/ops/scalar_operator.h"
#include "engine/ops/text.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;
using Text = std::u32string;

ScalarOptions plain() {
  ScalarOptions o;
  o.generate = false;
  return o;
}

const Text& text(const IValue& v) { return v.code_points(); }
IValue str(const Text& t) { return IValue::str(encode_utf8(t)); }
IValue strs(const std::vector<Text>& parts) {
  std::vector<IValue> items;
  for (const Text& p : parts) items.push_back(str(p));
  return IValue::list(std::move(items), TypeKind::Str);
}

constexpr size_t kNone = Text::npos;

char32_t ascii(char32_t c) {
  if (c >= 0x80)
    fail("a string method that depends on the case or class of characters takes ASCII only");
  return c;
}
bool lower(char32_t c) { return ascii(c) >= 'a' && c <= 'z'; }
bool upper(char32_t c) { return ascii(c) >= 'A' && c <= 'Z'; }
bool alpha(char32_t c) { return lower(c) || upper(c); }
bool digit(char32_t c) { return ascii(c) >= '0' && c <= '9'; }
bool space(char32_t c) { return (ascii(c) >= 9 && c <= 13) || (c >= 28 && c <= 32); }
char32_t to_upper(char32_t c) { return lower(c) ? c - 32 : c; }
char32_t to_lower(char32_t c) { return upper(c) ? c + 32 : c; }

// What a method sees of itself: [start:end] of ATen's arguments, as positions; first > last when
// start is behind.
struct Range {
  size_t first;
  size_t last;
};
Range range_of(const Text& t, const IValue& start, const IValue& end) {
  int64_t n = static_cast<int64_t>(t.size());
  int64_t a = start.as_int(), b = end.as_int();
  if (a < 0) a = std::max<int64_t>(a < -n ? 0 : a + n, 0);
  b = b == -1 ? n : b < 0 ? (b < -n ? 0 : b + n) : std::min(b, n);
  return {static_cast<size_t>(std::min(a, n + 1)), static_cast<size_t>(b)};
}

size_t find_in(const Text& t, const Text& part, Range r) {
  if (r.first > r.last) return kNone;
  size_t at = t.find(part, r.first);
  return at != kNone && at + part.size() <= r.last ? at : kNone;
}

size_t rfind_in(const Text& t, const Text& part, Range r) {
  if (r.first > r.last || part.size() > r.last) return kNone;
  size_t at = t.rfind(part, r.last - part.size());
  return at != kNone && at >= r.first ? at : kNone;
}

template <bool kLast>
size_t find_substring(Values v) {
  Text t = text(v[0]);
  Range r = range_of(t, v[2], v[3]);
  return kLast ? rfind_in(t, text(v[1]), r) : find_in(t, text(v[1]), r);
}

void searching() {
  auto position = [](size_t at) {
    return IValue(at == kNone ? int64_t{-1} : static_cast<int64_t>(at));
  };
  using Position = decltype(position);
  const char* args = "(str self, str substr, int start=0, int end=-1)";
  add_scalar(
      fmt::format("aten::find{} -> int", args),
      [](Values v) { return Position{}(find_substring<false>(v)); }, plain());
  add_scalar(
      fmt::format("aten::rfind{} -> int", args),
      [](Values v) { return Position{}(find_substring<true>(v)); }, plain());
  auto must = [](size_t at) {
    if (at == kNone) fail("ValueError: substring not found");
    return IValue(static_cast<int64_t>(at));
  };
  using Must = decltype(must);
  add_scalar(
      fmt::format("aten::index.str{} -> int", args),
      [](Values v) { return Must{}(find_substring<false>(v)); }, plain());
  add_scalar(
      fmt::format("aten::rindex{} -> int", args),
      [](Values v) { return Must{}(find_substring<true>(v)); }, plain());
  add_scalar(
      fmt::format("aten::count{} -> int", args),
      [](Values v) {
        Text t = text(v[0]), part = text(v[1]);
        Range r = range_of(t, v[2], v[3]);
        int64_t count = 0;
        for (size_t at; (at = find_in(t, part, r)) != kNone; ++count)
          r.first = at + std::max<size_t>(part.size(), 1);
        return IValue(count);
      },
      plain());
  add_scalar(
      fmt::format("aten::startswith{} -> bool", args),
      [](Values v) {
        Text t = text(v[0]), part = text(v[1]);
        Range r = range_of(t, v[2], v[3]);
        return IValue(r.first <= r.last && part.size() <= r.last - r.first &&
                      t.compare(r.first, part.size(), part) == 0);
      },
      plain());
  add_scalar(
      fmt::format("aten::endswith{} -> bool", args),
      [](Values v) {
        Text t = text(v[0]), part = text(v[1]);
        Range r = range_of(t, v[2], v[3]);
        return IValue(r.first <= r.last && part.size() <= r.last - r.first &&
                      t.compare(r.last - part.size(), part.size(), part) == 0);
      },
      plain());
  add_scalar(
      "aten::__contains__.str_in_str(str l, str item) -> bool",
      [](Values v) { return IValue(v[0].as_str().find(v[1].as_str()) != std::string::npos); },
      plain());
}

void operators() {
  add_scalar(
      "aten::len.str(str s) -> int",
      [](Values v) { return IValue(static_cast<int64_t>(text(v[0]).size())); }, plain());
  add_scalar(
      "aten::__getitem__.str(str s, int index) -> str",
      [](Values v) {
        const Text& t = text(v[0]);
        return str(Text(1, t[item_position(v[1].as_int(), t.size(), "string")]));
      },
      plain());
  add_scalar(
      "aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str",
      [](Values v) {
        const Text& t = text(v[0]);
        Text out;
        for (size_t i : slice_positions(v[1], v[2], v[3].as_int(), t.size())) out += t[i];
        return str(out);
      },
      plain());
  add_scalar(
      "aten::add.str(str a, str b) -> str",
      [](Values v) {
        check_size(static_cast<double>(v[0].as_str().size() + v[1].as_str().size()));
        return IValue::str(v[0].as_str() + v[1].as_str());
      },
      plain());
  auto repeat = [](const std::string& s, int64_t n) {
    check_size(static_cast<double>(s.size()) * static_cast<double>(std::max<int64_t>(n, 0)));
    std::string out;
    for (int64_t i = 0; i < n && !s.empty(); ++i) out += s;
    return IValue::str(out);
  };
  using Repeat = decltype(repeat);
  add_scalar(
      "aten::mul.str_int(str s, int n) -> str",
      [](Values v) { return Repeat{}(v[0].as_str(), v[1].as_int()); }, plain());
  add_scalar(
      "aten::mul.int_str(int n, str s) -> str",
      [](Values v) { return Repeat{}(v[1].as_str(), v[0].as_int()); }, plain());
  auto compare = [](const char* name, auto f) {
    add_scalar(fmt::format("aten::{}.str(str a, str b) -> bool", name), f, plain());
  };
  compare("eq", [](Values v) { return IValue(v[0].as_str() == v[1].as_str()); });
  compare("ne", [](Values v) { return IValue(v[0].as_str() != v[1].as_str()); });
  compare("lt", [](Values v) { return IValue(v[0].as_str() < v[1].as_str()); });
  compare("le", [](Values v) { return IValue(v[0].as_str() <= v[1].as_str()); });
  compare("gt", [](Values v) { return IValue(v[0].as_str() > v[1].as_str()); });
  compare("ge", [](Values v) { return IValue(v[0].as_str() >= v[1].as_str()); });
}

// The string with every character mapped by f(character, the one before or 0).
template <class F>
void add_mapping(const char* name, F) {
  add_scalar(
      fmt::format("aten::{}(str self) -> str", name),
      [](Values v) {
        Text t = text(v[0]), out;
        for (size_t i = 0; i < t.size(); ++i) out += F{}(t[i], i ? t[i - 1] : U'\0');
        return str(out);
      },
      plain());
}

// Is the string not empty and every character one of f's?
template <class F>
void all_are(const char* name, F) {
  add_scalar(
      fmt::format("aten::{}(str self) -> bool", name),
      [](Values v) {
        Text t = text(v[0]);
        return IValue(!t.empty() && std::all_of(t.begin(), t.end(), F{}));
      },
      plain());
}

void cases() {
  add_mapping("upper", [](char32_t c, char32_t) { return to_upper(c); });
  add_mapping("lower", [](char32_t c, char32_t) { return to_lower(c); });
  const auto swap = [](char32_t c, char32_t) { return lower(c) ? to_upper(c) : to_lower(c); };
  add_mapping("swapcase", swap);
  add_mapping("title", [](char32_t c, char32_t before) {
    return before && alpha(before) ? to_lower(c) : to_upper(c);
  });
  add_mapping("capitalize",
              [](char32_t c, char32_t before) { return before ? to_lower(c) : to_upper(c); });
}

void classes() {
  all_are("isdigit", [](char32_t c) { return digit(c); });
  all_are("isdecimal", [](char32_t c) { return digit(c); });
  all_are("isnumeric", [](char32_t c) { return digit(c); });
  all_are("isalpha", [](char32_t c) { return alpha(c); });
  all_are("isalnum", [](char32_t c) { return alpha(c) || digit(c); });
  all_are("isspace", [](char32_t c) { return space(c); });
  auto has_case = [](const Text& t, bool up) {
    bool any = false;
    for (char32_t c : t) {
      if (up ? lower(c) : upper(c)) return IValue(false);
      any = any || alpha(c);
    }
    return IValue(any);
  };
  using Cased = decltype(has_case);
  add_scalar(
      "aten::isupper(str self) -> bool", [](Values v) { return Cased{}(text(v[0]), true); },
      plain());
  add_scalar(
      "aten::islower(str self) -> bool", [](Values v) { return Cased{}(text(v[0]), false); },
      plain());
  add_scalar(
      "aten::istitle(str self) -> bool",
      [](Values v) {
        bool any = false, inside = false;
        for (char32_t c : text(v[0])) {
          if (inside ? upper(c) : lower(c)) return IValue(false);
          inside = alpha(c);
          any = any || inside;
        }
        return IValue(any);
      },
      plain());
  add_scalar(
      "aten::isprintable(str self) -> bool",
      [](Values v) {
        Text t = text(v[0]);
        return IValue(
            std::all_of(t.begin(), t.end(), [](char32_t c) { return ascii(c) >= 32 && c < 127; }));
      },
      plain());
  add_scalar(
      "aten::isidentifier(str self) -> bool",
      [](Values v) {
        Text t = text(v[0]);
        bool good = !t.empty() && !digit(t[0]);
        for (char32_t c : t) good = good && (alpha(c) || digit(c) || c == '_');
        return IValue(good);
      },
      plain());
}

IValue strip_chars(Values v, bool left, bool right) {
  Text t = text(v[0]);
  bool whitespace = v[1].as_str() == " \n\t\f\v";
  Text chars = text(v[1]);
  auto drop = [&](char32_t c) {
    return whitespace ? c < 0x80 && space(c) : chars.find(c) != kNone;
  };
  size_t first = 0, last = t.size();
  while (left && first < last && drop(t[first])) ++first;
  while (right && last > first && drop(t[last - 1])) --last;
  return str(t.substr(first, last - first));
}

// Fields between whitespace; at most `most` cuts when it is not negative, from the end when `last`.
std::vector<Text> words(const Text& t, int64_t most, bool last) {
  std::vector<Text> out;
  Text rest = last ? Text(t.rbegin(), t.rend()) : t;
  auto blank = [](char32_t c) { return c < 0x80 && space(c); };
  for (size_t at = 0;;) {
    while (at < rest.size() && blank(rest[at])) ++at;
    if (at == rest.size()) break;
    size_t end = at;
    bool all = most >= 0 && static_cast<int64_t>(out.size()) == most;
    while (end < rest.size() && (all || !blank(rest[end]))) ++end;
    out.push_back(rest.substr(at, end - at));
    at = end;
  }
  if (!last) return out;
  for (Text& word : out) std::reverse(word.begin(), word.end());
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<Text> fields(const Text& t, const Text& by, int64_t most, bool last) {
  if (by.empty()) fail("ValueError: empty separator");
  std::vector<Text> out;
  Range rest{0, t.size()};
  while (most < 0 || static_cast<int64_t>(out.size()) < most) {
    size_t at = last ? rfind_in(t, by, rest) : find_in(t, by, rest);
    if (at == kNone) break;
    out.push_back(last ? t.substr(at + by.size(), rest.last - at - by.size())
                       : t.substr(rest.first, at - rest.first));
    (last ? rest.last : rest.first) = last ? at : at + by.size();
  }
  out.push_back(t.substr(rest.first, rest.last - rest.first));
  if (last) std::reverse(out.begin(), out.end());
  return out;
}

void splitting() {
  const char* chars = "(str self, str chars=\" \n\t\f\v\") -> str";
  add_scalar(
      fmt::format("aten::strip{}", chars), [](Values v) { return strip_chars(v, true, true); },
      plain());
  add_scalar(
      fmt::format("aten::lstrip{}", chars), [](Values v) { return strip_chars(v, true, false); },
      plain());
  add_scalar(
      fmt::format("aten::rstrip{}", chars), [](Values v) { return strip_chars(v, false, true); },
      plain());
  add_scalar(
      "aten::split.str(str self, str? separator=None, int max=-1) -> str[]",
      [](Values v) {
        int64_t most = v[2].as_int();
        return strs(v[1].is_none() ? words(text(v[0]), most, false)
                                   : fields(text(v[0]), text(v[1]), most, false));
      },
      plain());
  add_scalar(
      "aten::rsplit(str self, str? separator=None, int max=-1) -> str[]",
      [](Values v) {
        int64_t most = v[2].as_int();
        return strs(v[1].is_none() ? words(text(v[0]), most, true)
                                   : fields(text(v[0]), text(v[1]), most, true));
      },
      plain());
  add_scalar(
      "aten::splitlines(str self, bool keepends=False) -> str[]",
      [](Values v) {
        Text t = text(v[0]);
        std::vector<Text> out;
        for (size_t at = 0; at < t.size();) {
          size_t end = t.find_first_of(U"\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", at);
          size_t next =
              end == kNone
                  ? t.size()
                  : end + (t[end] == '\r' && end + 1 < t.size() && t[end + 1] == '\n' ? 2 : 1);
          size_t stop = v[1].as_bool() || end == kNone ? next : end;
          out.push_back(t.substr(at, stop - at));
          at = next;
        }
        return strs(out);
      },
      plain());
  add_scalar(
      "aten::join(str self, str[] values) -> str",
      [](Values v) {
        std::string out;
        for (size_t i = 0; i < v[1].items().size(); ++i) {
          out += (i ? v[0].as_str() : std::string()) + v[1].items()[i].as_str();
          check_size(static_cast<double>(out.size()));
        }
        return IValue::str(out);
      },
      plain());
}

IValue replace_text(Values v) {
  Text t = text(v[0]), old = text(v[1]), by = text(v[2]), out;
  int64_t most = v[3].as_int();
  size_t at = 0;
  for (int64_t done = 0; most < 0 || done < most; ++done) {
    size_t found = old.empty() ? (done ? at + 1 : 0) : t.find(old, at);
    if (found == kNone || found > t.size()) break;
    out += t.substr(at, found - at) + by;
    at = found + old.size();
    check_size(static_cast<double>(out.size()));
  }
  return str(out + t.substr(std::min(at, t.size())));
}

template <class F>
void add_padding(const char* name, F) {
  add_scalar(
      fmt::format("aten::{}(str self, int width, str fillchar=\" \") -> str", name),
      [](Values v) {
        Text t = text(v[0]), fill = text(v[2]);
        if (fill.size() != 1)
          fail("TypeError: the fill character must be exactly one character long");
        check_size(static_cast<double>(v[1].as_int()));
        int64_t missing = std::max<int64_t>(v[1].as_int() - static_cast<int64_t>(t.size()), 0);
        int64_t left = F{}(missing, v[1].as_int());
        return str(Text(static_cast<size_t>(left), fill[0]) + t +
                   Text(static_cast<size_t>(missing - left), fill[0]));
      },
      plain());
}

void shaping() {
  add_scalar(
      "aten::replace(str self, str old, str new, int max=-1) -> str",
      [](Values v) { return replace_text(v); }, plain());
  add_padding("ljust", [](int64_t, int64_t) { return int64_t{0}; });
  add_padding("rjust", [](int64_t missing, int64_t) { return missing; });
  add_padding("center",
              [](int64_t missing, int64_t width) { return missing / 2 + (missing & width & 1); });
  add_scalar(
      "aten::zfill(str self, int width) -> str",
      [](Values v) {
        Text t = text(v[0]);
        check_size(static_cast<double>(v[1].as_int()));
        int64_t missing = std::max<int64_t>(v[1].as_int() - static_cast<int64_t>(t.size()), 0);
        bool sign = !t.empty() && (t[0] == '+' || t[0] == '-');
        t.insert(sign ? 1 : 0, static_cast<size_t>(missing), U'0');
        return str(t);
      },
      plain());
  add_scalar(
      "aten::expandtabs(str self, int tabsize=8) -> str",
      [](Values v) {
        Text out;
        int64_t column = 0, size = v[1].as_int();
        for (char32_t c : text(v[0])) {
          int64_t fill = c != '\t' ? 1 : size > 0 ? size - column % size : 0;
          check_size(static_cast<double>(out.size()) + static_cast<double>(fill));
          out.append(static_cast<size_t>(fill), c == '\t' ? U' ' : c);
          column = c == '\n' || c == '\r' ? 0 : column + fill;
        }
        return str(out);
      },
      plain());
}

// What a text says.
void conversions() {
  add_scalar(
      "aten::str(t elem) -> str", [](Values v) { return IValue::str(python_str(v[0])); }, plain());
  add_scalar(
      "aten::Bool.str(str a) -> bool", [](Values v) { return IValue(!v[0].as_str().empty()); },
      plain());
  add_scalar(
      "aten::Int.str(str a) -> int",
      [](Values v) {
        std::string digits(trim(v[0].as_str()));
        int64_t value = 0;
        bool legal = !digits.empty();
        for (size_t i = 0; i < digits.size(); ++i) {
          bool between = i > 0 && i + 1 < digits.size() && digits[i - 1] != '_' &&
                         digits[i - 1] != '+' && digits[i - 1] != '-';
          legal = legal && (digits[i] != '_' || between) && digits[i] != '.' && digits[i] != 'e';
        }
        std::erase(digits, '_');
        if (legal && digits[0] == '+')
          digits.erase(0, digits.size() > 1 && digits[1] == '-' ? digits.size() : 1);
        const bool negative = digits.starts_with('-');
        const bool number = legal && digits.size() > size_t{negative} &&
                            digits.find_first_not_of("0123456789", negative) == std::string::npos;
        if (number && !parse_int(digits, &value))
          fail("OverflowError: a number of {} digits does not fit 64 bits",
               digits.size() - size_t{negative});
        if (!number)
          fail("ValueError: invalid literal for int() with base 10: {}", python_repr(v[0]));
        return IValue(value);
      },
      plain());
  add_scalar(
      "aten::Float.str(str a) -> float",
      [](Values v) {
        double value = 0;
        if (!python_float(v[0].as_str(), &value))
          fail("ValueError: could not convert string to float: {}", python_repr(v[0]));
        return IValue(value);
      },
      plain());
}

// Characters and digits.
void characters() {
  add_scalar(
      "aten::ord(str string) -> int",
      [](Values v) {
        Text t = text(v[0]);
        if (t.size() != 1)
          fail("TypeError: ord() expected a character, but string of length {} found", t.size());
        return IValue(static_cast<int64_t>(t[0]));
      },
      plain());
  add_scalar(
      "aten::chr(int i) -> str",
      [](Values v) {
        int64_t i = v[0].as_int();
        if (i < 0 || i > 0x10FFFF) fail("ValueError: chr() arg not in range(0x110000)");
        return str(Text(1, static_cast<char32_t>(i)));
      },
      plain());
  auto in_base = [](int64_t i, const char* prefix, unsigned shift) {
    uint64_t u = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
    std::string digits;
    do digits.insert(digits.begin(), "0123456789abcdef"[u & ((1u << shift) - 1)]);
    while (u >>= shift);
    return IValue::str((i < 0 ? "-" : "") + std::string(prefix) + digits);
  };
  using InBase = decltype(in_base);
  add_scalar(
      "aten::hex(int i) -> str", [](Values v) { return InBase{}(v[0].as_int(), "0x", 4); },
      plain());
  add_scalar(
      "aten::oct(int i) -> str", [](Values v) { return InBase{}(v[0].as_int(), "0o", 3); },
      plain());
  add_scalar(
      "aten::bin(int i) -> str", [](Values v) { return InBase{}(v[0].as_int(), "0b", 1); },
      plain());
  add_scalar(
      "aten::list(str t) -> str[]",
      [](Values v) {
        std::vector<Text> out;
        for (char32_t c : text(v[0])) out.emplace_back(1, c);
        return strs(out);
      },
      plain());
  add_scalar(
      "aten::format(str self, ...) -> str",
      [](Values v) { return IValue::str(python_format(v[0].as_str(), v.subspan(1))); }, plain());
  add_scalar(
      "aten::percentFormat(str self, ...) -> str",
      [](Values v) { return IValue::str(python_percent(v[0].as_str(), v.subspan(1))); }, plain());
}

// Operators with three results, and the one that prints.
template <bool kLast>
void run_partition(const Operator&, Values v, std::vector<IValue>& results) {
  Text t = text(v[0]), by = text(v[1]);
  if (by.empty()) fail("ValueError: empty separator");
  size_t at = kLast ? t.rfind(by) : t.find(by);
  bool none = at == kNone;
  results.push_back(str(none ? (kLast ? Text() : t) : t.substr(0, at)));
  results.push_back(str(none ? Text() : by));
  results.push_back(str(none ? (kLast ? t : Text()) : t.substr(at + by.size())));
}

std::atomic<std::FILE*> program_output{stdout};

void run_print(const Operator&, Values v, std::vector<IValue>&) {
  std::string line;
  for (size_t i = 0; i < v.size(); ++i) line += (i ? " " : "") + python_str(v[i]);
  line += "\n";
  if (std::FILE* to = program_output) std::fwrite(line.data(), 1, line.size(), to);
}

Operator print_operator() {
  Operator r;
  r.schema = parse_schema("prim::Print(...) -> ()");
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "prims";
  r.generate = false;
  r.side_effect = true;
  r.run = &run_print;
  return r;
}

[[maybe_unused]] const bool kRegistered = [] {
  searching();
  operators();
  cases();
  classes();
  splitting();
  shaping();
  conversions();
  characters();
  add_scalar_operator("aten::partition(str self, str separator) -> (str, str, str)",
                      &run_partition<false>, plain());
  add_scalar_operator("aten::rpartition(str self, str separator) -> (str, str, str)",
                      &run_partition<true>, plain());
  OperatorTable::instance().add(print_operator());
  return true;
}();

}  // namespace

void set_program_output(std::FILE* stream) { program_output = stream; }

}  // namespace fusillade
