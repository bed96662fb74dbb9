// The tape: what it records, what it refuses, and what programs ask of it from C++ and from
// scripts. Gradients of single operators are suites/table/gradients_test.cpp's.
#include "engine/front/autograd.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/front/eager.h"
#include "engine/front/gradient.h"
#include "engine/front/script.h"
#include "engine/ops/gradient.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

Tensor vector(const std::vector<double>& values) { return eager::tensor(values, DType::F64); }

Tensor leaf(const std::vector<double>& values) { return eager::requires_grad(vector(values)); }

std::vector<double> elements(const Tensor& t) {
  std::vector<double> out;
  if (!t.is_defined()) return out;
  for (int64_t i = 0; i < t.numel(); ++i) out.push_back(element_as_double(t, i));
  return out;
}

using Doubles = std::vector<double>;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Exception& e) {
    return e.what();
  }
  return "";
}

template <class F>
void expect_error(F f, const std::string& part) {
  std::string error = error_of(f);
  EXPECT_NE(error.find(part), std::string::npos) << "'" << error << "' says no '" << part << "'";
}

Tensor slice_of(const Tensor& t, int64_t from, int64_t to) { return eager::slice(t, 0, from, to); }

TEST(Autograd, GradientsFlowBackToLeavesAndAddUp) {
  eager::Gradients on;
  Tensor x = leaf({1, 2, 3});
  Tensor y = leaf({4, 5, 6});
  eager::backward(eager::sum(x * y + x));
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{5, 6, 7}));
  EXPECT_EQ(elements(eager::gradient(y)), (Doubles{1, 2, 3}));
  eager::backward(eager::sum(x * x));
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{7, 10, 13}));
}

TEST(Autograd, WhatIsWrittenNextToTheOperandsIsRefused) {
  eager::Gradients on;
  const Tensor x = leaf({1, 2}), out = vector({0, 0});
  const std::vector<IValue> args{x, vector({2, 2}), out};
  expect_error([&] { call(operator_named("aten::div.out"), args); },
               "don't support automatic differentiation");
}

TEST(Autograd, LeavesDoNotShareWhatTheyCollected) {
  eager::Gradients on;
  Tensor x = leaf({1}), y = leaf({2});
  eager::backward(eager::sum(x + y));
  eager::backward(eager::sum(x));
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{2}));
  EXPECT_EQ(elements(eager::gradient(y)), (Doubles{1}));
}

TEST(Autograd, BroadcastOperandsGetSumsOfTheirOwnSizes) {
  eager::Gradients on;
  Tensor x = eager::requires_grad(eager::reshape(vector({1, 2, 3, 4, 5, 6}), {2, 3}));
  Tensor b = leaf({1, 10, 100});
  eager::backward(eager::sum(x * b));
  EXPECT_EQ(elements(eager::gradient(b)), (Doubles{5, 7, 9}));
  EXPECT_EQ(eager::gradient(x).sizes(), (Dims{2, 3}));
}

TEST(Autograd, GradientsHaveTheDTypeOfTheirTensors) {
  eager::Gradients on;
  Tensor x = eager::requires_grad(eager::tensor({1, 2}, DType::F32));
  Tensor y = leaf({3, 4});
  eager::backward(eager::sum(x * y));
  EXPECT_EQ(eager::gradient(x).dtype(), DType::F32);
  EXPECT_EQ(eager::gradient(y).dtype(), DType::F64);
}

TEST(Autograd, GradientsOfGradients) {
  eager::Gradients on;
  Tensor x = leaf({2, 3});
  Tensor y = eager::sum(x * x * x);
  Tensor first = eager::gradients({y}, {x}, {.create_graph = true})[0];
  EXPECT_EQ(elements(first), (Doubles{12, 27}));
  Tensor second = eager::gradients({eager::sum(first)}, {x}, {.create_graph = true})[0];
  EXPECT_EQ(elements(second), (Doubles{12, 18}));
  EXPECT_EQ(elements(eager::gradients({eager::sum(second)}, {x})[0]), (Doubles{6, 6}));
}

