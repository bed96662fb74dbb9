// Programs that a user gives: inputs drawn for them, a module's method as a program, mutants.
#include "fuzz/given/given.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/front/module.h"
#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/given/decided.h"
#include "fuzz/given/lift.h"
#include "fuzz/given/mutate.h"
#include "fuzz/judge/judge.h"

namespace fusillade::fuzz {
namespace {

Given given_script(const std::string& text) {
  Given g;
  g.file = "given.py";
  set_script(g.program, text, g.file);
  EXPECT_EQ(g.program.refused, "");
  for (const Value* v : g.program.program->inputs())
    g.inputs.push_back({v->name(), v->type(), {}, {}});
  return g;
}

constexpr const char* kProduct = R"(
import torch
def f(x: torch.Tensor, w: torch.Tensor, n: int):
    y = torch.matmul(x, w)
    for i in range(n):
        y = (y + i).relu() if i > 1 else y * 2
    return y.sum(-1), y
)";

const Limits kLimits{10, 2048};

TEST(Given, FindsSizesThatGoTogether) {
  Given g = given_script(kProduct);
  EXPECT_EQ(find_inputs(g, kLimits), "");
  EXPECT_GE(g.accepted.size(), 10u);
  for (uint64_t number : g.accepted) {
    InputTypes types = input_types(g, number);
    EXPECT_EQ(types, input_types(g, number));
    EXPECT_TRUE(types[0].second.info().complete());
    Choices choices(1, number);
    prepare(*g.program.program, parse_plan("eager"))->run(draw_call(choices, g, types).inputs);
  }
}

TEST(Given, SaysThatNoInputIsAccepted) {
  Given g = given_script("def f(x):\n    raise ValueError('never')\n    return x\n");
  std::string why = find_inputs(g, kLimits);
  EXPECT_NE(why.find("never"), std::string::npos) << why;
  EXPECT_TRUE(g.accepted.empty());
}

TEST(Given, SaysThatAProgramDoesNotEnd) {
  Given g =
      given_script("def f(x):\n    i = 0\n    while i >= 0:\n        i = 1 - i\n    return x\n");
  std::string why = find_inputs(g, {0.2, 2048});
  EXPECT_NE(why.find("does not end in time: still in the loop at given.py:3:4"), std::string::npos)
      << why;
}

TEST(Given, FixedInputsStay) {
  Given g = given_script(kProduct);
  g.inputs[2].fixed = IValue(7);
  for (uint64_t i = 0; i < 20; ++i) {
    Choices choices(1, i);
    EXPECT_EQ(draw_call(choices, g, draw_input_types(choices, g, i, true)).inputs[2].as_int(), 7);
  }
}

// The calls of a check of so many draws, without what eager mode may refuse.
std::vector<Call> calls_of(const Given& g, uint64_t draws) {
  std::vector<Call> out;
  for (uint64_t i = 0; i < draws; ++i) {
    Choices choices(7, i);
    const InputTypes types = draw_input_types(choices, g, i, false);
    out.push_back(draw_call(choices, g, types));
  }
  return out;
}

TEST(Given, DrawsEachDtypeWhereTypesAreLeftOut) {
  Given g = given_script(
      "import torch\ndef f(x):\n    y = -x.abs()\n"
      "    return torch.cat([y, y]).sum()\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  std::set<DType> seen;
  for (const Call& call : calls_of(g, 24)) seen.insert(call.inputs[0].as_tensor().dtype());
  EXPECT_EQ(seen.size(), size_t{kNumDTypes} - 1);  // no negative of a bool
  EXPECT_TRUE(seen.count(DType::U8));
}

TEST(Given, DrawsOneSignedAndConstantValues) {
  Given g = given_script("def f(x):\n    return x.min(), x.argmin(), x.amax()\n");
  g.inputs[0].type = Type::tensor(DType::I8, {18});
  g.inputs[0].laid_out = true;
  ASSERT_EQ(find_inputs(g, kLimits), "");
  int positive = 0, negative = 0, zero = 0, equal = 0;
  for (const Call& call : calls_of(g, 200)) {
    const Tensor x = call.inputs[0].as_tensor();
    int above = 0, below = 0, alike = 0;
    for (int64_t i = 0; i < 18; ++i) {
      above += element_as_int(x, i) > 0;
      below += element_as_int(x, i) < 0;
      alike += element_as_int(x, i) == element_as_int(x, 0);
    }
    positive += above == 18;
    negative += below == 18;
    zero += above + below == 0;
    equal += alike == 18;
  }
  EXPECT_GE(positive, 8);
  EXPECT_GE(negative, 4);
  EXPECT_GE(zero, 1);
  EXPECT_GE(equal, 4);
}

// Kinds of values of its first input that a check meets: by dtype, all below zero, or the least and
// the greatest one.
std::set<std::string> values_of_check(const std::shared_ptr<const Given>& given, uint64_t seed) {
  CampaignOptions options;
  options.use = Use::Check;
  options.calls = 8;
  options.seed = seed;
  options.oracles = {"differential"};
  options.plans = {parse_plan("vm/o2")};
  options.given = {given};
  std::set<std::string> out;
  for (uint64_t i = 0; i < trials_of_check(options, 64); ++i) {
    for (const Call& call : make_trial(options, i).program.calls) {
      const Tensor x = call.inputs[0].as_tensor();
      int64_t below = 0, least = 0;
      for (int64_t k = 0; k < x.numel(); ++k) {
        below += element_as_double(contiguous(x), k) < 0;
        least += x.dtype() == DType::I8 && element_as_int(contiguous(x), k) == -128;
      }
      if (x.numel() > 0 && below == x.numel())
        out.insert(std::string("negative ") + name_of(x.dtype()));
      if (least > 0) out.insert("least of int8");
    }
  }
  return out;
}

TEST(Given, ACheckMeetsEachDtypeOfOneSignAndAtItsEnds) {
  auto g = std::make_shared<Given>(
      given_script("def f(x):\n    return x.abs(), x.amax() if x.numel() else x\n"));
  ASSERT_EQ(find_inputs(*g, kLimits), "");
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const std::set<std::string> met = values_of_check(g, seed);
    for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::I8, DType::I64})
      EXPECT_TRUE(met.contains(std::string("negative ") + name_of(dtype)))
          << name_of(dtype) << " of seed " << seed;
    EXPECT_TRUE(met.contains("least of int8")) << seed;
  }
}

