// Builds one program: a pool of values in scope, steps that add a node, blocks that nest.
//
// Shapes direct everything: operands are picked for the shapes they have, arguments are drawn
// inside the limits those shapes set, and a row's own inference has the last word before a node is
// made. Where no value in scope fits, a fresh input of the wanted dtype and shape is added to the
// program.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/passes/rule.h"
#include "fuzz/case/granted.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"

namespace fusillade::fuzz {

inline constexpr int64_t kMostParts = 4;  // of a chunk, a split, a narrow

// May two elements share memory? Conservative.
bool overlaps(const TensorInfo& info);

// May argument i of the row, of integers, not be 0?
bool is_divisor(const Row& row, size_t i);

// Rows a generator may draw, by kind.
struct Menu {
  std::vector<const Row*> pointwise, in_place, reduce, view, contract, movement, create, composite,
      scalar;
  std::vector<const Row*> for_steps;  // that only steps draw which know what they write
};

struct LeftSide;  // of a rewrite rule (rewritable.cpp)

class Builder {
 public:
  // `rows`: those that may be drawn; empty: all.
  Builder(Choices& choices, const Policy& policy, int ops,
          const std::function<bool(const Row&)>& rows = {});
  std::unique_ptr<Graph> build();
  // Of this op alone; null when nothing fits.
  std::unique_ptr<Graph> one(const Row& row);

  // For programs that are there already, whose tensors have complete types: some steps on what is
  // in scope in front of a node. Gives the tensors that they made. What they need beside are fresh
  // inputs.
  Builder(Choices& choices, const Policy& policy, std::unique_ptr<Graph> graph,
          const std::function<bool(const Row&)>& rows);
  std::vector<Value*> insert(int ops, Node* before);
  std::unique_ptr<Graph> take() { return std::move(graph_); }

  // For programs that are written as text: one node at a time, of values that the writer has in
  // scope. Null when no row that was tried fits. What the node needs beside them are fresh inputs
  // of the graph.
  Node* draft(const std::vector<Value*>& tensors, const std::vector<Value*>& scalars,
              bool pointwise);
  // A value of that type; no input of the graph.
  Value* stand_in(const Type& type);
  Value* fresh_input(bool plain = false);  // null: there are enough; plain: contiguous
  const Graph& graph() const { return *graph_; }
  // Sizes that fresh inputs are relatives of.
  const Dims& base();
  void relate_to(const Dims& base) { base_ = base; }
  void close() { closed_ = true; }  // no more inputs

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
  const std::vector<const Row*>& rows_of(int kind);
  void drop_unnamed_inputs();
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
  bool wishes(const Row& row, DrawFn draw);
  bool grant(const Wish& wish, Value* offered, Arg& arg);

  // args.cpp
  bool fill(const Row& row);
  bool first_operand(const Row& row, size_t index, Arg& arg);
  bool operand(const Row& row, size_t i, Arg& arg);
  bool operand_list(const Row& row, Arg& arg);
  bool may_be_none(const Row& row, size_t i) const;
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
  void raise_in_turn();
  void anew(Value* outside, Value* carried);
  Value* ends_after(Value* index);
  Value* newest_like(const Value* model, size_t from);
  Value* small_constant(TypeKind kind);

  // fails.cpp
  void fail();
  void raise_in_branch(Value* written);
  void raise_in_chain(Value* written);
  Value* writable_input();
  Value* named_input(const char* name, TypeKind kind);

  // insert.cpp
  void gather(Node* before);

  // changes.cpp
  Value* with_defaults(const Row& row, std::vector<Value*> inputs);
  Value* part(Value* of, int d, int64_t first, int64_t last, int64_t step);
  void stores();
  void part_by_part(Value* x);
  Value* computed_by_parts(Value* x, int d);
  Value* factor();
  void sum_of_products();
  void items();

  // expression.cpp
  void expression();
  void read_once(bool closes);

  // random.cpp
  void random();

  // joins.cpp
  Value* joined(Value* first, Value* x, int64_t dim);
  void join();

  // rewritable.cpp
  std::optional<IValue> drawn_word(const Row& row, size_t i, const TensorInfo& x);
  bool fill_variables(const LeftSide& left, bool any_dtypes, Match& match);
  Value* left_side(const LeftSide& left, bool any_dtypes);
  void rewritable();

  // repeat.cpp
  void share(std::vector<Value*>& operands);
  const Row* drawable(const char* name) const;
  Value* append(const Row& row, const std::vector<Value*>& inputs);
  void overwrite(Value* v);
  void repeat();
  void repeat(const Node* like);
  void flattened(Value* product);
  void spread();
  void tuple();
  void call();
  std::vector<Node*> repeatable_nodes() const;
  bool in_scope(const Value* v) const;
  Value* argument_of(const Value* parameter);

  std::shared_ptr<const Menu> menu_;
  bool all_rows_ = false;  // the menu's, and those that it leaves out
  Choices& choices_;
  const Policy& policy_;
  int budget_;  // ops still to be made
  std::unique_ptr<Graph> graph_;
  Block* block_ = nullptr;
  std::vector<Value*> tensors_;
  std::vector<Value*> scalars_;
  // While one node's arguments are drawn: the first operand, the dim drawn for it, and how many
  // elements lie from the index drawn on.
  Value* self_ = nullptr;
  int dim_ = 0;
  int64_t room_ = 0;
  bool nested_ = false;  // the body of a function
  bool closed_ = false;
  std::optional<Dims> base_;  // sizes that inputs are relatives of
  Node* made_ = nullptr;      // the latest node
  int calls_ = 0;
  // The node being made; kept for their memory.
  std::vector<Arg> args_;
  std::vector<ArgInfo> infos_;
  std::vector<Type> types_;
  std::vector<Value*> operands_;
};

}  // namespace fusillade::fuzz
