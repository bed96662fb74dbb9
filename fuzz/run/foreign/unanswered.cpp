// See unanswered.h.
#include "fuzz/run/foreign/unanswered.h"

#include <algorithm>

#include "engine/ir/visit.h"

namespace fusillade::fuzz {
namespace {

void add_operators(const Block& block, std::set<const Operator*>& operators) {
  each_node(&block, [&](const Node* n) { operators.insert(&n->op()); });
}

std::set<const Operator*> operators_of(const Graph& program) {
  std::set<const Operator*> operators;
  add_operators(*program.block(), operators);
  return operators;
}

}  // namespace

Unanswered& Unanswered::of_thread(const std::string& engine) {
  thread_local std::map<std::string, Unanswered> all;
  return all[engine];
}

void Unanswered::record(const Graph& program, bool answered) {
  for (const Operator* op : operators_of(program)) (answered ? answered_ : failed_).insert(op);
}

bool Unanswered::in(const Graph& program) const {
  const std::set<const Operator*> operators = operators_of(program);
  return std::any_of(operators.begin(), operators.end(), [&](const Operator* op) {
    return failed_.count(op) != 0 && answered_.count(op) == 0;
  });
}

}  // namespace fusillade::fuzz
