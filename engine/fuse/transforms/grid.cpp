// grid(v0,32): a loop at the top, and those right inside it, become a grid of blocks of 32 threads,
// an iteration of them all for each thread.
//
//   for v0 in 6: for v1 in 7: ... v0 ... v1 ...
// becomes
//   block v2 in 2: thread v3 in 32:
//     let v4 = v2*32 + v3
//     if v4 < 42:
//       let v0 = v4/7
//       let v1 = v4%7
//       ... v0 ... v1 ...
//
// Neighbouring threads have neighbouring iterations of the innermost of these loops. The grid takes
// as many loops as are perfectly nested and have iterations of which none touches what another
// writes. Each thread runs what is inside them by itself, iteration by iteration.
//
// Legal where that holds for the first loop, and neither it nor what follows reads a variable that
// is set at the top before it: a grid sees memory alone.
#include "engine/fuse/transforms/grid.h"

#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

// A variable set at the top before the loop and read in it or after it; below 0: none.
int seen_from_outside(const Kernel& kernel, size_t loop) {
  const Body& top = kernel.body;
  const std::set<int> before = declared_variables(top, 0, loop);
  for (size_t i = loop; i < top.size() && !before.empty(); ++i)
    for (int v : variables_read(Body(1, top[i])))
      if (before.count(v)) return v;
  return -1;
}

Expr value(const Kernel& kernel, int64_t n) {
  return kernel::is_dynamic(n) ? index_var(kernel.scalars[kernel::scalar_of(n)].var) : number(n);
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const LoopAt& at = facts.at(a[0]);
  if (a[1] < 1 || a[1] > kernel::kMostThreads)
    return fmt::format("a block has 1 to {} threads", kernel::kMostThreads);
  if (kernel::is_dynamic(at.loop->extent)) return "its extent is no number";
  if (at.loop->extent > INT32_MAX) return "it has more iterations than there may be blocks";
  return why_not_at_top(facts, at);
}

void apply(Kernel& kernel, const Arguments& a) {
  const KernelFacts facts(kernel);
  Shares shares{facts.alone_in_any_order(facts.at(a[0]), INT32_MAX), 1, 0, a[1]};
  for (const Stmt* s : shares.loops) shares.iterations *= s->extent;
  shares.blocks = (shares.iterations + a[1] - 1) / a[1];
  share_out(kernel, shares);
}

const Transform& registered = Table<Transform>::instance().add(
    {"grid",
     "a loop and the loops directly inside it become blocks of threads, one iteration for each "
     "thread",
     {{Parameter::Kind::Loop, "loop"}, {Parameter::Kind::Number, "threads", {1, 4, 32}}},
     &why_not,
     &apply,
     true});

}  // namespace

std::string why_not_at_top(const KernelFacts& facts, const LoopAt& at) {
  if (at.body != &facts.kernel.body) return "it does not stand at the top";
  if (!facts.in_any_order(at)) return "an iteration may touch what another writes";
  const int v = seen_from_outside(facts.kernel, at.at);
  return v < 0 ? "" : fmt::format("v{} goes into it or past it", v);
}

void share_out(Kernel& kernel, const Shares& shares) {
  const Found found = find_loop(kernel, shares.loops[0]->var);
  if (shares.iterations == 0) return put(found, {});
  const int block = fresh_var(kernel), thread = fresh_var(kernel), iteration = fresh_var(kernel);
  Body mine;
  Expr rest = index_var(iteration);
  for (size_t i = shares.loops.size(); i-- > 0;) {
    const Expr extent = value(kernel, shares.loops[i]->extent);
    const Expr index = i == 0 ? rest : floor_mod(rest, extent);
    mine.insert(mine.begin(), set(Stmt::Kind::Let, shares.loops[i]->var, index));
    rest = floor_div(rest, extent);
  }
  Body work = shares.loops.back()->body;
  in_order(work);
  append(std::move(work), mine);
  Body body;
  body.push_back(set(Stmt::Kind::Let, iteration,
                     index_var(block) * number(shares.threads) + index_var(thread)));
  if (!kernel::is_dynamic(shares.iterations) && shares.iterations % shares.threads == 0)
    append(std::move(mine), body);
  else
    body.push_back(when(index_var(iteration) < value(kernel, shares.iterations), std::move(mine)));
  Stmt threads = loop(LoopKind::Thread, thread, shares.threads, std::move(body));
  put(found, one(loop(LoopKind::Block, block, shares.blocks, one(std::move(threads)))));
}

}  // namespace fusillade::fuse
