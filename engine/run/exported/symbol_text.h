// Symbols of an exported program: sizes that its inputs may have, and numbers that elements decide.
// Expressions are sympy's, as PyTorch reads them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade::exported {

class SymbolTexts {
 public:
  // Symbols of sizes as a type counts them: -2, -3, ... One of an input is known by its example.
  int64_t fresh() { return next_--; }
  void declare(int64_t symbol, int64_t example);
  // The expression that a symbol is.
  std::string symbol_text(int64_t symbol) const;
  // The text of SymInt: a number, or the expression of a symbol.
  std::string size_text(int64_t size) const;
  // The same of the product of sizes: a stride.
  std::string product_text(const std::vector<int64_t>& sizes) const;
  // The expression of a number that elements decide, which no other has.
  std::string fresh_expression(const IValue& example);
  // "range_constraints": of all symbols.
  std::string ranges_text() const;

 private:
  std::string name_of(int64_t symbol) const;
  int64_t next_ = -2;
  std::map<int64_t, int64_t> examples_;       // of symbols of inputs
  mutable std::map<std::string, bool> used_;  // names; of an input?
  int floats_ = 0;
};

}  // namespace fusillade::exported
