// The graph that a model becomes, while it is made.
//
// Sizes of inputs may be symbols. So everything is inferred twice, in two trials in which every
// symbol is another number: a size that differs is one that only a run knows, and what is made of
// it is computed in the graph; all others are constants. Without symbols both trials are one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/budget.h"
#include "engine/ir/unit.h"
#include "engine/ops/operator.h"

namespace fusillade::onnx {

inline constexpr int kTrials = 2;

// A value of the graph, and what is known of it in each trial.
struct Term {
  Value* value = nullptr;
  std::array<ArgInfo, kTrials> known;

  const TensorInfo& info(int trial = 0) const {
    return known[static_cast<size_t>(trial)].type.info();
  }
  DType dtype() const;  // throws Error where it is not known, as `rank` and `size` do
  int rank() const;
  bool has_sizes() const;
};

// A whole number that is known when the model is read, or computed when it runs.
struct Count {
  std::array<int64_t, kTrials> trial{};
  Value* value = nullptr;  // null: known, the same in both trials
  Count() = default;
  Count(int64_t n) : trial{n, n} {}  // NOLINT: literals are counts
  bool is_known() const { return !value; }
  int64_t number() const { return trial[0]; }
};
using Counts = std::vector<Count>;

// What a call takes.
struct Arg {
  std::variant<IValue, Term, Count, Counts, std::vector<Term>> is;
  Arg(std::nullopt_t) {}                             // NOLINT: None
  Arg(IValue v) : is(std::move(v)) {}                // NOLINT
  Arg(int v) : is(IValue(v)) {}                      // NOLINT
  Arg(int64_t v) : is(IValue(v)) {}                  // NOLINT
  Arg(double v) : is(IValue(v)) {}                   // NOLINT
  Arg(bool v) : is(IValue(v)) {}                     // NOLINT
  Arg(const char* v) : is(IValue::str(v)) {}         // NOLINT
  Arg(DType v) : is(IValue(row_of(v).aten_code)) {}  // NOLINT: ATen's code of it
  Arg(Term v) : is(std::move(v)) {}                  // NOLINT
  Arg(Count v) : is(v) {}                            // NOLINT
  Arg(Counts v) : is(std::move(v)) {}                // NOLINT
  Arg(std::vector<Term> v) : is(std::move(v)) {}     // NOLINT
  Arg(const std::vector<int64_t>& v) : is(Counts(v.begin(), v.end())) {}  // NOLINT
};
using Args = std::vector<Arg>;

class Builder {
 public:
  Builder();
  // Of the calls made from now on.
  void set_range(SourceRange range) { range_ = std::move(range); }

  // An input of the program; `sizes` by trial, equal where they are known.
  Term input(const std::string& name, DType dtype, const std::vector<Count>& sizes);
  // A tensor of the file, as an attribute of the module.
  Term attribute(const std::string& name, const Tensor& tensor);

  // The results of an operator by its full name ("aten::add.Tensor"); arguments that are left out
  // have their defaults. Throws Error what inference throws.
  std::vector<Term> call_all(const std::string& op, Args args);
  Term call(const std::string& op, Args args) { return call_all(op, std::move(args))[0]; }

  Count size(const Term& of, int dim);
  Counts sizes(const Term& of);
  // On counts: "add", "sub", "mul", "floordiv", and what C++ computes.
  Count arithmetic(const char* op, const Count& a, const Count& b);

  // Of the model that is read: numbers that are kept.
  void spend(size_t numbers) { budget_.spend(numbers); }
  void name(const Term& term, const std::string& text);
  Module finish(const std::vector<Term>& results);

 private:
  struct Given {  // an argument in the graph
    Value* value;
    std::array<ArgInfo, kTrials> known;
  };
  Given realise(const Arg& arg, const Type& formal);
  Given constant(const IValue& value);
  Value* literal(IValue value);
  Given counts(const Counts& list);
  Given terms(const std::vector<Term>& list, const Type& formal);
  Value* value_of(const Count& count);
  Node* append(const Operator& op, const std::vector<Value*>& inputs);

  Budget budget_;
  std::shared_ptr<Graph> graph_;
  SourceRange range_;
  Value* self_;
  Schema schema_;
  struct Attribute {
    std::string name;
    Tensor tensor;
    Value* value;
  };
  std::vector<Attribute> attributes_;
  std::map<std::string, int> names_;  // how often a name was asked for
};

// What a name may look like in a program's text.
std::string plain_name(const std::string& name);

}  // namespace fusillade::onnx
