// See sample_line.h.
#include "suites/table/sample_line.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/ops/device.h"

namespace fusillade::table {
namespace {

class LineParser {
 public:
  explicit LineParser(const std::string& line) : text_(line) {}

  Sample sample() {
    Sample s;
    size_t bar = text_.find('|');
    if (bar == std::string::npos) wrong("'|'");
    s.op = text_.substr(0, bar);
    at_ = bar + 1;
    s.args = values();
    const std::vector<SchemaArg>& formals = operator_named(s.op).schema.args;
    for (size_t i = 0; i < s.args.size() && i < formals.size(); ++i)
      s.args[i] = as_wanted_device(s.args[i], formals[i].type);
    arrow(s);
    s.error = eat("error");
    if (!s.error) s.results = values();
    skip();
    if (at_ != text_.size()) wrong("the end of the line");
    return s;
  }

 private:
  [[noreturn]] void wrong(const char* wanted) {
    fail("sample '{}', column {}: expected {}", text_.substr(0, 200), at_ + 1, wanted);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(const char* s) {
    skip();
    size_t n = std::char_traits<char>::length(s);
    if (text_.compare(at_, n, s) != 0) return false;
    at_ += n;
    return true;
  }
  void need(const char* s) {
    if (!eat(s)) wrong(s);
  }

  void arrow(Sample& s) {
    if (eat("=>")) return;
    need("~");
    s.exact = false;
    if (!eat(">")) {
      s.bound = real();
      need(">");
    }
  }

  std::vector<IValue> values() {
    std::vector<IValue> out;
    skip();
    if (at_ == text_.size() || text_.compare(at_, 2, "=>") == 0 || text_[at_] == '~') return out;
    do out.push_back(value());
    while (eat(","));
    return out;
  }

  IValue value() {
    if (eat("[")) return list();
    if (eat("'")) {
      size_t end = text_.find('\'', at_);
      if (end == std::string::npos) wrong("the closing quote");
      std::string s = text_.substr(at_, end - at_);
      at_ = end + 1;
      return IValue::str(s);
    }
    size_t end = at_;
    while (end < text_.size() && std::string(" ,[]{}~").find(text_[end]) == std::string::npos)
      ++end;
    std::string word = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '[') {
      at_ = end;
      return tensor(dtype_from_name(word));
    }
    if (word == "None" || word == "True" || word == "False") {
      at_ = end;
      return word == "None" ? IValue() : IValue(word == "True");
    }
    if (word.find_first_of("xn") != std::string::npos) return IValue(real());
    return IValue(integer());
  }

  IValue list() {
    std::vector<IValue> items;
    if (!eat("]")) {
      do items.push_back(value());
      while (eat(","));
      need("]");
    }
    Type element = items.empty() ? Type(TypeKind::Int) : items[0].type().without_shapes();
    return IValue::list(std::move(items), element);
  }

  Tensor tensor(DType dtype) {
    Dims sizes;
    need("[");
    if (!eat("]")) {
      do sizes.push_back(integer());
      while (eat(","));
      need("]");
    }
    Tensor t = Tensor::empty(sizes, dtype);
    need("{");
    for (int64_t i = 0; i < t.numel(); ++i) {
      if (i) need(",");
      if (is_float(dtype)) set_element(t, i, real());
      else set_element_int(t, i, integer());
    }
    need("}");
    return t;
  }

  double real() {
    skip();
    char* end = nullptr;
    double v = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) wrong("a float");
    at_ = static_cast<size_t>(end - text_.c_str());
    return v;
  }
  int64_t integer() {
    skip();
    char* end = nullptr;
    int64_t v = std::strtoll(text_.c_str() + at_, &end, 10);
    if (end == text_.c_str() + at_) wrong("an integer");
    at_ = static_cast<size_t>(end - text_.c_str());
    return v;
  }

  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

Sample parse_sample(const std::string& line) { return LineParser(line).sample(); }

std::vector<std::string> sample_files(const std::string& folder) {
  std::vector<std::string> out;
  const std::string path = std::string(FUSILLADE_SOURCE_DIR) + "/suites/table/" + folder;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace fusillade::table
