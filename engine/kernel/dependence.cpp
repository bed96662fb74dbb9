// See dependence.h.
//
// The test for one dimension: a*i + rest = a*i' + rest' with |rest - rest'| < |a| leaves i = i'. It
// is applied to the variable of the loop, or to all quotients and remainders by one number that it
// is composed of.
#include "engine/kernel/dependence.h"

#include <algorithm>

#include "engine/scalar/native.h"
#include "engine/scalar/nodes_seen.h"

namespace fusillade::kernel {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;
// Of a quotient or remainder as text. Longer ones are unknown: an index of a reshape of a reshape
// reads its own twice, so that its text doubles with each.
constexpr size_t kLongest = 256;

bool far(const Range& r) { return r.lo < -kFar || r.hi > kFar; }

std::optional<Range> times(std::optional<Range> r, int64_t n) {
  if (!r || far(*r) || n > kFar || n < -kFar) return std::nullopt;
  Range out;
  int64_t a = 0, b = 0;
  if (__builtin_mul_overflow(r->lo, n, &a) || __builtin_mul_overflow(r->hi, n, &b))
    return std::nullopt;
  out = {std::min(a, b), std::max(a, b)};
  return far(out) ? std::nullopt : std::optional(out);
}

std::optional<Range> plus(std::optional<Range> a, std::optional<Range> b) {
  if (!a || !b) return std::nullopt;
  const Range out{a->lo + b->lo, a->hi + b->hi};
  return far(out) ? std::nullopt : std::optional(out);
}

void add(Affine& to, const Affine& from, int64_t factor) {
  to.constant += from.constant * factor;
  for (const auto& [name, term] : from.terms) {
    Term& mine = to.terms[name];
    mine.variables = term.variables;
    mine.range = term.range;
    mine.times += term.times * factor;
    if (mine.times == 0) to.terms.erase(name);
  }
}

Affine one_term(std::string name, Term term) {
  Affine out;
  term.times = 1;
  out.terms.emplace(std::move(name), std::move(term));
  return out;
}

std::optional<Affine> of_variable(int var, const Scope& scope) {
  const std::string name = fmt::format("v{}", var);
  if (const auto loop = scope.loops.find(var); loop != scope.loops.end()) {
    const int64_t extent = loop->second->extent;
    std::optional<Range> range;
    if (!is_dynamic(extent) && extent > 0) range = Range{0, extent - 1};
    return one_term(name, {1, {var}, range});
  }
  if (const auto let = scope.lets.find(var); let != scope.lets.end())
    return affine_of(let->second, scope);
  if (scope.extents.count(var)) return one_term(name, {});
  return std::nullopt;
}

std::set<int> variables_of(const Affine& a) {
  std::set<int> out;
  for (const auto& [name, term] : a.terms) out.insert(term.variables.begin(), term.variables.end());
  return out;
}

std::optional<Affine> of_division(ExprOp op, const Affine& a, int64_t by) {
  if (by <= 0) return std::nullopt;
  const std::optional<Range> range = a.range();
  Term term{1, variables_of(a), {}};
  if (op == ExprOp::FloorMod) term.range = Range{0, by - 1};
  else if (range)
    term.range = Range{integer::floor_div(range->lo, by), integer::floor_div(range->hi, by)};
  const bool plain = a.constant == 0 && a.terms.size() == 1 && a.terms.begin()->second.times == 1;
  if (a.text().size() > kLongest) return std::nullopt;
  return one_term(fmt::format("{}{}{}", plain ? a.text() : "(" + a.text() + ")",
                              op == ExprOp::FloorDiv ? "/" : "%", by),
                  term);
}

}  // namespace

std::optional<Range> Affine::range() const {
  std::optional<Range> out = Range{constant, constant};
  for (const auto& [name, term] : terms) out = plus(out, times(term.range, term.times));
  return out;
}

