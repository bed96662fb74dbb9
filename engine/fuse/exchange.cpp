// Along memory, in two levels: the threads of a warp by shuffles that cross over, half as far each
// time; then warps through shared memory, where each thread combines what all warps found. Across
// memory, halving in shared memory with a barrier between. The last step is one thread's value for
// all, since a choice between 0 and -0 depends on who comes first.
#include "engine/fuse/exchange.h"

#include "engine/base/probe.h"

namespace fusillade::fuse {
namespace {

using namespace write;

Probe probe_warps("fuse/tile-between-warps");

Model model_of(const Stage& s) { return s.identity.model(); }
Expr accumulator(const Stage& s) { return Expr::var(s.accumulator, model_of(s)); }

DType dtype_of(Model model) {
  return model == Model::I64 ? DType::I64 : model == Model::F32 ? DType::F32 : DType::F64;
}

Expr combined(const Stage& s, Expr a, Expr b) {
  const Expr pair[2] = {a, b};
  FormulaModel formula(model_of(s));
  return s.combine->expr(pair);
}

class Exchange {
 public:
  Exchange(const std::vector<const Stage*>& stages, const TileSchedule& schedule,
           kernel::Kernel& kernel, Body& out)
      : stages_(stages),
        kernel_(kernel),
        out_(out),
        across_(schedule.domain.extent(schedule.across)),
        rows_(schedule.domain.extent(schedule.rows)),
        mine_(schedule.domain.index(schedule.across)),
        row_(schedule.domain.index(schedule.rows)) {}

  void along() {
    const Expr lane = floor_mod(row_ * number(across_) + mine_, number(kernel::kWarp));
    const int64_t width = std::min(across_, kernel::kWarp);
    for (const Stage* s : stages_) {
      for (int64_t far = width / 2; far > 0; far /= 2)
        take(*s, combined(*s, accumulator(*s), shuffled(*s, bit_xor(lane, number(far)))));
      if (across_ <= kernel::kWarp && width > 1)
        take(*s, shuffled(*s, lane - floor_mod(lane, number(width))));
    }
    if (across_ > kernel::kWarp) between_warps();
  }

  void sideways() {
    if (across_ == 1) return;
    std::vector<int> shared;
    for (const Stage* s : stages_) {
      shared.push_back(buffer(*s, Dims{across_, rows_}));
      out_.push_back(store(shared.back(), {mine_, row_}, accumulator(*s)));
    }
    for (int64_t half = across_ / 2; half > 0; half /= 2) {
      out_.push_back(barrier());
      Body adds;
      for (size_t i = 0; i < stages_.size(); ++i) {
        const Stage& s = *stages_[i];
        const Expr sum = combined(s, load(s, shared[i], {mine_, row_}),
                                  load(s, shared[i], {mine_ + number(half), row_}));
        adds.push_back(store(shared[i], {mine_, row_}, sum));
      }
      out_.push_back(when(mine_ < number(half), std::move(adds)));
    }
    out_.push_back(barrier());
    for (size_t i = 0; i < stages_.size(); ++i)
      take(*stages_[i], load(*stages_[i], shared[i], {number(0), row_}));
  }

 private:
  void between_warps() {
    probe_warps.hit();
    const int64_t warps = across_ / kernel::kWarp;
    const Expr warp = floor_div(mine_, number(kernel::kWarp));
    std::vector<int> shared;
    Body stores;
    for (const Stage* s : stages_) {
      shared.push_back(buffer(*s, Dims{rows_, warps}));
      stores.push_back(store(shared.back(), {row_, warp}, accumulator(*s)));
    }
    const int lane = kernel_.num_vars++;
    out_.push_back(set(Stmt::Kind::Let, lane, floor_mod(mine_, number(kernel::kWarp))));
    out_.push_back(when(index_var(lane) < number(1), std::move(stores)));
    out_.push_back(barrier());
    for (size_t i = 0; i < stages_.size(); ++i) {
      const Stage& s = *stages_[i];
      take(s, load(s, shared[i], {row_, number(0)}));
      for (int64_t w = 1; w < warps; ++w)
        take(s, combined(s, accumulator(s), load(s, shared[i], {row_, number(w)})));
    }
  }

  void take(const Stage& s, Expr value) {
    out_.push_back(set(Stmt::Kind::Update, s.accumulator, value));
  }

  Expr shuffled(const Stage& s, Expr from) {
    const int given = kernel_.num_vars++;
    out_.push_back(shuffle(given, accumulator(s), from));
    return Expr::var(given, model_of(s));
  }

  // Each exchange has memory of its own: nothing is written there while others still read it.
  int buffer(const Stage& s, const Dims& sizes) {
    kernel_.buffers.push_back(
        {kernel::BufferRole::Shared, dtype_of(model_of(s)), sizes, contiguous_strides(sizes)});
    return static_cast<int>(kernel_.buffers.size()) - 1;
  }

  static Expr load(const Stage& s, int buffer, const std::vector<Expr>& at) {
    return Expr::load(buffer, dtype_of(model_of(s)), at);
  }

  const std::vector<const Stage*>& stages_;
  kernel::Kernel& kernel_;
  Body& out_;
  int64_t across_, rows_;
  Expr mine_, row_;  // the thread's place
};

}  // namespace

void append_exchange(const std::vector<const Stage*>& stages, const TileSchedule& schedule,
                     kernel::Kernel& kernel, Body& out) {
  if (stages.empty()) return;
  Exchange exchange(stages, schedule, kernel, out);
  if (schedule.inner) exchange.along();
  else exchange.sideways();
}

}  // namespace fusillade::fuse
