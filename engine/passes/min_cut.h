// The cheapest set of vertices that parts sources from sinks, by the maximal flow between them.
#pragma once

#include <cstdint>
#include <vector>

namespace fusillade {

// Vertices cost what leaving them in the cut costs; edges cannot be cut.
class MinCut {
 public:
  static constexpr int64_t kNever = int64_t{1} << 60;

  explicit MinCut(size_t vertices);
  void cost(size_t vertex, int64_t cost);
  void edge(size_t from, size_t to);
  void source(size_t vertex);
  void sink(size_t vertex);
  // The cut nearest to the sinks among the cheapest, ascending. Throws Bug where a source reaches a
  // sink over vertices that may never be cut.
  std::vector<size_t> solve();

 private:
  struct Arc {
    size_t to;
    int64_t left;  // capacity that is not used
  };
  void arc(size_t from, size_t to, int64_t capacity);
  int64_t push();
  size_t in(size_t vertex) const { return 2 * vertex; }
  size_t out(size_t vertex) const { return 2 * vertex + 1; }

  size_t from_;
  size_t to_;
  std::vector<int64_t> cost_;
  std::vector<Arc> arcs_;  // each followed by the one back
  std::vector<std::vector<size_t>> leaving_;
};

}  // namespace fusillade
