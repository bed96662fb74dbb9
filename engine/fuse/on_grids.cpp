// See on_grids.h. A sequence of transforms: loops of few iterations whose bodies hold loops that
// may be shared out, too, are decomposed (distribute), so that there are threads enough; each loop
// at the top whose iterations may run in any order becomes a grid (grid), and all else is done by
// one thread (one_thread). The bits are those of the loops: no sum changes its order.
//
// For loops with dynamic extents the kernel gets two more extents: their product, and the number of
// blocks.
#include "engine/fuse/on_grids.h"

#include <algorithm>

#include "engine/base/options.h"
#include "engine/base/probe.h"
#include "engine/base/text.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/grid.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using kernel::Kernel;
using kernel::Stmt;

Probe probe_mapped("fuse/on-grids");

const Option<bool> kGrids("loopnest_grids", false,
                          "kernels of loopnest become grids on every back end");

constexpr int64_t kManyThreads = 8192;  // that keep a GPU busy
constexpr int64_t kFewIterations = 8;   // that are not worth threads of their own
constexpr int64_t kSmall = 1024;        // iterations; below, blocks are of one warp
constexpr int64_t kThreads = 128;
constexpr int64_t kMostAlone = 1 << 16;  // steps of a thread that runs without a whole warp
constexpr int64_t kDynamicIterations =
    64;  // that loops are thought to have whose extents are dynamic
constexpr int kMostCuts = 64;

bool is_grid(const Stmt& s) { return s.kind == Stmt::Kind::For && kernel::is_grid(s.loop); }

bool is_dynamic(const Stmt& s) { return s.kind == Stmt::Kind::For && kernel::is_dynamic(s.extent); }

int64_t iterations_of(const std::vector<const Stmt*>& loops) {
  int64_t n = 1;
  for (const Stmt* s : loops) n *= is_dynamic(*s) ? kDynamicIterations : s->extent;
  return n;
}

bool has_dynamic_loop(const kernel::Body& body) {
  return std::ranges::any_of(
      body, [](const Stmt& s) { return is_dynamic(s) || has_dynamic_loop(s.body); });
}

// How many stores and updates one thread executes in these statements, as far as extents are known.
int64_t steps_of(const kernel::Body& body) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t n = 0;
  for (const Stmt& s : body) {
    const bool one = s.kind == Stmt::Kind::Store || s.kind == Stmt::Kind::Update;
    int64_t inside = one ? 1 : steps_of(s.body);
    const bool loop = s.kind == Stmt::Kind::For && !is_dynamic(s);
    if (loop && __builtin_mul_overflow(inside, s.extent, &inside)) return kMost;
    n = std::min(n + inside, kMost);
  }
  return n;
}

std::vector<const Stmt*> shared_out(const KernelFacts& facts, const Stmt& s) {
  if (s.kind != Stmt::Kind::For || is_grid(s)) return {};
  return facts.alone_in_any_order(facts.at(s.var), INT32_MAX, true);
}

Step step(const char* name, Arguments arguments) {
  return {&transform(name), std::move(arguments)};
}

// Where a loop at the top, with those alone right inside it, has few iterations, and the innermost
// holds several statements of which one is a loop that could be shared out: cuts between that and
// the others. Later cuts then distribute the loops around it.
std::optional<Step> cut(const KernelFacts& facts, const Stmt& top) {
  const std::vector<const Stmt*> loops = shared_out(facts, top);
  if (loops.empty() || iterations_of(loops) >= kManyThreads) return std::nullopt;
  const Stmt& s = *loops.back();
  const auto worth = [&](const Stmt& inner) {
    return iterations_of(shared_out(facts, inner)) > kFewIterations;
  };
  for (size_t i = 1; i < s.body.size(); ++i) {
    if (!worth(s.body[i - 1]) && !worth(s.body[i])) continue;
    if (facts.why_not_disjoint(facts.at(s.var), i).empty())
      return step("distribute", {s.var, static_cast<int64_t>(i)});
  }
  return std::nullopt;
}

// Throws Unsupported where operators are faster.
void need_threads(const std::vector<const Stmt*>& loops) {
  const kernel::Body& body = loops.back()->body;
  const int64_t iterations = iterations_of(loops), each = steps_of(body);
  const bool few = iterations < kernel::kWarp &&
                   std::ranges::none_of(loops, [](const Stmt* s) { return is_dynamic(*s); });
  if (few && iterations > 0 && each > kMostAlone)
    decline("{} steps of each of {} threads", each, iterations);
  if (few && has_dynamic_loop(body))
    decline("steps of a dynamic number of each of {} threads", iterations);
}

