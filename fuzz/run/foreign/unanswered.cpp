// See unanswered.h.
#include "fuzz/run/foreign/unanswered.h"

#include <algorithm>

namespace fusillade::fuzz {
namespace {

void add_rows(const Block& block, std::set<const Row*>& rows) {
  for (const Node* n : block.nodes()) {
    rows.insert(&n->row());
    for (const Block* inner : n->blocks()) add_rows(*inner, rows);
  }
}

std::set<const Row*> rows_of(const Graph& program) {
  std::set<const Row*> rows;
  add_rows(*program.block(), rows);
  return rows;
}

}  // namespace

Unanswered& Unanswered::of_thread(const std::string& engine) {
  thread_local std::map<std::string, Unanswered> all;
  return all[engine];
}

void Unanswered::met(const Graph& program, bool answered) {
  for (const Row* row : rows_of(program)) (answered ? answered_ : failed_).insert(row);
}

bool Unanswered::in(const Graph& program) const {
  const std::set<const Row*> rows = rows_of(program);
  return std::any_of(rows.begin(), rows.end(), [&](const Row* row) {
    return failed_.count(row) != 0 && answered_.count(row) == 0;
  });
}

}  // namespace fusillade::fuzz
