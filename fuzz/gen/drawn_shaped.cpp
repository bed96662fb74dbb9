// Arguments that a recipe describes (recipe.h has the forms).
#include <charconv>

#include "engine/base/text.h"
#include "fuzz/gen/drawn_call.h"
#include "fuzz/gen/drawn_dtype.h"
#include "fuzz/gen/recipe.h"
#include "fuzz/gen/source_types.h"

namespace fusillade::fuzz {
namespace {

bool is_form_of_tensor(std::string_view form) {
  return form.size() > 2 &&
         std::string_view("fwsilhbna=").find(form[0]) != std::string_view::npos && form[1] == '[';
}

std::optional<double> number_in(std::string_view text) {
  double v = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return v;
}

// "1..3": the text on either side of "..".
std::optional<std::pair<std::string_view, std::string_view>> range_in(std::string_view text) {
  size_t at = text.find("..");
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair{text.substr(0, at), text.substr(at + 2)};
}

bool is_sizes(std::string_view text) {
  return !text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") ==
                              std::string_view::npos;
}

}  // namespace

int64_t DrawnCall::size_of_letter(char letter) {
  auto known = letters_.find(letter);
  if (known != letters_.end()) return known->second;
  static constexpr int64_t kSizes[] = {1, 2, 2, 3, 3, 4, 5, 9};
  auto limit = limits_.find(letter);
  int64_t size = limit != limits_.end()  ? number_of(limit->second)
                 : choices_.chance(0.02) ? 0
                                         : kSizes[choices_.below(std::size(kSizes))];
  return letters_[letter] = size;
}

// "2N", "NC", "K+1", "C-1", "3", "1..3"
int64_t DrawnCall::number_of(std::string_view text) {
  if (auto range = range_in(text)) {
    int64_t lo = number_of(range->first), hi = number_of(range->second);
    return choices_.between(lo, std::max(lo, hi));
  }
  int64_t sum = 0, sign = 1;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '-') sign = -1;
    if (text[i] == '+') sign = 1;
    if (text[i] == '-' || text[i] == '+') ++i;
    int64_t product = sign;
    for (; i < text.size() && text[i] != '+' && text[i] != '-'; ++i) {
      if (text[i] >= 'A' && text[i] <= 'Z') {
        product *= size_of_letter(text[i]);
        continue;
      }
      int64_t digits = 0;
      for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
        digits = digits * 10 + (text[i] - '0');
      product *= digits;
      --i;
    }
    sum += product;
  }
  return sum;
}

Dims DrawnCall::dims_of(std::string_view text) {
  Dims out;
  if (text.empty()) return out;
  for (const std::string& word : split_outside_brackets(text, ',')) {
    if (word != "*") {
      out.push_back(number_of(word));
      continue;
    }
    for (int64_t s : more_) out.push_back(s);
  }
  return out;
}

IValue DrawnCall::tensor_of(std::string_view form) {
  size_t close = form.find(']');
  FUS_CHECK(close != std::string_view::npos, "recipe of {}: no ']' in {}", op_.name, form);
  DType dtype = form[0] == '='   ? dtype_
                : form[0] == 'f' ? drawn_float(choices_)
                : form[0] == 's' ? DType::F32
                : form[0] == 'w' ? (choices_.chance(0.6) ? DType::F32 : DType::F64)
                : form[0] == 'i' ? drawn_integer(choices_)
                : form[0] == 'l' ? DType::I64
                : form[0] == 'h' ? DType::I32
                : form[0] == 'b' ? DType::Bool
                                 : drawn_dtype(choices_, 0.35);
  bool bools = form[0] == 'b' || form[0] == 'a' || form[0] == '=';
  if (dtype == DType::Bool && !bools) dtype = DType::I32;
  Dims sizes = dims_of(form.substr(2, close - 2));
  for (int64_t& s : sizes) s = std::max<int64_t>(s, 0);
  std::string_view rest = form.substr(close + 1);
  if (rest.empty()) return make(dtype, sizes);
  auto range = range_in(rest.substr(1, rest.size() - 2));
  FUS_CHECK(rest[0] == '{' && range, "recipe of {}: {} is no range", op_.name, rest);
  if (first_) {
    first_ = false;
    dtype_ = dtype;
    sizes_ = sizes;
  }
  return make_indices(dtype, sizes, number_of(range->first), number_of(range->second));
}

IValue DrawnCall::list_of(std::string_view form, const Type& type) {
  std::vector<IValue> items;
  std::string_view inner = form.substr(1, form.size() - 2);
  if (!inner.empty()) {
    for (const std::string& item : split_outside_brackets(inner, ';'))
      items.push_back(tensor_of(item));
  }
  const Type& list = type.is(TypeKind::Optional) ? type.element() : type;
  return IValue::list(std::move(items), list.element());
}

// Ints, or floats where the argument is a list of these.
IValue DrawnCall::numbers_of(std::string_view text, const Type& type) {
  const Type& list = type.is(TypeKind::Optional) ? type.element() : type;
  if (!list.is(TypeKind::List) || !list.element().is(TypeKind::Float))
    return IValue::int_list(dims_of(text));
  SchemaArg item;
  item.type = TypeKind::Float;
  std::vector<IValue> items;
  for (const std::string& word : split_outside_brackets(text, ','))
    items.push_back(value_of(word, item));
  return IValue::list(std::move(items), TypeKind::Float);
}

IValue DrawnCall::value_of(std::string_view form, const SchemaArg& formal) {
  if (form[0] == '?' && choices_.chance(0.35)) return IValue();
  if (form[0] == '~' && choices_.chance(0.4)) return formal.default_value;
  if (form[0] == '?' || form[0] == '~') form.remove_prefix(1);
  if (form.find('|') != std::string_view::npos)
    return value_of(choices_.pick(split_outside_brackets(form, '|')), formal);
  if (is_form_of_tensor(form)) return tensor_of(form);
  if (form[0] == '(') return list_of(form, formal.type);
  if (form[0] == '<') return numbers_of(form.substr(1, form.size() - 2), formal.type);
  if (form == "None") return IValue();
  if (form == "True" || form == "False") return IValue(form == "True");
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  if (type.is(TypeKind::Str)) return IValue::str(std::string(form));
  auto range = range_in(form);
  std::string_view first = range ? range->first : form;
  bool real = type.is(TypeKind::Float) || first.find('.') != std::string_view::npos;
  if (!real && is_sizes(form)) return IValue(number_of(form));
  auto number = number_in(first);
  auto most = range ? number_in(range->second) : std::nullopt;
  if (number && most) return IValue(*number + (*most - *number) * choices_.unit());
  FUS_CHECK(number, "recipe of {}: {} is no form of {}", op_.name, form, formal.name);
  return IValue(*number);
}

}  // namespace fusillade::fuzz
