// See format_spec.h. A number is a sign, a prefix (0x), digits and what follows them; grouping
// works on the digits, and padding with '=' goes in front of them.
#include "engine/ops/format_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/operator.h"
#include "engine/ops/text.h"
#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

constexpr int kMaxCount = 1000000;  // of a width or a precision

struct Spec {
  char32_t fill = U' ';
  char align = '\0';
  char sign = '\0';
  bool alternate = false;
  bool zero = false;  // '0' in front of the width
  int width = 0;
  char group = '\0';
  int precision = -1;
  char type = '\0';
};

struct Number {
  std::string sign, prefix, digits, rest;
};

bool is_align(char32_t c) { return c == U'<' || c == U'>' || c == U'=' || c == U'^'; }

class SpecReader {
 public:
  explicit SpecReader(const std::string& text) : text_(decode_utf8(text)), shown_(text) {}

  Spec read() {
    Spec s;
    bool filled = text_.size() > 1 && is_align(text_[1]);
    if (filled) {
      s.fill = text_[0];
      s.align = static_cast<char>(text_[1]);
      at_ = 2;
    } else if (!text_.empty() && is_align(text_[0])) {
      s.align = static_cast<char>(text_[at_++]);
    }
    if (at(U'+') || at(U'-') || at(U' ')) s.sign = static_cast<char>(text_[at_++]);
    s.alternate = eat(U'#');
    if (at(U'0')) {
      ++at_;
      s.zero = true;
      if (!filled) s.fill = U'0';
      if (!s.align) s.align = '=';
    }
    s.width = std::max(0, count());
    if (at(U',') || at(U'_')) s.group = static_cast<char>(text_[at_++]);
    if (eat(U'.')) {
      s.precision = count();
      if (s.precision < 0) fail("ValueError: Format specifier missing precision");
    }
    if (at_ < text_.size()) s.type = text_[at_] < 128 ? static_cast<char>(text_[at_++]) : '\1';
    if (at_ < text_.size() || s.type == '\1')
      fail("ValueError: Invalid format specifier '{}'", shown_);
    return s;
  }

 private:
  bool at(char32_t c) const { return at_ < text_.size() && text_[at_] == c; }
  bool eat(char32_t c) {
    if (!at(c)) return false;
    ++at_;
    return true;
  }
  int count() {
    if (at_ >= text_.size() || text_[at_] < U'0' || text_[at_] > U'9') return -1;
    int n = 0;
    for (; at_ < text_.size() && text_[at_] >= U'0' && text_[at_] <= U'9'; ++at_) {
      n = n * 10 + static_cast<int>(text_[at_] - U'0');
      if (n > kMaxCount)
        fail("ValueError: Too many decimal digits in format string; at most {} here", kMaxCount);
    }
    return n;
  }

  std::u32string text_;
  const std::string& shown_;
  size_t at_ = 0;
};

[[noreturn]] void unknown_type(const Spec& s, const char* kind) {
  fail("ValueError: Unknown format code '{}' for object of type '{}'", s.type, kind);
}

std::string group_digits(const std::string& digits, const Spec& s) {
  if (!s.group) return digits;
  size_t step = s.type == 'x' || s.type == 'X' || s.type == 'o' || s.type == 'b' ? 4 : 3;
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % step == 0) out += s.group;
    out += digits[i];
  }
  return out;
}

std::string pad(const std::string& text, const Spec& s, char align, size_t inner = 0) {
  size_t length = decode_utf8(text).size(), width = static_cast<size_t>(s.width);
  if (length >= width) return text;
  auto fill = [&](size_t n) { return encode_utf8(std::u32string(n, s.fill)); };
  size_t missing = width - length;
  if (align == '<') return text + fill(missing);
  if (align == '^') return fill(missing / 2) + text + fill(missing - missing / 2);
  if (align == '=') return text.substr(0, inner) + fill(missing) + text.substr(inner);
  return fill(missing) + text;
}

std::string pad_number(Number n, const Spec& s) {
  bool finite = !n.digits.empty() && n.digits[0] >= '0' && n.digits[0] <= '9';
  bool zeros = s.group && s.align == '=' && s.fill == U'0' && finite;
  size_t others = n.sign.size() + n.prefix.size() + n.rest.size();
  if (zeros)
    while (others + group_digits(n.digits, s).size() < static_cast<size_t>(s.width))
      n.digits.insert(0, 1, '0');
  std::string head = n.sign + n.prefix;
  return pad(head + (finite ? group_digits(n.digits, s) : n.digits) + n.rest, s,
             s.align ? s.align : '>', head.size());
}

std::string sign_of(bool negative, const Spec& s) {
  return negative ? "-" : s.sign == '+' || s.sign == ' ' ? std::string(1, s.sign) : "";
}

