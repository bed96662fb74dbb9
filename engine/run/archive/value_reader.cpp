// Pickles to values: every call a pickle asks for is one of a closed list; see values.h.
#include <cmath>
#include <cstring>

#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/interfaces.h"
#include "engine/run/archive/values.h"
#include "engine/tensor/device_access.h"
#include "engine/tensor/transfer.h"

namespace fusillade::archive {

using Kind = Pickled::Kind;
using Tag = IValue::Tag;

namespace {

constexpr int64_t kMaxElements = int64_t{1} << 40;

const Type& unwrap_optional(const Type& type) {
  return type.is(TypeKind::Optional) ? type.element() : type;
}

// Of a Union the first option that the tuple, list or dict may be.
const Type& resolve_union(const Pickled& node, const Type& declared) {
  if (!declared.is(TypeKind::Union)) return unwrap_optional(declared);
  for (const Type& t : declared.elements()) {
    bool tuple =
        node.is(Kind::Tuple) && t.is(TypeKind::Tuple) && t.elements().size() == node.items.size();
    if (tuple || (node.is(Kind::List) && t.is(TypeKind::List)) ||
        (node.is(Kind::Dict) && t.is(TypeKind::Dict)))
      return t;
  }
  return declared;
}

// The text that a type's value has in a pickle, for messages.
std::string_view kind_name(const Pickled& node) {
  constexpr std::string_view kNames[] = {"None",   "a bool",  "an int",    "a float",
                                         "a str",  "a tuple", "a list",    "a dict",
                                         "a name", "a call",  "an object", "a storage"};
  return kNames[static_cast<size_t>(node.kind)];
}

// Is a value of this type one where `declared` is wanted?
bool fits(const Type& actual, const Type& declared) {
  if (declared.is(TypeKind::Any) || actual.without_shapes().subtype_of(declared)) return true;
  const Type& wanted = unwrap_optional(declared);
  if (actual.is(TypeKind::Tuple) && wanted.is(TypeKind::Tuple) &&
      actual.class_type() == wanted.class_type()) {
    if (actual.elements().size() != wanted.elements().size()) return false;
    for (size_t i = 0; i < actual.elements().size(); ++i)
      if (!fits(actual.elements()[i], wanted.elements()[i])) return false;
    return true;
  }
  return false;
}

struct StorageKind {
  DType dtype;
  bool complex;  // pairs of it
};

StorageKind storage_kind(const std::string& global) {
  constexpr std::string_view kModule = "torch ";
  constexpr std::string_view kEnd = "Storage";
  bool named = global.rfind(kModule, 0) == 0 && global.size() > kModule.size() + kEnd.size() &&
               global.compare(global.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  if (!named) fail("'{}' is no type of storage", global);
  const std::string name =
      global.substr(kModule.size(), global.size() - kModule.size() - kEnd.size());
  constexpr std::string_view kComplex = "Complex";
  const bool complex = name == "ComplexFloat" || name == "ComplexDouble";
  return {dtype_from_name(complex ? name.substr(kComplex.size()) : name), complex};
}

}  // namespace

IValue ValueReader::value(const Pickled& node, const Type& declared) {
  bool shared = node.is(Kind::Call) || node.is(Kind::Object) || node.is(Kind::List) ||
                node.is(Kind::Dict) || node.is(Kind::Tuple);
  if (!shared) return plain(node, declared);
  auto known = seen_.find(&node);
  if (known == seen_.end()) known = seen_.emplace(&node, fresh(node, declared)).first;
  const IValue& v = known->second;
  if (!fits(v.type(), declared))
    pickle_.wrong(node, fmt::format("a {} stands where {} is declared", v.type(), declared));
  return v;
}

IValue ValueReader::plain(const Pickled& node, const Type& declared) {
  IValue v;
  if (node.is(Kind::Bool)) v = IValue(node.integer != 0);
  else if (node.is(Kind::Int)) v = IValue(node.integer);
  else if (node.is(Kind::Float)) v = IValue(node.real);
  else if (node.is(Kind::Str)) v = IValue::str(node.text);
  else if (!node.is(Kind::None))
    pickle_.wrong(node, fmt::format("{} is no value", kind_name(node)));
  if (!fits(v.type(), declared))
    pickle_.wrong(node, fmt::format("{} stands where {} is declared", kind_name(node), declared));
  return v;
}

IValue ValueReader::fresh(const Pickled& node, const Type& declared) {
  const Type& type = resolve_union(node, declared);
  switch (node.kind) {
    case Kind::Call:
      return call(node, type);
    case Kind::Object:
      return object(node);
    case Kind::Tuple:
      return tuple(node, type);
    case Kind::List:
      return list(node, type);
    default:
      return dict(node, type);
  }
}

IValue ValueReader::tuple(const Pickled& node, const Type& type) {
  bool typed = type.is(TypeKind::Tuple);
  if (typed && type.elements().size() != node.items.size())
    pickle_.wrong(
        node, fmt::format("a tuple of {} stands where {} is declared", node.items.size(), type));
  std::vector<IValue> items;
  for (size_t i = 0; i < node.items.size(); ++i)
    items.push_back(value(*node.items[i], typed ? type.elements()[i] : Type(TypeKind::Any)));
  if (typed && type.class_type()) return IValue::named_tuple(std::move(items), type);
  return IValue::tuple(std::move(items));
}

IValue ValueReader::list(const Pickled& node, const Type& type) {
  if (!type.is(TypeKind::List))
    pickle_.wrong(node, fmt::format("a list stands where {} is declared", type));
  std::vector<IValue> items;
  for (const Pickled* kid : node.items) items.push_back(value(*kid, type.element()));
  return IValue::list(std::move(items), type.element());
}

IValue ValueReader::dict(const Pickled& node, const Type& type) {
  if (!type.is(TypeKind::Dict))
    pickle_.wrong(node, fmt::format("a dict stands where {} is declared", type));
  IValue out = IValue::dict(type.key(), type.value_type());
  for (size_t i = 0; i < node.items.size(); i += 2) {
    IValue key = value(*node.items[i], type.key());
    bool legal =
        key.is_number() || key.is_tensor() || key.tag() == Tag::Str || key.tag() == Tag::Enum;
    if (!legal || (key.is_float() && std::isnan(key.as_double())))
      pickle_.wrong(*node.items[i], fmt::format("{} is no key of a dict", describe(key)));
    out.as_dict().set(key, value(*node.items[i + 1], type.value_type()));
  }
  return out;
}

const Pickled& ValueReader::item(const Pickled& node, size_t i, Kind kind) {
  if (i >= node.items.size()) pickle_.wrong(node, "an argument is missing");
  if (!node.items[i]->is(kind))
    pickle_.wrong(node, fmt::format("argument {} is {}", i, kind_name(*node.items[i])));
  return *node.items[i];
}

IValue ValueReader::call(const Pickled& node, const Type& type) {
  const std::string& callee = node.items[0]->text;
  if (callee.rfind("__torch__", 0) == 0) {
    ClassPtr cls = class_of(*node.items[0]);
    if (cls->kind != ClassType::Kind::Enum)
      pickle_.wrong(node, fmt::format("'{}' is called", cls->name));
    return enum_member(*node.items[1], cls);
  }
  const Pickled& args = item(node, 1, Kind::Tuple);
  if (callee == "torch._utils _rebuild_tensor_v2") return tensor(args);
  if (callee == "torch device") {
    const std::string& name = item(args, 0, Kind::Str).text;
    std::optional<Device> device = find_device(name);
    if (!device) pickle_.wrong(node, no_device_text(name));
    return *device;
  }
  if (callee == "torch.jit._pickle restore_type_tag") {
    if (args.items.size() != 2) pickle_.wrong(node, "a value and its type are expected");
    return value(*args.items[0], type_of_text(item(args, 1, Kind::Str).text, classes_));
  }
  struct Builder {
    std::string_view name;
    TypeKind element;
  };
  constexpr Builder kBuilders[] = {{"torch.jit._pickle build_intlist", TypeKind::Int},
                                   {"torch.jit._pickle build_doublelist", TypeKind::Float},
                                   {"torch.jit._pickle build_boollist", TypeKind::Bool},
                                   {"torch.jit._pickle build_tensorlist", TypeKind::Tensor}};
  for (const Builder& b : kBuilders)
    if (callee == b.name) return list(item(args, 0, Kind::List), Type::list(b.element));
  pickle_.wrong(
      node,
      fmt::format(
          "'{}' is called; legal are the functions that TorchScript's archives call (type {})",
          callee, annotation_text(type)));
}

ClassPtr ValueReader::class_of(const Pickled& global) {
  std::string name = class_name(global);
  if (name.rfind("__torch__.", 0) != 0)
    pickle_.wrong(global, fmt::format("'{}' is no class of the archive", name));
  return classes_.resolve_class(name);
}

IValue ValueReader::enum_member(const Pickled& node, const ClassPtr& cls) {
  IValue wanted = value(node, cls->value_type);
  for (size_t i = 0; i < cls->members.size(); ++i)
    if (equal_values(cls->members[i].value, wanted)) return IValue::enum_member(cls, i);
  pickle_.wrong(node, fmt::format("'{}' has no member of value {}", cls->name, describe(wanted)));
}

IValue ValueReader::object(const Pickled& node) {
  ClassPtr cls = class_of(*node.items[0]);
  bool legal = cls->kind == ClassType::Kind::Object || cls->kind == ClassType::Kind::Module;
  if (!legal) pickle_.wrong(node, fmt::format("'{}' has no objects", cls->name));
  const Pickled& state = item(node, 1, Kind::Dict);
  IValue out = IValue::object(cls);
  std::vector<bool> given(cls->fields.size(), false);
  for (size_t i = 0; i < state.items.size(); i += 2) {
    const Pickled& key = item(state, i, Kind::Str);
    int slot = cls->slot(key.text);
    if (slot < 0)
      pickle_.wrong(key, fmt::format("'{}' has no attribute '{}'", cls->name, key.text));
    size_t at = static_cast<size_t>(slot);
    out.as_object().slots[at] = value(*state.items[i + 1], cls->fields[at].type);
    given[at] = true;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i] && !fits(TypeKind::None, cls->fields[i].type))
      pickle_.wrong(node,
                    fmt::format("an object of '{}' lacks '{}'", cls->name, cls->fields[i].name));
  }
  return out;
}

