// See lexer.h.
#include "engine/front/lexer.h"

#include <algorithm>
#include <cctype>

#include "engine/base/text.h"
#include "engine/ops/text.h"

namespace fusillade::front {
namespace {

constexpr size_t kTextLimit = 1 << 20;
constexpr size_t kNameLimit = 200;
constexpr size_t kBytesPerToken = 3;  // about
constexpr size_t kMaxIllegal = 100;   // tokens of one text
constexpr const char* kMixed =
    "tabs and spaces are mixed in the indentation, so that its depth depends on the width of a tab";

// Sorted.
constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// They begin statements and are in no brackets.
constexpr std::string_view kStatements[] = {"assert", "break",  "class",  "continue", "def",
                                            "del",    "global", "import", "pass",     "raise",
                                            "return", "try",    "while",  "with"};

constexpr std::string_view kAlone = "()[]{},;~";  // they begin no longer operator

// Longest first.
constexpr std::string_view kOperators[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=",
    "->",  ":=",  "+=",  "-=",  "*=",  "/=", "%=", "@=", "&=", "|=", "^=", "+",  "-",
    "*",   "/",   "%",   "@",   "&",   "|",  "^",  "<",  ">",  ":",  ".",  "="};

bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool word_part(char c) { return word_start(c) || digit(c); }

// What is no Python and cannot be read over: thrown, and the rest of the line is left out.
struct Illegal {
  size_t begin, end;
  std::string message;
};

bool beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}  // a byte of a character in UTF-8

class Lexer {
 public:
  explicit Lexer(const SourcePtr& source)
      : source_(source),
        text_(source->text),
        end_(source->text.size()),
        at_(text_.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}
  Lexer(const SourcePtr& source, size_t begin, size_t end)
      : source_(source), text_(source->text), end_(end), at_(begin), line_start_(false) {}

  // Everything up to end_ as if within brackets. Throws Illegal.
  std::vector<Token> run_part() {
    part_ = true;
    brackets_.push_back(at_);
    size_t begin = at_;
    while (at_ < end_) one();
    if (brackets_.size() > 1)
      wrong(brackets_.back(), brackets_.back() + 1, "this bracket is never closed");
    if (brackets_.empty()) wrong(begin, end_, "a bracket that was not opened");
    push(Tok::End, at_);
    return std::move(tokens_);
  }

