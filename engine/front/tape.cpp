// See tape.h.
#include "engine/front/tape.h"

#include <algorithm>
#include <atomic>

#include "engine/ops/call.h"

namespace fusillade::front {
namespace {

// The gradient of a view's base where only the view's is known: zero elsewhere.
struct ViewStep : Step {
  explicit ViewStep(const Tensor& base, const Layout& view) : base(layout_of(base)), view(view) {
    next.push_back(edge_of(base));
  }
  std::string name() const override { return "a view"; }
  std::vector<Tensor> back(const std::vector<Tensor>& grads) override {
    static const Operator& spread = operator_named("prim::gradient_of_part");
    const IValue args[] = {grads[0],
                           IValue::int_list(base.sizes),
                           IValue::int_list(base.strides),
                           IValue::int_list(view.sizes),
                           IValue::int_list(view.strides),
                           view.offset - base.offset};
    return {call(spread, args).at(0).as_tensor()};
  }
  Layout base, view;
};

bool is_tensor_list(const IValue& v) {
  if (v.tag() != IValue::Tag::List) return false;
  const Type& element = v.seq()->element;
  return (element.is(TypeKind::Optional) ? element.element() : element).is_tensor();
}

}  // namespace

Tensor without_history(const Tensor& t, bool elements) {
  auto* impl = new TensorImpl;
  Tensor out = Tensor::from_impl(impl);
  if (elements) impl->storage = t.impl()->storage;
  impl->offset = t.offset();
  impl->sizes = t.sizes();
  impl->strides = t.strides();
  impl->dtype = t.dtype();
  impl->device = t.device();
  return out;
}

Layout layout_of(const Tensor& t) {
  return {t.sizes(), t.strides(), t.offset(), t.dtype(), t.device()};
}

Step::Step() { take_number(); }

void Step::take_number() {
  static std::atomic<uint64_t> counter{0};
  number = counter.fetch_add(1, std::memory_order_relaxed);
}

// A long chain is let go one by one, not each within the one before it.
Step::~Step() {
  thread_local std::vector<Ref<Step>>* queue = nullptr;
  if (queue) {
    for (Edge& e : next) queue->push_back(std::move(e.step));
    return;
  }
  std::vector<Ref<Step>> waiting;
  queue = &waiting;
  for (Edge& e : next) waiting.push_back(std::move(e.step));
  while (!waiting.empty()) {
    Ref<Step> last = std::move(waiting.back());
    waiting.pop_back();
    last.reset();
  }
  queue = nullptr;
}

void fail_walked(const Step& step) {
  fail(
      "backward: {} was walked back before and what it saved is gone; say retain_graph=True the "
      "first time",
      step.name());
}

TensorState::~TensorState() { keep_grad(*this, false); }

bool TensorState::requires_grad() const {
  if (leaf_requires || step) return true;
  return base.is_defined() && version != base.storage()->version() && base.requires_grad();
}

TensorState* state_of(const Tensor& t) {
  return static_cast<TensorState*>(t.impl()->history.get());
}

TensorState& state_for(const Tensor& t) {
  if (!t.impl()->history) t.impl()->history = Ref<TensorHistory>(new TensorState);
  return *state_of(t);
}

Edge edge_of(const Tensor& t) {
  TensorState* state = state_of(t);
  if (!state || !state->requires_grad()) return {};
  const bool view = state->base.is_defined() && !state->leaf_requires;
  if (view && state->base.requires_grad() && state->version != t.storage()->version()) {
    const bool retains = state->retains;
    keep_grad(*state, false);
    state->step = Ref<Step>(new ViewStep(state->base, state->layout));
    state->output = 0;
    state->version = t.storage()->version();
    keep_grad(*state, retains);
  }
  if (state->step) return {state->step, state->output, {}};
  if (state->leaf_requires) return {{}, 0, Ref<TensorState>(state)};
  return {};
}

void keep_grad(TensorState& state, bool on) {
  state.retains = on;
  if (!state.step) return;
  auto& list = state.step->retaining;
  std::erase_if(list, [&](const auto& entry) { return entry.second == &state; });
  if (on) list.emplace_back(state.output, &state);
}

Saved::Saved(const IValue& value, Reads reads) : Saved(result(value, reads, -1)) {}

Saved Saved::result(const IValue& value, Reads reads, int first_output) {
  Saved out;
  if (reads == Reads::Nothing) return out;
  if (value.is_tensor()) {
    out.tensors_.push_back(out.hold(value.as_tensor(), reads, first_output));
    return out;
  }
  out.shape_ = value;
  if (value.tag() != IValue::Tag::List) return out;
  std::vector<IValue> items = value.items();  // the program may write its own list
  if (is_tensor_list(value)) {
    int own = first_output;
    for (IValue& item : items) {
      if (!item.is_none()) out.tensors_.push_back(out.hold(item.as_tensor(), reads, own));
      if (own >= 0) ++own;
      item = IValue(!item.is_none());
    }
  }
  out.shape_ = IValue::list(std::move(items), value.seq()->element);
  return out;
}

Saved::SavedTensor Saved::hold(const Tensor& t, Reads reads, int own) const {
  const bool elements = reads == Reads::Elements;
  SavedTensor saved{.plain = without_history(t, elements), .elements = elements, .own = own};
  if (!elements) return saved;
  saved.version = t.storage()->version();
  if (own < 0) saved.edge = edge_of(t);
  return saved;
}

bool Saved::holds_elements() const { return std::ranges::any_of(tensors_, &SavedTensor::elements); }

IValue Saved::value(const Step& owner, const std::string& what) const {
  if (tensors_.empty()) return shape_;
  if (shape_.is_none()) return unpack(tensors_[0], owner, what);
  std::vector<IValue> items;
  size_t at = 0;
  for (const IValue& there : shape_.items())
    items.push_back(there.as_bool() ? unpack(tensors_[at++], owner, what) : IValue());
  return IValue::list(std::move(items), shape_.seq()->element);
}

IValue Saved::unpack(const SavedTensor& saved, const Step& owner, const std::string& what) const {
  if (!saved.elements) return saved.plain;
  const uint64_t version = saved.plain.storage()->version();
  if (version != saved.version)
    fail(
        "a tensor that the gradient of {} needs, {} ({}), was modified in place: it is at version "
        "{}, and version {} was saved; clone it before, or write to another tensor",
        owner.name(), what, describe(saved.plain), version, saved.version);
  Tensor t = without_history(saved.plain, true);
  if (!is_float(t.dtype())) return t;
  if (saved.edge.leaf) {
    t.impl()->history = Ref<TensorHistory>(saved.edge.leaf.get());
  } else if (saved.edge.step || saved.own >= 0) {
    TensorState& state = state_for(t);
    state.step = saved.own >= 0 ? Ref<Step>(const_cast<Step*>(&owner)) : saved.edge.step;
    state.output = saved.own >= 0 ? saved.own : saved.edge.output;
  }
  return t;
}

}  // namespace fusillade::front