TEST(Autograd, AWalkBackNeedsWhatItSaved) {
  eager::Gradients on;
  Tensor x = leaf({2});
  Tensor y = eager::sum(x * x);
  eager::backward(y, {.keep = true});
  eager::backward(y);
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{8}));
  expect_error([&] { eager::backward(y); }, "retain_graph=True");
}

TEST(Autograd, StepsThatSavedNothingAreWalkedAgain) {
  eager::Gradients on;
  Tensor x = leaf({2});
  Tensor y = eager::sum(x + 1);
  eager::backward(y);
  eager::backward(y);
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{2}));
}

TEST(Autograd, AViewCreatedWithoutRecordingRequiresNothing) {
  eager::Gradients on;
  Tensor x = leaf({1, 2, 3});
  Tensor y = x * x;
  eager::GradMode off(false);
  Tensor part = slice_of(y, 0, 2);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(part.requires_grad());
  expect_error([&] { eager::backward(eager::sum(part)); }, "requires no gradient");
  expect_error([&] { eager::gradients({part}, {x}, {.seeds = {part}}); }, "requires no gradient");
}

TEST(Autograd, WithoutRecordingNothingIs) {
  Tensor x = vector({1, 2});
  expect_error([&] { eager::requires_grad(x); }, "eager::Gradients");
  eager::Gradients on;
  eager::requires_grad(x);
  {
    eager::GradMode off(false);
    EXPECT_FALSE((x * x).requires_grad());
  }
  EXPECT_TRUE((x * x).requires_grad());
  EXPECT_FALSE(eager::op("detach", {x * x}).tensor().requires_grad());
  EXPECT_FALSE((x > 1).requires_grad());
  Tensor y = x * 3;
  eager::op("detach_", {y});
  EXPECT_FALSE(y.requires_grad());
}

TEST(Autograd, ScopesWithinScopesAddNothing) {
  eager::Gradients on;
  eager::Gradients again;
  Tensor x = leaf({3});
  eager::backward(eager::sum(x * x));
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{6}));
}

TEST(Autograd, InPlaceWritesAreSteps) {
  eager::Gradients on;
  Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  eager::mul_(y, x);  // x * x, of what y was before
  eager::add_(y, 5.0);
  eager::sigmoid_(y);
  Tensor by_hand = leaf({1, 2});
  eager::backward(eager::sum(y));
  eager::backward(eager::sum(eager::sigmoid(by_hand * by_hand + 5)));
  EXPECT_EQ(elements(eager::gradient(x)), elements(eager::gradient(by_hand)));
}

TEST(Autograd, WritesThroughViewsReachTheBaseAndOtherViews) {
  eager::Gradients on;
  Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1;
  Tensor early = slice_of(y, 1, 3);  // created before the write, read after it
  Tensor part = slice_of(y, 0, 2);
  eager::mul_(part, 10.0);
  EXPECT_EQ(elements(y), (Doubles{10, 20, 3, 4}));
  eager::backward(eager::sum(y), {.keep = true});
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{10, 10, 1, 1}));
  EXPECT_EQ(elements(eager::gradients({eager::sum(early)}, {x}, {.keep = true})[0]),
            (Doubles{0, 10, 1, 0}));
  EXPECT_EQ(elements(eager::gradients({eager::sum(part)}, {x})[0]), (Doubles{10, 10, 0, 0}));
}

TEST(Autograd, AWriteMakesTheBaseOfAViewRequireAGradient) {
  eager::Gradients on;
  Tensor base = vector({1, 2, 3});
  Tensor x = leaf({5});
  Tensor part = slice_of(base, 1, 2);
  eager::copy_(part, x);
  EXPECT_TRUE(base.requires_grad());
  eager::backward(eager::sum(base * base));
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{10}));
}

TEST(Autograd, GradientsOfGradientsFollowWritesThroughViews) {
  eager::Gradients on;
  Tensor x = leaf({2, 3});
  Tensor y = x * x;
  Tensor part = slice_of(y, 0, 1);
  eager::mul_(part, slice_of(x, 0, 1));  // x0 ** 3
  Tensor first = eager::gradients({eager::sum(y)}, {x}, {.create_graph = true})[0];
  EXPECT_EQ(elements(first), (Doubles{12, 6}));
  EXPECT_EQ(elements(eager::gradients({eager::sum(first)}, {x})[0]), (Doubles{12, 2}));
}