std::string Affine::text() const {
  std::string out;
  for (const auto& [name, term] : terms) {
    out += (out.empty() ? "" : " + ") + name;
    if (term.times != 1) out += fmt::format("*{}", term.times);
  }
  if (constant != 0 || out.empty()) out += (out.empty() ? "" : " + ") + std::to_string(constant);
  return out;
}

std::optional<Affine> affine_of(const ExprNode* e, const Scope& scope) {
  int64_t n = 0;
  if (Expr(e).as_int(&n)) return n < -kFar || n > kFar ? std::nullopt : std::optional(Affine{n});
  if (e->op == ExprOp::Var) return of_variable(e->id, scope);
  if (e->children != 2 || e->model != Model::I64 || e->op == ExprOp::Load) return std::nullopt;
  std::optional<Affine> a = affine_of(e->child[0], scope);
  if (!a) return std::nullopt;
  std::optional<Affine> b = affine_of(e->child[1], scope);
  if (!b) return std::nullopt;
  const bool literal = b->terms.empty();
  switch (e->op) {
    case ExprOp::Add:
      add(*a, *b, 1);
      return a;
    case ExprOp::Sub:
      add(*a, *b, -1);
      return a;
    case ExprOp::Mul: {
      if (!literal && !a->terms.empty()) return std::nullopt;
      if (!literal) std::swap(a, b);
      if (b->constant < -(1 << 20) || b->constant > (1 << 20)) return std::nullopt;
      Affine out;
      add(out, *a, b->constant);
      return out;
    }
    case ExprOp::FloorDiv:
    case ExprOp::FloorMod:
      return literal ? of_division(e->op, *a, b->constant) : std::nullopt;
    default:
      return std::nullopt;
  }
}

namespace {

class Collector {
 public:
  explicit Collector(const Kernel& kernel) {
    for (const ScalarParam& s : kernel.scalars)
      if (s.least >= 0) scope_.extents.insert(s.var);
    body(kernel.body);
  }
  std::vector<Access> found;

 private:
  void body(const Body& statements) {
    std::vector<int> lets;
    for (const Stmt& s : statements) statement(s, lets);
    for (int v : lets) scope_.lets.erase(v);
  }

  void statement(const Stmt& s, std::vector<int>& lets) {
    ++number_;
    if (s.value.is_defined()) loads(s.value.node(), s);
    for (const Expr& e : s.indices) loads(e.node(), s);
    seen_.clear();
    if (s.kind == Stmt::Kind::Store) {
      std::vector<const ExprNode*> indices;
      for (const Expr& e : s.indices) indices.push_back(e.node());
      note(s, s.buffer, true, indices.data(), indices.size(), nullptr);
    }
    if (s.kind == Stmt::Kind::Let && s.value.model() == Model::I64) {
      scope_.lets[s.var] = s.value.node();
      lets.push_back(s.var);
    }
    if (s.kind == Stmt::Kind::For) {
      const auto before = scope_.loops;
      scope_.loops[s.var] = &s;
      path_.push_back(&s);
      body(s.body);
      path_.pop_back();
      scope_.loops = before;
    } else if (s.kind == Stmt::Kind::If) {
      ++conditions_;
      body(s.body);
      --conditions_;
    }
  }

  void loads(const ExprNode* e, const Stmt& s) {
    if (!seen_.insert(e)) return;
    for (uint32_t i = 0; i < e->children; ++i) loads(e->child[i], s);
    if (e->op == ExprOp::Load) note(s, e->id, false, e->child, e->children, e);
  }

  void note(const Stmt& s, int buffer, bool write, const ExprNode* const* indices, size_t count,
            const ExprNode* load) {
    Access a;
    a.buffer = buffer;
    a.write = write;
    for (size_t i = 0; i < count; ++i) a.at.push_back(affine_of(indices[i], scope_));
    a.loops = path_;
    a.statement = &s;
    a.under_if = conditions_ > 0;
    a.load = load;
    a.number = number_;
    found.push_back(std::move(a));
  }

