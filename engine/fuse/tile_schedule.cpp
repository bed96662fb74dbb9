// Blocks are small where there are few elements, so that kernels of small tensors, too, have masks,
// several iterations and exchanges between warps.
#include "engine/fuse/tile_schedule.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/grid.h"

namespace fusillade::fuse {
namespace {

using Map = LoopDomain::Map;
using Role = Segment::Role;

constexpr int64_t kAcross = 256;      // most threads that share a row
constexpr int64_t kRowThreads = 128;  // of a block whose rows are short
constexpr int64_t kEach = 2;          // columns per thread, where rows are short
constexpr int64_t kLeastIterations = 4,
                  kMostIterations = 32;  // of dynamic columns, where a number
constexpr int64_t kSideways = 32;        // most rows side by side, where they lie so
constexpr int64_t kTile = 32, kTileThreads = 8;
constexpr int64_t kSmallTile = 8, kSmallTileThreads = 4;
constexpr int64_t kSmallEdge = 64;  // up to here tiles are small
constexpr int64_t kLeastEdge = 2;

int64_t power_of_two(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

Dims extents(const Segment& segment) {
  Dims out;
  for (const Segment::Axis& a : segment.axes) out.push_back(a.extent);
  return out;
}

// Adds what an index grows by along each of the reader's dimensions, times `factor`, and last what
// it is where they are 0; false where it is no sum of multiples of them.
bool add_steps(const ExprNode* index, int64_t factor, std::vector<int64_t>& steps) {
  int64_t multiple = 0;
  switch (index->op) {
    case ExprOp::Imm:
      steps.back() += factor * static_cast<int64_t>(index->imm);
      return true;
    case ExprOp::Var:
      if (static_cast<size_t>(index->id) + 1 >= steps.size()) return false;
      steps[static_cast<size_t>(index->id)] += factor;
      return true;
    case ExprOp::Add:
      return add_steps(index->child[0], factor, steps) && add_steps(index->child[1], factor, steps);
    case ExprOp::Mul:
      return Expr(index->child[1]).as_int(&multiple) &&
             add_steps(index->child[0], factor * multiple, steps);
    default:
      return false;
  }
}

// The distance in memory between neighbours along each axis; empty where it varies. `start`: the
// offset of the first element.
std::vector<int64_t> strides_along(const kernel::Buffer& buffer, const ExprNode* const* indices,
                                   const Segment::Member& m, size_t axes,
                                   int64_t* start = nullptr) {
  std::vector<int64_t> steps(m.axes.size() + 1, 0);
  for (int d = 0; d < buffer.sizes.rank(); ++d)
    if (!add_steps(indices[d], buffer.strides[d], steps)) return {};
  std::vector<int64_t> out(axes, 0);
  for (size_t d = 0; d < m.axes.size(); ++d) out[static_cast<size_t>(m.axes[d])] += steps[d];
  if (start) *start = steps.back();
  return out;
}

// The axis along which memory is walked in the smallest steps; -1: none.
int nearest(const std::vector<int64_t>& strides, const Segment& segment) {
  int best = -1;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] == 0 || segment.axes[i].extent == 1) continue;
    if (best < 0 || strides[i] <= strides[static_cast<size_t>(best)]) best = static_cast<int>(i);
  }
  return best;
}

// Is more of what is read neighbours along columns than along rows?
bool along_columns(const Segment& segment, const DynamicNumbers& numbers,
                   const kernel::Kernel& kernel) {
  int64_t columns = 0, rows = 0;
  for (const Segment::Member& m : segment.members) {
    if (m.of_rows()) continue;
    for (const Expr& root : {m.stage->update, m.stage->value}) {
      for_each_node(root, [&](const ExprNode* e) {
        if (e->op != ExprOp::Load || segment.writer_of(e->id)) return;
        const kernel::Buffer& b = kernel.buffers[static_cast<size_t>(e->id)];
        const int axis = nearest(strides_along(b, e->child, m, segment.axes.size()), segment);
        if (axis < 0) return;
        (segment.axes[static_cast<size_t>(axis)].role == Role::Column ? columns : rows) +=
            numbers.size_hint(numel_of(b.sizes));
      });
    }
  }
  return columns >= rows;
}

