// What every kernel must satisfy before a back end sees it; a violation is a Bug of the fuser.
//
// Variables are defined before use, models agree, stores go to writable buffers with one index per
// dimension, a store inside a parallel or vector loop meets no other iteration's (dependence.h),
// and interval arithmetic finds no index outside its buffer, whatever its dynamic sizes are at a
// launch. Indices it cannot bound are left to the checking back end.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/kernel/dependence.h"

namespace fusillade::kernel {
namespace {

// From lo to hi, both included; above a dynamic extent, to that extent + hi, and no further
// than `end`.
struct Interval {
  int64_t lo, hi;
  int64_t above = 0;  // 0: none, else as in kernel.h
  int64_t end = kUnlimited;
  Interval offset_by(int64_t by) const {
    return {lo + by, hi + by, above, end == kUnlimited ? end : end + by};
  }
};

constexpr int64_t kFar = int64_t{1} << 40;  // products of two ends beyond this are not followed

class Checker {
 public:
  explicit Checker(const Kernel& kernel) : kernel_(kernel) {
    for (const ScalarParam& s : kernel.scalars) {
      defined_.insert(s.var);
      FUS_CHECK(s.least < 0 || s.model == Model::I64, "extent v{} is no integer", s.var);
      FUS_CHECK(s.most >= s.least, "extent v{} is {} or more and {} or less", s.var, s.least,
                s.most);
    }
    FUS_CHECK(kernel.reach > 0, "buffers reach less than {}", kernel.reach);
    for (const Buffer& b : kernel.buffers) {
      for (int64_t n : b.sizes) number(n);
      for (int64_t n : b.strides) number(n);
    }
  }

  void body(const Body& statements) {
    std::vector<int> local;
    for (const Stmt& s : statements) statement(s, local);
    for (int v : local) {
      defined_.erase(v);
      ranges_.erase(v);
      counts_.erase(v);
    }
  }

 private:
  void number(int64_t n) const {
    FUS_CHECK(!is_dynamic(n) || (scalar_of(n) < kernel_.scalars.size() &&
                                 kernel_.scalars[scalar_of(n)].least >= 0),
              "{} is no number and no extent", n);
  }

  void statement(const Stmt& s, std::vector<int>& local) {
    FUS_CHECK(s.var < kernel_.num_vars, "variable v{} is not declared", s.var);
    switch (s.kind) {
      case Stmt::Kind::For:
        loop(s);
        break;
      case Stmt::Kind::Store:
        store(s);
        break;
      case Stmt::Kind::Let:
      case Stmt::Kind::Declare:
        expression(s.value);
        define(s, local);
        break;
      case Stmt::Kind::Update:
        FUS_CHECK(defined_.count(s.var), "accumulator v{} is updated before it is declared", s.var);
        FUS_CHECK(!outside_.count(s.var), "iterations that run at the same time update v{}", s.var);
        expression(s.value);
        break;
      case Stmt::Kind::If:
        FUS_CHECK(s.value.model() == Model::Bool, "a condition that is no Bool");
        expression(s.value);
        branch(s);
        break;
      case Stmt::Kind::Barrier:
        break;
      case Stmt::Kind::Shuffle:
        FUS_CHECK(s.indices.size() == 1 && s.indices[0].model() == Model::I64,
                  "a shuffle from no one thread");
        expression(s.indices[0]);
        expression(s.value);
        define(s, local);
        break;
    }
  }

  // Visible until the body ends.
  void define(const Stmt& s, std::vector<int>& local) {
    FUS_CHECK(defined_.insert(s.var).second, "v{} is defined twice", s.var);
    local.push_back(s.var);
    checked_.clear();
    ranges_.erase(s.var);
    if (s.kind != Stmt::Kind::Let || s.value.model() != Model::I64) return;
    if (std::optional<Interval> range = bounds(s.value.node())) ranges_[s.var] = *range;
    if (counts(s.value.node())) counts_.insert(s.var);
  }

  // Within it, variables are where the condition says.
  void branch(const Stmt& s) {
    const std::unordered_map<int, Interval> outside = ranges_;
    const bool never = never_;
    narrow(s.value.node());
    checked_.clear();
    body(s.body);
    ranges_ = outside;
    never_ = never;
    checked_.clear();
  }

  void narrow(const ExprNode* e) {
    if (e->op == ExprOp::And) {
      narrow(e->child[0]);
      narrow(e->child[1]);
    }
    if (e->op != ExprOp::Lt || e->child[0]->op != ExprOp::Var) return;
    const int var = e->child[0]->id;
    const auto it = ranges_.find(var);
    const int64_t extent = extent_of(e->child[1]);
    int64_t limit = 0;
    if (is_dynamic(extent)) {
      if (it == ranges_.end() && counts_.contains(var)) ranges_[var] = {0, -1, extent};
      else if (it != ranges_.end() && !is_dynamic(it->second.above))
        it->second = {it->second.lo, -1, extent, it->second.hi};
    } else if (Expr(e->child[1]).as_int(&limit)) {
      if (it == ranges_.end() || is_dynamic(it->second.above)) return;
      it->second.hi = std::min(it->second.hi, limit - 1);
      never_ = never_ || it->second.hi < it->second.lo;
    }
  }

