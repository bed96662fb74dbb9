// IValue's heap kinds and conversions.
#include "engine/ops/ivalue.h"

#include <bit>
#include <unordered_map>

#include "engine/base/text.h"
#include "engine/ops/class_type.h"
#include "engine/ops/text.h"

namespace fusillade {
namespace {

const char* tag_name(IValue::Tag tag) {
  static constexpr const char* kNames[] = {"None",   "int",  "float", "bool", "device", "str",
                                           "Tensor", "list", "tuple", "dict", "object", "enum"};
  return kNames[static_cast<int>(tag)];
}

}  // namespace

SeqBox::~SeqBox() = default;
TaskBox::~TaskBox() = default;

IValue::IValue(Tensor t) : tag_(Tag::Tensor) {
  TensorImpl* impl = t.impl();
  FUS_CHECK(impl, "an undefined tensor became a value");
  impl->retain();
  u_.p = impl;
}

IValue::IValue(const IValue& other) : tag_(other.tag_), u_(other.u_) {
  if (tag_ >= Tag::Str) u_.p->retain();
}

namespace {

// Boxes of values to be deleted. Each deletes what it alone owns, so a chain of a million objects
// would need a million frames. Past a few frames, boxes wait for the outermost one.
struct Releasing {
  static constexpr int kMostFrames = 64;
  int frames;
  std::vector<std::pair<void (*)(Counted*), Counted*>>* waiting;  // null: nothing waits
};
constinit thread_local Releasing releasing = {};

template <class Box>
void release(Box* box) {
  Releasing& now = releasing;
  if (now.frames == Releasing::kMostFrames) {
    if (!now.waiting) now.waiting = new std::vector<std::pair<void (*)(Counted*), Counted*>>;
    now.waiting->emplace_back([](Counted* p) { delete static_cast<Box*>(p); }, box);
    return;
  }
  ++now.frames;
  delete box;
  while (now.frames == 1 && now.waiting) {
    auto [destroy, next] = now.waiting->back();
    now.waiting->pop_back();
    if (now.waiting->empty()) delete std::exchange(now.waiting, nullptr);
    destroy(next);
  }
  --now.frames;
}

}  // namespace

void IValue::free_heap() {
  if (!u_.p->drop()) return;
  switch (tag_) {
    case Tag::Str:
      delete static_cast<StrBox*>(u_.p);
      break;
    case Tag::Tensor:
      delete static_cast<TensorImpl*>(u_.p);
      break;
    case Tag::Dict:
      release(static_cast<DictBox*>(u_.p));
      break;
    case Tag::Object:
      release(static_cast<ObjectBox*>(u_.p));
      break;
    case Tag::Enum:
      delete static_cast<EnumBox*>(u_.p);
      break;
    default:
      release(static_cast<SeqBox*>(u_.p));
  }
}

IValue IValue::str(std::string s) {
  auto* box = new StrBox;
  box->value = std::move(s);
  box->retain();
  IValue v;
  v.tag_ = Tag::Str;
  v.u_.p = box;
  return v;
}

IValue IValue::list(std::vector<IValue> items, const Type& element) {
  auto* box = new SeqBox;
  box->items = std::move(items);
  box->element = element;
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

IValue IValue::named_tuple(std::vector<IValue> items, Type type) {
  IValue v = list(std::move(items), std::move(type));
  v.tag_ = Tag::Tuple;
  return v;
}

IValue IValue::dict(Type key, Type value) {
  IValue v;
  v.u_.p = new DictBox(std::move(key), std::move(value));
  v.u_.p->retain();
  v.tag_ = Tag::Dict;
  return v;
}

IValue IValue::object(ClassPtr cls) {
  auto* box = new ObjectBox;
  box->slots.resize(cls->fields.size());
  box->cls = std::move(cls);
  box->retain();
  IValue v;
  v.u_.p = box;
  v.tag_ = Tag::Object;
  return v;
}

IValue IValue::enum_member(ClassPtr cls, size_t member) {
  FUS_CHECK(member < cls->members.size(), "{} has no member {}", cls->name, member);
  auto* box = new EnumBox;
  box->cls = std::move(cls);
  box->member = member;
  box->retain();
  IValue v;
  v.u_.p = box;
  v.tag_ = Tag::Enum;
  return v;
}

DictBox& IValue::as_dict() const {
  FUS_CHECK(tag_ == Tag::Dict, "expected a dict, got {}", tag_name(tag_));
  return *static_cast<DictBox*>(u_.p);
}

ObjectBox& IValue::as_object() const {
  FUS_CHECK(tag_ == Tag::Object, "expected an object, got {}", tag_name(tag_));
  return *static_cast<ObjectBox*>(u_.p);
}

const EnumBox& IValue::as_enum() const {
  FUS_CHECK(tag_ == Tag::Enum, "expected an enum member, got {}", tag_name(tag_));
  return *static_cast<const EnumBox*>(u_.p);
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

Device IValue::as_device() const {
  FUS_CHECK(tag_ == Tag::Device, "expected a device, got {}", tag_name(tag_));
  return {static_cast<DeviceType>(u_.i >> 8), static_cast<int8_t>(u_.i)};
}

const std::string& IValue::as_str() const {
  FUS_CHECK(tag_ == Tag::Str, "expected a str, got {}", tag_name(tag_));
  return static_cast<const StrBox*>(u_.p)->value;
}

const std::u32string& IValue::code_points() const {
  as_str();
  auto* box = static_cast<StrBox*>(u_.p);
  const std::u32string* known = box->points.load(std::memory_order_acquire);
  if (known) return *known;
  auto* decoded = new std::u32string(decode_utf8(box->value));
  if (box->points.compare_exchange_strong(known, decoded)) return *decoded;
  delete decoded;  // another thread was first
  return *known;
}

Tensor IValue::as_tensor() const {
  FUS_CHECK(tag_ == Tag::Tensor, "expected a Tensor, got {}", tag_name(tag_));
  return Tensor::from_impl(static_cast<TensorImpl*>(u_.p));
}

SeqBox* IValue::seq() const {
  FUS_CHECK(is_sequence(), "expected a list or tuple, got {}", tag_name(tag_));
  return static_cast<SeqBox*>(u_.p);
}

const std::vector<IValue>& IValue::items() const {
  const SeqBox* box = seq();
  if (!box->task) [[likely]]
    return box->items;
  box->task->wait();
  return box->task->results;
}

IValue IValue::task(Ref<TaskBox> task) {
  IValue out = tuple({});
  out.seq()->task = std::move(task);
  return out;
}

IValue IValue::failed_task(std::exception_ptr error) {
  struct Failed : TaskBox {
    std::exception_ptr error;
    void work() override { std::rethrow_exception(error); }
  };
  auto* failure = new Failed;
  Ref<TaskBox> task(failure);
  failure->error = std::move(error);
  failure->run();
  return IValue::task(std::move(task));
}

std::vector<IValue>& IValue::mutable_items() {
  FUS_CHECK(tag_ == Tag::List, "expected a list, got {}", tag_name(tag_));
  return seq()->items;
}

Dims IValue::as_dims() const {
  Dims out;
  for (const IValue& v : items()) out.push_back(v.as_int());
  return out;
}

namespace {

Type type_of(const TensorImpl& tensor) {
  Type type(TypeKind::Tensor);
  TensorInfo& info = type.info();
  info.has_dtype = info.rank_known = info.strides_known = true;
  info.dtype = tensor.dtype;
  info.sizes = tensor.sizes;
  info.strides = tensor.strides;
  info.device = tensor.device;
  info.requires_grad = tensor.history && tensor.history->requires_grad();
  return type;
}

}  // namespace

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
    case Tag::Device:
      return TypeKind::Device;
    case Tag::Str:
      return TypeKind::Str;
    case Tag::List:
      return Type::list(seq()->element);
    case Tag::Dict:
      return Type::dict(as_dict().key, as_dict().value);
    case Tag::Object:
      return Type::of(as_object().cls);
    case Tag::Enum:
      return Type::of(as_enum().cls);
    case Tag::Tuple: {
      if (seq()->element.class_type()) return seq()->element;
      std::vector<Type> elements;
      for (const IValue& v : items()) elements.push_back(v.type());
      return Type::tuple(std::move(elements));
    }
    case Tag::Tensor:
      break;
  }
  return type_of(*static_cast<TensorImpl*>(u_.p));
}

bool IValue::identical(const IValue& other) const {
  if (tag_ != other.tag_) return false;
  if (tag_ == Tag::None) return true;
  if (tag_ == Tag::Str) return as_str() == other.as_str();
  if (tag_ == Tag::Enum)
    return as_enum().cls == other.as_enum().cls && as_enum().member == other.as_enum().member;
  return tag_ >= Tag::Str ? u_.p == other.u_.p : u_.i == other.u_.i;
}

bool equal_values(const IValue& a, const IValue& b) {
  if (a.is_number() && b.is_number()) {
    bool real = a.is_float() || b.is_float();
    return real ? a.as_double() == b.as_double() : a.as_int() == b.as_int();
  }
  if (a.tag() != b.tag()) return false;
  if (a.is_sequence()) {
    const auto& x = a.items();
    const auto& y = b.items();
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), &equal_values);
  }
  if (a.tag() != IValue::Tag::Dict) return a.identical(b);
  const DictBox& x = a.as_dict();
  const DictBox& y = b.as_dict();
  if (x.items().size() != y.items().size()) return false;
  for (const auto& [key, value] : x.items()) {
    const IValue* other = y.find(key);
    if (!other || !equal_values(value, *other)) return false;
  }
  return true;
}

