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

bool one_of(std::string_view letters, const std::string& text, size_t at) {
  return at < text.size() && letters.find(text[at]) != std::string_view::npos;
}

// What stands behind the colon of {:...}, where % can say the same: no fill, no centring, no grouping.
bool read_spec(const std::string& text, Piece& p) {
  size_t at = 0;
  p.spec = true;
  p.kind = kByType;
  bool right = one_of(">", text, at), aligned = one_of("<>", text, at);
  if (aligned) p.flags = text[at++] == '<' ? "-" : "";
  if (one_of("+ ", text, at)) p.flags += text[at];
  if (one_of("+- ", text, at)) ++at;
  if (one_of("0", text, at) && aligned) return false;
  if (one_of("0", text, at)) p.flags += text[at++];
  p.width = number_at(text, at);
  if (one_of(".", text, at)) p.precision = number_at(text, ++at);
  if (one_of("dfFoxXs", text, at)) p.kind = text[at++];
  p.right = right;
  return at == text.size();
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
      size_t colon = std::min(field.find(':'), field.size());
      Piece p;
      p.kind = 's';
      p.text = "{" + field + "}";
      p.implicit = field.empty();
      if (colon + 1 < field.size() && !read_spec(field.substr(colon + 1), p)) return false;
      field.resize(colon);
      if (field.find_first_not_of("0123456789") != std::string::npos) return false;
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
    size_t start = at++;
    while (at < text.size() && std::string_view("-+ 0#").find(text[at]) != std::string_view::npos) p.flags += text[at++];
    p.width = number_at(text, at);
    if (at < text.size() && text[at] == '.') p.precision = number_at(text, ++at);
    if (at >= text.size()) return false;
    if (text[at] == '%') {
      literal(out, '%');
      continue;
    }
    p.kind = text[at];
    p.text = text.substr(start, at + 1 - start);
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
