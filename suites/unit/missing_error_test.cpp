// Which errors passes may remove: of code that nothing needs, decided by values; and no others.
#include "fuzz/run/missing_error.h"

#include <gtest/gtest.h>

namespace fusillade::fuzz {
namespace {

// Every script divides by k = 0 somewhere, which raises.
std::string needed_error_of(const std::string& body, const std::string& before = "") {
  Case c;
  set_script(
      c,
      before + "def div(a: int, b: int) -> int:\n    return a // b\n\ndef main(k: int, x: int):\n" +
          body,
      "<test>");
  c.calls.push_back({{IValue(0), IValue(5)}});
  return needed_error(*c.program, c.calls[0]);
}

TEST(MissingError, WhatResultsComeFromIsNeeded) {
  for (const char* body : {
           "    return x // k\n",
           "    return (x, (x, x % k))\n",
           "    return div(x, k) + 2\n",
           "    y = x // k\n    if y > 3:\n        return 1\n    return 2\n",
           "    y = x\n    for i in range(1):\n        y = x // k + y\n    return y\n",
           "    y = x\n    for i in range(x // k):\n        y = y + i\n    return y\n",
           "    y = x\n    while y // k > 2:\n        y = y - 1\n    return y\n",
           "    t = (x // k, x)\n    return t[0]\n",
           "    return [x, x // k]\n",
           "    assert x // k > 3\n    return x\n",
           "    if x > 3:\n        raise ValueError(\"big\")\n    return x\n",
           "    if x // k > 3:\n        raise ValueError(\"big\")\n    return x\n",
           "    return x // k if x > 3 else x\n",
           "    while x // k > 3:\n        assert x > 5\n    return x\n",
       }) {
    EXPECT_NE(needed_error_of(body), "") << body;
  }
}

// Its body writes a copy, which is no effect of the op.
TEST(MissingError, AnOperatorThatWritesNothingFailsAsAWhole) {
  auto find_needed = [](const std::string& result) {
    Case c;
    set_script(c,
               "def main():\n    x = torch.zeros([4, 3])\n    at = torch.tensor([0, -1])\n"
               "    y = torch.index_add(x, 0, at, torch.ones([2, 3]))\n    return " +
                   result + "\n",
               "<test>");
    c.calls.emplace_back();
    return needed_error(*c.program, c.calls[0]);
  };
  EXPECT_NE(find_needed("y, y.clamp_max(1.0)"), "");
  EXPECT_EQ(find_needed("x"), "");
  EXPECT_EQ(find_needed("y.size(0)"), "");
}

TEST(MissingError, WhatNothingNeedsIsNot) {
  std::string ignores = "def ignores(a: int, b: int) -> int:\n    return a\n\n";
  for (const char* body : {
           "    y = x // k\n    return x\n",
           "    return ignores(x, x // k)\n",
           "    t = (x // k, x)\n    return t[1]\n",
           "    a, b = (x // k, x)\n    return b\n",
           "    return x // k > 3 or True\n",
           "    return x // k > 3 and False\n",
           "    y = 1\n    if x // k > 3:\n        y = 1\n    return y\n",
           "    y = x\n    for i in range(3):\n        z = y // k\n    return y\n",
           "    y = x\n    for i in range(x // k):\n        z = i\n    return y\n",
           "    return len([x // k, x])\n",
           "    return 0 * (x // k)\n",
           "    y = x // k\n    return y == y\n",
           "    while x // k > 3:\n        z = 1\n    return x\n",
           "    if x // k > 3:\n        assert True\n    return x\n",
           "    while x // k > 3:\n        assert True\n    return x\n",
       }) {
    EXPECT_EQ(needed_error_of(body, ignores), "") << body;
  }
}

// Of metadata nothing is said; of elements it is. Aliasing writes and endless runs are given up.
TEST(MissingError, TensorsKeepTheirOwnShapes) {
  auto raises = [](const std::string& body) {
    Case c;
    set_script(c, "import torch\ndef main(x, n: int):\n" + body, "<test>");
    c.calls.push_back({{IValue(Tensor::zeros({3}, DType::F32)), IValue(7)}});
    return needed_error(*c.program, c.calls[0]);
  };
  EXPECT_NE(raises("    return x.reshape([n]) + 1\n"), "");
  EXPECT_NE(raises("    return torch.cat([x, x.reshape([n])])\n"), "");
  EXPECT_NE(raises("    return torch.where(x > 0, x, x.reshape([n]))\n"), "");
  EXPECT_EQ(raises("    return torch.where(x.reshape([n]) > 0, x, x)\n"), "");
  EXPECT_EQ(raises("    return x.reshape([n]).dim()\n"), "");
  EXPECT_EQ(raises("    return torch.zeros_like(x.reshape([n]))\n"), "");
  EXPECT_NE(raises("    return torch.binary_cross_entropy(x + n, x)\n"), "");
  EXPECT_EQ(raises("    y = torch.binary_cross_entropy(x + n, x)\n    return x\n"), "")
      << "its body raises, the op fails";
  EXPECT_NE(raises("    x.add_(1)\n    return x.reshape([n])\n"), "");
  EXPECT_EQ(raises("    while True:\n        n = n + 1\n    return x.reshape([n])\n"), "");
}

}  // namespace
}  // namespace fusillade::fuzz