Dims ValueReader::dims(const Pickled& node) {
  Dims out;
  for (size_t i = 0; i < node.items.size(); ++i) {
    int64_t d = item(node, i, Kind::Int).integer;
    if (d < 0 || d > kMaxElements) pickle_.wrong(node, fmt::format("a size or stride of {}", d));
    out.push_back(d);
  }
  return out;
}

IValue ValueReader::tensor(const Pickled& args) {
  if (args.items.size() < 4)
    pickle_.wrong(args, "a tensor needs a storage, an offset, sizes and strides");
  const Pickled& stored = item(args, 0, Kind::Persistent);
  Tensor base = storage(stored);
  const bool complex =
      storage_kind(item(item(stored, 0, Kind::Tuple), 1, Kind::Global).text).complex;
  int64_t offset = item(args, 1, Kind::Int).integer;
  Dims sizes = dims(item(args, 2, Kind::Tuple));
  Dims strides = dims(item(args, 3, Kind::Tuple));
  if (sizes.rank() != strides.rank()) pickle_.wrong(args, "a tensor has as many strides as sizes");
  int64_t count = 1;
  for (int64_t s : sizes) {
    if (__builtin_mul_overflow(count, s, &count) || count > kMaxElements)
      pickle_.wrong(args, fmt::format("a tensor of sizes {} is too large", to_string(sizes)));
  }
  if (complex) {  // the last dim holds the parts
    if (offset < 0 || offset > kMaxElements || sizes.rank() == kMaxRank)
      pickle_.wrong(args,
                    fmt::format("a complex tensor of sizes {} at {}", to_string(sizes), offset));
    for (int64_t& stride : strides) stride *= 2;
    offset *= 2;
    sizes.push_back(2);
    strides.push_back(1);
  }
  try {
    const Tensor out = Tensor::view_of(base, offset, sizes, strides);
    if (complex) complex_.insert(out.impl());
    return out;
  } catch (const Error& e) {
    pickle_.wrong(args, e.what());
  }
}

