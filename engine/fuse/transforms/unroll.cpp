// unroll(v0): the iterations of a loop written out. unroll(v0,4): four of them in each iteration.
//
//   for v0 in 10: ... v0 ...
// becomes
//   for v1 in 2: ... v1*4 ... v1*4 + 1 ... v1*4 + 2 ... v1*4 + 3 ...
//   ... 8 ... 9 ...
//
// Legal wherever the extent is a number and what is written out is no more than kMost statements:
// iterations keep their order. With a factor the loop keeps its kind.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;

constexpr size_t kMost = 256;

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const Stmt& loop = *facts.at(a[0]).loop;
  if (kernel::is_dynamic(loop.extent)) return "its extent is no number";
  if (a[1] != kNone && (a[1] < 2 || a[1] >= loop.extent))
    return fmt::format("an iteration takes 2 to {} iterations", loop.extent - 1);
  const int64_t copies = a[1] == kNone ? loop.extent : a[1] + loop.extent % a[1];
  if (static_cast<size_t>(copies) > kMost / (statement_count(loop.body) + 1))
    return fmt::format("it would be more than {} statements", kMost);
  return "";
}

void apply(Kernel& kernel, const Arguments& a) {
  const Found found = find_loop(kernel, a[0]);
  const Stmt loop = found.stmt();
  const auto iteration = [&](Expr at, Body& to) {
    append(copy_body(kernel, loop.body, {{loop.var, at}}), to);
  };
  Body out;
  int64_t next = 0;
  if (a[1] != kNone) {
    const int outer = fresh_var(kernel);
    Body several;
    for (int64_t i = 0; i < a[1]; ++i)
      iteration(index_var(outer) * number(a[1]) + number(i), several);
    next = loop.extent / a[1] * a[1];
    out.push_back(like(loop, outer, loop.extent / a[1], std::move(several)));
  }
  for (int64_t i = next; i < loop.extent; ++i) iteration(number(i), out);
  put(found, std::move(out));
}

const Transform& registered = Table<Transform>::instance().add(
    {"unroll",
     "a loop is unrolled, completely or by a factor, with the rest after it",
     {{Parameter::Kind::Loop, "loop"},
      {.kind = Parameter::Kind::Number, .name = "factor", .numbers = {2, 3, 4}, .optional = true}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
