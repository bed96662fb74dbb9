// See meta.h.
#include "engine/run/exported/meta.h"

#include <algorithm>
#include <cctype>

#include "engine/base/error.h"
#include "engine/ops/memory_format.h"

namespace fusillade::exported {
namespace {

using Kind = Json::Kind;

constexpr int64_t kMaxExtent = int64_t{1} << 40;  // of a size, a stride, a tensor

struct DTypeCode {
  int64_t code;
  DType dtype;
};
constexpr DTypeCode kDTypes[] = {
    {1, DType::U8},  {2, DType::I8},  {3, DType::I16}, {4, DType::I32},   {5, DType::I64},
    {6, DType::F16}, {7, DType::F32}, {8, DType::F64}, {12, DType::Bool}, {13, DType::BF16}};
// Complex dtypes, as ATen numbers them, and the dtype of their parts.
struct ComplexCode {
  int64_t code, aten_code;
  DType part;
};
constexpr ComplexCode kComplex[] = {{9, 8, DType::F16}, {10, 9, DType::F32}, {11, 10, DType::F64}};
// Of those that Fusillade lacks.
constexpr std::pair<int64_t, const char*> kOtherDTypes[] = {
    {9, "complex32"},        {10, "complex64"},       {11, "complex128"},    {28, "uint16"},
    {34, "uint32"},          {35, "uint64"},          {29, "float8_e4m3fn"}, {30, "float8_e5m2"},
    {31, "float8_e4m3fnuz"}, {32, "float8_e5m2fnuz"}, {33, "float8_e8m0fnu"}};

constexpr MemoryFormat kFormats[] = {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast,
                                     MemoryFormat::ChannelsLast3d, MemoryFormat::Preserve};

Dims dims_of(const JsonDocument& doc, const Json& list) {
  Dims out;
  if (list.items.size() > kMaxRank)
    doc.wrong(list, fmt::format("more than {} dimensions", kMaxRank));
  for (const auto& [none, size] : list.items) {
    const int64_t value = doc.integer(*size, "as_int");
    if (value < 0 || value > kMaxExtent)
      doc.wrong(*size, fmt::format("a size or stride of {}", value));
    out.push_back(value);
  }
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// The symbol that an expression is: "s0", "Symbol('s0', positive=True, integer=True)"; empty where
// it is more than that.
std::string_view symbol_in(std::string_view text) {
  constexpr std::string_view kSymbol = "Symbol('";
  if (is_name(text)) return text;
  if (!text.starts_with(kSymbol)) return {};
  const std::string_view rest = text.substr(kSymbol.size());
  const std::string_view name = rest.substr(0, rest.find('\''));
  const bool whole =
      text.ends_with(')') && rest.find('(') == rest.npos && rest.find(')') == rest.size() - 1;
  return whole && is_name(name) ? name : std::string_view();
}

}  // namespace

int64_t code_of(DType dtype) { return std::ranges::find(kDTypes, dtype, &DTypeCode::dtype)->code; }

int64_t code_of_memory_format(int64_t format) {
  return std::ranges::find(kFormats, memory_format(format)) - std::begin(kFormats) + 1;
}

std::optional<DType> find_dtype(int64_t code) {
  for (const DTypeCode& row : kDTypes)
    if (row.code == code) return row.dtype;
  return {};
}

DType dtype_of(const JsonDocument& doc, const Json& code) {
  const int64_t number = doc.as(code, Kind::Int).integer;
  if (const std::optional<DType> found = find_dtype(number)) return *found;
  for (const auto& [other, name] : kOtherDTypes)
    if (other == number) doc.wrong(code, fmt::format("tensors of {} are not supported", name));
  doc.wrong(code, fmt::format("{} is no dtype", number));
}

int64_t dtype_number_of(const JsonDocument& doc, const Json& code) {
  for (const ComplexCode& row : kComplex)
    if (row.code == doc.as(code, Kind::Int).integer) return row.aten_code;
  return row_of(dtype_of(doc, code)).aten_code;
}

int64_t layout_of(const JsonDocument& doc, const Json& code) {
  const int64_t number = doc.as(code, Kind::Int).integer;
  if (number != kStrided)
    doc.wrong(code, fmt::format("layout {} is not supported, strided is ({})", number, kStrided));
  return 0;
}

int64_t memory_format_of(const JsonDocument& doc, const Json& code) {
  const int64_t number = doc.as(code, Kind::Int).integer;
  if (number < 1 || number > std::ssize(kFormats))
    doc.wrong(code, fmt::format("{} is no memory format", number));
  return static_cast<int64_t>(kFormats[number - 1]);
}

Device device_of(const JsonDocument& doc, const Json& device) {
  std::string name = doc.text(device, "type");
  const Json* index = doc.find(device, "index");
  if (index && !index->is(Kind::Null))
    name += fmt::format(":{}", doc.as(*index, Kind::Int).integer);
  const std::optional<Device> found = find_device(name);
  if (!found) doc.wrong(device, no_device_text(name));
  return *found;
}

Extent extent_of(const JsonDocument& doc, const Json& meta) {
  Extent out;
  const Json& code = doc.need(meta, "dtype", Kind::Int);
  const auto row = std::ranges::find(kComplex, code.integer, &ComplexCode::code);
  out.complex = row != std::end(kComplex) && row->part != DType::F16;
  out.dtype = out.complex ? row->part : dtype_of(doc, code);
  layout_of(doc, doc.need(meta, "layout"));
  out.sizes = dims_of(doc, doc.need(meta, "sizes", Kind::Array));
  out.strides = dims_of(doc, doc.need(meta, "strides", Kind::Array));
  out.offset = doc.integer(doc.need(meta, "storage_offset"), "as_int");
  if (out.sizes.rank() != out.strides.rank())
    doc.wrong(meta, "a tensor has as many strides as sizes");
  int64_t count = 1;
  for (int64_t size : out.sizes)
    if (__builtin_mul_overflow(count, size, &count) || count > kMaxExtent)
      doc.wrong(meta, "a tensor that is too large");
  if (out.offset < 0 || out.offset > kMaxExtent)
    doc.wrong(meta, fmt::format("an offset of {}", out.offset));
  if (out.complex) {
    if (out.sizes.rank() == kMaxRank) doc.wrong(meta, "a complex tensor of too many dimensions");
    for (int64_t& stride : out.strides) stride *= 2;
    out.offset *= 2;
    out.sizes.push_back(2);
    out.strides.push_back(1);
  }
  return out;
}

int64_t Symbols::size_of(const JsonDocument& doc, const Json& size) {
  const Json* expression = doc.find(size, "as_expr");
  if (!expression) {
    const int64_t value = doc.integer(size, "as_int");
    if (value < 0 || value > kMaxExtent) doc.wrong(size, fmt::format("a size of {}", value));
    return value;
  }
  const std::string_view symbol = symbol_in(doc.need(*expression, "expr_str", Kind::String).text);
  if (symbol.empty()) return -1;
  constexpr int64_t kFirst = -2;
  return known_.emplace(symbol, kFirst - static_cast<int64_t>(known_.size())).first->second;
}

Type Symbols::type_of(const JsonDocument& doc, const Json& meta) {
  TensorInfo info;
  info.has_dtype = info.rank_known = true;
  info.dtype = dtype_of(doc, doc.need(meta, "dtype"));
  layout_of(doc, doc.need(meta, "layout"));
  const Json& sizes = doc.need(meta, "sizes", Kind::Array);
  if (sizes.items.size() > kMaxRank)
    doc.wrong(sizes, fmt::format("more than {} dimensions", kMaxRank));
  for (const auto& [none, size] : sizes.items) info.sizes.push_back(size_of(doc, *size));
  return Type::tensor(info);
}

}  // namespace fusillade::exported
