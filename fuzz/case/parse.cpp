// Reading case files. They come from strangers: every size is checked against the text's own
// length, or against kMostBytes where a formula makes elements, before anything is allocated.
//
// A call's lines are NAME = VALUE in the program's order of inputs, after the bases they are views
// of: numbers, True, False, None, "text", [lists], (tuples), Net() for a module's self
// (Net().train(), Net().eval() in that mode), and tensors
//
//   f32[2, 2] strides=[1, 2] {0x1p+0, nan, -inf, 1.5}     row-major; integers in decimal,
//   bools 0 or 1 view of base0 offset=1 f32[2] strides=[3] f32[1000] philox(seed=7, offset=0,
//   kind=normal) kinds: normal, uniform; f32[2] zlib {eAFj...} packed elements (packed.h)
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "engine/base/text.h"
#include "engine/ops/device.h"
#include "engine/tensor/random.h"
#include "fuzz/case/case.h"
#include "fuzz/case/label.h"
#include "fuzz/case/packed.h"
#include "fuzz/case/training.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int kMostNesting = 16;

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// One line of a call.
class ValueParser {
 public:
  ValueParser(std::string_view line, std::string where, size_t line_number, int64_t* bytes,
              const std::map<std::string, Tensor>& bases)
      : line_(line),
        where_(std::move(where)),
        line_number_(line_number),
        bytes_(bytes),
        bases_(bases) {}

  [[noreturn]] void error(const std::string& message) const {
    fail("{}:{}:{}: {}", where_, line_number_, at_ + 1, message);
  }

  std::string word() {
    blanks();
    size_t from = at_;
    while (at_ < line_.size() && is_word_char(line_[at_])) ++at_;
    return std::string(line_.substr(from, at_ - from));
  }

  void expect(char c) {
    if (!accept(c)) error(fmt::format("'{}' is missing", c));
  }

  bool accept(char c) {
    blanks();
    if (at_ >= line_.size() || line_[at_] != c) return false;
    ++at_;
    return true;
  }

  // "Net()", "Net().train()" or "Net().eval()": which net is the script's to say.
  IValue module(const IValue& constructed) {
    constexpr const char* kLegal =
        "a module is given as 'Net()', 'Net().train()' or 'Net().eval()'";
    const std::string name = word();
    if (name.empty() || name[0] == '.') error(kLegal);
    expect('(');
    expect(')');
    if (!accept('.')) return end(), constructed;
    const std::string mode = word();
    if (mode != "train" && mode != "eval") error(kLegal);
    if (!has_training(constructed))
      error("this module has no mode: it has no attribute 'training'");
    expect('(');
    expect(')');
    end();
    return in_mode(constructed, mode == "train");
  }

  void end() {
    blanks();
    if (at_ != line_.size()) error("nothing more is expected on this line");
  }

  IValue value(const Type& type, int depth = 0) {
    if (depth > kMostNesting) error("values are nested too deeply");
    if (accept('[')) return list(option(type, TypeKind::List), depth);
    if (accept('(')) return tuple(option(type, TypeKind::Tuple), depth);
    if (accept('{')) return dict(option(type, TypeKind::Dict), depth);
    if (accept('"')) return text_or_device(text(), type);
    size_t from = at_;
    std::string w = word();
    if (w == "True") return coerce(true, type);
    if (w == "False") return coerce(false, type);
    if (w == "None") return IValue();
    if (w == "view") return view();
    if (at_ < line_.size() && line_[at_] == '[') return tensor(w);
    at_ = from;
    return coerce(number(), type);
  }

 private:
  // A number where one of another type is declared, as PyTorch takes it from Python: any for a
  // bool, an int or a bool for a float, a bool for an int.
  IValue coerce(const IValue& v, const Type& given) const {
    const Type& type = given.is(TypeKind::Optional) ? given.element() : given;
    if (type.is(TypeKind::Bool)) return v.as_double() != 0;
    if (type.is(TypeKind::Float)) return v.as_double();
    if (type.is(TypeKind::Int) && v.is_float())
      error(fmt::format("{} where the program takes an int", describe(v)));
    return type.is(TypeKind::Int) ? IValue(v.as_int()) : v;
  }

