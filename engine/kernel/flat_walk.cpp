// A thread knows its element by one number, and the element's indices by division. As loops over
// the axes the indices are variables, and what one does along the innermost are lanes.
//
//   block b in 4: thread t in 32:                      for i in 3: for j in 40:
//     let e = b*32 + t                      becomes      out[i, j] = in[i, j] + bias[j]
//     if e < 120:
//       out[e/40, e%40] = in[e/40, e%40] + bias[e%40]
//
// An index computed from e is a run of its digits, (e % high) / low. All these lows and highs, each
// a divisor of the next, are the boundaries between axes. Where they are not, or a block, a thread
// or its iteration is used in another way, the grid stays.
//
// Threads run in any order, and the iterations of one in the order of their elements, which is that
// of the loops.
#include "engine/kernel/flat_walk.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fusillade::kernel {
namespace {

// Nodes not seen before, those above first; below one of which `see` says no, none.
template <class See>
void each_node(const ExprNode* root, std::unordered_set<const ExprNode*>& seen, See see) {
  std::vector<const ExprNode*> work{root};
  while (!work.empty()) {
    const ExprNode* e = work.back();
    work.pop_back();
    if (seen.insert(e).second && see(e)) work.insert(work.end(), e->child, e->child + e->children);
  }
}

template <class See>
void each_expression(const Body& statements, See see) {
  for (const Stmt& s : statements) {
    if (s.value.is_defined()) see(s.value.node());
    for (const Expr& e : s.indices) see(e.node());
    each_expression(s.body, see);
  }
}

// Rebuilds expressions in the pool that is open, with replacements for some of their nodes.
template <class Replace>
class Copy {
 public:
  explicit Copy(Replace replace) : replace_(replace) {}

  void body(Body& statements) {
    for (Stmt& s : statements) {
      if (s.value.is_defined()) s.value = copy_of(s.value.node());
      for (Expr& e : s.indices) e = copy_of(e.node());
      body(s.body);
    }
  }

 private:
  Expr copy_of(const ExprNode* root) {
    std::vector<const ExprNode*> fresh;
    each_node(root, seen_, [&](const ExprNode* e) {
      fresh.push_back(e);
      return true;
    });
    std::ranges::sort(fresh, {}, &ExprNode::index);  // children first
    for (const ExprNode* e : fresh) {
      Expr replacement = replace_(e);
      if (!replacement.is_defined()) {
        std::vector<const ExprNode*> children;
        for (uint32_t i = 0; i < e->children; ++i) children.push_back(done_[e->child[i]].node());
        replacement = ExprPool::current().make(*e, children.data(), e->children);
      }
      done_[e] = replacement;
    }
    return done_[root];
  }

  Replace replace_;
  std::unordered_set<const ExprNode*> seen_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

// How often an integer counts each of some variables.
using Times = std::map<int, int64_t>;

// Of the number of an element; both are 1 where there are none.
struct Digits {
  int64_t low = 1, high = 1;
};

Digits digits(int64_t low, int64_t high) { return low < high ? Digits{low, high} : Digits{}; }

class Walk {
 public:
  explicit Walk(const Stmt& top) {
    const Stmt* s = &top;
    for (;; s = s->body.data()) {
      if (s->kind != Stmt::Kind::For || is_dynamic(s->extent) || s->extent < 1) return;
      if (!is_grid(s->loop) && (iterations_ || s->loop != LoopKind::Serial)) return;
      iterations_ |= !is_grid(s->loop);
      loops_.push_back(s);
      if (__builtin_mul_overflow(elements_, s->extent, &elements_)) return;
      if (s->body.size() != 1 || s->body[0].kind != Stmt::Kind::For) break;
    }
    if (loops_[0]->loop == LoopKind::Block) take(s->body);
  }

  // Where axes end: 1, the elements of the innermost, ..., all of them. Empty: it is no such grid.
  std::vector<int64_t> ends() {
    if (!legal_) return {};
    std::set<int64_t> all{1, elements_};
    each_number(body_, [&](const Digits& d) { all.insert({d.low, d.high}); });
    for (auto next = std::next(all.begin()); next != all.end(); ++next)
      if (*next % *std::prev(next) != 0) return {};
    return legal_ ? std::vector<int64_t>(all.begin(), all.end()) : std::vector<int64_t>();
  }

