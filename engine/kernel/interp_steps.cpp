// See interp_steps.h.
#include "engine/kernel/interp_steps.h"

#include <algorithm>
#include <unordered_map>

#include "engine/kernel/wide.h"

namespace fusillade::kernel {
namespace {

class Translator {
 public:
  Translator(const Kernel& kernel, int* most_slots)
      : kernel_(kernel), most_slots_(most_slots), ranges_(kernel) {}

  std::vector<Step> body(const Body& statements) {
    std::vector<Step> out;
    for (const Stmt& s : statements) out.push_back(statement(s));
    return out;
  }

 private:
  Step statement(const Stmt& s) {
    Step step;
    step.kind = s.kind;
    step.var = s.var;
    step.extent = s.extent;
    step.loop = s.loop;
    step.buffer = s.buffer;
    if (s.kind == Stmt::Kind::For) {
      loop(s, step);
      return step;
    }
    step.body = body(s.body);
    if (wide_.stores.contains(&s)) step.wide = wide_.lanes;
    if (s.kind == Stmt::Kind::Barrier) return step;
    slots_.clear();
    step_ = &step;
    for (size_t i = 0; i < s.indices.size(); ++i) step.indices[i] = slot(s.indices[i].node());
    step.value = slot(s.value.node());
    *most_slots_ = std::max(*most_slots_, static_cast<int>(step.code.size()));
    if (s.var >= 0 && s.kind != Stmt::Kind::Update) ranges_.define(s);
    return step;
  }

  void loop(const Stmt& s, Step& step) {
    const bool outside = !in_grid_;
    in_grid_ = in_grid_ || is_grid(s.loop);
    if (in_grid_ && s.loop == LoopKind::Vector) wide_ = wide_accesses(kernel_, s);
    ranges_.define(s);
    step.body = body(s.body);
    ranges_.forget(s);
    wide_ = {};
    if (outside) in_grid_ = false;
  }

  int slot(const ExprNode* e) {
    auto it = slots_.find(e);
    if (it != slots_.end()) return it->second;
    Instruction in = instruction(e);
    int at = static_cast<int>(step_->code.size());
    step_->code.push_back(in);
    slots_.emplace(e, at);
    return at;
  }

  Instruction instruction(const ExprNode* e) {
    Instruction in;
    in.kind = Instruction::Kind::Function;
    if (e->op == ExprOp::Imm) {
      in.kind = Instruction::Kind::Literal;
      in.literal = literal_value(*e, kernel_.domain);
      return in;
    }
    in.id = e->id;
    if (e->op == ExprOp::Var) {
      in.kind = Instruction::Kind::Var;
      return in;
    }
    if (e->op == ExprOp::Load) {
      in.kind = Instruction::Kind::Load;
      in.dtype = e->dtype;
      if (wide_.loads.contains(e)) in.wide = wide_.lanes;
      for (uint32_t i = 0; i < e->children; ++i) in.indices[i] = slot(e->child[i]);
      return in;
    }
    FUS_CHECK(e->children >= 1 && e->children <= 3, "an operation of {} operands", e->children);
    for (uint32_t i = 0; i < e->children; ++i) in.operand[i] = slot(e->child[i]);
    in.function = scalar_function(*e, e->child[0]->model, kernel_.domain);
    in.foretold = ranges_.of(e);
    if (!in.function) {
      decline("the interpreter has no operation {} of model {}", static_cast<int>(e->op),
              static_cast<int>(e->child[0]->model));
    }
    return in;
  }

  const Kernel& kernel_;
  int* most_slots_;
  Step* step_ = nullptr;
  std::unordered_map<const ExprNode*, int> slots_;
  IntRanges ranges_;
  bool in_grid_ = false;
  WideAccesses wide_;  // of the vector loop around
};

}  // namespace

std::vector<Step> steps_of(const Kernel& kernel, int* most_slots) {
  return Translator(kernel, most_slots).body(kernel.body);
}

}  // namespace fusillade::kernel
