// cache(b0,v1): what a loop reads of a buffer is copied to a temporary before the loop.
//
//   for v0 in 8: for v1 in 4: b1[v0, v1] = b0[v1, 7 - v0]
// becomes, for the inner loop,
//   for v0 in 8:
//     for v2 in 4: b2[v2] = b0[v2, 7 - v0]
//     for v1 in 4: b1[v0, v1] = b2[v1]
//
// The temporary has a dimension for each loop from this one to the load, and one for a parallel
// loop around. Legal where the loop reads the buffer at one place, under no condition, at indices
// of variables of loops alone, nothing in the loop writes the buffer or memory that it may share,
// and the copy is no more than kMost elements.
#include <algorithm>

#include "engine/base/table.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Access;
using kernel::Kernel;
using kernel::LoopKind;

constexpr int64_t kMost = 4096;

std::vector<const Access*> reads_within(const KernelFacts& facts, const LoopAt& at, int buffer) {
  std::vector<const Access*> out;
  for (const Access* a : facts.within(*at.loop))
    if (!a->write && a->buffer == buffer) out.push_back(a);
  return out;
}

// The loops that the copy has a dimension for: a parallel one around, then from this one on.
std::vector<const Stmt*> dimensions(const LoopAt& at, const Access& read) {
  std::vector<const Stmt*> out;
  for (const Stmt* l : at.around)
    if (l->loop == LoopKind::Parallel) out.push_back(l);
  out.insert(out.end(), std::ranges::find(read.loops, at.loop), read.loops.end());
  return out;
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const int buffer = static_cast<int>(a[0]);
  const LoopAt& at = facts.at(a[1]);
  const auto reads = reads_within(facts, at, buffer);
  if (reads.empty()) return "the loop does not read it";
  for (const Access* r : reads) {
    if (r->load != reads[0]->load || r->loops != reads[0]->loops)
      return "the loop reads it at several places";
    if (r->under_if) return "it is read under a condition";
    for (uint32_t d = 0; d < r->load->children; ++d)
      for (int v : variables_read(r->load->child[d]))
        if (!facts.loops.count(v)) return fmt::format("v{} is no loop's variable", v);
  }
  if (facts.may_write(facts.within(*at.loop), buffer)) return "the loop may write it";
  int64_t elements = 1;
  const auto dims = dimensions(at, *reads[0]);
  if (dims.size() > static_cast<size_t>(kMaxRank)) return "it would have too many dimensions";
  for (const Stmt* l : dims) {
    if (kernel::is_dynamic(l->extent) || l->extent == 0 || l->extent > kMost)
      return fmt::format("the extent of v{} is no number from 1 to {}", l->var, kMost);
    elements = std::min(elements * l->extent, kMost + 1);
  }
  return elements > kMost ? fmt::format("the copy has more than {} elements", kMost) : "";
}

void apply(Kernel& kernel, const Arguments& a) {
  const KernelFacts facts(kernel);
  const LoopAt& at = facts.at(a[1]);
  const Access read = *reads_within(facts, at, static_cast<int>(a[0]))[0];
  const std::vector<const Stmt*> dims = dimensions(at, read);
  Dims sizes;
  std::vector<Expr> written, kept;
  Replacements by;
  for (const Stmt* l : dims) {
    sizes.push_back(l->extent);
    kept.push_back(index_var(l->var));
    const bool around = std::ranges::find(at.around, l) != at.around.end();
    if (!around) by[l->var] = index_var(fresh_var(kernel));
    written.push_back(around ? kept.back() : by[l->var]);
  }
  const int copy = add_temp(kernel, read.load->dtype, sizes);
  Body body = one(store(copy, written, replace_exprs(read.load, by)));
  for (size_t i = dims.size(); i-- > 0;)
    if (by.count(dims[i]->var))
      body = one(
          write::loop(LoopKind::Serial, by[dims[i]->var]->id, dims[i]->extent, std::move(body)));
  const Expr load = Expr::load(copy, read.load->dtype, kept);
  const Found found = find_loop(kernel, a[1]);
  ExprRewrite cached([&](const ExprNode* n) { return n == read.load ? load : Expr(); });
  for_each_expr(found.stmt().body, [&](Expr e) { return cached(e); });
  body.push_back(std::move(found.stmt()));
  put(found, std::move(body));
}

const Transform& registered = Table<Transform>::instance().add(
    {"cache",
     "the part of a buffer that a loop reads is copied to a temporary before the loop",
     {{Parameter::Kind::Buffer, "buffer"}, {Parameter::Kind::Loop, "loop"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
