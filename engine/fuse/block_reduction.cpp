// Along memory, in two levels: the threads of a warp by shuffles that cross over, half as far each
// time; then warps through shared memory, where each thread combines what all warps found. Across
// memory, halving in shared memory with a barrier between. The last step is one thread's value for
// all, since a choice between 0 and -0 depends on who comes first.
#include "engine/fuse/block_reduction.h"

#include "engine/base/probe.h"
#include "engine/fuse/welford.h"

namespace fusillade::fuse {
namespace {

using namespace write;

Probe probe_warps("fuse/tile-between-warps");

// What is exchanged together: a stage's accumulator, or those of a pair of moments.
struct Item {
  const Stage* stage;
  std::vector<int> vars;
};
using Values = std::vector<Expr>;

Model model_of(const Item& item) { return item.stage->identity.model(); }
Values values_of(const Item& item) {
  Values out;
  for (int var : item.vars) out.push_back(Expr::var(var, model_of(item)));
  return out;
}

DType dtype_of(Model model) {
  return model == Model::I64 ? DType::I64 : model == Model::F32 ? DType::F32 : DType::F64;
}

Values combine(const Item& item, const Values& a, const Values& b) {
  if (item.stage->moments) {
    const Moments both =
        fuse::combine_moments(Moments{a[0], a[1], a[2]}, Moments{b[0], b[1], b[2]});
    return {both.begin(), both.end()};
  }
  const Expr pair[2] = {a[0], b[0]};
  FormulaModel formula(model_of(item));
  return {item.stage->combine->expr(pair)};
}

std::vector<Item> items_of(const std::vector<const Stage*>& stages) {
  std::vector<Item> out;
  for (const Stage* s : stages) {
    if (!s->moments) out.push_back({s, {s->accumulator}});
    else if (s->accumulator == s->moments->squares)
      out.push_back({s, {s->moments->count, s->moments->mean, s->moments->squares}});
  }
  return out;
}

class Exchange {
 public:
  Exchange(std::vector<Item> items, const TileSchedule& schedule, kernel::Kernel& kernel, Body& out)
      : items_(std::move(items)),
        kernel_(kernel),
        out_(out),
        across_(schedule.domain.extent(schedule.across)),
        rows_(schedule.domain.extent(schedule.rows)),
        mine_(schedule.domain.index(schedule.across)),
        row_(schedule.domain.index(schedule.rows)) {}

  void along() {
    const Expr lane = floor_mod(row_ * number(across_) + mine_, number(kernel::kWarp));
    const int64_t width = std::min(across_, kernel::kWarp);
    for (const Item& item : items_) {
      for (int64_t far = width / 2; far > 0; far /= 2)
        take(item,
             combine(item, values_of(item), shuffle_values(item, bit_xor(lane, number(far)))));
      if (across_ <= kernel::kWarp && width > 1)
        take(item, shuffle_values(item, lane - floor_mod(lane, number(width))));
    }
    if (across_ > kernel::kWarp) between_warps();
  }

  void sideways() {
    if (across_ == 1) return;
    std::vector<std::vector<int>> shared;
    for (const Item& item : items_) {
      shared.push_back(memory(item, Dims{across_, rows_}));
      append(stores(item, shared.back(), {mine_, row_}, values_of(item)), out_);
    }
    for (int64_t half = across_ / 2; half > 0; half /= 2) {
      out_.push_back(barrier());
      Body adds;
      for (size_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        const Values sum = combine(item, loads(item, shared[i], {mine_, row_}),
                                   loads(item, shared[i], {mine_ + number(half), row_}));
        append(stores(item, shared[i], {mine_, row_}, let_bind(item, sum, adds)), adds);
      }
      out_.push_back(when(mine_ < number(half), std::move(adds)));
    }
    out_.push_back(barrier());
    for (size_t i = 0; i < items_.size(); ++i)
      take(items_[i], loads(items_[i], shared[i], {number(0), row_}));
  }

 private:
  void between_warps() {
    probe_warps.hit();
    const int64_t warps = across_ / kernel::kWarp;
    const Expr warp = floor_div(mine_, number(kernel::kWarp));
    std::vector<std::vector<int>> shared;
    Body first;
    for (const Item& item : items_) {
      shared.push_back(memory(item, Dims{rows_, warps}));
      append(stores(item, shared.back(), {row_, warp}, values_of(item)), first);
    }
    const int lane = kernel_.num_vars++;
    out_.push_back(set(Stmt::Kind::Let, lane, floor_mod(mine_, number(kernel::kWarp))));
    out_.push_back(when(index_var(lane) < number(1), std::move(first)));
    out_.push_back(barrier());
    for (size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      take(item, loads(item, shared[i], {row_, number(0)}));
      for (int64_t w = 1; w < warps; ++w)
        take(item, combine(item, values_of(item), loads(item, shared[i], {row_, number(w)})));
    }
  }

  // Several values depend on each other's old values, so each is bound before one of them changes.
  Values let_bind(const Item& item, Values values, Body& out) {
    for (Expr& e : values) {
      if (values.size() == 1) break;
      const int var = kernel_.num_vars++;
      out.push_back(set(Stmt::Kind::Let, var, e));
      e = Expr::var(var, model_of(item));
    }
    return values;
  }

  void take(const Item& item, const Values& values) {
    const Values next = let_bind(item, values, out_);
    for (size_t v = 0; v < next.size(); ++v)
      out_.push_back(set(Stmt::Kind::Update, item.vars[v], next[v]));
  }

  Values shuffle_values(const Item& item, Expr from) {
    Values out;
    for (const Expr& e : values_of(item)) {
      const int given = kernel_.num_vars++;
      out_.push_back(shuffle(given, e, from));
      out.push_back(Expr::var(given, model_of(item)));
    }
    return out;
  }

  // Each exchange has memory of its own: nothing is written there while others still read it.
  std::vector<int> memory(const Item& item, const Dims& sizes) {
    std::vector<int> out;
    for (size_t v = 0; v < item.vars.size(); ++v) {
      out.push_back(static_cast<int>(kernel_.buffers.size()));
      kernel_.buffers.push_back(
          {kernel::BufferRole::Shared, dtype_of(model_of(item)), sizes, contiguous_strides(sizes)});
    }
    return out;
  }

  static Values loads(const Item& item, const std::vector<int>& memory,
                      const std::vector<Expr>& at) {
    Values out;
    for (int buffer : memory) out.push_back(Expr::load(buffer, dtype_of(model_of(item)), at));
    return out;
  }

  static Body stores(const Item& item, const std::vector<int>& memory, const std::vector<Expr>& at,
                     const Values& values) {
    Body out;
    for (size_t v = 0; v < item.vars.size(); ++v) out.push_back(store(memory[v], at, values[v]));
    return out;
  }

  const std::vector<Item> items_;
  kernel::Kernel& kernel_;
  Body& out_;
  int64_t across_, rows_;
  Expr mine_, row_;  // the thread's place
};

}  // namespace

void append_exchange(const std::vector<const Stage*>& stages, const TileSchedule& schedule,
                     kernel::Kernel& kernel, Body& out) {
  if (stages.empty()) return;
  Exchange exchange(items_of(stages), schedule, kernel, out);
  if (schedule.inner) exchange.along();
  else exchange.sideways();
}

}  // namespace fusillade::fuse
