// Grids: their shape, and what check() asks of them.
//
// A grid is at the top of a kernel. Blocks have no barrier between them, so a block's loops contain
// nothing but threads. A block has at most kMostThreads threads, which use at most kMostSharedBytes
// of Shared memory. A barrier or a shuffle is reached by all threads of a block or by none: it is
// under no condition that may differ from one thread to the next. Such are those that depend on a
// thread's number, on Register memory, on what was shuffled, and on variables set by these or under
// them.
#include <algorithm>
#include <unordered_set>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {
namespace {

class GridChecker {
 public:
  explicit GridChecker(const Kernel& kernel)
      : kernel_(kernel), divergent_(static_cast<size_t>(kernel.num_vars)) {}

  void run() {
    memory();
    for (const Stmt& s : kernel_.body) {
      if (s.kind == Stmt::Kind::For && is_grid(s.loop)) grid(s);
      else outside(s);
    }
  }

 private:
  void memory() const {
    for (const Buffer& b : kernel_.buffers) {
      if (is_global(b.role)) continue;
      for (int64_t n : b.sizes)
        FUS_CHECK(!is_dynamic(n), "memory of a block or thread of dynamic size");
      FUS_CHECK(b.strides == contiguous_strides(b.sizes), "gaps in memory of a block or thread");
    }
  }

  // Of one grid: the next one begins anew.
  void shared_memory(const Stmt& s) const {
    std::unordered_set<int> used;
    const auto see = [&](int buffer) {
      if (kernel_.buffers.at(static_cast<size_t>(buffer)).role == BufferRole::Shared)
        used.insert(buffer);
    };
    const auto look = [&](auto& self, const Stmt& inner) -> void {
      for_each_access(inner, see);
      for (const Stmt& next : inner.body) self(self, next);
    };
    look(look, s);
    int64_t bytes = 0;
    for (int b : used) {
      const Buffer& buffer = kernel_.buffers[static_cast<size_t>(b)];
      bytes += numel_of(buffer.sizes) * static_cast<int64_t>(size_of(buffer.dtype));
    }
    FUS_CHECK(bytes <= kMostSharedBytes, "{} bytes of shared memory; a block has {}", bytes,
              kMostSharedBytes);
  }

  void outside(const Stmt& s) const {
    const bool grid_only = s.kind == Stmt::Kind::Barrier || s.kind == Stmt::Kind::Shuffle ||
                           (s.kind == Stmt::Kind::For && is_grid(s.loop));
    FUS_CHECK(!grid_only, "a grid, a barrier or a shuffle inside what is no grid");
    const bool all_global =
        std::ranges::all_of(kernel_.buffers, [](const Buffer& b) { return is_global(b.role); });
    if (!all_global) {
      for_each_access(s, [&](int buffer) {
        FUS_CHECK(is_global(kernel_.buffers.at(static_cast<size_t>(buffer)).role),
                  "b{} is used outside a grid", buffer);
      });
    }
    for (const Stmt& inner : s.body) outside(inner);
  }

  // Each buffer that a statement, not what is in its body, reads or writes.
  template <class See>
  static void for_each_access(const Stmt& s, See see) {
    if (s.kind == Stmt::Kind::Store) see(s.buffer);
    for_each_load(s, see);
  }

  template <class See>
  static void for_each_load(const Stmt& s, See see) {
    std::unordered_set<const ExprNode*> seen;
    const auto loads = [&](auto& self, const ExprNode* e) -> void {
      if (!seen.insert(e).second) return;
      if (e->op == ExprOp::Load) see(e->id);
      for (uint32_t i = 0; i < e->children; ++i) self(self, e->child[i]);
    };
    if (s.value.is_defined()) loads(loads, s.value.node());
    for (const Expr& e : s.indices) loads(loads, e.node());
  }

  void grid(const Stmt& s) {
    const Grid g = grid_of(s);
    const int64_t threads = g.threads_per_block();
    FUS_CHECK(threads >= 1 && threads <= kMostThreads, "{} threads in a block; 1 to {} are legal",
              threads, kMostThreads);
    for (size_t axis = 0; axis < g.blocks.size(); ++axis) {
      const int64_t n = most_of(kernel_, g.blocks[g.blocks.size() - 1 - axis]->extent);
      FUS_CHECK(n <= kMostBlocks[axis], "{} blocks along axis {}; {} are legal", n, "xyz"[axis],
                kMostBlocks[axis]);
    }
    shared_memory(s);
    std::fill(divergent_.begin(), divergent_.end(), false);
    for (const Stmt* t : g.threads) divergent_[static_cast<size_t>(t->var)] = true;
    do {
      changed_ = false;
      propagate(*g.body, false);
    } while (changed_);
    meetings(*g.body, false);
  }