  Scope scope_;
  std::vector<const Stmt*> path_;
  NodesSeen seen_;
  int conditions_ = 0;
  int number_ = 0;
};

// a's rest less b's, where the term `name` is left out of both.
std::optional<Range> difference(const Affine& a, const Affine& b, const std::string& name,
                                const std::set<int>& outer) {
  std::optional<Range> out = Range{a.constant - b.constant, a.constant - b.constant};
  const auto is_shared = [&](const Term& t) {
    return std::ranges::all_of(t.variables, [&](int v) { return outer.count(v) > 0; });
  };
  for (const auto& [term, mine] : a.terms) {
    if (term == name) continue;
    int64_t factor = mine.times;
    const auto other = b.terms.find(term);
    if (other != b.terms.end() && is_shared(mine)) factor -= other->second.times;
    if (factor != 0) out = plus(out, times(mine.range, factor));
  }
  for (const auto& [term, its] : b.terms) {
    if (term == name || (a.terms.count(term) && is_shared(its))) continue;
    out = plus(out, times(its.range, -its.times));
  }
  return out;
}

// Is some index of theirs never the same?
bool never_meet(const Access& a, const Access& b, const std::set<int>& outer) {
  for (size_t d = 0; d < a.at.size() && d < b.at.size(); ++d) {
    if (!a.at[d] || !b.at[d]) continue;
    const std::optional<Range> distance = difference(*a.at[d], *b.at[d], "", outer);
    if (distance && (distance->lo > 0 || distance->hi < 0)) return true;
  }
  return false;
}

// Is the term the same in both wherever they touch one element?
bool is_same_term(const Access& a, const Access& b, const std::string& name,
                  const std::set<int>& outer) {
  for (size_t d = 0; d < a.at.size() && d < b.at.size(); ++d) {
    if (!a.at[d] || !b.at[d]) continue;
    const auto mine = a.at[d]->terms.find(name);
    const auto its = b.at[d]->terms.find(name);
    if (mine == a.at[d]->terms.end() || its == b.at[d]->terms.end()) continue;
    if (mine->second.times != its->second.times) continue;
    const std::optional<Range> rest = difference(*a.at[d], *b.at[d], name, outer);
    const int64_t step = std::abs(mine->second.times);
    if (rest && rest->lo > -step && rest->hi < step) return true;
  }
  return false;
}

// The numbers by which the variable is divided.
std::set<std::string> divisors(const Access& a, const std::string& var) {
  std::set<std::string> out;
  for (const auto& at : a.at) {
    if (!at) continue;
    for (const auto& [name, term] : at->terms)
      if (name.starts_with(var + "/")) out.insert(name.substr(var.size() + 1));
  }
  return out;
}

}  // namespace

std::vector<Access> accesses_of(const Kernel& kernel) { return Collector(kernel).found; }

bool may_overlap(const Kernel& kernel, int a, int b) {
  return a == b || std::ranges::any_of(kernel.may_alias, [&](const auto& pair) {
           return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
         });
}

bool same_iteration_only(const Kernel& kernel, const Access& a, const Access& b, int var,
                         const std::set<int>& outer) {
  if (!may_overlap(kernel, a.buffer, b.buffer)) return true;
  if (a.buffer != b.buffer) return false;
  const std::string name = fmt::format("v{}", var);
  if (never_meet(a, b, outer) || is_same_term(a, b, name, outer)) return true;
  return std::ranges::any_of(divisors(a, name), [&](const std::string& by) {
    return is_same_term(a, b, name + "/" + by, outer) && is_same_term(a, b, name + "%" + by, outer);
  });
}

bool disjoint_from_itself(const Kernel& kernel, const Access& a, const Stmt& loop) {
  std::set<int> outer;
  for (const Stmt* around : a.loops) {
    if (around == &loop) return same_iteration_only(kernel, a, a, loop.var, outer);
    outer.insert(around->var);
  }
  return false;
}

}  // namespace fusillade::kernel
