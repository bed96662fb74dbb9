// Graphs to the Python that TorchScript serialises functions as; what PyTorch and import.h read
// back.
//
//   def f(x: Tensor,
//       n: int=2) -> Tensor:
//     _0 = torch.mul(x, n)
//     if bool(torch.gt(torch.sum(_0), 0)):
//       y = torch.relu(_0)
//     else:
//       y = x
//     return y
//
// Nodes stay in order. A value is written inside the expression that uses it only when it is used
// once, has no name of its own and its node comes right where evaluating the expression would run
// it; anything else is a statement. Values without a name are _0, _1, ...; every value of a
// function has its own name, so reading the text and writing it again gives the same text.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/unit.h"

namespace fusillade::archive {

// Constants that have no literal: CONSTANTS.c0, c1, ... of the whole archive.
class ConstantTable {
 public:
  size_t index(const IValue& value);
  const std::vector<IValue>& all() const { return all_; }

 private:
  std::vector<IValue> all_;
};

// What a function's text refers to.
struct Callee {
  std::string name;
  std::shared_ptr<Graph> graph;
};
struct References {
  const ClassTable* classes = nullptr;  // that texts of types in the graph may name
  std::vector<Type> types;
  std::vector<Callee> functions;   // that are no methods
  std::vector<std::string> notes;  // on what PyTorch will refuse
};

// The text of one function, its lines indented by `level`. Parameters and result as in `schema`;
// `graph` must be one of the front ends', before passes. Throws Error naming a node that has no
// such form.
std::string print_function(const std::string& name, const Schema& schema, const Graph& graph,
                           int level, ConstantTable& constants, References& references);
// A literal of a default or a field: "1", "0.5", "\"text\"", "(1, 2)". Throws Error when there is
// none.
std::string literal_text(const IValue& value, const Type& type = TypeKind::Any);
bool is_identifier(const std::string& name);
// "__torch__.f" of "f"; names that are qualified already stay.
std::string qualified_name(const std::string& name);
// The same for a function; a static method becomes a function next to its class,
// "__torch__.M__twice" of "M.twice", because PyTorch looks methods up on objects only.
std::string function_path(const std::string& name, const ClassTable* classes);

}  // namespace fusillade::archive