TEST(Given, DrawsSizesBeyondTwoToTheFifteenthNowAndThen) {
  Given g = given_script("import torch\ndef f(x, m):\n    return torch.matmul(m, x.t()).sum(0)\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  int beyond = 0, wide = 0;
  for (const Call& call : calls_of(g, 300)) {
    const Dims& sizes = call.inputs[0].as_tensor().sizes();
    const int64_t most = sizes.rank() ? *std::max_element(sizes.begin(), sizes.end()) : 1;
    beyond += most > 1 << 15;
    wide += sizes.rank() == 2 && sizes[0] > 1 << 15;
    EXPECT_LE(call.inputs[0].as_tensor().numel(), int64_t{1} << 18);
  }
  EXPECT_GE(beyond, 5);
  EXPECT_LE(beyond, 90);
  EXPECT_GE(wide, 1);
}

// By counts, for any seed: the large draws that the first 64 inputs meet take each dimension in
// turn, past 2^15 and past 2^16, next to small sizes, dtypes of floats first.
TEST(Given, LargeDrawsTakeEachDimensionInTurn) {
  std::string first;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Given g =
        given_script("import torch\ndef f(x, m):\n    return torch.matmul(m, x.t()).sum(0)\n");
    ASSERT_EQ(find_inputs(g, kLimits, {seed, 64}), "");
    ASSERT_GE(g.large.size(), 16u);
    int rows = 0, inner = 0, others = 0, past_15 = 0, past_16 = 0, small = 0;
    std::set<DType> floats;
    std::string all;
    for (size_t i = 0; i < g.large.size(); ++i) {
      const TensorInfo& x = g.large[i][0].second.info();
      const TensorInfo& m = g.large[i][1].second.info();
      all += fmt::format("{}{} {}{}\n", name_of(x.dtype), to_string(x.sizes), name_of(m.dtype),
                         to_string(m.sizes));
      if (i >= 16) continue;
      int64_t most = 0;
      for (const Dims& sizes : {x.sizes, m.sizes})
        for (int64_t size : sizes) most = std::max(most, size);
      (most > 1 << 16 ? past_16 : past_15) += 1;
      EXPECT_GT(most, 1 << 15);
      if (x.sizes.rank() != 2 || m.sizes.rank() != 2) continue;
      rows += x.sizes[0] == most;
      inner += x.sizes[1] == most;
      others += m.sizes[0] == most;
      const bool rest_small = x.sizes[0] == most && x.sizes[1] == 3 && (m.sizes[0] | 1) == 3;
      small += rest_small && most < 1 << 16 && x.dtype == m.dtype && x.dtype != DType::F16;
      if (x.sizes[0] == most) floats.insert(x.dtype);
    }
    EXPECT_GE(rows, 3) << all;
    EXPECT_GE(inner, 3) << all;
    EXPECT_GE(others, 3) << all;
    EXPECT_GE(past_15, 6) << all;
    EXPECT_GE(past_16, 1) << all;
    EXPECT_GE(small, 1) << all;
    EXPECT_GE(floats.size(), 3u) << all;
    if (seed == 0) first = all;
    else EXPECT_NE(all, first);
  }
}

