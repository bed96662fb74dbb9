// See text.h.
#include "engine/ops/text.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <cmath>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/class_type.h"
#include "engine/ops/format_spec.h"
#include "engine/ops/tensor_text.h"

namespace fusillade {
namespace {

constexpr int kMaxWidth = 1 << 20;  // of a field

// Length of the UTF-8 sequence at `at`, or 0 when there is none.
int sequence_at(const std::string& s, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned char first = byte(at);
  if (first < 0x80) return 1;
  int n = first >= 0xF0 && first < 0xF5   ? 4
          : first >= 0xE0 && first < 0xF0 ? 3
          : first >= 0xC2 && first < 0xE0 ? 2
                                          : 0;
  if (n == 0 || at + static_cast<size_t>(n) > s.size()) return 0;
  for (int i = 1; i < n; ++i)
    if ((byte(at + static_cast<size_t>(i)) & 0xC0) != 0x80) return 0;
  return n;
}

std::string quoted_text(const std::string& text) {
  bool single = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  char quote = single ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    unsigned char u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += std::string("\\") + c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (u < 32 || u == 127) {
      out += fmt::format("\\x{:02x}", u);
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string short_name(const ClassType& cls) { return cls.name.substr(cls.name.rfind('.') + 1); }

// One more item of a list, tuple or dict. Items that lie in many others make texts without end.
void add_item(std::string& out, const std::string& item) {
  if (out.size() + item.size() > kMostText)
    decline("the text of a value would be longer than {} bytes", kMostText);
  out += item;
}

std::string sequence_text(const IValue& v) {
  bool list = v.tag() == IValue::Tag::List;
  const ClassPtr& named = v.seq()->element.class_type();  // of a NamedTuple: P(x=1, y=2)
  if (list || !named) {
    std::string out = list ? "[" : "(";
    for (size_t i = 0; i < v.items().size(); ++i)
      add_item(out, (i ? ", " : "") + python_repr(v.items()[i]));
    if (!list && v.items().size() == 1) out += ",";
    return out + (list ? "]" : ")");
  }
  std::string out = short_name(*named) + "(";
  for (size_t i = 0; i < v.items().size(); ++i)
    add_item(out, (i ? ", " : "") + named->fields[i].name + "=" + python_repr(v.items()[i]));
  return out + ")";
}

// One "%..." conversion.
struct Conversion {
  std::string flags;
  int width = 0;
  int precision = -1;
  char kind = 's';
};

// Up to the width on the left, on the right, or by zeros behind the head: a sign, "0x".
std::string fill_width(const Conversion& f, const std::string& head, const std::string& body) {
  auto has = [&](char flag) { return f.flags.find(flag) != std::string::npos; };
  size_t length = head.size() + body.size(), width = static_cast<size_t>(f.width);
  std::string fill(length < width ? width - length : 0, has('0') && !has('-') ? '0' : ' ');
  if (has('-')) return head + body + fill;
  return has('0') ? head + fill + body : fill + head + body;
}

std::string sign_of(const Conversion& f, bool negative) {
  auto has = [&](char flag) { return f.flags.find(flag) != std::string::npos; };
  return negative ? "-" : has('+') ? "+" : has(' ') ? " " : "";
}

// Python's: a nan has no sign of its own, and zeros fill both as they fill a number.
std::string beyond_numbers(const Conversion& f, double v) {
  bool nan = std::isnan(v);
  bool capital = f.kind < 'a';
  return fill_width(f, sign_of(f, !nan && v < 0),
                    nan       ? (capital ? "NAN" : "nan")
                    : capital ? "INF"
                              : "inf");
}

// Unlike C's the digits of a negative number are its magnitude's, and an octal's mark is "0o".
std::string percent_int(const Conversion& f, int64_t i) {
  uint64_t size = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  bool decimal = f.kind != 'x' && f.kind != 'X' && f.kind != 'o';
  bool marked = !decimal && f.flags.find('#') != std::string::npos;
  std::string digits =
      decimal ? fmt::format("{}", size) : fmt::sprintf(std::string("%") + f.kind, size);
  size_t least = static_cast<size_t>(std::max(f.precision, 0));
  if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
  return fill_width(f, sign_of(f, i < 0) + (marked ? std::string("0") + f.kind : ""), digits);
}

std::string percent_field(const Conversion& f, const IValue& v) {
  std::string text;
  bool number = v.is_number();
  if (std::string_view("srdixofFeEgGcX").find(f.kind) == std::string_view::npos)
    fail("ValueError: unsupported format character '{}'", f.kind);
  if (f.kind == 's' || f.kind == 'r') {
    text = f.kind == 's' ? python_str(v) : python_repr(v);
    std::u32string wide = decode_utf8(text);
    if (f.precision >= 0) wide = wide.substr(0, static_cast<size_t>(f.precision));
    size_t fill =
        wide.size() < static_cast<size_t>(f.width) ? static_cast<size_t>(f.width) - wide.size() : 0;
    bool left = f.flags.find('-') != std::string::npos;
    return (left ? "" : std::string(fill, ' ')) + encode_utf8(wide) +
           (left ? std::string(fill, ' ') : "");
  }
  if (f.kind == 'c' && v.tag() == IValue::Tag::Str) return v.as_str();
  if (!number) fail("TypeError: %{} format: a number is required, not {}", f.kind, v.type().text());
  std::string pattern = "%" + f.flags + (f.width ? std::to_string(f.width) : "");
  if (f.precision >= 0) pattern += "." + std::to_string(f.precision);
  if (std::string_view("fFeEgG").find(f.kind) != std::string_view::npos)
    return std::isfinite(v.as_double()) ? fmt::sprintf(pattern + f.kind, v.as_double())
                                        : beyond_numbers(f, v.as_double());
  if (v.is_float() && (f.kind == 'x' || f.kind == 'o' || f.kind == 'X'))
    fail("TypeError: %{} format: an integer is required, not float", f.kind);
  double d = v.as_double();
  if (v.is_float() && !(d >= -0x1p63 && d < 0x1p63))
    fail("OverflowError: cannot convert float {} to int", d);
  int64_t i = v.is_float() ? static_cast<int64_t>(d) : v.as_int();
  if (f.kind == 'c') {
    if (i < 0 || i > 0x10FFFF) fail("OverflowError: %c arg not in range(0x110000)");
    return encode_utf8(std::u32string(1, static_cast<char32_t>(i)));
  }
  return percent_int(f, i);
}

int number_at(const std::string& text, size_t& at);

// What is between the braces; `next`: the field that has no number.
struct NextField {
  size_t index = 0;
  bool counted = false, numbered = false;
};

std::string format_fields(const std::string& text, std::span<const IValue> args, NextField& next,
                          bool nested);

std::string format_field(const std::string& field, std::span<const IValue> args, NextField& next) {
  size_t at = 0;
  size_t which = static_cast<size_t>(number_at(field, at));
  (at ? next.numbered : next.counted) = true;
  if (next.numbered && next.counted)
    fail(
        "ValueError: cannot switch between automatic field numbering and manual field "
        "specification");
  if (at == 0) which = next.index++;
  bool converts =
      at + 1 < field.size() && field[at] == '!' && (field[at + 1] == 'r' || field[at + 1] == 's');
  char conversion = converts ? field[at + 1] : '\0';
  if (converts) at += 2;
  if (at < field.size() && field[at] != ':')
    fail("format field '{{{}}}' is not supported; {{}}, {{0}}, {{!r}} and {{:>8.2f}} are", field);
  if (which >= args.size())
    fail("IndexError: Replacement index {} out of range for positional args tuple", which);
  std::string spec = at < field.size() ? format_fields(field.substr(at + 1), args, next, true) : "";
  const IValue& v = args[which];
  const bool member = v.tag() == IValue::Tag::Enum;
  if (conversion || member)
    return python_format_value(IValue::str(conversion == 'r' ? python_repr(v) : python_str(v)),
                               spec);
  return python_format_value(v, spec);
}

int number_at(const std::string& text, size_t& at) {
  int n = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    n = n * 10 + (text[at] - '0');
    if (n > kMaxWidth) fail("ValueError: a field wider than {}", kMaxWidth);
  }
  return n;
}

}  // namespace

std::u32string decode_utf8(const std::string& s) {
  std::u32string out;
  out.reserve(s.size());
  for (size_t at = 0; at < s.size();) {
    int n = sequence_at(s, at);
    auto byte = [&](int i) {
      return static_cast<char32_t>(static_cast<unsigned char>(s[at + static_cast<size_t>(i)]));
    };
    if (n <= 1) {
      out += n ? byte(0) : 0xDC00 + byte(0);
      ++at;
      continue;
    }
    char32_t c = byte(0) & (0xFFu >> (n + 1));
    for (int i = 1; i < n; ++i) c = c << 6 | (byte(i) & 0x3F);
    out += c;
    at += static_cast<size_t>(n);
  }
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char32_t c : text) {
    if (c >= 0xDC80 && c < 0xDD00) {
      out += static_cast<char>(c - 0xDC00);
    } else if (c < 0x80) {
      out += static_cast<char>(c);
    } else {
      int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      static constexpr unsigned kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
      out += static_cast<char>(kLead[n] | c >> (6 * (n - 1)));
      for (int i = n - 2; i >= 0; --i) out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
    }
  }
  return out;
}

// "device(type='cuda', index=1)"
static std::string device_repr(Device device) {
  std::string index = device.index < 0 ? "" : fmt::format(", index={}", device.index);
  return fmt::format("device(type='{}'{})", name_of(device.type), index);
}

std::string python_repr(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::Device:
      return device_repr(v.as_device());
    case IValue::Tag::Str:
      return quoted_text(v.as_str());
    case IValue::Tag::Float:
      return python_float_text(v.as_double());
    case IValue::Tag::List:
    case IValue::Tag::Tuple:
      return sequence_text(v);
    case IValue::Tag::Dict: {
      std::string out = "{";
      for (const auto& [key, value] : v.as_dict().items())
        add_item(out, (out.size() > 1 ? ", " : "") + python_repr(key) + ": " + python_repr(value));
      return out + "}";
    }
    case IValue::Tag::Enum:
      return fmt::format("<{}: {}>", python_str(v), python_repr(v.as_enum().value()));
    case IValue::Tag::Tensor:
      return tensor_text(v.as_tensor());
    default:
      return describe(v);
  }
}

