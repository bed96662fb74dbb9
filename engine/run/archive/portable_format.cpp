// See portable_format.h.
#include "engine/run/archive/portable_format.h"

#include <algorithm>

#include "engine/base/text.h"

namespace fusillade::archive {
namespace {

constexpr int kMaxNumber = 1000;  // a width or precision

void literal(std::vector<Piece>& out, char c) {
  if (out.empty() || out.back().kind != 0) out.emplace_back();
  out.back().text += c;
}

int number_at(const std::string& text, size_t& at) {
  int n = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) n = std::min(n * 10 + (text[at] - '0'), kMaxNumber);
  return n;
}

bool braces(const std::string& text, std::vector<Piece>& out) {
  size_t next = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    bool twice = at + 1 < text.size() && text[at + 1] == c;
    if (c != '{' && c != '}') {
      literal(out, c);
    } else if (twice) {
      literal(out, text[at++]);
    } else {
      size_t close = c == '{' ? text.find('}', at) : std::string::npos;
      if (close == std::string::npos) return false;
      std::string field = text.substr(at + 1, close - at - 1);
      if (field.find_first_not_of("0123456789") != std::string::npos) return false;
      Piece p;
      p.kind = 's';
      p.implicit = field.empty();
      size_t digits = 0;
      p.argument = field.empty() ? next++ : static_cast<size_t>(number_at(field, digits));
      out.push_back(p);
      at = close;
    }
  }
  return true;
}

bool percents(const std::string& text, std::vector<Piece>& out) {
  size_t next = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      literal(out, text[at]);
      continue;
    }
    Piece p;
    p.implicit = false;
    ++at;
    while (at < text.size() && std::string_view("-+ 0#").find(text[at]) != std::string_view::npos) p.flags += text[at++];
    p.width = number_at(text, at);
    if (at < text.size() && text[at] == '.') p.precision = number_at(text, ++at);
    if (at >= text.size()) return false;
    if (text[at] == '%') {
      literal(out, '%');
      continue;
    }
    p.kind = text[at];
    p.argument = next++;
    out.push_back(p);
  }
  return true;
}

}  // namespace

std::string Piece::spelled() const {
  return "%" + flags + (width ? std::to_string(width) : "") + (precision < 0 ? "" : "." + std::to_string(precision)) + kind;
}

bool pieces_of(const std::string& format, bool percent, std::vector<Piece>& out, std::string& why) {
  bool legal = percent ? percents(format, out) : braces(format, out);
  if (!legal) why = "the format \"" + format + "\"";
  return legal;
}

}  // namespace fusillade::archive
