// torch.jit.fork and wait: on threads, and as if there were none.
#include "engine/run/tasks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/front/script.h"
#include "engine/ir/composite.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

const char* const kPlans[] = {"eager", "vm", "vm/o2", "vm/o2,fuse(loopnest,interp)", "jit/o2"};

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class Program {
 public:
  explicit Program(const std::string& text)
      : graph_(compile_script("import torch\nfrom typing import List\n" + text, "f.py")
                   .functions.back()) {}
  std::unique_ptr<Executable> ready(const std::string& plan) const {
    return prepare(*graph_, parse_plan(plan));
  }
  const Graph& graph() const { return *graph_; }

 private:
  std::shared_ptr<Graph> graph_;
};

IValue ones(int64_t n) {
  Tensor t = Tensor::zeros({n}, DType::F32);
  for (int64_t i = 0; i < n; ++i) set_element(t, i, 1.0);
  return t;
}

double first(const IValue& v) { return element_as_double(v.as_tensor(), 0); }

TEST(Tasks, ManyRunAndGiveWhatACallGives) {
  const Program p(
      "def f(x, n: int):\n    y = x\n    for i in range(n):\n        y = y * 0.5 + x\n    return "
      "y\n"
      "def main(x, n: int):\n    ts = [torch.jit.fork(f, x, i) for i in range(n)]\n"
      "    out = [torch.jit.wait(t) for t in ts]\n    return out\n");
  EXPECT_TRUE(has_tasks(p.graph().block()));
  const auto wanted = p.ready("eager")->run({ones(1000), 40});
  const uint64_t before = probe("tasks/offered").count();
  for (const char* plan : kPlans) {
    const auto ready = p.ready(plan);
    for (int round = 0; round < 20; ++round) {
      const auto got = ready->run({ones(1000), 40});
      ASSERT_EQ(got[0].items().size(), 40u);
      for (size_t i = 0; i < 40; ++i)
        ASSERT_TRUE(bitwise_equal(got[0].items()[i].as_tensor(), wanted[0].items()[i].as_tensor()))
            << plan << " " << i;
    }
  }
  EXPECT_GE(probe("tasks/offered").count(), before + 40 * 20);
}

TEST(Tasks, TheErrorIsRaisedAtTheWait) {
  const Program p(
      "def f(n: int) -> int:\n    if n > 3:\n        raise ValueError(\"big\")\n    return n\n"
      "def main(x, n: int) -> int:\n    t = torch.jit.fork(f, n)\n    x.add_(1)\n"
      "    return torch.jit.wait(t)\n");
  for (const char* plan : kPlans) {
    const auto ready = p.ready(plan);
    IValue x = ones(1);
    EXPECT_NE(error_of([&] { ready->run({x, 7}); }).find("ValueError: big"), std::string::npos)
        << plan;
    EXPECT_EQ(first(x), 2.0) << plan << ": what stands before the wait is done";
    EXPECT_EQ(ready->run({x, 2})[0].as_int(), 2) << plan;
  }
}

TEST(Tasks, WhatNobodyWaitsForEndsWithTheCallAndItsErrorIsDropped) {
  const Program p(
      "def f(x, n: int):\n    if n > 3:\n        raise ValueError(\"big\")\n    x.add_(1)\n"
      "    return x\n"
      "def main(x, n: int) -> int:\n    t = torch.jit.fork(f, x, n)\n    return n\n");
  for (const char* plan : kPlans) {
    const auto ready = p.ready(plan);
    IValue x = ones(1);
    EXPECT_EQ(ready->run({x, 7})[0].as_int(), 7) << plan;
    EXPECT_EQ(ready->run({x, 1})[0].as_int(), 1) << plan;
    EXPECT_EQ(first(x), 2.0) << plan;
  }
}

TEST(Tasks, AResultThatIsATaskIsWaitedForAndRaises) {
  const Program p(
      "def f(n: int) -> int:\n    if n > 3:\n        raise ValueError(\"big\")\n    return n\n"
      "def main(n: int):\n    return torch.jit.fork(f, n)\n");
  for (const char* plan : kPlans) {
    const auto ready = p.ready(plan);
    EXPECT_EQ(ready->run({2})[0].items()[0].as_int(), 2) << plan;
    EXPECT_NE(error_of([&] { ready->run({7}); }).find("ValueError: big"), std::string::npos)
        << plan;
  }
}

// A task and what comes after its fork access the same memory, in program order.
TEST(Tasks, WritesKeepTheirOrder) {
  const Program p(
      "def reads(x):\n    y = x\n    for i in range(50):\n        y = y * 1.0\n    return y\n"
      "def writes(x):\n    x.mul_(2)\n    return x.sum()\n"
      "def main(x):\n    a = torch.jit.fork(reads, x)\n    x.add_(1)\n"
      "    b = torch.jit.fork(writes, x)\n    c = torch.jit.fork(reads, x)\n    x.add_(5)\n"
      "    return (torch.jit.wait(a), torch.jit.wait(b), torch.jit.wait(c), x)\n");
  for (const char* plan : kPlans) {
    const auto ready = p.ready(plan);
    for (int round = 0; round < 50; ++round) {
      const auto got = ready->run({ones(4)});
      const auto& items = got.size() == 1 ? got[0].items() : got;
      EXPECT_EQ(first(items[0]), 1.0) << plan;
      EXPECT_EQ(first(items[1]), 16.0) << plan;
      EXPECT_EQ(first(items[2]), 4.0) << plan;
      EXPECT_EQ(first(items[3]), 9.0) << plan;
    }
  }
}

