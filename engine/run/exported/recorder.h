// A program as the nodes of torch.export, recorded while it runs on examples.
//
// torch.export's graphs have tensors and operators of ATen, and little else. So the program runs
// once, by the interpreter of graphs, on examples that show the sizes. Whatever does not hang on
// elements of tensors is computed and gone: numbers, lists, dicts, text, objects, conditions, loops
// of a known number of turns. Each call of an operator of ATen becomes a node; what the examples
// give is the meta of its results. Operators that PyTorch lacks are their bodies.
//
// What elements decide is part of the graph: numbers (x.item()), sizes (of x.nonzero()), conditions
// (cond), loops (while_loop). A size that the program declares as a symbol is such a number too.
// Tensors are told apart by their handles, as by a trace of eager mode.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/interpret.h"
#include "engine/run/exported/graph_text.h"
#include "engine/run/exported/symbol_text.h"

namespace fusillade::exported {

struct Recorded {
  IValue value;      // of the run on the examples
  std::string name;  // of a number that elements decide; empty: it is known
  std::shared_ptr<const std::vector<Recorded>> items = {};  // of a list with such numbers
  bool is_known() const { return name.empty() && !items; }
};

// A tensor that the program holds, and nobody named: a constant of its code.
struct Lifted {
  std::string name;  // in the graph
  Tensor tensor;     // with the elements that it had when it was first seen
};

// The type of a tensor whose sizes are these: its own, or symbols in their place.
Type sized_type(const Tensor& tensor, const Dims& sizes);
// Which list, dict or object it is; null for what is none of these.
const void* identity_of(const IValue& value);
// The text of NamedArgument.
std::string input_text(std::string_view name, std::string_view argument, bool by_name = false);

class Recorder : public DomainOf<Recorded> {
 public:
  using In = Interpreter<Recorder>;
  using Values = std::vector<Recorded>;

  Recorder() { levels_.push_back(std::make_unique<Level>()); }
  // A name that no other value has.
  std::string fresh_name(const std::string& wanted);
  // An input of the program means this tensor. `type`: its sizes, some of which may be symbols.
  void bind(const Tensor& tensor, const std::string& name, const Type& type,
            bool requires_grad = false);
  // A symbol that inputs' types name, and its size in the examples.
  void declare(int64_t symbol, int64_t example) { symbols_.declare(symbol, example); }
  // The results of `graph`. Throws Error, with its place, for what torch.export has no form for.
  Values results(const Graph& graph, const std::vector<IValue>& inputs);
  // target[...] = source
  void add_copy(const Tensor& target, const Tensor& source);
  // The text of Argument for a tensor or a number that the program takes or gives.
  std::string result_text(const Recorded& result);
  const std::vector<Lifted>& lifted_tensors() const { return lifted_; }
  // Does PyTorch ask for gradients of this input? Of none that the program writes.
  bool has_gradient(const std::string& name) const { return with_gradient_.count(name) != 0; }
  const GraphText& text() const { return levels_[0]->text; }
  const SymbolTexts& symbols() const { return symbols_; }

  // --- the domain
  Recorded constant(const IValue& v, const Type&) { return {v, {}}; }
  std::optional<bool> truth(const Recorded& x) const;
  std::optional<int64_t> count(const Recorded& x) const;
  const Graph* callee(const Node* node);
  void apply(In& in, const Node* node, Values& args, Values& results);
  void unknown_branch(In& in, const Node* node);
  void unknown_loop(In& in, const Node* node, int64_t turn, Recorded& more, Values& carried);
  [[noreturn]] void on_error(const Error& e, const Node* place);

 private:
  struct Named {
    Tensor tensor;  // so that no other has its handle
    std::string name;
    size_t level = 0;  // of the graph that it is a value of
    Type type;         // which sizes are known
  };
  // What a graph within takes from outside: a tensor, or a number as a tensor.
  struct Captured {
    std::string outside;  // its name there
    std::string inside;
    Tensor tensor;
    Type type;
    IValue number = {};  // else None
  };
  // A graph while it is recorded: the program's, or one within.
  struct Level {
    GraphText text;
    std::vector<Captured> inputs;  // of a loop's graph
    std::vector<Captured> captured;
    std::map<std::string, std::string> numbers;  // from outside: their names here
    std::map<const void*, IValue> made;          // lists and objects that are its own
  };
  struct Within {
    std::unique_ptr<Level> level;
    Values results;
    std::vector<std::string> outputs;
  };

