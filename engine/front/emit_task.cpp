// torch.jit.fork and torch.jit.wait, and other calls that mean another expression.
//
// A Future[T] is a tuple of one T, so that it is no T. A task that calls one function is a call
// that may run elsewhere (prims.h, engine/run/tasks.h); any other is done where it is forked.
//   torch.jit.fork(f, x, k=1)    (f(x, k=1),)
//   torch.jit.wait(t), t.wait()  t[0]
//   getattr(x, "name", 0)        x.name where x has it, else 0
#include "engine/front/emit_task.h"

#include "engine/front/class.h"
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

}  // namespace

Value* task_call(Emitter& to, const std::string& path, const Expr& e) {
  bool fork = path == "torch.jit.fork" || path == "torch.jit._fork";
  if (!fork && path != "torch.jit.wait" && path != "torch.jit._wait") return nullptr;
  if (fork) {
    if (e.kids.size() < 2 || !e.words[0].empty())
      to.wrong(e, "torch.jit.fork takes a function and its arguments");
    ExprPtr call = copy_of(e);
    call->kids.erase(call->kids.begin());
    call->words.erase(call->words.begin());
    Value* result = to.emit(to.keep(std::move(call)));
    if (Value* task = as_task(to, result, e)) return task;
    return to.node(prim::tuple_construct(), {result}, e)->output();
  }
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "torch.jit.wait takes one task");
  return await_task(to, to.emit(*e.kids[1]), e);
}

Value* await_task(Emitter& to, Value* task, const Expr& at) {
  const Type& type = task->type();
  if (!type.is(TypeKind::Tuple) || type.elements().size() != 1 || type.class_type())
    to.wrong(at, fmt::format("what torch.jit.fork gives is waited for, given {}", type));
  return to.items_of(task, at)[0];
}

Value* get_attribute(Emitter& to, const Expr& e) {
  bool fits = (e.kids.size() == 3 || e.kids.size() == 4) && e.kids[2]->is(ExprKind::Str);
  if (!fits) to.wrong(e, "getattr takes a value, a name in quotes and perhaps a default");
  auto path = std::make_unique<Expr>();
  path->kind = ExprKind::Attribute;
  path->begin = e.begin;
  path->end = e.end;
  path->text = e.kids[2]->text;
  path->kids.push_back(copy_of(*e.kids[1]));
  const Expr& attribute = to.keep(std::move(path));
  if (e.kids.size() == 3) return to.emit(attribute);
  Value* of = to.emit(*e.kids[1]);
  bool there = tensor_attribute(attribute.text) != nullptr;
  if (const ClassPtr& cls = of->type().class_type()) {
    ClassInfo& info = to.unit().program().info(*cls);
    MethodPlace m = to.unit().program().find_method({info.unit, info.syntax}, attribute.text);
    bool property = m && decorated_with(m.function->decorators, "property");
    there = cls->slot(attribute.text) >= 0 || info.constants.count(attribute.text) > 0 || property;
  } else if (!of->type().is_tensor()) {
    there = false;
  }
  return to.emit(there ? attribute : *e.kids[3]);
}

}  // namespace fusillade::front
