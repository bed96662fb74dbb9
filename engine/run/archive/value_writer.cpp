// Values to pickles, opcode for opcode as PyTorch's own writer orders them; see values.h.
#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/values.h"

namespace fusillade::archive {
namespace {

using Tag = IValue::Tag;

const void* identity(const IValue& v) {
  switch (v.tag()) {
    case Tag::List:
    case Tag::Tuple:
      return v.seq();
    case Tag::Dict:
      return &v.as_dict();
    case Tag::Object:
      return &v.as_object();
    default:
      return nullptr;
  }
}

const Type& unwrap_optional(const Type& type) {
  return type.is(TypeKind::Optional) ? type.element() : type;
}

// The function that makes a list of these elements again, or null for the general way.
const char* list_builder(const Type& element) {
  switch (element.kind()) {
    case TypeKind::Int:
      return "build_intlist";
    case TypeKind::Float:
      return "build_doublelist";
    case TypeKind::Bool:
      return "build_boollist";
    case TypeKind::Tensor:
      return "build_tensorlist";
    default:
      return nullptr;
  }
}

constexpr const char* kHelpers = "torch.jit._pickle";

}  // namespace

std::string ValueWriter::pickle(const IValue& value, const Type& declared) {
  scan(value, 0);
  push(value, declared);
  return out_.finish();
}

// Counts holders; refuses cycles and depth.
void ValueWriter::scan(const IValue& value, int depth) {
  const void* id = identity(value);
  if (!id) return;
  if (depth > kMaxNesting) fail("cannot be saved: values nest more than {} deep", kMaxNesting);
  if (in_progress_.count(id)) fail("cannot be saved: a {} holds itself", value.type());
  if (holders_[id]++) return;
  in_progress_.insert(id);
  if (value.tag() == Tag::Dict) {
    for (const auto& [key, mapped] : value.as_dict().items()) scan(mapped, depth + 1);
  } else if (value.tag() == Tag::Object) {
    const ObjectBox& box = value.as_object();
    for (size_t i = 0; i < box.slots.size(); ++i) {
      bool parameter =
          box.cls->fields[i].kind == Field::Kind::Parameter && box.slots[i].is_tensor();
      if (parameter) parameters_.insert(box.slots[i].as_tensor().impl());
      scan(box.slots[i], depth + 1);
    }
  } else {
    for (const IValue& item : value.items()) scan(item, depth + 1);
  }
  in_progress_.erase(id);
}

void ValueWriter::push(const IValue& value, const Type& declared) {
  switch (value.tag()) {
    case Tag::None:
      return out_.none();
    case Tag::Int:
      return out_.integer(value.as_int());
    case Tag::Float:
      return out_.real(value.as_double());
    case Tag::Bool:
      return out_.boolean(value.as_bool());
    case Tag::Tensor:
      return push_tensor(value.as_tensor());
    case Tag::Device:
      out_.global("torch", "device");
      out_.str(to_string(value.as_device()));
      out_.op(opcode::kTuple1);
      return out_.op(opcode::kReduce);
    case Tag::Str:
      return out_.str(value.as_str());
    case Tag::Enum:
      push_class(value.as_enum().cls->name);
      push(value.as_enum().value(), value.as_enum().cls->value_type);
      return out_.op(opcode::kReduce);
    default:
      return push_container(value, declared);
  }
}

void ValueWriter::push_container(const IValue& value, const Type& declared) {
  const void* id = identity(value);
  auto known = memo_.find(id);
  if (known != memo_.end()) return out_.get(known->second);
  if (value.tag() == Tag::Object) {
    push_object(value);
  } else if (value.tag() == Tag::Dict) {
    push_dict(value, declared);
  } else if (value.tag() == Tag::List) {
    push_list(value, declared);
  } else {
    push_tuple(value, declared);
  }
  if (value.tag() == Tag::Object || holders_[id] > 1) memo_[id] = out_.put();
}

void ValueWriter::push_list(const IValue& value, const Type& declared) {
  bool known = unwrap_optional(declared).is(TypeKind::List);
  Type element =
      known ? unwrap_optional(declared).element() : value.seq()->element.without_shapes();
  const bool plain = containers_ == Containers::Plain;
  const char* builder = list_builder(element);
  if (!plain) out_.global(kHelpers, builder ? builder : "restore_type_tag");
  if (!plain && builder) out_.op(opcode::kMark);
  out_.op(opcode::kEmptyList);
  out_.op(opcode::kMark);
  for (const IValue& item : value.items()) push(item, element);
  out_.op(opcode::kAppends);
  if (plain) return;
  if (builder) {
    out_.op(opcode::kTuple);
  } else {
    out_.str(annotation_text(Type::list(element)));
    out_.op(opcode::kTuple2);
  }
  out_.op(opcode::kReduce);
}

void ValueWriter::push_dict(const IValue& value, const Type& declared) {
  const DictBox& dict = value.as_dict();
  bool known = unwrap_optional(declared).is(TypeKind::Dict);
  Type type = known ? unwrap_optional(declared) : Type::dict(dict.key, dict.value);
  const bool plain = containers_ == Containers::Plain;
  if (!plain) out_.global(kHelpers, "restore_type_tag");
  out_.op(opcode::kEmptyDict);
  out_.op(opcode::kMark);
  for (const auto& [key, mapped] : dict.items()) {
    push(key, type.key());
    push(mapped, type.value_type());
  }
  out_.op(opcode::kSetItems);
  if (plain) return;
  out_.str(annotation_text(type));
  out_.op(opcode::kTuple2);
  out_.op(opcode::kReduce);
}

void ValueWriter::push_tuple(const IValue& value, const Type& declared) {
  const std::vector<IValue>& items = value.items();
  const Type& type = unwrap_optional(declared);
  bool known = type.is(TypeKind::Tuple) && type.elements().size() == items.size();
  if (items.size() > 3) out_.op(opcode::kMark);
  for (size_t i = 0; i < items.size(); ++i)
    push(items[i], known ? type.elements()[i] : items[i].type());
  constexpr char kEnds[] = {opcode::kEmptyTuple, opcode::kTuple1, opcode::kTuple2, opcode::kTuple3};
  out_.op(items.size() > 3 ? opcode::kTuple : kEnds[items.size()]);
}

void ValueWriter::push_object(const IValue& value) {
  const ObjectBox& box = value.as_object();
  push_class(box.cls->name);
  out_.op(opcode::kEmptyTuple);
  out_.op(opcode::kNewObject);
  out_.op(opcode::kEmptyDict);
  out_.op(opcode::kMark);
  for (size_t i = 0; i < box.slots.size(); ++i) {
    out_.str(box.cls->fields[i].name);
    push(box.slots[i], box.cls->fields[i].type);
  }
  out_.op(opcode::kSetItems);
  out_.op(opcode::kBuild);
}

void ValueWriter::push_class(const std::string& qualified) {
  size_t dot = qualified.rfind('.');
  if (dot == std::string::npos)
    fail("the class '{}' cannot be saved: its name is not qualified", qualified);
  out_.global(qualified.substr(0, dot), qualified.substr(dot + 1));
}

void ValueWriter::push_tensor(const Tensor& tensor) {
  if (!tensor.is_defined()) fail("an undefined tensor cannot be saved");
  auto known = memo_.find(tensor.impl());
  if (known != memo_.end()) return out_.get(known->second);
  out_.global("torch._utils", "_rebuild_tensor_v2");
  out_.op(opcode::kMark);
  push_storage(tensor);
  out_.integer(tensor.numel() ? tensor.offset() : 0);
  for (const Dims* dims : {&tensor.sizes(), &tensor.strides()}) {
    out_.op(opcode::kMark);
    for (int64_t d : *dims) out_.integer(d);
    out_.op(opcode::kTuple);
  }
  out_.boolean(parameters_.count(tensor.impl()) && is_float(tensor.dtype()));
  out_.global("collections", "OrderedDict");
  out_.op(opcode::kEmptyTuple);
  out_.op(opcode::kReduce);
  out_.op(opcode::kTuple);
  out_.op(opcode::kReduce);
  memo_[tensor.impl()] = out_.put();
}

void ValueWriter::push_storage(const Tensor& tensor) {
  auto known = storage_memo_.find(tensor.storage());
  if (known != storage_memo_.end()) return out_.get(known->second);
  int64_t count = static_cast<int64_t>(tensor.storage()->bytes() / size_of(tensor.dtype()));
  out_.op(opcode::kMark);
  out_.str("storage");
  out_.global("torch", std::string(row_of(tensor.dtype()).title) + "Storage");
  out_.str(std::to_string(storages_.size()));
  out_.str(to_string(tensor.device()));
  out_.integer(count);
  out_.op(opcode::kTuple);
  out_.op(opcode::kPersistent);
  storages_.push_back(Tensor::view_of(tensor, 0, {count}, {1}));
  storage_memo_[tensor.storage()] = out_.put();
}

}  // namespace fusillade::archive
