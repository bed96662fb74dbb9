// one_thread(): statements at the top that are no grids become grids of one block of one thread,
// one for all statements between two grids.
//
//   declare v0 = 0
//   for v1 in 5: v0 = v0 + b0[v1]
//   b1[] = v0
// becomes
//   block v2 in 1: thread v3 in 1:
//     declare v0 = 0
//     for v1 in 5: v0 = v0 + b0[v1]
//     b1[] = v0
//
// Legal wherever there is such a statement: all is done in the order in which it was. A variable
// that is set there is read before the next grid (grid.cpp of this folder leaves no other).
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

bool is_grid(const Stmt& s) { return s.kind == Stmt::Kind::For && kernel::is_grid(s.loop); }

std::string why_not(const KernelFacts& facts, const Arguments&) {
  return std::ranges::all_of(facts.kernel.body, &is_grid) ? "all is grids" : "";
}

void apply(Kernel& kernel, const Arguments&) {
  Body out, run;
  const auto end_run = [&] {
    if (run.empty()) return;
    in_order(run);
    const int block = fresh_var(kernel), thread = fresh_var(kernel);
    Stmt threads = loop(LoopKind::Thread, thread, 1, std::exchange(run, {}));
    out.push_back(loop(LoopKind::Block, block, 1, one(std::move(threads))));
  };
  for (Stmt& s : kernel.body) {
    if (is_grid(s)) end_run();
    (is_grid(s) ? out : run).push_back(std::move(s));
  }
  end_run();
  kernel.body = std::move(out);
}

const Transform& registered =
    Table<Transform>::instance().add({"one_thread",
                                      "statements that are no grid become grids of one thread",
                                      {},
                                      &why_not,
                                      &apply,
                                      true});

}  // namespace
}  // namespace fusillade::fuse
