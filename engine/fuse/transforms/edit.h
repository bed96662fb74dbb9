// How transforms change a kernel: loops found, variables replaced, statements copied. The pool of
// the kernel is open.
#pragma once

#include <map>

#include "engine/fuse/statements.h"

namespace fusillade::fuse {

struct Found {
  kernel::Body* body = nullptr;
  size_t at = 0;
  kernel::Stmt& stmt() const { return (*body)[at]; }
};
Found find_loop(kernel::Kernel& kernel, int64_t var);

inline int fresh_var(kernel::Kernel& kernel) { return kernel.num_vars++; }
int add_temp(kernel::Kernel& kernel, DType dtype, const Dims& sizes);

using Replacements = std::map<int, Expr>;  // by variable
Expr replace_exprs(Expr e, const Replacements& by);
void replace(kernel::Body& body, const Replacements& by);
// With variables of its own for what it defines.
kernel::Body copy_body(kernel::Kernel& kernel, const kernel::Body& body, Replacements by);

// Replaces every expression of the statements, indices included, by `f` of it.
template <class F>
void for_each_expr(kernel::Body& body, F f) {
  for (kernel::Stmt& s : body) {
    if (s.value.is_defined()) s.value = f(s.value);
    for (Expr& e : s.indices) e = f(e);
    for_each_expr(s.body, f);
  }
}
template <class F>
void for_each_stmt(const kernel::Body& body, F f) {
  for (const kernel::Stmt& s : body) {
    f(s);
    for_each_stmt(s.body, f);
  }
}

// Puts these in the place of the statement.
void put(const Found& place, kernel::Body statements);
// As the loop is, over another variable.
kernel::Stmt like(const kernel::Stmt& loop, int var, int64_t extent, kernel::Body body);
kernel::Body one(kernel::Stmt s);
// Loops whose iterations run at the same time become serial ones.
void in_order(kernel::Body& body);

}  // namespace fusillade::fuse
