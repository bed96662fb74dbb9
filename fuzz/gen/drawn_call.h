// Arguments for one call of any operator, drawn by the types of its schema, the names of its
// arguments and its recipe (recipe.h).
//
// Nothing here promises that the operator takes them: whoever asks tries the call, and asks again.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/operator.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// Elements of 8 to 33, of 1 to 3 dimensions; now and then none, one, or as many as a square has.
Dims row_sizes(Choices& choices);

class DrawnCall {
 public:
  DrawnCall(Choices& choices, const Operator& op) : choices_(choices), op_(op) {}
  // `given`: arguments that are already fixed, instead of drawn.
  std::vector<IValue> draw(std::span<const std::optional<IValue>> given = {});
  // Ranges that the elements of drawn tensors lie in, whoever draws them again.
  struct Range {
    IValue tensor;
    int64_t lo, hi;
  };
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  void start();
  IValue argument(const SchemaArg& formal);
  // by recipe
  IValue value_of(std::string_view form, const SchemaArg& formal);
  IValue tensor_of(std::string_view form);
  IValue list_of(std::string_view form, const Type& type);
  Dims dims_of(std::string_view text);
  IValue numbers_of(std::string_view text, const Type& type);
  int64_t number_of(std::string_view text);
  int64_t size_of_letter(char letter);
  // by type and name
  IValue by_type(const Type& type, const SchemaArg& formal);
  IValue tensor(const SchemaArg& formal);
  IValue whole(const SchemaArg& formal);
  IValue number();
  IValue word(const SchemaArg& formal);
  IValue ints(const SchemaArg& formal);
  IValue list(const Type& element, const SchemaArg& formal);
  IValue dict(const Type& type, const SchemaArg& formal);
  IValue key_of_a_dict(const Type& type);
  Type bound(const Type& type);
  DType dtype();
  Dims first_sizes();
  IValue make(DType dtype, const Dims& sizes);
  IValue make_indices(DType dtype, const Dims& sizes, int64_t lo, int64_t hi);

  Choices& choices_;
  const Operator& op_;
  bool written_ = false;  // the argument being drawn is
  bool pairs_ = false;    // it stores complex numbers as pairs: sizes exclude the last one
  std::vector<IValue> values_;
  std::vector<Range> ranges_;
  std::map<char, int64_t> letters_;
  std::map<char, std::string> limits_;
  std::map<std::string, std::string> forms_;  // of the recipe
  std::map<std::string, Type> types_;         // of type variables
  Dims more_;                                 // the value of *
  Dims sizes_;                                // of the first tensor
  DType dtype_ = DType::F32;                  // of the first tensor
  bool first_ = true;                         // no tensor yet
};

}  // namespace fusillade::fuzz
