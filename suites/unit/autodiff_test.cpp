// AutoDiff on programs of several operators: its gradients are the tape's, code around a group
// stays as it is, and what is saved for the backward pass is no more than TorchScript saves.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/front/eager.h"
#include "engine/front/script.h"
#include "engine/passes/min_cut.h"
#include "engine/passes/partition.h"
#include "engine/run/plan.h"
#include "engine/tensor/peak.h"

namespace fusillade {
namespace {

constexpr const char* kPrograms = R"py(
import torch
from typing import Tuple
from torch import Tensor

def chain(x: Tensor, w: Tensor):
    y = torch.tanh(x * w + x)
    return y * torch.sigmoid(x) - w

def twice(x: Tensor, w: Tensor):
    y = x * x
    return y * y + y.exp() * w.sum()

def views(x: Tensor, w: Tensor):
    a = x[:, 0:2].t() * 2.0
    b = torch.cat([a, x[:, 1:3].t()], 0)
    return (b * b).sum(0, True) * w[0]

def parts(x: Tensor, w: Tensor):
    a, b, c = x.chunk(3, 1)
    return a * torch.sin(c) * w

def joined(x: Tensor, w: Tensor):
    pair = [x * w, x]
    a, b = pair
    c, d = torch.exp(x).split(1)
    e, f = pair
    return a * b + torch.cat([c, d * e[0:1]]) * f

def two(x: Tensor, w: Tensor):
    a = torch.exp(x * w)
    b = a * 3.0
    return a + 1.0, b

def unused(x: Tensor, w: Tensor):
    a = torch.exp(x * 2.0)
    return a * torch.cos(a), torch.sin(w) * 2.0

def written_before(x: Tensor, w: Tensor):
    a = x * 2.0
    a.add_(w)
    return torch.tanh(a) * a * w

def written_after(x: Tensor, w: Tensor):
    a = torch.exp(x * w) + 1.0
    b = a * 2.0
    b.mul_(w)
    return b * x

def ties(x: Tensor, w: Tensor):
    a = torch.maximum(x, x * 1.0)
    return torch.relu(a - a) + torch.clamp(x, -0.5, 0.5) * w + x.amax(1, True)

def same(x: Tensor, w: Tensor):
    return torch.maximum(x, x) * torch.minimum(w, w) + torch.where(x > 0.0, w, w)

def compared(x: Tensor, w: Tensor):
    mask = (x > w) & (x < 2.0)
    return torch.where(mask, x * w, w * 2.0)

def cut_off(x: Tensor, w: Tensor):
    a = x.detach() * w
    return a * x

def looped(x: Tensor, w: Tensor):
    for i in range(3):
        x = torch.tanh(x * w) + x
    return x

def without(x: Tensor, w: Tensor):
    a = x * w
    with torch.no_grad():
        b = torch.exp(a) * 2.0
    return b * a

def normed(x: Tensor, w: Tensor):
    mean = x.mean(-1, True)
    centred = x - mean
    variance = (centred * centred).mean(-1, True)
    return centred * torch.rsqrt(variance + 1e-5) * w + w

def cell(x: Tensor, hx: Tensor, cx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor,
         b_hh: Tensor) -> Tuple[Tensor, Tensor]:
    gates = torch.mm(x, w_ih.t()) + torch.mm(hx, w_hh.t()) + b_ih + b_hh
    i, f, g, o = gates.chunk(4, 1)
    cy = torch.sigmoid(f) * cx + torch.sigmoid(i) * torch.tanh(g)
    hy = torch.sigmoid(o) * torch.tanh(cy)
    return hy, cy

def asks(x: Tensor, w: Tensor):
    x = x.detach().requires_grad_()
    y = (torch.tanh(x * w) * x).sum()
    first = torch.autograd.grad([y], [x], create_graph=True)[0]
    assert first is not None
    return torch.autograd.grad([(first * first).sum()], [x])[0]
)py";

const Graph& program(const char* name) {
  static const Script script = compile_script(kPrograms, "autodiff.py");
  FUS_CHECK(script.failed.empty(), "{}", script.errors());
  return *script.find(name);
}

std::unique_ptr<Executable> ready(const char* name, const char* plan) {
  PipelineOptions options;
  options.recorded = true;
  return prepare(program(name), parse_plan(plan), options);
}

Tensor sample_tensor(const Dims& sizes, double first, DType dtype = DType::F64) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, first + 0.375 * static_cast<double>(i % 7) - 0.1 * static_cast<double>(i));
  return t;
}