// Positions by hash of the key; rebuilt when an item goes.
struct DictBox::Index {
  std::unordered_multimap<uint64_t, size_t> at;

  static uint64_t hash(const IValue& key) {
    switch (key.tag()) {
      case IValue::Tag::Str:
        return std::hash<std::string>()(key.as_str());
      case IValue::Tag::Tensor:
        return reinterpret_cast<uintptr_t>(key.as_tensor().impl());
      case IValue::Tag::Enum:
        return key.as_enum().member;
      case IValue::Tag::Int:
      case IValue::Tag::Bool:
        return std::hash<double>()(static_cast<double>(key.as_int()));
      case IValue::Tag::Float:
        return std::hash<double>()(key.as_double());
      default:
        fail(
            "a key of a dict is a str, an int, a float, a bool, a Tensor or an enum member, given "
            "{}",
            describe(key));
    }
  }
};

DictBox::DictBox(Type k, Type v)
    : key(std::move(k)), value(std::move(v)), index_(std::make_unique<Index>()) {}
DictBox::~DictBox() = default;

const IValue* DictBox::find(const IValue& k) const {
  auto [first, last] = index_->at.equal_range(Index::hash(k));
  for (auto it = first; it != last; ++it) {
    if (equal_values(items_[it->second].first, k)) return &items_[it->second].second;
  }
  return nullptr;
}