TEST(Given, LargeDrawsGrowWithTheInputsAskedFor) {
  Given few = given_script("def f(x):\n    return x + 1\n");
  Given many = given_script("def f(x):\n    return x + 1\n");
  ASSERT_EQ(find_inputs(few, kLimits, {0, 16}), "");
  ASSERT_EQ(find_inputs(many, kLimits, {0, 256}), "");
  EXPECT_LT(few.large.size(), many.large.size());
}

TEST(Given, DrawsNoLargeSizeThatALoopCounts) {
  Given g = given_script(
      "def f(x):\n    y = x.sum()\n    for i in range(x.size(0)):\n        y = y + x[i].sum()\n"
      "    return y\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  for (const InputTypes& types : g.large) EXPECT_LT(types[0].second.info().sizes[0], 1 << 15);
}

TEST(Given, DrawsOffsetsAndAliasesThatEagerModeTakes) {
  Given g = given_script("def f(x, y):\n    return x * 2 + y\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  EXPECT_TRUE(g.aliases);
  int offset = 0, alias = 0;
  for (const Call& call : calls_of(g, 400)) {
    const Tensor x = call.inputs[0].as_tensor(), y = call.inputs[1].as_tensor();
    offset += x.offset() > 0 || y.offset() > 0;
    alias += x.shares_storage(y);
  }
  EXPECT_GE(offset, 8);
  EXPECT_GE(alias, 5);
}

TEST(Given, KnownLayoutsStay) {
  Given g = given_script("def f(x, y):\n    return x.sum() + y\n");
  g.inputs[0].type = Type::tensor(DType::F32, {4, 5});
  g.inputs[0].offset = 3;
  g.inputs[1].type = Type::tensor(DType::F32, {2});
  g.inputs[1].offset = 4;
  g.inputs[1].view_of = 0;
  g.inputs[0].laid_out = g.inputs[1].laid_out = true;
  ASSERT_EQ(find_inputs(g, kLimits), "");
  for (const Call& call : calls_of(g, 20)) {
    const Tensor x = call.inputs[0].as_tensor(), y = call.inputs[1].as_tensor();
    EXPECT_EQ(x.offset(), 3);
    EXPECT_EQ(y.offset(), 4);
    EXPECT_TRUE(x.shares_storage(y));
  }
}

// Networks whose weights fit few sizes: blind draws are all refused, and errors guide the next.
TEST(Given, ErrorsLeadToSizesThatFitTheWeights) {
  struct Model {
    const char* text;
    std::vector<std::pair<DType, Dims>> weights;
  };
  const Model models[] = {
      {"import torch\nimport torch.nn.functional as F\ndef f(x, w, v, b):\n"
       "    y = F.max_pool2d(F.relu(F.conv2d(x, w)), 2)\n"
       "    return F.linear(y.flatten(1), v, b)\n",
       {{DType::F32, {6, 3, 5, 5}}, {DType::F32, {10, 600}}, {DType::F32, {10}}}},
      {"import torch\nimport torch.nn.functional as F\ndef f(x, w, v):\n"
       "    return F.linear(F.embedding(x, w).mean(1), v)\n",
       {{DType::F32, {50, 24}}, {DType::F32, {7, 24}}}},
      {"import torch\nimport torch.nn.functional as F\ndef f(x, y, w, v):\n"
       "    return F.linear(torch.cat([F.linear(x, w), y], 1), v)\n",
       {{DType::F32, {11, 13}}, {DType::F32, {7, 40}}}}};
  for (const Model& m : models) {
    Given g = given_script(m.text);
    const size_t first = g.inputs.size() - m.weights.size();
    for (size_t i = 0; i < m.weights.size(); ++i) {
      const Tensor w = Tensor::empty(m.weights[i].second, m.weights[i].first);
      fill_normal(w, 1, i << 40);
      g.inputs[first + i].fixed = IValue(w);
    }
    EXPECT_EQ(find_inputs(g, kLimits), "") << m.text;
    EXPECT_TRUE(g.takes_any());
    for (const Call& call : calls_of(g, 10))
      EXPECT_NO_THROW(prepare(*g.program.program, parse_plan("eager"))->run(copy_call(call).inputs))
          << m.text;
  }
}

// Nothing is known in advance, and all conditions are in the first operator.
TEST(Given, ErrorsLeadToDtypesAndRanks) {
  for (const char* body :
       {"F.layer_norm(x, [4], w, b) + m.sum() + v.sum()",
        "torch.zeros([1, 8]).expand(4, -1).index_add(0, w, x) + b.sum() + m.sum() + v.sum()"}) {
    Given g =
        given_script(fmt::format("import torch\nimport torch.nn.functional as F\n"
                                 "def f(x, w, b, m, v):\n    return {}\n",
                                 body));
    EXPECT_EQ(find_inputs(g, kLimits), "") << body;
    EXPECT_TRUE(g.takes_any());
  }
}

TEST(Given, DrawsContainersOfTensors) {
  Given g = given_script(
      "from typing import Dict, List, Optional, Tuple\nimport torch\n"
      "def f(a: List[torch.Tensor], b: Optional[torch.Tensor], c: Tuple[int, torch.Tensor],\n"
      "      d: Dict[str, float], e: List[int]):\n"
      "    return len(a) + len(d) + c[0], b\n");
  for (const GivenInput& in : g.inputs) EXPECT_TRUE(drawable(in.type)) << in.name;
  EXPECT_EQ(find_inputs(g, kLimits), "");
  EXPECT_GE(g.accepted.size(), 20u);
}

TEST(Given, KnowsWhatItCannotDraw) {
  EXPECT_FALSE(drawable(TypeKind::Any));
  EXPECT_FALSE(drawable(TypeKind::Device));
  EXPECT_FALSE(drawable(Type::list(TypeKind::Device)));
  EXPECT_TRUE(drawable(Type::optional(Type::list(TypeKind::Tensor))));
}

TEST(Given, IdentityDistinguishesContents) {
  auto one = [](const std::string& text) {
    return Givens{std::make_shared<const Given>(given_script(text))};
  };
  EXPECT_EQ(identity_of(one("def f(x):\n    return x + 1\n")),
            identity_of(one("def f(x):\n    return x + 1\n")));
  EXPECT_NE(identity_of(one("def f(x):\n    return x + 1\n")),
            identity_of(one("def f(x):\n    return x + 2\n")));
}

constexpr const char* kModule = R"(
import torch
from torch import nn
class Part(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n, 3))
        self.scale = 2.5
    def forward(self, x):
        return (x @ self.weight) * self.scale
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part(4)
        self.seen = 0
    def forward(self, x):
        if self.training:
            return self.part(x)
        return self.part(x) - 1
    @torch.jit.export
    def count(self, x):
        self.seen += 1
        return x + self.seen
)";