std::vector<double> numbers(const std::string& said) {
  std::vector<double> out;
  std::istringstream words(said);
  for (std::string word; words >> word;)
    if (word.find("0x") != std::string::npos) out.push_back(std::strtod(word.c_str(), nullptr));
  return out;
}

// But for the order of sums.
void expect_close(const std::string& a, const std::string& b) {
  const std::vector<double> x = numbers(a), y = numbers(b);
  ASSERT_EQ(x.size(), y.size()) << a << b;
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(x[i], y[i], 1e-12 * (1 + std::fabs(x[i]))) << a << b;
}

std::string text(const Tensor& t) {
  if (!t.is_defined()) return "undefined";
  std::string out = describe(t) + ":";
  for (int64_t i = 0; i < t.numel(); ++i) out += fmt::format(" {:a}", element_as_double(t, i));
  return out;
}

// The outputs and their gradients by the inputs of which `wanted` says so, as text.
std::string run(const Executable& executable, const std::vector<Tensor>& given,
                const std::vector<bool>& wanted, bool second = false) {
  eager::Gradients on;
  std::vector<IValue> inputs;
  std::vector<Tensor> leaves, outputs, seeds;
  for (size_t i = 0; i < given.size(); ++i) {
    Tensor t = contiguous(given[i], true);
    if (wanted[i]) leaves.push_back(eager::requires_grad(t));
    inputs.emplace_back(t);
  }
  std::string out;
  for (const IValue& v : executable.run(inputs)) {
    std::vector<IValue> items = v.is_tensor() ? std::vector<IValue>{v} : v.items();
    for (const IValue& item : items) {
      const Tensor t = item.as_tensor();
      out += text(t) + (t.requires_grad() ? " grad\n" : "\n");
      if (!t.requires_grad()) continue;
      outputs.push_back(t);
      seeds.push_back(sample_tensor(t.sizes(), 0.5, t.dtype()));
    }
  }
  std::vector<Tensor> grads = eager::gradients(
      outputs, leaves, {.seeds = seeds, .create_graph = second, .allow_unused = true});
  for (const Tensor& t : grads) out += text(t) + "\n";
  if (!second) return out;
  Tensor total;
  for (const Tensor& t : grads) {
    if (!t.is_defined() || !t.requires_grad()) continue;
    const Tensor squares = eager::sum(t * t);
    total = total.is_defined() ? total + squares : squares;
  }
  for (const Tensor& t : eager::gradients({total}, leaves, {.allow_unused = true}))
    out += text(t) + "\n";
  return out;
}

constexpr const char* kPlans[] = {"vm/autodiff", "vm/o2,autodiff(save)", "eager/autodiff",
                                  "vm/autodiff(1)", "vm/autodiff(loopnest,interp)"};
constexpr const char* kNames[] = {
    "chain", "twice",  "views", "parts",    "two",     "unused", "written_before", "written_after",
    "ties",  "joined", "same",  "compared", "cut_off", "looped", "without",        "normed"};

Tensor x_of(const char* name) {
  const bool wide = std::string_view(name) != "parts";
  return sample_tensor(wide ? Dims{2, 3} : Dims{2, 6}, -0.9);
}

Tensor w_of(const char* name) {
  return std::string_view(name) == "parts" ? sample_tensor({2}, 0.7) : sample_tensor({3}, 0.7);
}

TEST(Autodiff, ProgramsHaveTheTapesGradients) {
  for (const char* name : kNames) {
    auto by_tape = ready(name, "eager");
    for (const char* plan : kPlans) {
      auto derived = ready(name, plan);
      for (const std::vector<bool>& wanted :
           {std::vector<bool>{true, true}, {true, false}, {false, true}}) {
        SCOPED_TRACE(fmt::format("{} {} {}{}", name, plan, int(wanted[0]), int(wanted[1])));
        const std::vector<Tensor> given{x_of(name), w_of(name)};
        const bool fused = std::string_view(plan).find("interp") != std::string_view::npos;
        const std::string a = run(*by_tape, given, wanted), b = run(*derived, given, wanted);
        if (fused) expect_close(a, b);
        else EXPECT_EQ(a, b);
      }
    }
  }
}

TEST(Autodiff, GradientsOfGradients) {
  for (const char* name : {"chain", "twice", "views", "two", "normed", "looped"}) {
    SCOPED_TRACE(name);
    const std::vector<Tensor> given{x_of(name), w_of(name)};
    expect_close(run(*ready(name, "eager"), given, {true, true}, true),
                 run(*ready(name, "vm/autodiff"), given, {true, true}, true));
  }
}

