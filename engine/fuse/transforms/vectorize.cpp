// vectorize(v0): the iterations of an innermost loop run at the same time, one in each lane.
//
// Legal where the extent is a number up to kMostLanes, the loop contains only lets, accumulators,
// stores and conditions, no iteration touches what another writes, and no accumulator is from
// outside.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using kernel::Kernel;
using kernel::LoopKind;
using kernel::Stmt;

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const LoopAt& at = facts.at(a[0]);
  const int64_t extent = at.loop->extent;
  if (at.loop->loop != LoopKind::Serial) return "it is no serial loop";
  if (kernel::is_dynamic(extent) || extent < 2 || extent > kernel::kMostLanes)
    return fmt::format("its extent is no number from 2 to {}", kernel::kMostLanes);
  bool holds = false;
  for_each_stmt(at.loop->body, [&](const Stmt& s) { holds = holds || s.kind == Stmt::Kind::For; });
  if (holds) return "it holds a loop";
  return facts.independent(at) ? "" : "an iteration may touch what another writes";
}

void apply(Kernel& kernel, const Arguments& a) {
  find_loop(kernel, a[0]).stmt().loop = LoopKind::Vector;
}

const Transform& registered = Table<Transform>::instance().add(
    {"vectorize",
     "the iterations of an innermost loop run at the same time, in lanes",
     {{Parameter::Kind::Loop, "loop"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
