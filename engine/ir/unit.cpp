// See unit.h.
#include "engine/ir/unit.h"

#include <set>

namespace fusillade {
namespace {

// Visits objects below a module depth first, each once. For state_dict: once per reference, and
// without buffers that are not persistent.
class Lister {
 public:
  Lister(bool parameters, bool buffers, bool as_state)
      : parameters_(parameters), buffers_(buffers), as_state_(as_state) {}

  void visit(const IValue& object, const std::string& prefix) {
    const ObjectBox& box = object.as_object();
    if (!as_state_ && !objects_.insert(&box).second) return;
    for (Field::Kind kind : {Field::Kind::Parameter, Field::Kind::Buffer}) {
      if (kind == Field::Kind::Parameter ? !parameters_ : !buffers_) continue;
      for (size_t i = 0; i < box.slots.size(); ++i) {
        const Field& f = box.cls->fields[i];
        bool listed = f.kind == kind && (f.persistent || !as_state_);
        if (listed && box.slots[i].is_tensor())
          add(prefix + f.name, box.slots[i].as_tensor(), kind);
      }
    }
    for (size_t i = 0; i < box.slots.size(); ++i) {
      const Field& f = box.cls->fields[i];
      if (f.kind == Field::Kind::Module && box.slots[i].tag() == IValue::Tag::Object)
        visit(box.slots[i], prefix + f.name + ".");
    }
  }

  std::vector<NamedTensor> found;

 private:
  void add(const std::string& name, const Tensor& t, Field::Kind kind) {
    if (!as_state_ && !tensors_.insert(t.impl()).second) return;
    found.push_back({name, t, kind});
  }

  bool parameters_, buffers_, as_state_;
  std::set<const void*> objects_, tensors_;
};

std::vector<NamedTensor> list(const Module& module, bool parameters, bool buffers, bool as_state) {
  Lister lister(parameters, buffers, as_state);
  lister.visit(module.self, "");
  return std::move(lister.found);
}

void set_training(const IValue& object, bool on, std::set<const void*>& seen) {
  ObjectBox& box = object.as_object();
  if (!seen.insert(&box).second) return;
  for (size_t i = 0; i < box.slots.size(); ++i) {
    const Field& f = box.cls->fields[i];
    if (f.name == "training" && box.slots[i].is_bool()) box.slots[i] = IValue(on);
    if (f.kind == Field::Kind::Module && box.slots[i].tag() == IValue::Tag::Object)
      set_training(box.slots[i], on, seen);
  }
}

// Copies by identity: tensors on one storage stay views of one storage.
class Copier {
 public:
  IValue copy(const IValue& v) {
    switch (v.tag()) {
      case IValue::Tag::Tensor:
        return tensor(v.as_tensor());
      case IValue::Tag::List:
      case IValue::Tag::Tuple:
        return sequence(v);
      case IValue::Tag::Dict: {
        auto [it, fresh] = known_.emplace(&v.as_dict(), IValue());
        if (!fresh) return it->second;
        IValue out = IValue::dict(v.as_dict().key, v.as_dict().value);
        it->second = out;
        for (const auto& [key, value] : v.as_dict().items())
          out.as_dict().set(copy(key), copy(value));
        return out;
      }
      case IValue::Tag::Object: {
        auto [it, fresh] = known_.emplace(&v.as_object(), IValue());
        if (!fresh) return it->second;
        IValue out = IValue::object(v.as_object().cls);
        it->second = out;
        for (size_t i = 0; i < v.as_object().slots.size(); ++i)
          out.as_object().slots[i] = copy(v.as_object().slots[i]);
        return out;
      }
      default:
        return v;
    }
  }

 private:
  IValue sequence(const IValue& v) {
    bool is_list = v.tag() == IValue::Tag::List;
    auto it = known_.find(v.seq());
    if (it != known_.end()) return it->second;
    IValue out = IValue::list({}, v.seq()->element);
    if (is_list) known_.emplace(v.seq(), out);
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(copy(item));
    if (!is_list)
      return v.seq()->element.class_type() ? IValue::named_tuple(std::move(items), v.seq()->element)
                                           : IValue::tuple(std::move(items));
    out.mutable_items() = std::move(items);
    return out;
  }

  IValue tensor(const Tensor& t) {
    auto known = known_.find(t.impl());
    if (known != known_.end()) return known->second;
    auto [it, fresh] = storages_.emplace(t.storage(), Tensor());
    if (fresh) {
      int64_t n =
          static_cast<int64_t>(t.storage()->bytes() / static_cast<size_t>(size_of(t.dtype())));
      it->second = contiguous(Tensor::view_of(t, 0, Dims{n}, Dims{1}), true);
    }
    IValue out(Tensor::view_of(it->second, t.offset(), t.sizes(), t.strides()));
    known_.emplace(t.impl(), out);
    return out;
  }

  std::map<const void*, IValue> known_;
  std::map<const void*, Tensor> storages_;
};

}  // namespace

std::vector<NamedTensor> named_parameters(const Module& module) {
  return list(module, true, false, false);
}
std::vector<NamedTensor> named_buffers(const Module& module) {
  return list(module, false, true, false);
}
std::vector<NamedTensor> state_of(const Module& module) { return list(module, true, true, true); }

void train(const Module& module, bool on) {
  std::set<const void*> seen;
  set_training(module.self, on, seen);
}

IValue deepcopy(const IValue& value) { return Copier().copy(value); }

Module deepcopy(const Module& module) { return {deepcopy(module.self), module.unit}; }

}  // namespace fusillade
