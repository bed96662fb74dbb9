// torch.jit.fork and torch.jit.wait.
//
// A Future[T] is a tuple of one T, so that it is no T. A task that calls one function is a call
// that may run elsewhere (prims.h, engine/run/tasks.h); any other is done where it is forked.
//   torch.jit.fork(f, x, k=1)    (f(x, k=1),)
//   torch.jit.wait(t), t.wait()  t[0]
#include "engine/front/form.h"
#include "engine/ir/composite.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

// The call that was just emitted, as a task; null where there is none.
Value* as_task(Emitter& to, Value* result, const Expr& e) {
  Node* called = result->node();
  const bool last = called->is(prim::call_function()) && !is_task(called) && result->is_unused() &&
                    called->outputs().size() == 1 &&
                    called->next() == called->block()->return_node();
  if (!last) return nullptr;
  const Type type = Type::tuple({result->type()});
  auto body = std::make_shared<Graph>();
  body->name = "task";
  std::vector<Value*> parameters;
  for (const Value* v : called->subgraph().inputs())
    parameters.push_back(body->add_input(v->type()));
  Node* call = body->create(prim::call_function(), parameters, 1);
  for (const auto& [name, value] : called->attrs()) call->set_attr(name, value);
  call->range = called->range;
  call->output()->set_type(result->type());
  body->block()->append(call);
  Node* tuple = body->create(prim::tuple_construct(), {call->output()});
  tuple->output()->set_type(type);
  body->block()->append(tuple);
  body->add_output(tuple->output());
  Node* task = to.node(prim::call_function(), called->inputs(), e, 1);
  task->set_attr("name", *called->attr("name"));
  task->set_attr("task", IValue(true));
  task->set_attr("Subgraph", body);
  task->output()->set_type(type);
  called->destroy();
  return task->output();
}

Value* await_task(Emitter& to, Value* task, const Expr& at) {
  const Type& type = task->type();
  if (!type.is(TypeKind::Tuple) || type.elements().size() != 1 || type.class_type())
    to.wrong(at, fmt::format("what torch.jit.fork gives is waited for, given {}", type));
  return to.items_of(task, at)[0];
}

Value* start_task(Emitter& to, const FormCall& form) {
  const Expr& e = form.e;
  if (e.kids.size() < 2 || !e.words[0].empty())
    to.wrong(e, "torch.jit.fork takes a function and its arguments");
  ExprPtr call = copy_of(e);
  call->kids.erase(call->kids.begin());
  call->words.erase(call->words.begin());
  Value* result = to.emit(to.keep(std::move(call)));
  if (Value* task = as_task(to, result, e)) return task;
  return to.tuple_of({result}, e);
}

Value* wait(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "torch.jit.wait takes one task");
  return await_task(to, to.emit(*e.kids[1]), e);
}

Value* wait_method(Emitter& to, const FormCall& call) {
  return call.e.kids.size() == 1 ? await_task(to, call.self, call.e) : nullptr;
}

const bool kFork = add_form({"torch.jit.fork", "torch.jit._fork"}, {.emit = &start_task});
const bool kWait = add_form({"torch.jit.wait", "torch.jit._wait"}, {.emit = &wait});
const bool kWaitMethod = add_form({"Future.wait"}, {.emit = &wait_method});

}  // namespace
}  // namespace fusillade::front
