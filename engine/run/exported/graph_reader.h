// A graph in the text of an exported program to nodes of ours.
//
// Each node of the text calls an operator by its full name, with arguments by name. It becomes the
// operator of that name, or of the overloads the one that takes these arguments (a number where
// ATen's schema has a tensor). What the table lacks is a function of targets.py, written in the
// language of scripts and inlined. Graphs within, of conditions and loops, become blocks.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/budget.h"
#include "engine/front/emit_autocast.h"
#include "engine/front/match.h"
#include "engine/ir/unit.h"
#include "engine/run/exported/listing.h"

namespace fusillade::exported {

class GraphReader {
 public:
  // `label`: of the archive, for messages.
  GraphReader(const JsonDocument& doc, const std::string& label, Graph& graph)
      : doc_(doc), label_(label), graph_(graph), block_(graph.block()), listing_(label) {}

  // A name of the text means this value from now on. Throws Error where it is known.
  void bind(const Json& at, const std::string& name, Value* value);
  // The value of a name. Throws Error where it is unknown.
  Value* value_of(const Json& at, const std::string& name) const;
  Value* argument(const Json& arg);
  // An error is raised when the size is none of these.
  void require_size(Value* tensor, int64_t dim, int64_t least, int64_t most);
  void nodes(const Json& graph);
  Node* make(const Operator& op, const std::vector<Value*>& inputs, int results = -1);
  Value* constant(IValue value);
  void finish() { listing_.finish(); }

 private:
  using Values = std::vector<Value*>;
  using Arguments = std::vector<front::Argument>;
  using Metas = std::map<std::string_view, const Json*>;
  struct Given {  // an argument in the text
    std::string name;
    bool positional;
    const Json* value;
  };

  void node(const Json& node);
  void call(const Json& node);
  std::vector<Given> inputs_of(const Json& node);
  Arguments arguments(const std::vector<Given>& given, const Values& values, const Schema& schema);
  void results(const Json& node, const Values& values);
  void result(const Json& output, Value* value);
  Value* as_number(Value* value, TypeKind kind);

  Values call_target(const Json& node, const std::string& target, size_t skipped = 0);
  Values operator_call(const Json& node, const std::vector<Given>& given, const std::string& name);
  Values function_call(const std::vector<Given>& given, const Function& function);
  Values inline_function(const Function& function, const Values& inputs);
  std::optional<Values> fitting_call(const std::vector<Given>& given, const Values& values,
                                     const std::string& name, bool of_tensors);
  // The value in place of one that is given for a parameter of that type; the same: it stays.
  using Otherwise = std::function<Value*(Value*, const Type& formal)>;
  std::optional<Values> call_otherwise(const std::vector<Given>& given, Values values,
                                       const std::string& name, const Otherwise& otherwise);
  std::optional<Values> call_with_tensors(const std::vector<Given>& given, const Values& values,
                                          const std::string& name, DType dtype);
  std::optional<Values> call_with_ints(const std::vector<Given>& given, const Values& values,
                                       const std::string& name, DType dtype);
  std::optional<DType> declared_dtype(const Json& node) const;
  Values build(const Operator& op, const front::Fit& fit);
  Value* realise(const front::Step& step, const SchemaArg& formal);

  // Operators of higher order (higher_order.cpp): they have graphs among their arguments.
  using HigherOrder = Values (GraphReader::*)(const Json& node);
  static HigherOrder higher_order(const std::string& target);
  struct OpenLoop {
    Node* node;
    Block* outside;  // where the loop stands
    Value* turn;     // its number
    Values state;    // what is carried, in the block
  };
  OpenLoop open_loop(Value* turns, Value* holds, const Values& carried);
  Values close_loop(const Json& node, const OpenLoop& loop, Value* holds, const Values& next);
  Values condition(const Json& node);
  Values loop(const Json& node);
  Values scan(const Json& node);
  Values map(const Json& node);
  Values each_slice(const Json& node, const Values& carried, const Values& over,
                    const Values& fixed);
  void append(Value* list, Value* item);
  Values without_gradients(const Json& node);
  Values autocast(const Json& node);
  Values effect(const Json& node);
  Values region(const Json& node, size_t graph_at);
  Values inline_body(const Json& graph, const Values& operands);
  void add_operands(const Json& arg, Values& out);
  const Json& input(const Json& node, size_t i) const;
  const Json& graph_input(const Json& node, size_t i) const;

  Value* typed_list(const Values& items, const Type& element);
  Value* list_argument(const Json& list, const Type& element,
                       const std::function<Value*(const Json&)>& item);
  Value* symbolic(const Json& arg);
  double real(const Json& number) const;

  void place(Node* node) {
    budget_.spend(Budget::kNode);
    listing_.place(node);
  }

  const JsonDocument& doc_;
  const std::string& label_;
  Budget budget_;
  Graph& graph_;
  Block* block_;
  Listing listing_;
  std::map<std::string, Value*, std::less<>> names_;
  Metas metas_;              // what the text says of the tensors of this graph
  front::NotCast not_cast_;  // by autocast around it
  int depth_ = 0;
};

}  // namespace fusillade::exported
