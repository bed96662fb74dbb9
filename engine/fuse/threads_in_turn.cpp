// See threads_in_turn.h. What a thread does is cut where threads meet, and around serial loops of
// more than a few turns, which all threads take together; each run of statements between two cuts
// is a loop over the threads, neighbours innermost. The bits are those of the grid: of no thread do
// two operations change their order.
//
//   block b in 3:                             block b in 3:
//     thread t in 64:                           thread one in 1:
//       declare sum = 0                           for t in 64: sum[t] = 0
//       for k in 9: sum = sum + x[k * 64 + t]     for k in 9:
//       shuffle y = sum of t % 32 ^ 16              for t in 64: sum[t] = sum[t] + x[k * 64 + t]
//       sum = sum + y                             for t in 64: given[t] = sum[t]
//                                                 for t in 64:
//                                                   let y = given[t / 32 * 32 + (t % 32 ^ 16)]
//                                                   sum[t] = sum[t] + y
//
// A variable that another run reads is set again there, where it is made of indices alone; else it
// is an element of an array by threads, and so is what a thread has in registers. Shared memory and
// these arrays are the registers of the one thread.
#include "engine/fuse/threads_in_turn.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/options.h"
#include "engine/base/probe.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::BufferRole;
using kernel::Kernel;
using kernel::LoopKind;

Probe probe_turns("fuse/threads-in-turn");

const Option<bool> kTurns("tile_turns", false,
                          "threads of a block that meet take turns on every back end");

constexpr int64_t kFewTurns = 4;  // of a loop that a thread takes by itself

bool is_grid(const Stmt& s) { return s.kind == Stmt::Kind::For && kernel::is_grid(s.loop); }

template <class See>
void for_each_root(const Stmt& s, See see) {
  if (s.value.defined()) see(s.value);
  for (const Expr& e : s.indices) see(e);
}

bool has_block_memory(const Kernel& k, const Stmt& grid) {
  const auto is_local = [&](int b) {
    return !kernel::is_global(k.buffers[static_cast<size_t>(b)].role);
  };
  bool found = false;
  for_each_stmt(grid.body, [&](const Stmt& s) {
    found |= s.kind == Stmt::Kind::Store && is_local(s.buffer);
    for_each_root(s, [&](const Expr& root) {
      for_each_node(root,
                    [&](const ExprNode* e) { found |= e->op == ExprOp::Load && is_local(e->id); });
    });
  });
  return found;
}

bool is_one_thread(const Stmt& grid) { return kernel::grid_of(grid).threads_per_block() == 1; }

bool needs_turns(const Kernel& k, const Stmt& s) {
  if (!is_grid(s)) return false;
  if (kernel::has_barrier(s.body)) return true;
  return has_block_memory(k, s) && !is_one_thread(s);
}

// A run of statements, or what stands around pieces.
struct Piece {
  Stmt around = {};  // a loop or a condition, without its body; else a Barrier
  std::vector<Piece> inside = {};
  Body run = {};
  int number = 0;  // of the run
  bool is_run() const { return around.kind == Stmt::Kind::Barrier; }
};

constexpr int kOutside = -1;  // where conditions around pieces are read: in no run

// Of a let or an accumulator.
struct Variable {
  Stmt::Kind kind = Stmt::Kind::Let;
  Model model = Model::I64;
  int run = 0;
  Expr again = {};         // what a let is, where that is made of indices alone
  bool elsewhere = false;  // is it read or updated in another run than it is set in?
  int array = -1;          // the buffer where it is kept then
};

DType dtype_of(Model model) {
  if (model == Model::Bool) return DType::Bool;
  return model == Model::I64 ? DType::I64 : model == Model::F32 ? DType::F32 : DType::F64;
}

class OneGrid {
 public:
  OneGrid(Kernel& kernel, std::set<int>& taken, const Stmt& grid)
      : k_(kernel), taken_(taken), loops_(kernel::grid_of(grid)) {
    for (const Stmt* s : loops_.threads) {
      sizes_.push_back(s->extent);
      place_.push_back(index_var(s->var));
    }
  }

