// IValue's heap kinds and conversions.
#include "engine/ops/ivalue.h"

namespace fusillade {
namespace {

const char* tag_name(IValue::Tag tag) {
  static constexpr const char* kNames[] = {"None", "int",    "float", "bool",
                                           "str",  "Tensor", "list",  "tuple"};
  return kNames[static_cast<int>(tag)];
}

}  // namespace

SeqBox::~SeqBox() = default;

IValue::IValue(Tensor t) : tag_(Tag::Tensor) {
  TensorImpl* impl = t.impl();
  FUS_CHECK(impl, "an undefined tensor became a value");
  impl->retain();
  u_.p = impl;
}

IValue::IValue(const IValue& other) : tag_(other.tag_), u_(other.u_) {
  if (tag_ >= Tag::Str) u_.p->retain();
}

void IValue::free_heap() {
  if (!u_.p->drop()) return;
  switch (tag_) {
    case Tag::Str:
      delete static_cast<StrBox*>(u_.p);
      break;
    case Tag::Tensor:
      delete static_cast<TensorImpl*>(u_.p);
      break;
    default:
      delete static_cast<SeqBox*>(u_.p);
  }
}

const Counted* IValue::heap() const { return tag_ >= Tag::Str ? u_.p : nullptr; }

IValue IValue::str(std::string s) {
  auto* box = new StrBox;
  box->value = std::move(s);
  box->retain();
  IValue v;
  v.tag_ = Tag::Str;
  v.u_.p = box;
  return v;
}

IValue IValue::list(std::vector<IValue> items, Type element) {
  auto* box = new SeqBox;
  box->items = std::move(items);
  box->element = std::move(element);
  box->retain();
  IValue v;
  v.tag_ = Tag::List;
  v.u_.p = box;
  return v;
}

IValue IValue::int_list(const Dims& dims) {
  std::vector<IValue> items;
  items.reserve(static_cast<size_t>(dims.rank()));
  for (int64_t d : dims) items.emplace_back(d);
  return list(std::move(items), TypeKind::Int);
}

IValue IValue::tuple(std::vector<IValue> items) {
  IValue v = list(std::move(items), TypeKind::Any);
  v.tag_ = Tag::Tuple;
  return v;
}

int64_t IValue::as_int() const {
  if (tag_ == Tag::Float) return static_cast<int64_t>(u_.d);
  FUS_CHECK(is_number(), "expected a number, got {}", tag_name(tag_));
  return u_.i;
}

double IValue::as_double() const {
  if (tag_ == Tag::Float) return u_.d;
  FUS_CHECK(is_number(), "expected a number, got {}", tag_name(tag_));
  return static_cast<double>(u_.i);
}

bool IValue::as_bool() const {
  FUS_CHECK(tag_ == Tag::Bool, "expected a bool, got {}", tag_name(tag_));
  return u_.i != 0;
}

const std::string& IValue::as_str() const {
  FUS_CHECK(tag_ == Tag::Str, "expected a str, got {}", tag_name(tag_));
  return static_cast<const StrBox*>(u_.p)->value;
}

Tensor IValue::as_tensor() const {
  FUS_CHECK(tag_ == Tag::Tensor, "expected a Tensor, got {}", tag_name(tag_));
  return Tensor::from_impl(static_cast<TensorImpl*>(u_.p));
}

SeqBox* IValue::seq() const {
  FUS_CHECK(tag_ >= Tag::List, "expected a list or tuple, got {}", tag_name(tag_));
  return static_cast<SeqBox*>(u_.p);
}

const std::vector<IValue>& IValue::items() const { return seq()->items; }

std::vector<IValue>& IValue::mutable_items() {
  FUS_CHECK(tag_ == Tag::List, "expected a list, got {}", tag_name(tag_));
  return seq()->items;
}

Dims IValue::as_dims() const {
  Dims out;
  for (const IValue& v : items()) out.push_back(v.as_int());
  return out;
}

Type IValue::type() const {
  switch (tag_) {
    case Tag::None:
      return TypeKind::None;
    case Tag::Int:
      return TypeKind::Int;
    case Tag::Float:
      return TypeKind::Float;
    case Tag::Bool:
      return TypeKind::Bool;
    case Tag::Str:
      return TypeKind::Str;
    case Tag::List:
      return Type::list(seq()->element);
    case Tag::Tuple: {
      std::vector<Type> elements;
      for (const IValue& v : items()) elements.push_back(v.type());
      return Type::tuple(std::move(elements));
    }
    case Tag::Tensor:
      break;
  }
  auto* impl = static_cast<TensorImpl*>(u_.p);
  TensorInfo info;
  info.has_dtype = info.rank_known = info.strides_known = true;
  info.dtype = impl->dtype;
  info.sizes = impl->sizes;
  info.strides = impl->strides;
  return Type::tensor(info);
}

bool IValue::identical(const IValue& other) const {
  if (tag_ != other.tag_) return false;
  if (tag_ == Tag::None) return true;
  if (tag_ == Tag::Str) return as_str() == other.as_str();
  return tag_ >= Tag::Str ? u_.p == other.u_.p : u_.i == other.u_.i;
}

std::string describe(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      return "None";
    case IValue::Tag::Int:
      return std::to_string(v.as_int());
    case IValue::Tag::Float:
      return fmt::format("{}", v.as_double());
    case IValue::Tag::Bool:
      return v.as_bool() ? "True" : "False";
    case IValue::Tag::Str:
      return "\"" + v.as_str() + "\"";
    case IValue::Tag::Tensor:
      return describe(v.as_tensor());
    default:
      break;
  }
  bool list = v.tag() == IValue::Tag::List;
  std::string out = list ? "[" : "(";
  for (size_t i = 0; i < v.items().size(); ++i) out += (i ? ", " : "") + describe(v.items()[i]);
  return out + (list ? "]" : ")");
}

}  // namespace fusillade
