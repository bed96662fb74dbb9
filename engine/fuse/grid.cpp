// Each stage is a loop over its elements, flat; the indices of its dimensions follow by division,
// by numbers or by extents.
// Consecutive stages share a grid when they have the same sizes and a later one reads of an earlier
// one's buffer only the element that the same thread wrote. Blocks do not wait for each other, so
// what is read otherwise is written by a grid before.
#include "engine/fuse/grid.h"

#include <algorithm>

#include "engine/fuse/statements.h"
#include "engine/scalar/nodes_seen.h"

namespace fusillade::fuse {
namespace {

using namespace write;

constexpr int64_t kSmall = 1024;  // elements; below, blocks are of one warp
constexpr int64_t kThreads = 128;
constexpr int64_t kIterations = 4;
constexpr int64_t kSmallIterations = 2;

bool reads_own_element(const ExprNode* e, const Stage& writer, NodesSeen& seen) {
  if (!seen.insert(e)) return true;
  if (e->op == ExprOp::Load && e->id == writer.buffer) {
    for (uint32_t d = 0; d < e->children; ++d)
      if (e->child[d] != writer.indices[d].node()) return false;
  }
  return std::all_of(e->child, e->child + e->children,
                     [&](const ExprNode* c) { return reads_own_element(c, writer, seen); });
}

bool may_share(const Stage& writer, const Stage& reader) {
  NodesSeen seen;
  return writer.sizes == reader.sizes && reads_own_element(reader.value.node(), writer, seen);
}

// Variable d is the index of dimension d, from the number of the element.
void append_indices(const Dims& sizes, Expr element, DynamicNumbers& numbers, Body& out) {
  int64_t inner = numel_of(sizes);
  for (int d = 0; d < sizes.rank(); ++d) {
    inner /= sizes[d];
    Expr index = floor_div(element, numbers.value(inner));
    if (d > 0) index = floor_mod(index, numbers.value(sizes[d]));
    out.push_back(set(Stmt::Kind::Let, d, index));
  }
}

Expr element_of(const GridSchedule& s, Expr block, Expr iteration, Expr thread) {
  if (s.iterations == 1) return block * number(s.threads) + thread;
  if (kernel::is_dynamic(s.blocks))
    return block * number(s.threads * s.iterations) + (iteration * number(s.threads) + thread);
  return iteration * number(s.blocks * s.threads) + (block * number(s.threads) + thread);
}

Stmt grid(const Stage* first, const Stage* last, const GridSchedule& s, DynamicNumbers& numbers,
          kernel::Kernel& kernel) {
  const int64_t elements = numel_of(first->sizes);
  const int block = kernel.num_vars++;
  const int thread = kernel.num_vars++;
  const int iteration = kernel.num_vars++;
  const int element = kernel.num_vars++;
  const auto var = index_var;
  Body work;
  append_indices(first->sizes, var(element), numbers, work);
  for (const Stage* stage = first; stage != last; ++stage)
    work.push_back(store(stage->buffer, stage->indices, stage->value));
  Body body;
  body.push_back(
      set(Stmt::Kind::Let, element, element_of(s, var(block), var(iteration), var(thread))));
  if (elements % (s.threads * s.iterations) == 0) {
    append(std::move(work), body);
  } else {
    const Expr inside = var(element) < numbers.value(elements);
    body.push_back(when(inside, std::move(work)));
  }
  if (s.iterations > 1) {
    Body iterations;
    iterations.push_back(loop(kernel::LoopKind::Serial, iteration, s.iterations, std::move(body)));
    body = std::move(iterations);
  }
  Body threads;
  threads.push_back(loop(kernel::LoopKind::Thread, thread, s.threads, std::move(body)));
  return loop(kernel::LoopKind::Block, block, s.blocks, std::move(threads));
}

}  // namespace

GridSchedule schedule_of(int64_t elements) {
  GridSchedule s{1, elements > kSmall ? kThreads : kernel::kWarp, 1};
  if (elements > s.threads) s.iterations = elements > kSmall ? kIterations : kSmallIterations;
  const int64_t each = s.threads * s.iterations;
  s.blocks = elements / each + (elements % each != 0);
  return s;
}

GridSchedule schedule_of(int64_t elements, DynamicNumbers& numbers) {
  const int64_t seen = numbers.size_hint(elements);
  GridSchedule s = schedule_of(seen);
  if (!numbers.dynamic(elements)) return s;
  if (seen <= kSmall) numbers.limit(elements, kSmall);
  s.blocks = numbers.ceil_div(elements, s.threads * s.iterations);
  return s;
}

std::vector<Schedule> build_grid(const std::vector<Stage>& stages, DynamicNumbers& numbers,
                                 kernel::Kernel& kernel) {
  std::vector<Schedule> schedules;
  const Stage* first = stages.data();
  const Stage* last = first + stages.size();
  while (first != last) {
    if (first->accumulator >= 0) decline("a reduction in a grid of one thread per element");
    const Stage* end = first + 1;
    while (end != last && end->accumulator < 0 &&
           std::all_of(first, end, [&](const Stage& w) { return may_share(w, *end); }))
      ++end;
    if (const int64_t elements = numel_of(first->sizes); elements > 0) {
      const GridSchedule s = schedule_of(elements, numbers);
      kernel.body.push_back(grid(first, end, s, numbers, kernel));
      schedules.push_back(schedule_of("elements", kernel.body.back()));
      schedules.back().parameters.emplace_back("iterations", s.iterations);
    }
    first = end;
  }
  return schedules;
}

}  // namespace fusillade::fuse
