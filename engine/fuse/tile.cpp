// The tile fuser (nvFuser class): element-wise, views, reductions and normalisations over them
// become grids in which the threads of a block cooperate: they share rows, exchange partial results
// by shuffles and shared memory, hold rows in registers, and transpose tiles.
//
// A group is cut into segments (segment.h), each a grid (tile_schedule.h, tile_grid.h), which run
// one after the other. f16 and bf16 are computed in f32, as everywhere.
#include <set>

#include "engine/base/probe.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/lower_group.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/split_reductions.h"
#include "engine/fuse/tile_grid.h"
#include "engine/fuse/welford.h"

namespace fusillade::fuse {
namespace {

int64_t elements(const Segment& s, bool of_rows) {
  int64_t n = 1;
  for (const Segment::Axis& a : s.axes)
    if (!of_rows || a.role == Segment::Role::Row) n *= a.extent;
  return n;
}

template <class See>
void for_each_statement(kernel::Body& body, See see) {
  for (kernel::Stmt& s : body) {
    see(s);
    for_each_statement(s.body, see);
  }
}

// What grids hold in registers needs no memory that all see.
void drop_unused_buffers(kernel::Kernel& kernel) {
  std::set<int> used;
  for (size_t i = 0; i < kernel.buffers.size(); ++i)
    if (kernel::is_argument(kernel.buffers[i].role)) used.insert(static_cast<int>(i));
  const auto look = [&](const ExprNode* e) {
    if (e->op == ExprOp::Load) used.insert(e->id);
  };
  for_each_statement(kernel.body, [&](const kernel::Stmt& s) {
    if (s.kind == kernel::Stmt::Kind::Store) used.insert(s.buffer);
    for_each_node(s.value, look);
    for (const Expr& e : s.indices) for_each_node(e, look);
  });
  std::vector<int> number(kernel.buffers.size(), -1);
  std::vector<kernel::Buffer> kept;
  for (int b : used) {
    number[static_cast<size_t>(b)] = static_cast<int>(kept.size());
    kept.push_back(kernel.buffers[static_cast<size_t>(b)]);
  }
  kernel.buffers = std::move(kept);
  ExprRewrite renumbered([&](const ExprNode* e) -> Expr {
    if (e->op != ExprOp::Load) return {};
    std::vector<Expr> indices;
    for (uint32_t i = 0; i < e->children; ++i) indices.push_back(renumbered(e->child[i]));
    return Expr::load(number[static_cast<size_t>(e->id)], e->dtype, indices);
  });
  for_each_statement(kernel.body, [&](kernel::Stmt& s) {
    if (s.kind == kernel::Stmt::Kind::Store) s.buffer = number[static_cast<size_t>(s.buffer)];
    if (s.value.is_defined()) s.value = renumbered(s.value);
    for (Expr& e : s.indices) e = renumbered(e);
  });
}

std::vector<Schedule> build_tiles(const std::vector<Stage>& given, DynamicNumbers& numbers,
                                  kernel::Kernel& kernel) {
  const std::vector<Stage> stages = share_rows(by_welford(given, kernel), numbers, kernel);
  const std::vector<Segment> segments = segments_of(stages);
  std::vector<Schedule> schedules;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (elements(segment, segment.reduces) == 0) continue;
    const auto read_later = [&](int buffer) {
      for (size_t later = i + 1; later < segments.size(); ++later)
        if (segments[later].reads(buffer)) return true;
      return false;
    };
    const TileSchedule schedule = schedule_of(segment, numbers, kernel);
    kernel.body.push_back(build_tile_grid(segment, schedule, read_later, numbers, kernel));
    probe(fmt::format("fuse/tile-{}", schedule.name)).hit();
    schedules.push_back(schedule_of(schedule.name, kernel.body.back()));
    schedules.back().domain = schedule.domain.text();
  }
  drop_unused_buffers(kernel);
  return schedules;
}

Lowered lower(const Graph& group, const std::vector<ArgSpec>& args, const DynamicSizes* dynamic) {
  return lower_group(group, args, dynamic, {&build_tiles, Lowering::Launches::Dear, "no grids"});
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"tile", "blocks of threads that share rows and tiles: reductions, norms (nvFuser class)",
     [](const Node* node, Members group) {
       return may_fuse(node, kAllForms & ~kScanForms & ~kProductForms) && has_room(node, group);
     },
     &walks_alike, &cost_as_kernel, &lower});

}  // namespace
}  // namespace fusillade::fuse