TEST(Lift, AMethodNeedsNoModule) {
  Script script = compile_script(kModule, "net.py");
  Module net = instantiate(script, "Net()");
  const Graph& method = *method_of(script, net, "forward").graph;
  Tensor x = Tensor::empty({2, 4}, DType::F32);
  for (int i = 0; i < 8; ++i) set_element(x, i, i);
  Lifted lifted = lift(method, net.self);
  ASSERT_EQ(lifted.values.size(), 1u);
  EXPECT_EQ(lifted.graph->inputs()[1]->name(), "part_weight");
  EXPECT_EQ(print(*parse_graph(print(*lifted.graph))), print(*lifted.graph));
  auto run = [](const Graph& g, std::vector<IValue> in) {
    return prepare(g, parse_plan("eager"))->run(in)[0].as_tensor();
  };
  Tensor wanted = run(method, {net.self, x});
  Tensor found = run(*lifted.graph, {x, lifted.values[0]});
  ASSERT_EQ(wanted.sizes(), found.sizes());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(element_as_double(wanted, i), element_as_double(found, i));
}

TEST(Lift, DeclinesWhatSetsAttributes) {
  Script script = compile_script(kModule, "net.py");
  Module net = instantiate(script, "Net()");
  EXPECT_THROW(lift(*method_of(script, net, "count").graph, net.self), Unsupported);
}

