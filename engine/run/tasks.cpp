// See tasks.h.
#include "engine/run/tasks.h"

#include <algorithm>

#include "engine/base/probe.h"
#include "engine/ir/composite.h"
#include "engine/ops/device_mode.h"
#include "engine/ops/tape.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"
#include "engine/run/bytecode.h"
#include "engine/run/gradients.h"
#include "engine/tensor/largest_storage.h"

namespace fusillade {
namespace {

Probe probe_offered("tasks/offered");
Probe probe_at_fork("tasks/at-fork");

thread_local TaskScope* scope_in_force = nullptr;

// No modes, no free list, no tasks of the thread that runs it: a task begins as a thread does.
class Afresh {
 public:
  Afresh(Domain domain, size_t largest) : domain_(domain), largest_(largest) {
    modes_in_force = nullptr;
    scope_in_force = nullptr;
  }
  ~Afresh() {
    modes_in_force = modes_;
    scope_in_force = scope_;
  }
  Afresh(const Afresh&) = delete;
  Afresh& operator=(const Afresh&) = delete;

 private:
  ModeScope* const modes_ = modes_in_force;
  TaskScope* const scope_ = scope_in_force;
  FreeListScope free_list_{nullptr};
  DomainScope domain_;
  LargestStorage largest_;
};

struct CodeTask : TaskBox {
  CodeTask(const Code& c, std::span<const IValue> a) : code(c), args(a.begin(), a.end()) {}
  void work() override {
    const std::vector<IValue> given = std::move(args);
    const Afresh thread(domain, largest);
    const DeviceScope device(devices);
    TaskScope own;
    const std::vector<IValue> out = run_bytecode(code, given);
    FUS_CHECK(out.size() == 1, "a task gave {} values", out.size());
    results = out[0].items();
  }
  const Code& code;  // lives as long as its executor, which waits for it
  std::vector<IValue> args;
  const Domain domain = current_domain();
  const size_t largest = LargestStorage::now();
  const bool devices = DeviceScope::is_active();
};

bool quiet(const Block* block) {
  for (const Node* n : block->nodes()) {
    const Operator& op = n->op();
    const bool differs = op.nondeterministic && is_nondeterministic(n);
    if (differs || (op.side_effect && !n->is(prim::raise()))) return false;
    const Graph* callee = callee_of(n);
    if ((callee && !quiet(callee->block())) || !std::ranges::all_of(n->blocks(), quiet))
      return false;
  }
  return true;
}

void look_into_one(const IValue& v) {
  if (v.is_sequence())
    for (const IValue& item : v.items()) look_into_one(item);
  if (v.tag() != IValue::Tag::Dict) return;
  for (const auto& [key, value] : v.as_dict().items()) look_into_one(value);
}

}  // namespace

bool runs_anywhere(const Graph& task) {
  if (!quiet(task.block()) || asks_gradients(task)) return false;
  const std::unique_ptr<Graph> flat = task.clone();  // of a call nothing is known
  run_pipeline(*flat, parse_pipeline("inline"), {});
  const Effects effects(*flat);
  return std::ranges::none_of(effects.writers(), [&](const Node* writer) {
    return std::ranges::any_of(effects.written_classes(writer),
                               [&](int c) { return effects.class_outside(c); });
  });
}

namespace {

void call_task(Node* task) {
  Graph& graph = task->graph();
  const Node* called = nullptr;
  for (const Node* n : task->subgraph().block()->nodes())
    if (n->is(prim::call_function())) called = n;
  FUS_CHECK(called, "a task that calls no function");
  Node* call = graph.create(prim::call_function(), task->inputs(), 1);
  for (const auto& [name, value] : called->attrs()) call->set_attr(name, value);
  call->range = task->range;
  call->output()->set_type(called->output()->type());
  call->insert_before(task);
  const std::vector<Use> uses = task->output()->uses();
  for (const Use& use : uses) {
    if (!use.user->is(prim::tuple_unpack())) continue;
    use.user->output()->replace_all_uses_with(call->output());
    use.user->destroy();
  }
  if (!task->output()->is_unused()) {
    Node* tuple = graph.create(prim::tuple_construct(), {call->output()});
    tuple->range = task->range;
    tuple->output()->set_type(task->output()->type());
    tuple->insert_before(task);
    task->output()->replace_all_uses_with(tuple->output());
  }
  task->destroy();
}

}  // namespace

void call_tasks(Block* block) {
  std::vector<Node*> nodes;
  for (Node* node : block->nodes()) nodes.push_back(node);
  for (Node* node : nodes) {
    for (Block* inner : node->blocks()) call_tasks(inner);
    if (!node->is(prim::call_function())) continue;
    std::shared_ptr<Graph> own = node->subgraph().clone();
    call_tasks(own->block());
    node->set_attr("Subgraph", own);
  }
  for (Node* node : nodes)
    if (is_task(node)) call_task(node);
}

TaskScope::TaskScope() : outer_(scope_in_force) { scope_in_force = this; }

TaskScope::~TaskScope() {
  join();
  watching_.reset();
  scope_in_force = outer_;
}

IValue TaskScope::start(const Code& code, std::span<const IValue> args) {
  TaskScope* const scope = scope_in_force;
  const bool alone = !modes_in_force || first_mode(ModeKind::Tasks) == scope;
  if (scope && alone && code.anywhere && task_threads() > 0) {
    Ref<TaskBox> task(new CodeTask(code, args));
    scope->add(task);
    probe_offered.hit();
    offer(Ref<Task>(task.get()));
    return IValue::task(std::move(task));
  }
  if (scope && !code.anywhere) scope->join();
  probe_at_fork.hit();
  const RecordsAsBefore own;
  try {
    return run_bytecode(code, args).at(0);
  } catch (const Error&) {
    return IValue::failed_task(std::current_exception());
  }
}

void TaskScope::look_into(std::span<const IValue> results) {
  for (const IValue& v : results) look_into_one(v);
}

void TaskScope::call(const Operator& op, const Site& site, std::span<const IValue> args,
                     std::vector<IValue>& results) {
  if (op.schema.writes()) join();
  fusillade::call(op, site, args, results);
}

void TaskScope::add(const Ref<TaskBox>& task) {
  std::erase_if(running_, [](const Ref<TaskBox>& t) { return t->is_done(); });
  running_.push_back(task);
  if (!watching_) watching_.emplace(ModeKind::Tasks, static_cast<Mode&>(*this));
}

void TaskScope::join() {
  for (const Ref<TaskBox>& task : running_) task->join();
  running_.clear();
}

}  // namespace fusillade
