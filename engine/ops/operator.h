// An operator (ATen's word is op): its schema, its payload (what it computes, in a form every
// subsystem can instantiate), how types flow through it, and how a generator draws its arguments.
//
// Payload kinds. Each has a `plan_*` function that turns an operator and concrete arguments into a
// small description; eager execution, fusers, the shadow and the ring all read that one
// description.
//
//   Pointwise  formula over broadcast operands         plan_pointwise
//   Reduce     combine formula over axes               plan_reduce
//   View       geometry of the result over its input   plan_view
//   Contract   matrix products                         plan_contract (run time)
//   Opaque     anything else on tensors (cat, ...)     run only
//   Create     tensors from sizes                      run only
//   Scalar     arithmetic of int, float, bool, lists   run only
//   Composite  `body`: a script over other operators        body
//   Prim       structure and control flow; executors know the few that have blocks
//
// In-place forms (add_) and their schemas are derived by the registration of pointwise
// operators.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/table.h"
#include "engine/ops/schema.h"
#include "engine/scalar/bounded.h"
#include "engine/scalar/dual.h"
#include "engine/scalar/expr.h"

namespace fusillade {

struct Operator;

enum class OpKind : uint8_t {
  Pointwise,
  Reduce,
  View,
  Contract,
  Opaque,
  Create,
  Scalar,
  Composite,
  Prim
};

// What is known of an argument before running: its static type and, when known, its value.
struct ArgInfo {
  Type type;
  IValue value;
  bool known = false;
  std::vector<Type> items;  // a list of tensors built in the graph: their types
};

// One formula, instantiated. `in` are contiguous blocks of the compute type (float, double,
// int64_t, or the ring's payload of the same width); `out` is the compute type, or bytes 0/1 for a
// predicate.
using NativeLoop = void (*)(const void* const* in, void* out, int64_t n);
struct Formula {
  int arity = 0;
  bool predicate = false;
  NativeLoop loop[kNumDomains][kNumModels] = {};  // null: not defined for that domain and model
  // Of U8, I8, I16 and I32, where the low bits of a result hang on those of the operands alone;
  // null: not so, or not written.
  NativeLoop narrow[4] = {};
  Expr (*expr)(const Expr* in) =
      nullptr;  // operands and result in one model (result Bool if predicate)
  void (*bounded)(const Bounded* const* in, Bounded* out,
                  int64_t n) = nullptr;                                 // null: unknown
  void (*dual)(const Dual* const* in, Dual* out, int64_t n) = nullptr;  // null: of integers
};

// How one pointwise call computes: convert each operand to `compute`, apply `formula` in its model,
// round to `result`.
struct PointwisePlan {
  struct Operand {
    int arg;         // index into the schema's arguments, or -1: a literal
    IValue literal;  // the Number when arg is -1 or the argument is a scalar known here
  };
  std::vector<Operand> operands;  // formula order
  const Formula* formula = nullptr;
  DType compute = DType::F32;  // dtype whose model the formula runs in; operands are rounded to it
  DType result = DType::F32;
};

// How one reduction computes: acc = combine(acc, x) over `axes` starting from `identity` in the
// model of `accumulate`; then finalize(acc, count) when not null; then round to `result`.
struct ReducePlan {
  Dims axes;  // ascending, wrapped
  bool keepdim = false;
  const Formula* combine = nullptr;
  const Formula* finalize = nullptr;  // arity 2: accumulator, element count
  double identity = 0;                // for floats
  int64_t int_identity = 0;           // for integers
  bool empty_is_error = false;        // amax of nothing
  bool any_order = true;              // rounding differs between orders (sum); false for max, min
  DType convert = DType::F32;         // elements are converted to this first
  DType accumulate = DType::F32;
  DType result = DType::F32;
};

// The result of a view as geometry over its input's storage; `copy` when no such geometry exists
// and the operator must copy (reshape). Several results for split and chunk.
struct ViewGeometry {
  Dims sizes;
  Dims strides;
  int64_t offset = 0;
  bool copy = false;
};

// A matrix product with concrete arguments: beta * bias + alpha * (a @ b), as views of the
// arguments.
struct ContractPlan {
  Tensor a;     // [batch..., m, k]
  Tensor b;     // [batch..., k, n]; the same batch sizes
  Tensor bias;  // undefined, or broadcastable to [batch..., m, n]
  double alpha = 1;
  double beta = 1;
  Dims sizes;  // of the result: batch, m and n without the dimensions that vectors lack
};

// Elements added to memory: in order, values[i] is added to self's element indices[i] (counted in
// its storage).
struct ScatterPlan {
  Tensor self;    // what is written
  Tensor values;  // of as many elements as there are indices
  std::vector<int64_t> indices;
};

// How a generator draws a non-operand argument.
enum class Role : uint8_t {
  Operand,     // a tensor; shapes related as the payload says
  Number,      // Scalar: a literal or a scalar value
  Dim,         // int in [-rank, rank)
  DimOrEnd,    // int in [-rank-1, rank]: unsqueeze, stack
  DimList,     // int[]: a set of dims, perhaps empty
  Perm,        // int[]: a permutation
  Size,        // int[]: a size of the same numel (view, reshape), perhaps one -1
  ExpandSize,  // int[]: the operand's size expanded
  FreshSize,   // int[]: any small size
  Index,       // int indexing the drawn dim
  Start,       // slice bounds, step
  End,
  Step,
  Parts,        // chunks, or split size
  Flag,         // bool
  DTypeCode,    // int? dtype
  OperandList,  // Tensor[]: operands of one shape
  Single,       // a tensor of one element
  Divisor,      // a number that must not be 0
  Matrix,       // [m, k]
  MatrixRight,  // [k, n] for the Matrix before it
  Weight,       // [n, k] for the Matrix before it
  Vector,       // [k] for the Matrix before it
  Batch,        // [b, m, k]
  BatchRight,   // [b, k, n] for the Batch before it
  Bias,         // broadcastable to the product; or [n] after a Weight
  Indices,      // integers, bools: which elements, not elements themselves; an operator with it has
                // `draw`
  Default,      // leave the default
};

// One drawn argument of an operator whose arguments depend on each other in ways that roles do not
// say.
struct ArgRequest {
  enum class Kind : uint8_t { Literal, Offered, Tensor, List };
  Kind kind = Kind::Literal;
  IValue literal{};          // Literal
  DType dtype = DType::F32;  // Tensor: any of this dtype and size; or, when lo <= hi, a fresh one
  Dims sizes{};              //   whose elements lie in [lo, hi]
  int64_t lo = 0, hi = -1;
  std::vector<ArgRequest> items{};  // List: of tensors
  static ArgRequest of(IValue v) { return {.literal = std::move(v)}; }
  static ArgRequest offered_value() { return {.kind = Kind::Offered}; }
  static ArgRequest tensor(DType dtype, const Dims& sizes) {
    return {.kind = Kind::Tensor, .dtype = dtype, .sizes = sizes};
  }
  static ArgRequest indices(const Dims& sizes, int64_t lo, int64_t hi) {
    return {.kind = Kind::Tensor, .dtype = DType::I64, .sizes = sizes, .lo = lo, .hi = hi};
  }
  static ArgRequest list(std::vector<ArgRequest> items) {
    return {.kind = Kind::List, .items = std::move(items)};
  }
};

// Where an operator's `draw` gets its numbers from.
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual int64_t between(int64_t lo, int64_t hi) = 0;  // both ends included
  bool percent(int p) { return between(0, 99) < p; }
};