TEST(Autograd, WhatWasSavedMustNotBeWritten) {
  eager::Gradients on;
  Tensor x = leaf({1, 2});
  Tensor y = x * 2;
  Tensor z = y * y;
  eager::add_(y, 1.0);
  expect_error([&] { eager::backward(eager::sum(z)); }, "was modified in place");
  Tensor e = eager::exp(x);
  Tensor total = eager::sum(e);
  eager::add_(slice_of(e, 0, 1), 1.0);
  expect_error([&] { eager::backward(total); }, "aten::exp needs, its result");
  // A gradient that needs the sizes alone is not disturbed.
  Tensor a = x * 2;
  Tensor s = eager::sum(a);
  eager::mul_(a, 3.0);
  eager::backward(s);
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{2, 2}));
}

TEST(Autograd, LeavesAndSharedViewsAreNotWritten) {
  eager::Gradients on;
  Tensor x = leaf({1, 2});
  expect_error([&] { eager::add_(x, 1.0); }, "a leaf that requires a gradient");
  expect_error([&] { eager::add_(slice_of(x, 0, 1), 1.0); }, "a view of a leaf");
  Tensor y = x * 1;
  expect_error([&] { eager::add_(eager::chunk(y, 2)[0], 1.0); }, "one of several views");
  Tensor view;
  {
    eager::GradMode off(false);
    view = slice_of(y, 0, 1);
    eager::add_(x, 1.0);  // without recording, a leaf may be written
  }
  expect_error([&] { eager::add_(view, 1.0); }, "made without recording");
  EXPECT_EQ(elements(x), (Doubles{2, 3}));
}

TEST(Autograd, WhatAWalkAsksFor) {
  eager::Gradients on;
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor z = x * 2;
  expect_error([&] { eager::backward(z); }, "not of one element");
  expect_error([&] { eager::backward(z, {.seeds = {vector({1})}}); }, "a gradient of f64[1]");
  expect_error([&] { eager::backward(eager::sum(vector({1}))); }, "requires no gradient");
  expect_error([&] { eager::gradients({eager::sum(z)}, {y}); }, "allow_unused");
  expect_error([&] { eager::gradients({eager::sum(z)}, {vector({1})}); }, "requires no gradient");
  expect_error([&] { eager::requires_grad(eager::tensor({1}, DType::I64)); }, "floats");
  Tensor none = eager::gradients({eager::sum(x * 2)}, {y}, {.allow_unused = true})[0];
  EXPECT_FALSE(none.is_defined());
  Tensor seeded = eager::gradients({x * 2}, {x}, {.seeds = {vector({1, 10})}})[0];
  EXPECT_EQ(elements(seeded), (Doubles{2, 20}));
  // Of an intermediate value.
  Tensor middle = x * 3;
  EXPECT_EQ(elements(eager::gradients({eager::sum(middle * middle)}, {middle})[0]),
            (Doubles{6, 12}));
  // Gradients asked for by name are not collected.
  EXPECT_FALSE(eager::gradient(x).is_defined());
}

TEST(Autograd, ALongChainIsWalkedAndLetGo) {
  eager::Gradients on;
  Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 50000; ++i) y = y + x;
  eager::backward(eager::sum(y));
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{50001}));
}

TEST(Autograd, MemoryIsGivenBack) {
  size_t before = Storage::live_bytes();
  {
    eager::Gradients on;
    Tensor x = leaf({1, 2, 3});
    Tensor y = eager::exp(x * x);
    y = y * 1;
    eager::mul_(y, eager::sigmoid(x));
    eager::backward(eager::sum(y));
  }
  EXPECT_EQ(Storage::live_bytes(), before);
}

// By cofactors, which do not divide by the determinant.
TEST(Autograd, DeterminantsOfSingularMatricesHaveGradients) {
  eager::Gradients on;
  const Tensor x = leaf({1, 2, 2, 4, 2, 0, 0, 3});
  const std::vector<IValue> matrices{call(
      operator_named("aten::reshape"), std::vector<IValue>{x, IValue::int_list(Dims{2, 2, 2})})[0]};
  eager::backward(eager::sum(call(operator_named("aten::linalg_det"), matrices)[0].as_tensor()));
  const Doubles wanted{4, -2, -2, 1, 3, 0, 0, 2};
  const Doubles found = elements(eager::gradient(x));
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12);
}