  std::vector<Token> run() {
    tokens_.reserve(end_ / kBytesPerToken + 16);
    while (at_ < end_ && illegal_ < kMaxIllegal) {
      try {
        if (line_start_ && brackets_.empty()) indentation();
        if (at_ < end_) one();
      } catch (const Illegal& i) {
        illegal(i.begin, i.end, i.message);
        skip_line();
      }
    }
    if (at_ == end_ && !brackets_.empty())
      illegal(brackets_.back(), brackets_.back() + 1, "this bracket is never closed");
    if (!tokens_.empty() && tokens_.back().kind != Tok::Newline) push(Tok::Newline, at_);
    while (indents_.size() > 1) {
      indents_.pop_back();
      push(Tok::Dedent, at_);
    }
    push(Tok::End, at_);
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void wrong(size_t begin, size_t end, std::string_view message) {
    throw Illegal{begin, end, std::string(message)};
  }

  // A token for what is no Python and is read over.
  void illegal(size_t begin, size_t end, std::string message) {
    refuse(begin, end, std::move(message));
    tokens_.back().kind = Tok::Illegal;
    ++illegal_;
  }

  // To the end of the line, and of the brackets opened in it.
  void skip_line() {
    size_t start = at_ ? text_.rfind('\n', at_ - 1) + 1 : 0;
    at_ = std::min(text_.find('\n', at_), end_);
    while (!brackets_.empty() && brackets_.back() >= start) brackets_.pop_back();
  }

  // A statement begins in a bracket: it was never closed, and the statement's line is read as one.
  void close_before(size_t line) {
    size_t bracket = brackets_.back();
    if (part_) wrong(bracket, bracket + 1, "this bracket is never closed");
    brackets_.clear();
    illegal(bracket, bracket + 1, "this bracket is never closed");
    push(Tok::Newline, at_);
    at_ = line;
    line_start_ = true;
  }

  Token& push(Tok kind, size_t begin) {
    Token& t = tokens_.emplace_back();
    t.kind = kind;
    t.begin = static_cast<uint32_t>(begin);
    t.end = static_cast<uint32_t>(at_);
    if (kind <= Tok::Op && kind != Tok::Str) t.text = text_.substr(begin, at_ - begin);
    return t;
  }

  char peek(size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }

  void indentation() {
    line_start_ = false;
    size_t start = at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    char c = peek();
    if (at_ >= end_ || c == '#' || c == '\n' || c == '\r') return;
    Indent width{0, at_ - start};
    for (size_t i = start; i < at_; ++i)
      width.columns = text_[i] == '\t' ? (width.columns / 8 + 1) * 8 : width.columns + 1;
    if (width.columns > indents_.back().columns) {
      bool mixed = width.bytes <= indents_.back().bytes;
      indents_.push_back(width);
      push(Tok::Indent, at_);
      if (mixed) illegal(start, at_, kMixed);
      return;
    }
    while (width.columns < indents_.back().columns) {
      if (width.columns > indents_[indents_.size() - 2].columns) {  // taken as meant for this block
        indents_.back() = width;
        return illegal(start, at_, "this line is indented like no block around it");
      }
      indents_.pop_back();
      push(Tok::Dedent, at_);
    }
    if (width.bytes != indents_.back().bytes) illegal(start, at_, kMixed);
  }

  void one() {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), end_);
    } else if (c == '\n') {
      newline();
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\n' ? 2 : 3;
    } else if (word_start(c) || beyond_ascii(c)) {
      word();
    } else if (digit(c) || (c == '.' && digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_, false);
    } else {
      op();
    }
  }

  void refuse(size_t begin, size_t end, std::string message) {
    push(Tok::Refused, begin).text = std::move(message);
    tokens_.back().end = static_cast<uint32_t>(end);
  }

  void newline() {
    size_t begin = at_++;
    if (!brackets_.empty()) return;
    bool blank = tokens_.empty() || tokens_.back().kind == Tok::Newline ||
                 tokens_.back().kind == Tok::Indent || tokens_.back().kind == Tok::Dedent;
    if (!blank) push(Tok::Newline, begin);
    line_start_ = true;
  }

  void word() {
    size_t begin = at_;
    while (word_part(peek()) || beyond_ascii(peek())) ++at_;
    std::string_view name(text_.data() + begin, at_ - begin);
    if (std::any_of(name.begin(), name.end(), beyond_ascii))
      return illegal(begin, at_,
                     "names are of ASCII's letters and digits and '_' here: rename this one");
    if (at_ - begin > kNameLimit)
      return illegal(begin, begin + 1, "a name of more than 200 characters");
    if (!brackets_.empty() && begins_statement(begin))
      return close_before(text_.rfind('\n', begin) + 1);
    if ((peek() != '"' && peek() != '\'') || at_ - begin > 2) {
      push(Tok::Name, begin);
      return;
    }
    std::string prefix = text_.substr(begin, at_ - begin);
    for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    struct Prefix {
      std::string_view text;
      bool raw, format;
    };
    static constexpr Prefix kPrefixes[] = {{"r", true, false},
                                           {"u", false, false},
                                           {"f", false, true},
                                           {"fr", true, true},
                                           {"rf", true, true}};
    const Prefix* known = std::ranges::find(kPrefixes, prefix, &Prefix::text);
    if (known != std::end(kPrefixes))
      return known->format ? fstring(begin, known->raw) : string(begin, known->raw);
    refuse(begin, at_ + 1,
           "strings with the prefix '" + prefix +
               "' are not supported; plain, r\"...\" and f\"...\" are");
    string(at_, true);
  }

  // Is the word from `begin` the first of its line, and one that only a statement begins with?
  bool begins_statement(size_t begin) const {
    std::string_view word(text_.data() + begin, at_ - begin);
    if (std::find(std::begin(kStatements), std::end(kStatements), word) == std::end(kStatements))
      return false;
    size_t before = begin ? text_.find_last_not_of(" \t", begin - 1) : std::string::npos;
    return before != std::string::npos && text_[before] == '\n' && before > brackets_.back();
  }

  void number() {
    size_t begin = at_;
    int base = 10;
    char second = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(1))));
    if (peek() == '0' && (second == 'x' || second == 'b' || second == 'o')) {
      base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
      at_ += 2;
    }
    bool real = base == 10 && decimal();
    if (base != 10) {
      while (word_part(peek())) ++at_;
    }
    if (base == 10 && (peek() == 'j' || peek() == 'J') && !word_part(peek(1)))
      return refuse(begin, ++at_,
                    "complex numbers are not supported but in tensors: "
                    "torch.complex(torch.tensor(0.0), torch.tensor(1.0)) is one");
    if (word_part(peek())) {
      while (word_part(peek())) ++at_;
      return illegal(begin, at_, "not a number: numbers are 3, 0x1f, 1_000, 1.5, 1e-3");
    }
    std::string digits = text_.substr(begin, at_ - begin);
    std::erase(digits, '_');
    real ? real_token(digits, begin) : integer_token(digits, base, begin);
  }

  // Reads digits, point and exponent; true for a float.
  bool decimal() {
    auto digits = [this] {
      while (digit(peek()) || (peek() == '_' && digit(peek(1)))) ++at_;
    };
    bool real = false;
    digits();
    if (peek() == '.') {
      real = true;
      ++at_;
      digits();
    }
    char sign = peek(1);
    bool signed_exponent = (sign == '+' || sign == '-') && digit(peek(2));
    if ((peek() == 'e' || peek() == 'E') && (digit(sign) || signed_exponent)) {
      real = true;
      at_ += 2;
      digits();
    }
    return real;
  }

  void real_token(const std::string& digits, size_t begin) {
    double value = 0;
    std::string whole = digits.front() == '.' ? "0" + digits : digits;
    if (!python_float(std::string(whole), &value))
      return illegal(begin, at_, "this float is out of range");
    push(Tok::Float, begin).real = value;
  }

  // Is the last token a minus sign with one operand?
  bool is_negated() const {
    size_t n = tokens_.size();
    if (n == 0 || tokens_[n - 1].kind != Tok::Op || tokens_[n - 1].text != "-") return false;
    if (n == 1) return true;
    const Token& before = tokens_[n - 2];
    bool name = before.kind == Tok::Name && !is_keyword(before.text);
    bool operand =
        name || before.kind == Tok::Int || before.kind == Tok::Float || before.kind == Tok::Str;
    return !operand && before.text != ")" && before.text != "]" && before.text != "}";
  }

  // 9223372036854775808 follows a minus sign only; its token has the negative.
  void integer_token(const std::string& digits, int base, size_t begin) {
    uint64_t value = 0;
    size_t start = base == 10 ? 0 : 2;
    if (start == digits.size()) return illegal(begin, at_, "digits are missing");
    for (size_t i = start; i < digits.size(); ++i) {
      char c = digits[i];
      int d = digit(c) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
      if (d < 0 || d >= base)
        return illegal(begin, at_, "a digit that is not of the number's base");
      bool least = i + 1 == digits.size() && value == (uint64_t{1} << 63) / 10 && base == 10 &&
                   d == 8 && is_negated();
      if (least) {
        push(Tok::Int, begin).integer = INT64_MIN;
        return;
      }
      if (value > (INT64_MAX - static_cast<uint64_t>(d)) / static_cast<uint64_t>(base)) {
        return illegal(begin, at_, "this int does not fit in 64 bits");
      }
      value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(d);
    }
    push(Tok::Int, begin).integer = static_cast<int64_t>(value);
  }

  void string(size_t begin, bool raw) {
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    std::string value;
    for (;;) {
      if (at_ >= end_ || (!triple && peek() == '\n')) {
        wrong(begin, begin + 1, "this string is never closed");
      }
      if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote))) break;
      if (peek() == '\\' && at_ + 1 < end_) {
        escape(value, raw);
      } else {
        value += text_[at_++];
      }
    }
    at_ += triple ? 3 : 1;
    push(Tok::Str, begin).text = std::move(value);
  }

  void escape(std::string& value, bool raw) {
    char c = peek(1);
    at_ += 2;
    if (raw) {
      value += '\\';
      value += c;
      return;
    }
    static constexpr std::string_view kFrom = "ntrabfv\\'\"";
    static constexpr std::string_view kTo = "\n\t\r\a\b\f\v\\'\"";
    if (c == '\n') return;
    if (c >= '0' && c <= '7') return octal(value, c);
    if (c == 'x' || c == 'u' || c == 'U')
      return hexadecimal(value, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    if (c == 'N')
      return illegal(at_ - 2, at_,
                     "\\N{...} is not supported: write \\u and four hexadecimal digits");
    size_t i = kFrom.find(c);
    if (i == std::string_view::npos) value += '\\';  // Python keeps an unknown escape
    value += i == std::string_view::npos ? c : kTo[i];
  }

  void octal(std::string& value, char first) {
    char32_t code = static_cast<char32_t>(first - '0');
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i)
      code = code * 8 + static_cast<char32_t>(text_[at_++] - '0');
    value += encode_utf8(std::u32string(1, code));
  }

  void hexadecimal(std::string& value, int digits) {
    size_t begin = at_ - 2;
    char32_t code = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      int c = std::tolower(static_cast<unsigned char>(peek()));
      if (!std::isxdigit(c))
        return illegal(begin, at_, "an escape with too few hexadecimal digits");
      code = code * 16 + static_cast<char32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (code > 0x10FFFF) return illegal(begin, at_, "an escape beyond \\U0010ffff");
    value += encode_utf8(std::u32string(1, code));
  }

  void fstring(size_t begin, bool raw) {
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    push(Tok::FStart, begin);
    std::string value;
    auto flush = [&] {
      if (!value.empty()) push(Tok::Str, begin).text = std::move(value);
      value.clear();
    };
    for (;;) {
      char c = peek();
      if (at_ >= end_ || (!triple && c == '\n'))
        wrong(begin, begin + 1, "this string is never closed");
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) break;
      if ((c == '{' || c == '}') && peek(1) == c) {
        value += c;
        at_ += 2;
      } else if (c == '}') {
        illegal(at_, at_ + 1, "a single '}' in an f-string: write '}}'");
        ++at_;
      } else if (c == '{') {
        flush();
        replacement(quote);
      } else if (c == '\\' && at_ + 1 < end_) {
        escape(value, raw);
      } else {
        value += text_[at_++];
      }
    }
    flush();
    at_ += triple ? 3 : 1;
    push(Tok::FEnd, at_);
  }

  // Where the "=" of "{expression=}" is, which shows the expression before its value; `end` without
  // one.
  size_t shown_before(size_t begin, size_t end) const {
    size_t at = text_.find_last_not_of(" \t", end - 1);
    if (at == std::string::npos || at <= begin || text_[at] != '=') return end;
    return std::string_view("=!<>").find(text_[at - 1]) == std::string_view::npos ? at : end;
  }

  // Where the expression that begins at `begin` ends: at '}', ':' or '!' outside of brackets.
  size_t end_of_expression(size_t begin, char quote) {
    int depth = 0;
    char inside = '\0';
    for (size_t end = begin;; ++end) {
      char c = end < end_ ? text_[end] : '\0';
      if (c == '\0' || c == '\n' || c == quote)
        wrong(at_, begin, "this '{' of an f-string is never closed");
      if (inside) {
        if (c == inside) inside = '\0';
        continue;
      }
      if (c == '"' || c == '\'') inside = c;
      if (depth == 0 && (c == '}' || c == ':' || (c == '!' && text_[end + 1] != '='))) return end;
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    }
  }

  // "{expression}" of an f-string.
  void replacement(char quote) {
    size_t begin = at_ + 1, end = end_of_expression(begin, quote);
    size_t close = text_.find('}', end);
    for (size_t open = text_.find('{', end); open < close && close < end_;
         open = text_.find('{', open + 1))
      close = text_.find('}', close + 1);
    if (close >= end_) wrong(at_, begin, "this '{' of an f-string is never closed");
    std::string form = text_.substr(end, close - end);
    bool converts = form.size() > 1 && form[0] == '!' && (form[1] == 'r' || form[1] == 's');
    bool plain =
        form.empty() || form[0] == ':' || (converts && (form.size() == 2 || form[2] == ':'));
    std::vector<std::pair<size_t, size_t>> fields;  // of the specification
    std::string kept;
    for (size_t i = 0; i < form.size(); ++i) {
      kept += form[i];
      if (form[i] != '{') continue;
      size_t shut = form.find_first_of("{}:!", i + 1);
      plain = plain && shut != std::string::npos && form[shut] == '}';
      if (!plain) break;
      fields.emplace_back(end + i + 1, end + shut);
      kept += '}';
      i = shut;
    }
    if (!plain || form.find('\\') != std::string::npos) {
      refuse(end, end + 1,
             "of an f-string {x}, {x=}, {x!r}, {x!s}, {x:>8.2f} and {x:.{n}f} are supported");
      at_ = close + 1;
      return;
    }
    if (size_t shown = shown_before(begin, end); shown != end) {
      push(Tok::Str, at_).text = text_.substr(begin, end - begin);
      if (form.empty()) form = kept = "!r";
      end = shown;
    }
    std::vector<Token> tokens = Lexer(source_, begin, end).run_part();
    tokens.pop_back();
    auto op = [&](const char* text) { push(Tok::Op, at_).text = text; };
    op("(");
    if (!form.empty()) {
      push(Tok::Str, at_).text = "{" + kept + "}";
      op(".");
      push(Tok::Name, at_).text = "format";
      op("(");
    }
    for (Token& t : tokens) tokens_.push_back(std::move(t));
    for (const auto& [from, to] : fields) {
      op(",");
      tokens = Lexer(source_, from, to).run_part();
      tokens.pop_back();
      for (Token& t : tokens) tokens_.push_back(std::move(t));
    }
    at_ = close;
    if (!form.empty()) op(")");
    op(")");
    tokens_.back().end = static_cast<uint32_t>(++at_);
  }

  size_t operator_length() const {
    if (kAlone.find(text_[at_]) != std::string_view::npos) return 1;
    for (std::string_view o : kOperators)
      if (o[0] == text_[at_] && text_.compare(at_, o.size(), o) == 0) return o.size();
    return 0;
  }

  void op() {
    size_t begin = at_, length = operator_length();
    if (length == 0) {
      illegal(at_, at_ + 1, "a character that no token starts with");
      ++at_;
      return;
    }
    at_ += length;
    push(Tok::Op, begin);
    if (length == 1) bracket(text_[begin], begin);
  }

  void bracket(char c, size_t begin) {
    if (c == '(' || c == '[' || c == '{') brackets_.push_back(begin);
    if (c != ')' && c != ']' && c != '}') return;
    char opened = brackets_.empty() ? '\0' : text_[brackets_.back()];
    char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (opened != wanted) illegal(begin, begin + 1, "this bracket was not opened");
    if (!brackets_.empty()) brackets_.pop_back();
  }

  const SourcePtr& source_;
  const std::string& text_;
  size_t end_;
  size_t at_ = 0;
  bool line_start_ = true;
  bool part_ = false;   // of a text: an expression
  size_t illegal_ = 0;  // tokens of this kind
  std::vector<Token> tokens_;
  // As Python measures it: a tab reaches to the next multiple of 8 columns, and blocks must nest
  // the same when it is one.
  struct Indent {
    size_t columns = 0, bytes = 0;
  };
  std::vector<Indent> indents_{Indent()};
  std::vector<size_t> brackets_;  // offsets of open brackets
};

}  // namespace

