// See operator_step.h.
#include "engine/front/operator_step.h"

#include <algorithm>

#include "engine/ir/interpret.h"

namespace fusillade::front {
namespace {

// What all formulas together read of an input.
Reads read_by_any(const GradientFormulas& formulas, size_t input, const auto& wanted) {
  Reads reads = Reads::Nothing;
  for (const GradientFormula& f : formulas)
    if (wanted(f.arg)) reads = std::max(reads, f.reads[input]);
  return reads;
}

IValue dtype_code(DType dtype) { return static_cast<int64_t>(row_of(dtype).aten_code); }

Tensor one(std::vector<IValue> results) { return results.at(0).as_tensor(); }

Tensor zeros(const Layout& l) { return Tensor::zeros(l.sizes, l.dtype, l.device); }

std::vector<IValue> layout_arguments(const Layout& base, const Layout& view) {
  return {IValue::int_list(base.sizes), IValue::int_list(base.strides),
          IValue::int_list(view.sizes), IValue::int_list(view.strides),
          IValue(view.offset - base.offset)};
}

}  // namespace

OperatorStep::OperatorStep(const Operator& op, const GradientFormulas* formulas,
                           std::span<const IValue> args, bool written)
    : op_(op), formulas_(formulas) {
  for (size_t i = 0; i < args.size(); ++i) {
    for_each_tensor(args[i], [&](const Tensor& t) {
      next.push_back(edge_of(t));
      operands_.push_back({i, layout_of(t)});
    });
  }
  take_number();  // after views that were brought up to date
  if (!formulas) return;
  for (size_t i = 0; i < args.size(); ++i) {
    const Reads reads = read_by_any(*formulas, i, [&](int arg) { return needs_gradient(arg); });
    if (written && i == 0 && reads == Reads::Elements && args[0].is_tensor()) {
      static const Operator& clone = fusillade::operator_named("aten::clone");
      Tensor copy = one(call(clone, args.first(1)));
      if (Edge edge = edge_of(args[0].as_tensor())) {
        TensorState& state = state_for(copy);
        state.step = edge.step;
        state.output = edge.output;
      }
      args_.emplace_back(IValue(copy), reads);
    } else {
      args_.emplace_back(args[i], reads);
    }
  }
}

bool OperatorStep::needs_gradient(int arg) const {
  for (size_t k = 0; k < operands_.size(); ++k)
    if (operands_[k].arg == static_cast<size_t>(arg) && next[k]) return true;
  return false;
}

void OperatorStep::note_results(std::span<const IValue> results) {
  outputs = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    Result r{.list = results[i].tag() == IValue::Tag::List};
    const int first = outputs;
    for_each_tensor(results[i],
                    [&](const Tensor& t) { r.tensors.emplace_back(outputs++, layout_of(t)); });
    given_.push_back(std::move(r));
    if (!formulas_) continue;
    const Reads reads =
        read_by_any(*formulas_, args_.size() + i, [&](int a) { return needs_gradient(a); });
    results_.push_back(Saved::result(results[i], reads, first));
  }
}

bool OperatorStep::forget() {
  const bool has_elements = std::ranges::any_of(args_, &Saved::holds_elements) ||
                            std::ranges::any_of(results_, &Saved::holds_elements);
  if (!has_elements) return false;
  args_.clear();
  results_.clear();
  return true;
}

// A gradient for each tensor of a result, zeros where none came.
IValue OperatorStep::seed(size_t result, const std::vector<Tensor>& grads) const {
  std::vector<IValue> items;
  for (const auto& [output, layout] : given_[result].tensors) {
    const Tensor& grad = grads[static_cast<size_t>(output)];
    items.emplace_back(grad.is_defined() ? grad : zeros(layout));
  }
  if (given_[result].list) return IValue::list(std::move(items), TypeKind::Tensor);
  return items.empty() ? IValue() : items[0];
}

std::vector<Tensor> OperatorStep::back(const std::vector<Tensor>& grads) {
  if (!formulas_) decline("{} has no gradient here", op_.name);
  std::vector<IValue> inputs;
  for (size_t i = 0; i < args_.size(); ++i)
    inputs.push_back(args_[i].value(*this, op_.schema.args[i].name));
  for (const Saved& result : results_) inputs.push_back(result.value(*this, "its result"));
  for (size_t i = 0; i < given_.size(); ++i) inputs.push_back(seed(i, grads));
  std::vector<Tensor> out(next.size());
  for (const GradientFormula& f : *formulas_)
    if (needs_gradient(f.arg)) give(f, interpret(*f.graph, inputs).at(0), out);
  return out;
}

// Each operand's gradient where it lies, in its own sizes and dtype.
void OperatorStep::give(const GradientFormula& formula, const IValue& formula_result,
                        std::vector<Tensor>& out) const {
  static const Operator& like = operator_named("prim::gradient_like");
  std::vector<Tensor> grads;
  for_each_tensor(formula_result, [&](const Tensor& t) { grads.push_back(t); });
  size_t at = 0;
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (operands_[k].arg != static_cast<size_t>(formula.arg)) continue;
    FUS_CHECK(at < grads.size(), "the gradient of {} gave {} tensors", op_.name, grads.size());
    Tensor grad = grads[at++];
    if (!next[k]) continue;
    const Layout& own = operands_[k].layout;
    if (grad.device() != own.device) {
      const IValue there[] = {grad, own.device};
      grad = one(call(operator_named("aten::to.prim_Device"), there));
    }
    const IValue args[] = {grad, IValue::int_list(own.sizes), dtype_code(own.dtype)};
    const bool fits = grad.sizes() == own.sizes && grad.dtype() == own.dtype;
    out[k] = fits ? grad : one(call(like, args));
  }
}

WriteStep::WriteStep(Ref<Step> write, const Tensor& base, const Layout& view)
    : write_(std::move(write)), base_(layout_of(base)), view_(view) {
  next = write_->next;
  next[0] = edge_of(base);
}

// A result that the write's own formula read leads to the write by itself.
bool WriteStep::forget() { return write_->use_count() == 1 && write_->forget(); }

std::vector<Tensor> WriteStep::back(const std::vector<Tensor>& grads) {
  if (write_->walked) fail_walked(*write_);
  static const Operator& part = operator_named("prim::part_of_gradient");
  static const Operator& rest = operator_named("prim::rest_of_gradient");
  std::vector<IValue> args{IValue(grads[0])};
  for (IValue& v : layout_arguments(base_, view_)) args.push_back(std::move(v));
  std::vector<Tensor> out = write_->back({one(call(part, args))});
  if (!next[0]) {
    out[0] = Tensor();
    return out;
  }
  args.insert(args.begin() + 1, out[0].is_defined() ? IValue(out[0]) : IValue());
  out[0] = one(call(rest, args));
  return out;
}

}  // namespace fusillade::front
