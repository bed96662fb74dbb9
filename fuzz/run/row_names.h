// Rows that something is said of, by exact names: "aten::std" is all rows of that name, with
// whatever overloads; "aten::std.correction" is one row. A part of a name names nothing: "eigh"
// would also mean `_weight_norm`.
//
// The names are resolved against the table of rows when a list is first asked; one that no row
// has, or whose rows the names before it have, is a bug.
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/ops/row.h"

namespace fusillade::fuzz {

class RowNames {
 public:
  RowNames(std::initializer_list<const char*> names);
  ~RowNames();
  RowNames(const RowNames&) = delete;
  RowNames& operator=(const RowNames&) = delete;
  bool has(const Row& row) const;
  // What is wrong with the names; empty: nothing.
  std::vector<std::string> wrong() const;
  // The lists of this program.
  static const std::vector<const RowNames*>& all();

 private:
  void resolve() const;

  std::vector<std::string> names_;
  mutable std::once_flag once_;
  mutable std::unordered_set<const Row*> rows_;
  mutable std::vector<std::string> wrong_;
};

}  // namespace fusillade::fuzz
