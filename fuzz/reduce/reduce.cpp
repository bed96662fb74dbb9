// See reduce.h: the generic loop.
#include "fuzz/reduce/reduce.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/run/plan.h"
#include "fuzz/judge/judge.h"
#include "fuzz/verdict/refusal.h"

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

class Reducer {
 public:
  Reducer(const Case& c, const Limits& limits, double budget, int tries)
      : limits_(limits), budget_(budget), tries_(tries), start_(Clock::now()) {
    state_.smallest = c.clone();
    state_.verdict = judge_often(c, limits_, tries_);
  }

  Reduced run() {
    if (!is_finding(state_.verdict.kind)) return std::move(state_);
    std::vector<const Shrink*> shrinks = Table<Shrink>::instance().sorted();
    const bool refused = !state_.smallest.refused.empty();
    std::erase_if(shrinks, [&](const Shrink* s) {
      return !has_form(state_.smallest, s->form) || (refused && s->retypes);
    });
    std::sort(shrinks.begin(), shrinks.end(), [](auto* a, auto* b) { return a->order < b->order; });
    for (bool progress = true; progress && !out_of_time();) {
      progress = false;
      for (const Shrink* s : shrinks) progress = halve(*s) || progress;
    }
    return std::move(state_);
  }

 private:
  bool out_of_time() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() > budget_;
  }

  bool halve(const Shrink& shrink) {
    bool any = false;
    size_t chunk = std::min(shrink.units(state_.smallest), shrink.singly ? 1 : SIZE_MAX);
    while (chunk > 0 && !out_of_time()) {
      bool kept = false;
      // From the end: later nodes depend on earlier ones.
      for (size_t last = shrink.units(state_.smallest); last > 0 && !out_of_time();) {
        size_t first = last > chunk ? last - chunk : 0;
        if (attempt(shrink, first, last)) {
          kept = any = true;
          last = std::min(first, shrink.units(state_.smallest));
        } else {
          last = first;
        }
      }
      if (!kept || chunk == 1) chunk = chunk == 1 && kept ? 1 : chunk / 2;
      chunk = std::min(chunk, shrink.units(state_.smallest));
    }
    return any;
  }

  // Edit and judge in one child; its answer is the smaller case's text.
  bool attempt(const Shrink& shrink, size_t first, size_t last) {
    ++state_.trials;
    bool dies = state_.verdict.kind == VerdictKind::Crash ||
                state_.verdict.kind == VerdictKind::Hang ||
                state_.verdict.kind == VerdictKind::Memory;
    const Verdict wanted = state_.verdict;
    ChildResult r = run_judging(
        state_.smallest,
        [&]() -> std::string {
          Case c = state_.smallest.clone();
          if (!edited(shrink, c, first, last)) return "";
          if (dies) return print(c);
          return same_failure(judge_here(c), wanted) ? print(c) : "";
        },
        limits_);
    if (r.kind != ChildResult::Kind::Done || r.output.empty()) return false;
    Case smaller;
    try {
      smaller = parse_case(r.output, "<reduced>");
    } catch (const Error&) {
      return false;  // types inside a block no longer follow from those of the inputs
    }
    Verdict v = state_.verdict;
    if (dies) v = judge_often(smaller, limits_, tries_);
    if (!same_failure(v, wanted)) return false;
    if (!refused_alike(smaller, state_.smallest)) return false;
    if (wanted.kind == VerdictKind::Hang && !ends_in_eager(smaller)) return false;
    state_.smallest = std::move(smaller);
    return true;
  }

  // A program that never ends by itself would keep the verdict and lose whom it blames. When eager
  // is to blame, and does not end on the case given either, there is nothing to tell apart.
  bool ends_in_eager(const Case& c) {
    auto ends = [&](const Case& given) {
      Case bare = given.clone();
      bare.plans = {reference_plan()};
      return judge_isolated(bare, limits_).kind != VerdictKind::Hang;
    };
    if (!eager_ends_) eager_ends_ = ends(state_.smallest);
    return !*eager_ends_ || ends(c);
  }

  static bool edited(const Shrink& shrink, Case& c, size_t first, size_t last) {
    try {
      std::string before = print(c);
      if (!shrink.apply(c, first, last)) return false;
      if (c.script.empty()) {
        drop_unused(c);
        verify(*c.program);
      }
      return print(c) != before;
    } catch (const Exception&) {
      return false;
    }
  }

  Limits limits_;
  double budget_;
  int tries_;
  Clock::time_point start_;
  Reduced state_;
  std::optional<bool> eager_ends_;  // on the case given
};

}  // namespace

Reduced reduce(const Case& c, const Limits& limits, double budget_seconds, int tries) {
  return Reducer(c, limits, budget_seconds, tries).run();
}

int program_nodes(const Graph& graph) {
  struct Count {
    static int of(const Block* block) {
      int n = 0;
      for (Node* node : block->nodes()) {
        bool glue = node->is(prim::constant()) || node->is(prim::list_construct()) ||
                    node->is(prim::list_unpack()) || node->is(prim::tuple_construct()) ||
                    node->is(prim::tuple_unpack());
        if (!glue) ++n;
        for (const Block* inner : node->blocks()) n += of(inner);
      }
      return n;
    }
  };
  return Count::of(graph.block());
}

}  // namespace fusillade::fuzz
