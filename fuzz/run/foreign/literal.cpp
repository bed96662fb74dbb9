// See literal.h.
#include "fuzz/run/foreign/literal.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "engine/base/text.h"
#include "engine/tensor/iterate.h"
#include "fuzz/run/foreign/python_source.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kColumns = 100;
constexpr int64_t kNested = 8;  // elements up to which nested lists show the sizes
constexpr size_t kRun = 5;      // equal elements that become a product

// The fewest digits that read back as this float32.
std::string float32_text(float v) {
  for (int digits = 6; digits < 9; ++digits) {
    std::string text = fmt::format("{:.{}g}", v, digits);
    if (static_cast<float>(std::strtod(text.c_str(), nullptr)) != v) continue;
    bool whole = text.find_first_of(".e") == std::string::npos;
    return whole ? text + ".0" : text;
  }
  return python_float_text(v);
}

std::string element_text(const Tensor& t, int64_t i, const Dialect& dialect) {
  if (is_float(t.dtype())) return number_text(element_as_double(t, i), t.dtype(), dialect);
  int64_t v = element_as_int(t, i);
  return t.dtype() == DType::Bool ? (v ? "True" : "False") : std::to_string(v);
}

std::string nested_list(const Tensor& t, const std::vector<std::string>& elements, int dim,
                        size_t& at) {
  if (dim == t.rank()) return elements[at++];
  std::vector<std::string> items;
  for (int64_t i = 0; i < t.sizes()[dim]; ++i)
    items.push_back(nested_list(t, elements, dim + 1, at));
  return "[" + join(items, ", ") + "]";
}

// "[0.0] * 12 + [1.5, 2.5]"
std::string in_runs(const std::vector<std::string>& elements) {
  std::vector<std::string> parts, single;
  auto flush = [&] {
    if (!single.empty()) parts.push_back("[" + join(single, ", ") + "]");
    single.clear();
  };
  for (size_t i = 0, n = 0; i < elements.size(); i += n) {
    for (n = 1; i + n < elements.size() && elements[i + n] == elements[i];) ++n;
    if (n >= kRun) {
      flush();
      parts.push_back(fmt::format("[{}] * {}", elements[i], n));
    } else {
      single.insert(single.end(), n, elements[i]);
    }
  }
  flush();
  return join(parts, " + ");
}

std::string dtype_argument(DType dtype, const Dialect& dialect) {
  bool plain = dtype == dialect.plain_float || dtype == DType::I64 || dtype == DType::Bool;
  if (plain) return "";
  return fmt::format(", {}{}{}", dialect.dtype, python_name(dtype), dialect.dtype_end);
}

// Where a line that is too long may end: inside brackets and outside strings, in the outermost
// brackets that there are in its second half; 0: nowhere.
size_t break_of(const std::string& line, size_t from, int depth) {
  size_t found = 0;
  int least = 0;
  char quote = 0;
  for (size_t i = 0; i < std::min(line.size(), kColumns); ++i) {
    char c = line[i];
    if (quote) {
      i += c == '\\';
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    depth += std::string_view("([{").find(c) != std::string_view::npos;
    depth -= std::string_view(")]}").find(c) != std::string_view::npos;
    if (depth <= 0 || i <= from || (c != ',' && c != '+') || i + 1 >= line.size()) continue;
    if (line[i + 1] != ' ' || (found > kColumns / 2 && depth > least)) continue;
    found = i + 1;
    least = depth;
  }
  return found;
}

// "[i % 7.0 for i in range(33000)]"; "": the elements do not count.
std::string counting(const Tensor& t) {
  if (t.numel() <= 2 * kCounted || t.dtype() == DType::Bool) return "";
  for (int64_t i = 0; i < t.numel(); ++i)
    if (element_as_double(t, i) != static_cast<double>(i % kCounted)) return "";
  return fmt::format("[i % {}{} for i in range({})]", kCounted, is_float(t.dtype()) ? ".0" : "",
                     t.numel());
}

}  // namespace

std::string number_text(double v, DType dtype, const Dialect& dialect) {
  if (std::isnan(v)) return fmt::format("{}.nan", dialect.library);
  if (std::isinf(v)) return fmt::format("{}{}.inf", v < 0 ? "-" : "", dialect.library);
  return dtype == DType::F32 ? float32_text(static_cast<float>(v)) : python_float_text(v);
}

std::string sizes_text(const Dims& dims) {
  std::vector<std::string> out;
  for (int64_t n : dims) out.push_back(std::to_string(n));
  return "(" + join(out, ", ") + (out.size() == 1 ? ",)" : ")");
}

std::string array_text(const Tensor& t, const Dialect& dialect) {
  std::string dtype = dtype_argument(t.dtype(), dialect);
  if (!t.numel()) {
    if (dtype.empty())
      dtype = fmt::format(", {}{}{}", dialect.dtype, python_name(t.dtype()), dialect.dtype_end);
    return fmt::format("{}.zeros({}{})", dialect.library, sizes_text(t.sizes()), dtype);
  }
  if (const std::string rule = counting(t); !rule.empty())
    return fmt::format("{}({}{}){}", dialect.array, rule, dtype,
                       t.rank() == 1 ? "" : ".reshape" + sizes_text(t.sizes()));
  std::vector<std::string> elements;
  for (int64_t i = 0; i < t.numel(); ++i) elements.push_back(element_text(t, i, dialect));
  const bool one = std::count(elements.begin(), elements.end(), elements[0]) == t.numel();
  if (one && t.numel() >= static_cast<int64_t>(kRun))
    return fmt::format("{}.full({}, {}{})", dialect.library, sizes_text(t.sizes()), elements[0],
                       dtype);
  if (t.rank() > 1 && t.numel() > kNested)
    return fmt::format("{}({}{}).reshape{}", dialect.array, in_runs(elements), dtype,
                       sizes_text(t.sizes()));
  size_t at = 0;
  std::string list = t.rank() == 1 ? in_runs(elements) : nested_list(t, elements, 0, at);
  return fmt::format("{}({}{})", dialect.array, list, dtype);
}

std::string wrap_line(const std::string& text, size_t depth) {
  std::string line = std::string(depth, ' ') + text, out;
  size_t indent = depth;
  while (line.size() > kColumns) {
    size_t at = break_of(line, indent, !out.empty());
    if (!at) break;
    out += line.substr(0, at) + "\n";
    indent = depth + 4;
    line = std::string(indent, ' ') + line.substr(at + 1);
  }
  return out + line + "\n";
}

std::string comment_text(std::string text) {
  constexpr std::string_view kWord = "coding";
  for (size_t at = 0; (at = text.find(kWord, at)) != std::string::npos;) {
    at += kWord.size();
    if (at < text.size() && (text[at] == ':' || text[at] == '=')) text.insert(at, " ");
  }
  return text;
}

}  // namespace fusillade::fuzz