// A list or tensor that is a constant is one for all runs.
void expect_no_constant_written(const Block* block) {
  each_node(block, [&](const Node* n) {
    for (size_t i = 0; i < n->inputs().size() && i < n->op().schema.args.size(); ++i)
      if (const Node* given = n->inputs()[i]->node(); n->op().schema.args[i].written)
        EXPECT_FALSE(given->is(prim::constant()) && !given->constant().is_none()) << print(n);
  });
}

TEST(Mutant, IsAProgramOfItsOwn) {
  const char* seeds[] = {
      kProduct,
      "def f(x):\n    y = x.relu()\n    y += 1\n    return y.sum(), y.t() if y.dim() == 2 else y\n",
      "def f(x, n: int):\n    i = 0\n    while i < n:\n        i += 1\n        x = x[1:] if "
      "x.size(0) > 2 else x * i\n    return x\n",
      "from typing import List\ndef f(x, k: List[int]):\n    k.append(x.dim())\n    "
      "y = x.expand([2, 3])\n    k.append(3)\n    return y, k\n"};
  int same = 0, raised = 0, all = 0;
  for (const char* text : seeds) {
    Given g = given_script(text);
    ASSERT_EQ(find_inputs(g, kLimits), "");
    g.program.script.clear();
    ASSERT_EQ(unfit(g), "");
    for (uint64_t i = 0; i < 300; ++i, ++all) {
      Choices choices(5, i), again(5, i);
      Case c = mutant(choices, g, {.calls = 2});
      verify(*c.program);
      expect_no_constant_written(c.program->block());
      const std::string printed = print(c);
      ASSERT_EQ(printed, print(mutant(again, g, {.calls = 2}))) << i;
      ASSERT_EQ(print(parse_case(printed, "mutant")), printed);
      same += c.program->node_count() == g.program.program->node_count();
      try {
        prepare(*c.program, parse_plan("eager"))->run(copy_call(c.calls[0]).inputs);
      } catch (const Error&) {
        ++raised;
      }
    }
  }
  EXPECT_LT(same, all * 3 / 4);
  EXPECT_LT(raised, all / 4);
}