using InferFn = void (*)(const Operator& op, std::span<const ArgInfo> args,
                         std::vector<Type>& results);
// What an operator may read of the node that it runs for. The node outlives what is kept of it.
struct Site {
  std::string_view name{};     // attribute "name"
  const Type* type = nullptr;  // of its first result; null: there is none, or no node
  int results = -1;            // how many it has; -1: as many as there are
};
using RunAtFn = void (*)(const Operator& op, const Site& site, std::span<const IValue> args,
                         std::vector<IValue>& results);
using RunFn = void (*)(const Operator& op, std::span<const IValue> args,
                       std::vector<IValue>& results);
using PlanPointwiseFn = PointwisePlan (*)(const Operator& op, std::span<const ArgInfo> args);
using PlanReduceFn = ReducePlan (*)(const Operator& op, std::span<const ArgInfo> args);
using PlanViewFn = std::vector<ViewGeometry> (*)(const Operator& op, std::span<const ArgInfo> args,
                                                 const Dims& sizes, const Dims& strides);

using PlanScatterFn = ScatterPlan (*)(const Operator& op, std::span<const IValue> args);
// Arguments for a call, a request for each; `offered`: a tensor in scope that one of them may be,
// or null. Empty when the offer does not suit.
using DrawFn = std::vector<ArgRequest> (*)(const Operator& op, Chooser& chooser,
                                           const TensorInfo* offered);

