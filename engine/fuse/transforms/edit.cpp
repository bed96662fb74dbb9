// See edit.h.
#include "engine/fuse/transforms/edit.h"

#include "engine/fuse/expr_rewrite.h"

namespace fusillade::fuse {

using kernel::Body;
using kernel::Kernel;
using kernel::Stmt;

namespace {

bool find_in(Body& body, int64_t var, Found& found) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == Stmt::Kind::For && body[i].var == var) {
      found = {&body, i};
      return true;
    }
    if (find_in(body[i].body, var, found)) return true;
  }
  return false;
}

bool defines(const Stmt& s) {
  return s.kind == Stmt::Kind::For || s.kind == Stmt::Kind::Let || s.kind == Stmt::Kind::Declare ||
         s.kind == Stmt::Kind::Shuffle;
}

void copy_into(Kernel& kernel, Body& body, Replacements& by) {
  for (Stmt& s : body) {
    if (s.value.is_defined()) s.value = replace_exprs(s.value, by);
    for (Expr& e : s.indices) e = replace_exprs(e, by);
    if (s.kind == Stmt::Kind::Update) {
      const auto now = by.find(s.var);
      if (now != by.end()) s.var = now->second->id;
    }
    if (defines(s)) {
      const int var = fresh_var(kernel);
      const Model model = s.kind == Stmt::Kind::For ? Model::I64 : s.value.model();
      by[s.var] = Expr::var(var, model);
      s.var = var;
    }
    copy_into(kernel, s.body, by);
  }
}

}  // namespace

Found find_loop(Kernel& kernel, int64_t var) {
  Found found;
  FUS_CHECK(find_in(kernel.body, var, found), "there is no loop over v{}", var);
  return found;
}

int add_temp(Kernel& kernel, DType dtype, const Dims& sizes) {
  kernel.buffers.push_back({kernel::BufferRole::Temp, dtype, sizes, contiguous_strides(sizes)});
  return static_cast<int>(kernel.buffers.size()) - 1;
}

Expr replace_exprs(Expr e, const Replacements& by) {
  return ExprRewrite([&](const ExprNode* n) {
    if (n->op != ExprOp::Var) return Expr();
    const auto at = by.find(n->id);
    return at == by.end() ? Expr() : at->second;
  })(e);
}

void replace(Body& body, const Replacements& by) {
  for_each_expr(body, [&](Expr e) { return replace_exprs(e, by); });
}

Body copy_body(Kernel& kernel, const Body& body, Replacements by) {
  Body out = body;
  copy_into(kernel, out, by);
  return out;
}

void put(const Found& place, Body statements) {
  Body& body = *place.body;
  const auto at = body.begin() + static_cast<ptrdiff_t>(place.at);
  const auto next = body.erase(at);
  body.insert(next, std::make_move_iterator(statements.begin()),
              std::make_move_iterator(statements.end()));
}

Stmt like(const Stmt& loop, int var, int64_t extent, Body body) {
  Stmt s = write::loop(loop.loop, var, extent, std::move(body));
  s.reassociate = loop.reassociate;
  return s;
}

Body one(Stmt s) {
  Body out;
  out.push_back(std::move(s));
  return out;
}

void in_order(Body& body) {
  for (Stmt& s : body) {
    s.loop = kernel::LoopKind::Serial;
    in_order(s.body);
  }
}

}  // namespace fusillade::fuse