// The axes of a segment, and those of one element that represent none of them.
std::vector<int> defined_by(const Segment& segment, const LoopDomain& domain,
                            std::initializer_list<int> merged) {
  std::vector<int> out(segment.axes.size());
  std::iota(out.begin(), out.end(), 0);
  for (int axis : merged)
    if (domain.root(axis) && std::ranges::count(out, axis) == 0) out.push_back(axis);
  return out;
}

// What a segment's members read of others and give as results, element by element.
template <class See>
void for_each_line(const Segment& segment, const kernel::Kernel& kernel, See see) {
  const auto line = [&](int buffer, const ExprNode* const* indices, const Segment::Member& m) {
    const kernel::Buffer& b = kernel.buffers[static_cast<size_t>(buffer)];
    int64_t start = 0;
    const auto strides = strides_along(b, indices, m, segment.axes.size(), &start);
    if (!strides.empty()) see(b, strides, start);
  };
  for (const Segment::Member& m : segment.members) {
    if (m.of_rows()) continue;
    for (const Expr& root : {m.stage->update, m.stage->value})
      for_each_node(root, [&](const ExprNode* e) {
        if (e->op == ExprOp::Load && !segment.writer_of(e->id)) line(e->id, e->child, m);
      });
    std::vector<const ExprNode*> at;
    for (const Expr& e : m.stage->indices) at.push_back(e.node());
    const auto role = kernel.buffers[static_cast<size_t>(m.stage->buffer)].role;
    if (m.full && role == kernel::BufferRole::Out) line(m.stage->buffer, at.data(), m);
  }
}

// Does every so many lanes of a line begin at a multiple of them?
bool begins_aligned(const kernel::Buffer& b, const std::vector<int64_t>& strides, int64_t start,
                    size_t axis, int64_t lanes) {
  if (b.role == kernel::BufferRole::In && !b.aligned) return false;
  for (size_t other = 0; other < strides.size(); ++other)
    if (other != axis && strides[other] % lanes != 0) return false;
  return strides[axis] == 1 && start % lanes == 0;
}

// How many neighbours along an axis an access takes: as many as fit of the widest elements, where
// most of what lies along it can be touched so.
int64_t lanes_along(const Segment& segment, const DynamicNumbers& numbers,
                    const kernel::Kernel& kernel, size_t axis) {
  int64_t widest = 0;
  for_each_line(segment, kernel,
                [&](const kernel::Buffer& b, const std::vector<int64_t>& strides, int64_t) {
                  if (strides[axis] == 1)
                    widest = std::max(widest, static_cast<int64_t>(size_of(b.dtype)));
                });
  if (widest == 0) return 1;
  const int64_t lanes = kernel::kWideBytes / widest;
  const int64_t n = segment.axes[axis].extent;
  const bool separate_rest =
      segment.axes.size() == 1 && !segment.reduces && numbers.size_hint(n) >= lanes;
  if (n % lanes != 0 && !separate_rest) return 1;
  int64_t wide = 0, all = 0;
  for_each_line(segment, kernel,
                [&](const kernel::Buffer& b, const std::vector<int64_t>& strides, int64_t start) {
                  all += strides[axis] == 1;
                  wide += begins_aligned(b, strides, start, axis, lanes);
                });
  return 2 * wide > all ? lanes : 1;
}

