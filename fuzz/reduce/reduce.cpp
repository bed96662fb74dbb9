// See reduce.h: the generic loop.
#include "fuzz/reduce/reduce.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "fuzz/judge/judge.h"
#include "fuzz/verdict/certain.h"
#include "fuzz/verdict/refusal.h"

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kTrialsOfAChild = 16;
constexpr double kLeastOfATrial = 1;  // seconds
constexpr double kTrialFactor = 20;
constexpr double kShareOfAChild = 0.2;  // of the time of one judgement, after which it answers

class Reducer {
 public:
  Reducer(const Case& c, const Limits& limits, double budget, int tries,
          const std::function<void(const Case&)>& kept)
      : limits_(limits), budget_(budget), tries_(tries), kept_(kept), start_(Clock::now()) {
    state_.smallest = c.clone();
    state_.verdict = judge_often(c, limits_, tries_);
    // An edit may make a loop endless: a trial gets some times what the case takes, not the whole.
    const double used = std::chrono::duration<double>(Clock::now() - start_).count();
    if (state_.verdict.kind != VerdictKind::Hang)
      limits_.seconds = std::min(limits_.seconds, std::max(kLeastOfATrial, kTrialFactor * used));
  }

  Reduced run() {
    if (!is_finding(state_.verdict.kind)) return std::move(state_);
    std::vector<const Shrink*> shrinks = Table<Shrink>::instance().by_name();
    const bool refused = !state_.smallest.refused.empty();
    std::erase_if(shrinks, [&](const Shrink* s) {
      return !has_form(state_.smallest, s->form) || (refused && s->retypes);
    });
    std::sort(shrinks.begin(), shrinks.end(), [](auto* a, auto* b) { return a->order < b->order; });
    for (bool progress = true; progress && !out_of_time();) {
      progress = false;
      for (const Shrink* s : shrinks) progress = halve(*s) || progress;
    }
    state_.complete = !out_of_time();
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
        const Tried tried = attempt_some(shrink, chunk, last);
        kept = kept || tried.kept;
        any = any || tried.kept;
        last = tried.kept ? std::min(tried.last, shrink.units(state_.smallest)) : tried.last;
      }
      if (!kept || chunk == 1) chunk = chunk == 1 && kept ? 1 : chunk / 2;
      chunk = std::min(chunk, shrink.units(state_.smallest));
    }
    return any;
  }

  static size_t first_of(size_t chunk, size_t last) { return last > chunk ? last - chunk : 0; }

  bool dies() const { return is_death(state_.verdict.kind); }

  struct Tried {
    size_t last = 0;  // units behind it were tried
    bool kept = false;
  };

  // Some windows of `chunk` units, from `last` down, until one is kept: in one child, for most of
  // what a trial costs is the child. One at a time where the failure is a death, or a trial was.
  Tried attempt_some(const Shrink& shrink, size_t chunk, size_t last) {
    if (!dies() && alone_ == 0) {
      if (std::optional<Tried> tried = attempt(shrink, chunk, last, kTrialsOfAChild)) return *tried;
      alone_ = kTrialsOfAChild;
    }
    if (alone_ > 0) --alone_;
    std::optional<Tried> alone = attempt(shrink, chunk, last, 1);
    return alone ? *alone : Tried{first_of(chunk, last), false};
  }

  // Edits and judges in a child; its answer is where it stopped and, where a smaller case was kept,
  // that case's text. None: the child died.
  std::optional<Tried> attempt(const Shrink& shrink, size_t chunk, size_t last, size_t most) {
    const Verdict wanted = state_.verdict;
    const auto start = Clock::now();
    const auto enough = [&] {
      const double used = std::chrono::duration<double>(Clock::now() - start).count();
      return used > kShareOfAChild * limits_.seconds || out_of_time();
    };
    ChildResult r = run_judging(
        state_.smallest,
        [&]() -> std::string {
          size_t at = last, n = 0;
          while (at > 0 && (n == 0 || (n < most && !enough()))) {
            ++n;
            Case c = state_.smallest.clone();
            const size_t first = first_of(chunk, at);
            const bool fits = apply_edit(shrink, c, first, at) &&
                              refused_alike(c, state_.smallest) &&
                              certain_alike(c, state_.smallest, failed_certainty(wanted.detail));
            at = first;
            if (fits && (dies() || fails_alike(judge_here(c), wanted)))
              return fmt::format("{} {}\n{}", n, at, print(c));
          }
          return fmt::format("{} {}\n", n, at);
        },
        limits_);
    if (r.kind != ChildResult::Kind::Done) return std::nullopt;
    const size_t line = r.output.find('\n');
    const size_t blank = r.output.find(' ');
    const int trials = std::stoi(r.output.substr(0, blank));
    state_.trials += trials;
    Tried tried{std::stoull(r.output.substr(blank + 1, line)), false};
    if (line + 1 < r.output.size()) tried.kept = takes(r.output.substr(line + 1), trials > 1);
    return tried;
  }

  // Of assertions that are certain the same one fails.
  static bool fails_alike(const Verdict& v, const Verdict& wanted) {
    return same_failure(v, wanted) && failed_certainty(v.detail) == failed_certainty(wanted.detail);
  }

  // What failed behind other trials in one process may do so because of what they left there: a
  // kernel that is known, say. It must fail by itself.
  bool takes(const std::string& text, bool behind_others) {
    Case smaller;
    try {
      smaller = parse_case(text, "<reduced>");
    } catch (const Error&) {
      return false;  // types inside a block no longer follow from those of the inputs
    }
    if (dies()) {
      const Verdict v = judge_often(smaller, limits_, tries_);
      if (!same_failure(v, state_.verdict)) return false;
      if (v.kind == VerdictKind::Hang && !ends_in_eager(smaller)) return false;
    } else if (behind_others) {
      ++state_.trials;
      if (!fails_alike(judge_often(smaller, limits_, tries_), state_.verdict)) {
        alone_ = kTrialsOfAChild;
        return false;
      }
    }
    state_.smallest = std::move(smaller);
    if (kept_) kept_(state_.smallest);
    return true;
  }

  // A program that never ends by itself would keep the verdict and lose whom it blames. When eager
  // is to blame, and does not end on the case given either, there is nothing to distinguish.
  bool ends_in_eager(const Case& c) {
    auto ends = [&](const Case& given) {
      Case bare = given.clone();
      bare.plans = {reference_plan()};
      return judge_isolated(bare, limits_).kind != VerdictKind::Hang;
    };
    if (!eager_ends_) eager_ends_ = ends(state_.smallest);
    return !*eager_ends_ || ends(c);
  }

  // Without its last function a script's program is the one before, which takes other arguments.
  static bool takes_its_calls(const Case& c) {
    return std::all_of(c.calls.begin(), c.calls.end(), [&](const Call& call) {
      return call.inputs.size() == c.program->inputs().size();
    });
  }

  static bool apply_edit(const Shrink& shrink, Case& c, size_t first, size_t last) {
    try {
      std::string before = print(c);
      if (!shrink.apply(c, first, last) || !takes_its_calls(c)) return false;
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
  const std::function<void(const Case&)>& kept_;
  Clock::time_point start_;
  Reduced state_;
  size_t alone_ = 0;                // trials that get a child of their own, after one died
  std::optional<bool> eager_ends_;  // on the case given
};

}  // namespace

Reduced reduce(const Case& c, const Limits& limits, double budget_seconds, int tries,
               const std::function<void(const Case&)>& kept) {
  return Reducer(c, limits, budget_seconds, tries, kept).run();
}

int program_nodes(const Graph& graph) {
  return static_cast<int>(count_nodes(graph.block(), [](const Node* node) {
    return !node->is(prim::constant()) && !node->is(prim::list_construct()) &&
           !node->is(prim::list_unpack()) && !node->is(prim::tuple_construct()) &&
           !node->is(prim::tuple_unpack());
  }));
}

}  // namespace fusillade::fuzz