// A margin of zero, and one of NaN, costs nothing.
TEST(Autograd, MarginsThatAreNotPositiveDoNotCount) {
  eager::Gradients on;
  const Tensor x = leaf({1, 0, NAN});
  const Tensor target = eager::tensor({0, -1, -1}, DType::I64);
  const std::vector<IValue> args{x, target, IValue(int64_t{1})};
  const Tensor loss = call(operator_named("aten::multilabel_margin_loss"), args)[0].as_tensor();
  EXPECT_EQ(elements(loss), Doubles{0});
  eager::backward(loss);
  EXPECT_EQ(elements(eager::gradient(x)), (Doubles{0, 0, 0}));
}

TEST(Autograd, OperatorsWithoutAGradientSaySo) {
  eager::Gradients on;
  Tensor x = leaf({1, 2, 3});
  Tensor y = eager::op("histc", {x, 3}).tensor();
  if (y.requires_grad()) expect_error([&] { eager::backward(eager::sum(y)); }, "has no gradient");
}

// ---------------------------------------------------------------------------- scripts

constexpr const char* kScript = R"py(
def collected(x):
    x = x.detach().requires_grad_()
    (x * x).sum().backward()
    (x * 3).sum().backward()
    return x.grad

def second(x):
    x = x.detach().requires_grad_()
    y = (x * x * x).sum()
    g = torch.autograd.grad([y], [x], create_graph=True)[0]
    assert g is not None
    h = torch.autograd.grad([g.sum()], [x])[0]
    assert h is not None
    return h

def switched(x):
    x = x.detach().requires_grad_()
    with torch.no_grad():
        y = x * 2
    z = x * 2
    return y.requires_grad, z.requires_grad, x.is_leaf, z.is_leaf, torch.is_grad_enabled()

def unused(x, y):
    x = x.detach().requires_grad_()
    y = y.detach().requires_grad_()
    return torch.autograd.grad([(x * 2).sum()], [x, y], allow_unused=True)[1] is None

def nothing(x):
    x = x.detach().requires_grad_()
    return x.grad

def kept(x):
    x = x.detach().requires_grad_()
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad

def step(w, x):
    w = w.detach().requires_grad_()
    for i in range(3):
        loss = ((w * x - 1) ** 2).sum()
        g = torch.autograd.grad([loss], [w])[0]
        assert g is not None
        with torch.no_grad():
            w -= 0.1 * g
    return w.detach()

def raises(x):
    with torch.no_grad():
        assert x.sum() > 100
    return x

def made():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    return x.grad
)py";

std::vector<IValue> run_script(const char* function, const std::string& plan,
                               const std::vector<IValue>& inputs) {
  Script script = compile_script(kScript, "autograd.py");
  const Graph* graph = script.find(function);
  return prepare(*graph, parse_plan(plan))->run(inputs);
}

TEST(AutogradScripts, ProgramsAskForGradientsUnderEveryPlan) {
  for (const char* plan : {"eager", "vm", "vm/o2", "vm/o2,fuse(loopnest,interp)", "vm/o2,autodiff",
                           "eager/autodiff(1)"}) {
    SCOPED_TRACE(plan);
    IValue x(vector({1, 2}));
    EXPECT_EQ(elements(run_script("collected", plan, {x})[0].as_tensor()), (Doubles{5, 7}));
    EXPECT_EQ(elements(run_script("second", plan, {x})[0].as_tensor()), (Doubles{6, 12}));
    EXPECT_EQ(elements(run_script("kept", plan, {x})[0].as_tensor()), (Doubles{4, 8}));
    EXPECT_EQ(elements(run_script("made", plan, {})[0].as_tensor()), (Doubles{2, 4}));
    EXPECT_TRUE(run_script("unused", plan, {x, x})[0].as_bool());
    const std::vector<IValue> said = run_script("switched", plan, {x})[0].items();
    EXPECT_EQ(describe(IValue::tuple(said)), "(False, True, True, False, True)");
    Tensor w = run_script("step", plan, {vector({0}), vector({2})})[0].as_tensor();
    EXPECT_NEAR(elements(w)[0], 0.496, 1e-12);
    expect_error([&] { run_script("nothing", plan, {x}); }, "no gradient of this tensor");
  }
}