// Of some axes, those that are left when lanes have been split off one of them.
std::vector<int> split_lanes(const Segment& segment, std::vector<int> axes,
                             const DynamicNumbers& numbers, const kernel::Kernel& kernel,
                             TileSchedule& s) {
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t lanes = lanes_along(segment, numbers, kernel, static_cast<size_t>(axes[i]));
    if (lanes == 1) continue;
    const auto [outer, lane] = s.domain.split_whole(axes[i], lanes);
    const int64_t n = s.domain.extent(axes[i]);
    s.lane = lane;
    s.line = axes[i];
    s.rest = numbers.dynamic(n) && n % lanes != 0 ? lanes - 1 : n % lanes;
    axes[i] = outer;
    break;
  }
  return axes;
}

// Columns as iterations of threads that share a row.
LoopDomain::Halves split_columns(int column, int64_t across, DynamicNumbers& numbers,
                                 LoopDomain& d) {
  const int64_t n = d.extent(column);
  if (!numbers.dynamic(n)) return d.split(column, across);
  const int64_t seen = numbers.size_hint(n);
  const int64_t iterations =
      std::max(power_of_two(seen / across + (seen % across != 0)), kLeastIterations);
  if (iterations > kMostIterations) return d.split(column, across);
  numbers.limit(n, iterations * across);
  return d.split(column, iterations, across, false);
}

TileSchedule reduction(const Segment& segment, DynamicNumbers& numbers, kernel::Kernel& kernel) {
  TileSchedule s{.domain = LoopDomain(extents(segment), numbers, kernel)};
  const bool inner = along_columns(segment, numbers, kernel);
  const int row = s.domain.merge(segment.with_role(Role::Row));
  std::vector<int> taken = segment.with_role(Role::Column);
  if (inner) taken = split_lanes(segment, std::move(taken), numbers, kernel, s);
  const int column = s.domain.merge(taken);
  const int64_t rows = numbers.size_hint(s.domain.extent(row));
  const int64_t columns = numbers.size_hint(s.domain.extent(column));
  const int64_t wanted = power_of_two(columns / kEach + columns % kEach);
  int64_t across = std::min(wanted, kAcross);
  int64_t side_by_side = 1;
  if (inner) {
    const int64_t fill = std::max<int64_t>(kRowThreads / across, 1);
    side_by_side = std::max(std::min(fill, power_of_two(rows)), kernel::kWarp / across);
  } else {
    side_by_side = std::min(power_of_two(rows), kSideways);
    across = std::min(across, kAcross / side_by_side);
  }
  const auto [block, mine] = s.domain.split(row, std::max<int64_t>(side_by_side, 1));
  const auto [iteration, share] = split_columns(column, across, numbers, s.domain);
  s.name = inner ? "rows" : "columns";
  s.inner = inner;
  s.all = defined_by(segment, s.domain, {row, column});
  s.all_rows = segment.with_role(Role::Row);
  if (s.all_rows.empty()) s.all_rows.push_back(row);
  s.iteration = iteration;
  s.across = share;
  s.rows = mine;
  s.domain.map(iteration, Map::Serial);
  s.domain.map(block, Map::Block);
  for (int axis : inner ? std::array{mine, share} : std::array{share, mine})
    s.domain.map(axis, Map::Thread);
  return s;
}

// Where blocks are counted at launch each takes elements side by side, so that no index is a
// product with how many there are.
TileSchedule dynamic_flat(int element, const GridSchedule& shares, TileSchedule s) {
  const auto [block, mine] = s.domain.split(element, shares.iterations * shares.threads);
  const auto [iteration, thread] = s.domain.split(mine, shares.threads);
  s.iteration = iteration;
  s.rest_axes = {block, thread};
  s.domain.map(iteration, Map::Serial);
  s.domain.map(block, Map::Block);
  s.domain.map(thread, Map::Thread);
  return s;
}

