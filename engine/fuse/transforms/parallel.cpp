// parallel(v0): the iterations of a loop may run in any order, on several threads.
//
// Legal where no iteration touches what another writes and no accumulator is from outside; a
// parallel loop holds no other, nor does a vector loop.
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
  if (at.loop->loop != LoopKind::Serial) return "it is no serial loop";
  bool nested = false;
  for (const Stmt* around : at.around) nested = nested || around->loop == LoopKind::Parallel;
  for_each_stmt(at.loop->body, [&](const Stmt& s) {
    nested = nested || (s.kind == Stmt::Kind::For && s.loop == LoopKind::Parallel);
  });
  if (nested) return "parallel loops would be nested";
  return facts.independent(at) ? "" : "an iteration may touch what another writes";
}

void apply(Kernel& kernel, const Arguments& a) {
  find_loop(kernel, a[0]).stmt().loop = LoopKind::Parallel;
}

const Transform& registered =
    Table<Transform>::instance().add({"parallel",
                                      "the iterations of a loop may run in any order, on threads",
                                      {{Parameter::Kind::Loop, "loop"}},
                                      &why_not,
                                      &apply});

}  // namespace
}  // namespace fusillade::fuse
