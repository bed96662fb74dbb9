// The step back over one operator, by the operator's formulas (gradient.h); and over a write
// through a view.
#pragma once

#include "engine/front/tape.h"
#include "engine/ops/call.h"

namespace fusillade::front {

class OperatorStep : public Step {
 public:
  // Before the operator runs: what it was given. `written`: the first argument is written, so that
  // what formulas read of it is copied.
  OperatorStep(const Operator& op, const GradientFormulas* formulas, std::span<const IValue> args,
               bool written);
  // After: what it gave. Numbers the results' tensors; a tensor that is an argument is left out.
  void note_results(std::span<const IValue> results);

  std::string name() const override { return op_.name; }
  std::vector<Tensor> back(const std::vector<Tensor>& grads) override;
  bool forget() override;

 private:
  struct Operand {
    size_t arg;
    Layout layout;
  };
  bool needs_gradient(int arg) const;
  IValue seed(size_t result, const std::vector<Tensor>& grads) const;
  void give(const GradientFormula& formula, const IValue& formula_result,
            std::vector<Tensor>& out) const;

  const Operator& op_;
  const GradientFormulas* formulas_;  // null: the operator has no gradient
  std::vector<Saved> args_;
  std::vector<Saved> results_;
  std::vector<Operand> operands_;  // one per edge of `next`
  struct Result {
    bool list = false;
    std::vector<std::pair<int, Layout>> tensors{};  // each with its number among the outputs
  };
  std::vector<Result> given_;
};

// A write through a view, as a step of its base.
class WriteStep : public Step {
 public:
  // `write` is the step of the operator that wrote, its first edge the view's before the write.
  WriteStep(Ref<Step> write, const Tensor& base, const Layout& view);
  std::string name() const override { return write_->name(); }
  std::vector<Tensor> back(const std::vector<Tensor>& grads) override;
  bool forget() override;

 private:
  Ref<Step> write_;
  Layout base_;
  Layout view_;
};

// The tensors of a value: itself, or a list's.
template <class F>
void for_each_tensor(const IValue& v, F f) {
  if (v.is_tensor()) f(v.as_tensor());
  if (v.tag() != IValue::Tag::List) return;
  for (const IValue& item : v.items())
    if (item.is_tensor()) f(item.as_tensor());
}

}  // namespace fusillade::front
