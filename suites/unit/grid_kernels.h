// Kernels with blocks, threads, shared memory, barriers and shuffles, built by hand.
#pragma once

#include "engine/fuse/statements.h"
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade::kernel::built {

inline Expr whole(int64_t n) { return Expr::imm_i(n); }

using fuse::write::barrier;
using fuse::write::shuffle;
using fuse::write::when;

// for v0 in blocks: for v1 in threads: body
inline Stmt grid(int64_t blocks, int64_t threads, Body body) {
  Body inner;
  inner.push_back(loop(1, threads, std::move(body), LoopKind::Thread));
  return loop(0, blocks, std::move(inner), LoopKind::Block);
}

template <class... S>
Body several(S&&... statements) {
  Body out;
  (out.push_back(std::forward<S>(statements)), ...);
  return out;
}

// out[block] = the sum of in[block, :], halving in shared memory: each iteration adds the upper
// half of what is left to the lower. Without a barrier, threads read what others are still writing.
inline Kernel tree_sum(int64_t blocks, int64_t threads, bool with_barrier = true) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{blocks, threads});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{blocks});
  const int tile = add_buffer(k, BufferRole::Shared, DType::F32, Dims{threads});
  const auto load_shared = [&](Expr i) { return Expr::load(tile, DType::F32, {i}); };
  Body body =
      several(store_to(tile, {at(1)}, Expr::load(in, DType::F32, {at(0), at(1)})), barrier());
  for (int64_t half = threads / 2; half > 0; half /= 2) {
    body.push_back(when(
        at(1) < whole(half),
        several(store_to(tile, {at(1)}, load_shared(at(1)) + load_shared(at(1) + whole(half))))));
    if (with_barrier) body.push_back(barrier());
  }
  body.push_back(when(at(1) < whole(1), several(store_to(out, {at(0)}, load_shared(whole(0))))));
  k.body.push_back(grid(blocks, threads, std::move(body)));
  return k;
}

// out[j, i] = in[i, j] through a tile of 8 x 8 in shared memory; sizes need be no multiples of 8.
inline Kernel transpose(DType dtype, int64_t rows, int64_t columns, bool with_barrier = true) {
  constexpr int64_t kTile = 8;
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, dtype, Dims{rows, columns});
  const int out = add_buffer(k, BufferRole::Out, dtype, Dims{columns, rows});
  const int tile = add_buffer(k, BufferRole::Shared, dtype, Dims{kTile, kTile});
  // v0, v1: the tile; v2, v3: the thread; v4, v5: its element of the input; v6, v7: of the result
  Body body;
  body.push_back(set(Stmt::Kind::Let, 4, at(0) * whole(kTile) + at(2)));
  body.push_back(set(Stmt::Kind::Let, 5, at(1) * whole(kTile) + at(3)));
  body.push_back(
      when((at(4) < whole(rows)) & (at(5) < whole(columns)),
           several(store_to(tile, {at(2), at(3)}, Expr::load(in, dtype, {at(4), at(5)})))));
  if (with_barrier) body.push_back(barrier());
  body.push_back(set(Stmt::Kind::Let, 6, at(1) * whole(kTile) + at(2)));
  body.push_back(set(Stmt::Kind::Let, 7, at(0) * whole(kTile) + at(3)));
  body.push_back(
      when((at(6) < whole(columns)) & (at(7) < whole(rows)),
           several(store_to(out, {at(6), at(7)}, Expr::load(tile, dtype, {at(3), at(2)})))));
  Body x = several(loop(3, kTile, std::move(body), LoopKind::Thread));
  Body y = several(loop(2, kTile, std::move(x), LoopKind::Thread));
  Body across = several(loop(1, (columns + kTile - 1) / kTile, std::move(y), LoopKind::Block));
  k.body.push_back(loop(0, (rows + kTile - 1) / kTile, std::move(across), LoopKind::Block));
  return k;
}

// out[block, thread] = the sum over the thread's warp of in[block, :], by shuffles that cross over.
inline Kernel warp_sum(DType dtype, int64_t blocks, int64_t threads) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, dtype, Dims{blocks, threads});
  const int out = add_buffer(k, BufferRole::Out, dtype, Dims{blocks, threads});
  const Model model = compute_of(dtype);
  Body body;
  body.push_back(set(Stmt::Kind::Declare, 2, Expr::load(in, dtype, {at(0), at(1)})));
  int given = 3;
  for (int64_t far = kWarp / 2; far > 0; far /= 2, ++given) {
    const Expr lane = floor_mod(at(1), whole(kWarp));
    body.push_back(shuffle(given, Expr::var(2, model), bit_xor(lane, whole(far))));
    body.push_back(set(Stmt::Kind::Update, 2, Expr::var(2, model) + Expr::var(given, model)));
  }
  body.push_back(store_to(out, {at(0), at(1)}, round_to(Expr::var(2, model), dtype)));
  k.body.push_back(grid(blocks, threads, std::move(body)));
  return k;
}

// An extent of `least` or more blocks, and scalars of each model.
inline Kernel affine_kernel(int64_t least) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  k.scalars = {
      {10, Model::F64}, {11, Model::I64, least, INT32_MAX}, {12, Model::F32}, {13, Model::I64}};
  k.buffers.push_back({BufferRole::In, DType::F32, Dims{dynamic_number(1)}, Dims{1}});
  k.buffers.push_back({BufferRole::Out, DType::F64, Dims{dynamic_number(1), 4}, Dims{4, 1}});
  const auto wide = [](Expr e) { return convert(e, Model::F64); };
  const Expr x = Expr::load(0, DType::F32, {at(0)});
  const Expr value = wide(x) * Expr::var(10, Model::F64) + wide(Expr::var(12, Model::F32)) +
                     wide(Expr::var(13, Model::I64));
  k.body.push_back(grid(dynamic_number(1), 4, several(store_to(1, {at(0), at(1)}, value))));
  return k;
}

}  // namespace fusillade::kernel::built
