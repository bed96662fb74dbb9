// See walk.h.
#include "fuzz/run/walk.h"

#include "engine/run/frame.h"

namespace fusillade::fuzz {
namespace {

IValue& slot(std::vector<IValue>& frame, const Value* v) {
  return frame[static_cast<size_t>(v->id())];
}

}  // namespace

std::vector<IValue> Walk::run(const Graph& graph, std::span<const IValue> inputs) {
  if (depth_ >= max_call_depth()) fail("calls nest more than {} deep", max_call_depth());
  ++depth_;
  Frame frame(static_cast<size_t>(graph.id_limit()));
  for (size_t i = 0; i < inputs.size(); ++i) slot(frame, graph.inputs()[i]) = inputs[i];
  block(graph.block(), frame);
  std::vector<IValue> results;
  for (const Value* v : graph.outputs()) results.push_back(slot(frame, v));
  --depth_;
  return results;
}

void Walk::block(const Block* b, Frame& frame) {
  for (const Node* node : b->nodes()) {
    if (node->is(prim::constant())) {
      slot(frame, node->output()) = node->constant();
      produced(node->output(), node->constant());
    } else if (node->is(prim::if_())) {
      const Block* taken = node->blocks()[slot(frame, node->input()).as_bool() ? 0 : 1];
      block(taken, frame);
      for (size_t k = 0; k < node->outputs().size(); ++k) {
        slot(frame, node->outputs()[k]) = slot(frame, taken->results()[k]);
      }
    } else if (node->is(prim::loop())) {
      loop(node, frame);
    } else {
      plain(node, frame);
    }
  }
}

void Walk::loop(const Node* node, Frame& frame) {
  const Block* body = node->blocks()[0];
  int64_t trips = slot(frame, node->input(0)).as_int();
  bool go_on = slot(frame, node->input(1)).as_bool();
  std::vector<IValue> carried;
  for (size_t k = 2; k < node->inputs().size(); ++k)
    carried.push_back(slot(frame, node->inputs()[k]));
  for (int64_t i = 0; i < trips && go_on; ++i) {
    slot(frame, body->params()[0]) = IValue(i);
    for (size_t k = 0; k < carried.size(); ++k) slot(frame, body->params()[k + 1]) = carried[k];
    block(body, frame);
    go_on = slot(frame, body->results()[0]).as_bool();
    for (size_t k = 0; k < carried.size(); ++k) carried[k] = slot(frame, body->results()[k + 1]);
  }
  for (size_t k = 0; k < carried.size(); ++k) slot(frame, node->outputs()[k]) = carried[k];
}

void Walk::plain(const Node* node, Frame& frame) {
  std::vector<IValue> args;
  args.reserve(node->inputs().size() + 4);
  for (const Value* in : node->inputs()) args.push_back(slot(frame, in));
  std::vector<IValue> results;
  const Row& row = node->row();
  if (node->is(prim::call_function()) || node->is(prim::fusion_group())) {
    results = run(node->subgraph(), args);
  } else if (node->is(prim::list_construct())) {
    results.push_back(IValue::list(std::move(args), node->output()->type().element()));
  } else if (node->is(prim::tuple_construct())) {
    results.push_back(IValue::tuple(std::move(args)));
  } else if (node->is(prim::list_unpack()) || node->is(prim::tuple_unpack())) {
    results = args[0].items();
  } else if (row.run_at) {
    row.run_at(row, site_of(node), args, results);
  } else {
    for (IValue& v : missing_arguments(node)) args.push_back(std::move(v));
    if (!row.body.empty()) results = run(composite_body(row), args);
    else op(row, args, results);
  }
  if (results.size() != node->outputs().size()) {
    fail("{} gave {} results, its node has {}", row.name, results.size(), node->outputs().size());
  }
  for (size_t k = 0; k < results.size(); ++k) {
    produced(node->outputs()[k], results[k]);
    slot(frame, node->outputs()[k]) = std::move(results[k]);
  }
}

}  // namespace fusillade::fuzz
