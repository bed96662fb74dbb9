// Axes split and merged in every way: exactly one thread, in one of its iterations, meets each
// element of a tensor. The interpreter checks: it finds what is written twice (a race) or never.
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
  DynamicNumbers numbers(k, nullptr);
  LoopDomain domain(roots, numbers, k);
  const int iteration = share_out(domain);
  std::vector<int> all;
  std::vector<Expr> indices;
  for (int axis = 0; axis < roots.rank(); ++axis) {
    all.push_back(axis);
    indices.push_back(write::index_var(domain.var(axis)));
  }
  kernel::Body work;
  work.push_back(write::store(out, indices, Expr::imm_f(1, Model::F32)));
  k.body.push_back(domain.grid(domain.iterations(iteration, domain.around(all, std::move(work)))));
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
                            const auto [iteration, rest] = d.split(d.merge(0, 1), first * second);
                            const auto [block, thread] = d.split(rest, second);
                            d.map(iteration, Map::Serial);
                            d.map(block, Map::Block);
                            d.map(thread, Map::Thread);
                            return iteration;
                          }),
                    "");
          // Tiles: both axes split, blocks over tiles, threads and iterations inside.
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
                            const auto [iteration, thread] = d.split(outer, second);
                            d.map(iteration, Map::Serial);
                            d.map(0, Map::Block);
                            d.map(inner, Map::Thread);
                            d.map(thread, Map::Thread);
                            return iteration;
                          }),
                    "");
        }
}

TEST(LoopDomain, MasksOnlyWhatEndsInside) {
  kernel::Kernel k = kernel::built::empty_kernel();
  ExprPool::Scope scope(*k.pool);
  DynamicNumbers numbers(k, nullptr);
  LoopDomain d({6, 5}, numbers, k);
  d.split(0, 3);
  d.split(1, 3);
  EXPECT_FALSE(d.needs_mask({0}));
  EXPECT_TRUE(d.needs_mask({1}));
  EXPECT_TRUE(d.needs_mask({0, 1}));
  EXPECT_EQ(d.text(), "roots a0[6] a1[5]; a0 -> a2[2] a3[3]; a1 -> a4[2] a5[3] masked");
}

// One kernel, out[roots] = 1, for all sizes of dynamic roots: what any of them does wrong.
template <class ShareOut>
std::string fault_of_dynamic(bool second_dynamic, ShareOut share_out) {
  kernel::Kernel k = kernel::built::empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const StandIns stand_ins{{4099, 4111}, {5, 6}};
  DynamicNumbers numbers(k, &stand_ins);
  const Dims roots{4099, second_dynamic ? 4111 : 6};
  const int64_t rows = numbers.extent(roots[0]), columns = numbers.extent(roots[1]);
  k.buffers.push_back({BufferRole::Out, DType::F32, Dims{rows, columns}, Dims{columns, 1}});
  LoopDomain domain(roots, numbers, k);
  const int iteration = share_out(domain, numbers);
  kernel::Body work;
  work.push_back(write::store(0, {write::index_var(domain.var(0)), write::index_var(domain.var(1))},
                              Expr::imm_f(1, Model::F32)));
  k.body.push_back(
      domain.grid(domain.iterations(iteration, domain.around({0, 1}, std::move(work)))));
  const auto make_loops_dynamic = [&](auto& self, kernel::Body& body) -> void {
    for (kernel::Stmt& s : body) {
      if (s.kind == kernel::Stmt::Kind::For) s.extent = numbers.extent(s.extent);
      self(self, s.body);
    }
  };
  make_loops_dynamic(make_loops_dynamic, k.body);
  try {
    check(k);
    const auto program = kernel::backend("interp").compile(k);
    for (int64_t n : {2, 3, 5, 8, 9})
      for (int64_t m : {2, 4, 6, 7}) {
        std::vector<uint64_t> scalars;
        for (const Extent& e : numbers.extents()) {
          int64_t value = 0;
          if (!e.at({n, m}, &value)) return "an extent past int64";
          scalars.push_back(static_cast<uint64_t>(value));
        }
        std::vector<float> out(100);
        void* buffers[] = {out.data()};
        program->launch({buffers, scalars.data()});
      }
  } catch (const Bug& e) {
    return e.what() + print(k);
  }
  return "";
}

TEST(LoopDomain, DynamicAxesAreMetOnce) {
  for (const bool second : {true, false})
    for (int64_t first : {1, 2, 4}) {
      // Blocks side by side, of all elements.
      EXPECT_EQ(fault_of_dynamic(second,
                                 [&](LoopDomain& d, DynamicNumbers&) {
                                   const auto [block, mine] = d.split(d.merge(0, 1), 3 * first);
                                   const auto [iteration, thread] = d.split(mine, 3);
                                   d.map(iteration, Map::Serial);
                                   d.map(block, Map::Block);
                                   d.map(thread, Map::Thread);
                                   return iteration;
                                 }),
                "");
      // Tiles: blocks along two axes.
      EXPECT_EQ(fault_of_dynamic(second,
                                 [&](LoopDomain& d, DynamicNumbers& numbers) {
                                   numbers.limit(d.extent(0), 1000);
                                   const auto [tile_row, row] = d.split(0, first);
                                   const auto [tile_column, column] = d.split(1, 3);
                                   d.map(row, Map::Serial);
                                   d.map(tile_row, Map::Block);
                                   d.map(tile_column, Map::Block);
                                   d.map(column, Map::Thread);
                                   return row;
                                 }),
                "");
      // A row per block: of columns as many iterations as they need, or as a limit is enough for.
      EXPECT_EQ(fault_of_dynamic(second,
                                 [&](LoopDomain& d, DynamicNumbers&) {
                                   const auto [iteration, thread] = d.split(1, first);
                                   d.map(iteration, Map::Serial);
                                   d.map(0, Map::Block);
                                   d.map(thread, Map::Thread);
                                   return iteration;
                                 }),
                "");
      EXPECT_EQ(fault_of_dynamic(second,
                                 [&](LoopDomain& d, DynamicNumbers& numbers) {
                                   numbers.limit(d.extent(1), 8 * first);
                                   const auto [iteration, thread] = d.split(1, 8, first, false);
                                   d.map(iteration, Map::Serial);
                                   d.map(0, Map::Block);
                                   d.map(thread, Map::Thread);
                                   return iteration;
                                 }),
                "");
    }
}

TEST(LoopDomain, WhatIsDynamicIsMaskedAndNotMergedInParts) {
  kernel::Kernel k = kernel::built::empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const StandIns stand_ins{{4099}, {5}};
  DynamicNumbers numbers(k, &stand_ins);
  LoopDomain d({4099, 4 * 4099}, numbers, k);
  const int part = d.split(0, 1000).outer;
  d.split(1, 4);
  EXPECT_TRUE(d.needs_mask({0}));
  EXPECT_FALSE(d.needs_mask({1}));
  EXPECT_EQ(d.text(),
            "roots a0[n0] a1[4*n0]; a0 -> a2[ceil(n0/1000)] a3[1000] masked; a1 -> "
            "a4[n0] a5[4]");
  EXPECT_THROW(d.merge(part, 5), Unsupported);
}

}  // namespace
}  // namespace fusillade::fuse
