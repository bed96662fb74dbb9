// What samples cannot say of operators that modules consist of: writes to arguments, random
// numbers, aliasing, and which composites become kernels.
#include <gtest/gtest.h>

#include "engine/front/script.h"
#include "engine/fuse/fuser.h"
#include "engine/ir/composite.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

Tensor floats(const Dims& sizes, std::initializer_list<double> values) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  int64_t i = 0;
  for (double v : values) set_element(t, i++, v);
  return t;
}

Tensor full(const Dims& sizes, double value) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, value);
  return t;
}

std::vector<IValue> run(const char* name, std::vector<IValue> args, const char* plan = "eager") {
  const Operator& r = operator_named(name);
  for (size_t i = args.size(); i < r.schema.args.size(); ++i)
    args.push_back(r.schema.args[i].default_value);
  return prepare(composite_body(r), parse_plan(plan))->run(args);
}

// PyTorch 1.13.1: batch_norm of [[1, 2], [3, 6]] with momentum 0.25 leaves mean [0.5, 1.75], var
// [1.25, 2.75].
TEST(ModuleOperators, BatchNormMovesItsStatistics) {
  for (const char* plan : {"eager", "vm/o2"}) {
    Tensor mean = floats({2}, {0, 1});
    Tensor var = floats({2}, {1, 1});
    run("aten::batch_norm",
        {floats({2, 2}, {1, 2, 3, 6}), IValue(), IValue(), mean, var, IValue(true), IValue(0.25),
         IValue(1e-5), IValue(false)},
        plan);
    EXPECT_TRUE(bitwise_equal(mean, floats({2}, {0.5, 1.75}))) << plan;
    EXPECT_TRUE(bitwise_equal(var, floats({2}, {1.25, 2.75}))) << plan;
    run("aten::batch_norm",
        {floats({2, 2}, {1, 2, 3, 6}), IValue(), IValue(), mean, var, IValue(false), IValue(0.25),
         IValue(1e-5), IValue(false)},
        plan);
    EXPECT_TRUE(bitwise_equal(mean, floats({2}, {0.5, 1.75}))) << plan;
  }
}

TEST(ModuleOperators, BatchNormIsKnownToWrite) {
  const Schema& s = operator_named("aten::batch_norm").schema;
  EXPECT_TRUE(s.args[3].written);
  EXPECT_TRUE(s.args[4].written);
  EXPECT_TRUE(s.writes());
}

