// A step that raises in some calls, between writes to tensors of the caller: a statement that
// raises, a place out of range, sizes that do not meet, a division of numbers by 0. What a plan
// leaves behind in the caller's memory is then to be what eager leaves. (law: rules name ops)
#include "fuzz/case/failing.h"
#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {

Value* Builder::named_input(const char* name, TypeKind kind) {
  for (Value* v : graph_->inputs())
    if (v->name() == name) return v;
  Value* made = graph_->add_input(kind);
  made->set_name(name);
  return made;
}

// An input that may be written; null: none.
Value* Builder::writable_input() {
  std::vector<Value*> found;
  for (Value* v : graph_->inputs()) {
    const bool tensor = v->type().is_tensor() && v->type().info().complete();
    if (tensor && is_float(v->type().info().dtype) && !overlaps(v->type().info()) &&
        !is_granted(v->name()))
      found.push_back(v);
  }
  return found.empty() ? nullptr : choices_.pick(found);
}

// What raises, in a branch that is taken where `fails` is true.
void Builder::raise_in_branch(Value* written) {
  Node* branch = graph_->create(prim::if_(), {named_input(kFails, TypeKind::Bool)}, 0);
  block_->append(branch);
  Block* outer = block_;
  branch->add_block();
  branch->add_block();
  block_ = branch->blocks()[0];
  Node* end = block_->return_node();
  const Row* place = drawable("aten::select.int");
  const Row* negate = drawable("aten::neg_");
  const Row* add = drawable("aten::add_.Tensor");
  const Dims& sizes = written->type().info().sizes;
  auto number = [&](int64_t n) { return graph_->constant(IValue(n), end); };
  const int64_t kind = choices_.between(0, 2);
  if (kind == 0 && place && negate && sizes.rank() > 0) {
    Node* none = graph_->create(*place, {written, number(0), number(sizes[0] + 1)});
    block_->append(none);
    none->output()->set_type(TypeKind::Tensor);
    block_->append(graph_->create(*negate, {none->output()}))->output()->set_type(TypeKind::Tensor);
  } else if (kind == 1 && add && sizes.rank() > 0) {
    Tensor other = Tensor::zeros({sizes[0] + 2, sizes[0] + 2}, DType::F32);
    if (sizes.rank() > 1) other = Tensor::zeros({sizes[sizes.rank() - 1] + 2}, DType::F32);
    Node* n = graph_->create(*add, {written, graph_->constant(IValue(other), end), number(1)});
    block_->append(n)->output()->set_type(written->type());
  } else {
    const char* classes[] = {"ValueError", "AssertionError", "RuntimeError"};
    Value* why = graph_->constant(
        IValue::str(fmt::format("{}: stop {}", classes[choices_.below(3)], choices_.below(9))),
        end);
    block_->append(graph_->create(prim::raise(), {why, graph_->constant(IValue(), end)}, 0));
  }
  block_ = outer;
}

// An element-wise chain whose operands may not meet, a write in its midst. Its operands are fresh:
// none of them lies in what the write writes.
void Builder::raise_in_chain(Value* written) {
  const Row* sine = drawable("aten::sin");
  const Row* multiply = drawable("aten::mul.Tensor");
  const Row* after[] = {drawable("aten::relu"), drawable("aten::neg"), drawable("aten::abs")};
  const Row* last = after[choices_.below(3)];
  if (!sine || !multiply || !last) return;
  auto make = [&](const Row& row, const std::vector<Value*>& inputs) {
    Node* n = block_->append(graph_->create(row, inputs));
    n->output()->set_type(TypeKind::Tensor);
    return n->output();
  };
  Value* unlike = make(*sine, {named_input(kUnlike, TypeKind::Tensor)});
  Value* product = make(*multiply, {make(*sine, {written}), unlike});
  if (choices_.chance(0.3)) product = make(*sine, {product});
  overwrite(written);
  Value* out = make(*last, {product});
  if (choices_.chance(0.7)) graph_->add_output(out);
}

void Builder::fail() {
  Value* written = nested_ || closed_ ? nullptr : writable_input();
  if (!written) return;
  if (choices_.chance(0.3)) return raise_in_chain(written);
  if (choices_.chance(0.7)) overwrite(written);
  const Row* divide = drawable("aten::floordiv.int");
  if (divide && choices_.chance(0.3)) {
    Value* over = graph_->constant(IValue(choices_.between(-9, 9)), block_->return_node());
    append(*divide, {over, named_input(kDivisor, TypeKind::Int)});
  } else {
    raise_in_branch(written);
  }
  if (!choices_.chance(0.5)) return;
  if (Value* again = writable_input()) overwrite(again);
}

}  // namespace fusillade::fuzz
