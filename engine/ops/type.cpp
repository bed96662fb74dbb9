// Types: text, subtyping, joins. The text form is TorchScript's; tensor types print as
// "Float(4, 5, strides=[5, 1], requires_grad=0, device=cpu)", which torch._C.parse_ir reads, with
// what is unknown left out. Where the rank is unknown it prints "FloatTensor(device=cpu)", which
// only this parser reads.
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "engine/base/text.h"
#include "engine/ops/class_type.h"

namespace fusillade {
namespace {

struct ScalarName {
  const char* name;
  TypeKind kind;
};
constexpr ScalarName kScalarNames[] = {
    {"NoneType", TypeKind::None},    {"int", TypeKind::Int},           {"float", TypeKind::Float},
    {"bool", TypeKind::Bool},        {"str", TypeKind::Str},           {"Scalar", TypeKind::Number},
    {"Device", TypeKind::Device},    {"Any", TypeKind::Any},           {"Tensor", TypeKind::Tensor},
    {"AnyEnumType", TypeKind::Enum}, {"AnyClassType", TypeKind::Class}};

std::string size_text(int64_t size) {
  return size == -1 ? "*" : size < 0 ? fmt::format("SS({})", size) : std::to_string(size);
}

// What is in the brackets after the dtype.
std::vector<std::string> parts_of(const TensorInfo& t) {
  std::vector<std::string> parts;
  for (int64_t size : t.sizes) parts.push_back(size_text(size));
  std::vector<std::string> strides;
  for (int64_t stride : t.strides) strides.push_back(stride < 0 ? "*" : std::to_string(stride));
  if (t.strides_known) parts.push_back("strides=[" + join(strides, ", ") + "]");
  if (t.requires_grad) parts.push_back(*t.requires_grad ? "requires_grad=1" : "requires_grad=0");
  if (t.device) parts.push_back("device=" + to_string(*t.device));
  return parts;
}

std::string tensor_text(const TensorInfo& t) {
  std::string out = t.has_dtype ? row_of(t.dtype).title : "";
  if (!t.has_dtype || !t.rank_known) out += "Tensor";
  std::vector<std::string> parts = parts_of(t);
  // "Tensor(device=cpu)" would be of unknown rank.
  bool rank_unknown = !t.has_dtype && t.rank_known && t.sizes.empty() && !t.strides_known;
  if (rank_unknown) parts.insert(parts.begin(), "sizes=[]");
  if (parts.empty() && !t.rank_known) return out;
  return out + "(" + join(parts, ", ") + ")";
}

class TypeParser {
 public:
  TypeParser(const std::string& text, const ClassTable* classes) : text_(text), classes_(classes) {}

  Type all() {
    Type t = type(0);
    skip();
    if (at_ != text_.size()) wrong("the end of the type");
    return t;
  }

 private:
  static constexpr int kMaxDepth = Type::kMaxDepth;
  static constexpr size_t kMostShown = 200;  // characters of a text that is wrong