using PlanContractFn = ContractPlan (*)(const Operator& op, std::span<const IValue> args);

inline constexpr uint16_t kAllDTypes = (1u << kNumDTypes) - 1;
inline constexpr uint16_t kFloatDTypes =
    1u << int(DType::F16) | 1u << int(DType::BF16) | 1u << int(DType::F32) | 1u << int(DType::F64);

struct Operator {
  std::string name;   // full: "aten::add.Tensor"; the table's key
  size_t number = 0;  // its index in the table
  Schema schema;
  OpKind kind = OpKind::Prim;
  RunFn run = nullptr;  // appends its results; it and run_at are called by call.h alone
  RunAtFn run_at =
      nullptr;              // in its place for operators that read their node: prim::GetAttr, lists
  InferFn infer = nullptr;  // appends result types; throws Error when the arguments are illegal
  PlanPointwiseFn pointwise = nullptr;
  PlanReduceFn reduce = nullptr;
  PlanViewFn view = nullptr;
  PlanContractFn contract = nullptr;
  PlanScatterFn scatter = nullptr;  // Opaque operators that add into their first argument
  const struct PointwiseDef* pointwise_def = nullptr;  // what plan_pointwise reads (pointwise.h)
  const struct ReduceDef* reduce_def = nullptr;        // what plan_reduce reads
  const struct ContractDef* contract_def = nullptr;    // what plan_contract reads (contract.cpp)
  std::string body;                                    // Composite: "def ...", a script
  std::vector<Role> roles;                             // one per schema argument
  DrawFn draw = nullptr;                               // draws all arguments, in place of the roles
  std::string family;                                  // the folder of engine/aten: "pointwise"
  bool in_place = false;                 // the derived equivalent that writes its first argument
  const Operator* functional = nullptr;  // the operator this one is the in-place form of
  bool side_effect = false;              // never removed or reordered
  bool nondeterministic = false;         // never merged or folded
  bool asks_gradients = false;           // a program with it runs under a tape (ops/tape.h)
  bool permutes = false;           // View: moves dimensions or adds ones, whatever their sizes
  bool movement = false;           // every result element is an element of some operand, converted
  bool chooses = false;            // compares and picks: exact operands have one legal result
  bool metadata = false;           // reads sizes, strides and dtypes of its tensors, never elements
  bool reads_device = false;       // and where they are
  std::optional<Device> moves_to;  // where its results are, whatever its arguments
  bool generate = true;            // a generator may draw it
  uint16_t drawn_dtypes =
      kAllDTypes;  // a bit per DType: what a generator may draw for the first tensor
  std::string base() const { return schema.name; }
};

using OperatorTable = Table<Operator>;
const Operator* find_operator(std::string_view full_name);   // nullptr when absent
const Operator& operator_named(std::string_view full_name);  // throws Error naming near misses
// All overloads of "aten::add", in registration order.
const std::vector<const Operator*>& overloads(std::string_view base_name);
// The overload that accepts these argument types (positional), first without, then with implicit
// conversions (int -> float -> Scalar, number -> Tensor operand is not implicit); throws Error
// listing the candidates and why each does not fit.
const Operator& resolve(std::string_view base_name, std::span<const Type> args);

// InferFn of composites that leave it to the operators of their bodies. The layer that knows graphs
// provides it.
void infer_by_body(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results);
void provide_body_inference(InferFn fn);

// Runs an operator on values in the current domain, as call.h does, filling in defaults. Throws
// Error on illegal arguments.
std::vector<IValue> call(const Operator& op, std::span<const IValue> args);
// ArgInfo of run-time values.
std::vector<ArgInfo> infos_of(std::span<const IValue> args);

}  // namespace fusillade
