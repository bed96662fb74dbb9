// See tensor_text.h. One walk over the elements that will be shown decides form and width, another
// one writes them.
#include "engine/ops/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

constexpr int64_t kMostShown = 1000;  // elements; of larger tensors the edges are shown
constexpr int64_t kEdge = 3;          // items at either end of a dim
constexpr int64_t kLine = 80;         // columns
constexpr std::string_view kPrefix = "tensor(";

int64_t length(std::string_view text) { return static_cast<int64_t>(text.size()); }

std::string name_in_torch(DType dtype) {
  if (dtype == DType::Bool) return "bool";
  if (dtype == DType::BF16) return "bfloat16";
  return fmt::format("{}{}",
                     is_float(dtype)      ? "float"
                     : dtype == DType::U8 ? "uint"
                                          : "int",
                     8 * size_of(dtype));
}

// The items of a dim that are shown; an empty one means "...".
std::vector<std::optional<int64_t>> visible_items(int64_t size, bool edges) {
  std::vector<std::optional<int64_t>> out;
  for (int64_t i = 0; i < size; ++i) {
    if (edges && size > 2 * kEdge && i == kEdge) {
      out.emplace_back();
      i = size - kEdge;
    }
    out.emplace_back(i);
  }
  return out;
}

// How the numbers of one tensor are written.
class Form {
 public:
  void see(const Tensor& t) {
    dtype_ = t.dtype();
    if (!is_float(dtype_)) {
      width_ = std::max(width_, length(plain(t)));
      return;
    }
    double v = element_as_double(t, 0);
    if (v == 0 || !std::isfinite(v)) return;
    whole_ = whole_ && v == std::ceil(v);
    least_ = any_ ? std::min(least_, std::fabs(v)) : std::fabs(v);
    most_ = any_ ? std::max(most_, std::fabs(v)) : std::fabs(v);
    any_ = true;
    for (int form = 0; form < 3; ++form)
      widths_[form] = std::max(widths_[form], length(number_text(v, form)));
  }

  // Once all have been seen.
  void decide() {
    if (!is_float(dtype_) || !any_) return;
    bool spread = most_ / least_ > 1000 || most_ > 1e8 || (!whole_ && least_ < 1e-4);
    form_ = spread ? kScientific : whole_ ? kWhole : kFixed;
    width_ = std::max(width_, widths_[form_]);
  }

  std::string text(const Tensor& t) const {
    std::string out = is_float(dtype_) ? number_text(element_as_double(t, 0), form_) : plain(t);
    return std::string(static_cast<size_t>(std::max<int64_t>(0, width_ - length(out))), ' ') + out;
  }

  int64_t width() const { return width_; }

 private:
  enum { kWhole, kFixed, kScientific };

  static std::string number_text(double v, int form) {
    if (form == kScientific) return fmt::format("{:.4e}", v);
    if (form == kFixed) return fmt::format("{:.4f}", v);
    return fmt::format("{:.0f}{}", v, std::isfinite(v) ? "." : "");
  }

  static std::string plain(const Tensor& t) {
    int64_t v = element_as_int(t, 0);
    return t.dtype() == DType::Bool ? (v ? "True" : "False") : std::to_string(v);
  }

  DType dtype_ = DType::F32;
  int form_ = kWhole;  // also of nothing but zeros, infinities and NaNs
  int64_t width_ = 1, widths_[3] = {};
  bool whole_ = true, any_ = false;
  double least_ = 0, most_ = 0;
};

Tensor item(const Tensor& t, int64_t i) {
  Dims sizes, strides;
  for (int d = 1; d < t.rank(); ++d) {
    sizes.push_back(t.sizes()[d]);
    strides.push_back(t.strides()[d]);
  }
  return Tensor::view_of(t, t.offset() + i * t.strides()[0], sizes, strides);
}

void see_all(const Tensor& t, bool edges, Form& form) {
  if (t.rank() == 0) return form.see(t);
  for (std::optional<int64_t> i : visible_items(t.sizes()[0], edges))
    if (i) see_all(item(t, *i), edges, form);
}

// `indent`: columns before the text, where further lines begin.
std::string items_text(const Tensor& t, bool edges, const Form& form, int64_t indent) {
  if (t.rank() == 0) return form.text(t);
  std::vector<std::string> items;
  for (std::optional<int64_t> i : visible_items(t.sizes()[0], edges))
    items.push_back(!i ? t.rank() == 1 ? " ..." : "..."
                       : items_text(item(t, *i), edges, form, indent + 1));
  size_t per_line =
      static_cast<size_t>(std::max<int64_t>(1, (kLine - indent) / (form.width() + 2)));
  std::string out = "[", margin(static_cast<size_t>(indent + 1), ' ');
  for (size_t i = 0; i < items.size(); ++i) {
    bool breaks = i > 0 && (t.rank() > 1 || i % per_line == 0);
    size_t lines = t.rank() > 1 ? static_cast<size_t>(t.rank() - 1) : 1;
    out += i == 0 ? "" : breaks ? "," + std::string(lines, '\n') + margin : ", ";
    out += items[i];
  }
  return out + "]";
}

}  // namespace

std::string tensor_text(const Tensor& given) {
  const Tensor t = to_host(given);
  bool empty = t.numel() == 0, edges = t.numel() > kMostShown;
  Form form;
  if (!empty) see_all(t, edges, form);
  form.decide();
  std::string out =
      std::string(kPrefix) + (empty ? "[]" : items_text(t, edges, form, length(kPrefix)));
  std::vector<std::string> behind;
  if (!in_reach(given)) behind.push_back("device='" + to_string(given.device()) + "'");
  if (empty && t.rank() != 1) {
    std::string sizes;
    for (int64_t size : t.sizes()) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    behind.push_back("size=(" + sizes + ")");
  }
  bool plain =
      t.dtype() == DType::F32 || (!empty && (t.dtype() == DType::I64 || t.dtype() == DType::Bool));
  if (!plain) behind.push_back("dtype=torch." + name_in_torch(t.dtype()));
  int64_t column =
      length(out) -
      static_cast<int64_t>(out.find('\n') == std::string::npos ? -1 : out.rfind('\n')) + 1;
  for (const std::string& word : behind) {
    bool breaks = column + length(word) + 2 > kLine;
    out += breaks ? ",\n" + std::string(kPrefix.size(), ' ') + word : ", " + word;
    column = breaks ? length(kPrefix) + length(word) : column + length(word) + 2;
  }
  return out + ")";
}

}  // namespace fusillade
