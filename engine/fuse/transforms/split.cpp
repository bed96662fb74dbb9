// split(v0,8,tail): a loop becomes two, one inside the other, the inner one of 8 iterations.
//
//   for v0 in 20: ... v0 ...
// becomes, with a tail or with a mask,
//   for v1 in 2: for v2 in 8: ... v1*8 + v2 ...        for v1 in 3: for v2 in 8:
//   for v3 in 4: ... 16 + v3 ...                         let v3 = v1*8 + v2
//                                                        if v3 < 20: ... v3 ...
//
// Legal wherever the extent is a number: iterations keep their order. The outer loop keeps the
// kind.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;
using kernel::LoopKind;

constexpr int64_t kMask = 1;  // which of the words

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const Stmt& loop = *facts.at(a[0]).loop;
  if (kernel::is_dynamic(loop.extent)) return "its extent is no number";
  if (loop.loop == LoopKind::Vector) return "it is a vector loop";
  if (a[1] < 2 || a[1] >= loop.extent)
    return fmt::format("the inner loop has 2 to {} iterations", loop.extent - 1);
  return "";
}

Stmt with_mask(Kernel& kernel, const Stmt& loop, int64_t factor) {
  const int outer = fresh_var(kernel), inner = fresh_var(kernel), at = fresh_var(kernel);
  Body body = loop.body;
  replace(body, {{loop.var, index_var(at)}});
  Body iteration;
  iteration.push_back(
      set(Stmt::Kind::Let, at, index_var(outer) * number(factor) + index_var(inner)));
  iteration.push_back(when(index_var(at) < number(loop.extent), std::move(body)));
  Stmt inside = write::loop(LoopKind::Serial, inner, factor, std::move(iteration));
  inside.reassociate = loop.reassociate;
  return like(loop, outer, (loop.extent + factor - 1) / factor, one(std::move(inside)));
}

Body with_tail(Kernel& kernel, const Stmt& loop, int64_t factor) {
  const int outer = fresh_var(kernel), inner = fresh_var(kernel);
  const int64_t whole = loop.extent / factor, rest = loop.extent % factor;
  Body out;
  Body body = loop.body;
  replace(body, {{loop.var, index_var(outer) * number(factor) + index_var(inner)}});
  Stmt inside = write::loop(LoopKind::Serial, inner, factor, std::move(body));
  inside.reassociate = loop.reassociate;
  out.push_back(like(loop, outer, whole, one(std::move(inside))));
  if (rest == 0) return out;
  const int tail = fresh_var(kernel);
  Body last = copy_body(kernel, loop.body, {{loop.var, number(whole * factor) + index_var(tail)}});
  out.push_back(like(loop, tail, rest, std::move(last)));
  return out;
}

void apply(Kernel& kernel, const Arguments& a) {
  const Found found = find_loop(kernel, a[0]);
  const Stmt loop = found.stmt();
  const bool mask = a[2] == kMask && loop.extent % a[1] != 0;
  put(found, mask ? one(with_mask(kernel, loop, a[1])) : with_tail(kernel, loop, a[1]));
}

const Transform& registered =
    Table<Transform>::instance().add({"split",
                                      "a loop becomes two, the inner one of so many iterations; "
                                      "the rest in a loop after it, or masked",
                                      {{Parameter::Kind::Loop, "loop"},
                                       {Parameter::Kind::Number, "factor", {2, 3, 4}},
                                       {Parameter::Kind::Word, "rest", {}, {"tail", "mask"}}},
                                      &why_not,
                                      &apply});

}  // namespace
}  // namespace fusillade::fuse