  // Of an Optional or a Union the first option of that kind.
  static const Type& option(const Type& type, TypeKind kind) {
    if (!type.is(TypeKind::Optional) && !type.is(TypeKind::Union)) return type;
    for (const Type& t : type.elements())
      if (t.is(kind)) return t;
    return type;
  }

  void blanks() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }

  // A device is written as a text.
  IValue text_or_device(const IValue& text, const Type& type) {
    try {
      return as_wanted_device(text, type);
    } catch (const Error& e) {
      error(e.what());
    }
  }

  IValue list(const Type& type, int depth) {
    Type element = type.is(TypeKind::List) ? type.element() : Type(TypeKind::Any);
    std::vector<IValue> items;
    while (!accept(']')) {
      if (!items.empty()) expect(',');
      items.push_back(value(element, depth + 1));
    }
    if (element.is(TypeKind::Any) && !items.empty()) element = items[0].type().without_shapes();
    return IValue::list(std::move(items), element);
  }

  IValue dict(const Type& type, int depth) {
    if (!type.is(TypeKind::Dict))
      error(fmt::format("a dict where the program takes {}", type.text()));
    IValue out = IValue::dict(type.key(), type.value_type().without_shapes());
    while (!accept('}')) {
      if (!out.as_dict().items().empty()) expect(',');
      IValue key = value(type.key(), depth + 1);
      if (!(key.type() == type.key())) error(fmt::format("a key is of type {}", type.key().text()));
      expect(':');
      if (out.as_dict().find(key)) error("a key that the dict already has");
      IValue item = value(type.value_type(), depth + 1);
      if (!item.type().without_shapes().subtype_of(out.as_dict().value))
        error(fmt::format("{} is no {}", describe(item), out.as_dict().value.text()));
      out.as_dict().set(key, std::move(item));
    }
    return out;
  }

  IValue tuple(const Type& type, int depth) {
    std::vector<IValue> items;
    while (!accept(')')) {
      if (!items.empty()) expect(',');
      bool known = type.is(TypeKind::Tuple) && items.size() < type.elements().size();
      items.push_back(
          value(known ? type.elements()[items.size()] : Type(TypeKind::Any), depth + 1));
    }
    return IValue::tuple(std::move(items));
  }

  IValue text() {
    std::string out;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] != '\\') {
        out += line_[at_];
        continue;
      }
      if (++at_ >= line_.size()) break;
      const char c = line_[at_];
      if (c == 'x') {
        ++at_;
        out += character(2, 16);
      } else if (c >= '0' && c <= '7') {
        out += character(3, 8);
      } else if (c == 'n' || c == 't') {
        out += c == 'n' ? '\n' : '\t';
      } else if (c == '"' || c == '\\') {
        out += c;
      } else {
        error("no escape of a string: \\n, \\t, \\\", \\\\, \\ooo and \\xhh are");
      }
    }
    expect('"');
    return IValue::str(out);
  }

  // The character of so many digits from here on; leaves the last of them to be passed.
  char character(size_t digits, int base) {
    const std::string_view code = line_.substr(std::min(at_, line_.size())).substr(0, digits);
    unsigned value = 0;
    auto read = std::from_chars(code.data(), code.data() + code.size(), value, base);
    if (code.size() != digits || read.ptr != code.data() + code.size() || value > 255)
      error(fmt::format("expected {} digits of a character's code", digits));
    at_ += digits - 1;
    return static_cast<char>(value);
  }

  std::string number_text() {
    blanks();
    size_t from = at_;
    while (at_ < line_.size() &&
           (is_word_char(line_[at_]) || line_[at_] == '+' || line_[at_] == '-'))
      ++at_;
    return std::string(line_.substr(from, at_ - from));
  }

  double real(const std::string& t) const {
    char* end = nullptr;
    double v = std::strtod(t.c_str(), &end);
    if (t.empty() || *end) error(fmt::format("'{}' is not a number", t));
    return v;
  }

  IValue number() {
    std::string t = number_text();
    int64_t i = 0;
    if (parse_int(t, &i)) return i;
    return real(t);
  }

  int64_t integer() {
    std::string t = number_text();
    int64_t i = 0;
    if (!parse_int(t, &i)) error(fmt::format("'{}' is not an integer", t));
    return i;
  }

  Dims dims() {
    expect('[');
    Dims out;
    while (!accept(']')) {
      if (!out.empty()) expect(',');
      if (out.rank() == kMaxRank) error(fmt::format("more than {} dimensions", kMaxRank));
      int64_t v = integer();
      if (v < 0) error("sizes and strides are not negative");
      out.push_back(v);
    }
    return out;
  }

  void keyword(const char* key) {
    std::string w = word();
    if (w != key) error(fmt::format("'{}' is expected, not '{}'", key, w));
    expect('=');
  }

  DType dtype(const std::string& w) const {
    try {
      return dtype_from_name(w);
    } catch (const Error& e) {
      error(e.what());
    }
  }

  // Elements of memory that sizes and strides span.
  int64_t span(const Dims& sizes, const Dims& strides, DType type) {
    int64_t last = 0;
    bool empty = false;
    for (int d = 0; d < sizes.rank(); ++d) {
      if (sizes[d] == 0) empty = true;
      int64_t step = 0;
      if (sizes[d] > 0 && (__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) ||
                           __builtin_add_overflow(last, step, &last) || last == INT64_MAX)) {
        error("the tensor is too large");
      }
    }
    int64_t elements = empty ? 0 : last + 1;
    if (elements > kMostBytes / static_cast<int64_t>(size_of(type)))
      error("the tensor is too large");
    *bytes_ += elements * static_cast<int64_t>(size_of(type));
    if (*bytes_ > kMostBytes) error(fmt::format("the case's tensors exceed {} bytes", kMostBytes));
    return elements;
  }

  IValue tensor(const std::string& type_word) {
    DType type = dtype(type_word);
    Dims sizes = dims();
    int64_t count = checked_numel(sizes);
    Dims strides = contiguous_strides(sizes);
    blanks();
    if (line_.substr(at_, 7) == "strides") {
      keyword("strides");
      strides = dims();
      if (strides.rank() != sizes.rank()) error("one stride per size is expected");
    }
    int64_t memory = span(sizes, strides, type);
    blanks();
    const bool is_packed = line_.substr(at_).starts_with("zlib");
    const std::string_view digits = is_packed ? packed_digits(count, type) : "";
    bool listed = !is_packed && accept('{');
    if (listed && count > static_cast<int64_t>(line_.size()))
      error("fewer elements than the sizes say");
    if (!listed && count > kMostBytes / static_cast<int64_t>(size_of(type)))
      error("the tensor is too large");
    Tensor base = Tensor::zeros({memory}, type);
    Tensor t = Tensor::view_of(base, 0, sizes, strides);
    if (is_packed) unpack_into(t, digits);
    else if (listed) fill(t, count);
    else philox(t);
    return t;
  }

  // Of "zlib {...}"; they may hold so many elements.
  std::string_view packed_digits(int64_t count, DType type) {
    word();
    expect('{');
    const size_t from = at_;
    at_ = std::min(line_.find('}', at_), line_.size());
    const std::string_view digits = line_.substr(from, at_ - from);
    expect('}');
    if (count > kMostBytes / static_cast<int64_t>(size_of(type))) error("the tensor is too large");
    const std::string why = unpackable(digits, static_cast<size_t>(count) * size_of(type));
    if (!why.empty()) error(why);
    return digits;
  }

  void unpack_into(const Tensor& t, std::string_view digits) const {
    try {
      unpack(digits, t);
    } catch (const Error& e) {
      error(e.what());
    }
  }

  int64_t checked_numel(const Dims& sizes) const {
    try {
      contiguous_strides(sizes);
      return numel_of(sizes);
    } catch (const Error& e) {
      error(e.what());
    }
  }

  void fill(const Tensor& t, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (i) expect(',');
      if (is_float(t.dtype())) set_element(t, i, real(number_text()));
      else set_element_int(t, i, integer());
    }
    if (!accept('}')) error(fmt::format("{} elements and '}}' are expected", count));
  }

  void philox(const Tensor& t) {
    std::string w = word();
    if (w != "philox") error("'{', 'zlib {' or 'philox(' is expected");
    expect('(');
    keyword("seed");
    uint64_t seed = static_cast<uint64_t>(integer());
    expect(',');
    keyword("offset");
    uint64_t offset = static_cast<uint64_t>(integer());
    expect(',');
    keyword("kind");
    std::string kind = word();
    expect(')');
    if (kind == "normal") fill_normal(t, seed, offset);
    else if (kind == "uniform") fill_uniform(t, seed, offset);
    else error(fmt::format("there is no kind '{}'; the kinds are: normal, uniform", kind));
  }

  IValue view() {
    if (word() != "of") error("'view of NAME' is expected");
    std::string name = word();
    auto it = bases_.find(name);
    if (it == bases_.end()) error(fmt::format("there is no base '{}' above", name));
    keyword("offset");
    int64_t offset = integer();
    DType type = dtype(word());
    Dims sizes = dims();
    keyword("strides");
    Dims strides = dims();
    if (type != it->second.dtype())
      error(fmt::format("'{}' holds {}", name, name_of(it->second.dtype())));
    if (strides.rank() != sizes.rank()) error("one stride per size is expected");
    span(sizes, strides, type);
    try {
      return Tensor::view_of(it->second, offset, sizes, strides);
    } catch (const Error& e) {
      error(e.what());
    }
  }

  std::string_view line_;
  std::string where_;
  size_t line_number_;
  int64_t* bytes_;
  const std::map<std::string, Tensor>& bases_;
  size_t at_ = 0;
};

