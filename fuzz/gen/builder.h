// Builds one program: a pool of values in scope, steps that add a node, blocks that nest.
//
// Shapes direct everything: operands are picked for the shapes they have, arguments are drawn inside the
// limits those shapes set, and a row's own inference has the last word before a node is made. Where no value
// in scope fits, a fresh input of the wanted dtype and shape is added to the program.
#pragma once

#include <memory>
#include <vector>

#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"

namespace fusillade::fuzz {

inline constexpr int64_t kMostParts = 4;  // of a chunk, a split, a narrow

// May two elements share memory? Conservative.
bool overlaps(const TensorInfo& info);

class Builder {
 public:
  Builder(Choices& choices, const Policy& policy, int ops);
  std::unique_ptr<Graph> build();

 private:
  // One argument of a node to be: a value in scope, or a constant to be.
  struct Arg {
    Value* value = nullptr;
    IValue literal;
    std::vector<Value*> list;  // Tensor[]; null: None
    bool is_list = false;
    void reset();
  };
  struct Scope {
    Block* block;
    size_t tensors;
    size_t scalars;
    int depth;
  };

  // builder.cpp
  void step(int depth);
  void steps(int count, int depth);
  bool node(const Row& row);
  bool infer(const Row& row);
  void unpack(Value* list, const Row& row);
  void scalar_step();
  void add_result(Value* v);
  Value* add_input(DType dtype, const Dims& sizes, bool plain = false);
  Value* pick_tensor();
  void choose_outputs();

  // wishes.cpp
  bool wishes(const Row& row);
  bool grant(const Wish& wish, Value* offered, Arg& arg);

  // args.cpp
  bool fill(const Row& row);
  bool first_operand(const Row& row, size_t index, Arg& arg);
  bool operand(const Row& row, size_t i, Arg& arg);
  bool operand_list(Arg& arg);
  bool argument(const Row& row, size_t i, Arg& arg);
  bool dim_argument(Role role, Arg& arg);
  bool size_argument(Role role, Arg& arg);
  IValue number(DType near, bool non_zero);
  bool slice_bound(Role role, Arg& arg);
  Dims fresh_size();
  Dims reshaped(int64_t numel);
  bool fits_in_place(const Row& row, std::span<const ArgInfo> infos);
  DType draw_dtype();
  int64_t draw_dim();

  // control.cpp
  void branch(int depth);
  void loop(int depth);
  Value* condition();
  Value* trip_count();
  Value* newest_like(const Value* model, size_t from);
  Value* small_constant(TypeKind kind);

  // repeat.cpp
  void repeat();
  void tuple();
  void call();
  std::vector<Node*> repeatable_nodes() const;
  bool in_scope(const Value* v) const;
  Value* argument_of(const Value* parameter);

  Choices& choices_;
  const Policy& policy_;
  int budget_;  // ops still to be made
  std::unique_ptr<Graph> graph_;
  Block* block_ = nullptr;
  std::vector<Value*> tensors_;
  std::vector<Value*> scalars_;
  // While one node's arguments are drawn: the first operand, the dim drawn for it, and how many elements lie
  // from the index drawn on.
  Value* self_ = nullptr;
  int dim_ = 0;
  int64_t room_ = 0;
  bool nested_ = false;  // the body of a function
  int calls_ = 0;
  // The node being made; kept for their memory.
  std::vector<Arg> args_;
  std::vector<ArgInfo> infos_;
  std::vector<Type> types_;
  std::vector<Value*> operands_;
};

}  // namespace fusillade::fuzz
