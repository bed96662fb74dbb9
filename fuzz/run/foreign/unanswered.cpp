// See unanswered.h.
#include "fuzz/run/foreign/unanswered.h"

#include <algorithm>

#include "engine/ir/visit.h"

namespace fusillade::fuzz {
namespace {

void add_rows(const Block& block, std::set<const Row*>& rows) {
  each_node(&block, [&](const Node* n) { rows.insert(&n->row()); });
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
