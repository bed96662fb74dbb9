// See welford.h. What a row of a mean divides by and what a variance subtracts must be known from
// the stages alone: a mean that is scaled or of other elements does not fit.
//
// All three are kept in double: for elements far from 0 a mean in float32 has few digits after the
// point; in two passes only its square is lost.
#include "engine/fuse/welford.h"

#include <bit>

#include "engine/base/options.h"
#include "engine/base/probe.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/statements.h"

namespace fusillade::fuse {
namespace {

using namespace write;

Probe probe_welford("fuse/welford");

const Option<int64_t> kLongReduction(
    "tile_long_row", 8192,
    "fuser tile: rows longer than this are split over blocks if there are few rows, and a variance "
    "takes one pass over them",
    "1..");

const ExprNode* without_conversions(const ExprNode* e) {
  while (e->op == ExprOp::Convert && e->model != Model::Bool) e = e->child[0];
  return e;
}

// What a sum takes in; null: it is no sum.
const ExprNode* taken_in(const Stage& s) {
  const ExprNode* e = s.update.is_defined() ? s.update.node() : nullptr;
  if (s.accumulator < 0 || s.scan || s.moments || !e || e->op != ExprOp::Add) return nullptr;
  const bool sum = e->child[0]->op == ExprOp::Var && e->child[0]->id == s.accumulator;
  return sum && (e->model == Model::F32 || e->model == Model::F64) ? e->child[1] : nullptr;
}

bool is_load_of(const ExprNode* e, int buffer) {
  e = without_conversions(e);
  return e->op == ExprOp::Load && e->id == buffer;
}

// Is `e` the square of what is left of `x` without the elements of `mean`?
bool is_square_alone(const ExprNode* e, const ExprNode* x, int mean) {
  const ExprNode* square = without_conversions(e);
  if (square->op != ExprOp::Mul || square->child[0] != square->child[1]) return false;
  const ExprNode* difference = without_conversions(square->child[0]);
  return difference->op == ExprOp::Sub && is_load_of(difference->child[1], mean) &&
         without_conversions(difference->child[0]) == without_conversions(x);
}

// The value of a stage with its sum over all elements, divided by their number, as `mean`;
// undefined where it is anything else.
Expr with_mean(const Stage& s, Expr mean) {
  const double count = static_cast<double>(numel_of(s.reduce_sizes));
  ExprRewrite rewrite([&](const ExprNode* e) -> Expr {
    const bool divides = e->op == ExprOp::Div && e->child[0]->op == ExprOp::Var &&
                         e->child[0]->id == s.accumulator && e->child[1]->op == ExprOp::Imm &&
                         std::bit_cast<double>(e->child[1]->imm) == count;
    return divides ? mean : Expr();
  });
  const Expr value = rewrite(s.value);
  bool left = false;
  for_each_node(value, [&](const ExprNode* e) {
    left = left || (e->op == ExprOp::Var && e->id == s.accumulator);
  });
  return left || value.is(s.value) ? Expr() : value;
}

// Makes a pair of the two, where they are one.
bool pair_up(Stage& mean, Stage& squares, kernel::Kernel& kernel) {
  const ExprNode* x = taken_in(mean);
  const ExprNode* square = taken_in(squares);
  if (!x || !square || x->model != square->model || !is_square_alone(square, x, mean.buffer))
    return false;
  if (!(mean.sizes == squares.sizes) || !(mean.reduce_sizes == squares.reduce_sizes)) return false;
  const int vars = kernel.num_vars;  // three: count, mean, squares
  const auto moment = [&](int var) { return convert(Expr::var(var, Model::F64), x->model); };
  const Expr value = with_mean(mean, moment(vars + 1));
  if (!value.is_defined()) return false;
  ExprRewrite of_squares([&](const ExprNode* e) {
    const bool it = e->op == ExprOp::Var && e->id == squares.accumulator;
    return it ? moment(vars + 2) : Expr();
  });
  squares.value = of_squares(squares.value);
  mean.value = value;
  mean.update = convert(Expr(x), Model::F64);
  squares.update = mean.identity = squares.identity = Expr::imm_f(0, Model::F64);
  mean.accumulator = vars + 1;
  squares.accumulator = vars + 2;
  kernel.num_vars += 3;
  mean.moments = squares.moments = std::make_shared<const StageMoments>(
      StageMoments{vars, vars + 1, vars + 2, Expr::imm_f(1, Model::F64)});
  return true;
}

}  // namespace

int64_t long_reduction() { return kLongReduction.get(); }

Moments combine_moments(const Moments& a, const Moments& b) {
  const Model model = a[0].model();
  const Expr none = Expr::imm_f(0, model);
  const Expr count = a[0] + b[0];
  const Expr share = select(count == none, none, b[0] / count);
  const Expr delta = b[1] - a[1];
  const Expr squares = a[2] + b[2] + delta * (delta * (a[0] * share));  // of no count 0, not NaN
  // An infinity stays one, or is NaN with another, as in a sum; how far it is from itself is NaN.
  const Expr finite = (a[1] - a[1] == none) & (b[1] - b[1] == none);
  const Expr beyond = a[1] + b[1];
  return {count, select(finite, a[1] + delta * share, beyond),
          select(finite, squares, beyond - beyond)};
}

std::vector<Stage> by_welford(const std::vector<Stage>& stages, kernel::Kernel& kernel) {
  std::vector<Stage> out = stages;
  if (kernel.domain == Domain::Ring) return out;
  for (size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i].accumulator < 0 || numel_of(out[i].reduce_sizes) <= long_reduction()) continue;
    if (pair_up(out[i], out[i + 1], kernel)) probe_welford.hit();
  }
  return out;
}

}  // namespace fusillade::fuse
