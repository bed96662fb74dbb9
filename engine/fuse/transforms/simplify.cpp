// simplify(): indices and conditions that are known are written as what they are.
//
//   (v0*8 + v1) / 8  becomes v0, (v0*8 + v1) % 8 becomes v1, where v1 is in 0 .. 7; v0 < 9 is true
//   where v0 is; `if true` is its body, and `if false` nothing; a loop of one iteration is its
//   body, one of none is nothing; a let of a number or of a variable is that.
//
// Legal wherever it finds something: values stay, and so does the order of statements.
#include "engine/base/table.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Affine;
using kernel::Kernel;
using kernel::Range;

class Simplifier {
 public:
  explicit Simplifier(const Kernel& kernel) {
    for (const kernel::ScalarParam& s : kernel.scalars)
      if (s.least >= 0) scope_.extents.insert(s.var);
  }

  Body body(const Body& statements) {
    Body out;
    std::vector<int> lets;
    for (const Stmt& s : statements) statement(s, out, lets);
    for (int v : lets) scope_.lets.erase(v);
    return out;
  }

 private:
  void statement(Stmt s, Body& out, std::vector<int>& lets) {
    if (s.value.is_defined()) s.value = simple(s.value);
    for (Expr& e : s.indices) e = simple(e);
    if (s.kind == Stmt::Kind::For) return loop(std::move(s), out);
    if (s.kind == Stmt::Kind::If) {
      const bool known = s.value->op == ExprOp::Imm;
      if (known && s.value->imm == 0) return;
      s.body = body(s.body);
      if (known) return append(std::move(s.body), out);
    }
    if (s.kind == Stmt::Kind::Let && s.value.model() == Model::I64) {
      const bool plain = s.value->op == ExprOp::Imm ||
                         (s.value->op == ExprOp::Var && scope_.loops.count(s.value->id));
      if (plain) {
        by_[s.var] = s.value;
        return;
      }
      scope_.lets[s.var] = s.value.node();
      lets.push_back(s.var);
    }
    out.push_back(std::move(s));
  }

  void loop(Stmt s, Body& out) {
    if (s.extent == 0) return;
    if (s.extent == 1) {
      by_[s.var] = number(0);
      return append(body(s.body), out);
    }
    scope_.loops[s.var] = &s;
    s.body = body(s.body);
    scope_.loops.erase(s.var);
    out.push_back(std::move(s));
  }

  Expr simple(Expr e) {
    ExprRewrite rewrite([&](const ExprNode* n) { return simplify_node(n, rewrite); });
    return rewrite(replace_exprs(e, by_));
  }

  // Undefined: as it is.
  Expr simplify_node(const ExprNode* n, ExprRewrite& rewrite) {
    if (n->op == ExprOp::FloorDiv || n->op == ExprOp::FloorMod) return division(n);
    if (n->model == Model::I64 && n->op == ExprOp::Add)
      return rewrite(n->child[0]) + rewrite(n->child[1]);
    if (n->model == Model::I64 && n->op == ExprOp::Mul)
      return rewrite(n->child[0]) * rewrite(n->child[1]);
    if (n->op != ExprOp::Lt || n->child[0]->model != Model::I64) return {};
    const auto a = kernel::affine_of(n->child[0], scope_);
    const auto b = kernel::affine_of(n->child[1], scope_);
    if (!a || !b || !a->range() || !b->range()) return {};
    if (a->range()->hi < b->range()->lo) return Expr::imm_b(true);
    return a->range()->lo >= b->range()->hi ? Expr::imm_b(false) : Expr();
  }

  // a = n*q + r with r in 0 .. n-1: a/n is q, a%n is r.
  Expr division(const ExprNode* e) {
    int64_t n = 0;
    if (!Expr(e->child[1]).as_int(&n) || n <= 0) return {};
    for (int v : variables_read(Expr(e->child[0])))
      if (scope_.lets.count(v)) return {};  // a condition may know more of it than its value does
    const auto a = kernel::affine_of(e->child[0], scope_);
    if (!a) return {};
    Affine quotient, rest;
    for (const auto& [name, term] : a->terms) {
      const bool whole = term.times % n == 0;
      kernel::Term& part = (whole ? quotient : rest).terms[name];
      part = term;
      if (whole) part.times /= n;
    }
    rest.constant = ((a->constant % n) + n) % n;
    quotient.constant = (a->constant - rest.constant) / n;
    const std::optional<Range> range = rest.range();
    if (!range || range->lo < 0 || range->hi >= n) return {};
    return to_expr(e->op == ExprOp::FloorDiv ? quotient : rest, e->child[0]);
  }

  // With the terms as they appear in `from`.
  Expr to_expr(const Affine& a, const Expr& from) const {
    std::map<std::string, Expr> terms;
    find_terms(from, terms);
    Expr out = number(0);
    for (const auto& [name, term] : a.terms) out = out + terms.at(name) * number(term.times);
    return out + number(a.constant);
  }

  void find_terms(const Expr& from, std::map<std::string, Expr>& terms) const {
    for_each_node(from, [&](const ExprNode* n) {
      const auto a = kernel::affine_of(n, scope_);
      if (a && a->constant == 0 && a->terms.size() == 1 && a->terms.begin()->second.times == 1)
        terms[a->terms.begin()->first] = n;
    });
  }

  kernel::Scope scope_;
  Replacements by_;
};

void apply(Kernel& kernel, const Arguments&) { kernel.body = Simplifier(kernel).body(kernel.body); }

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  Kernel simplified = facts.kernel;
  apply(simplified, a);
  return print(simplified) == print(facts.kernel) ? "there is nothing to simplify" : "";
}

const Transform& registered = Table<Transform>::instance().add(
    {"simplify",
     "indices, conditions and loops with known values are simplified",
     {},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
