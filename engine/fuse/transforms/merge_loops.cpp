// merge_loops(v0,v1): two loops of one extent, one right after the other, become one.
//
//   for v0 in 8: A(v0)
//   for v1 in 8: B(v1)            becomes            for v0 in 8: A(v0); B(v0)
//
// Legal where no two accesses of A and B, one of them a write, touch one element in iterations of
// different number, and no accumulator goes from one to the other. That is distribute's rule for
// the merged loop: the merge is tried, and its result checked.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

void apply(Kernel& kernel, const Arguments& a) {
  const Found first = find_loop(kernel, a[0]);
  Stmt second = std::move((*first.body)[first.at + 1]);
  first.body->erase(first.body->begin() + static_cast<ptrdiff_t>(first.at) + 1);
  replace(second.body, {{second.var, index_var(first.stmt().var)}});
  append(std::move(second.body), first.stmt().body);
  first.stmt().reassociate = first.stmt().reassociate && second.reassociate;
  if (second.loop != first.stmt().loop) first.stmt().loop = LoopKind::Serial;
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const LoopAt& first = facts.at(a[0]);
  const LoopAt& second = facts.at(a[1]);
  if (first.body != second.body || first.at + 1 != second.at)
    return fmt::format("v{} does not stand right after v{}", a[1], a[0]);
  if (first.loop->extent != second.loop->extent) return "their extents differ";
  Kernel fused = facts.kernel;
  apply(fused, a);
  const KernelFacts then(fused);
  return then.why_not_disjoint(then.at(a[0]), first.loop->body.size());
}

const Transform& registered = Table<Transform>::instance().add(
    {"merge_loops",
     "two loops of one extent, one right after the other, become one",
     {{Parameter::Kind::Loop, "first"}, {Parameter::Kind::Loop, "second"}},
     &why_not,
     &apply});
[[maybe_unused]] const bool kFormerName =
    Table<Transform>::instance().add_former_name("fuse", "merge_loops");

}  // namespace
}  // namespace fusillade::fuse
