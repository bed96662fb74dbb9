// See open_sum.h.
#include "fuzz/run/open_sum.h"

#include "engine/scalar/expr.h"

namespace fusillade::fuzz {

bool keeps_open(DType dtype) {
  return OpenSums::on() && (dtype == DType::F32 || dtype == DType::F64);
}

void keep_open(Cells& cells, size_t at, Sum terms) {
  cells.sums.resize(cells.real.size());
  const Bounded& b = cells.real[at];
  cells.sums[at] = std::make_shared<const OpenSum>(OpenSum{std::move(terms), b.lo, b.hi});
}

const OpenSum* open_sum(const Cells& cells, size_t at) {
  if (at >= cells.sums.size()) return nullptr;
  const OpenSum* sum = cells.sums[at].get();
  const Bounded& b = cells.real[at];
  return sum && sum->lo == b.lo && sum->hi == b.hi ? sum : nullptr;
}

bool adds_two(const Formula& formula, DType compute) {
  if (formula.arity != 2) return false;
  const Model model = compute_of(compute);
  ExprPool pool;
  ExprPool::Scope scope(pool);
  FormulaModel of(model);
  Expr in[2] = {Expr::arg(0, model), Expr::arg(1, model)};
  return formula.expr(in)->op == ExprOp::Add;
}

void join_sums(Cells& out, size_t at, const OpenSum* const open[2], const Bounded terms[2]) {
  if (!open[0] && !open[1]) return;
  Sum all(steps_of(out.dtype));
  for (int k = 0; k < 2; ++k) {
    if (open[k]) all.add(open[k]->terms);
    else all.add(terms[k]);
  }
  out.real[at] = select(Tri::Unsure, out.real[at], to_real(all.result(), out.dtype));
  keep_open(out, at, std::move(all));
}

}  // namespace fusillade::fuzz
