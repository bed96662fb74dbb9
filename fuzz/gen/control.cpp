// Branches and bounded loops. Both ends of a branch, and both ends of a carried value, have one
// complete type, so that shapes go on directing what follows. (law: rules name ops)
#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {
namespace {

bool is_truth(const Row* row) {
  return row->kind == OpKind::Scalar && row->generate && row->schema.args.size() == 1 &&
         row->schema.args[0].type.is_tensor() && row->schema.results[0].type.is(TypeKind::Bool);
}

// The row that makes a bool of a tensor.
const Row* truth_row() {
  static const Row* const found = [] {
    for (const Row* r : RowTable::instance().sorted()) {
      if (is_truth(r)) return r;
    }
    return static_cast<const Row*>(nullptr);
  }();
  return found;
}

bool same_type(const Type& a, const Type& b) { return a == b; }

}  // namespace

// The latest value of scalars_ or tensors_ (from index `from` on) of the model's type, or null.
Value* Builder::newest_like(const Value* model, size_t from) {
  const std::vector<Value*>& pool = model->type().is_tensor() ? tensors_ : scalars_;
  for (size_t i = pool.size(); i > from; --i) {
    if (pool[i - 1] != model && same_type(pool[i - 1]->type(), model->type())) return pool[i - 1];
  }
  return nullptr;
}

Value* Builder::condition() {
  std::vector<Value*> bools;
  for (Value* v : scalars_) {
    if (v->type().is(TypeKind::Bool)) bools.push_back(v);
  }
  if (!bools.empty() && choices_.chance(0.5)) return choices_.pick(bools);
  if (truth_row() && choices_.chance(0.5)) {
    for (Value* v : tensors_) {
      if (numel_of(v->type().info().sizes) != 1) continue;
      Node* n = graph_->create(*truth_row(), {v}, 1);
      n->output()->set_type(TypeKind::Bool);
      block_->append(n);
      scalars_.push_back(n->output());
      return n->output();
    }
  }
  if (!bools.empty()) return choices_.pick(bools);
  Value* input = graph_->add_input(TypeKind::Bool);
  scalars_.push_back(input);
  return input;
}

// A literal of the block under construction; both branches of an If often draw the same.
Value* Builder::small_constant(TypeKind kind) {
  int64_t i = choices_.between(-1, 2);
  IValue v = kind == TypeKind::Int ? IValue(i) : IValue(static_cast<double>(i) / 2);
  return graph_->constant(std::move(v), block_->return_node());
}

void Builder::branch(int depth) {
  Value* decides = condition();
  Node* n = graph_->create(prim::if_(), {decides}, 0);
  block_->append(n);
  Block* outer = block_;
  size_t tensors = tensors_.size();
  size_t scalars = scalars_.size();
  // What the branches compute anew is handed out as versions of values from before.
  std::vector<Value*> models;
  int results = static_cast<int>(choices_.between(1, 2));
  for (int i = 0; i < results; ++i) models.push_back(pick_tensor());
  TypeKind scalar = choices_.chance(0.7)   ? TypeKind::None
                    : choices_.chance(0.5) ? TypeKind::Int
                                           : TypeKind::Float;
  for (int side = 0; side < 2; ++side) {
    block_ = n->add_block();
    steps(static_cast<int>(choices_.between(side, 3)), depth + 1);
    for (Value* model : models) {
      Value* v = newest_like(model, tensors);
      block_->add_result(v ? v : model);
    }
    if (scalar != TypeKind::None) block_->add_result(small_constant(scalar));
    tensors_.resize(tensors);
    scalars_.resize(scalars);
  }
  block_ = outer;
  for (Value* model : models) add_result(n->add_output(model->type()));
  if (scalar != TypeKind::None) scalars_.push_back(n->add_output(scalar));
}

Value* Builder::trip_count() {
  for (Value* v : graph_->inputs()) {
    if (v->name() == "trips" && choices_.chance(0.5)) return v;
  }
  if (choices_.chance(0.3)) {
    bool taken = false;
    for (Value* v : graph_->inputs()) taken = taken || v->name() == "trips";
    if (!taken) {
      Value* v = graph_->add_input(TypeKind::Int);
      v->set_name("trips");
      return v;
    }
  }
  const bool many = choices_.chance(0.2);  // more than are unrolled as one
  const int64_t turns = many ? choices_.between(8, 18) : choices_.between(0, 4);
  return graph_->constant(IValue(turns), block_->return_node());
}