  // The loops, outermost first. The pool of the kernel is open.
  Stmt along(const std::vector<int64_t>& ends, Kernel& kernel) {
    const int first = kernel.num_vars;
    kernel.num_vars += static_cast<int>(ends.size()) - 1;
    const auto axis = [&](size_t i) { return Expr::var(first + static_cast<int>(i), Model::I64); };
    Copy copy([&](const ExprNode* e) -> Expr {
      const std::optional<Digits> number = digits_of(e);
      if (!number) return {};
      Expr sum = Expr::imm_i(0);
      for (size_t i = ends.size() - 1; i-- > 0;)
        if (ends[i] >= number->low && ends[i + 1] <= number->high)
          sum = sum + axis(i) * Expr::imm_i(ends[i] / number->low);
      return sum;
    });
    Body nest = without_numbers(body_);
    copy.body(nest);
    const bool any_order = !iterations_ || (kernel.may_alias.empty() && sees_own_elements(nest));
    for (size_t i = 0; i + 1 < ends.size(); ++i) {
      Stmt s{};
      s.kind = Stmt::Kind::For;
      const bool outermost = i + 2 == ends.size();
      s.loop = outermost && any_order ? LoopKind::Parallel : LoopKind::Serial;
      s.var = first + static_cast<int>(i);
      s.extent = ends[i + 1] / ends[i];
      s.body = std::move(nest);
      nest = Body();
      nest.push_back(std::move(s));
    }
    return std::move(nest[0]);
  }

 private:
  // What a thread does, under its mask or without one.
  void take(const Body& work) {
    Body lets;
    for (const Stmt& s : work) {
      if (s.kind != Stmt::Kind::Let || s.value.model() != Model::I64) break;
      lets.push_back(s);
      if (const auto times = times_of(s.value.node())) lets_[s.var] = *times;
    }
    body_ = work;
    if (lets.size() + 1 == work.size() && work.back().kind == Stmt::Kind::If &&
        ends_at(work.back().value.node())) {
      body_ = std::move(lets);
      body_.insert(body_.end(), work.back().body.begin(), work.back().body.end());
    }
    legal_ = true;
  }

  // Is it the condition that ends the walk?
  bool ends_at(const ExprNode* condition) {
    int64_t n = 0;
    if (condition->op != ExprOp::Lt || !Expr(condition->child[1]).as_int(&n) || n < 1 ||
        !is_element(condition->child[0]))
      return false;
    elements_ = std::min(elements_, n);
    return true;
  }

  // Nothing where it is no sum of multiples of the loops' variables. Each node is asked once.
  std::optional<Times> times_of(const ExprNode* e) {
    if (const auto known = times_.find(e); known != times_.end()) return known->second;
    return times_[e] = find_times(e);
  }
  std::optional<Times> find_times(const ExprNode* e) {
    if (e->op == ExprOp::Var) {
      if (const auto let = lets_.find(e->id); let != lets_.end()) return let->second;
      const bool mine = std::ranges::any_of(loops_, [&](const Stmt* s) { return s->var == e->id; });
      return mine ? std::optional(Times{{e->id, 1}}) : std::nullopt;
    }
    if (e->model != Model::I64 || (e->op != ExprOp::Add && e->op != ExprOp::Mul))
      return std::nullopt;
    std::optional<Times> out = times_of(e->child[0]);
    int64_t factor = 1;
    const std::optional<Times> more =
        e->op == ExprOp::Add ? times_of(e->child[1]) : std::optional(Times());
    if (!out || !more || (e->op == ExprOp::Mul && !Expr(e->child[1]).as_int(&factor)))
      return std::nullopt;
    for (auto& [var, times] : *out)
      if (__builtin_mul_overflow(times, factor, &times)) return std::nullopt;
    for (const auto& [var, times] : *more)
      if (__builtin_add_overflow((*out)[var], times, &(*out)[var])) return std::nullopt;
    return out;
  }

  // Does it number the iterations of all loops? In one way: as the first that does.
  bool is_element(const ExprNode* e) {
    const std::optional<Times> times = times_of(e);
    if (!times) return false;
    if (!element_.empty()) return *times == element_;
    std::vector<std::pair<int64_t, int64_t>> radix;  // weight and extent
    for (const Stmt* s : loops_) {
      const auto at = times->find(s->var);
      if (s->extent > 1) radix.emplace_back(at == times->end() ? 0 : at->second, s->extent);
    }
    std::ranges::sort(radix);
    int64_t weight = 1;
    for (const auto& [times_of_it, extent] : radix) {
      if (times_of_it != weight) return false;
      weight *= extent;
    }
    element_ = *times;
    return true;
  }