TEST(Autodiff, NaNAndInfinitiesFlowAsOnTheTape) {
  Tensor x = sample_tensor({2, 3}, 0.25);
  set_element(x, 1, NAN);
  set_element(x, 2, INFINITY);
  set_element(x, 4, -INFINITY);
  for (const char* name : {"chain", "ties", "same", "compared", "twice", "two"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(run(*ready(name, "eager"), {x, sample_tensor({3}, 0.7)}, {true, true}),
              run(*ready(name, "vm/autodiff"), {x, sample_tensor({3}, 0.7)}, {true, true}));
  }
}

TEST(Autodiff, ProgramsThatAskKeepTheirGroups) {
  const std::vector<IValue> inputs{sample_tensor({2, 3}, -0.4), sample_tensor({3}, 0.7)};
  const auto result_text = [](const char* plan, const std::vector<IValue>& in) {
    return text(prepare(program("asks"), parse_plan(plan))->run(in).at(0).as_tensor());
  };
  const uint64_t before = probe("autodiff/recorded").count();
  EXPECT_EQ(result_text("eager", inputs), result_text("vm/o2,autodiff", inputs));
  EXPECT_GT(probe("autodiff/recorded").count(), before);
}

TEST(Autodiff, OneStepStandsForAGroupAndNothingIsRecordedWithoutNeed) {
  auto derived = ready("chain", "vm/autodiff");
  const uint64_t recorded = probe("autodiff/recorded").count();
  const uint64_t plain = probe("autodiff/plain").count();
  const uint64_t by_operators = probe("autodiff/by-operators").count();
  run(*derived, {sample_tensor({2, 3}, 0.2), sample_tensor({3}, 0.7)}, {true, true});
  EXPECT_EQ(probe("autodiff/recorded").count(), recorded + 1);
  derived->run({sample_tensor({2, 3}, 0.2), sample_tensor({3}, 0.7)});
  EXPECT_EQ(probe("autodiff/plain").count(), plain + 1);
  EXPECT_EQ(probe("autodiff/by-operators").count(), by_operators);
}

TEST(Autodiff, WhatAGroupSavedMustNotBeWritten) {
  auto derived = ready("chain", "vm/autodiff");
  eager::Gradients on;
  Tensor x = sample_tensor({2, 3}, 0.2), w = eager::requires_grad(sample_tensor({3}, 0.7));
  Tensor y = derived->run({x, w}).at(0).as_tensor();
  const IValue args[] = {x, IValue(1.0), IValue(1)};
  call(operator_named("aten::add_.Scalar"), args);
  try {
    eager::backward(eager::sum(y));
    FAIL() << "a tensor that was written was used";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("was modified in place"), std::string::npos) << e.what();
  }
}

TEST(Autodiff, AWalkBackTakesWhatWasSaved) {
  auto derived = ready("chain", "vm/autodiff");
  eager::Gradients on;
  Tensor w = eager::requires_grad(sample_tensor({3}, 0.7));
  Tensor y = eager::sum(derived->run({sample_tensor({2, 3}, 0.2), w}).at(0).as_tensor());
  eager::backward(y);
  EXPECT_THROW(eager::backward(y), Error);
}

