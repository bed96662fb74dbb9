// Temporaries that live within one turn of the loops around them: what a turn writes only it reads,
// so memory of one turn serves all, on the stack, where it stays in the first-level cache. Of a
// softmax over rows that is a row in place of a matrix.
//
//   parallel v0 in 8192:                            parallel v0 in 8192:
//     for v1 in 1024: b2[v0, v1] = ...      is        for v1 in 1024: row[v1] = ...
//     for v1 in 1024: ... b2[v0, v1]                  for v1 in 1024: ... row[v1]
//
// The loops around are a statement of the kernel's body and those that stand alone one right inside
// the other; from the outermost on, a dimension is dropped where every access has the loop's
// variable there.
#include <algorithm>
#include <unordered_set>

#include "engine/kernel/llvm.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kMostBytes = 128 << 10;  // on the stack of a phase

// All accesses of one statement of the body, by buffer.
class Accesses {
 public:
  Accesses(const Kernel& kernel, const Stmt& top) : buffers(kernel.buffers.size()) {
    statement(top);
  }
  struct Access {
    const Expr* written = nullptr;          // indices of a store
    const ExprNode* const* read = nullptr;  // or of a load
    const ExprNode* index(int d) const { return written ? written[d].node() : read[d]; }
  };
  std::vector<std::vector<Access>> buffers;

 private:
  void expression(const ExprNode* root) {
    std::vector<const ExprNode*> stack{root};
    while (!stack.empty()) {
      const ExprNode* e = stack.back();
      stack.pop_back();
      if (!seen_.insert(e).second) continue;
      if (e->op == ExprOp::Load) buffers[static_cast<size_t>(e->id)].push_back({nullptr, e->child});
      stack.insert(stack.end(), e->child, e->child + e->children);
    }
  }

  void statement(const Stmt& s) {
    if (s.value.defined()) expression(s.value.node());
    for (const Expr& e : s.indices) expression(e.node());
    if (s.kind == Stmt::Kind::Store)
      buffers[static_cast<size_t>(s.buffer)].push_back({s.indices.data(), nullptr});
    for (const Stmt& inner : s.body) statement(inner);
  }

  std::unordered_set<const ExprNode*> seen_;
};

// Variables of the loop and of those that stand alone one right inside the other.
std::vector<int> loops_around(const Stmt& top) {
  std::vector<int> out;
  for (const Stmt* s = &top; s->kind == Stmt::Kind::For;) {
    out.push_back(s->var);
    if (s->body.size() != 1) break;
    s = &s->body[0];
  }
  return out;
}

// From the outermost loop on, while each turn of it has elements of its own.
uint64_t dropped(const Buffer& b, const std::vector<Accesses::Access>& all,
                 const std::vector<int>& loops) {
  uint64_t out = 0;
  for (int var : loops) {
    int d = 0;
    const auto is_var = [&](const Accesses::Access& a) {
      const ExprNode* e = a.index(d);
      return e->op == ExprOp::Var && e->id == var;
    };
    while (d < b.sizes.rank() && !std::all_of(all.begin(), all.end(), is_var)) ++d;
    if (d == b.sizes.rank()) break;
    out |= uint64_t{1} << d;
  }
  return out;
}

// Nothing where a size is open.
std::optional<int64_t> elements_of_a_turn(const Buffer& b, uint64_t dropped) {
  int64_t n = 1;
  for (int d = 0; d < b.sizes.rank(); ++d) {
    if (dropped >> d & 1) continue;
    if (is_open(b.sizes[d]) || __builtin_mul_overflow(n, b.sizes[d], &n)) return std::nullopt;
  }
  return n;
}

}  // namespace

std::vector<std::optional<Turn>> turns_of(const Kernel& kernel) {
  const size_t count = kernel.buffers.size();
  std::vector<Accesses> statements;
  for (const Stmt& s : kernel.body) statements.emplace_back(kernel, s);
  std::vector<std::optional<Turn>> out(count);
  int64_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const Buffer& b = kernel.buffers[i];
    if (b.role != BufferRole::Temp) continue;
    const auto touches = [&](const Accesses& a) { return !a.buffers[i].empty(); };
    const auto only = std::find_if(statements.begin(), statements.end(), touches);
    if (only == statements.end() || std::count_if(only, statements.end(), touches) != 1) continue;
    const auto at = static_cast<size_t>(only - statements.begin());
    Turn turn{at, dropped(b, only->buffers[i], loops_around(kernel.body[at])), 0};
    if (turn.dropped == 0) continue;
    const std::optional<int64_t> elements = elements_of_a_turn(b, turn.dropped);
    if (!elements || *elements == 0 || *elements > kMostBytes) continue;
    const int64_t more = *elements * static_cast<int64_t>(size_of(b.dtype));
    if (bytes + more > kMostBytes) continue;
    bytes += more;
    turn.elements = *elements;
    out[i] = turn;
  }
  return out;
}

}  // namespace fusillade::kernel::jit
