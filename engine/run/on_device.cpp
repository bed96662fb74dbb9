// See on_device.h. Tensors are moved in place, handle by handle, with one storage there for each
// here. So views stay views, and every holder of a list, a dict or an object still holds the same
// one.
#include "engine/run/on_device.h"

#include <unordered_map>
#include <unordered_set>

#include "engine/front/tape.h"
#include "engine/ir/composite.h"
#include "engine/ir/prims.h"
#include "engine/ir/visit.h"
#include "engine/ops/class_type.h"
#include "engine/ops/device_mode.h"
#include "engine/run/device_calls.h"

namespace fusillade {
namespace {

// Every tensor that values hold, once each.
template <class F>
class Walk {
 public:
  explicit Walk(F see) : see_(see) {}
  void go(const IValue& v) {
    switch (v.tag()) {
      case IValue::Tag::Tensor:
        return go(v.as_tensor());
      case IValue::Tag::List:
      case IValue::Tag::Tuple:
        if (seen_.insert(v.seq()).second)
          for (const IValue& item : v.items()) go(item);
        return;
      case IValue::Tag::Dict:
        if (!seen_.insert(&v.as_dict()).second) return;
        for (const auto& [key, value] : v.as_dict().items()) go(key), go(value);
        return;
      case IValue::Tag::Object:
        if (seen_.insert(&v.as_object()).second)
          for (const IValue& slot : v.as_object().slots) go(slot);
        return;
      default:
        return;
    }
  }
  void go(const Tensor& t) {
    if (!t.is_defined() || !seen_.insert(t.impl()).second) return;
    see_(t);
    if (const front::TensorState* state = front::state_of(t)) go(state->grad), go(state->base);
  }

 private:
  F see_;
  std::unordered_set<const void*> seen_;
};

class Moved {
 public:
  Moved(std::span<const IValue> inputs, Device to) : inputs_(inputs) {
    try {
      Walk walk([&](const Tensor& t) {
        if (!in_reach(t)) return;
        Ref<Storage>& there = there_[t.storage()];
        if (!there) {
          there = copied_to(*t.storage(), to);
          here_.emplace(there.get(), t.storage_ref());
        }
        lay(t, there);
      });
      for (const IValue& v : inputs) walk.go(v);
    } catch (...) {
      leave();
      throw;
    }
  }
  // Where nothing was brought back, inputs are what they were before.
  ~Moved() { leave(); }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  // With what was written. Fresh results are brought along.
  void bring_back(std::span<const IValue> results) {
    for (const auto& [there, here] : here_) copy_bytes(*here, *there);
    Walk walk([&](const Tensor& t) {
      if (in_reach(t)) return;
      Ref<Storage>& here = here_[t.storage()];
      if (!here) {
        FUS_CHECK(t.storage()->red_zones_intact(), "something wrote outside a result ({})",
                  describe(t));
        kept_.push_back(t.storage_ref());
        here = copied_to(*t.storage(), Device());
      }
      lay(t, here);
    });
    for (const IValue& v : inputs_) walk.go(v);
    for (const IValue& v : results) walk.go(v);
  }

 private:
  static void lay(const Tensor& t, const Ref<Storage>& in) {
    t.impl()->storage = in;
    t.impl()->device = in->device();
  }
  void leave() noexcept {
    Walk walk([&](const Tensor& t) {
      const auto it = here_.find(t.storage());
      if (it != here_.end()) lay(t, it->second);
    });
    for (const IValue& v : inputs_) walk.go(v);
  }

  std::span<const IValue> inputs_;
  std::unordered_map<const Storage*, Ref<Storage>> there_, here_;
  std::vector<Ref<Storage>> kept_;  // whose addresses are keys
};

template <class F>
IValue each_tensor(const IValue& v, F f) {
  if (v.is_tensor()) return v.as_tensor().is_defined() ? IValue(f(v.as_tensor())) : v;
  if (!v.is_sequence()) return v;
  std::vector<IValue> items;
  bool same = true;
  for (const IValue& item : v.items()) {
    items.push_back(each_tensor(item, f));
    same = same && items.back().identical(item);
  }
  if (same) return v;
  if (v.tag() == IValue::Tag::List) return IValue::list(std::move(items), v.seq()->element);
  return IValue::tuple(std::move(items));
}

void see_constants(const Block* block, std::unordered_set<const TensorImpl*>& seen) {
  each_node_inside_out<Within::Callees>(block, [&](const Node* n) {
    if (n->is(prim::constant()))
      each_tensor(n->constant(), [&](const Tensor& t) { return seen.insert(t.impl()), t; });
  });
}

class OnDevice final : public Executable {
 public:
  OnDevice(std::unique_ptr<Executable> inner, Device device)
      : inner_(std::move(inner)), device_(device) {
    set_pipeline_result(inner_->pipeline_result());
    if (inner_->graph()) see_constants(inner_->graph()->block(), constants_);
  }

  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    return run_on(device_, inputs, [&] {
      std::vector<IValue> out = inner_->run(inputs);
      // The program's own constants stay where they are.
      for (IValue& v : out)
        v = each_tensor(
            v, [&](const Tensor& t) { return constants_.count(t.impl()) ? to_host(t) : t; });
      return out;
    });
  }
  const Graph* graph() const override { return inner_->graph(); }

 private:
  std::unique_ptr<Executable> inner_;
  Device device_;
  std::unordered_set<const TensorImpl*> constants_;
};

Type without_device(const Type& type) {
  switch (type.kind()) {
    case TypeKind::Tensor: {
      TensorInfo info = type.info();
      info.device = std::nullopt;
      return Type::tensor(info);
    }
    case TypeKind::List:
      return Type::list(without_device(type.element()));
    case TypeKind::Optional:
      return Type::optional(without_device(type.element()));
    case TypeKind::Tuple: {
      if (type.class_type()) return type;
      std::vector<Type> items;
      for (const Type& t : type.elements()) items.push_back(without_device(t));
      return Type::tuple(std::move(items));
    }
    default:
      return type;
  }
}

void move(Block* block, Device device) {
  const auto copy = [&](const Tensor& t) { return copied_to(t, device); };
  each_value<Within::Callees>(block, [](Value* v) { v->set_type(without_device(v->type())); });
  each_node_inside_out<Within::Callees>(block, [&](Node* n) {
    if (n->is(prim::constant())) n->set_attr("value", each_tensor(n->constant(), copy));
  });
}

}  // namespace

std::vector<IValue> run_on(Device device, std::span<const IValue> inputs,
                           const std::function<std::vector<IValue>()>& run) {
  const DeviceScope mode(true);
  const DefaultDevice fresh(placed_on(device));
  Moved moved(inputs, placed_on(device));
  std::vector<IValue> out;
  try {
    out = run();
  } catch (const Error&) {
    moved.bring_back({});  // what was written before it
    throw;
  }
  moved.bring_back(out);
  return out;
}

void leave_device(Graph& graph) { move(graph.block(), Device()); }

PlanOnDevice::PlanOnDevice(Graph& graph, Device device)
    : device_(placed_on(device)), fresh_(placed_on(device)) {
  if (has_tasks(graph.block())) decline("tasks run on the cpu alone");
  move(graph.block(), device_);
}

std::unique_ptr<Executable> PlanOnDevice::run_there(std::unique_ptr<Executable> compiled) const {
  return std::make_unique<OnDevice>(std::move(compiled), device_);
}

}  // namespace fusillade