// What may be None in one call is no tensor to any step.
TEST(Mutant, LeavesAnOptionalInputItsType) {
  Given g = given_script(
      "from typing import Optional\nfrom torch import Tensor\n"
      "def f(x, y: Optional[Tensor] = None):\n    if y is not None:\n        return x * 2 + y\n"
      "    return x.relu()\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  g.program.script.clear();
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(5, i);
    Case c = mutant(choices, g, {.calls = 2});
    c.oracle = "types";
    EXPECT_TRUE(c.program->inputs()[1]->type().is(TypeKind::Optional)) << print(*c.program);
    EXPECT_NE(judge_here(c).kind, VerdictKind::Mismatch) << print(c);
  }
}

// A cast rests on the test of a branch, and what was never set on a flag: these stay.
TEST(Mutant, LeavesWhatDecidesABranch) {
  const char* seeds[] = {
      "def f(x, mask: Optional[Tensor] = None):\n    known = mask is not None\n"
      "    y = x.relu()\n    if known:\n        assert mask is not None\n        y = y + mask\n"
      "    return y * 2\n"};
  for (const char* text : seeds) {
    Given g =
        given_script(std::string("from typing import Optional\nfrom torch import Tensor\n") + text);
    ASSERT_EQ(find_inputs(g, kLimits), "");
    g.program.script.clear();
    ASSERT_FALSE(deciding_nodes(*g.program.program).empty()) << print(*g.program.program);
    const auto decide = [](const Graph& graph) {
      std::multiset<std::string> out;
      for (const Node* n : deciding_nodes(graph))
        if (n->kind() == OpKind::Scalar || n->kind() == OpKind::Prim) out.insert(n->op().name);
      return out;
    };
    const auto before = decide(*g.program.program);
    for (uint64_t i = 0; i < 300; ++i) {
      Choices choices(5, i);
      const Case c = mutant(choices, g, {.calls = 2});
      const auto after = decide(*c.program);
      EXPECT_TRUE(std::ranges::includes(after, before)) << print(*c.program);
      for (const Call& call : c.calls) {
        try {
          prepare(*c.program, parse_plan("eager"))->run(copy_call(call).inputs);
        } catch (const Error& e) {
          EXPECT_EQ(std::string(e.what()).find("internal error"), std::string::npos) << e.what();
        }
      }
    }
  }
}

TEST(Mutant, HasOnlyOperatorsThatAreAllowed) {
  Given g = given_script("def f(x):\n    return x.relu()\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  g.program.script.clear();
  auto is_allowed = [](const Operator& op) {
    return op.name == "aten::neg" || op.name == "aten::relu";
  };
  for (uint64_t i = 0; i < 200; ++i) {
    Choices choices(5, i);
    Case c = mutant(choices, g, {.calls = 1, .operators = is_allowed});
    for (const Node* n : c.program->block()->nodes()) {
      bool computes = n->kind() != OpKind::Prim && n->output()->type().is_tensor();
      EXPECT_TRUE(!computes || is_allowed(n->op())) << n->op().name;
    }
  }
}

// An empty dimension that grows does not make a tensor that no memory holds.
TEST(Mutant, OfAnEmptySeedIsSmall) {
  Given g = given_script("def f(x):\n    return x.sum()\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  g.program.script.clear();
  g.accepted.clear();
  g.found = {{{"x", Type::tensor(DType::F32, {0, 100000})}}};
  for (uint64_t i = 0; i < 200; ++i) {
    Choices choices(5, i);
    const Case c = mutant(choices, g, {.calls = 1});
    for (const IValue& v : c.calls[0].inputs)
      if (v.is_tensor()) EXPECT_LE(v.as_tensor().numel(), 20'000) << i;
  }
}

TEST(Mutant, UnfitIsWhatDoesNotStandAlone) {
  Given g = given_script(
      "from typing import NamedTuple\nimport torch\nclass P(NamedTuple):\n    a: int\n"
      "def f(x: int):\n    p = P(x)\n    return p.a\n");
  EXPECT_NE(unfit(g), "");
}

}  // namespace
}  // namespace fusillade::fuzz
