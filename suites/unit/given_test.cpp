// Programs that a user gives: inputs drawn for them, a module's method as a program, mutants.
#include "fuzz/given/given.h"

#include <gtest/gtest.h>

#include "engine/front/module.h"
#include "engine/run/plan.h"
#include "fuzz/given/lift.h"
#include "fuzz/given/mutate.h"

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
  EXPECT_NE(why.find("does not end in time"), std::string::npos) << why;
}

TEST(Given, FixedInputsStay) {
  Given g = given_script(kProduct);
  g.inputs[2].fixed = IValue(7);
  for (uint64_t i = 0; i < 20; ++i) {
    Choices choices(1, i);
    EXPECT_EQ(draw_call(choices, g, draw_input_types(choices, g)).inputs[2].as_int(), 7);
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

TEST(Given, IdentityTellsContentsApart) {
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
  for (const Node* n : block->nodes()) {
    for (size_t i = 0; i < n->inputs().size() && i < n->row().schema.args.size(); ++i)
      if (const Node* given = n->inputs()[i]->node(); n->row().schema.args[i].written)
        EXPECT_FALSE(given->is(prim::constant()) && !given->constant().is_none()) << print(n);
    for (const Block* inner : n->blocks()) expect_no_constant_written(inner);
  }
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

TEST(Mutant, HasOnlyRowsThatAreAllowed) {
  Given g = given_script("def f(x):\n    return x.relu()\n");
  ASSERT_EQ(find_inputs(g, kLimits), "");
  g.program.script.clear();
  auto allowed = [](const Row& row) { return row.name == "aten::neg" || row.name == "aten::relu"; };
  for (uint64_t i = 0; i < 200; ++i) {
    Choices choices(5, i);
    Case c = mutant(choices, g, {.calls = 1, .rows = allowed});
    for (const Node* n : c.program->block()->nodes()) {
      bool computes = n->kind() != OpKind::Prim && n->output()->type().is_tensor();
      EXPECT_TRUE(!computes || allowed(n->row())) << n->row().name;
    }
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
