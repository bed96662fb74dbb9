// Temporaries that live within one iteration of the loops around them: what an iteration writes
// only it reads, so memory of one iteration serves all, on the stack, where it stays in the
// first-level cache. Of a softmax over rows that is a row in place of a matrix.
//
//   parallel v0 in 8192:                            parallel v0 in 8192:
//     for v1 in 1024: b2[v0, v1] = ...      is        for v1 in 1024: row[v1] = ...
//     for v1 in 1024: ... b2[v0, v1]                  for v1 in 1024: ... row[v1]
//
// The loops around are a statement of the kernel's body and those perfectly nested in it; from the
// outermost on, a dimension is dropped where every access has the loop's variable there.
//
// What a block or a thread has of its own, where blocks have one thread, is such memory too.
#include <algorithm>
#include <unordered_set>

#include "engine/kernel/llvm.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kMostBytes = 128 << 10;     // on the stack of a phase
constexpr int64_t kMostOwnBytes = 512 << 10;  // where there is no other place

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
    if (s.value.is_defined()) expression(s.value.node());
    for (const Expr& e : s.indices) expression(e.node());
    if (s.kind == Stmt::Kind::Store)
      buffers[static_cast<size_t>(s.buffer)].push_back({s.indices.data(), nullptr});
    for (const Stmt& inner : s.body) statement(inner);
  }

  std::unordered_set<const ExprNode*> seen_;
};

// Variables of the loop and of those perfectly nested in it.
std::vector<int> loops_around(const Stmt& top) {
  std::vector<int> out;
  for (const Stmt* s = &top; s->kind == Stmt::Kind::For;) {
    out.push_back(s->var);
    if (s->body.size() != 1) break;
    s = &s->body[0];
  }
  return out;
}

// From the outermost loop on, while each iteration of it has elements of its own.
uint64_t dropped_dims(const Buffer& b, const std::vector<Accesses::Access>& all,
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

// Nothing where a size is dynamic.
std::optional<int64_t> elements_of_an_iteration(const Buffer& b, uint64_t dropped) {
  int64_t n = 1;
  for (int d = 0; d < b.sizes.rank(); ++d) {
    if (dropped >> d & 1) continue;
    if (is_dynamic(b.sizes[d]) || __builtin_mul_overflow(n, b.sizes[d], &n)) return std::nullopt;
  }
  return n;
}

int64_t bytes_of(const Buffer& b, int64_t elements) {
  return elements * static_cast<int64_t>(size_of(b.dtype));
}

// The statements of the body that touch each buffer.
std::vector<std::vector<size_t>> touched_by(const std::vector<Accesses>& statements,
                                            size_t buffers) {
  std::vector<std::vector<size_t>> out(buffers);
  for (size_t at = 0; at < statements.size(); ++at)
    for (size_t i = 0; i < buffers; ++i)
      if (!statements[at].buffers[i].empty()) out[i].push_back(at);
  return out;
}

std::vector<Accesses> accesses_of_statements(const Kernel& kernel) {
  std::vector<Accesses> out;
  for (const Stmt& s : kernel.body) out.emplace_back(kernel, s);
  return out;
}

}  // namespace

Support support_of_own_memory(const Kernel& kernel) {
  const auto touched = touched_by(accesses_of_statements(kernel), kernel.buffers.size());
  int64_t bytes = 0;
  for (size_t i = 0; i < touched.size(); ++i) {
    const Buffer& b = kernel.buffers[i];
    if (is_global(b.role) || touched[i].empty()) continue;
    if (touched[i].size() > 1) return {false, "several grids have the same memory of their own"};
    if (grid_of(kernel.body[touched[i][0]]).threads_per_block() != 1)
      return {false, "memory of a block or thread on a machine without them"};
    if (numel_of(b.sizes) == 0) return {false, "memory of a thread that holds nothing"};
    bytes += bytes_of(b, numel_of(b.sizes));
  }
  if (bytes > kMostOwnBytes) return {false, fmt::format("{} bytes of a thread's own", bytes)};
  return {};
}

std::vector<std::optional<Iteration>> iterations_of(const Kernel& kernel) {
  const size_t count = kernel.buffers.size();
  const std::vector<Accesses> statements = accesses_of_statements(kernel);
  const auto touched = touched_by(statements, count);
  std::vector<std::optional<Iteration>> out(count);
  int64_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const Buffer& b = kernel.buffers[i];
    if (is_global(b.role) || touched[i].empty()) continue;
    out[i] = {touched[i][0], 0, numel_of(b.sizes)};
    bytes += bytes_of(b, out[i]->elements);
  }
  for (size_t i = 0; i < count; ++i) {
    const Buffer& b = kernel.buffers[i];
    if (b.role != BufferRole::Temp || touched[i].size() != 1) continue;
    const size_t at = touched[i][0];
    Iteration iteration{
        at, dropped_dims(b, statements[at].buffers[i], loops_around(kernel.body[at])), 0};
    if (iteration.dropped == 0) continue;
    const std::optional<int64_t> elements = elements_of_an_iteration(b, iteration.dropped);
    if (!elements || *elements == 0 || *elements > kMostBytes) continue;
    const int64_t more = bytes_of(b, *elements);
    if (bytes + more > kMostBytes) continue;
    bytes += more;
    iteration.elements = *elements;
    out[i] = iteration;
  }
  return out;
}

}  // namespace fusillade::kernel::jit
