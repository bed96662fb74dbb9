// See python_code.h.
#include "fuzz/cli/python_code.h"

#include <algorithm>
#include <cctype>

namespace fusillade::cli {
namespace {

constexpr int kMostNested = 100;  // f-strings within f-strings; Python takes 150

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), code_(text) {}

  std::string read() {
    while (at_ < text_.size()) read_one();
    return code_;
  }

 private:
  bool has(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void blank(size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_)
      if (text_[at_] != '\n') code_[at_] = ' ';
  }

  // A comment, a string, or one byte of anything else.
  void read_one() {
    if (text_[at_] == '#') {
      blank(std::min(text_.find('\n', at_), text_.size()) - at_);
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      read_string();
    } else {
      ++at_;
    }
  }

  // The letters before a quote, which are blanked; empty where they are a word such as `return`.
  std::string take_prefix() {
    const auto is_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    size_t from = at_;
    while (from > 0 && is_of_name(text_[from - 1])) --from;
    std::string prefix(text_.substr(from, at_ - from));
    if (prefix.size() > 2 || prefix.find_first_not_of("rRbBuUfFtT") != prefix.npos) return "";
    code_.replace(from, prefix.size(), prefix.size(), ' ');
    return prefix;
  }

  void read_string() {
    const std::string prefix = take_prefix();
    const bool raw = prefix.find_first_of("rR") != prefix.npos;
    const bool computes = prefix.find_first_of("fFtT") != prefix.npos && nested_ < kMostNested;
    const std::string three(3, text_[at_]);
    const std::string quote = has(three) ? three : std::string(1, text_[at_]);
    blank(quote.size());
    while (at_ < text_.size() && !has(quote)) {
      if (quote.size() == 1 && text_[at_] == '\n') return;  // it has no end
      if (text_[at_] == '\\' && !raw && has("\\N{") && computes) {
        blank(std::min(text_.find('}', at_), text_.size()) - at_);
      } else if (text_[at_] == '\\') {
        blank(2);
      } else if (computes && (has("{{") || has("}}"))) {
        blank(2);
      } else if (computes && text_[at_] == '{') {
        read_field(quote);
      } else {
        blank(1);
      }
    }
    blank(quote.size());
  }

  // An expression in braces, its conversion, and its format, within which there may be others.
  void read_field(const std::string& quote) {
    ++nested_;
    blank(1);
    for (int brackets = 0; at_ < text_.size(); read_one()) {
      const char c = text_[at_];
      const bool converts = c == '!' && !has("!=");
      if (brackets == 0 && (c == '}' || c == ':' || converts)) break;
      if (c == '(' || c == '[' || c == '{') ++brackets;
      if (c == ')' || c == ']' || c == '}') --brackets;
    }
    while (at_ < text_.size() && text_[at_] != '}' && !has(quote)) {
      if (quote.size() == 1 && text_[at_] == '\n') break;
      if (text_[at_] == '{' && nested_ < kMostNested) read_field(quote);
      else blank(1);
    }
    if (at_ < text_.size() && text_[at_] == '}') blank(1);
    --nested_;
  }

  std::string_view text_;
  std::string code_;
  size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace

std::string code_of(std::string_view text) { return Reader(text).read(); }

}  // namespace fusillade::cli