  // Calls (recorder.cpp).
  Level& level() { return *levels_.back(); }
  void call_operator(const Operator& op, const Site& site, const Values& args, Values& results);
  Recorded call_one(const char* name, Values args);  // of one result
  void lift_result(const Node* node, Values& args, Values& results);
  bool is_constant(const Recorded& arg) const;
  bool fold(const Operator& op, const Site& site, const Values& args, Values& results);
  Named& materialise(const Tensor& constant);
  void convert(const Node* node, Values& args, Values& results);
  std::string add_result(const IValue& value, const std::string& wanted, const Type& type);
  void require_own(const Operator& op, const Values& args);
  Named& named_tensor(const Tensor& tensor);
  std::string name_of(const Tensor& tensor);
  void refuse_gradient(const Tensor& tensor);
  void forget_unused();
  ArgInfo info(const Recorded& arg);
  std::vector<Type> result_types(const Operator& op, const Values& args,
                                 const std::vector<IValue>& results);

  // Arguments (write_argument.cpp).
  std::vector<std::string> arguments(const Operator& op, const Values& args);
  std::string argument(const std::string& name, const Type& formal, const Recorded& arg);
  std::string list_argument(const Type& element, const Recorded& arg);

  // Numbers (write_number.cpp).
  void compute(const Node* node, Values& args, Values& results);
  bool structure(const Node* node, const Values& args, Values& results);
  bool size_of_tensor(const Node* node, const Values& args, Values& results);
  Recorded read(const Operator& op, const Tensor& tensor);
  Recorded arithmetic(const Operator& op, const Values& args, const IValue& example);
  Recorded decide(const std::string& target, const std::vector<std::string>& inputs,
                  const IValue& example, const std::string& expression = "");
  std::string name_of_number(const Recorded& number);
  Recorded as_tensor(const Recorded& number);
  Recorded as_number(const Tensor& tensor);

  // Graphs within (write_control.cpp).
  Within record(const std::function<Values()>& body);
  bool raises(In& in, const Node* node, const Recorded& chosen);
  bool is_logic(In& in, const Node* node, const Recorded& chosen);
  void condition(In& in, const Node* node, const Recorded& chosen);
  void collect(const Recorded& a, const Recorded& b, Values& on, Values& off);
  Recorded combine(const Recorded& a, const Recorded& b, Values::const_iterator& next);
  Type type_of_either(const Recorded& on, const Recorded& off);
  void add_outputs(Within& within, const Values& values);
  Recorded own_copy(const Recorded& tensor);
  std::string graph_text(Within& within, const std::vector<Captured>& first,
                         const std::vector<Captured>& all, bool single);
  std::string operands(const std::vector<Captured>& all);
  Values call_graphs(const std::string& target, const std::vector<std::string>& inputs,
                     const Values& examples, const std::vector<Type>& types);
  std::string graph_argument(const char* name, const std::string& text);
  Captured parameter(const Recorded& carried);
  std::vector<Captured> bind_parameters(std::vector<Captured> parameters);
  Recorded value_of(const Captured& parameter);
  struct Turning;
  Within record_body(In& in, const Turning& loop);
  Within record_test(const Turning& loop);

  std::vector<std::unique_ptr<Level>> levels_;
  std::set<std::string> taken_;
  std::map<std::string, int> next_;
  std::unordered_map<const TensorImpl*, Named> names_;
  std::map<const TensorImpl*, Tensor> constants_;  // of one number that is known, and no node's
  std::map<std::string, size_t> number_levels_;
  std::map<std::string, Tensor> with_gradient_;
  SymbolTexts symbols_;
  size_t forget_at_ = 256;
  std::vector<Lifted> lifted_;
  std::string place_;  // in the user's source, of the node at work
};

}  // namespace fusillade::exported