TEST(AutogradScripts, WhatRaisesLeavesRecordingAsItWas) {
  for (const char* plan : {"eager", "vm"}) {
    eager::Gradients on;
    expect_error([&] { run_script("raises", plan, {vector({1})}); }, "AssertionError");
    EXPECT_TRUE(eager::records());
  }
}

TEST(AutogradScripts, GroupsRecordByTheirOperators) {
  auto graph = parse_graph(
      "graph(%x : Tensor):\n  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::exp(%a)\n"
      "  return (%b)\n");
  auto fused = prepare(*graph, parse_plan("vm/o2,fuse(loopnest,interp)"));
  eager::Gradients on;
  Tensor x = leaf({0.5, 1});
  Tensor y = fused->run({x}).at(0).as_tensor();
  EXPECT_TRUE(y.requires_grad());
  Tensor by_operators = eager::gradients({eager::sum(eager::exp(x * x))}, {x})[0];
  EXPECT_EQ(elements(eager::gradients({eager::sum(y)}, {x})[0]), elements(by_operators));
}

// ---------------------------------------------------------------------------- the table

TEST(GradientTable, EveryEntryIsOfAnOperatorAndCompiles) {
  size_t operators = 0;
  for (const Operator& op : OperatorTable::instance()) {
    const Gradient* g = gradient_of(op);
    if (!g) continue;
    ++operators;
    const front::GradientFormulas* formulas = front::gradient_formulas(op);
    ASSERT_TRUE(formulas) << op.name;
    EXPECT_EQ(formulas->size(), g->formulas.size()) << op.name;
  }
  EXPECT_GE(operators, gradients().size());
}

// A bound of -1 is no byte.
TEST(GradientTable, BoundsAreOfTheGradientsDtype) {
  eager::Gradients on;
  const Tensor zeros = eager::requires_grad(Tensor::zeros({2}, DType::F64));
  Tensor bytes = Tensor::zeros({2}, DType::U8);
  set_element(bytes, 0, 1.0);
  const IValue args[] = {zeros, bytes};
  const Tensor y = fusillade::call(operator_named("aten::special_xlog1py"), args).at(0).as_tensor();
  const std::vector<Tensor> outputs = {y}, leaves = {zeros}, seeds = {eager::ones_like(y)};
  const Tensor g = eager::gradients(outputs, leaves, {.seeds = seeds}).at(0);
  EXPECT_DOUBLE_EQ(element_as_double(g, 0), std::log(2.0));
  EXPECT_EQ(element_as_double(g, 1), 0);
}

TEST(GradientTable, BadTextIsRefused) {
  auto parse_gradients = [](std::string_view text) {
    return gradients_of(parse_entries("some/ops.py", text));
  };
  expect_error([&] { parse_gradients("aten::neg\n    gradient self grad\n"); },
               "some/ops.py:2: gradient");
  expect_error([&] { parse_gradients("aten::neg\n    gradient self grad\n"); },
               "names no argument");
  expect_error([&] { parse_gradients("aten::relu\n    gradient self:\naten::neg\n"); },
               "has no formula");
}

TEST(GradientTable, FormulasTellWhatTheyRead) {
  const auto reads = [](const char* name, size_t input) {
    return (*front::gradient_formulas(operator_named(name)))[0].reads[input];
  };
  using front::Reads;
  EXPECT_EQ(reads("aten::add.Tensor", 0), Reads::Nothing);
  EXPECT_EQ(reads("aten::mul.Tensor", 0), Reads::Nothing);
  EXPECT_EQ(reads("aten::mul.Tensor", 1), Reads::Elements);
  EXPECT_EQ(reads("aten::sum", 0), Reads::Layout);
  EXPECT_EQ(reads("aten::exp", 1), Reads::Elements);
}

}  // namespace
}  // namespace fusillade
