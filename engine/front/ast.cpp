// Summaries of statements, computed once when they are parsed.
#include "engine/front/ast.h"

#include <algorithm>

namespace fusillade::front {
namespace {

void merge(const StmtList& list, Stmt& into) {
  for (const StmtPtr& s : list) {
    into.returns |= s->returns;
    into.names.insert(s->names.begin(), s->names.end());
    bool binds = s->kind == StmtKind::Assign || s->kind == StmtKind::AugAssign ||
                 s->kind == StmtKind::Delete;
    if (!binds) continue;
    for (const ExprPtr& t : s->targets) collect_names(*t, into.names);
  }
}

}  // namespace

ExprPtr copy_of(const Expr& e) {
  auto out = std::make_unique<Expr>();
  out->kind = e.kind;
  out->begin = e.begin;
  out->end = e.end;
  out->depth = e.depth;
  out->text = e.text;
  out->sign = e.sign;
  out->signs = e.signs;
  out->integer = e.integer;
  out->real = e.real;
  out->words = e.words;
  out->clauses = e.clauses;
  for (const ExprPtr& kid : e.kids) out->kids.push_back(kid ? copy_of(*kid) : nullptr);
  return out;
}

Exit exit_of(const StmtList& list) {
  Exit exit = Exit::Wont;
  for (const StmtPtr& s : list) {
    if (s->exit == Exit::Will) return Exit::Will;
    if (s->exit == Exit::Might) exit = Exit::Might;
  }
  return exit;
}

void collect_names(const Expr& target, std::set<std::string>& names) {
  if (target.is(ExprKind::Name)) names.insert(target.text);
  if (!target.is(ExprKind::Tuple) && !target.is(ExprKind::List) && !target.is(ExprKind::Starred))
    return;
  for (const ExprPtr& kid : target.kids) collect_names(*kid, names);
}

void collect_walrus(const Expr& e, std::set<std::string>& names) {
  if (e.is(ExprKind::Walrus)) names.insert(e.kids[0]->text);
  for (const ExprPtr& kid : e.kids)
    if (kid) collect_walrus(*kid, names);
}

bool leaves_iteration(const StmtList& body, bool by_continue) {
  return std::any_of(body.begin(), body.end(), [&](const StmtPtr& s) {
    if (s->kind == StmtKind::Break || (by_continue && s->kind == StmtKind::Continue)) return true;
    bool inner = s->kind == StmtKind::For || s->kind == StmtKind::While;
    return !inner &&
           (leaves_iteration(s->body, by_continue) || leaves_iteration(s->orelse, by_continue));
  });
}

void summarise(Stmt& stmt) {
  merge(stmt.body, stmt);
  merge(stmt.orelse, stmt);
  for (const Expr* e : {stmt.value.get(), stmt.message.get()})
    if (e) collect_walrus(*e, stmt.names);
  for (const ExprPtr& t : stmt.targets) collect_walrus(*t, stmt.names);
  switch (stmt.kind) {
    case StmtKind::Return:
      stmt.returns = true;
      stmt.exit = Exit::Will;
      break;
    case StmtKind::Break:
    case StmtKind::Continue:
      stmt.exit = Exit::Will;
      break;
    case StmtKind::If: {
      Exit a = exit_of(stmt.body);
      Exit b = exit_of(stmt.orelse);
      stmt.exit = a == b ? a : Exit::Might;
      break;
    }
    case StmtKind::With:
      for (const ExprPtr& t : stmt.targets) collect_names(*t, stmt.names);
      stmt.exit = exit_of(stmt.body);
      break;
    case StmtKind::For:
      collect_names(*stmt.targets[0], stmt.names);
      [[fallthrough]];
    case StmtKind::While: {
      bool forever = stmt.kind == StmtKind::While && stmt.value->is(ExprKind::True) &&
                     !leaves_iteration(stmt.body, false);
      stmt.exit = !stmt.returns ? Exit::Wont : forever ? Exit::Will : Exit::Might;
      break;
    }
    default:
      break;
  }
}

}  // namespace fusillade::front
