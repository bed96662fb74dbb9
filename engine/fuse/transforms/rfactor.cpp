// rfactor(v1): a reduction in parts: each iteration of the loop has an accumulator of its own, and
// what they come to is put together in a loop after it.
//
//   accumulate v9 = 0
//   for v1 in 4: for v2 in 8: v9 = v9 + b0[v1, v2]
// becomes
//   accumulate v9 = 0
//   for v1 in 4:
//     accumulate v5 = 0
//     for v2 in 8: v5 = v5 + b0[v1, v2]
//     b2[v1] = v5
//   for v6 in 4: v9 = v9 + b2[v6]
//
// Legal where the loop only folds into one accumulator, by one operation that is exact in any order
// and has a neutral element (facts.h), and has no more than kMost iterations. The temporary has a
// dimension for a parallel loop around.
#include <algorithm>

#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

constexpr int64_t kMost = 1024;

struct Reduction {
  int accumulator = -1;
  const ExprNode* like = nullptr;  // acc + x
  Fold fold;
  std::string why;  // it is none
};

Reduction reduction_of(const Kernel& kernel, const Stmt& loop) {
  Reduction out;
  const std::set<int> updated = updated_outside(loop.body);
  if (updated.size() != 1) {
    out.why = "it does not fold into one accumulator";
    return out;
  }
  out.accumulator = *updated.begin();
  for_each_stmt(loop.body, [&](const Stmt& s) {
    const auto reads = [&](const Expr& e) { return variables_read(e).count(out.accumulator) > 0; };
    if (s.kind == Stmt::Kind::Update && s.var == out.accumulator) {
      const Fold fold = fold_of(kernel, s);
      if (!fold.exact || !fold.combine) out.why = "it is no exact fold";
      else if (out.like && out.like->op != s.value->op) out.why = "it folds by two operations";
      out.like = s.value.node();
      out.fold = fold;
      return;
    }
    if (s.kind == Stmt::Kind::Store) out.why = "it stores something";
    if (s.value.is_defined() && reads(s.value)) out.why = "it reads what was folded so far";
  });
  return out;
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const LoopAt& at = facts.at(a[0]);
  for (const Stmt* l : at.around)
    if (l->loop == LoopKind::Parallel && kernel::is_dynamic(l->extent))
      return fmt::format("the extent of v{} is no number", l->var);
  if (kernel::is_dynamic(at.loop->extent) || at.loop->extent < 2 || at.loop->extent > kMost)
    return fmt::format("its extent is no number from 2 to {}", kMost);
  return reduction_of(facts.kernel, *at.loop).why;
}

DType dtype_of(Model model) {
  switch (model) {
    case Model::Bool:
      return DType::Bool;
    case Model::I64:
      return DType::I64;
    case Model::F32:
      return DType::F32;
    case Model::F64:
      return DType::F64;
  }
  FUS_BUG("a value of no model");
}

void apply(Kernel& kernel, const Arguments& a) {
  const KernelFacts facts(kernel);
  const LoopAt& at = facts.at(a[0]);
  const Reduction r = reduction_of(kernel, *at.loop);
  const Model model = r.like->model;
  Dims sizes;
  std::vector<Expr> first, then;
  for (const Stmt* l : at.around) {
    if (l->loop != LoopKind::Parallel) continue;
    sizes.push_back(l->extent);
    first.push_back(index_var(l->var));
  }
  then = first;
  const int own = fresh_var(kernel), iteration = fresh_var(kernel);
  sizes.push_back(at.loop->extent);
  first.push_back(index_var(at.loop->var));
  then.push_back(index_var(iteration));
  const int parts = add_temp(kernel, dtype_of(model), sizes);
  const Found found = find_loop(kernel, a[0]);
  Stmt loop = std::move(found.stmt());
  Body inside = one(set(Stmt::Kind::Declare, own, r.fold.start));
  append(copy_body(kernel, loop.body, {{r.accumulator, Expr::var(own, model)}}), inside);
  inside.push_back(store(parts, first, Expr::var(own, model)));
  loop.body = std::move(inside);
  const Expr part = convert(Expr::load(parts, dtype_of(model), then), model);
  const Expr sum = r.fold.combine(Expr::var(r.accumulator, model), part, r.like);
  Stmt last = like(loop, iteration, loop.extent, one(set(Stmt::Kind::Update, r.accumulator, sum)));
  Body out = one(std::move(loop));
  out.push_back(std::move(last));
  put(found, std::move(out));
}

const Transform& registered = Table<Transform>::instance().add(
    {"rfactor",
     "a reduction is split into parts, one for each iteration of a loop",
     {{Parameter::Kind::Loop, "loop"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