Tensor ValueReader::storage(const Pickled& node) {
  const Pickled& id = item(node, 0, Kind::Tuple);
  if (id.items.size() != 5 || item(id, 0, Kind::Str).text != "storage")
    pickle_.wrong(node, "not the id of a storage");
  const auto [dtype, complex] = storage_kind(item(id, 1, Kind::Global).text);
  const std::string& key = item(id, 2, Kind::Str).text;
  const std::string& device = item(id, 3, Kind::Str).text;
  const std::optional<Device> place = find_device(device);
  if (!place || !why_no_device(*place).empty())
    pickle_.wrong(node, fmt::format("a tensor lies on device '{}' (legal: {}){}", device,
                                    registered_devices(),
                                    place ? "; " + why_no_device(*place) : std::string()));
  auto known = storages_.find(key);
  if (known != storages_.end()) {
    if (known->second.dtype() == dtype) return known->second;
    pickle_.wrong(node, fmt::format("the storage '{}' is used as {} and as {}", key,
                                    name_of(known->second.dtype()), name_of(dtype)));
  }
  std::string_view bytes = source_(key);
  int64_t count = item(id, 4, Kind::Int).integer;
  if (complex && (count > kMaxElements || __builtin_mul_overflow(count, 2, &count))) count = -1;
  size_t size = size_of(dtype);
  if (count < 0 || bytes.size() % size || static_cast<uint64_t>(count) != bytes.size() / size)
    pickle_.wrong(node, fmt::format("the storage '{}' has {} bytes, not {} {} values", key,
                                    bytes.size(), count, name_of(dtype)));
  Tensor out = Tensor::empty({count}, dtype);
  if (!bytes.empty()) std::memcpy(out.raw(), bytes.data(), bytes.size());
  if (dtype == DType::Bool)
    for (int64_t i = 0; i < count; ++i) out.raw()[i] = out.raw()[i] != 0;
  if (placed_on(*place) != Device()) out = copied_to(out, *place);
  return storages_.emplace(key, out).first->second;
}

}  // namespace fusillade::archive