void fail_at(const SourcePtr& source, uint32_t begin, uint32_t end, std::string_view message) {
  fail("{}", message_at(source, begin, end, message));
}

std::string message_at(const SourcePtr& source, uint32_t begin, uint32_t end,
                       std::string_view message) {
  SourceRange range{source, begin, end};
  return range.highlight(fmt::format("{}: {}", range.where(), message));
}

bool is_keyword(std::string_view word) {
  return std::binary_search(std::begin(kKeywords), std::end(kKeywords), word);
}

std::vector<Token> lex_part(const SourcePtr& source, uint32_t begin, uint32_t end) {
  try {
    return Lexer(source, begin, end).run_part();
  } catch (const Illegal& i) {
    fail_at(source, static_cast<uint32_t>(i.begin), static_cast<uint32_t>(i.end), i.message);
  }
}

std::vector<Token> lex(const SourcePtr& source) {
  const std::string& text = source->text;
  if (text.size() > kTextLimit) {
    fail("{}: {} bytes of text; the limit is {}", source->file, text.size(), kTextLimit);
  }
  size_t zero = text.find('\0');
  if (zero != std::string::npos) {
    fail("{}: a NUL byte; a script is text",
         SourceRange{source, static_cast<uint32_t>(zero), 0}.where());
  }
  if (std::none_of(text.begin(), text.end(), beyond_ascii)) return Lexer(source).run();
  std::u32string read = decode_utf8(text);  // a byte that is no UTF-8 is 0xDC00 and more
  auto odd =
      std::find_if(read.begin(), read.end(), [](char32_t c) { return c >= 0xDC80 && c <= 0xDCFF; });
  if (odd != read.end()) {
    size_t at = encode_utf8(std::u32string(read.begin(), odd)).size();
    fail("{}: the byte {:#x} is not UTF-8; a script is UTF-8 text",
         SourceRange{source, static_cast<uint32_t>(at), 0}.where(),
         static_cast<unsigned>(*odd - 0xDC00));
  }
  return Lexer(source).run();
}

}  // namespace fusillade::front