  Stmt build() {
    const std::vector<Piece> pieces = cut(*loops_.body);
    look(pieces);
    keep_what_is_read_elsewhere();
    Body all = written(pieces);
    Stmt made = loop(LoopKind::Thread, fresh_var(k_), 1, std::move(all));
    for (size_t i = loops_.blocks.size(); i-- > 0;)
      made = like(*loops_.blocks[i], loops_.blocks[i]->var, loops_.blocks[i]->extent,
                  one(std::move(made)));
    return made;
  }

 private:
  // --- cut

  static bool together(const Stmt& s) {
    if (s.kind == Stmt::Kind::If) return kernel::has_barrier(s.body);
    if (s.kind != Stmt::Kind::For) return false;
    const bool few = !kernel::is_open(s.extent) && s.extent <= kFewTurns;
    return kernel::has_barrier(s.body) || (s.loop == LoopKind::Serial && !few);
  }

  std::vector<Piece> cut(const Body& body) {
    std::vector<Piece> out;
    Body run;
    const auto end = [&] {
      if (!run.empty())
        out.push_back({.around = barrier(), .run = std::move(run), .number = runs_++});
      run = {};
    };
    for (const Stmt& s : body) {
      if (together(s)) {
        end();
        Stmt around = s;
        around.body.clear();
        out.push_back({.around = std::move(around), .inside = cut(s.body)});
      } else if (s.kind == Stmt::Kind::Barrier) {
        end();
      } else if (s.kind == Stmt::Kind::Shuffle) {
        end();
        run.push_back(store(given(s.value.model()), {thread()}, s.value));
        end();
        run.push_back(set(Stmt::Kind::Let, s.var, taken_from(s)));
      } else {
        run.push_back(s);
      }
    }
    end();
    return out;
  }

  // The number of a thread among all of its block.
  Expr thread() const {
    Expr all = place_[0];
    for (size_t i = 1; i < place_.size(); ++i)
      all = all * number(sizes_[static_cast<int>(i)]) + place_[i];
    return all;
  }

  // Between a shuffle's two runs nothing else is given. What warps that are no whole ones lack is
  // never written.
  int given(Model model) {
    const auto [at, made] = given_.emplace(model, 0);
    const int64_t n = numel_of(sizes_), whole = kernel::kWarp;
    if (made)
      at->second = array(dtype_of(model), Dims{n <= whole ? n : (n + whole - 1) / whole * whole});
    return at->second;
  }

  // The remainder is the index itself, and says so to who asks how far it goes.
  Expr taken_from(const Stmt& s) {
    const Model model = s.value.model();
    const Expr whole = number(kernel::kWarp);
    const int64_t n = numel_of(sizes_);
    const Expr at = n <= kernel::kWarp
                        ? floor_mod(s.indices[0], number(n))
                        : floor_div(thread(), whole) * whole + floor_mod(s.indices[0], whole);
    return Expr::load(given(model), dtype_of(model), {at});
  }

  int array(DType dtype, const Dims& sizes) {
    k_.buffers.push_back({BufferRole::Register, dtype, sizes, contiguous_strides(sizes)});
    const int made = static_cast<int>(k_.buffers.size()) - 1;
    taken_.insert(made);
    arrays_.insert(made);
    return made;
  }

  // --- what is known

  void look(const std::vector<Piece>& pieces) {
    for (const Piece& p : pieces) {
      if (p.is_run()) {
        for (const Stmt& s : p.run) {
          look(s, p.number, true);
          for_each_stmt(s.body, [&](const Stmt& inner) { look(inner, p.number, false); });
        }
      } else {
        look(p.around, kOutside, false);
        look(p.inside);
      }
    }
  }

