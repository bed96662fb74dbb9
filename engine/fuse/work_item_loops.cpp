// See work_item_loops.h. A thread's statements are cut at barriers and shuffles, and around serial
// loops, which all threads run together. Each run of statements between two cuts is a loop over the
// threads, neighbours innermost, and repeats the masks around it. The bits are those of the grid:
// no thread changes the order of its operations.
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
// A let computed from indices alone is recomputed in each run. Any other that another run reads is
// an element of an array by threads, and so is what a thread has in registers. Shared memory and
// these arrays are the registers of the one thread. Threads that take from those at distance `far`,
// as above, do so in pairs of groups of that size, so that neighbours take from neighbours.
#include "engine/fuse/work_item_loops.h"

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

Probe probe_loops("fuse/work-item-loops");

const Option<bool> kWorkItemLoops("work_item_loops", false,
                                  "grids whose threads synchronise become loops on every back end");
[[maybe_unused]] const bool kFormerName =
    Table<OptionRow>::instance().add_former_name("tile_turns", "work_item_loops");

bool is_grid(const Stmt& s) { return s.kind == Stmt::Kind::For && kernel::is_grid(s.loop); }

template <class See>
void for_each_root(const Stmt& s, See see) {
  if (s.value.is_defined()) see(s.value);
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

bool needs_iterations(const Kernel& k, const Stmt& s) {
  if (!is_grid(s)) return false;
  if (kernel::has_barrier(s.body)) return true;
  return has_block_memory(k, s) && !is_one_thread(s);
}

bool any_meets(const Kernel& k) {
  return std::ranges::any_of(k.body, [&](const Stmt& s) { return needs_iterations(k, s); });
}

// A run of statements, under conditions on indices; or a loop or condition around pieces.
struct Piece {
  Stmt around = {};  // a loop or a condition, without its body; else a Barrier
  std::vector<Piece> inside = {};
  Body run = {};
  std::vector<Expr> masks = {};
  int number = 0;      // of the run
  int64_t across = 0;  // 0, or the distance to the thread that it takes from
  bool is_run() const { return around.kind == Stmt::Kind::Barrier; }
};

constexpr int kOutside = -1;  // where conditions around pieces are read: in no run

// An accumulator, or a let that is not computed from indices alone.
struct Variable {
  Stmt::Kind kind = Stmt::Kind::Let;
  Model model = Model::I64;
  int run = 0;
  bool elsewhere = false;  // is it read or updated in another run than it is set in?
  int array = -1;          // the buffer where it is kept then
};

DType dtype_of(Model model) {
  if (model == Model::Bool) return DType::Bool;
  return model == Model::I64 ? DType::I64 : model == Model::F32 ? DType::F32 : DType::F64;
}

class OneGrid {
 public:
  OneGrid(Kernel& kernel, const std::vector<kernel::Buffer>& given, std::set<int>& taken,
          const Stmt& grid)
      : k_(kernel), buffers_(given), taken_(taken), loops_(kernel::grid_of(grid)) {
    for (const Stmt* s : loops_.threads) {
      sizes_.push_back(s->extent);
      place_.push_back(s->extent == 1 ? number(0) : index_var(s->var));
    }
  }

  Stmt build() {
    const std::vector<Piece> pieces = cut(*loops_.body, {});
    look(pieces);
    for (auto& [var, v] : variables_)
      if (v.elsewhere) v.array = array(dtype_of(v.model), sizes_);
    Body all = emit_pieces(pieces);
    Stmt result = loop(LoopKind::Thread, fresh_var(k_), 1, std::move(all));
    for (size_t i = loops_.blocks.size(); i-- > 0;)
      result = like(*loops_.blocks[i], loops_.blocks[i]->var, loops_.blocks[i]->extent,
                    one(std::move(result)));
    return result;
  }

 private:
  // --- cut

  static bool together(const Stmt& s) {
    if (s.kind == Stmt::Kind::If) return kernel::has_barrier(s.body);
    return s.kind == Stmt::Kind::For && s.loop == LoopKind::Serial;
  }

  std::vector<Piece> cut(const Body& body, const std::vector<Expr>& masks) {
    std::vector<Piece> out;
    Piece run{.around = barrier()};
    const auto end = [&](int64_t across) {
      if (!run.run.empty()) {
        run.masks = masks;
        run.number = runs_++;
        out.push_back(std::move(run));
      }
      run = {.around = barrier(), .across = across};
    };
    for (const Stmt& s : body) {
      if (together(s)) {
        end(0);
        Stmt around = s;
        around.body.clear();
        const bool mask = s.kind == Stmt::Kind::If && is_of_indices(s.value);
        out.push_back({.around = std::move(around),
                       .inside = cut(s.body, mask ? also(masks, s.value) : masks)});
      } else if (s.kind == Stmt::Kind::If && is_of_indices(s.value)) {
        end(0);
        std::ranges::move(cut(s.body, also(masks, s.value)), std::back_inserter(out));
      } else if (s.kind == Stmt::Kind::Barrier) {
        end(0);
      } else if (s.kind == Stmt::Kind::Shuffle) {
        end(0);
        const int64_t across = across_by(s);
        run.run.push_back(shuffle_store(s, across));
        end(across);
        run.run.push_back(set(Stmt::Kind::Let, s.var, taken_from(s, across)));
        set_.insert(s.var);
      } else if (s.kind == Stmt::Kind::For) {
        for (int64_t lane = 0; lane < s.extent; ++lane)
          append(copy_body(k_, s.body, {{s.var, number(lane)}}), run.run);
      } else if (s.kind == Stmt::Kind::Let && is_of_indices(s.value)) {
        again_[s.var] = s.value;
      } else {
        if (s.kind != Stmt::Kind::Store) set_.insert(s.var);
        run.run.push_back(s);
      }
    }
    end(0);
    return out;
  }

  bool is_of_indices(const Expr& root) const {
    bool all = true;
    for_each_node(root, [&](const ExprNode* e) {
      all &= (e->model == Model::I64 || e->model == Model::Bool) && e->op != ExprOp::Load &&
             (e->op != ExprOp::Var || !set_.contains(e->id));
    });
    return all;
  }

  static std::vector<Expr> also(std::vector<Expr> masks, const Expr& e) {
    if (e->op == ExprOp::And) return also(also(std::move(masks), e->child[0]), e->child[1]);
    masks.push_back(e);
    return masks;
  }

  // --- shuffles

  // The number of a thread among all of its block.
  Expr thread() const {
    Expr all = place_[0];
    for (size_t i = 1; i < place_.size(); ++i)
      all = all * number(sizes_[static_cast<int>(i)]) + place_[i];
    return all;
  }

  // The distance at which threads take from each other, in pairs of groups of that size; 0: no such
  // one.
  int64_t across_by(const Stmt& s) const {
    const Expr from = without_lets(s.indices[0]);
    int64_t far = 0;
    if (from->op != ExprOp::BitXor || !Expr(from->child[1]).as_int(&far)) return 0;
    const bool lane = floor_mod(thread(), number(kernel::kWarp)).is(from->child[0]);
    const bool halves = far > 0 && (far & (far - 1)) == 0 && sizes_.back() % (2 * far) == 0;
    return lane && halves && far < kernel::kWarp ? far : 0;
  }

  // Between a shuffle's two runs nothing else is given. What warps that are no whole ones lack is
  // never written.
  int memory_to_give(Model model, bool by_number) {
    const auto [at, inserted] = given_.emplace(std::pair(model, by_number), 0);
    const int64_t n = numel_of(sizes_), whole = kernel::kWarp;
    const Dims by_one{n <= whole ? n : (n + whole - 1) / whole * whole};
    if (inserted) at->second = array(dtype_of(model), by_number ? by_one : sizes_);
    return at->second;
  }

  Stmt shuffle_store(const Stmt& s, int64_t across) {
    const int to = memory_to_give(s.value.model(), across == 0);
    return store(to, across == 0 ? std::vector<Expr>{thread()} : place_, s.value);
  }

  // A remainder is the index itself, and says so to who asks how far it goes.
  Expr taken_from(const Stmt& s, int64_t across) {
    const Model model = s.value.model();
    std::vector<Expr> at = place_;
    if (across > 0) {
      if (other_ < 0) other_ = fresh_var(k_);
      at.back() = index_var(other_);
    } else {
      const Expr whole = number(kernel::kWarp);
      const int64_t n = numel_of(sizes_);
      at = {n <= kernel::kWarp
                ? floor_mod(s.indices[0], number(n))
                : floor_div(thread(), whole) * whole + floor_mod(s.indices[0], whole)};
    }
    return Expr::load(memory_to_give(model, across == 0), dtype_of(model), at);
  }

  int array(DType dtype, const Dims& sizes) {
    k_.buffers.push_back({BufferRole::Register, dtype, sizes, contiguous_strides(sizes)});
    const int buffer = static_cast<int>(k_.buffers.size()) - 1;
    taken_.insert(buffer);
    arrays_.insert(buffer);
    return buffer;
  }

  // --- what is known

  void look(const std::vector<Piece>& pieces) {
    for (const Piece& p : pieces) {
      if (!p.is_run()) {
        look(p.around, kOutside);
        look(p.inside);
        continue;
      }
      for (const Stmt& s : p.run) {
        look(s, p.number);
        for_each_stmt(s.body, [&](const Stmt& inner) { look(inner, p.number); });
        const bool sets = s.kind == Stmt::Kind::Let || s.kind == Stmt::Kind::Declare;
        if (sets) variables_[s.var] = {s.kind, s.value.model(), p.number};
      }
    }
  }

  void look(const Stmt& s, int run) {
    for_each_root(s, [&](const Expr& root) {
      for_each_node(root, [&](const ExprNode* e) {
        if (e->op == ExprOp::Var) read(e->id, run);
      });
    });
    if (s.kind == Stmt::Kind::Update) read(s.var, run);
  }

  void read(int var, int run) {
    const auto at = variables_.find(var);
    if (at != variables_.end() && at->second.run != run) at->second.elsewhere = true;
  }

  const Variable* array_variable(int var) const {
    const auto at = variables_.find(var);
    return at != variables_.end() && at->second.array >= 0 ? &at->second : nullptr;
  }

  // --- written

  Body emit_pieces(const std::vector<Piece>& pieces) {
    Body out;
    for (const Piece& p : pieces) {
      if (p.is_run()) {
        out.push_back(by_threads(p));
        continue;
      }
      Stmt around = p.around;
      if (around.value.is_defined()) around.value = of_all(around.value);
      around.body = emit_pieces(p.inside);
      out.push_back(std::move(around));
    }
    return out;
  }

  Expr without_lets(Expr e) const {
    ExprRewrite rewrite([&](const ExprNode* n) -> Expr {
      const auto at = n->op == ExprOp::Var ? again_.find(n->id) : again_.end();
      return at == again_.end() ? Expr() : rewrite(at->second);
    });
    return rewrite(e);
  }

  // A condition that is the same for all threads, as the first has it.
  Expr of_all(Expr e) {
    const std::vector<Expr> first(place_.size(), number(0));
    ExprRewrite as_first([&](const ExprNode* n) -> Expr {
      const Variable* v = n->op == ExprOp::Var ? array_variable(n->id) : nullptr;
      return v ? Expr::load(v->array, dtype_of(v->model), first) : Expr();
    });
    return own_memory(as_first(without_lets(e)));
  }

  // With the arrays in place of registers and of accumulators.
  Expr own_memory(Expr root) {
    ExprRewrite rewrite([&](const ExprNode* e) -> Expr {
      if (e->op == ExprOp::Var) {
        const Variable* v = array_variable(e->id);
        if (!v || v->kind != Stmt::Kind::Declare) return {};
        return Expr::load(v->array, dtype_of(v->model), place_);
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
    const kernel::Buffer& old = buffers_[static_cast<size_t>(buffer)];
    Memory m{!kernel::is_global(old.role), old.role == BufferRole::Register, buffer};
    if (m.local) {
      Dims sizes = old.sizes;
      if (m.by_thread)
        for (int64_t n : sizes_) sizes.push_back(n);
      kernel::Buffer replacement{BufferRole::Register, old.dtype, sizes, contiguous_strides(sizes)};
      if (taken_.insert(buffer).second) {
        k_.buffers[static_cast<size_t>(buffer)] = replacement;
      } else {
        m.buffer = static_cast<int>(k_.buffers.size());
        k_.buffers.push_back(replacement);
      }
    }
    return memory_[buffer] = m;
  }

  Stmt by_threads(const Piece& p) {
    Body run;
    for (const Stmt& s : p.run) {
      run.push_back(in_own_memory(s));
      const Variable* v = s.kind == Stmt::Kind::Let ? array_variable(s.var) : nullptr;
      if (v) run.push_back(store(v->array, place_, Expr::var(s.var, v->model)));
    }
    Body all = read_first(run, p.number);
    append(std::move(run), all);
    const std::set<int> lets = indices_read(all, p.masks), first = indices_read({}, p.masks);
    for (size_t i = loops_.threads.size(); i-- > 0;) {
      Body inside, iteration;  // of the masks, and of the loop: what masks read is set before them
      for (int var : lets)
        if (is_at(i, again_.at(var)))
          (first.contains(var) ? iteration : inside)
              .push_back(set(Stmt::Kind::Let, var, again_.at(var)));
      append(std::move(all), inside);
      for (const Expr& mask : p.masks)
        if (is_at(i, mask)) inside = one(when(mask, std::move(inside)));
      append(std::move(inside), iteration);
      const bool pairs = p.across > 0 && i + 1 == loops_.threads.size();
      all = one(pairs ? by_pairs(*loops_.threads[i], p.across, std::move(iteration))
                      : loop(LoopKind::Serial, loops_.threads[i]->var, loops_.threads[i]->extent,
                             std::move(iteration)));
    }
    return std::move(all[0]);
  }

  // Neighbours that take from neighbours: `far` of them, then those from which they take.
  Stmt by_pairs(const Stmt& threads, int64_t far, Body iteration) {
    const int pair = fresh_var(k_), side = fresh_var(k_), at = fresh_var(k_);
    const Expr first = index_var(pair) * number(2 * far), mine = index_var(side) * number(far);
    const Expr its = (number(1) - index_var(side)) * number(far);
    Body all;
    all.push_back(set(Stmt::Kind::Let, threads.var, first + mine + index_var(at)));
    all.push_back(set(Stmt::Kind::Let, other_, first + its + index_var(at)));
    append(std::move(iteration), all);
    Stmt nest = loop(LoopKind::Serial, at, far, std::move(all));
    nest = loop(LoopKind::Serial, side, 2, one(std::move(nest)));
    return loop(LoopKind::Serial, pair, threads.extent / (2 * far), one(std::move(nest)));
  }

  // Is a loop over threads the innermost that it hangs on? What hangs on none is in the outermost.
  bool is_at(size_t axis, const Expr& e) const {
    size_t level = 0;
    for_each_node(without_lets(e), [&](const ExprNode* n) {
      for (size_t i = 0; n->op == ExprOp::Var && i < loops_.threads.size(); ++i)
        if (loops_.threads[i]->var == n->id) level = std::max(level, i);
    });
    return level == axis;
  }

  Stmt in_own_memory(const Stmt& from) {
    Stmt s = from;
    if (s.value.is_defined()) s.value = own_memory(s.value);
    for (Expr& e : s.indices) e = own_memory(e);
    for (Stmt& inner : s.body) inner = in_own_memory(inner);
    if (s.kind == Stmt::Kind::Store && !arrays_.contains(s.buffer)) {
      const Memory m = memory(s.buffer);
      s.buffer = m.buffer;
      if (m.by_thread) s.indices.insert(s.indices.end(), place_.begin(), place_.end());
    }
    const bool accumulates = s.kind == Stmt::Kind::Declare || s.kind == Stmt::Kind::Update;
    const Variable* v = accumulates ? array_variable(s.var) : nullptr;
    return v ? store(v->array, place_, s.value) : s;
  }

  template <class See>
  static void for_each_variable(const Body& body, See see) {
    for_each_stmt(body, [&](const Stmt& s) {
      for_each_root(s, [&](const Expr& root) {
        for_each_node(root, [&](const ExprNode* e) {
          if (e->op == ExprOp::Var) see(e->id);
        });
      });
    });
  }

  // Lets that a run reads and another sets.
  Body read_first(const Body& run, int here) const {
    std::set<int> read;
    for_each_variable(run, [&](int var) {
      const Variable* v = array_variable(var);
      if (v && v->kind == Stmt::Kind::Let && v->run != here) read.insert(var);
    });
    Body out;
    for (int var : read) {
      const Variable& v = *array_variable(var);
      out.push_back(set(Stmt::Kind::Let, var, Expr::load(v.array, dtype_of(v.model), place_)));
    }
    return out;
  }

  // Lets of indices that statements and masks read, and those that these depend on.
  std::set<int> indices_read(const Body& body, const std::vector<Expr>& masks) const {
    std::set<int> read;
    const auto see = [&](auto& self, int var) -> void {
      const auto at = again_.find(var);
      if (at == again_.end() || !read.insert(var).second) return;
      for_each_node(at->second, [&](const ExprNode* e) {
        if (e->op == ExprOp::Var) self(self, e->id);
      });
    };
    for_each_variable(body, [&](int var) { see(see, var); });
    for (const Expr& mask : masks)
      for_each_node(mask, [&](const ExprNode* e) {
        if (e->op == ExprOp::Var) see(see, e->id);
      });
    return read;
  }

  Kernel& k_;
  const std::vector<kernel::Buffer>& buffers_;  // before any grid was changed
  std::set<int>& taken_;                        // buffers that are memory of one thread already
  const kernel::Grid loops_;
  Dims sizes_;               // of the block
  std::vector<Expr> place_;  // of a thread in it
  int runs_ = 0;
  int other_ = -1;  // along the innermost axis the thread that one takes from
  std::map<std::pair<Model, bool>, int> given_;  // what threads give each other
  std::set<int> arrays_;                         // that were created here
  std::map<int, Expr> again_;                    // lets computed from indices
  std::set<int> set_;                            // variables that are not
  std::map<int, Variable> variables_;
  std::map<int, Memory> memory_;
};

}  // namespace

Lowered work_item_loops(Lowered lowered) {
  if (!any_meets(lowered.kernel)) return lowered;
  const Kernel given = own_names(lowered.kernel);
  Kernel k = given;
  const ExprPool::Scope scope(*k.pool);
  std::set<int> taken;
  for (size_t i = 0; i < k.body.size(); ++i) {
    if (!needs_iterations(given, given.body[i])) continue;
    probe_loops.hit();
    k.body[i] = OneGrid(k, given.buffers, taken, given.body[i]).build();
    if (i >= lowered.launches.size()) continue;
    std::string& domain = lowered.launches[i].domain;
    domain += domain.empty() ? "work-item loops" : "; work-item loops";
  }
  kernel::check(k);
  lowered.kernel = std::move(k);
  return lowered;
}

bool wants_work_item_loops(const Kernel& kernel, const kernel::Backend& backend) {
  return any_meets(kernel) && (kWorkItemLoops.get() || !kernel::supports(backend, kernel).yes);
}

}  // namespace fusillade::fuse
