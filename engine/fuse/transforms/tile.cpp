// tile(v0,v1,4,8): two loops, one alone right inside the other, are walked in tiles of 4 by 8.
//
//   for v0 in 20: for v1 in 30: ... v0 ... v1 ...
// becomes
//   for v2 in 5: for v3 in 4: for v4 in 4: for v5 in 8:
//     let v6 = v3*8 + v5
//     if v6 < 30: ... v2*4 + v4 ... v6 ...
//
// That is both split with a mask where one is needed, then reordered, and it is legal where
// reorder is: what two iterations that differ in both loops touch, no other order may disturb.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  for (int i : {0, 1}) {
    const Stmt& loop = *facts.at(a[i]).loop;
    if (kernel::is_dynamic(loop.extent))
      return fmt::format("the extent of v{} is no number", loop.var);
    if (loop.loop == LoopKind::Vector) return fmt::format("v{} is a vector loop", loop.var);
    if (a[i + 2] < 2 || a[i + 2] >= loop.extent)
      return fmt::format("a tile along v{} has 2 to {} iterations", loop.var, loop.extent - 1);
  }
  return facts.why_not_swapped(facts.at(a[0]), facts.at(a[1]));
}

// One of the two, as an outer and an inner loop.
struct Axis {
  Stmt loop;
  int64_t factor;
  int outer, inner, at;

  Axis(Kernel& kernel, const Stmt& of, int64_t by)
      : loop(of), factor(by), outer(fresh_var(kernel)), inner(fresh_var(kernel)), at(-1) {
    if (loop.extent % factor != 0) at = fresh_var(kernel);
  }
  Expr place() const { return index_var(outer) * number(factor) + index_var(inner); }
  Body with_mask(Body body) const {
    replace(body, {{loop.var, at < 0 ? place() : index_var(at)}});
    if (at < 0) return body;
    Body out;
    out.push_back(set(Stmt::Kind::Let, at, place()));
    out.push_back(when(index_var(at) < number(loop.extent), std::move(body)));
    return out;
  }
  Stmt over_tiles(Body body) const {
    return like(loop, outer, (loop.extent + factor - 1) / factor, std::move(body));
  }
  Stmt within_tile(Body body) const {
    Stmt s = write::loop(LoopKind::Serial, inner, factor, std::move(body));
    s.reassociate = loop.reassociate;
    return s;
  }
};

void apply(Kernel& kernel, const Arguments& a) {
  const Found found = find_loop(kernel, a[0]);
  const Stmt outer = found.stmt();
  const Axis rows(kernel, outer, a[2]), columns(kernel, outer.body[0], a[3]);
  Body body = rows.with_mask(columns.with_mask(columns.loop.body));
  Stmt tile = rows.within_tile(one(columns.within_tile(std::move(body))));
  put(found, one(rows.over_tiles(one(columns.over_tiles(one(std::move(tile)))))));
}

const Transform& registered =
    Table<Transform>::instance().add({"tile",
                                      "two loops, one right inside the other, are split into tiles",
                                      {{Parameter::Kind::Loop, "outer"},
                                       {Parameter::Kind::Loop, "inner"},
                                       {Parameter::Kind::Number, "rows", {2, 3}},
                                       {Parameter::Kind::Number, "columns", {2, 3}}},
                                      &why_not,
                                      &apply});

}  // namespace
}  // namespace fusillade::fuse