std::string print_number(const std::string& pattern, int precision, double d) {
  int length = std::snprintf(nullptr, 0, pattern.c_str(), precision, d);
  std::string out(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(out.data(), out.size(), pattern.c_str(), precision, d);
  out.pop_back();
  return out;
}

// Like 'g', but a number without an exponent has a digit behind the point, for which one of the
// precision's is kept.
std::string general(double d, int kept, const std::string& mark) {
  std::string scientific = print_number("%" + mark + ".*e", kept - 1, d);
  size_t e = scientific.find('e');
  int exponent = std::stoi(scientific.substr(e + 1));
  if (exponent >= -4 && exponent + 1 < kept) {
    std::string text = print_number("%" + mark + ".*g", kept, d);
    return text.find('.') == std::string::npos ? text + ".0" : text;
  }
  std::string mantissa = scientific.substr(0, e);
  if (mark.empty() && mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  return mantissa + scientific.substr(e);
}

// Digits, and what follows them, of a float that is not negative.
std::string float_digits(double d, const Spec& s) {
  if (!std::isfinite(d)) {
    bool large = s.type == 'F' || s.type == 'E' || s.type == 'G';
    std::string name = std::isnan(d) ? (large ? "NAN" : "nan") : large ? "INF" : "inf";
    return s.type == '%' ? name + "%" : name;
  }
  std::string mark = s.alternate ? "#" : "";
  if (s.type == '\0' && s.precision < 0) {
    std::string text = python_float_text(d);
    bool bare = s.alternate && text.find('.') == std::string::npos;
    return bare ? text.insert(text.find('e'), ".") : text;
  }
  int precision = s.precision < 0 ? 6 : s.precision;
  if (s.type == '%') return print_number("%" + mark + ".*f", precision, d * 100) + "%";
  if (s.type != '\0') return print_number("%" + mark + ".*" + s.type, precision, d);
  return general(d, std::max(1, precision), mark);
}

std::string format_float(double d, const Spec& s) {
  if (s.type && std::string_view("eEfFgG%").find(s.type) == std::string_view::npos)
    unknown_type(s, "float");
  std::string text = float_digits(std::fabs(d), s);
  size_t end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string::npos) end = text.size();
  bool negative = std::signbit(d) && !std::isnan(d);
  return pad_number({sign_of(negative, s), "", text.substr(0, end), text.substr(end)}, s);
}

std::string format_int(int64_t i, const Spec& s, const char* kind) {
  if (s.type && std::string_view("eEfFgG%").find(s.type) != std::string_view::npos)
    return format_float(static_cast<double>(i), s);
  if (s.type && std::string_view("bcdoxX").find(s.type) == std::string_view::npos)
    unknown_type(s, kind);
  if (s.precision >= 0) fail("ValueError: Precision not allowed in integer format specifier");
  if (s.type == 'c') {
    if (s.sign) fail("ValueError: Sign not allowed with integer format specifier 'c'");
    if (s.group) fail("ValueError: Cannot specify '{}' with 'c'.", s.group);
    if (i < 0 || i > 0x10FFFF) fail("OverflowError: %c arg not in range(0x110000)");
    return pad(encode_utf8(std::u32string(1, static_cast<char32_t>(i))), s,
               s.align == '=' || !s.align ? '>' : s.align);
  }
  bool decimal = s.type == '\0' || s.type == 'd';
  if (s.group == ',' && !decimal) fail("ValueError: Cannot specify ',' with '{}'.", s.type);
  uint64_t u = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  std::string digits = decimal         ? fmt::format("{}", u)
                       : s.type == 'b' ? fmt::format("{:b}", u)
                       : s.type == 'o' ? fmt::format("{:o}", u)
                       : s.type == 'x' ? fmt::format("{:x}", u)
                                       : fmt::format("{:X}", u);
  std::string prefix = s.alternate && !decimal ? std::string("0") + s.type : "";
  return pad_number({sign_of(i < 0, s), prefix, digits, ""}, s);
}

std::string format_text(const std::string& text, const Spec& s) {
  if (s.type && s.type != 's') unknown_type(s, "str");
  if (s.sign) fail("ValueError: Sign not allowed in string format specifier");
  if (s.alternate) fail("ValueError: Alternate form (#) not allowed in string format specifier");
  if (s.group) fail("ValueError: Cannot specify '{}' with 's'.", s.group);
  if (s.align == '=' && !s.zero)
    fail("ValueError: '=' alignment not allowed in string format specifier");
  std::u32string wide = decode_utf8(text);
  if (s.precision >= 0) wide = wide.substr(0, static_cast<size_t>(s.precision));
  return pad(encode_utf8(wide), s, s.align == '\0' || s.align == '=' ? '<' : s.align);
}

}  // namespace

std::string python_format_value(const IValue& v, const std::string& spec) {
  if (v.is_tensor() && v.as_tensor().rank() == 0)  // of no dims: as its number
    return python_format_value(
        call(operator_named("aten::item"), std::vector<IValue>{IValue(to_host(v.as_tensor()))})[0],
        spec);
  if (spec.empty()) return python_str(v);
  if (v.tag() == IValue::Tag::Str) return format_text(v.as_str(), SpecReader(spec).read());
  if (v.is_float()) return format_float(v.as_double(), SpecReader(spec).read());
  if (v.is_bool() || v.is_int()) {
    int64_t i = v.is_bool() ? v.as_bool() : v.as_int();
    return format_int(i, SpecReader(spec).read(), v.is_bool() ? "bool" : "int");
  }
  fail("TypeError: unsupported format string '{}' for a value of type {}", spec, v.type().text());
}

}  // namespace fusillade