void DictBox::set(const IValue& k, IValue v) {
  if (const IValue* old = find(k)) {
    *const_cast<IValue*>(old) = std::move(v);
    return;
  }
  index_->at.emplace(Index::hash(k), items_.size());
  items_.emplace_back(k, std::move(v));
}

bool DictBox::erase(const IValue& k) {
  auto [first, last] = index_->at.equal_range(Index::hash(k));
  for (auto it = first; it != last; ++it) {
    if (!equal_values(items_[it->second].first, k)) continue;
    items_[it->second] = {IValue(), IValue()};
    ++gone_;
    index_->at.erase(it);
    return true;
  }
  return false;
}

const std::vector<std::pair<IValue, IValue>>& DictBox::items() const {
  if (gone_ == 0) return items_;
  std::erase_if(items_, [](const auto& item) { return item.first.is_none(); });
  gone_ = 0;
  index_->at.clear();
  for (size_t i = 0; i < items_.size(); ++i) index_->at.emplace(Index::hash(items_[i].first), i);
  return items_;
}

void DictBox::clear() {
  items_.clear();
  gone_ = 0;
  index_->at.clear();
}

const std::string& EnumBox::name() const { return cls->members[member].name; }
const IValue& EnumBox::value() const { return cls->members[member].value; }

namespace {

// Control characters and quotes escaped, the rest as it is.
std::string printable(const std::string& text) {
  static constexpr std::string_view kNamed = "\nn\tt\ff\vv\rr\"\"\\\\";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    size_t at = 0;
    while (at < kNamed.size() && kNamed[at] != text[i]) at += 2;
    if (at < kNamed.size()) out += std::string("\\") + kNamed[at + 1];
    else if (c < 32 || c == 127) out += fmt::format("\\x{:02x}", c);
    else out += text[i];
  }
  return out;
}

}  // namespace

// Whoever reads it has read enough.
constexpr size_t kMostDescribed = 1'000'000;

std::string describe(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      return "None";
    case IValue::Tag::Int:
      return std::to_string(v.as_int());
    case IValue::Tag::Float:
      return python_float_text(v.as_double());
    case IValue::Tag::Bool:
      return v.as_bool() ? "True" : "False";
    case IValue::Tag::Device:
      return "\"" + to_string(v.as_device()) + "\"";
    case IValue::Tag::Str:
      return "\"" + printable(v.as_str()) + "\"";
    case IValue::Tag::Tensor:
      return describe(v.as_tensor());
    case IValue::Tag::Object:
      return v.as_object().cls->name + "(...)";
    case IValue::Tag::Enum:
      return v.as_enum().cls->name + "." + v.as_enum().name();
    case IValue::Tag::Dict: {
      std::string out = "{";
      for (const auto& [key, value] : v.as_dict().items()) {
        if (out.size() > kMostDescribed) return out + ", ...}";
        out += (out.size() > 1 ? ", " : "") + describe(key) + ": " + describe(value);
      }
      return out + "}";
    }
    default:
      break;
  }
  bool list = v.tag() == IValue::Tag::List;
  std::string out = list ? "[" : "(";
  for (size_t i = 0; i < v.items().size(); ++i) {
    if (out.size() > kMostDescribed) return out + ", ..." + (list ? "]" : ")");
    out += (i ? ", " : "") + describe(v.items()[i]);
  }
  return out + (list ? "]" : v.items().size() == 1 ? ",)" : ")");
}

}  // namespace fusillade