  void set_divergent(int var) {
    if (divergent_[static_cast<size_t>(var)]) return;
    divergent_[static_cast<size_t>(var)] = true;
    changed_ = true;
  }

  // Which variables differ between threads, one more round.
  void propagate(const Body& statements, bool under) {
    for (const Stmt& s : statements) {
      switch (s.kind) {
        case Stmt::Kind::Shuffle:
          set_divergent(s.var);
          break;
        case Stmt::Kind::Let:
        case Stmt::Kind::Declare:
        case Stmt::Kind::Update:
          if (under || differs(s.value.node())) set_divergent(s.var);
          break;
        default:
          propagate(s.body, under || (s.kind == Stmt::Kind::If && differs(s.value.node())));
      }
    }
  }

  void meetings(const Body& statements, bool under) const {
    for (const Stmt& s : statements) {
      const bool meets = s.kind == Stmt::Kind::Barrier || s.kind == Stmt::Kind::Shuffle;
      FUS_CHECK(!meets || !under, "a {} under a condition that threads may decide differently",
                s.kind == Stmt::Kind::Barrier ? "barrier" : "shuffle");
      FUS_CHECK(s.kind != Stmt::Kind::For || s.loop == LoopKind::Serial || vector(s),
                "a loop of another kind inside the threads of a grid");
      meetings(s.body, under || (s.kind == Stmt::Kind::If && differs(s.value.node())));
    }
  }

  // Its loads may all come first, its stores last.
  bool vector(const Stmt& s) const {
    if (s.loop != LoopKind::Vector) return false;
    std::unordered_set<int> written;
    for (const Stmt& inner : s.body) {
      FUS_CHECK(inner.kind == Stmt::Kind::Let || inner.kind == Stmt::Kind::Store,
                "a vector loop among threads holds more than lets and stores");
      if (inner.kind == Stmt::Kind::Store) written.insert(inner.buffer);
    }
    for (const Stmt& inner : s.body) {
      for_each_load(inner, [&](int buffer) {
        FUS_CHECK(!written.contains(buffer),
                  "a vector loop among threads reads b{}, which it writes", buffer);
      });
    }
    return true;
  }

  bool differs(const ExprNode* e) const {
    std::unordered_set<const ExprNode*> seen;
    return differs(e, seen);
  }

  bool differs(const ExprNode* e, std::unordered_set<const ExprNode*>& seen) const {
    if (!seen.insert(e).second) return false;
    if (e->op == ExprOp::Var) return divergent_[static_cast<size_t>(e->id)];
    if (e->op == ExprOp::Load &&
        kernel_.buffers[static_cast<size_t>(e->id)].role == BufferRole::Register)
      return true;
    return std::any_of(e->child, e->child + e->children,
                       [&](const ExprNode* c) { return differs(c, seen); });
  }

  const Kernel& kernel_;
  std::vector<bool> divergent_;
  bool changed_ = false;
};

}  // namespace

int64_t Grid::threads_per_block() const {
  int64_t n = 1;
  for (const Stmt* s : threads) {
    FUS_CHECK(!is_dynamic(s->extent), "the threads of a block are not a number");
    if (__builtin_mul_overflow(n, s->extent, &n)) return INT64_MAX;
  }
  return n;
}

Grid grid_of(const Stmt& loop) {
  Grid g;
  const Stmt* s = &loop;
  for (LoopKind kind : {LoopKind::Block, LoopKind::Thread}) {
    auto& axes = kind == LoopKind::Block ? g.blocks : g.threads;
    while (s && s->kind == Stmt::Kind::For && s->loop == kind) {
      axes.push_back(s);
      g.body = &s->body;
      s = s->body.size() == 1 ? s->body.data() : nullptr;
    }
    FUS_CHECK(!axes.empty() && axes.size() <= static_cast<size_t>(kMostAxes),
              "a grid of {} {} loops, one right inside the other; 1 to {} are legal", axes.size(),
              kind == LoopKind::Block ? "block" : "thread", kMostAxes);
  }
  return g;
}

bool has_barrier(const Body& body) {
  return std::ranges::any_of(body, [](const Stmt& s) {
    return s.kind == Stmt::Kind::Barrier || s.kind == Stmt::Kind::Shuffle || has_barrier(s.body);
  });
}

void check_grids(const Kernel& kernel) { GridChecker(kernel).run(); }

Support support_of_grids(const Kernel& kernel) {
  for (const Stmt& s : kernel.body)
    if (s.kind != Stmt::Kind::For || s.loop != LoopKind::Block)
      return {false, "a statement that is in no grid"};
  return {};
}

}  // namespace fusillade::kernel
