// All errors of a function: emission goes on at the statement behind one that failed.
//
// What emission keeps besides the graph is reset to where the statement began; the graph itself is
// not used any more. Names that the statement assigns are unknown from there on. Using one throws
// Unknown, which fails the containing statement without a message, and makes the names of that
// statement unknown in turn. A statement fails once, however often it is emitted. The head of an
// if, a loop or a with fails alone, so that the body is looked at as well.
#include <algorithm>

#include "engine/front/class.h"

namespace fusillade::front {
namespace {

// Emission has been given up: the function is too large, or has too many errors.
struct GivenUp {};

}  // namespace

bool Emitter::attempt(const void* what, const std::function<void()>& run) {
  Block* block = block_;
  size_t frames = scopes_.depth(), iterated = iterated_.size();
  int loops = loops_, blocks = blocks_;
  const Type* hint = choice_hint_;
  bool fresh = fresh_;
  try {
    run();
    return true;
  } catch (const Error& e) {
    bool first = failed_.insert(what).second;
    for (Problem& p : problems_of(e))
      if (first) add_problem(problems_, std::move(p));
  }
  if (too_large() || problems_.size() >= kKeptProblems) throw GivenUp();
  block_ = block;
  scopes_.drop_to(frames);
  iterated_.resize(iterated);
  loops_ = loops;
  blocks_ = blocks;
  choice_hint_ = hint;
  fresh_ = fresh;
  return false;
}

Value* Emitter::part(const Expr& e, const Type* hint, bool* fine) {
  if (site_) return emit(e, hint);  // an error is one of the call
  Value* value = nullptr;
  if (!attempt(&e, [&] { value = emit(e, hint); })) *fine = false;
  return value;
}

// One statement, with what follows from its failure.
Emitter::Flow Emitter::statement(const Stmt& s) {
  Flow flow = Flow::Falls;
  if (attempt(&s, [&] { flow = emit_statement(s); })) return flow;
  for (const std::string& n : s.names) make_unknown(n);
  for (const ExprPtr& t : s.targets) {
    bool bound = s.kind == StmtKind::Broken && scopes_.find(t->text);
    if (!bound) forget(*t);
  }
  if (s.kind == StmtKind::Raise) return Flow::Throws;
  return s.exit == Exit::Will ? leave(s.returns ? 0 : loops_, s.returns) : Flow::Falls;
}

void Emitter::make_unknown(const std::string& name) {
  Binding b;
  b.unknown = true;
  scopes_.set(name, std::move(b));
}

// What would have been assigned to this target is unknown.
void Emitter::forget(const Expr& target) {
  std::set<std::string> names;
  collect_names(target, names);
  for (const std::string& n : names) make_unknown(n);
  if (!target.is(ExprKind::Attribute)) return;
  std::optional<Type> of = static_type(*target.kids[0]);
  if (of && of->is(TypeKind::Class))
    unit_->program().info(*of->class_type()).unknown.insert(target.text);
}

// The function's statements; throws Failed with all that is wrong with them.
Emitter::Flow Emitter::all_statements(const Problems& known) {
  List body;
  for (const StmtPtr& s : function_.body) body.push_back(s.get());
  Flow flow = Flow::Falls;
  try {
    flow = is_ignored(function_) ? raise_unused() : statements(body);
  } catch (const GivenUp&) {
  }
  if (!problems_.empty() || !known.empty()) throw Failed(problems_);
  return flow;
}

std::unique_ptr<Graph> Emitter::run_expression(
    const Expr& e, const std::vector<std::pair<std::string, Type>>& values) {
  begin(values);
  Value* result = nullptr;
  try {
    attempt(&e, [&] { result = emit(e); });
  } catch (const GivenUp&) {
  }
  if (!result) throw Failed(problems_);
  graph_->add_output(result);
  return std::move(graph_);
}

// Code that control never reaches is not compiled, but it may determine the type of a result.
void Emitter::look_behind(const List& rest) {
  if (declared_ || unreached_) return;
  size_t frames = scopes_.depth(), weight = weight_;
  Block* block = block_;
  Problems problems = problems_;
  std::set<const void*> failed = failed_;
  Node* n = graph_->create(prim::if_(), {flag(false)}, 0);
  block_->append(n);
  block_ = n->add_block();
  scopes_.push();
  auto own = [](const ExprPtr& t) { return t->is(ExprKind::Name); };
  try {
    for (const Stmt* s : rest) {
      if (s->kind == StmtKind::Return) {
        unreached_ = s->value ? emit(*s->value)->type().without_shapes() : Type(TypeKind::None);
        break;
      }
      bool assigns = s->kind == StmtKind::Assign || s->kind == StmtKind::AugAssign;
      if (!assigns || !std::all_of(s->targets.begin(), s->targets.end(), own)) break;
      emit_statement(*s);
    }
  } catch (const Error&) {
  }
  block_ = block;
  scopes_.drop_to(frames);
  weight_ = weight;
  problems_ = std::move(problems);
  failed_ = std::move(failed);
  n->destroy();
}

}  // namespace fusillade::front
