// See json.h.
#include "engine/base/json.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"

namespace fusillade {
namespace {

constexpr std::string_view kKindNames[] = {"null",     "a bool",   "an int",   "a float",
                                           "a string", "an array", "an object"};

std::string_view name_of(Json::Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }

void append_utf8(std::string& out, uint32_t code) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace

class JsonReader {
 public:
  JsonReader(JsonDocument& out) : out_(out), text_(out.text_) {}

  const Json* run() {
    const Json* root = value(1);
    blanks();
    if (at_ < text_.size()) wrong("something follows the value");
    return root;
  }

 private:
  using Kind = Json::Kind;

  [[noreturn]] void wrong(std::string_view what) {
    Json here;
    here.offset = at_;
    out_.wrong(here, what);
  }

  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  char peek() {
    blanks();
    if (at_ >= text_.size()) wrong("the text ends within a value");
    return text_[at_];
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) wrong(fmt::format("'{}' is expected", c));
  }

  const Json* value(int depth) {
    if (depth > JsonDocument::kMaxDepth)
      wrong(fmt::format("values are nested more than {} deep", JsonDocument::kMaxDepth));
    if (out_.nodes_.size() >= JsonDocument::kMaxNodes)
      wrong(fmt::format("more than {} values", JsonDocument::kMaxNodes));
    const char c = peek();
    Json& node = out_.nodes_.emplace_back();
    node.offset = at_;
    if (c == '{') object(node, depth);
    else if (c == '[') array(node, depth);
    else if (c == '"') {
      node.kind = Kind::String;
      node.text = string();
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      number(node);
    } else {
      word(node);
    }
    return &node;
  }

  void word(Json& node) {
    const std::string_view rest = text_.substr(at_, 5);
    if (rest.starts_with("null")) at_ += 4;
    else if (rest.starts_with("true")) {
      node.kind = Kind::Bool;
      node.integer = 1;
      at_ += 4;
    } else if (rest == "false") {
      node.kind = Kind::Bool;
      at_ += 5;
    } else {
      wrong("this is no value");
    }
  }

  void number(Json& node) {
    const size_t begin = at_;
    const size_t end = std::min(text_.find_first_not_of("+-.eE0123456789", begin), text_.size());
    const std::string_view word = text_.substr(begin, end - begin);
    const bool whole = word.find_first_of(".eE") == word.npos;
    const std::string_view digits = word.substr(word[0] == '-');
    const bool padded = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0';
    if (digits.empty() || digits[0] < '0' || digits[0] > '9' || padded) wrong("this is no number");
    node.kind = whole ? Kind::Int : Kind::Float;
    if (whole ? !parse_int(word, &node.integer) : !parse_double(word, &node.real))
      wrong("this is no number, or out of range");
    if (!std::isfinite(node.real)) wrong("this number is out of range");
    at_ = end;
  }

  std::string_view string() {
    const size_t begin = ++at_;
    const size_t stop = text_.find_first_of("\"\\", begin);
    if (stop == text_.npos) wrong("a string does not end");
    check_controls(begin, stop);
    at_ = stop;
    if (text_[stop] == '"') {
      ++at_;
      return text_.substr(begin, stop - begin);
    }
    std::string& out = out_.decoded_.emplace_back(text_.substr(begin, stop - begin));
    while (text_[at_] != '"') {
      if (text_[at_] == '\\') escape(out);
      const size_t next = text_.find_first_of("\"\\", at_);
      if (next == text_.npos) wrong("a string does not end");
      check_controls(at_, next);
      out += text_.substr(at_, next - at_);
      at_ = next;
    }
    ++at_;
    return out;
  }

  void check_controls(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (static_cast<unsigned char>(text_[i]) >= 32) continue;
      at_ = i;
      wrong("a control character within a string");
    }
  }

  void escape(std::string& out) {
    constexpr std::string_view kSigns = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (at_ + 1 >= text_.size()) wrong("a string does not end");
    const char sign = text_[at_ + 1];
    if (const size_t i = kSigns.find(sign); i != kSigns.npos) {
      out += kMeant[i];
      at_ += 2;
      return;
    }
    if (sign != 'u') wrong("this is no escape");
    uint32_t code = unit();
    if (code >= 0xdc00 && code < 0xe000) wrong("half of a pair of surrogates");
    if (code >= 0xd800 && code < 0xdc00) {
      const uint32_t low = text_.substr(at_, 2) == "\\u" ? unit() : 0;
      if (low < 0xdc00 || low >= 0xe000) wrong("half of a pair of surrogates");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(out, code);
  }

  uint32_t unit() {  // of "\u0041"
    uint32_t code = 0;
    for (size_t i = 2; i < 6; ++i) {
      const char c = at_ + i < text_.size() ? text_[at_ + i] : ' ';
      const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      const bool legal = digit != std::string_view::npos && std::isxdigit(static_cast<uint8_t>(c));
      if (!legal) wrong("four hexadecimal digits are expected");
      code = code << 4 | static_cast<uint32_t>(digit);
    }
    at_ += 6;
    return code;
  }

  void array(Json& node, int depth) {
    node.kind = Kind::Array;
    ++at_;
    if (take(']')) return;
    do node.items.emplace_back(std::string_view(), value(depth + 1));
    while (take(','));
    expect(']');
  }

  void object(Json& node, int depth) {
    node.kind = Kind::Object;
    ++at_;
    if (take('}')) return;
    std::set<std::string_view> keys;
    do {
      if (peek() != '"') wrong("a key is expected");
      const std::string_view key = string();
      if (!keys.insert(key).second) wrong(fmt::format("the key '{}' comes twice", key));
      expect(':');
      node.items.emplace_back(key, value(depth + 1));
    } while (take(','));
    expect('}');
  }

  JsonDocument& out_;
  std::string_view text_;
  size_t at_ = 0;
};

JsonDocument::JsonDocument(std::string text, std::string label)
    : text_(std::move(text)), label_(std::move(label)) {
  root_ = JsonReader(*this).run();
}

void JsonDocument::wrong(const Json& at, std::string_view what) const {
  const std::string_view before = std::string_view(text_).substr(0, at.offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t start = lines ? before.rfind('\n') + 1 : 0;
  fail("{}:{}:{}: {}", label_, lines + 1, before.size() - start + 1, what);
}

const Json& JsonDocument::as(const Json& value, Json::Kind kind) const {
  const bool fits = value.is(kind);
  if (!fits)
    wrong(value, fmt::format("{} stands where {} is expected", name_of(value.kind), name_of(kind)));
  return value;
}

const Json* JsonDocument::find(const Json& of, std::string_view key) const {
  for (const auto& [name, value] : as(of, Json::Kind::Object).items)
    if (name == key) return value;
  return nullptr;
}

const Json& JsonDocument::need(const Json& of, std::string_view key) const {
  const Json* found = find(of, key);
  if (!found) wrong(of, fmt::format("the key '{}' is missing", key));
  return *found;
}

const Json& JsonDocument::need(const Json& of, std::string_view key, Json::Kind kind) const {
  return as(need(of, key), kind);
}

std::string JsonDocument::text(const Json& of, std::string_view key) const {
  return std::string(need(of, key, Json::Kind::String).text);
}

int64_t JsonDocument::integer(const Json& of, std::string_view key) const {
  return need(of, key, Json::Kind::Int).integer;
}

}  // namespace fusillade