// An error that the loop meets if it turns at all.
void Builder::raise_in_turn() {
  const Row* divide = drawable("aten::floordiv.int");
  if (!divide) return;
  Value* zero = graph_->constant(IValue(0), block_->return_node());
  Value* over = small_constant(TypeKind::Int);
  for (Value* v : scalars_)
    if (v->type().is(TypeKind::Int) && choices_.chance(0.5)) over = v;
  Node* n = block_->append(graph_->create(*divide, {over, zero}));
  n->output()->set_type(TypeKind::Int);
  scalars_.push_back(n->output());
}

// What every turn makes anew of what stands outside: a tensor that it writes, or one that it reads
// before it writes what it is made of.
void Builder::anew(Value* outside, Value* carried) {
  const Row* add = drawable("aten::add.Tensor");
  const Row* in_place = drawable("aten::add_.Tensor");
  const Row* zeros = drawable("aten::zeros_like");
  const Row* negated = drawable("aten::neg");
  if (!add || !in_place || !zeros || !negated) return;
  const bool writes = choices_.chance(0.5);
  Value* made = writes ? with_defaults(*zeros, {outside}) : append(*negated, {outside});
  if (!made) return;
  if (writes) with_defaults(*in_place, {made, carried});
  else overwrite(outside);
  with_defaults(*add, {carried, made});
}

// A loop that is not known to run all its turns.
Value* Builder::ends_after(Value* index) {
  const Row* less = drawable("aten::lt.int");
  if (!less) return nullptr;
  Value* last = graph_->constant(IValue(choices_.between(0, 3)), block_->return_node());
  return append(*less, {index, last});
}

void Builder::loop(int depth) {
  Value* trips = trip_count();
  Value* go_on =
      choices_.chance(0.8) ? graph_->constant(IValue(true), block_->return_node()) : condition();
  std::vector<Value*> inputs{trips, go_on};
  int carried = static_cast<int>(choices_.between(1, 2));
  // What begins in memory of its own and is only read afterwards is no view of an input: gradients
  // of the whole function flow through it.
  const Row* over = drawable("aten::neg");
  const bool own = over && choices_.chance(0.5);
  for (int i = 0; i < carried; ++i) {
    Value* first = pick_tensor();
    Value* made = own ? append(*over, {first}) : nullptr;
    inputs.push_back(made ? made : first);
  }
  Node* n = graph_->create(prim::loop(), inputs, 0);
  block_->append(n);
  Block* outer = block_;
  size_t tensors = tensors_.size();
  size_t scalars = scalars_.size();
  block_ = n->add_block();
  Value* index = block_->add_param(TypeKind::Int);
  scalars_.push_back(index);
  std::vector<Value*> params;
  for (int i = 0; i < carried; ++i) {
    params.push_back(block_->add_param(inputs[static_cast<size_t>(i) + 2]->type()));
    tensors_.push_back(params.back());
  }
  const bool never = trips->node()->is(prim::constant()) && trips->node()->constant().as_int() == 0;
  if (never && choices_.chance(0.3)) raise_in_turn();
  steps(static_cast<int>(choices_.between(1, 3)), depth + 1);
  if (policy_.in_place > 0 && choices_.chance(0.35)) anew(inputs[2], params[0]);
  const Row* add = drawable("aten::add.Scalar");
  if (add && choices_.chance(0.2)) with_defaults(*add, {params[0], index});
  Value* next = own && choices_.chance(0.5) ? ends_after(index) : nullptr;
  if (!next && choices_.chance(0.2)) next = condition();
  if (!next) next = graph_->constant(IValue(true), block_->return_node());
  block_->add_result(next);
  for (Value* p : params) {
    Value* v = newest_like(p, tensors);
    block_->add_result(v ? v : p);
  }
  tensors_.resize(tensors);
  scalars_.resize(scalars);
  block_ = outer;
  for (Value* p : params) {
    Value* out = n->add_output(p->type());
    if (!own || !append(*over, {out})) add_result(out);
  }
}

}  // namespace fusillade::fuzz
