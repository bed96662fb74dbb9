// compute_at(b2,v1): a temporary is computed within the loop that reads it, a slice in each
// iteration.
//
//   for v0 in 9: b2[v0] = b0[v0] + 1
//   for v1 in 8: b1[v1] = b2[v1 + 1] * 2
// becomes
//   for v1 in 8: b2[v1 + 1] = b0[v1 + 1] + 1; b1[v1] = b2[v1 + 1] * 2
//
// Legal where the loops that compute it come before the loop in the same body and compute nothing
// else; all its loads are in the loop and have one index in common that grows with the loop's
// variable and is within the computed range; nothing from its producer to the end of the loop
// writes what the producer reads; and none of its elements is written twice.
#include <algorithm>

#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Access;
using kernel::Kernel;
using kernel::LoopKind;

// Which of the producer's loops iterates over slices, and the index of the slice.
struct Slice {
  size_t producer_at = 0;  // the statement, in the body of the loop that reads
  int var = -1;
  Expr index;
  std::string why = {};  // there is none
};

Slice without(std::string why) { return {0, -1, {}, std::move(why)}; }

// The index that all loads have in dimension d; undefined: they have none in common.
Expr common_index(const std::vector<const Access*>& loads, uint32_t d) {
  const ExprNode* at = loads[0]->load->child[d];
  for (const Access* l : loads)
    if (l->load->child[d] != at) return {};
  return at;
}

Slice find_slice(const KernelFacts& facts, int buffer, const LoopAt& reader) {
  const auto stores = facts.of_buffer(buffer, true);
  const auto loads = facts.of_buffer(buffer, false);
  if (stores.size() != 1 || stores[0]->under_if || !facts.written_once(buffer))
    return without("not one statement stores to it, each element once");
  if (loads.empty()) return without("nothing reads it");
  for (const Access* l : loads)
    if (!contains(*reader.loop, l->statement)) return without("it is read outside of the loop");
  Slice out;
  for (; out.producer_at < reader.at; ++out.producer_at)
    if (contains((*reader.body)[out.producer_at], stores[0]->statement)) break;
  if (out.producer_at == reader.at)
    return without("it is not made before the loop, in the same body");
  for (uint32_t d = 0; d < stores[0]->at.size(); ++d) {
    const ExprNode* store_index = stores[0]->statement->indices[d].node();
    const Expr index = common_index(loads, d);
    if (store_index->op != ExprOp::Var || !index.is_defined() ||
        !facts.loops.count(store_index->id))
      continue;
    const auto& at = loads[0]->at[d];
    if (!at || at->terms.size() != 1 || variables_read(index) != std::set{reader.loop->var})
      continue;
    const auto range = at->range();
    const int64_t extent = facts.at(store_index->id).loop->extent;
    if (!at->terms.count(fmt::format("v{}", reader.loop->var))) continue;
    if (!range || kernel::is_dynamic(extent) || range->lo < 0 || range->hi >= extent) continue;
    out.var = store_index->id;
    out.index = index;
    return out;
  }
  return without("its loads have no index in common that the loop steps");
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const int buffer = static_cast<int>(a[0]);
  const LoopAt& reader = facts.at(a[1]);
  if (facts.kernel.buffers[static_cast<size_t>(buffer)].role != kernel::BufferRole::Temp)
    return "it is no temporary";
  if (reader.loop->loop == LoopKind::Vector) return "a vector loop holds no loop";
  const Slice slice = find_slice(facts, buffer, reader);
  if (!slice.why.empty()) return slice.why;
  const Stmt& producer = (*reader.body)[slice.producer_at];
  if (producer.kind != Stmt::Kind::For) return "no loop makes it";
  std::string why;
  for_each_stmt(one(producer), [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::Store && s.buffer != buffer) why = "its loops make something else";
  });
  const Body& of_slice = facts.at(slice.var).loop->body;
  if (!updated_outside(of_slice).empty()) why = "an accumulator goes from slice to slice";
  const std::set<int> from = loaded_by(one(producer));
  if (from.count(buffer)) why = "it is made of itself";
  for (const Access& w : facts.accesses) {
    if (!w.write) continue;
    for (size_t i = slice.producer_at + 1; i <= reader.at; ++i) {
      if (!contains((*reader.body)[i], w.statement)) continue;
      for (int b : from)
        if (kernel::may_overlap(facts.kernel, w.buffer, b))
          why = fmt::format("b{} is written in between", b);
    }
  }
  return why;
}

// Takes the loop over `var` out, and leaves what is in it, for one iteration.
void take_out(Body& body, int var, Expr index) {
  for (size_t i = 0; i < body.size(); ++i) {
    body[i].loop = LoopKind::Serial;
    if (body[i].kind == Stmt::Kind::For && body[i].var == var) {
      Body inside = std::move(body[i].body);
      replace(inside, {{var, index}});
      put({&body, i}, std::move(inside));
      return take_out(body, -1, index);
    }
    take_out(body[i].body, var, index);
  }
}

void apply(Kernel& kernel, const Arguments& a) {
  const KernelFacts facts(kernel);
  const Slice slice = find_slice(facts, static_cast<int>(a[0]), facts.at(a[1]));
  const Found reader = find_loop(kernel, a[1]);
  const auto at = reader.body->begin() + static_cast<ptrdiff_t>(slice.producer_at);
  Body slice_body = one(std::move(*at));
  take_out(slice_body, slice.var, slice.index);
  Body& inside = reader.stmt().body;
  inside.insert(inside.begin(), std::make_move_iterator(slice_body.begin()),
                std::make_move_iterator(slice_body.end()));
  reader.body->erase(at);
}

const Transform& registered = Table<Transform>::instance().add(
    {"compute_at",
     "a temporary is computed within the loop that reads it, a slice in each iteration",
     {{Parameter::Kind::Buffer, "temporary"}, {Parameter::Kind::Loop, "loop"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
