// See wide.h. An index is followed along the lanes through the loop's lets: by how much it grows
// from one to the next, and what it is a multiple of in the first.
#include "engine/kernel/wide.h"

#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace fusillade::kernel {
namespace {

constexpr int64_t kAnything = kMostLanes;  // what 0 is a multiple of

struct Along {
  int64_t step = 0;
  int64_t multiple = 1;  // a divisor of kAnything
};

Along literal(int64_t n) { return {0, std::gcd(n % kAnything, kAnything)}; }

class Lanes {
 public:
  Lanes(const Kernel& kernel, const Stmt& loop) : kernel_(kernel), loop_(loop) {
    for (const Stmt& s : loop.body)
      if (s.kind == Stmt::Kind::Let) lets_[s.var] = s.value.node();
  }

  WideAccesses run() {
    WideAccesses out{loop_.extent};
    if (loop_.extent < 2 || !std::has_single_bit(static_cast<uint64_t>(loop_.extent))) return out;
    for (const Stmt& s : loop_.body) {
      std::vector<const ExprNode*> indices;
      for (const Expr& e : s.indices) {
        indices.push_back(e.node());
        loads(e.node(), out);
      }
      loads(s.value.node(), out);
      if (s.kind == Stmt::Kind::Store && is_wide(s.buffer, indices.data())) out.stores.insert(&s);
    }
    return out;
  }

 private:
  void loads(const ExprNode* e, WideAccesses& out) {
    if (!seen_.insert(e).second) return;
    if (e->op == ExprOp::Load && is_wide(e->id, e->child)) out.loads.insert(e);
    for (uint32_t i = 0; i < e->children; ++i) loads(e->child[i], out);
  }

  bool is_wide(int buffer, const ExprNode* const* indices) {
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    if (!is_global(b.role) || (b.role == BufferRole::In && !b.aligned)) return false;
    if (loop_.extent * static_cast<int64_t>(size_of(b.dtype)) > kWideBytes) return false;
    Along offset{0, kAnything};
    for (int d = 0; d < b.sizes.rank(); ++d) {
      const std::optional<Along> index = along(indices[d]);
      if (!index || is_dynamic(b.strides[d])) return false;
      offset.step += index->step * b.strides[d];
      offset.multiple = std::gcd(offset.multiple, index->multiple * literal(b.strides[d]).multiple);
    }
    return offset.step == 1 && offset.multiple % loop_.extent == 0;
  }

  // Nothing: its lanes are not evenly spaced.
  std::optional<Along> along(const ExprNode* e) {
    if (const auto at = known_.find(e); at != known_.end()) return at->second;
    const std::optional<Along> found = compute(e);
    known_[e] = found;
    return found;
  }

  std::optional<Along> compute(const ExprNode* e) {
    if (e->op == ExprOp::Imm) return literal(static_cast<int64_t>(e->imm));
    if (e->op == ExprOp::Var) {
      if (e->id == loop_.var) return Along{1, kAnything};
      const auto let = lets_.find(e->id);
      return let == lets_.end() ? Along{} : along(let->second);
    }
    bool one_for_all = true;
    std::vector<Along> in;
    for (uint32_t i = 0; i < e->children; ++i) {
      const std::optional<Along> a = along(e->child[i]);
      if (!a) return std::nullopt;
      in.push_back(*a);
      one_for_all = one_for_all && a->step == 0;
    }
    int64_t times = 0;
    if (e->op == ExprOp::Add)
      return Along{in[0].step + in[1].step, std::gcd(in[0].multiple, in[1].multiple)};
    if (e->op == ExprOp::Mul && Expr(e->child[1]).as_int(&times) && std::abs(times) <= INT32_MAX)
      return Along{in[0].step * times, std::gcd(in[0].multiple * in[1].multiple, kAnything)};
    return one_for_all ? std::optional(Along{}) : std::nullopt;
  }

  const Kernel& kernel_;
  const Stmt& loop_;
  std::unordered_map<int, const ExprNode*> lets_;
  std::unordered_map<const ExprNode*, std::optional<Along>> known_;
  std::unordered_set<const ExprNode*> seen_;
};

void wide_buffers(const Kernel& kernel, const Body& body, std::unordered_set<int>& out) {
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::For && s.loop == LoopKind::Vector)
      for (const ExprNode* e : wide_accesses(kernel, s).loads) out.insert(e->id);
    wide_buffers(kernel, s.body, out);
  }
}

}  // namespace

WideAccesses wide_accesses(const Kernel& kernel, const Stmt& loop) {
  return Lanes(kernel, loop).run();
}

void keep_alignment_needed(Kernel& kernel) {
  std::unordered_set<int> wide;
  wide_buffers(kernel, kernel.body, wide);
  for (size_t i = 0; i < kernel.buffers.size(); ++i)
    kernel.buffers[i].aligned = kernel.buffers[i].aligned && wide.contains(static_cast<int>(i));
}

}  // namespace fusillade::kernel
