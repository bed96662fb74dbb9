// reorder(v0,v1): two loops, one alone right inside the other, are interchanged.
//
// Legal where no two accesses, one of them a write, touch one element in iterations that differ in
// both loops (of those the order changes), and where accumulators from outside are only folded
// into, exactly (facts.h). So element-wise spaces with distinct stores may be walked in any order,
// and sums of integers or residues; sums of floats may not.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using kernel::Kernel;
using kernel::LoopKind;
using kernel::Stmt;

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  if (facts.at(a[1]).loop->loop == LoopKind::Vector) return "a vector loop holds no loop";
  return facts.why_not_swapped(facts.at(a[0]), facts.at(a[1]));
}

void apply(Kernel& kernel, const Arguments& a) {
  Stmt& outer = find_loop(kernel, a[0]).stmt();
  Stmt& inner = outer.body[0];
  std::swap(outer.var, inner.var);
  std::swap(outer.extent, inner.extent);
  std::swap(outer.loop, inner.loop);
  std::swap(outer.reassociate, inner.reassociate);
}

const Transform& registered = Table<Transform>::instance().add(
    {"reorder",
     "two loops, one right inside the other, are exchanged",
     {{Parameter::Kind::Loop, "outer"}, {Parameter::Kind::Loop, "inner"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