class CaseParser {
 public:
  CaseParser(const std::string& text, const std::string& file) : file_(file) {
    for (size_t at = 0; at <= text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      lines_.push_back(std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
    while (!lines_.empty() && trim(lines_.back()).empty()) lines_.pop_back();
  }

  Case run() {
    version();
    while (!starts("program:") && !starts("script:") && !starts("python:") &&
           !starts("plain python:"))
      header();
    case_.plain = starts("plain python:");
    case_.python = case_.plain || starts("python:");
    starts("program:") ? program() : script();
    while (starts("call:")) call();
    if (trim(line()) != "end") error("'call:' or 'end' is expected; is the file truncated?");
    for (++at_; at_ < lines_.size(); ++at_) {
      if (!trim(line()).empty()) error("nothing is expected after 'end'");
    }
    return std::move(case_);
  }

 private:
  [[noreturn]] void error(const std::string& message) const {
    fail("{}:{}:1: {}", file_, at_ + 1, message);
  }

  std::string_view line() const {
    if (at_ >= lines_.size()) error("the file ends here; 'end' is missing");
    return lines_[at_];
  }

  bool starts(std::string_view word) const { return trim(line()) == word; }

  void version() {
    int64_t v = 0;
    constexpr std::string_view kMagic = "fusillade case ";
    if (line().substr(0, kMagic.size()) != kMagic ||
        !parse_int(trim(line().substr(kMagic.size())), &v)) {
      error("not a case file: the first line must be 'fusillade case 1', 2, 3, 4, 5 or 6");
    }
    if (v < 1 || v > 6)
      error(fmt::format("case version {} is unknown; this build reads versions 1 to 6", v));
    ++at_;
  }

  void header() {
    std::string_view l = line();
    size_t colon = l.find(':');
    std::string key(trim(l.substr(0, colon)));
    static const std::vector<std::string> kLegal = {"oracle", "verdict",     "plan",    "blame",
                                                    "origin", "note",        "program", "script",
                                                    "python", "plain python"};
    if (colon == std::string_view::npos ||
        std::find(kLegal.begin(), kLegal.end(), key) == kLegal.end()) {
      error(fmt::format("unknown field '{}'; the fields are: {}{}", key, join(kLegal, ", "),
                        near_misses(key, kLegal)));
    }
    std::string value(trim(l.substr(colon + 1)));
    if (value.empty()) error(fmt::format("'{}:' has no value", key));
    if (key == "oracle") case_.oracle = value;
    else if (key == "verdict") case_.verdict = value;
    else if (key == "plan") case_.plans.push_back(read_plan(value));
    else if (key == "blame") case_.blame = value;
    else if (key == "origin") case_.origin = value;
    else if (key == "note") case_.notes.push_back(value);
    else error(fmt::format("'{}:' stands alone on its line", key));
    ++at_;
  }

  // The graph's text keeps its line numbers.
  void program() {
    ++at_;
    std::string text(at_, '\n');
    while (!starts("call:") && !starts("end")) {
      text += std::string(line()) + "\n";
      ++at_;
    }
    case_.program = parse_graph(text, file_);
  }

  // Lines that are indented or empty; the text keeps its line numbers in messages.
  void script() {
    size_t first = ++at_;
    std::string text;
    for (; at_ < lines_.size() && (trim(line()).empty() || line().substr(0, 2) == "  "); ++at_) {
      text += std::string(line().size() > 2 ? line().substr(2) : "") + "\n";
    }
    if (trim(text).empty()) error("the script is empty");
    set_script(case_, text, file_, first + 1);
  }

  void call() {
    if (!case_.refused.empty())
      error("a script that is refused cannot be called: " + case_.refused);
    ++at_;
    Call call;
    bases_.clear();
    const Graph& graph = *case_.program;
    while (!starts("call:") && !starts("end")) {
      ValueParser p(line(), file_, at_ + 1, &bytes_, bases_);
      std::string name = p.word();
      if (name.empty()) p.error("NAME = VALUE is expected");
      p.expect('=');
      size_t i = call.inputs.size();
      bool input = i < graph.inputs().size() && name == input_label(graph, i);
      if (!input && name.substr(0, 4) != "base") {
        p.error(i < graph.inputs().size()
                    ? fmt::format("input '{}' of the program is expected, not '{}'",
                                  input_label(graph, i), name)
                    : fmt::format("the program has no input after the {} above", i));
      }
      if (input && i == 0 && !case_.self.is_none()) {
        call.inputs.push_back(p.module(case_.self));
        ++at_;
        continue;
      }
      IValue v = p.value(input ? graph.inputs()[i]->type() : Type(TypeKind::Tensor));
      p.end();
      if (input) {
        call.inputs.push_back(std::move(v));
      } else {
        if (!v.is_tensor()) p.error("a base is a tensor");
        if (!bases_.emplace(name, v.as_tensor()).second)
          p.error(fmt::format("'{}' is there already", name));
      }
      ++at_;
    }
    if (call.inputs.size() != graph.inputs().size()) {
      error(fmt::format("the program has {} inputs, this call gives {}", graph.inputs().size(),
                        call.inputs.size()));
    }
    case_.calls.push_back(std::move(call));
  }

  std::string file_;
  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  int64_t bytes_ = 0;
  std::map<std::string, Tensor> bases_;
  Case case_;
};

}  // namespace

Case parse_case(const std::string& text, const std::string& file) {
  return CaseParser(text, file).run();
}

}  // namespace fusillade::fuzz
