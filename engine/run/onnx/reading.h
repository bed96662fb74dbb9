// One node of a model while it is read: its inputs, its attributes, and where its results go.
//
// An input is a tensor of the graph, a tensor of the file, or integers that are known as counts:
// those that carry sizes through Shape, Gather, Concat to Reshape. A row of the table of operators
// takes each as what it needs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/onnx/builder.h"
#include "engine/run/onnx/model.h"
#include "engine/run/onnx/row.h"

namespace fusillade::onnx {

// Integers or bools, row-major, each a count.
struct Numbers {
  DType dtype = DType::I64;
  Dims sizes;
  Counts items;
  bool is_known() const;  // all of them
};

// What a name of the model means; each form is made of another when it is first asked for.
struct Meaning {
  std::string name;
  std::optional<Term> term;
  Tensor constant;  // undefined: not known
  std::optional<Numbers> numbers;
};

// Reads a graph within a node, where the names around it are known; throws Error.
using ReadGraph = std::function<void(const GraphText&)>;

class Reading {
 public:
  Reading(Builder& builder, const NodeText& node, int64_t opset, const std::string& label,
          std::map<std::string, Meaning>& names, const ReadGraph& graphs);

  int64_t opset() const { return opset_; }
  Builder& build() { return builder_; }
  const std::string& op() const { return node_.op; }
  size_t inputs() const { return node_.inputs.size(); }
  bool has(size_t i) const { return i < inputs() && !node_.inputs[i].empty(); }
  bool wants(size_t output) const;

  Term tensor(size_t i);
  // Its number, where it is one that the file holds and `beside` has as many dimensions.
  Arg operand(size_t i, size_t beside);
  bool is_number(size_t i, size_t beside);
  const Tensor* constant(size_t i);     // null: not known
  const Numbers* numbers(size_t i);     // null: not known
  const Counts& counts(size_t i);       // throws Error where they are not known
  Count count(size_t i);                // of one
  std::vector<int64_t> ints(size_t i);  // the same of those that no run changes
  int64_t number(size_t i);             // of one
  DType dtype(size_t i);

  bool has_attribute(const std::string& name) const { return find(name) != nullptr; }
  int64_t integer(const std::string& name, int64_t otherwise) const;
  double real(const std::string& name, double otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<std::vector<int64_t>> integers(const std::string& name) const;
  std::optional<Tensor> tensor_attribute(const std::string& name) const;
  const AttributeText* find(const std::string& name) const;
  // Throws Error where an attribute has another value than the one that is supported.
  void only(const std::string& name, int64_t value) const;
  void only(const std::string& name, const std::string& value) const;

  Term call(const std::string& op, Args args) { return builder_.call(op, std::move(args)); }
  // Reads the graph of an attribute: its results are the next results.
  void read_graph(const std::string& attribute);
  // The next result.
  void give(Term term);
  void give(Numbers numbers);
  void give(Tensor constant);
  void skip() { ++given_; }  // nobody wants it
  size_t count_given() const { return given_; }

 private:
  Meaning& meaning(size_t i);
  Meaning& result();

  Builder& builder_;
  const NodeText& node_;
  int64_t opset_;
  const std::string& label_;
  std::map<std::string, Meaning>& names_;
  const ReadGraph& graphs_;
  Meaning unnamed_;  // a result that nobody wants
  size_t given_ = 0;
};

// Folds (fold.cpp): each gives the results and true, or does nothing.
bool fold_arithmetic(Reading& r);
bool fold_comparison(Reading& r);
bool fold_where(Reading& r);
bool fold_cast(Reading& r);
bool fold_identity(Reading& r);
bool fold_concat(Reading& r);
bool fold_gather(Reading& r);
bool fold_slice(Reading& r);
bool fold_reshape(Reading& r);
bool fold_squeeze(Reading& r);
bool fold_unsqueeze(Reading& r);
bool fold_transpose(Reading& r);
bool fold_expand(Reading& r);
bool fold_range(Reading& r);
bool fold_reduce(Reading& r);

// A dimension that may count from the end. Throws Error where there is none.
int64_t axis_of(int64_t axis, int64_t rank);

}  // namespace fusillade::onnx