  // What stands inside another statement is read there alone.
  void look(const Stmt& s, int run, bool seen_elsewhere) {
    for_each_root(s, [&](const Expr& root) {
      for_each_node(root, [&](const ExprNode* e) {
        if (e->op == ExprOp::Var) read(e->id, run);
      });
    });
    if (s.kind == Stmt::Kind::Update) read(s.var, run);
    if (s.kind != Stmt::Kind::Let && s.kind != Stmt::Kind::Declare) return;
    Variable v{.kind = s.kind, .model = s.value.model(), .run = run};
    if (s.kind == Stmt::Kind::Let && seen_elsewhere && is_of_indices(s.value)) v.again = s.value;
    variables_[s.var] = v;
  }

  void read(int var, int run) {
    const auto at = variables_.find(var);
    if (at != variables_.end() && at->second.run != run) at->second.elsewhere = true;
  }

  bool is_of_indices(const Expr& root) const {
    bool all = true;
    for_each_node(root, [&](const ExprNode* e) {
      all &= (e->model == Model::I64 || e->model == Model::Bool) && e->op != ExprOp::Load;
      if (e->op != ExprOp::Var) return;
      const auto at = variables_.find(e->id);
      all &= at == variables_.end() || at->second.again.defined();
    });
    return all;
  }

  void keep_what_is_read_elsewhere() {
    for (auto& [var, v] : variables_)
      if (v.elsewhere && !v.again.defined()) v.array = array(dtype_of(v.model), sizes_);
  }

  // --- written

  Body written(const std::vector<Piece>& pieces) {
    Body out;
    for (const Piece& p : pieces) {
      if (p.is_run()) {
        append(by_threads(p), out);
        continue;
      }
      Stmt around = p.around;
      if (around.value.defined()) around.value = of_all(around.value);
      around.body = written(p.inside);
      out.push_back(std::move(around));
    }
    return out;
  }

  // A condition that is the same for all threads, as the first has it.
  Expr of_all(Expr e) {
    const std::vector<Expr> first(place_.size(), number(0));
    ExprRewrite as_first([&](const ExprNode* n) -> Expr {
      if (n->op != ExprOp::Var) return {};
      const auto at = variables_.find(n->id);
      if (at == variables_.end()) return {};
      const Variable& v = at->second;
      if (v.again.defined()) return as_first(v.again);
      return Expr::load(v.array, dtype_of(v.model), first);
    });
    return own_memory(as_first(e));
  }

  // With the arrays in place of registers and of accumulators.
  Expr own_memory(Expr root) {
    ExprRewrite rewrite([&](const ExprNode* e) -> Expr {
      if (e->op == ExprOp::Var) {
        const auto at = variables_.find(e->id);
        const bool kept = at != variables_.end() && at->second.array >= 0;
        if (!kept || at->second.kind != Stmt::Kind::Declare) return {};
        return Expr::load(at->second.array, dtype_of(at->second.model), place_);
      }
      if (e->op != ExprOp::Load || arrays_.contains(e->id)) return {};
      const Memory m = memory(e->id);
      if (!m.local) return {};
      std::vector<Expr> at;
      for (uint32_t i = 0; i < e->children; ++i) at.push_back(rewrite(e->child[i]));
      if (m.by_thread) at.insert(at.end(), place_.begin(), place_.end());
      return Expr::load(m.buffer, e->dtype, at);
    });
    return rewrite(root);
  }

  struct Memory {
    bool local = false, by_thread = false;
    int buffer = -1;
  };

  // What a buffer is here. One that another grid has taken is another here.
  Memory memory(int buffer) {
    if (const auto at = memory_.find(buffer); at != memory_.end()) return at->second;
    const kernel::Buffer& old = k_.buffers[static_cast<size_t>(buffer)];
    Memory m{!kernel::is_global(old.role), old.role == BufferRole::Register, buffer};
    if (m.local) {
      Dims sizes = old.sizes;
      if (m.by_thread)
        for (int64_t n : sizes_) sizes.push_back(n);
      kernel::Buffer made{BufferRole::Register, old.dtype, sizes, contiguous_strides(sizes)};
      if (taken_.insert(buffer).second) {
        k_.buffers[static_cast<size_t>(buffer)] = made;
      } else {
        m.buffer = static_cast<int>(k_.buffers.size());
        k_.buffers.push_back(made);
      }
    }
    return memory_[buffer] = m;
  }

