// distribute(v0,1): a loop becomes two, one after the other: the first so many of its statements
// for all iterations, then the others.
//
//   for v0 in 8: A(v0); B(v0)            becomes            for v0 in 8: A(v0)
//                                                           for v1 in 8: B(v1)
//
// Legal where nothing of A and B, one of them a write, touches one element in iterations of
// different number, B reads no let and no accumulator of A, and none from outside goes from one to
// the other.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const LoopAt& at = facts.at(a[0]);
  const size_t count = at.loop->body.size();
  if (count < 2) return "there is but one statement in it";
  if (a[1] < 1 || a[1] >= static_cast<int64_t>(count))
    return fmt::format("it may be cut after 1 to {} statements", count - 1);
  return facts.why_not_disjoint(at, static_cast<size_t>(a[1]));
}

void apply(Kernel& kernel, const Arguments& a) {
  const Found found = find_loop(kernel, a[0]);
  Stmt first = std::move(found.stmt());
  const auto cut = first.body.begin() + static_cast<ptrdiff_t>(a[1]);
  Body rest(std::make_move_iterator(cut), std::make_move_iterator(first.body.end()));
  first.body.erase(cut, first.body.end());
  const int var = fresh_var(kernel);
  replace(rest, {{first.var, index_var(var)}});
  Body out;
  out.push_back(std::move(first));
  out.push_back(like(out.back(), var, out.back().extent, std::move(rest)));
  put(found, std::move(out));
}

const Transform& registered = Table<Transform>::instance().add(
    {"distribute",
     "a loop becomes two, one after the other, each with a part of its statements",
     {{Parameter::Kind::Loop, "loop"}, {Parameter::Kind::Number, "after", {1, 2, 3, 4}}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