TileSchedule flat(const Segment& segment, DynamicNumbers& numbers, kernel::Kernel& kernel) {
  TileSchedule s{.domain = LoopDomain(extents(segment), numbers, kernel)};
  std::vector<int> axes = defined_by(segment, s.domain, {});
  // Lanes of several axes would each divide for their indices.
  if (axes.size() == 1) axes = split_lanes(segment, std::move(axes), numbers, kernel, s);
  const int element = s.domain.merge(axes);
  s.all = defined_by(segment, s.domain, {element});
  const int64_t n = s.domain.extent(element);
  const GridSchedule shares = schedule_of(n, numbers);
  if (numbers.dynamic(n)) return dynamic_flat(element, shares, std::move(s));
  const auto [iteration, side] = s.domain.split(element, shares.blocks * shares.threads);
  const auto [block, thread] = s.domain.split(side, shares.threads);
  s.iteration = iteration;
  s.rest_axes = {block, thread};
  s.domain.map(iteration, Map::Serial);
  s.domain.map(block, Map::Block);
  s.domain.map(thread, Map::Thread);
  return s;
}

// The axis along which results lie in memory, and one along which something read does, if another.
std::pair<int, int> crossing(const Segment& segment, const kernel::Kernel& kernel) {
  int written = -1, read = -1;
  for (const Segment::Member& m : segment.members) {
    std::vector<const ExprNode*> at;
    for (const Expr& e : m.stage->indices) at.push_back(e.node());
    const kernel::Buffer& b = kernel.buffers[static_cast<size_t>(m.stage->buffer)];
    const int axis = nearest(strides_along(b, at.data(), m, segment.axes.size()), segment);
    if (written >= 0 && axis != written) return {-1, -1};
    written = axis;
  }
  for (const Segment::Member& m : segment.members) {
    for_each_node(m.stage->value, [&](const ExprNode* e) {
      if (e->op != ExprOp::Load || read >= 0 || segment.writer_of(e->id)) return;
      const kernel::Buffer& b = kernel.buffers[static_cast<size_t>(e->id)];
      const auto strides = strides_along(b, e->child, m, segment.axes.size());
      const int axis = nearest(strides, segment);
      if (written >= 0 && axis >= 0 && axis != written && strides[static_cast<size_t>(written)] > 0)
        read = axis;
    });
  }
  return {written, read};
}

// Elements of a segment along the axes that tiles leave.
int64_t untiled_elements(const Segment& segment, std::pair<int, int> axes) {
  int64_t n = 1;
  for (int axis = 0; axis < static_cast<int>(segment.axes.size()); ++axis)
    if (axis != axes.first && axis != axes.second)
      n *= segment.axes[static_cast<size_t>(axis)].extent;
  return n;
}

bool has_dynamic_axis(const Segment& segment, const DynamicNumbers& numbers) {
  return std::ranges::any_of(segment.axes,
                             [&](const Segment::Axis& a) { return numbers.dynamic(a.extent); });
}

// Do tiles fit the few blocks along y and z, where blocks are counted at launch?
bool has_room_for_tiles(const Segment& segment, std::pair<int, int> axes,
                        const DynamicNumbers& numbers) {
  if (!has_dynamic_axis(segment, numbers)) return true;
  const int64_t y = segment.axes[static_cast<size_t>(axes.second)].extent;
  return numbers.size_hint(untiled_elements(segment, axes)) <= kernel::kMostBlocks[2] &&
         numbers.size_hint(y) <= kernel::kMostBlocks[1] * kSmallTile;
}

bool worth_tiles(const Segment& segment, std::pair<int, int> axes) {
  return axes.first >= 0 && axes.second >= 0 &&
         segment.axes[static_cast<size_t>(axes.first)].extent >= kLeastEdge &&
         segment.axes[static_cast<size_t>(axes.second)].extent >= kLeastEdge;
}

struct Tiles {
  int x, y;            // axes of the segment
  int over_x, over_y;  // tiles along them
};