  // The dynamic extent that an expression is, else 0.
  int64_t extent_of(const ExprNode* e) const {
    for (size_t i = 0; e->op == ExprOp::Var && i < kernel_.scalars.size(); ++i)
      if (kernel_.scalars[i].var == e->id && kernel_.scalars[i].least >= 0)
        return dynamic_number(i);
    return 0;
  }

  // Is it never below 0, whatever its operands are?
  bool counts(const ExprNode* e) const {
    if (e->op == ExprOp::Imm) return static_cast<int64_t>(e->imm) >= 0;
    if (e->op == ExprOp::Var) {
      const auto it = ranges_.find(e->id);
      return it != ranges_.end() ? it->second.lo >= 0
                                 : counts_.contains(e->id) || is_dynamic(extent_of(e));
    }
    const bool grows = e->op == ExprOp::Add || e->op == ExprOp::Mul;
    return grows && counts(e->child[0]) && counts(e->child[1]);
  }

  void loop(const Stmt& s) {
    FUS_CHECK(!defined_.count(s.var), "loop variable v{} is in use", s.var);
    number(s.extent);
    together(s);
    if (s.extent == 0) return;
    const bool together = s.loop == LoopKind::Parallel || s.loop == LoopKind::Vector;
    const std::unordered_set<int> outside = outside_;
    if (together) {
      together_.push_back(&s);
      outside_ = defined_;
    }
    defined_.insert(s.var);
    ranges_[s.var] = is_dynamic(s.extent) ? Interval{0, -1, s.extent} : Interval{0, s.extent - 1};
    checked_.clear();
    body(s.body);
    if (together) together_.pop_back();
    outside_ = outside;
    defined_.erase(s.var);
    ranges_.erase(s.var);
    checked_.clear();
  }

  // May such a loop be nested here?
  void together(const Stmt& s) const {
    for (const Stmt* outer : together_) {
      FUS_CHECK(outer->loop != LoopKind::Vector, "a loop inside a vector loop");
      FUS_CHECK(s.loop != LoopKind::Parallel, "parallel loops are nested");
    }
    FUS_CHECK(s.loop != LoopKind::Vector || (s.extent >= 0 && s.extent <= kMostLanes),
              "a vector loop of {} iterations; numbers to {} are legal", extent_text(s.extent),
              kMostLanes);
  }

  void store(const Stmt& s) {
    FUS_CHECK(s.buffer >= 0 && s.buffer < static_cast<int>(kernel_.buffers.size()), "no buffer b{}",
              s.buffer);
    const Buffer& b = kernel_.buffers[static_cast<size_t>(s.buffer)];
    FUS_CHECK(b.role != BufferRole::In, "a store to input b{}", s.buffer);
    FUS_CHECK(static_cast<int>(s.indices.size()) == b.sizes.rank(), "{} indices for b{} of rank {}",
              s.indices.size(), s.buffer, b.sizes.rank());
    Model wanted = b.dtype == DType::Bool ? Model::Bool : compute_of(b.dtype);
    FUS_CHECK(s.value.model() == wanted, "a store of the wrong model to b{}", s.buffer);
    for (int d = 0; d < b.sizes.rank(); ++d) {
      expression(s.indices[static_cast<size_t>(d)]);
      inside(s.indices[static_cast<size_t>(d)].node(), b, d, s.buffer);
    }
    for (const Stmt* loop : together_)
      FUS_CHECK(carries(s, *loop), "a {} loop's store to b{} does not depend on its variable",
                loop->loop == LoopKind::Vector ? "vector" : "parallel", s.buffer);
    expression(s.value);
  }

  // Does it store to another element in each iteration? An index that is the variable says so at
  // once.
  bool carries(const Stmt& s, const Stmt& loop) {
    for (const Expr& e : s.indices)
      if (e->op == ExprOp::Var && e->id == loop.var) return true;
    if (accesses_.empty()) accesses_ = accesses_of(kernel_);
    return std::ranges::any_of(accesses_, [&](const Access& a) {
      return a.write && a.statement == &s && disjoint_from_itself(kernel_, a, loop);
    });
  }

  void inside(const ExprNode* index, const Buffer& b, int d, int id) {
    FUS_CHECK(index->model == Model::I64, "an index of b{} is no integer", id);
    if (never_) return;
    std::optional<Interval> range = bounds(index);
    if (!range) return;
    const int64_t size = b.sizes[d];
    FUS_CHECK(range->lo >= 0 && ends_below(*range, size),
              "index {} of b{} lies in [{}, {}{}] but the size is {}", d, id, range->lo,
              is_dynamic(range->above) ? extent_text(range->above) + " + " : "", range->hi,
              extent_text(size));
  }

  // At every launch?
  bool ends_below(const Interval& range, int64_t size) const {
    const int64_t least = least_of(kernel_, size);
    if (!is_dynamic(range.above)) return range.hi < least;
    if ((range.above == size && range.hi < 0) || range.end < least) return true;
    const int64_t most = most_of(kernel_, range.above);
    return most != kUnlimited && most + range.hi < least;
  }

