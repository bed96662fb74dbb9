// A program as the nodes of torch.export, recorded while it runs on examples.
//
// torch.export's graphs have tensors and operators of ATen, and little else. So the program runs
// once, by the interpreter of graphs, on examples that show the sizes. Whatever does not hang on
// elements of tensors is computed and gone: numbers, lists, dicts, text, objects, conditions, loops
// of a known number of turns. Each call of an operator of ATen becomes a node; what the examples
// give is the meta of its results. Operators that PyTorch lacks are their bodies.
//
// A number that elements decide (x.item()) is a value of the graph. Tensors are told apart by their
// handles, as by a trace of eager mode.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/interpret.h"
#include "engine/run/exported/graph_text.h"

namespace fusillade::exported {

struct Recorded {
  IValue value;      // of the run on the examples
  std::string name;  // of a number that elements decide; empty: it is known
  std::shared_ptr<const std::vector<Recorded>> items = {};  // of a list with such numbers
  bool known() const { return name.empty() && !items; }
};

// A tensor that the program holds, and nobody named: a constant of its code.
struct Lifted {
  std::string name;  // in the graph
  Tensor tensor;     // with the elements that it had when it was first seen
};

class Recorder : public DomainOf<Recorded> {
 public:
  // A name that no other value has.
  std::string fresh_name(const std::string& wanted);
  // An input of the program means this tensor.
  void bind(const Tensor& tensor, const std::string& name, bool requires_grad = false);
  // The results of `graph`. Throws Error, with its place, for what torch.export has no form for.
  std::vector<Recorded> results(const Graph& graph, const std::vector<IValue>& inputs);
  // target[...] = source
  void add_copy(const Tensor& target, const Tensor& source);
  // The text of Argument for a tensor or a number that the program takes or gives.
  std::string result_text(const Recorded& result);
  const std::vector<Lifted>& lifted() const { return lifted_; }
  const GraphText& text() const { return text_; }

  // --- the domain
  Recorded constant(const IValue& v, const Type&) { return {v, {}}; }
  std::optional<bool> truth(const Recorded& x) const;
  std::optional<int64_t> count(const Recorded& x) const;
  const Graph* callee(const Node* node);
  void apply(Interpreter<Recorder>& in, const Node* node, std::vector<Recorded>& args,
             std::vector<Recorded>& results);
  void unknown_branch(Interpreter<Recorder>& in, const Node* node);
  void unknown_loop(Interpreter<Recorder>& in, const Node* node, Recorded& more,
                    std::vector<Recorded>& carried);
  [[noreturn]] void on_error(const Error& e, const Node* place);

 private:
  struct Named {
    Tensor tensor;  // so that no other has its handle
    std::string name;
  };
  void call_operator(const Node* node, std::vector<Recorded>& args, std::vector<Recorded>& results);
  void lift_result(const Node* node, std::vector<Recorded>& args, std::vector<Recorded>& results);
  void convert(const Node* node, std::vector<Recorded>& args, std::vector<Recorded>& results);
  void run_only(const Node* node, std::vector<Recorded>& args, std::vector<Recorded>& results);
  std::vector<std::string> arguments(const Operator& op, const std::vector<Recorded>& args);
  std::string argument(const std::string& name, const Type& formal, const Recorded& arg);
  std::string list_argument(const Type& element, const Recorded& arg);
  std::string name_of(const Tensor& tensor);
  std::string add_result(const IValue& value, const std::string& wanted);
  void forget_unused();

  GraphText text_;
  std::set<std::string> taken_;
  std::map<std::string, int> next_;
  std::unordered_map<const TensorImpl*, Named> names_;
  size_t forget_at_ = 256;
  std::vector<Lifted> lifted_;
};

}  // namespace fusillade::exported
