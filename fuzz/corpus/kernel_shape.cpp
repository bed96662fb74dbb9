// See kernel_shape.h.
#include "fuzz/corpus/kernel_shape.h"

#include <algorithm>
#include <bit>
#include <set>

namespace fusillade::fuzz {
namespace {

using kernel::Stmt;

struct Counts {
  int depth = 0;
  uint64_t accumulators = 0;
  bool vector = false, branch = false, barrier = false;
};

void count(const kernel::Body& body, int depth, Counts& counts) {
  counts.depth = std::max(counts.depth, depth);
  for (const Stmt& s : body) {
    counts.accumulators += s.kind == Stmt::Kind::Declare;
    counts.branch |= s.kind == Stmt::Kind::If;
    counts.barrier |= s.kind == Stmt::Kind::Barrier || s.kind == Stmt::Kind::Shuffle;
    counts.vector |= s.kind == Stmt::Kind::For && s.loop == kernel::LoopKind::Vector;
    count(s.body, depth + (s.kind == Stmt::Kind::For), counts);
  }
}

const char* kind_of(DType dtype) {
  if (dtype == DType::Bool) return "bool";
  if (dtype == DType::F32) return "f32";
  if (dtype == DType::F64) return "f64";
  return is_float(dtype) ? "half" : "int";
}

}  // namespace

std::string shape_of(const kernel::Kernel& kernel) {
  constexpr int kDeepest = 9;
  Counts counts;
  count(kernel.body, 0, counts);
  std::set<std::string> dtypes;
  for (const kernel::Buffer& b : kernel.buffers) dtypes.insert(kind_of(b.dtype));
  return fmt::format("s{}d{}a{}{}{}{}/{}", std::bit_floor(kernel.body.size()),
                     std::min(counts.depth, kDeepest), std::bit_floor(counts.accumulators),
                     counts.vector ? "v" : "", counts.branch ? "i" : "", counts.barrier ? "b" : "",
                     fmt::join(dtypes, "+"));
}

}  // namespace fusillade::fuzz
