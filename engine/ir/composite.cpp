// See composite.h.
#include "engine/ir/composite.h"

#include <mutex>
#include <unordered_set>

namespace fusillade {
namespace {

CompileBody& body_compiler() {
  static CompileBody fn = nullptr;
  return fn;
}

}  // namespace

void provide_body_compiler(CompileBody fn) { body_compiler() = fn; }

const Graph& composite_body(const Row& row) {
  static std::recursive_mutex mutex;  // parsing a body infers types, by other bodies
  static auto* bodies = new std::unordered_map<const Row*, std::unique_ptr<Graph>>;
  std::lock_guard lock(mutex);
  static auto* open = new std::unordered_set<const Row*>;  // being made
  std::unique_ptr<Graph>& body = (*bodies)[&row];
  if (!body) {
    FUS_CHECK(open->insert(&row).second, "the body of {} needs itself", row.name);
    FUS_CHECK(!row.body.empty(), "{} can neither be run nor taken apart", row.name);
    bool ir = row.body.starts_with("graph(");
    FUS_CHECK(ir || body_compiler(), "nothing compiles the body of {}", row.name);
    body = ir ? parse_graph(row.body, row.name) : body_compiler()(row);
    body->name = row.name;
    open->erase(&row);
  }
  return *body;
}

Site site_of(const Node* node) {
  Site site;
  const Attribute* name = node->attr("name");
  if (const IValue* v = name ? std::get_if<IValue>(name) : nullptr) site.name = v->as_str();
  if (!node->outputs().empty()) site.type = node->output()->type();
  return site;
}

namespace {

// One run of a graph.
class Run {
 public:
  explicit Run(const Graph& graph) : frame_(static_cast<size_t>(graph.id_limit())) {}

  IValue& at(const Value* v) { return frame_[static_cast<size_t>(v->id())]; }

  void block(const Block* b) {
    for (const Node* node : b->nodes()) {
      if (node->is(prim::constant())) {
        at(node->output()) = node->constant();
      } else if (node->is(prim::if_())) {
        const Block* taken = node->blocks()[at(node->input()).as_bool() ? 0 : 1];
        block(taken);
        for (size_t k = 0; k < node->outputs().size(); ++k)
          at(node->outputs()[k]) = at(taken->results()[k]);
      } else if (node->is(prim::loop())) {
        loop(node);
      } else {
        plain(node);
      }
    }
  }

 private:
  // What is carried stands in the parameters of the block, after the last turn in the node's
  // outputs.
  void loop(const Node* node) {
    const Block* body = node->blocks()[0];
    int64_t trips = at(node->input(0)).as_int();
    bool more = at(node->input(1)).as_bool();
    std::vector<IValue> carried;
    for (size_t k = 2; k < node->inputs().size(); ++k) carried.push_back(at(node->inputs()[k]));
    for (int64_t i = 0; i < trips && more; ++i) {
      at(body->params()[0]) = IValue(i);
      for (size_t k = 0; k < carried.size(); ++k) at(body->params()[k + 1]) = carried[k];
      block(body);
      more = at(body->results()[0]).as_bool();
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = at(body->results()[k + 1]);
    }
    for (size_t k = 0; k < carried.size(); ++k) at(node->outputs()[k]) = carried[k];
  }

  void plain(const Node* node) {
    FUS_CHECK(node->blocks().empty(), "{} in a straight line", node->row().name);
    std::vector<IValue> args;
    for (const Value* v : node->inputs()) args.push_back(at(v));
    const Schema& schema = node->row().schema;
    for (size_t i = args.size(); i < schema.args.size() && !schema.varargs; ++i) {
      args.push_back(schema.args[i].default_value);
    }
    std::vector<IValue> out;
    if (node->row().run_at) node->row().run_at(node->row(), site_of(node), args, out);
    else
      out = node->row().body.empty() ? call(node->row(), args)
                                     : run_straight_line(composite_body(node->row()), args);
    if (out.size() != node->outputs().size())
      fail("ValueError: {} values to unpack, {} wanted", out.size(), node->outputs().size());
    for (size_t i = 0; i < out.size(); ++i)
      at(node->output(static_cast<int>(i))) = std::move(out[i]);
  }

  std::vector<IValue> frame_;
};

}  // namespace

std::vector<IValue> run_straight_line(const Graph& graph, std::span<const IValue> inputs) {
  Run run(graph);
  for (size_t i = 0; i < inputs.size(); ++i) run.at(graph.inputs()[i]) = inputs[i];
  run.block(graph.block());
  std::vector<IValue> results;
  for (const Value* v : graph.outputs()) results.push_back(run.at(v));
  return results;
}

}  // namespace fusillade
