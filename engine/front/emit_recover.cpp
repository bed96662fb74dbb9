// All errors of a function: emission goes on at the statement behind one that failed.
//
// What emission keeps besides the graph is reset to where the statement began; the graph itself is
// not used any more. Names that the statement assigns are unknown from there on. Using one throws
// Unknown, which fails the containing statement without a message, and makes the names of that
// statement unknown in turn. A statement fails once, however often it is emitted. The head of an
// if, a loop or a with fails alone, so that the body is looked at as well.
#include <algorithm>

#include "engine/front/class_emit.h"
#include "engine/front/emit_stmt.h"

namespace fusillade::front {

bool BlockBuilder::attempt(const void* what, const std::function<void()>& run) {
  Block* outside = block();
  size_t frames = scopes_.depth(), iterated = iterated_.size();
  int loops = loops_, blocks = blocks_;
  const Type* hint = choice_hint_;
  try {
    run();
    return true;
  } catch (const Error& e) {
    bool first = failed_.insert(what).second;
    for (Problem& p : problems_of(e))
      if (first) add_problem(problems_, std::move(p));
  }
  if (too_large() || problems_.size() >= kKeptProblems) throw GivenUp();
  move_to(outside);
  scopes_.drop_to(frames);
  iterated_.resize(iterated);
  loops_ = loops;
  blocks_ = blocks;
  choice_hint_ = hint;
  return false;
}

void BlockBuilder::aside(const std::function<void()>& run) {
  size_t frames = scopes_.depth(), weight = weight_;
  Problems problems = problems_;
  std::set<const void*> failed = failed_;
  Node* n = graph().create(prim::if_(), {flag(false)}, 0);
  block()->append(n);
  Block* outside = move_to(n->add_block());
  scopes_.push();
  try {
    run();
  } catch (const Error&) {
  }
  move_to(outside);
  scopes_.drop_to(frames);
  weight_ = weight;
  problems_ = std::move(problems);
  failed_ = std::move(failed);
  n->destroy();
}

// One statement, with what follows from its failure.
Flow StatementEmitter::statement(const Stmt& s) {
  Flow flow = Flow::Falls;
  if (to_.attempt(&s, [&] { flow = emit_statement(s); })) return flow;
  for (const std::string& n : s.names) to_.make_unknown(n);
  for (const ExprPtr& t : s.targets) {
    bool bound = s.kind == StmtKind::Broken && to_.scopes().find(t->text);
    if (!bound) forget(*t);
  }
  if (s.kind == StmtKind::Raise) return Flow::Throws;
  return s.exit == Exit::Will ? leave(s.returns ? 0 : to_.loops(), s.returns) : Flow::Falls;
}

// What would have been assigned to this target is unknown.
void StatementEmitter::forget(const Expr& target) {
  std::set<std::string> names;
  collect_names(target, names);
  for (const std::string& n : names) to_.make_unknown(n);
  if (!target.is(ExprKind::Attribute)) return;
  std::optional<Type> of = to_.classes().static_type(*target.kids[0]);
  if (of && of->is(TypeKind::Class))
    to_.program().info(*of->class_type()).unknown.insert(target.text);
}

// The function's statements; throws Failed with all that is wrong with them.
Flow StatementEmitter::all_statements(const Problems& known) {
  Flow flow = Flow::Falls;
  try {
    flow = is_ignored(to_.function()) ? raise_unused() : statements(pointers(to_.function().body));
  } catch (const GivenUp&) {
  }
  if (!to_.problems().empty() || !known.empty()) throw Failed(to_.problems());
  return flow;
}

// Code that control never reaches is not compiled, but it may determine the type of a result.
void StatementEmitter::look_behind(const List& rest) {
  if (declared_ || unreached_) return;
  auto own = [](const ExprPtr& t) { return t->is(ExprKind::Name); };
  to_.aside([&] {
    for (const Stmt* s : rest) {
      if (s->kind == StmtKind::Return) {
        unreached_ = s->value ? to_.emit(*s->value)->type().without_shapes() : Type(TypeKind::None);
        return;
      }
      bool assigns = s->kind == StmtKind::Assign || s->kind == StmtKind::AugAssign;
      if (!assigns || !std::all_of(s->targets.begin(), s->targets.end(), own)) return;
      emit_statement(*s);
    }
  });
}

}  // namespace fusillade::front
