// A reduction that is no fold is one entry for fusers: this file adds one, and groups hold it.
#include "engine/fuse/lowering_kind.h"

#include <gtest/gtest.h>

#include "engine/aten/sort/choose.h"
#include "engine/base/table.h"
#include "engine/fuse/compile_log.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/values.h"
#include "engine/ops/opaque_operator.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// x0 - x1 + x2 - ... of each line of a matrix of whole numbers. What an element adds depends on its
// index, which no fold of elements knows.
void run_alternating(const Operator&, std::span<const IValue> args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();  // a generator may draw any
  if (self.rank() != 2 || self.dtype() != DType::I64) fail("a matrix of i64 is legal");
  Tensor out = Tensor::zeros(Dims{self.sizes()[0]}, DType::I64);
  for (int64_t i = 0; i < self.sizes()[0]; ++i)
    for (int64_t j = 0; j < self.sizes()[1]; ++j) {
      const int64_t at = i * self.strides()[0] + j * self.strides()[1];
      out.data<int64_t>()[i] += (j % 2 ? -1 : 1) * self.data<int64_t>()[at];
    }
  results.emplace_back(out);
}

void infer_alternating(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  if (self.complete() && (self.sizes.rank() != 2 || self.dtype != DType::I64))
    fail("a matrix of i64 is legal");
  results.push_back(self.complete() ? Type::tensor(DType::I64, Dims{self.sizes[0]})
                                    : Type(TypeKind::Tensor));
}

const Operator& kAlternating = OperatorTable::instance().add(opaque_operator(
    "test_ops::alternating(Tensor self) -> Tensor", "test", &run_alternating, &infer_alternating));

void emit_alternating(fuse::Lowering& lowering, Value* value) {
  static const Operator& sum = operator_named("aten::sum.dim_IntList");
  Value* input = value->node()->input(0);
  const ArgInfo args[] = {{input->type(), {}, false, {}},
                          {{}, IValue::int_list(Dims{1}), true, {}},
                          {{}, IValue(false), true, {}},
                          {{}, IValue(), true, {}}};
  fuse::Stage stage;
  const auto read = fuse::Lowering::walk(lowering.logical(input), Dims{1}, false, stage);
  const Expr x = lowering.element(input, read);
  const Expr odd = floor_mod(read[1], Expr::imm_i(2)) == Expr::imm_i(1);
  stage.value = lowering.fold(sum.reduce(sum, args), Model::I64, select(odd, -x, x), stage);
  stage.buffer = lowering.write(value);
  lowering.add_stage(std::move(stage));
}

const auto& kKind = Table<fuse::LoweringKind>::instance().add({
    .name = "alternating sum of a test",
    .covers = [](const Operator& op) { return &op == &kAlternating; },
    .form = fuse::kReduceForms,
    .emit = &emit_alternating,
});

TEST(LoweringKind, OneEntryMakesAReductionPartOfGroups) {
  ASSERT_EQ(fuse::lowering_kind(kAlternating), &kKind);
  Tensor x = Tensor::empty(Dims{3, 5}, DType::I64);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<int64_t>()[i] = i * i % 11 - 4;
  const std::vector<IValue> inputs{IValue(x)};
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n  %a : Tensor = aten::mul(%x, %x)\n"
      "  %b : Tensor = test_ops::alternating(%a)\n  %c : Tensor = aten::neg(%b)\n  return (%c)\n");
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  for (const char* fuser : {"loopnest,interp", "loopnest,llvm", "tile,interp"}) {
    fuse::CompileLog log;
    const auto given = prepare(*graph, parse_plan(fmt::format("vm/fuse({})", fuser)))->run(inputs);
    ASSERT_EQ(log.compilations.size(), 1u) << fuser;
    EXPECT_EQ(log.compilations[0].why, "") << fuser;
    EXPECT_TRUE(bitwise_equal(wanted[0].as_tensor(), given[0].as_tensor())) << fuser;
  }
}

TEST(LoweringKind, SayWhatTheyHold) {
  const auto form = [](const char* name) {
    const fuse::LoweringKind* kind = fuse::lowering_kind(operator_named(name));
    return kind ? kind->name : "none";
  };
  EXPECT_EQ(form("aten::argmax"), "extreme");
  EXPECT_EQ(form("aten::max.dim"), "extreme");
  EXPECT_EQ(form("aten::cumprod"), "scan");
  EXPECT_EQ(form("aten::sum.dim_IntList"), "reduction");
  EXPECT_EQ(form("aten::cat"), "join");
  EXPECT_EQ(form("aten::mm"), "product");
  EXPECT_EQ(form("aten::conv2d"), "convolution");
  EXPECT_EQ(form("aten::relu"), "none");
  EXPECT_EQ(form("aten::sort"), "none");
}

}  // namespace
}  // namespace fusillade
