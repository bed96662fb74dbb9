// See visible.h.
#include "engine/base/visible.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace fusillade {
namespace {

constexpr uint32_t kNone = ~0u;

// How many bytes the character takes that begins with this one; 0 where none does.
size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// The code point of a whole character, or kNone: overlong forms and surrogates are none.
uint32_t code_of(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() == 1) return at(0) < 0x80 ? at(0) : kNone;
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  uint32_t code = at(0) & (0x7Fu >> bytes.size());
  for (size_t i = 1; i < bytes.size(); ++i) {
    if ((at(i) & 0xC0) != 0x80) return kNone;
    code = code << 6 | (at(i) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < kLeast[bytes.size()] || code > 0x10FFFF || surrogate ? kNone : code;
}

// Turns the direction of text, ends a line for some who read it, or is not seen at all: two names
// that look alike would not be alike. Unicode's formatting characters (Cf), fillers and selectors
// of variants.
bool acts(uint32_t code) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kRanges[] = {
      {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},
      {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
      {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
      {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},
      {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD},
      {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
      {0xE0000, 0xE0FFF}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

bool is_control(uint32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
}

bool is_blank(uint32_t code) {
  return code == ' ' || code == '\t' || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x205F || code == 0x3000;
}

// Calls f(bytes, code) for each character, code being kNone of a byte that begins none. Gives the
// bytes at the end of a character that is not whole.
template <class F>
std::string_view each_character(std::string_view text, F f) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = length_of(static_cast<unsigned char>(text[at]));
    size_t there = 1;
    while (there < length && at + there < text.size() &&
           (static_cast<unsigned char>(text[at + there]) & 0xC0) == 0x80)
      ++there;
    if (length > there && at + there == text.size()) return text.substr(at);
    const std::string_view bytes = text.substr(at, length == there ? length : 1);
    const uint32_t code = length == there ? code_of(bytes) : kNone;
    f(code == kNone ? text.substr(at, 1) : bytes, code);
    at += code == kNone ? 1 : bytes.size();
  }
  return {};
}

std::string escape_bytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out;
}

// One character: as it is, or spelled out.
std::string visible_char(std::string_view bytes, uint32_t code) {
  if (code == kNone) return escape_bytes(bytes);
  if (!is_control(code) && !acts(code)) return std::string(bytes);
  return code < 0x20      ? fmt::format("\\x{:02x}", code)
         : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                          : fmt::format("\\U{:08x}", code);
}

size_t longest_run(std::string_view text, char of) {
  size_t most = 0, run = 0;
  for (const char c : text) {
    run = c == of ? run + 1 : 0;
    most = std::max(most, run);
  }
  return most;
}

}  // namespace

void VisibleText::character(std::string_view bytes, uint32_t code, std::string& out) {
  const bool command = code == ':' && one_colon_;
  const bool old_command = code == '[' && hashes_.size() == 2;
  out += command || old_command ? escape_bytes(bytes) : visible_char(bytes, code);
  one_colon_ = code == ':' && only_blanks_;
  hashes_ = code != '#' ? std::string_view() : hashes_.empty() ? "#" : "##";
  only_blanks_ = code == '\n' || (only_blanks_ && is_blank(code));
}

std::string VisibleText::next(std::string_view piece) {
  const std::string all = incomplete_ + std::string(piece);
  std::string out;
  out.reserve(all.size());
  incomplete_ = each_character(
      all, [&](std::string_view bytes, uint32_t code) { character(bytes, code, out); });
  return out;
}

std::string VisibleText::rest() {
  std::string out = escape_bytes(incomplete_);
  incomplete_.clear();
  return out;
}

std::string visible(std::string_view text) {
  VisibleText one;
  const std::string out = one.next(text);
  return out + one.rest();
}

std::string visible_line(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) out += c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) out += c == '\n' ? "\n  " : std::string(1, c);
  return out;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kPlain = " .,:;()/+='\"?%-_";
  const bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                     std::all_of(text.begin(), text.end(), [&](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                              (c >= 'A' && c <= 'Z') || kPlain.find(c) != std::string_view::npos;
                     });
  // Underscores emphasise at the edge of a word; addresses become links.
  const bool emphasis = (" " + std::string(text)).find(" _") != std::string::npos;
  const bool address =
      text.find("://") != std::string_view::npos || text.find("www.") != std::string_view::npos;
  if (text.empty() || (plain && !emphasis && !address)) return std::string(text);
  return markdown_code(text);
}

std::string markdown_code(std::string_view text) {
  const std::string inside = visible_line(text);
  if (inside.empty()) return "";
  const std::string fence(longest_run(inside, '`') + 1, '`');
  const bool padded = inside.front() == '`' || inside.back() == '`';
  std::string out;
  for (const char c : inside) out += c == '|' ? "\\|" : std::string(1, c);
  return fence + (padded ? " " : "") + out + (padded ? " " : "") + fence;
}

std::string markdown_block(std::string_view text) {
  std::string inside = visible(text);
  const std::string fence(std::max<size_t>(3, longest_run(inside, '`') + 1), '`');
  if (inside.empty() || inside.back() != '\n') inside += '\n';
  return fence + "\n" + inside + fence + "\n";
}

void clear_progress_line() {
  constexpr char kClear[] = "\r\033[K";
  std::fflush(stderr);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kClear, sizeof kClear - 1);
}

}  // namespace fusillade
