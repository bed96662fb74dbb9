// flatten(v0,v1): two loops, one alone right inside the other, become one.
//
//   for v0 in 4: for v1 in 5: ... v0 ... v1 ...
// becomes
//   for v2 in 20: ... v2/5 ... v2%5 ...
//
// Legal wherever the extents are numbers: iterations keep their order. A parallel loop stays
// parallel where the iterations of the inner loop may run in any order, too, else it becomes
// serial.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const Stmt& outer = *facts.at(a[0]).loop;
  const Stmt& inner = *facts.at(a[1]).loop;
  if (outer.body.size() != 1 || outer.body.data() != &inner)
    return fmt::format("v{} does not stand alone right inside v{}", inner.var, outer.var);
  for (const Stmt* s : {&outer, &inner}) {
    if (kernel::is_dynamic(s->extent)) return fmt::format("the extent of v{} is no number", s->var);
    if (s->loop == LoopKind::Vector) return fmt::format("v{} is a vector loop", s->var);
  }
  if (outer.extent > (1 << 20) || inner.extent > (1 << 20))
    return "it would have too many iterations";
  return inner.extent == 0 ? fmt::format("v{} has no iterations", inner.var) : "";
}

void apply(Kernel& kernel, const Arguments& a) {
  const KernelFacts facts(kernel);
  const bool keeps = facts.independent(facts.at(a[1]));
  const Found found = find_loop(kernel, a[0]);
  const Stmt outer = found.stmt();
  const Stmt& inner = outer.body[0];
  const int var = fresh_var(kernel);
  Body body = inner.body;
  replace(body, {{outer.var, floor_div(index_var(var), number(inner.extent))},
                 {inner.var, floor_mod(index_var(var), number(inner.extent))}});
  Stmt flattened = like(outer, var, outer.extent * inner.extent, std::move(body));
  flattened.reassociate = outer.reassociate && inner.reassociate;
  if (!keeps && outer.loop == LoopKind::Parallel) flattened.loop = LoopKind::Serial;
  if (inner.loop == LoopKind::Parallel) flattened.loop = LoopKind::Serial;
  put(found, one(std::move(flattened)));
}

const Transform& registered = Table<Transform>::instance().add(
    {"flatten",
     "two loops, one right inside the other, become one",
     {{Parameter::Kind::Loop, "outer"}, {Parameter::Kind::Loop, "inner"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