  Body by_threads(const Piece& p) {
    Body run;
    for (const Stmt& s : p.run) {
      if (s.kind == Stmt::Kind::Let && variables_.at(s.var).again.defined()) continue;
      run.push_back(in_own_memory(s));
      if (s.kind != Stmt::Kind::Let) continue;
      const Variable& v = variables_.at(s.var);
      if (v.array >= 0) run.push_back(store(v.array, place_, Expr::var(s.var, v.model)));
    }
    if (run.empty()) return {};
    Body all = read_first(run, p.number);
    append(std::move(run), all);
    for (size_t i = loops_.threads.size(); i-- > 0;)
      all = one(loop(LoopKind::Serial, loops_.threads[i]->var, loops_.threads[i]->extent,
                     std::move(all)));
    return all;
  }

  Stmt in_own_memory(const Stmt& from) {
    Stmt s = from;
    if (s.value.defined()) s.value = own_memory(s.value);
    for (Expr& e : s.indices) e = own_memory(e);
    for (Stmt& inner : s.body) inner = in_own_memory(inner);
    if (s.kind == Stmt::Kind::Store && !arrays_.contains(s.buffer)) {
      const Memory m = memory(s.buffer);
      s.buffer = m.buffer;
      if (m.by_thread) s.indices.insert(s.indices.end(), place_.begin(), place_.end());
    }
    if (s.kind != Stmt::Kind::Declare && s.kind != Stmt::Kind::Update) return s;
    const int kept = variables_.at(s.var).array;
    return kept >= 0 ? store(kept, place_, s.value) : s;
  }

  // Lets that a run reads and does not set.
  Body read_first(const Body& run, int here) const {
    std::set<int> read;
    const auto see = [&](auto& self, const Expr& root) -> void {
      for_each_node(root, [&](const ExprNode* e) {
        const auto at = e->op == ExprOp::Var ? variables_.find(e->id) : variables_.end();
        if (at == variables_.end() || at->second.kind != Stmt::Kind::Let) return;
        const Variable& v = at->second;
        const bool is_set = v.run == here && !v.again.defined();
        if (!is_set && read.insert(e->id).second && v.again.defined()) self(self, v.again);
      });
    };
    for_each_stmt(
        run, [&](const Stmt& s) { for_each_root(s, [&](const Expr& root) { see(see, root); }); });
    Body out;
    for (int var : read) {
      const Variable& v = variables_.at(var);
      const Expr value =
          v.again.defined() ? v.again : Expr::load(v.array, dtype_of(v.model), place_);
      out.push_back(set(Stmt::Kind::Let, var, value));
    }
    return out;
  }

  Kernel& k_;
  std::set<int>& taken_;  // buffers that are memory of one thread already
  const kernel::Grid loops_;
  Dims sizes_;               // of the block
  std::vector<Expr> place_;  // of a thread in it
  int runs_ = 0;
  std::map<Model, int> given_;  // what threads give each other
  std::set<int> arrays_;        // that were made here
  std::map<int, Variable> variables_;
  std::map<int, Memory> memory_;
};

}  // namespace

Lowered threads_in_turn(Lowered lowered) {
  Kernel k = own_names(lowered.kernel);
  const ExprPool::Scope scope(*k.pool);
  std::set<int> taken;
  for (size_t i = 0; i < k.body.size(); ++i) {
    if (!needs_turns(k, k.body[i])) continue;
    probe_turns.hit();
    const Stmt grid = std::move(k.body[i]);
    k.body[i] = OneGrid(k, taken, grid).build();
    if (i < lowered.launches.size()) lowered.launches[i].domain += "; threads in turn";
  }
  kernel::check(k);
  lowered.kernel = std::move(k);
  return lowered;
}

bool wants_turns(const Kernel& kernel, const kernel::Backend& backend) {
  const auto needs = [&](const Stmt& s) { return needs_turns(kernel, s); };
  if (std::ranges::none_of(kernel.body, needs)) return false;
  return kTurns.get() || !kernel::supports(backend, kernel).yes;
}

}  // namespace fusillade::fuse