TEST(Autodiff, WordsAreChecked) {
  const auto error = [](const char* plan) {
    try {
      parse_plan(plan);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error("vm/autodiff(keep)").find("mincut or save"), std::string::npos);
  EXPECT_NE(error("vm/autodiff(0)").find("at least 1"), std::string::npos);
  EXPECT_NE(error("vm/autodiff(loopnest,gcc)").find("gcc"), std::string::npos);
  EXPECT_EQ(error("vm/autodiff(3,save,loopnest,interp)"), "");
}

// ---------------------------------------------------------------------------- what is saved

// Bytes that the one group of a program saves, its inputs of f32 and of these sizes.
int64_t saved_bytes(const char* name, const std::vector<Dims>& sizes, Keeps keeps) {
  std::unique_ptr<Graph> graph = program(name).clone();
  run_pipeline(*graph, parse_pipeline("o2,autodiff"));
  int64_t bytes = -1;
  for (const Node* n : graph->block()->nodes()) {
    if (!n->is(prim::differentiable())) continue;
    EXPECT_EQ(bytes, -1) << "two groups";
    std::vector<ArgInfo> infos;
    for (const Value* v : n->inputs()) {
      EXPECT_TRUE(v->node()->is(prim::param()));
      infos.push_back(
          {Type::tensor(DType::F32, sizes[static_cast<size_t>(v->index())]), {}, false, {}});
    }
    bytes =
        partition(differentiate(n->subgraph(), infos, std::vector<bool>(infos.size(), true)), keeps)
            .bytes;
  }
  return bytes;
}

TEST(Autodiff, MinCutSavesNoMoreThanEverything) {
  const std::vector<Dims> norm{{16, 1024}, {1024}};
  const int64_t least = saved_bytes("normed", norm, Keeps::MinCut);
  EXPECT_EQ(least, 2 * 16 * 4);  // mean and variance of each line
  EXPECT_GE(saved_bytes("normed", norm, Keeps::Save), 16 * 1024 * 4);

  const std::vector<Dims> cell{{64, 512},   {64, 512}, {64, 512}, {2048, 512},
                               {2048, 512}, {2048},    {2048}};
  const int64_t gates = saved_bytes("cell", cell, Keeps::MinCut);
  EXPECT_GT(gates, 0);
  EXPECT_LE(gates, 2 * 64 * 2048 * 4);  // never more than the two products
  EXPECT_LE(gates, saved_bytes("cell", cell, Keeps::Save));
  RecordProperty("cell_mincut", static_cast<int>(gates));
  RecordProperty("cell_save", static_cast<int>(saved_bytes("cell", cell, Keeps::Save)));
  RecordProperty("norm_mincut", static_cast<int>(least));
  RecordProperty("norm_save", static_cast<int>(saved_bytes("normed", norm, Keeps::Save)));
}

// Peak bytes besides the inputs, forward and backward, including what the executable keeps.
size_t peak(const char* name, const std::string& plan, const std::vector<Dims>& sizes) {
  eager::Gradients on;
  std::vector<IValue> inputs;
  std::vector<Tensor> leaves;
  for (const Dims& s : sizes) {
    leaves.push_back(eager::requires_grad(Tensor::zeros(s, DType::F32)));
    inputs.emplace_back(leaves.back());
  }
  const size_t before = Storage::live_bytes();
  const auto executable = ready(name, plan.c_str());
  for (int i = 0; i < 2; ++i) {
    restart_peak();
    const Tensor result = executable->run(inputs).at(0).as_tensor();
    eager::gradients({result}, leaves, {.seeds = {Tensor::zeros(result.sizes(), DType::F32)}});
  }
  return peak_bytes() - before;
}

// Sums over what was broadcast are parts of kernels, and what kernels would hand to each other is
// computed again: of the tensors of all elements there are the result, its gradient and the
// input's.
TEST(Autodiff, FusedBackwardHoldsOnlyWhatLeaves) {
  const std::vector<Dims> norm{{64, 256}, {256}};
  const size_t whole = 64 * 256 * 4;
  const size_t least = peak("normed", "vm/inline,autodiff(mincut,2,loopnest,interp)", norm);
  const size_t all = peak("normed", "vm/inline,autodiff(save,2,loopnest,interp)", norm);
  EXPECT_LE(least, 3 * whole + 8192);
  EXPECT_GE(2 * all, 3 * least);
}

TEST(Autodiff, SumsOverWhatWasBroadcastAreOps) {
  const std::vector<ArgInfo> infos{{Type::tensor(DType::F32, {3, 4}), {}, false, {}},
                                   {Type::tensor(DType::F16, {4}), {}, false, {}}};
  std::unique_ptr<Graph> graph = program("chain").clone();
  const Joint joint = differentiate(*graph, infos, {true, true});
  std::string text = print(*joint.graph);
  EXPECT_EQ(text.find("gradient_like"), std::string::npos) << text;
  EXPECT_NE(text.find("aten::sum"), std::string::npos) << text;
}

TEST(MinCutFlow, TakesTheCheapestAndOfEqualOnesTheLatest) {
  MinCut flow(4);  // 0 -> 1 -> 2 -> 3
  for (size_t v = 0; v < 4; ++v) flow.cost(v, v == 0 ? 9 : 5);
  for (size_t v = 0; v < 3; ++v) flow.edge(v, v + 1);
  flow.source(0);
  flow.sink(3);
  EXPECT_EQ(flow.solve(), (std::vector<size_t>{3}));
  MinCut wide(3);  // 0 -> 1, 0 -> 2
  wide.cost(0, 3);
  wide.cost(1, 2);
  wide.cost(2, 2);
  wide.edge(0, 1);
  wide.edge(0, 2);
  wide.source(0);
  wide.sink(1);
  wide.sink(2);
  EXPECT_EQ(wide.solve(), (std::vector<size_t>{0}));
}

}  // namespace
}  // namespace fusillade
