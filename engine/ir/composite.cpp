// See composite.h.
#include "engine/ir/composite.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "engine/ops/gradient.h"
#include "engine/ops/infer.h"
#include "engine/ops/tape.h"

namespace fusillade {
namespace {

CompileBody& body_compiler() {
  static CompileBody fn = nullptr;
  return fn;
}

}  // namespace

void provide_body_compiler(CompileBody fn) { body_compiler() = fn; }

const Graph& composite_body(const Operator& op) {
  static std::recursive_mutex mutex;  // parsing a body infers types, by other bodies
  static auto* bodies = new std::unordered_map<const Operator*, std::unique_ptr<Graph>>;
  std::lock_guard lock(mutex);
  static auto* in_progress = new std::unordered_set<const Operator*>;  // being built
  std::unique_ptr<Graph>& body = (*bodies)[&op];
  if (!body) {
    FUS_CHECK(in_progress->insert(&op).second, "the body of {} needs itself", op.name);
    FUS_CHECK(!op.body.empty(), "{} can neither be run nor decomposed", op.name);
    FUS_CHECK(body_compiler(), "nothing compiles the body of {}", op.name);
    body = body_compiler()(op);
    body->name = op.name;
    in_progress->erase(&op);
  }
  return *body;
}

bool is_composite(const Operator& op) { return !op.run && !op.run_at && !op.body.empty(); }

bool is_recorded_whole(const Operator& op) {
  return modes_in_force && current_tape() && gradient_of(op);
}

bool holds_graph(const Node* node) {
  return node->is(prim::call_function()) || node->is(prim::fusion_group()) ||
         node->is(prim::differentiable()) || node->is(prim::fallback());
}

bool is_task(const Node* node) { return node->is(prim::call_function()) && node->has_attr("task"); }

bool has_tasks(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (is_task(n) || std::ranges::any_of(n->blocks(), has_tasks)) return true;
    if (holds_graph(n) && has_tasks(n->subgraph().block())) return true;
  }
  return false;
}

const std::shared_ptr<Graph>& function_of_call(const Node* node) {
  if (is_task(node)) {
    for (const Node* n : node->subgraph().block()->nodes())
      if (n->is(prim::call_function())) return function_of_call(n);
    FUS_BUG("a task that calls no function");
  }
  return std::get<std::shared_ptr<Graph>>(*node->attr("Subgraph"));
}

const Graph* callee_of(const Node* node) {
  if (holds_graph(node)) return &node->subgraph();
  return is_composite(node->op()) ? &composite_body(node->op()) : nullptr;
}

Site site_of(const Node* node) {
  Site site;
  const Attribute* name = node->attr("name");
  if (const IValue* v = name ? std::get_if<IValue>(name) : nullptr) site.name = v->as_str();
  if (!node->outputs().empty()) site.type = &node->output()->type();
  site.results = static_cast<int>(node->outputs().size());
  return site;
}

std::span<const SchemaArg> missing_arguments(const Node* node) {
  const Schema& schema = node->op().schema;
  if (schema.varargs || node->inputs().size() >= schema.args.size()) return {};
  std::span missing(schema.args.begin() + static_cast<ptrdiff_t>(node->inputs().size()),
                    schema.args.end());
  for (const SchemaArg& a : missing)
    if (!a.has_default) fail("{}: argument '{}' is missing", node->op().name, a.name);
  return missing;
}

std::optional<std::vector<IValue>> known_scalars(const Operator& op,
                                                 std::span<const ArgInfo> args) {
  if (op.kind != OpKind::Scalar || op.side_effect || op.schema.writes()) return std::nullopt;
  std::vector<IValue> values;
  values.reserve(args.size());
  for (const ArgInfo& a : args) {
    bool readable = op.metadata && a.type.is_tensor() && a.type.info().complete() &&
                    (!op.reads_device || a.type.info().device);
    if (!a.known && !readable) return std::nullopt;
    values.push_back(a.known ? a.value : hollow(a.type.info()));
  }
  LiftModes compiling(ModeKind::Device);
  std::vector<IValue> out;
  call(op, Site{}, values, out);
  return out;
}

}  // namespace fusillade