std::string python_str(const IValue& v) {
  if (v.tag() == IValue::Tag::Enum) return short_name(*v.as_enum().cls) + "." + v.as_enum().name();
  if (v.is_device()) return to_string(v.as_device());
  return v.tag() == IValue::Tag::Str ? v.as_str() : python_repr(v);
}

bool python_float(const std::string& text, double* value) {
  std::string digits(trim(text));
  auto digit = [&](size_t i) { return i < digits.size() && digits[i] >= '0' && digits[i] <= '9'; };
  for (size_t i = 0; i < digits.size(); ++i)
    if (digits[i] == '_' && (i == 0 || !digit(i - 1) || !digit(i + 1))) return false;
  std::erase(digits, '_');
  bool plus = digits.size() > 1 && digits[0] == '+' && digits[1] != '-' && digits[1] != '+';
  if (plus) digits.erase(0, 1);
  if (parse_double(digits, value)) return true;
  // Legal but out of range, or no float: what strtod would read to the end without a base.
  if (digits.find_first_not_of("0123456789.eE+-") != std::string::npos ||
      digits.find_first_of("0123456789") == std::string::npos)
    return false;
  char* end = nullptr;
  *value = std::strtod(digits.c_str(), &end);
  return *end == '\0' && digits[0] != '+';
}

