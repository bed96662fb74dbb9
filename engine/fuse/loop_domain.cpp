// The index of a split axis is computed from its halves', that of a merged one's parts by division.
// A masked axis becomes a variable before the condition that bounds it, so that it is known to be
// in bounds under the condition.
#include "engine/fuse/loop_domain.h"

#include "engine/base/text.h"

namespace fusillade::fuse {

using kernel::Body;
using kernel::Stmt;
using namespace write;

LoopDomain::LoopDomain(const Dims& roots, DynamicNumbers& numbers, kernel::Kernel& kernel)
    : kernel_(&kernel), numbers_(&numbers), roots_(roots.rank()) {
  for (int64_t n : roots) add({.extent = n});
}

int LoopDomain::add(Axis axis) {
  axis.var = kernel_->num_vars++;
  axes_.push_back(axis);
  return static_cast<int>(axes_.size()) - 1;
}

LoopDomain::Halves LoopDomain::split(int axis, int64_t factor) {
  FUS_CHECK(factor >= 1, "axis {} is split by {}", axis, factor);
  const int64_t n = at(axis).extent;
  const bool whole = !kernel::is_dynamic(n) && n % factor == 0;
  return split(axis, numbers_->ceil_div(n, factor), factor, whole);
}

LoopDomain::Halves LoopDomain::split(int axis, int64_t outer, int64_t inner, bool whole) {
  FUS_CHECK(at(axis).leaf(), "axis {} is split", axis);
  const Halves halves{add({.extent = outer, .origin = Origin::Outer, .from = {axis, -1}}),
                      add({.extent = inner, .origin = Origin::Inner, .from = {axis, -1}})};
  at(axis).halves[0] = halves.outer;
  at(axis).halves[1] = halves.inner;
  at(axis).masked = !whole;
  return halves;
}

LoopDomain::Halves LoopDomain::split_whole(int axis, int64_t factor) {
  const int64_t n = at(axis).extent;
  const Halves halves = split(axis, numbers_->whole(n, factor), factor, true);
  at(axis).cut = kernel::is_dynamic(n) || n % factor != 0;
  return halves;
}

int LoopDomain::merge(int outer, int inner) {
  FUS_CHECK(at(outer).leaf() && at(inner).leaf(), "axes {} and {} are merged", outer, inner);
  if (kernel::is_dynamic(at(outer).extent) || kernel::is_dynamic(at(inner).extent))
    decline("parts of dynamic sizes are merged");
  const int axis = add({.extent = at(outer).extent * at(inner).extent,
                        .origin = Origin::Merged,
                        .from = {outer, inner}});
  at(outer).merged = at(inner).merged = axis;
  return axis;
}

int LoopDomain::merge(const std::vector<int>& axes) {
  if (axes.empty()) return add({});
  int all = axes[0];
  for (size_t i = 1; i < axes.size(); ++i) all = merge(all, axes[i]);
  return all;
}

void LoopDomain::map(int axis, Map to) {
  FUS_CHECK(at(axis).leaf(), "axis {} is no leaf", axis);
  mapped_.emplace_back(axis, to);
}

void LoopDomain::walk_with(int axis, int var) {
  FUS_CHECK(at(axis).leaf(), "axis {} is no leaf", axis);
  at(axis).var = var;
}

bool LoopDomain::needs_mask(const std::vector<int>& axes) const {
  Gathered all{std::vector<Expr>(axes_.size()), {}, {}, {}};
  for (int axis : axes) (void)gather(axis, all);
  return all.condition.is_defined();
}

Expr LoopDomain::index(int axis) const {
  Gathered all{std::vector<Expr>(axes_.size()), {}, {}, {}};
  return gather(axis, all);
}

// The index of an axis; what masks it goes into `into`.
Expr LoopDomain::gather(int axis, Gathered& into) const {
  Expr& known = into.known[static_cast<size_t>(axis)];
  if (known.is_defined()) return known;
  const Axis& a = at(axis);
  if (a.defined && !a.masked) return known = index_var(a.var);
  if (a.halves[0] >= 0) {
    known = gather(a.halves[0], into) * numbers_->value(at(a.halves[1]).extent) +
            gather(a.halves[1], into);
    if (a.masked) {
      if (!a.defined) {
        into.outside.push_back(set(Stmt::Kind::Let, a.var, known));
        into.outside_of.push_back(axis);
      }
      known = index_var(a.var);
      const Expr inside = known < numbers_->value(a.extent);
      into.condition = into.condition.is_defined() ? into.condition & inside : inside;
    }
  } else if (a.merged >= 0) {
    const Expr whole = gather(a.merged, into);
    const Axis& m = at(a.merged);
    const Expr inner_extent = numbers_->value(at(m.from[1]).extent);
    known = m.from[0] == axis ? floor_div(whole, inner_extent) : floor_mod(whole, inner_extent);
  } else {
    known = a.extent == 1 && a.origin != Origin::Root ? number(0) : index_var(a.var);
  }
  return known;
}

Body LoopDomain::gather_all(const std::vector<int>& axes, Gathered& into) const {
  Body inside;
  for (int axis : axes) {
    const Expr index = gather(axis, into);
    if (!index.is(index_var(at(axis).var)))
      inside.push_back(set(Stmt::Kind::Let, at(axis).var, index));
  }
  return inside;
}

Body LoopDomain::define(const std::vector<int>& axes) {
  Gathered all{std::vector<Expr>(axes_.size()), {}, {}, {}};
  Body inside = gather_all(axes, all);
  Body out = std::move(all.outside);
  for (int axis : all.outside_of) at(axis).defined = true;
  if (all.condition.is_defined()) return out;
  append(std::move(inside), out);
  for (int axis : axes) at(axis).defined = true;
  return out;
}

Body LoopDomain::around(const std::vector<int>& axes, Body work) const {
  std::vector<Lanes> works;
  works.push_back({kernel::LoopKind::Serial, std::move(work)});
  return around(axes, -1, std::move(works));
}

Body LoopDomain::around(const std::vector<int>& axes, int lane, std::vector<Lanes> works) const {
  Gathered all{std::vector<Expr>(axes_.size()), {}, {}, {}};
  const Body lets = gather_all(axes, all);
  Body inside;
  for (Lanes& each : works) {
    Body iteration = lets;
    append(std::move(each.work), iteration);
    if (lane < 0) append(std::move(iteration), inside);
    else inside.push_back(loop(each.loop, var(lane), extent(lane), std::move(iteration)));
  }
  Body out = std::move(all.outside);
  if (all.condition.is_defined()) out.push_back(when(all.condition, std::move(inside)));
  else append(std::move(inside), out);
  return out;
}

Body LoopDomain::iterations(int axis, Body body) const {
  Body out;
  out.push_back(loop(kernel::LoopKind::Serial, var(axis), extent(axis), std::move(body)));
  return out;
}

Stmt LoopDomain::grid(Body body) const {
  for (const Map map : {Map::Thread, Map::Block}) {
    for (size_t i = mapped_.size(); i-- > 0;) {
      if (mapped_[i].second != map) continue;
      const int axis = mapped_[i].first;
      Body outer;
      outer.push_back(loop(map == Map::Block ? kernel::LoopKind::Block : kernel::LoopKind::Thread,
                           var(axis), extent(axis), std::move(body)));
      body = std::move(outer);
    }
  }
  FUS_CHECK(body.size() == 1, "a grid of no blocks");
  return std::move(body[0]);
}

std::string LoopDomain::text() const {
  const auto axis_text = [&](int axis) {
    return fmt::format("a{}[{}]", axis, numbers_->text(extent(axis)));
  };
  std::vector<std::string> words;
  for (int axis = 0; axis < roots_; ++axis) words.push_back(axis_text(axis));
  std::vector<std::string> lines = {"roots " + join(words, " ")};
  for (int axis = 0; axis < static_cast<int>(axes_.size()); ++axis) {
    const Axis& a = at(axis);
    if (a.origin == Origin::Merged)
      lines.push_back(fmt::format("{} = a{} * a{}", axis_text(axis), a.from[0], a.from[1]));
    if (a.halves[0] >= 0)
      lines.push_back(fmt::format("a{} -> {} {}{}", axis, axis_text(a.halves[0]),
                                  axis_text(a.halves[1]),
                                  a.masked ? " masked"
                                  : a.cut  ? " and the rest"
                                           : ""));
  }
  constexpr const char* kMaps[] = {"iterations", "blocks", "threads"};
  for (const auto& [axis, map] : mapped_)
    lines.push_back(fmt::format("{} {}", kMaps[static_cast<int>(map)], axis_text(axis)));
  return join(lines, "; ");
}

}  // namespace fusillade::fuse
