// A program under construction: a pool of values in scope, the block that steps add nodes to, and
// what all productions do to it.
//
// Shapes direct everything: operands are picked for the shapes they have, arguments are drawn
// inside the limits those shapes set, and an operator's own inference has the last word before its
// node is created. Where no value in scope fits, a fresh input of the wanted dtype and shape is
// added to the program.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/passes/rule.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"

namespace fusillade::fuzz {

// May two elements share memory? Conservative.
bool overlaps(const TensorInfo& info);

// May argument i of the operator, of integers, not be 0?
bool is_divisor(const Operator& op, size_t i);

// Operators a generator may draw, by kind.
struct Menu {
  std::vector<const Operator*> pointwise, in_place, reduce, view, contract, movement, create,
      composite, scalar;
  std::vector<const Operator*> for_steps;  // that only steps draw which know what they write
};

// One argument of a node to be: a value in scope, or a constant to be.
struct DrawnArg {
  Value* value = nullptr;
  IValue literal;
  std::vector<Value*> list;  // Tensor[]; null: None
  bool is_list = false;
  void reset();
};

struct GraphState {
  static constexpr int64_t kMostParts = 4;  // of a chunk, a split, a narrow

  // `operators`: those that may be drawn; empty: all.
  GraphState(Choices& choices, const Policy& policy, int ops,
             const std::function<bool(const Operator&)>& operators = {});
  // A program that is there already, whose tensors have complete types.
  GraphState(Choices& choices, const Policy& policy, std::unique_ptr<Graph> graph,
             const std::function<bool(const Operator&)>& operators);

  std::shared_ptr<const Menu> menu;
  bool all_operators = false;                      // the menu's, and those that it leaves out
  std::function<bool(const Operator&)> operators;  // empty: all
  Choices& choices;
  const Policy& policy;
  int budget;  // ops still to be added
  std::unique_ptr<Graph> graph;
  Block* block = nullptr;
  std::vector<Value*> tensors;
  std::vector<Value*> scalars;
  // While one node's arguments are drawn: the first operand, the dim drawn for it, and how many
  // elements lie from the index drawn on.
  Value* self = nullptr;
  int dim = 0;
  int64_t room = 0;
  int64_t most_elements = 6000;  // of a result
  bool nested = false;           // the body of a function
  bool closed = false;           // no more inputs
  std::optional<Dims> base;      // sizes that inputs are relatives of
  Node* latest = nullptr;        // the latest node
  int calls = 0;
  std::vector<std::string> compilers;  // that the program is for (peer_patterns.h)
  std::vector<std::string> patterns;   // of other compilers (peer_patterns.h) that were drawn
  // Of the node under construction; members, so that their memory is reused.
  std::vector<DrawnArg> args;
  std::vector<ArgInfo> infos;
  std::vector<Type> types;
  std::vector<Value*> operands;
};

// Whole programs, taken out of the state: of `budget` steps; of one operator, null when nothing
// fits.
std::unique_ptr<Graph> build_graph(GraphState& g, Sizes sizes);
std::unique_ptr<Graph> build_of_operator(GraphState& g, const Operator& op);
// Inserts some steps before a node, on what is in scope; returns the tensors they produce. Their
// other operands are fresh inputs.
std::vector<Value*> insert_steps(GraphState& g, int ops, Node* before);

// For programs that are written as text: one node at a time, of values that the writer has in
// scope. Null when no operator that was tried fits. Other operands of the node are fresh inputs of
// the graph.
Node* draft_node(GraphState& g, const std::vector<Value*>& tensors,
                 const std::vector<Value*>& scalars, bool pointwise);
// A value of that type; no input of the graph.
Value* stand_in(GraphState& g, const Type& type);

// Steps.
void make_steps(GraphState& g, int count, int depth);
void join_and_cut(GraphState& g);
void part_by_part(GraphState& g, Value* x);
void sum_of_products(GraphState& g);

// One node: of drawn arguments; of one of some operators; of inputs, null where the operator does
// not take them; the same with further arguments as the schema has them.
bool draw_node(GraphState& g, const Operator& op);
bool draw_of(GraphState& g, const std::vector<const Operator*>& operators);
Value* append(GraphState& g, const Operator& op, const std::vector<Value*>& inputs);
Value* with_defaults(GraphState& g, const Operator& op, std::vector<Value*> inputs);
// One index of dimension d, or every `step`-th of a range.
Value* take_part(GraphState& g, Value* of, int d, int64_t first, int64_t last, int64_t step);
// Writes over a tensor of floats what it holds times -1.
void overwrite(GraphState& g, Value* v);
// The operator where it may be drawn: element-wise ones, views, moves and those that make a tensor.
// Null for others: composites, reductions and products are appended as they are.
const Operator* drawable(const GraphState& g, const Operator& op);

// May it be drawn at all, of whatever kind?
bool may_draw(const GraphState& g, const Operator& op);
// By what the node divides, as the number of a tensor that has not one element, as the int of NaN.
bool may_raise(const Node* n);

// Values in scope.
void add_result(GraphState& g, Value* v);
Value* pick_tensor(GraphState& g);
// The latest one (of those from index `from` on) of the model's type, or null.
Value* newest_like(GraphState& g, const Value* model, size_t from);
Value* draw_condition(GraphState& g);
// Inputs; null: there are enough. plain: contiguous.
Value* add_input(GraphState& g, DType dtype, const Dims& sizes, bool plain = false);
Value* fresh_input(GraphState& g, bool plain = false);
// Sizes that fresh inputs are relatives of.
const Dims& base_sizes(GraphState& g);

// Arguments of the node under construction (args.cpp, arg_requests.cpp).
bool fill_arguments(GraphState& g, const Operator& op);
bool meet_requests(GraphState& g, const Operator& op, DrawFn draw);
bool fits_in_place(GraphState& g, const Operator& op, std::span<const ArgInfo> infos);
DType draw_dtype(GraphState& g);
Dims fresh_size(GraphState& g);
Dims size_of_many_dims(GraphState& g);
Dims large_size(GraphState& g);
Dims draw_reshape(GraphState& g, int64_t numel);

}  // namespace fusillade::fuzz
