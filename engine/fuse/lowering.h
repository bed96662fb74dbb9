// Lowering of one group at concrete types: every value of the group as a function from indices to
// Expr.
//
// Pointwise values and views are inlined into their readers. A value is given memory (an Out or
// Temp buffer) when it leaves the group, when it is a reduction, a product, a join of others, what
// is looked through for its greatest element (so that it is the same both times) or a factor of a
// product, or when it is read more than once and at least once through other indices than its own
// (so that expressions stay linear in the program).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "engine/fuse/coalesce.h"
#include "engine/fuse/dynamic_numbers.h"
#include "engine/fuse/fuser.h"
#include "engine/fuse/nest.h"

namespace fusillade::fuse {

class Lowering {
 public:
  // Stages as the kernel's body; returns how each of its statements is laid out.
  using Mapping = std::vector<Schedule> (*)(const std::vector<Stage>& stages,
                                            DynamicNumbers& numbers, kernel::Kernel& kernel);
  // The cost of one more launch, compared with recomputing a row of functions for each row of a
  // matrix: lower in loops of the host, higher in grids. In loops, an input scaled or offset by a
  // number is recomputed, too, instead of stored.
  enum class Launches : uint8_t { Cheap, Dear };
  // `group` is straight-line, composites already expanded, every value's type complete.
  // `stand_ins` is null where all sizes are what they are.
  Lowering(const Graph& group, const std::vector<ArgSpec>& args, const StandIns* stand_ins,
           Mapping mapping, Launches launches);
  Lowered run();  // throws Unsupported

  // What kinds of nodes (lowering_kind.h) make their stages by.
  using Indices = std::vector<Expr>;
  std::vector<ArgInfo> infos(const Node* node) const;
  Dims logical(Value* value) const;
  bool is_read(const Value* v) const { return read_.count(v) != 0; }
  // Loops over an input: its dimensions that stay, then those that go. The indices at which a stage
  // reads it.
  static Indices walk(const Dims& in, const Dims& axes, bool keepdim, Stage& stage);
  Expr element(Value* value, const Indices& indices);
  // The stage's accumulator takes in one element after the other. Returns what it comes to.
  Expr fold(const ReducePlan& plan, Model model, Expr element, Stage& stage);
  // Loops of the host decline lines that lie across the memory of many elements.
  void need_lines_in_cache(const Dims& in, const Dims& axes) const;
  int new_temp(DType dtype, const Dims& sizes);
  int write(Value* value) { return buffers_[value] = buffer_for(value); }  // the buffer it is in
  void add_stage(Stage stage);
  std::map<const Node*, int>& extreme_indices() { return extreme_indices_; }
  void emit_join(Value* value);
  void emit_reduce(Value* value);
  void emit_product(Value* value);
  void emit_convolution(Value* value);

 private:
  void find_read();
  void choose_space();
  void choose_memory();
  bool wants_memory(const Value* v) const;
  bool computed_over_and_over(const Value* v) const;
  int64_t cycles_where_read(const Value* v, std::set<const Value*>& seen) const;
  bool computed_again(const Node* node) const;
  void add_inputs();
  void add_scalar(int index);
  void add_draws();
  void emit(Value* value);
  void emit_pointwise_or_view(Value* value);
  using Term = std::function<Expr(const Indices&)>;
  Expr sum_of(const Dims& extents, const Term& term, DType dtype, bool onto_bias, Stage& stage);
  bool across_lanes(const Term& term, const Dims& extents, const Stage& stage) const;
  int rows_side_by_side(Value* right, bool turned);
  int pad_input(Value* input, int dims, const Dims& before, const Dims& after);
  void need_small_product(const Node* node) const;
  int buffer_for(Value* value);
  Expr compute(Value* value, const Indices& indices);
  Expr pointwise(Node* node, const Indices& indices);
  Expr operand(Node* node, const PointwisePlan& plan, const PointwisePlan::Operand& operand,
               const Indices& indices);
  Expr scalar(Value* value) const;
  Expr uniform_value(Node* node, const Indices& indices);
  Expr view(Node* node, size_t which, const Indices& indices);
  void make_kernel_dynamic();

  const Graph& group_;
  const std::vector<ArgSpec>& args_;
  Mapping mapping_;
  Launches launches_;
  Lowered out_;
  DynamicNumbers numbers_;
  IterationSpace space_;
  std::unordered_set<const Value*> read_;  // values whose elements the results are computed from
  std::map<const Value*, int> buffers_;    // values in memory
  std::map<const Value*, bool> in_memory_;
  std::map<const Node*, int> extreme_indices_;  // buffers of where extremes are
  std::map<const Value*, int> scalar_vars_;
  std::map<const Node*, int> positions_;  // variables: where the numbers that it draws begin
  std::map<std::vector<const void*>, Expr> memo_;  // (value, indices) -> element
  std::vector<Stage> stages_;
};

}  // namespace fusillade::fuse