std::string python_format(const std::string& text, std::span<const IValue> args) {
  NextField next;
  return format_fields(text, args, next, false);
}

namespace {

// Where the field that opens at `at` closes: its specification may hold fields.
size_t closing(const std::string& text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (depth == 0) return at;
  }
  fail("ValueError: expected '}}' before end of string");
}

// `nested`: the text is the specification of a field, and none of its fields holds others.
std::string format_fields(const std::string& text, std::span<const IValue> args, NextField& next,
                          bool nested) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    bool twice = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && twice) {
      out += text[at++];
    } else if (c == '}') {
      fail("ValueError: Single '}}' encountered in format string");
    } else if (c == '{') {
      size_t close = closing(text, at);
      std::string field = text.substr(at + 1, close - at - 1);
      if (nested && field.find('{') != std::string::npos)
        fail("ValueError: Max string recursion exceeded");
      out += format_field(field, args, next);
      at = close;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string python_percent(const std::string& text, std::span<const IValue> args) {
  std::string out;
  size_t next = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    Conversion f;
    ++at;
    while (at < text.size() && std::string_view("-+ 0#").find(text[at]) != std::string_view::npos)
      f.flags += text[at++];
    f.width = number_at(text, at);
    if (at < text.size() && text[at] == '.') f.precision = number_at(text, ++at);
    if (at >= text.size()) fail("ValueError: incomplete format");
    f.kind = text[at];
    if (f.kind == '%') {
      out += '%';
      continue;
    }
    if (next >= args.size()) fail("TypeError: not enough arguments for format string");
    out += percent_field(f, args[next++]);
  }
  if (next < args.size()) fail("TypeError: not all arguments converted during string formatting");
  return out;
}

}  // namespace fusillade