  std::string extent_text(int64_t n) const {
    return is_dynamic(n) ? fmt::format("v{}", kernel_.scalars[scalar_of(n)].var)
                         : std::to_string(n);
  }

  void expression(const Expr& e) { node(e.node()); }

  void node(const ExprNode* e) {
    if (!checked_.insert(e).second) return;
    for (uint32_t i = 0; i < e->children; ++i) node(e->child[i]);
    FUS_CHECK(e->op != ExprOp::Arg, "a formula's placeholder is left in a kernel");
    if (e->op == ExprOp::Var)
      FUS_CHECK(defined_.count(e->id), "v{} is read before it is defined", e->id);
    if (e->op != ExprOp::Load) return;
    FUS_CHECK(e->id >= 0 && e->id < static_cast<int>(kernel_.buffers.size()), "no buffer b{}",
              e->id);
    const Buffer& b = kernel_.buffers[static_cast<size_t>(e->id)];
    FUS_CHECK(e->dtype == b.dtype, "b{} is read as {} but holds {}", e->id, name_of(e->dtype),
              name_of(b.dtype));
    FUS_CHECK(static_cast<int>(e->children) == b.sizes.rank(), "{} indices for b{} of rank {}",
              e->children, e->id, b.sizes.rank());
    for (int d = 0; d < b.sizes.rank(); ++d) inside(e->child[d], b, d, e->id);
  }

  // The range of an integer expression; nothing where it cannot be derived. Each node is visited
  // once: a reshape of a reshape reads its index twice.
  using Known = std::unordered_map<const ExprNode*, std::optional<Interval>>;
  std::optional<Interval> bounds(const ExprNode* e) const {
    Known known;
    return bounds(e, known);
  }
  std::optional<Interval> bounds(const ExprNode* e, Known& known) const {
    if (e->children == 0) return bounds_of(e, known);
    if (const auto at = known.find(e); at != known.end()) return at->second;
    const std::optional<Interval> found = bounds_of(e, known);
    known[e] = found;
    return found;
  }
  std::optional<Interval> bounds_of(const ExprNode* e, Known& known) const {
    if (e->op == ExprOp::Imm) {
      int64_t v = static_cast<int64_t>(e->imm);
      return Interval{v, v};
    }
    if (e->op == ExprOp::Var) {
      auto it = ranges_.find(e->id);
      if (it == ranges_.end()) return std::nullopt;
      return it->second;
    }
    if (e->children != 2) return std::nullopt;
    const int64_t modulus = e->op == ExprOp::FloorMod ? extent_of(e->child[1]) : 0;
    if (is_dynamic(modulus) && least_of(kernel_, modulus) > 0) return Interval{0, -1, modulus};
    std::optional<Interval> a = bounds(e->child[0], known);
    std::optional<Interval> b = bounds(e->child[1], known);
    if (!a || !b || a->lo < -kFar || b->lo < -kFar || a->hi > kFar || b->hi > kFar)
      return std::nullopt;
    if (is_dynamic(a->above) || is_dynamic(b->above)) return dynamic_bounds(e->op, *a, *b);
    const bool by_literal = b->lo == b->hi && b->lo >= 0 && b->lo <= (1 << 20);
    const bool followed = e->op == ExprOp::Add || e->op == ExprOp::Sub ||
                          (by_literal && (e->op == ExprOp::Mul || e->op == ExprOp::FloorDiv ||
                                          e->op == ExprOp::FloorMod));
    if (!followed) return std::nullopt;
    const std::optional<Range> range = range_of(e->op, {a->lo, a->hi}, {b->lo, b->hi});
    return range ? std::optional(Interval{range->lo, range->hi}) : std::nullopt;
  }

  // Where one side ends at a dynamic extent and the other is a literal.
  static std::optional<Interval> dynamic_bounds(ExprOp op, const Interval& a, const Interval& b) {
    const bool literal = !is_dynamic(b.above) && b.lo == b.hi;
    if (op == ExprOp::Add && !is_dynamic(a.above) && a.lo == a.hi) return b.offset_by(a.lo);
    if (!literal) return std::nullopt;
    if (op == ExprOp::Add) return a.offset_by(b.lo);
    if (op == ExprOp::Sub) return a.offset_by(-b.lo);
    if (op == ExprOp::Mul && b.lo == 1) return a;
    return std::nullopt;
  }

  const Kernel& kernel_;
  std::unordered_set<int> defined_;
  std::unordered_map<int, Interval> ranges_;
  std::unordered_set<int> counts_;  // of what has no range, what is never below 0
  bool never_ = false;              // within a condition that no variable's range allows
  std::unordered_set<const ExprNode*> checked_;
  std::vector<const Stmt*> together_;  // loops around that run their iterations concurrently
  std::unordered_set<int> outside_;    // what was defined before the innermost of them
  std::vector<Access> accesses_;       // of the kernel, once asked for
};

}  // namespace

void check(const Kernel& kernel) {
  Checker(kernel).body(kernel.body);
  check_grids(kernel);
}

}  // namespace fusillade::kernel