// What a program of these lines says of its input `x`, of this dtype.
std::string said_of(DType dtype, const std::string& lines) {
  try {
    prepare(*parse_graph("graph(%x : Tensor):\n" + lines + "  return (%y)\n"), parse_plan("eager"))
        ->run({Tensor::zeros({2, 3}, dtype)});
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ModuleOperators, OnlyFloatsCanRequireGradients) {
  auto gradient_error = [](DType dtype, int wanted) {
    return said_of(dtype, fmt::format("  %b : bool = prim::Constant[value={}]()\n"
                                      "  %y : Tensor = aten::requires_grad_(%x, %b)\n",
                                      wanted));
  };
  EXPECT_EQ(gradient_error(DType::F16, 1), "");
  EXPECT_EQ(gradient_error(DType::I64, 0), "");
  EXPECT_NE(gradient_error(DType::I64, 1).find("only tensors of floats can require gradients"),
            std::string::npos);
  EXPECT_NE(gradient_error(DType::Bool, 1).find("bool"), std::string::npos);
}

TEST(ModuleOperators, ANormIsWrittenToTheDtypeThatItNames) {
  auto norm_error = [](int code) {
    return said_of(DType::F32,
                   fmt::format("  %p : int = prim::Constant[value=2]()\n"
                               "  %one : int = prim::Constant[value=1]()\n"
                               "  %dims : int[] = prim::ListConstruct(%one)\n"
                               "  %no : bool = prim::Constant[value=0]()\n"
                               "  %none : NoneType = prim::Constant()\n"
                               "  %six : int = prim::Constant[value=6]()\n"
                               "  %code : int = prim::Constant[value={}]()\n"
                               "  %sizes : int[] = prim::ListConstruct(%p)\n"
                               "  %out : Tensor = aten::zeros(%sizes, %code, %none, %none, %none)\n"
                               "  %y : Tensor = aten::norm(%x, %p, %dims, %no, %six, %out)\n",
                               code));
  };
  EXPECT_EQ(norm_error(6), "");
  EXPECT_NE(norm_error(15).find("out is of the dtype that is asked for"), std::string::npos);
  EXPECT_NE(norm_error(7).find("out is of the dtype that is asked for"), std::string::npos);
}

TEST(ModuleOperators, DropoutKeepsItsShareAndScales) {
  Tensor ones = full({10000}, 1);
  Tensor out = run("aten::dropout", {ones, IValue(0.25), IValue(true)})[0].as_tensor();
  int64_t kept = 0;
  for (int64_t i = 0; i < out.numel(); ++i) {
    double v = element_as_double(out, i);
    EXPECT_TRUE(v == 0 || v == static_cast<double>(1.0f / 0.75f));
    kept += v != 0;
  }
  EXPECT_NEAR(static_cast<double>(kept), 7500, 250);  // nearly six deviations
  EXPECT_FALSE(
      bitwise_equal(out, run("aten::dropout", {ones, IValue(0.25), IValue(true)})[0].as_tensor()));
  EXPECT_TRUE(
      run("aten::dropout", {ones, IValue(0.25), IValue(false)})[0].as_tensor().shares_storage(
          ones));
}

TEST(ModuleOperators, FeatureDropoutDropsWholeChannels) {
  Tensor out =
      run("aten::feature_dropout", {full({4, 8, 5}, 1), IValue(0.5), IValue(true)})[0].as_tensor();
  for (int64_t channel = 0; channel < 32; ++channel) {
    for (int64_t i = 1; i < 5; ++i) {
      EXPECT_EQ(element_as_double(out, channel * 5), element_as_double(out, channel * 5 + i));
    }
  }
}

TEST(ModuleOperators, InPlaceIndexingWritesThroughViews) {
  Tensor base = full({3, 4}, 0);
  Tensor column = Tensor::view_of(base, 1, Dims{3}, Dims{4});
  Tensor index = Tensor::empty({2}, DType::I64);
  set_element_int(index, 0, 2);
  set_element_int(index, 1, 2);
  IValue indices = IValue::list({index}, TypeKind::Tensor);
  run("aten::index_put_", {column, indices, floats({2}, {5, 7}), IValue(true)});
  EXPECT_EQ(element_as_double(base, 9), 12);
  run("aten::index_put_", {column, indices, floats({}, {3}), IValue(false)});
  EXPECT_EQ(element_as_double(base, 9), 3);
}

// One value under a mask is put as values at listed indices are.
TEST(ModuleOperators, MasksPutOneValue) {
  for (const Dims& sizes : {Dims{6}, Dims{6, 5}, Dims{6, 5, 3}}) {
    Tensor mask = Tensor::zeros({6}, DType::Bool), indices = Tensor::empty({3}, DType::I64);
    for (int64_t i = 0; i < 3; ++i) {
      set_element_int(mask, 2 * i, 1);
      set_element_int(indices, i, 2 * i);
    }
    for (const Tensor& value : {floats({}, {3}), floats({1}, {-0.0})}) {
      const Tensor by_mask = full(sizes, 1), by_place = full(sizes, 1);
      run("aten::index_put_",
          {by_mask, IValue::list({mask}, TypeKind::Tensor), value, IValue(false)});
      run("aten::index_put_",
          {by_place, IValue::list({indices}, TypeKind::Tensor), value, IValue(false)});
      EXPECT_TRUE(bitwise_equal(by_mask, by_place));
    }
  }
  // A mask that is written while it is read: taken before.
  Tensor bits = to_dtype(floats({5}, {1, 1, 1, 1, 0}), DType::Bool);
  const Tensor head = Tensor::view_of(bits, 0, Dims{4}, Dims{1});
  const Tensor tail = Tensor::view_of(bits, 1, Dims{4}, Dims{1});
  run("aten::index_put_", {tail, IValue::list({head}, TypeKind::Tensor),
                           to_dtype(floats({}, {0}), DType::Bool), IValue(false)});
  EXPECT_EQ(element_as_double(bits, 0), 1);
  for (int64_t i = 1; i < 5; ++i) EXPECT_EQ(element_as_double(bits, i), 0);
  const Tensor other = full({6}, 1), wrong = full({4}, 1);
  EXPECT_THROW(run("aten::index_put_",
                   {other, IValue::list({to_dtype(wrong, DType::Bool)}, TypeKind::Tensor),
                    floats({}, {3}), IValue(false)}),
               Error);
}

// Composites of element-wise operators, reductions and views may fuse, and so may
// convolutions; those that move or write may not.
TEST(ModuleOperators, WhichCompositesFuse) {
  auto may_fuse = [](const std::string& source) {
    Script s = compile_script(source, "t.py");
    const Graph& g = *s.find("f");
    for (const Node* n : g.block()->nodes()) {
      if (n->kind() == OpKind::Composite) return fuse::fuser("loopnest").may_fuse_with(n, {});
    }
    return false;
  };
  EXPECT_TRUE(may_fuse("def f(x: Tensor):\n    return torch.layer_norm(x, [4])\n"));
  EXPECT_TRUE(may_fuse("def f(x: Tensor):\n    return torch.var(x)\n"));
  EXPECT_TRUE(may_fuse("def f(x: Tensor, w: Tensor):\n    return torch.conv2d(x, w)\n"));
  EXPECT_FALSE(may_fuse("def f(x: Tensor, w: Tensor):\n    return torch.conv_transpose2d(x, w)\n"));
  EXPECT_TRUE(may_fuse("def f(x: Tensor):\n    return torch.dropout(x, 0.5, True)\n"));
}

}  // namespace
}  // namespace fusillade
