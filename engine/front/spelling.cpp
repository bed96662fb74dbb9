// See spelling.h. (law: rules name ops)
#include "engine/front/spelling.h"

#include <algorithm>
#include <cmath>

namespace fusillade::front {
namespace {

struct Spelling {
  std::string_view text;
  const char* base;
};

constexpr Spelling kAttributes[] = {{"shape", "aten::size"},
                                    {"dtype", "prim::dtype"},
                                    {"layout", "prim::layout"},
                                    {"T", "aten::numpy_T"},
                                    {"ndim", "aten::dim"},
                                    {"device", "prim::device"},
                                    {"mT", "aten::mT"},
                                    {"is_cuda", "prim::is_cuda"},
                                    {"is_cpu", "prim::is_cpu"},
                                    {"is_mps", "prim::is_mps"},
                                    {"H", "aten::matrix_H"},
                                    {"is_sparse", "prim::is_sparse"},
                                    {"is_quantized", "prim::is_quantized"},
                                    {"real", "aten::real"},
                                    {"imag", "aten::imag"},
                                    {"data", "prim::data"},
                                    {"is_leaf", "aten::is_leaf"},
                                    {"requires_grad", "prim::requires_grad"},
                                    {"grad", "prim::grad"}};

constexpr Spelling kDeviceAttributes[] = {{"type", "prim::type"}, {"index", "prim::index"}};
constexpr Spelling kEnumAttributes[] = {{"name", "prim::EnumName"}, {"value", op::kEnumValue}};

struct Builtin {
  std::string_view text;
  const char* plain;
  const char* tensor;
};
constexpr Builtin kBuiltins[] = {
    {"len", "aten::len", "aten::len"},       {"min", "prim::min", "aten::min"},
    {"max", "prim::max", "aten::max"},       {"abs", "prim::abs", "aten::abs"},
    {"round", "aten::round", "aten::round"}, {"pow", "aten::pow", "aten::pow"},
    {"sum", "aten::sum", "aten::sum"},       {"any", "aten::any", "aten::any"},
    {"all", "aten::all", "aten::all"},       {"divmod", "aten::divmod", "aten::divmod"},
    {"hex", "aten::hex", "aten::hex"},       {"oct", "aten::oct", "aten::oct"},
    {"bin", "aten::bin", "aten::bin"},       {"ord", "aten::ord", "aten::ord"},
    {"chr", "aten::chr", "aten::chr"},       {"str", "aten::str", "aten::str"},
    {"hash", "aten::hash", "aten::hash"},    {"id", "prim::id", "prim::id"}};

// Words between blanks.
constexpr std::string_view kStrMethods =
    "upper lower strip lstrip rstrip split rsplit splitlines join replace find rfind index rindex "
    "count startswith "
    "endswith isdigit isdecimal isnumeric isalpha isalnum isspace isupper islower istitle "
    "isprintable isidentifier "
    "title capitalize swapcase center ljust rjust zfill partition rpartition format expandtabs";
constexpr std::string_view kListMethods =
    "append extend insert pop remove reverse sort clear copy count index";
constexpr std::string_view kDictMethods =
    "keys values items get setdefault pop popitem update clear copy";
constexpr std::string_view kResizing = "append extend insert pop remove clear popitem";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool has_word(std::string_view text, std::string_view word) {
  std::vector<std::string> words = words_of(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view method_words(TypeKind self) {
  return self == TypeKind::Str    ? kStrMethods
         : self == TypeKind::List ? kListMethods
         : self == TypeKind::Dict ? kDictMethods
                                  : "";
}

constexpr Turned kTurned[] = {
    {"aten::add", nullptr, "aten::add"}, {"aten::sub", "aten::neg", "aten::add"},
    {"aten::mul", nullptr, "aten::mul"}, {"aten::div", "aten::reciprocal", "aten::mul"},
    {"aten::lt", nullptr, "aten::gt"},   {"aten::gt", nullptr, "aten::lt"},
    {"aten::le", nullptr, "aten::ge"},   {"aten::ge", nullptr, "aten::le"},
    {"aten::eq", nullptr, "aten::eq"},   {"aten::ne", nullptr, "aten::ne"}};

struct NamedDType {
  std::string_view text;
  DType dtype;
};
constexpr NamedDType kTorchDTypes[] = {
    {"float32", DType::F32},   {"float", DType::F32},   {"float64", DType::F64},
    {"double", DType::F64},    {"float16", DType::F16}, {"half", DType::F16},
    {"bfloat16", DType::BF16}, {"uint8", DType::U8},    {"int8", DType::I8},
    {"int16", DType::I16},     {"short", DType::I16},   {"int32", DType::I32},
    {"int", DType::I32},       {"int64", DType::I64},   {"long", DType::I64},
    {"bool", DType::Bool}};
struct NamedNumber {
  std::string_view text;
  int64_t number;
};
constexpr NamedNumber kTorchNumbers[] = {
    // dtypes of tensors within a program, as pairs (ir/complex_parts.h)
    {"cfloat", 9},
    {"complex64", 9},
    {"cdouble", 10},
    {"complex128", 10},
    // c10's layouts and memory formats
    {"strided", 0},
    {"contiguous_format", 0},
    {"preserve_format", 1},
    {"channels_last", 2},
    {"channels_last_3d", 3}};

struct NamedReal {
  std::string_view text;
  double real;
};
constexpr NamedReal kReals[] = {{"pi", M_PI},
                                {"tau", 2 * M_PI},
                                {"e", M_E},
                                {"inf", static_cast<double>(INFINITY)},
                                {"nan", static_cast<double>(NAN)}};

constexpr NamedDType kConvertingMethods[] = {
    {"float", DType::F32}, {"double", DType::F64}, {"half", DType::F16},  {"bfloat16", DType::BF16},
    {"int", DType::I32},   {"long", DType::I64},   {"short", DType::I16}, {"char", DType::I8},
    {"byte", DType::U8},   {"bool", DType::Bool}};
// Modules whose functions are ops, longest first, and what the names of the ops begin with.
struct OpModule {
  std::string_view text;
  const char* prefix;
  bool only = false;  // no op without the prefix is meant
};
constexpr OpModule kModules[] = {{"torch.nn.functional.", ""},
                                 {"torch.special.", "special_"},
                                 {"torch.linalg.", "linalg_", true},
                                 {"torch.fft.", "fft_", true},
                                 {"torch.autograd.", ""},
                                 {"torch.random.", ""},
                                 {"torch.", ""},
                                 {"math.", ""}};
// Functions whose operators have other names.
constexpr Spelling kPaths[] = {{"math.remainder", "aten::mathremainder"},
                               {"warnings.warn", "aten::warn"},
                               {"torch.initial_seed", "prim::initial_seed"},
                               {"torch.random.initial_seed", "prim::initial_seed"}};
constexpr std::string_view kNamespaces = "torch.ops.";  // torch.ops.my.scale is my::scale

template <class Row, size_t N>
const Row* lookup(const Row (&table)[N], std::string_view text) {
  for (const Row& r : table) {
    if (r.text == text) return &r;
  }
  return nullptr;
}

template <size_t N>
const char* base_of(const Spelling (&table)[N], std::string_view text) {
  const Spelling* s = lookup(table, text);
  return s ? s->base : nullptr;
}

}  // namespace

const char* tensor_attribute(std::string_view name) { return base_of(kAttributes, name); }
const char* device_attribute(std::string_view name) { return base_of(kDeviceAttributes, name); }

const char* enum_attribute(std::string_view name) { return base_of(kEnumAttributes, name); }

std::string tensor_attributes() {
  std::string out;
  for (const Spelling& a : kAttributes) out += (out.empty() ? "" : ", ") + std::string(a.text);
  return out;
}

bool is_method(TypeKind self, std::string_view name) { return has_word(method_words(self), name); }

std::vector<std::string> methods_of(TypeKind self) { return words_of(method_words(self)); }

bool resizes(std::string_view method) { return has_word(kResizing, method); }

const char* in_place_view(std::string_view method) {
  static constexpr const char* kViews[] = {"squeeze",  "unsqueeze", "transpose", "t",
                                           "swapaxes", "swapdims",  "as_strided"};
  bool in_place = method.size() > 1 && method.ends_with('_');
  for (const char* view : kViews)
    if (in_place && method.substr(0, method.size() - 1) == view) return view;
  return nullptr;
}

bool may_give_itself(std::string_view base) {
  constexpr std::string_view kGiving = " aten::contiguous aten::flatten aten::real aten::alias ";
  return has_word(kGiving, base) || (base.starts_with("prim::") && base != "prim::data");
}

std::string string_keyword(const std::string& word) {
  static constexpr Spelling kKeywords[] = {{"sep", "separator"}, {"maxsplit", "max"}};
  const char* other = base_of(kKeywords, word);
  return other ? other : word;
}

std::vector<std::string> builtin_ops(std::string_view name, bool tensor) {
  const Builtin* b = lookup(kBuiltins, name);
  if (!b) return {};
  if (tensor) return {b->tensor};
  return {b->plain, b->tensor};
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> out;
  for (const Builtin& b : kBuiltins) out.emplace_back(b.text);
  return out;
}

const char* implicit_op(const Type& from, const Type& to) {
  if (from.is(TypeKind::Str) && to.is(TypeKind::Device)) return "aten::device";
  if (from.is_tensor()) {
    if (to.is(TypeKind::Float)) return "aten::FloatImplicit";
    if (to.is(TypeKind::Int)) return "aten::IntImplicit";
    if (to.is(TypeKind::Number)) return "aten::ScalarImplicit";
  }
  if (from.is(TypeKind::Number)) {
    if (to.is(TypeKind::Float)) return "aten::Float.Scalar";
    if (to.is(TypeKind::Int)) return "prim::whole_number";
  }
  return nullptr;
}

const Turned* turned_op(std::string_view base) {
  for (const Turned& t : kTurned) {
    if (base == t.base) return &t;
  }
  return nullptr;
}

std::optional<IValue> module_constant(const std::string& path) {
  size_t dot = path.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  std::string module = path.substr(0, dot);
  std::string name = path.substr(dot + 1);
  const bool of_torch = module == "torch";
  const NamedDType* dtype = of_torch ? lookup(kTorchDTypes, name) : nullptr;
  if (dtype) return IValue(row_of(dtype->dtype).aten_code);
  if (const NamedNumber* n = of_torch ? lookup(kTorchNumbers, name) : nullptr)
    return IValue(n->number);
  const NamedReal* real = of_torch || module == "math" ? lookup(kReals, name) : nullptr;
  return real ? std::optional<IValue>(real->real) : std::nullopt;
}

std::optional<DType> converting_method(std::string_view name) {
  const NamedDType* m = lookup(kConvertingMethods, name);
  if (!m) return std::nullopt;
  return m->dtype;
}

std::string dtype_constant(DType dtype) {
  for (const NamedDType& d : kTorchDTypes) {
    if (d.dtype == dtype) return "torch." + std::string(d.text);
  }
  FUS_BUG("{} has no name in a script", name_of(dtype));
}

bool names_dtype(const std::string& path) {
  return path.starts_with("torch.") && lookup(kTorchDTypes, std::string_view(path).substr(6));
}

std::vector<std::string> dtype_texts() {
  std::vector<std::string> out;
  for (const NamedDType& d : kTorchDTypes) {
    size_t code = static_cast<size_t>(row_of(d.dtype).aten_code);
    out.resize(std::max(out.size(), code + 1));
    out[code] = dtype_constant(d.dtype);
  }
  return out;
}

std::string module_op(const std::string& path) {
  if (const char* op = base_of(kPaths, path)) return op;
  if (path.starts_with("torch.cuda.manual_seed") ||
      path.starts_with("torch.cuda.random.manual_seed"))
    return "prim::seed_device";
  if (path.rfind(kNamespaces, 0) == 0) {
    std::string name = path.substr(kNamespaces.size());
    size_t dot = name.find('.');
    if (dot == std::string::npos || name.find('.', dot + 1) != std::string::npos) return "";
    return name.replace(dot, 1, "::");
  }
  for (const OpModule& m : kModules) {
    if (path.rfind(m.text, 0) != 0) continue;
    std::string name = path.substr(m.text.size());
    if (name.find('.') != std::string::npos) return "";
    std::string own = method_op(m.prefix + name);
    return overloads(own).empty() && !m.only ? method_op(name) : own;
  }
  return "";
}

std::string method_op(const std::string& name) { return "aten::" + name; }

std::vector<std::string> op_names() {
  std::vector<std::string> out;
  for (const Operator& r : OperatorTable::instance()) {
    if (r.schema.name.rfind("aten::", 0) == 0) out.push_back(r.schema.name.substr(6));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace fusillade::front