  std::optional<Digits> digits_of(const ExprNode* e) {
    if (e->model != Model::I64) return std::nullopt;
    if (e->op == ExprOp::Var)
      if (const auto let = numbers_.find(e->id); let != numbers_.end()) return let->second;
    if (is_element(e)) return digits(1, elements_);
    int64_t n = 0;
    if ((e->op != ExprOp::FloorDiv && e->op != ExprOp::FloorMod) || !Expr(e->child[1]).as_int(&n) ||
        n < 1)
      return std::nullopt;
    const std::optional<Digits> of = digits_of(e->child[0]);
    int64_t end = 0;
    if (!of || __builtin_mul_overflow(of->low, n, &end)) return std::nullopt;
    // (e % 15) % 9 is no digit of e.
    if (e->op == ExprOp::FloorMod && end < of->high && of->high % end != 0) {
      legal_ = false;
      return std::nullopt;
    }
    return e->op == ExprOp::FloorDiv ? digits(end, of->high)
                                     : digits(of->low, std::min(end, of->high));
  }

  // Sees each run of digits that is asked for.
  template <class See>
  void each_number(const Body& statements, See see) {
    for (const Stmt& s : statements) {
      legal_ = legal_ && s.kind != Stmt::Kind::For && s.kind != Stmt::Kind::Barrier &&
               s.kind != Stmt::Kind::Shuffle;
      if (s.kind == Stmt::Kind::Let) {
        legal_ = legal_ && set_.insert(s.var).second;
        if (const auto number = digits_of(s.value.node())) {
          numbers_[s.var] = *number;
          continue;
        }
      }
      if (s.value.is_defined()) each_number(s.value.node(), see);
      for (const Expr& e : s.indices) each_number(e.node(), see);
      each_number(s.body, see);
    }
  }
  template <class See>
  void each_number(const ExprNode* root, See see) {
    each_node(root, seen_, [&](const ExprNode* e) {
      if (const auto number = digits_of(e)) return see(*number), false;
      if (e->op == ExprOp::Var)
        for (const Stmt* s : loops_) legal_ = legal_ && s->var != e->id;
      return true;
    });
  }

  Body without_numbers(const Body& statements) const {
    Body out;
    for (const Stmt& s : statements) {
      if (s.kind == Stmt::Kind::Let && numbers_.contains(s.var)) continue;
      out.push_back(s);
      out.back().body = without_numbers(s.body);
    }
    return out;
  }

  // Is what is written read where it is written alone?
  static bool sees_own_elements(const Body& statements) {
    std::map<int, std::vector<const ExprNode*>> written;
    bool own = true;
    const auto touch = [&](int buffer, const std::vector<const ExprNode*>& at) {
      own = own && written.emplace(buffer, at).first->second == at;
    };
    const auto stores = [&](auto& self, const Body& body) -> void {
      for (const Stmt& s : body) {
        std::vector<const ExprNode*> at;
        for (const Expr& e : s.indices) at.push_back(e.node());
        if (s.kind == Stmt::Kind::Store) touch(s.buffer, at);
        self(self, s.body);
      }
    };
    stores(stores, statements);
    std::unordered_set<const ExprNode*> seen;
    each_expression(statements, [&](const ExprNode* root) {
      each_node(root, seen, [&](const ExprNode* e) {
        if (e->op == ExprOp::Load && written.contains(e->id))
          touch(e->id, {e->child, e->child + e->children});
        return true;
      });
    });
    return own;
  }

  std::vector<const Stmt*> loops_;
  bool iterations_ = false;  // one of them is a thread's own
  bool legal_ = false;
  int64_t elements_ = 1;
  Body body_;
  Times element_;              // how it counts the loops' variables
  std::map<int, Times> lets_;  // before the mask
  std::set<int> set_;          // all lets
  std::unordered_map<const ExprNode*, std::optional<Times>> times_;
  std::map<int, Digits> numbers_;  // lets that are digits
  std::unordered_set<const ExprNode*> seen_;
};

}  // namespace

Kernel along_axes(const Kernel& kernel) {
  constexpr size_t kLeast = 2;  // of one axis it is a loop already
  Kernel result = kernel;
  result.pool = std::make_shared<ExprPool>();
  const ExprPool::Scope scope(*result.pool);
  bool changed = false;
  Copy copy([](const ExprNode*) { return Expr(); });
  for (Stmt& s : result.body) {
    if (s.kind == Stmt::Kind::For) {
      Walk walk(s);
      if (const std::vector<int64_t> ends = walk.ends(); ends.size() >= kLeast) {
        s = walk.along(ends, result);
        changed = true;
        continue;
      }
    }
    Body one;
    one.push_back(std::move(s));
    copy.body(one);
    s = std::move(one[0]);
  }
  return changed ? result : kernel;
}

}  // namespace fusillade::kernel
