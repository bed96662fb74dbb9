// One graph in the text of an exported program, while it is written: nodes in order, and what is
// said of each value.
//
// The keys are those of torch/_export/serde/schema.py. A graph within, of a condition or a loop, is
// a text of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/run/exported/symbol_text.h"

namespace fusillade::exported {

// What is declared of a tensor: dtype, sizes, strides. `sizes`: its own, or symbols in their place.
std::string meta_text(const Tensor& tensor, bool requires_grad, const Dims& sizes,
                      const SymbolTexts& symbols);
std::string meta_text(const Tensor& tensor, bool requires_grad);

struct NodeText {
  std::string target;
  std::vector<std::string> inputs;   // texts of NamedArgument
  std::vector<std::string> outputs;  // texts of Argument
  std::string name;
  std::string place = {};  // in the user's source, as a stack trace of Python; may be empty
  bool higher_order = false;
};

class GraphText {
 public:
  void add_node(const NodeText& node);
  void describe(const std::string& name, const std::string& meta) { tensors_[name] = meta; }
  // A number that elements decide: an int, a float or a bool, by the example's kind.
  void describe_number(const std::string& name, const IValue& example,
                       const std::string& expression);
  // `inputs`, `outputs`: texts of Argument. `single`: a graph within gives one tensor, not a tuple.
  std::string finish(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, bool single = false) const;

 private:
  std::vector<std::string> nodes_;
  std::map<std::string, std::string> tensors_, ints_, floats_, bools_;
};

}  // namespace fusillade::exported
