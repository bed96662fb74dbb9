// Composites: rows whose meaning is a body of other rows, in IR text. Executors run the body, fusers inline
// it.
#include "engine/ops/row.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;

// The head both share, up to the sum of exponentials; a body differs in the name for errors and in its end.
std::string softmax_body(const char* name, const char* end) {
  return fmt::format(R"(graph(%self : Tensor, %dim : int, %dtype : int?):
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %given : Tensor = aten::to(%self, %dtype, %no, %no)
  %op : str = prim::Constant[value="{}"]()
  %x : Tensor = prim::require_floating(%given, %op)
  %dims : int[] = prim::ListConstruct(%dim)
  %top : Tensor = prim::amax_or_least(%x, %dims, %yes)
  %shifted : Tensor = aten::sub(%x, %top, %one)
  %e : Tensor = aten::exp(%shifted)
  %total : Tensor = aten::sum(%e, %dims, %yes, %none)
{}  return (%result)
)", name, end);
}

// exp(x - max) / sum(exp(x - max))
constexpr const char* kSoftmaxEnd = R"(  %result : Tensor = aten::div(%e, %total)
)";

// x - max - log(sum(exp(x - max)))
constexpr const char* kLogSoftmaxEnd = R"(  %log : Tensor = aten::log(%total)
  %result : Tensor = aten::sub(%shifted, %log, %one)
)";

void infer_softmax(const Row& row, Args args, std::vector<Type>& results) {
  TensorInfo info = args[0].type.info();
  bool given = !args[2].type.is(TypeKind::None) && !(args[2].known && args[2].value.is_none());
  if (given) {
    info.has_dtype = args[2].known;
    if (args[2].known) info.dtype = dtype_from_aten(args[2].value.as_int());
  }
  if (info.has_dtype && !is_float(info.dtype)) {
    fail("{} is not defined for {}", row.schema.name, name_of(info.dtype));
  }
  if (info.rank_known && args[1].known) {
    wrap_dim(args[1].value.as_int(), info.sizes.rank());
  }
  // Layout is that of the body's element-wise rows, which depends on their operands.
  bool plain = info.complete() && is_contiguous(info.sizes, info.strides);
  if (plain) {
    results.push_back(Type::tensor(info.dtype, info.sizes));
    return;
  }
  info.strides_known = false;
  results.push_back(Type::tensor(info));
}

void add(const char* schema, std::string body, InferFn infer, std::vector<Role> roles) {
  Row r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Composite;
  r.family = "composite";
  r.body = std::move(body);
  r.infer = infer;
  r.roles = std::move(roles);
  r.drawn_dtypes = kFloatDTypes;  // a drawn call gives no dtype
  RowTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
      softmax_body("aten::softmax", kSoftmaxEnd), &infer_softmax, {Operand, Dim, Default});
  add("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
      softmax_body("aten::log_softmax", kLogSoftmaxEnd), &infer_softmax, {Operand, Dim, Default});
  return true;
}();

}  // namespace
}  // namespace fusillade