// A lowered group whose statements become grids one by one.
class Mapping {
 public:
  explicit Mapping(Lowered from) : out_(std::move(from)), k_(own_names(out_.kernel)) {}

  Lowered run() {
    const ExprPool::Scope scope(*k_.pool);
    for (int cuts = 0; cuts < kMostCuts && decompose(); ++cuts) {
    }
    while (share_out_next()) {
    }
    if (!std::ranges::all_of(k_.body, &is_grid)) apply(step("one_thread", {}));
    kernel::check(k_);
    out_.launches.clear();
    for (const Stmt& s : k_.body) out_.launches.push_back(schedule_of_grid(s));
    if (!out_.launches.empty()) out_.launches[0].domain = "all by " + join(steps_, ";");
    out_.kernel = std::move(k_);
    return std::move(out_);
  }

 private:
  void apply(const Step& s) {
    k_ = apply_step(k_, s);
    steps_.push_back(to_string(s));
  }

  bool decompose() {
    const KernelFacts facts(k_);
    for (const Stmt& s : k_.body)
      if (const auto found = cut(facts, s)) {
        apply(*found);
        return true;
      }
    return false;
  }

  // The first at the top that may become a grid.
  bool share_out_next() {
    const KernelFacts facts(k_);
    for (const Stmt& s : k_.body) {
      const std::vector<const Stmt*> loops = shared_out(facts, s);
      if (loops.empty() || !why_not_at_top(facts, facts.at(s.var)).empty()) continue;
      need_threads(loops);
      const int64_t threads = iterations_of(loops) > kSmall ? kThreads : kernel::kWarp;
      if (std::ranges::any_of(loops, [](const Stmt* l) { return is_dynamic(*l); }))
        share_out_dynamic(loops, kThreads);
      else apply(step("grid", {s.var, threads}));
      return true;
    }
    return false;
  }

  void share_out_dynamic(const std::vector<const Stmt*>& loops, int64_t threads) {
    Product all;
    for (const Stmt* s : loops) {
      const Product p = product_of(s->extent);
      all.factor *= p.factor;
      all.symbols.insert(all.symbols.end(), p.symbols.begin(), p.symbols.end());
    }
    std::ranges::sort(all.symbols);
    steps_.push_back(fmt::format("grid(v{},{})", loops[0]->var, threads));
    if (all.factor == 0) return fuse::share_out(k_, {loops, 0, 0, threads});
    const int64_t iterations = extent(Extent{all}), blocks = extent(Extent{all, threads});
    fuse::share_out(k_, {loops, iterations, blocks, threads});
  }

  size_t first_extent() const { return out_.scalar_args.size() + out_.draws.size(); }

  Product product_of(int64_t n) const {
    if (!kernel::is_dynamic(n)) return {n, {}};
    const Extent& e = out_.extents[kernel::scalar_of(n) - first_extent()];
    if (e.by != 1) decline("a loop over parts of a dynamic size");
    return e.product;
  }

  // The extent as an argument of the kernel, added where it is new.
  int64_t extent(const Extent& e) {
    const auto known = std::ranges::find(out_.extents, e);
    const auto at = static_cast<size_t>(known - out_.extents.begin());
    if (known == out_.extents.end()) {
      out_.extents.push_back(e);
      int64_t most = e.by == 1 ? kernel::kUnlimited : kernel::kMostBlocks[0];
      if (k_.reach != kernel::kUnlimited)
        most = e.of(k_.reach);  // each iteration stores somewhere else
      k_.scalars.push_back({fresh_var(k_), Model::I64, e.of(e.product.least()), most});
    }
    return kernel::dynamic_number(first_extent() + at);
  }

  static Schedule schedule_of_grid(const Stmt& s) {
    const kernel::Grid g = kernel::grid_of(s);
    const bool alone = s.extent == 1 && g.threads_per_block() == 1;
    const int64_t each = steps_of(*g.body);
    if (alone && each > kMostAlone) decline("{} steps of one thread", each);
    if (alone && has_dynamic_loop(*g.body)) decline("steps of a dynamic number of one thread");
    Schedule out = schedule_of(alone ? "one thread" : "iterations", s);
    if (!has_dynamic_loop(*g.body)) out.parameters.emplace_back("steps", each);
    return out;
  }

  Lowered out_;
  Kernel k_;
  std::vector<std::string> steps_;
};

}  // namespace

Lowered on_grids(Lowered lowered) {
  if (std::ranges::all_of(lowered.kernel.body, &is_grid)) return lowered;
  probe_mapped.hit();
  return Mapping(std::move(lowered)).run();
}

bool wants_grids(const kernel::Kernel& kernel, const kernel::Backend& backend) {
  return kGrids.get() || !kernel::supports(backend, kernel).yes;
}

}  // namespace fusillade::fuse
