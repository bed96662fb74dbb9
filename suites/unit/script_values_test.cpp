// What scripts find of values: devices, types of what an Any or a 0-d tensor holds, equal tensors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "engine/front/script.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// An index is part of a device, and a tensor's has none; other devices can be named and compared.
TEST(Script, DevicesHaveATypeAndAnIndex) {
  const std::pair<const char*, IValue> answers[] = {
      {"x.device == torch.device(\"cpu:0\")", IValue(false)},
      {"torch.zeros([2], device=\"cpu:0\").device != torch.device(\"cpu\")", IValue(false)},
      {"torch.device(\"cuda:1\") == torch.device(\"cuda:1\")", IValue(true)},
      {"torch.device(\"cpu:0\").type", IValue::str("cpu")},
      {"torch.device(\"cpu\").index", IValue()},
      {"torch.device(\"cuda:12\").index", IValue(12)},
      {"torch.cuda.is_available() or x.is_cuda or x.is_mps", IValue(false)},
      {"x.is_cpu", IValue(true)},
      {"repr(torch.device(\"cuda:1\"))", IValue::str("device(type='cuda', index=1)")},
      {"f\"{[x.device]} {x.device}\"", IValue::str("[device(type='cpu')] cpu")}};
  for (const auto& [text, want] : answers) {
    Script script =
        compile_script(std::string("import torch\ndef f(x):\n    return ") + text + "\n", "f.py");
    for (const char* plan : {"eager", "vm/o2"}) {
      IValue got = prepare(*script.functions[0], parse_plan(plan))
                       ->run({IValue(Tensor::zeros({3}, DType::F32))})[0];
      EXPECT_TRUE(got.identical(want)) << text << " under " << plan << ": " << describe(got);
    }
  }
}

TEST(Script, AnyTellsWhetherItIsADevice) {
  Script script = compile_script(
      "import torch\nfrom typing import Any\ndef g(v: Any) -> bool:\n"
      "    return isinstance(v, torch.device)\n"
      "def f(x):\n    return g(x.device), g(\"cpu\"), g(torch.device(\"cuda:1\"))\n",
      "f.py");
  IValue x = Tensor::zeros({3}, DType::F32);
  for (const char* plan : {"eager", "vm/o2"}) {
    IValue got = prepare(*script.find("f"), parse_plan(plan))->run({x})[0];
    EXPECT_EQ(describe(got), "(True, False, True)") << plan;
  }
}

// What a 0-d tensor holds is of one type when it runs; a test of it narrows a name.
TEST(Script, ItemsTellTheirTypes) {
  Script script = compile_script(
      "import torch\nfrom typing import Any, Optional\nfrom torch import Tensor\n"
      "def more(x: Tensor) -> int:\n    s = x.item()\n"
      "    if isinstance(s, int):\n        return s + 1\n    return -1\n"
      "def maybe(x: Any) -> bool:\n    return torch.jit.isinstance(x, Optional[Tensor])\n"
      "def f(x):\n    i, b = torch.tensor(3), torch.tensor(True)\n"
      "    return (more(i), more(b), more(x), isinstance(i.item(), int), isinstance(i.item(), "
      "float),\n"
      "            isinstance(x.item(), float), maybe(x), maybe(None), maybe(3))\n",
      "f.py");
  IValue x = Tensor::zeros({}, DType::F32);
  for (const char* plan : {"eager", "vm/o2"}) {
    IValue got = prepare(*script.find("f"), parse_plan(plan))->run({x})[0];
    EXPECT_EQ(describe(got), "(4, 2, -1, True, False, True, True, True, False)") << plan;
  }
}

// The else of a loop runs where no break left it: of for, of while, and of loops in loops.
TEST(Script, ElseOfALoopRunsUnlessABreakLeftIt) {
  Script script = compile_script(
      "def ordered(n: int) -> int:\n    i = 0\n    for i in range(4):\n        if i == n:\n        "
      "    break\n"
      "    else:\n        return -1\n    return i\n"
      "def falling(n: int) -> int:\n    r = 0\n    while n > 0:\n        if n == 3:\n"
      "            r = 5\n            break\n        n -= 2\n    else:\n        r = 7\n    return "
      "r\n"
      "def nested(n: int) -> int:\n    i = 0\n    for i in range(3):\n        for k in range(3):\n"
      "            if i * k == n:\n                break\n        else:\n            continue\n"
      "        break\n    else:\n        return -1\n    return i\n"
      "def f(x):\n    return [ordered(2), ordered(9), falling(5), falling(4), nested(4), "
      "nested(5)]\n",
      "f.py");
  IValue x = Tensor::zeros({}, DType::F32);
  for (const char* plan : {"eager", "vm/o2"}) {
    IValue got = prepare(*script.find("f"), parse_plan(plan))->run({x})[0];
    EXPECT_EQ(describe(got), "[2, -1, 5, 7, 2, -1]") << plan;
  }
}

// As in TorchScript; `in`, which it lacks, is Python's.
TEST(Script, ListsOfTensorsCompareValues) {
  const char* one = "torch.tensor(1.0)";
  const std::string two = "[torch.tensor(2.0), " + std::string(one) + "]";
  const std::pair<std::string, const char*> answers[] = {
      {fmt::format("[{}] == [{}]", one, one), "True"},
      {fmt::format("[{}] != {}", one, two), "True"},
      {"[x, x] == [x]", "False"},
      {fmt::format("{}.index({})", two, one), "1"},
      {fmt::format("{}.count({})", two, one), "1"},
      {fmt::format("{} in {}", one, two), "True"},
      {"x in [x]", "True"},
      {"[x] == [x]", "a tensor with 3 elements cannot be converted to a scalar"},
      {"[x].index(x)", "a tensor with 3 elements cannot be converted to a scalar"},
      {fmt::format("[{}].index(torch.tensor(2.0))", one), "is not in the list"}};
  for (const auto& [text, want] : answers) {
    Script script = compile_script("import torch\ndef f(x):\n    return " + text + "\n", "f.py");
    for (const char* plan : {"eager", "vm/o2"}) {
      std::string got;
      try {
        got = describe(prepare(*script.functions[0], parse_plan(plan))
                           ->run({IValue(Tensor::zeros({3}, DType::F32))})[0]);
      } catch (const Exception& e) {
        got = e.what();
      }
      EXPECT_NE(got.find(want), std::string::npos) << text << " under " << plan << ": " << got;
    }
  }
}

}  // namespace
}  // namespace fusillade
