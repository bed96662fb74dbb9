// What transforms ask of a kernel whose variables have names of their own.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/kernel/dependence.h"

namespace fusillade::fuse {

struct LoopAt {
  const kernel::Stmt* loop = nullptr;
  const kernel::Body* body = nullptr;  // that contains it
  size_t at = 0;
  std::vector<const kernel::Stmt*> around = {};  // loops, outermost first
  bool under_if = false;
  std::set<int> outer() const;  // their variables
};

struct KernelFacts {
  explicit KernelFacts(const kernel::Kernel& of);
  const kernel::Kernel& kernel;
  std::map<int, LoopAt> loops;  // by variable; of no grid
  std::vector<kernel::Access> accesses;
  bool grid = false;  // is any statement one?

  const LoopAt& at(int64_t var) const { return loops.at(static_cast<int>(var)); }
  std::vector<const kernel::Access*> within(const kernel::Stmt& loop) const;
  // Those of one buffer, in the order of the text.
  std::vector<const kernel::Access*> of_buffer(int buffer, bool writes) const;
  // May `buffer`, or memory that it may share, be written by one of these?
  bool may_write(const std::vector<const kernel::Access*>& by, int buffer) const;
  // Is no element of it written twice, nor any of memory that it may share? So one that is written
  // is what it will be. Inputs that share none are such, too.
  bool written_once(int buffer) const;

  // Does no iteration of the loop touch what another writes, or set what another reads?
  bool independent(const LoopAt& l) const;
  bool in_any_order(const LoopAt& l) const;  // that, or its kind says so
  // The loop and those alone right inside it, as long as that holds and they have no more
  // iterations together, dynamic extents not counted in where they are `taken`, which else
  // end it.
  std::vector<const kernel::Stmt*> alone_in_any_order(const LoopAt& l, int64_t most,
                                                      bool taken = false) const;
  // The inner loop is alone in the outer one. May they be interchanged? "": they may.
  std::string why_not_swapped(const LoopAt& outer, const LoopAt& inner) const;
  // May all iterations run the loop's statements before `cut` before any runs the others? "": they
  // may.
  std::string why_not_disjoint(const LoopAt& l, size_t cut) const;
};

// Is it the statement, or nested in it?
bool contains(const kernel::Stmt& s, const kernel::Stmt* inner);
// Accumulators that the statements update and do not declare.
std::set<int> updated_outside(const kernel::Body& body);
// Variables that the statements read, or update.
std::set<int> variables_read(const kernel::Body& body);
std::set<int> variables_read(const Expr& e);
// Variables in scope for all that follows: lets and accumulators of this body, not of loops in it.
std::set<int> declared_variables(const kernel::Body& body, size_t first, size_t last);

// acc = acc + x and the like, where the values are exact, so that any order and any grouping gives
// the same: sums, products, and, or, xor, the larger and the smaller.
struct Fold {
  bool exact = false;
  Expr element;  // x
  Expr start;    // what changes nothing
  Expr (*combine)(Expr, Expr, const ExprNode* like) = nullptr;
};
Fold fold_of(const kernel::Kernel& kernel, const kernel::Stmt& update);

// Buffers that the expression, or the statements, load from.
std::set<int> loaded_by(const Expr& e);
std::set<int> loaded_by(const kernel::Body& body);

size_t statement_count(const kernel::Body& body);

}  // namespace fusillade::fuse
