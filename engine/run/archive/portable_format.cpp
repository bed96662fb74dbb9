// See portable_format.h.
#include "engine/run/archive/portable_format.h"

#include <algorithm>
#include <string_view>

namespace fusillade::archive {
namespace {

constexpr int kMaxNumber = 1000;  // a width or precision

void literal(std::vector<Piece>& out, char c) {
  if (out.empty() || out.back().kind != 0) out.emplace_back();
  out.back().text += c;
}

int number_at(const std::string& text, size_t& at) {
  int n = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    n = std::min(n * 10 + (text[at] - '0'), kMaxNumber);
  return n;
}

bool one_of(const std::string& text, size_t at, std::string_view letters) {
  return at < text.size() && letters.find(text[at]) != std::string_view::npos;
}

// [[fill]align][sign][#][0][width][, or _][.precision][type]
bool parse_spec(const std::string& spec, Piece& p) {
  size_t at = 0;
  constexpr std::string_view kAligns = "<>^=";
  bool filled = one_of(spec, 1, kAligns);  // then a 0 in front is one of the width's digits
  if (filled) p.fill = spec[at++];
  if (static_cast<unsigned char>(p.fill) > 126) return false;
  if (one_of(spec, at, kAligns)) p.align = spec[at++];
  while (one_of(spec, at, filled ? "+- #" : "+- #0")) {
    if (spec[at] != '-') p.flags += spec[at];  // a sign of negative numbers only, as without it
    ++at;
  }
  p.width = number_at(spec, at);
  while (one_of(spec, at, ",_")) p.flags += spec[at++];
  if (one_of(spec, at, ".")) p.precision = number_at(spec, ++at);
  if (at < spec.size()) p.kind = spec[at++];
  return at == spec.size();
}

// What is between { and }: [number][!conversion][:spec].
bool field_of(const std::string& field, Piece& p, size_t& next) {
  p.kind = 'v';
  p.braces = true;
  p.spelled = "{" + field + "}";
  size_t at = 0;
  int number = number_at(field, at);
  p.argument = at == 0 ? next++ : static_cast<size_t>(number);
  if (one_of(field, at, "!")) {
    if (!one_of(field, at + 1, "rs")) return false;
    p.kind = field[at + 1];
    at += 2;
    return at == field.size();
  }
  if (at == field.size()) return true;
  return field[at] == ':' && parse_spec(field.substr(at + 1), p);
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
      Piece p;
      if (close == std::string::npos || !field_of(text.substr(at + 1, close - at - 1), p, next))
        return false;
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
    size_t start = at++;
    while (one_of(text, at, "-+ 0#")) p.flags += text[at++];
    p.width = number_at(text, at);
    if (one_of(text, at, ".")) p.precision = number_at(text, ++at);
    if (at >= text.size()) return false;
    if (text[at] == '%') {
      literal(out, '%');
      continue;
    }
    if (p.has('-')) p.align = '<';
    p.spelled = text.substr(start, at + 1 - start);
    p.kind = text[at];
    p.argument = next++;
    out.push_back(p);
  }
  return true;
}

}  // namespace

bool pieces_of(const std::string& format, bool percent, std::vector<Piece>& out, std::string& why) {
  bool legal = percent ? percents(format, out) : braces(format, out);
  if (!legal) why = "the format \"" + format + "\"";
  return legal;
}

}  // namespace fusillade::archive
