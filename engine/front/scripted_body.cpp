// Bodies of operators that are written in the language (engine/ops/entry.h): compiled like a user's
// function, on the first use of the operator.
//
// Nodes keep no place in the text, so that errors point at the call. A tuple is decomposed where
// the operator has several results.
#include "engine/front/script.h"
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/ops/entry.h"

namespace fusillade::front {
namespace {

void forget_ranges(Block* block) {
  each_node(block, [&](Node* n) { n->range = {}; });
}

// "engine/aten/view/ops.py:12"
std::string place_of(const Operator& op) {
  const std::span<const Entry* const> of_it = entries_of(op.name);
  return of_it.empty() ? "its definition" : of_it[0]->place(of_it[0]->number);
}

std::unique_ptr<Graph> compiled_body(const Operator& op) {
  Script script = compile_script(op.body, op.name);
  FUS_CHECK(script.failed.empty(), "{}: the body of {} is no script:\n{}", place_of(op), op.name,
            script.errors());
  std::unique_ptr<Graph> graph = script.functions.at(0)->clone();
  forget_ranges(graph->block());
  const std::vector<SchemaArg>& results = op.schema.results;
  if (results.size() < 2) return graph;
  Value* tuple = graph->outputs()[0];
  Node* parts = graph->create(prim::tuple_unpack(), {tuple}, static_cast<int>(results.size()));
  graph->block()->append(parts);
  graph->block()->remove_result(0);
  for (size_t i = 0; i < results.size(); ++i) {
    parts->output(static_cast<int>(i))->set_type(results[i].type);
    graph->add_output(parts->output(static_cast<int>(i)));
  }
  return graph;
}

[[maybe_unused]] const bool kProvided = [] {
  provide_body_compiler(&compiled_body);
  return true;
}();

}  // namespace
}  // namespace fusillade::front