  [[noreturn]] void wrong(const char* wanted) {
    const bool whole = text_.size() <= kMostShown;
    fail("type '{}{}', column {}: expected {}", text_.substr(0, kMostShown), whole ? "" : "...",
         at_ + 1, wanted);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(const char* word) {
    skip();
    size_t n = std::char_traits<char>::length(word);
    if (text_.compare(at_, n, word) != 0) return false;
    at_ += n;
    return true;
  }
  std::string identifier() {
    skip();
    size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }
  int64_t integer() {
    skip();
    size_t start = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (start == at_ || at_ - start > 18) wrong("a number");
    return std::atoll(text_.substr(start, at_ - start).c_str());
  }

  Type type(int depth) {
    if (depth > kMaxDepth) wrong("fewer nested types");
    Type t = base(depth);
    for (int outer = depth;; ++outer) {
      if (outer > kMaxDepth) wrong("fewer nested types");
      if (eat("[]")) {
        t = Type::list(t);
      } else if (eat("?")) {
        t = Type::optional(t);
      } else {
        return t;
      }
    }
  }

  Type base(int depth) {
    if (eat("(")) return tuple_rest(depth, ')');
    size_t start = at_;
    std::string name = identifier();
    if (name == "List" && eat("[")) return container_rest(depth, true);
    if (name == "Optional" && eat("[")) return container_rest(depth, false);
    if (name == "Tuple" && eat("[")) return tuple_rest(depth, ']');
    if (name == "Union" && eat("(")) return union_rest(depth, ')');
    if (name == "Union" && eat("[")) return union_rest(depth, ']');
    if (name == "Dict" && eat("(")) return dict_rest(depth, ')');
    if (name == "Dict" && eat("[")) return dict_rest(depth, ']');
    if (name == "Enum" && eat("<")) {
      name = identifier();
      if (!eat(">")) wrong("'>'");
    }
    if (ClassPtr cls = classes_ ? classes_->find(name) : nullptr) return Type::of(std::move(cls));
    if (name == "Tensor") return Type::tensor(parse_brackets({}, true));
    for (const ScalarName& s : kScalarNames) {
      if (name == s.name) return Type(s.kind);
    }
    if (name == "None") return TypeKind::None;
    if (name == "number" || name == "Number") return TypeKind::Number;
    at_ = start;
    return tensor(name);
  }

  Type container_rest(int depth, bool list) {
    Type inner = type(depth + 1);
    if (!eat("]")) wrong("']'");
    return list ? Type::list(inner) : Type::optional(inner);
  }

  Type tuple_rest(int depth, char close) {
    std::vector<Type> elements;
    const char stop[2] = {close, 0};
    if (eat(stop)) return Type::tuple({});
    for (;;) {
      elements.push_back(type(depth + 1));
      if (eat(stop)) return Type::tuple(std::move(elements));
      if (!eat(",")) wrong(close == ')' ? "',' or ')'" : "',' or ']'");
    }
  }

  Type union_rest(int depth, char close) {
    std::vector<Type> options = tuple_rest(depth, close).elements();
    if (options.empty()) wrong("a Union of some types");
    return Type::union_of(options);
  }

  Type dict_rest(int depth, char close) {
    std::vector<Type> kv = tuple_rest(depth, close).elements();
    if (kv.size() != 2) wrong("Dict(key, value)");
    return Type::dict(kv[0], kv[1]);
  }

  Type tensor(std::string name) {
    TensorInfo info;
    info.has_dtype = true;
    bool ranked = true;
    if (name.size() > 6 && name.compare(name.size() - 6, 6, "Tensor") == 0) {
      name.resize(name.size() - 6);
      ranked = false;
    }
    bool known = false;
    for (int d = 0; d < kNumDTypes; ++d) {
      if (name != row_of(static_cast<DType>(d)).title) continue;
      info.dtype = static_cast<DType>(d);
      known = true;
    }
    if (!known) {
      wrong(
          "a type: Tensor, Float(2, 3), int, float, bool, str, Scalar, NoneType, Any, Device, "
          "T[], T?, (T, T), Dict(K, V), Union(T, T), the name of a class");
    }
    identifier();
    return Type::tensor(parse_brackets(info, !ranked));
  }

  // What the brackets say, if there are any; "FloatTensor(" and "Tensor(" may leave the rank open.
  TensorInfo parse_brackets(TensorInfo info, bool unranked) {
    if (!eat("(")) return info;
    info.rank_known = !unranked;
    if (eat(")")) return info;
    do part(info);
    while (eat(","));
    if (!eat(")")) wrong("',' or ')'");
    if (unranked && info.has_dtype && info.rank_known) wrong("no sizes behind 'Tensor'");
    if (info.strides_known && info.strides.rank() != info.sizes.rank())
      wrong("one stride per size");
    return info;
  }

  void part(TensorInfo& info) {
    if (eat("strides=[")) {
      if (info.strides_known) wrong("strides once");
      info.strides_known = info.rank_known = true;
      if (eat("]")) return;
      do info.strides.push_back(size());
      while (eat(","));
      if (!eat("]")) wrong("']'");
    } else if (eat("requires_grad=")) {
      if (info.requires_grad) wrong("requires_grad once");
      bool on = eat("1");
      if (!on && !eat("0")) wrong("0 or 1");
      info.requires_grad = on;
    } else if (eat("device=")) {
      if (info.device) wrong("device once");
      info.device = device();
    } else if (eat("sizes=[]")) {
      info.rank_known = true;
    } else {
      info.sizes.push_back(size());
      info.rank_known = true;
    }
  }

  int64_t size() {
    if (eat("*")) return -1;
    if (!eat("SS(")) return integer();
    if (!eat("-")) wrong("a symbol, as in SS(-2)");
    const int64_t number = integer();
    if (number < 2 || !eat(")")) wrong("a symbol, as in SS(-2)");
    return -number;
  }

  Device device() {
    size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') ++at_;
    const std::string name = text_.substr(start, at_ - start);
    std::optional<Device> found = find_device(name);
    if (found) return *found;
    at_ = start;
    wrong(("a device, but " + no_device_text(name)).c_str());
  }

  const std::string& text_;
  const ClassTable* classes_;
  size_t at_ = 0;
};

void flatten(const Type& t, std::vector<Type>& out) {
  if (t.is(TypeKind::Union)) {
    for (const Type& e : t.elements()) flatten(e, out);
  } else if (t.is(TypeKind::Optional)) {
    out.emplace_back(TypeKind::None);
    flatten(t.element(), out);
  } else {
    out.push_back(t);
  }
}

bool tensor_subtype(const TensorInfo& a, const TensorInfo& b) {
  if (b.has_dtype && (!a.has_dtype || a.dtype != b.dtype)) return false;
  if (b.device && a.device != b.device) return false;
  if (b.requires_grad && a.requires_grad != b.requires_grad) return false;
  if (!b.rank_known) return true;
  if (!a.rank_known || a.sizes.rank() != b.sizes.rank()) return false;
  for (int d = 0; d < b.sizes.rank(); ++d) {
    if (b.sizes[d] != -1 && a.sizes[d] != b.sizes[d]) return false;
  }
  return !b.strides_known || (a.strides_known && a.strides == b.strides);
}

TensorInfo join(const TensorInfo& a, const TensorInfo& b) {
  TensorInfo out;
  if (a.has_dtype && b.has_dtype && a.dtype == b.dtype) {
    out.has_dtype = true;
    out.dtype = a.dtype;
  }
  if (a.device == b.device) out.device = a.device;
  if (a.requires_grad == b.requires_grad) out.requires_grad = a.requires_grad;
  if (!a.rank_known || !b.rank_known || a.sizes.rank() != b.sizes.rank()) return out;
  out.rank_known = true;
  bool same = true;
  for (int d = 0; d < a.sizes.rank(); ++d) {
    bool agree = a.sizes[d] == b.sizes[d];
    out.sizes.push_back(agree ? a.sizes[d] : -1);
    same = same && agree;
  }
  if (same && a.strides_known && b.strides_known && a.strides == b.strides) {
    out.strides_known = true;
    out.strides = a.strides;
  }
  return out;
}

}  // namespace

bool TensorInfo::complete() const {
  if (!has_dtype || !rank_known || !strides_known) return false;
  for (int64_t s : sizes) {
    if (s < 0) return false;
  }
  for (int64_t s : strides) {
    if (s < 0) return false;
  }
  return true;
}

Type Type::tensor(const TensorInfo& info) {
  Type t(TypeKind::Tensor);
  t.info_ = info;
  return t;
}

Type Type::tensor(DType dtype, const Dims& sizes) {
  TensorInfo info;
  info.has_dtype = info.rank_known = true;
  info.dtype = dtype;
  info.sizes = sizes;
  info.strides_known = std::all_of(sizes.begin(), sizes.end(), [](int64_t s) { return s >= 0; });
  if (info.strides_known) info.strides = contiguous_strides(sizes);
  return tensor(info);
}

Type Type::of_parts(TypeKind kind, std::vector<Type> elements, ClassPtr cls) {
  int depth = 1;
  for (const Type& e : elements)
    if (e.parts_) depth = std::max(depth, e.parts_->depth + 1);
  if (depth > kMaxDepth) fail("a type nests deeper than {}", kMaxDepth);
  size_t size = 1;
  for (const Type& e : elements) size += e.parts_ ? e.parts_->size : 1;
  if (size > kMaxParts) fail("a type of more than {} parts", kMaxParts);
  Type t(kind);
  t.parts_ =
      std::make_shared<const Parts>(Parts{std::move(elements), std::move(cls), {}, depth, size});
  return t;
}

const ClassPtr& Type::class_type() const {
  static const ClassPtr none;
  return parts_ ? parts_->cls : none;
}

Type Type::list(Type element) {
  const TensorInfo& info = element.info_;
  bool has_info = info.has_dtype || info.rank_known || info.device || info.requires_grad;
  if (element.parts_ || has_info) return of_parts(TypeKind::List, {std::move(element)});
  // The types of lists of scalars, and of tensors of any shape, are needed all the time.
  static const std::vector<Type> all = [] {
    std::vector<Type> out;
    for (int k = 0; k <= static_cast<int>(TypeKind::Enum); ++k)
      out.push_back(of_parts(TypeKind::List, {static_cast<TypeKind>(k)}));
    return out;
  }();
  return all[static_cast<size_t>(element.kind_)];
}

Type Type::optional(Type element) {
  if (element.is(TypeKind::Optional) || element.is(TypeKind::None)) return element;
  if (element.is(TypeKind::Union)) return union_of({TypeKind::None, element});
  return of_parts(TypeKind::Optional, {std::move(element)});
}

Type Type::tuple(std::vector<Type> elements) {
  return of_parts(TypeKind::Tuple, std::move(elements));
}

Type Type::var(std::string name) {
  Type t(TypeKind::Var);
  t.parts_ = std::make_shared<const Parts>(Parts{{}, nullptr, std::move(name), 1, 1});
  return t;
}

Type Type::dict(Type key, Type value) {
  return of_parts(TypeKind::Dict, {std::move(key), std::move(value)});
}

Type Type::union_of(const std::vector<Type>& options) {
  std::vector<Type> flat;
  for (const Type& o : options) flatten(o, flat);
  std::vector<Type> kept;
  for (const Type& o : flat) {
    bool covered = false;
    for (const Type& other : flat) covered = covered || (!(other == o) && o.subtype_of(other));
    if (!covered && std::find(kept.begin(), kept.end(), o) == kept.end()) kept.push_back(o);
  }
  std::sort(kept.begin(), kept.end(),
            [](const Type& a, const Type& b) { return a.text() < b.text(); });
  if (kept.size() == 1) return kept[0];
  bool none = kept.size() == 2 && (kept[0].is(TypeKind::None) || kept[1].is(TypeKind::None));
  if (none) return optional(kept[kept[0].is(TypeKind::None) ? 1 : 0]);
  return of_parts(TypeKind::Union, std::move(kept));
}

Type Type::of(ClassPtr cls) {
  if (cls->kind == ClassType::Kind::NamedTuple) {
    std::vector<Type> items;
    for (const Field& f : cls->fields) items.push_back(f.type);
    return of_parts(TypeKind::Tuple, std::move(items), std::move(cls));
  }
  const bool is_enum = cls->kind == ClassType::Kind::Enum;
  return of_parts(is_enum ? TypeKind::Enum : TypeKind::Class, {}, std::move(cls));
}

std::string Type::text() const {
  if (const ClassPtr& cls = class_type())
    return kind_ == TypeKind::Enum ? "Enum<" + cls->name + ">" : cls->name;
  switch (kind_) {
    case TypeKind::Tensor:
      return tensor_text(info_);
    case TypeKind::List:
      return element().text() + "[]";
    case TypeKind::Optional:
      return element().text() + "?";
    case TypeKind::Var:
      return parts_->name;
    case TypeKind::Dict:
      return "Dict(" + key().text() + ", " + value_type().text() + ")";
    case TypeKind::Union:
    case TypeKind::Tuple: {
      std::string out = kind_ == TypeKind::Union ? "Union(" : "(";
      for (size_t i = 0; i < elements().size(); ++i) out += (i ? ", " : "") + elements()[i].text();
      return out + ")";
    }
    default:
      break;
  }
  for (const ScalarName& s : kScalarNames) {
    if (s.kind == kind_) return s.name;
  }
  FUS_BUG("type kind {} has no name", static_cast<int>(kind_));
}

bool Type::subtype_of(const Type& wider) const {
  if (wider.kind_ == TypeKind::Any || wider.kind_ == TypeKind::Var) return true;
  if (kind_ == TypeKind::Union || wider.kind_ == TypeKind::Union) {
    std::vector<Type> mine, theirs;
    flatten(*this, mine);
    flatten(wider, theirs);
    return std::all_of(mine.begin(), mine.end(), [&](const Type& m) {
      return std::any_of(theirs.begin(), theirs.end(),
                         [&](const Type& t) { return m.subtype_of(t); });
    });
  }
  if (wider.kind_ == TypeKind::Optional) {
    if (kind_ == TypeKind::None) return true;
    return (kind_ == TypeKind::Optional ? element() : *this).subtype_of(wider.element());
  }
  if (wider.kind_ == TypeKind::Number) {
    return kind_ == TypeKind::Number || kind_ == TypeKind::Int || kind_ == TypeKind::Float ||
           kind_ == TypeKind::Bool;
  }
  if (kind_ != wider.kind_) return false;
  if (kind_ == TypeKind::Tensor) return tensor_subtype(info_, wider.info_);
  if (kind_ == TypeKind::List) {
    return element().without_shapes() == wider.element().without_shapes() ||
           wider.element().is(TypeKind::Var) || wider.element().is(TypeKind::Any);
  }
  if (kind_ == TypeKind::Dict) return without_shapes() == wider.without_shapes();
  if (kind_ == TypeKind::Class || kind_ == TypeKind::Enum)
    return !wider.class_type() || class_type() == wider.class_type();
  if (kind_ == TypeKind::Tuple) {
    if (wider.class_type() && class_type() != wider.class_type()) return false;
    if (elements().size() != wider.elements().size()) return false;
    for (size_t i = 0; i < elements().size(); ++i) {
      if (!elements()[i].subtype_of(wider.elements()[i])) return false;
    }
  }
  return true;
}

Type Type::without_shapes() const {
  if (kind_ == TypeKind::Tensor) return TypeKind::Tensor;
  if (!parts_) return *this;
  auto plain = [](const Type& e) {
    return (!e.parts_ || e.parts_->elements.empty()) && (!e.is_tensor() || e.info_ == TensorInfo());
  };
  if (std::all_of(elements().begin(), elements().end(), plain)) return *this;
  std::vector<Type> bare;
  for (const Type& e : elements()) bare.push_back(e.without_shapes());
  return of_parts(kind_, std::move(bare), class_type());
}

Type Type::without_symbols() const {
  Type t = *this;
  for (int64_t& size : t.info_.sizes) size = std::max<int64_t>(size, -1);
  if (!parts_) return t;
  std::vector<Type> without;
  for (const Type& e : elements()) without.push_back(e.without_symbols());
  return without == elements() ? t : of_parts(kind_, std::move(without), class_type());
}

bool Type::operator==(const Type& other) const {
  if (kind_ != other.kind_) return false;
  if (kind_ == TypeKind::Tensor) return info_ == other.info_;
  if (parts_ == other.parts_) return true;
  if (!parts_ || !other.parts_) return false;
  return parts_->cls == other.parts_->cls && parts_->name == other.parts_->name &&
         parts_->elements == other.parts_->elements;
}

Type unify(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.is_tensor() && b.is_tensor()) return Type::tensor(join(a.info(), b.info()));
  if (a.is(TypeKind::None) && b.is(TypeKind::None)) return a;
  if (a.is(TypeKind::None)) return Type::optional(b);
  if (b.is(TypeKind::None)) return Type::optional(a);
  if (a.is(TypeKind::Optional) || b.is(TypeKind::Optional)) {
    Type inner = unify(a.is(TypeKind::Optional) ? a.element() : a,
                       b.is(TypeKind::Optional) ? b.element() : b);
    return inner.is(TypeKind::Any) ? inner : Type::optional(inner);
  }
  bool containers = (a.is(TypeKind::List) && b.is(TypeKind::List)) ||
                    (a.is(TypeKind::Dict) && b.is(TypeKind::Dict));
  if (containers && a.without_shapes() == b.without_shapes()) return a.without_shapes();
  if (a.is(TypeKind::Tuple) && b.is(TypeKind::Tuple) &&
      a.elements().size() == b.elements().size()) {
    std::vector<Type> elements;
    for (size_t i = 0; i < a.elements().size(); ++i) {
      elements.push_back(unify(a.elements()[i], b.elements()[i]));
      if (elements.back().is(TypeKind::Any)) return TypeKind::Any;
    }
    return Type::tuple(std::move(elements));
  }
  return a.subtype_of(b) ? b : b.subtype_of(a) ? a : Type(TypeKind::Any);
}

Type parse_type(const std::string& text, const ClassTable* classes) {
  return TypeParser(text, classes).all();
}

}  // namespace fusillade
