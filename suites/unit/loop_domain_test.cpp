// Axes split and merged in every way: each element of a tensor is met by exactly one thread in one
// of its turns. The interpreter tells: it finds what is written twice (a race) or never.
#include "engine/fuse/loop_domain.h"

#include "suites/unit/grid_kernels.h"

namespace fusillade::fuse {
namespace {

using kernel::BufferRole;
using Map = LoopDomain::Map;

// out[roots] = 1 where `share_out` says.
template <class ShareOut>
std::string fault(const Dims& roots, ShareOut share_out) {
  kernel::Kernel k = kernel::built::empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int out = kernel::built::add_buffer(k, BufferRole::Out, DType::F32, roots);
  OpenNumbers numbers(k, nullptr);
  LoopDomain domain(roots, numbers, k);
  const int turn = share_out(domain);
  std::vector<int> all;
  std::vector<Expr> indices;
  for (int axis = 0; axis < roots.rank(); ++axis) {
    all.push_back(axis);
    indices.push_back(write::index_var(domain.var(axis)));
  }
  kernel::Body work;
  work.push_back(write::store(out, indices, Expr::imm_f(1, Model::F32)));
  k.body.push_back(domain.grid(domain.turns(turn, domain.around(all, std::move(work)))));
  auto memory = kernel::built::memory_of(k, 1);
  try {
    check(k);
    kernel::built::launch(*kernel::backend("interp").compile(k), k, memory);
  } catch (const Bug& e) {
    return e.what() + print(k);
  }
  return "";
}

TEST(LoopDomain, EachElementIsMetOnce) {
  for (int64_t rows : {1, 2, 3, 7, 8})
    for (int64_t columns : {1, 4, 5, 9})
      for (int64_t first : {1, 2, 4})
        for (int64_t second : {1, 2, 3}) {
          // All as one axis, split twice.
          EXPECT_EQ(fault({rows, columns},
                          [&](LoopDomain& d) {
                            const auto [turn, rest] = d.split(d.merge(0, 1), first * second);
                            const auto [block, thread] = d.split(rest, second);
                            d.map(turn, Map::Serial);
                            d.map(block, Map::Block);
                            d.map(thread, Map::Thread);
                            return turn;
                          }),
                    "");
          // Tiles: both axes split, blocks over tiles, threads and turns inside.
          EXPECT_EQ(fault({rows, columns},
                          [&](LoopDomain& d) {
                            const auto [tile_row, row] = d.split(0, first);
                            const auto [tile_column, column] = d.split(1, second);
                            const int block = d.merge(tile_row, tile_column);
                            d.map(row, Map::Serial);
                            d.map(block, Map::Block);
                            d.map(column, Map::Thread);
                            return row;
                          }),
                    "");
          // A half split again: two masks, one within the other.
          EXPECT_EQ(fault({rows, columns},
                          [&](LoopDomain& d) {
                            const auto [outer, inner] = d.split(1, first);
                            const auto [turn, thread] = d.split(outer, second);
                            d.map(turn, Map::Serial);
                            d.map(0, Map::Block);
                            d.map(inner, Map::Thread);
                            d.map(thread, Map::Thread);
                            return turn;
                          }),
                    "");
        }
}

TEST(LoopDomain, MasksOnlyWhatEndsInside) {
  kernel::Kernel k = kernel::built::empty_kernel();
  ExprPool::Scope scope(*k.pool);
  OpenNumbers numbers(k, nullptr);
  LoopDomain d({6, 5}, numbers, k);
  d.split(0, 3);
  d.split(1, 3);
  EXPECT_FALSE(d.masked({0}));
  EXPECT_TRUE(d.masked({1}));
  EXPECT_TRUE(d.masked({0, 1}));
  EXPECT_EQ(d.text(), "roots a0[6] a1[5]; a0 -> a2[2] a3[3]; a1 -> a4[2] a5[3] masked");
}

}  // namespace
}  // namespace fusillade::fuse