// Blocks go over tiles and the axes that are left: along one axis, or along three where extents are
// dynamic.
std::vector<int> blocks_over(const Tiles& tiles, const Segment& segment, DynamicNumbers& numbers,
                             LoopDomain& d) {
  std::vector<int> all;
  for (int axis = 0; axis < static_cast<int>(segment.axes.size()); ++axis)
    if (axis != tiles.x && axis != tiles.y) all.push_back(axis);
  const bool dynamic = has_dynamic_axis(segment, numbers);
  if (dynamic && !all.empty()) {
    all = {d.merge(all)};
    numbers.limit(d.extent(all[0]), kernel::kMostBlocks[2]);
  }
  all.insert(all.end(), {tiles.over_y, tiles.over_x});
  return dynamic ? all : std::vector{d.merge(all)};
}

// Tiles of edge x edge, threads of edge / iterations x edge.
TileSchedule tiles(const Segment& segment, std::pair<int, int> crossed, DynamicNumbers& numbers,
                   kernel::Kernel& kernel) {
  TileSchedule s{.name = "tiles", .domain = LoopDomain(extents(segment), numbers, kernel)};
  LoopDomain& d = s.domain;
  const auto [x, y] = crossed;
  const bool small =
      std::max(numbers.size_hint(d.extent(x)), numbers.size_hint(d.extent(y))) <= kSmallEdge;
  const int64_t edge = small ? kSmallTile : kTile;
  if (small) numbers.limit(d.extent(x), kSmallEdge);
  numbers.limit(d.extent(y), small ? kSmallEdge : kernel::kMostBlocks[1] * edge);
  const auto [tile_x, in_x] = d.split(x, edge);
  const auto [tile_y, in_y] = d.split(y, edge);
  const std::vector<int> blocks = blocks_over({x, y, tile_x, tile_y}, segment, numbers, d);
  LoopDomain turned = d;
  const int64_t threads = small ? kSmallTileThreads : kTileThreads;
  const auto [iteration, side] = d.split(in_y, threads);
  d.map(iteration, Map::Serial);
  for (int axis : blocks) d.map(axis, Map::Block);
  d.map(side, Map::Thread);
  d.map(in_x, Map::Thread);
  const auto [other_iteration, other_side] = turned.split(in_x, threads);
  s.transposed_iteration = other_iteration;
  turned.walk_with(other_iteration, d.var(iteration));
  turned.walk_with(other_side, d.var(side));
  turned.walk_with(in_y, d.var(in_x));
  s.iteration = iteration;
  s.all = defined_by(segment, s.domain, {});
  s.written_along = x;
  s.read_along = y;
  s.tile[0] = in_x;
  s.tile[1] = in_y;
  s.turned = std::move(turned);
  return s;
}

}  // namespace

bool is_wide(const kernel::Buffer& buffer, const ExprNode* const* indices,
             const Segment::Member& member, const Segment& segment, const TileSchedule& schedule) {
  if (schedule.lane < 0) return false;
  int64_t start = 0;
  const auto strides = strides_along(buffer, indices, member, segment.axes.size(), &start);
  return !strides.empty() &&
         begins_aligned(buffer, strides, start, static_cast<size_t>(schedule.line),
                        schedule.domain.extent(schedule.lane));
}

bool lies_across(const ExprNode* load, const Segment::Member& reader, const Segment& segment,
                 const TileSchedule& schedule, const kernel::Kernel& kernel) {
  if (!schedule.turned || segment.writer_of(load->id)) return false;
  const kernel::Buffer& b = kernel.buffers[static_cast<size_t>(load->id)];
  const auto strides = strides_along(b, load->child, reader, segment.axes.size());
  return nearest(strides, segment) == schedule.read_along &&
         strides[static_cast<size_t>(schedule.written_along)] != 0;
}

TileSchedule schedule_of(const Segment& segment, DynamicNumbers& numbers, kernel::Kernel& kernel) {
  if (segment.reduces) return reduction(segment, numbers, kernel);
  const auto axes = crossing(segment, kernel);
  return worth_tiles(segment, axes) && has_room_for_tiles(segment, axes, numbers)
             ? tiles(segment, axes, numbers, kernel)
             : flat(segment, numbers, kernel);
}

}  // namespace fusillade::fuse
