// See attributes.h.
#include "engine/run/exported/attributes.h"

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::exported {
namespace {

constexpr size_t kMaxDepth = 32;      // of modules within each other
constexpr size_t kMaxFields = 20000;  // of all modules
constexpr const char* kTraining = "training";

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    out.push_back(name.substr(begin, end - begin));
    if (out.back().empty()) fail("'{}' is no name of an attribute", name);
    if (out.size() > kMaxDepth) fail("'{}' is nested more than {} deep", name, kMaxDepth);
    begin = end + 1;
  }
  return out;
}

}  // namespace

struct Attributes::Part {
  struct Item {
    std::string name;
    Field::Kind kind = Field::Kind::Module;
    bool persistent = true;
    Tensor tensor;
    std::unique_ptr<Part> part;  // of a module
  };
  std::vector<Item> items;
  std::map<std::string, size_t> index;

  Item* find(const std::string& name) {
    const auto found = index.find(name);
    return found == index.end() ? nullptr : &items[found->second];
  }
  Item& add(const std::string& name) {
    index.emplace(name, items.size());
    return items.emplace_back(Item{.name = name, .tensor = {}, .part = nullptr});
  }
};

Attributes::Attributes() : tree_(std::make_unique<Part>()) {}
Attributes::~Attributes() = default;

void Attributes::add(const std::string& name, const Tensor& tensor, Field::Kind kind,
                     bool persistent) {
  const std::vector<std::string> parts = parts_of(name);
  Part* at = tree_.get();
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    Part::Item* item = at->find(parts[i]);
    if (!item) {
      item = &at->add(parts[i]);
      item->part = std::make_unique<Part>();
    }
    if (!item->part) fail("'{}' is a tensor, and '{}' lies in it", parts[i], name);
    at = item->part.get();
  }
  if (at->find(parts.back()) || parts.back() == kTraining) fail("'{}' is taken", name);
  if (at->items.size() >= kMaxFields) fail("more than {} attributes of a module", kMaxFields);
  Part::Item& item = at->add(parts.back());
  item.kind = kind;
  item.persistent = persistent;
  item.tensor = tensor;
}

void Attributes::finish(const std::string& name) {
  object_ = make(*tree_, name);
  root_ = classes_.back();
}

// The object of a module, those that it holds first.
IValue Attributes::make(Part& part, const std::string& name) {
  auto cls = std::make_shared<ClassType>();
  cls->name = name;
  cls->kind = ClassType::Kind::Module;
  std::vector<IValue> slots{IValue(false)};
  cls->fields.push_back({.name = kTraining, .type = TypeKind::Bool});
  for (Part::Item& item : part.items) {
    Field field{.name = item.name,
                .type = TypeKind::Tensor,
                .kind = item.kind,
                .persistent = item.persistent};
    if (item.part) {
      // Numbered, so that "a.b" and "a_b" differ.
      slots.push_back(make(*item.part, fmt::format("__torch__.exported.Part{}", numbered_++)));
      field.type = slots.back().type();
    } else {
      slots.push_back(item.tensor);
    }
    cls->fields.push_back(std::move(field));
  }
  classes_.push_back(cls);
  IValue object = IValue::object(cls);
  for (size_t i = 0; i < slots.size(); ++i) object.as_object().slots[i] = std::move(slots[i]);
  return object;
}

void Attributes::declare(ClassTable& classes) const {
  for (const ClassPtr& cls : classes_) classes.add(cls);
}

Value* Attributes::get(Value* from, const std::string& field, GraphReader& reader) {
  const ClassType& cls = *from->type().class_type();
  const int slot = cls.slot(field);
  Node* n = reader.make(prim::get_attr(), {from}, 1);
  n->output()->set_type(cls.fields[static_cast<size_t>(slot)].type);
  n->set_attr("name", IValue::str(field));
  return n->output();
}

Value* Attributes::read(const std::string& name, Value* self, GraphReader& reader) {
  Value* at = self;
  std::string path;
  for (const std::string& part : parts_of(name)) {
    path += (path.empty() ? "" : ".") + part;
    Value*& known = values_[path];
    if (!known) known = get(at, part, reader);
    at = known;
  }
  return at;
}

Value* Attributes::value(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second->type().is_tensor() ? found->second : nullptr;
}

}  // namespace fusillade::exported