// More levels of waiting than there are threads.
TEST(Tasks, TasksThatWaitForTasksNeverStop) {
  std::string text = "def f0(n: int) -> int:\n    return n\n";
  const int depth = 7;
  for (int i = 1; i <= depth; ++i)
    text += fmt::format(
        "def f{0}(n: int) -> int:\n    a = torch.jit.fork(f{1}, n)\n    b = torch.jit.fork(f{1}, "
        "n)\n    return torch.jit.wait(a) + torch.jit.wait(b)\n",
        i, i - 1);
  text += fmt::format(
      "def main(n: int) -> int:\n    return torch.jit.wait(torch.jit.fork(f{}, n))\n", depth);
  const Program p(text);
  for (const char* plan : kPlans)
    EXPECT_EQ(p.ready(plan)->run({1})[0].as_int(), int64_t{1} << depth) << plan;
}

TEST(Tasks, ModulesAndMethodsAreForked) {
  const Program p(
      "class P:\n    def __init__(self, k: int):\n        self.k = k\n"
      "    def times(self, x):\n        return x * self.k\n"
      "    def grow(self) -> int:\n        self.k += 1\n        return self.k\n"
      "def main(x):\n    p = P(3)\n    a = torch.jit.fork(p.times, x)\n"
      "    b = torch.jit.fork(p.grow)\n    c = torch.jit.fork(p.times, x)\n"
      "    return (torch.jit.wait(a), b.wait(), c.wait())\n");
  for (const char* plan : kPlans) {
    const auto got = p.ready(plan)->run({ones(1)});
    const auto& items = got.size() == 1 ? got[0].items() : got;
    EXPECT_EQ(first(items[0]), 3.0) << plan;
    EXPECT_EQ(items[1].as_int(), 4) << plan;
    EXPECT_EQ(first(items[2]), 4.0) << plan;
  }
}

TEST(Tasks, GradientsFlowThroughThem) {
  const Program p(
      "def f(x):\n    return x * x\n"
      "def main(x):\n    t = torch.jit.fork(f, x)\n    with torch.no_grad():\n"
      "        u = torch.jit.fork(f, x)\n    return torch.jit.wait(t) * torch.jit.wait(u)\n");
  for (const char* plan : kPlans) {
    eager::Gradients on;
    Tensor x = eager::requires_grad(ones(1).as_tensor());
    PipelineOptions options;
    options.recorded = true;
    const auto ready = prepare(p.graph(), parse_plan(plan), options);
    const auto got = ready->run({IValue(x)});
    eager::backward(got[0].as_tensor());
    EXPECT_EQ(element_as_double(eager::gradient(x), 0), 2.0)
        << plan << ": what ran under no_grad is a constant";
  }
}

TEST(Tasks, TheRingIsThatOfTheFork) {
  const Program p(
      "def f(x):\n    return x * x + x\ndef main(x):\n    t = torch.jit.fork(f, x)\n"
      "    return torch.jit.wait(t)\n");
  DomainScope ring(Domain::Ring);
  const auto wanted = p.ready("eager")->run({ones(100)});
  for (const char* plan : kPlans)
    for (int i = 0; i < 20; ++i)
      EXPECT_TRUE(
          bitwise_equal(p.ready(plan)->run({ones(100)})[0].as_tensor(), wanted[0].as_tensor()))
          << plan;
}

TEST(Tasks, AnExecutorRunsCallsFromManyThreads) {
  const Program p(
      "def f(x, n: int):\n    y = x\n    for i in range(n):\n        y = (y + x).relu()\n    "
      "return "
      "y.sum()\n"
      "def main(x):\n    ts = [torch.jit.fork(f, x, i) for i in range(9)]\n    s = x.sum() * 0\n"
      "    for t in ts:\n        s = s + torch.jit.wait(t)\n    return s\n");
  for (const char* plan : {"vm", "vm/o2,fuse(loopnest,interp)", "jit/o2"}) {
    const auto ready = p.ready(plan);
    const double wanted = first(p.ready("eager")->run({ones(64)})[0]);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 25; ++i) wrong += first(ready->run({ones(64)})[0]) != wanted;
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong.load(), 0) << plan;
  }
}

TEST(Tasks, WhatCouldBeObservedRunsAtTheFork) {
  auto anywhere = [](const std::string& body) {
    const Program p("def f(x):\n" + body +
                    "def main(x):\n    return torch.jit.wait(torch.jit.fork(f, x))\n");
    for (const Node* n : p.graph().block()->nodes())
      if (is_task(n)) return runs_anywhere(n->subgraph());
    ADD_FAILURE() << "no task: " << body;
    return false;
  };
  EXPECT_TRUE(anywhere("    return x * 2\n"));
  EXPECT_TRUE(anywhere("    y = x * 2\n    y.add_(1)\n    return y\n"));
  EXPECT_TRUE(anywhere("    assert x.dim() > 0\n    return x * 2\n"));
  EXPECT_FALSE(anywhere("    x.add_(1)\n    return x\n"));
  EXPECT_FALSE(anywhere("    x[0].add_(1)\n    return x\n"));
  EXPECT_FALSE(anywhere("    print(x.dim())\n    return x\n"));
  EXPECT_FALSE(anywhere("    return x + torch.rand([3])\n"));
}

TEST(Tasks, WrongForksAreRefused) {
  for (const char* body :
       {"    return torch.jit.wait(torch.jit.fork())\n", "    return torch.jit.wait(x)\n",
        "    return torch.jit.wait(torch.jit.fork(nobody, x))\n",
        "    return torch.jit.wait(torch.jit.fork(f, x, x))\n"}) {
    const Script script = compile_script(
        std::string("import torch\ndef f(x):\n    return x\ndef main(x):\n") + body, "f.py");
    EXPECT_EQ(script.failed.size(), 1u) << body;
  }
}

}  // namespace
}  // namespace fusillade
