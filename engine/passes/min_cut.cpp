// See min_cut.h. Each vertex is an arc of its cost between two points; flow is pushed along
// shortest paths until none is left. Groups have some hundred vertices at most.
#include "engine/passes/min_cut.h"

#include <algorithm>

#include "engine/base/error.h"

namespace fusillade {

MinCut::MinCut(size_t vertices)
    : from_(2 * vertices), to_(2 * vertices + 1), cost_(vertices), leaving_(2 * vertices + 2) {}

void MinCut::cost(size_t vertex, int64_t cost) { cost_[vertex] = cost; }

void MinCut::edge(size_t from, size_t to) { arc(out(from), in(to), kNever); }

void MinCut::source(size_t vertex) { arc(from_, in(vertex), kNever); }

void MinCut::sink(size_t vertex) { arc(out(vertex), to_, kNever); }

void MinCut::arc(size_t from, size_t to, int64_t capacity) {
  leaving_[from].push_back(arcs_.size());
  arcs_.push_back({to, capacity});
  leaving_[to].push_back(arcs_.size());
  arcs_.push_back({from, 0});
}

// One more path, or 0 where there is none.
int64_t MinCut::push() {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> by(leaving_.size(), kNone);  // the arc that a point was reached by
  std::vector<size_t> found{from_};
  for (size_t i = 0; i < found.size() && by[to_] == kNone; ++i) {
    for (size_t a : leaving_[found[i]]) {
      const size_t to = arcs_[a].to;
      if (arcs_[a].left == 0 || by[to] != kNone || to == from_) continue;
      by[to] = a;
      found.push_back(to);
    }
  }
  if (by[to_] == kNone) return 0;
  int64_t amount = kNever;
  for (size_t at = to_; at != from_; at = arcs_[by[at] ^ 1].to)
    amount = std::min(amount, arcs_[by[at]].left);
  for (size_t at = to_; at != from_; at = arcs_[by[at] ^ 1].to) {
    arcs_[by[at]].left -= amount;
    arcs_[by[at] ^ 1].left += amount;
  }
  return amount;
}

std::vector<size_t> MinCut::solve() {
  for (size_t v = 0; v < cost_.size(); ++v) arc(in(v), out(v), cost_[v]);
  while (const int64_t amount = push()) FUS_CHECK(amount < kNever, "nothing parts the two sides");
  std::vector<bool> leads(leaving_.size());  // to the sinks, over what is left
  std::vector<size_t> found{to_};
  leads[to_] = true;
  for (size_t i = 0; i < found.size(); ++i) {
    for (size_t a : leaving_[found[i]]) {
      const size_t back = arcs_[a].to;
      if (arcs_[a ^ 1].left == 0 || leads[back]) continue;
      leads[back] = true;
      found.push_back(back);
    }
  }
  std::vector<size_t> cut;
  for (size_t v = 0; v < cost_.size(); ++v)
    if (leads[out(v)] && !leads[in(v)]) cut.push_back(v);
  return cut;
}

}  // namespace fusillade
