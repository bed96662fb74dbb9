// A steady state that allocates nothing: after a few calls that look alike, what a call still asks
// of the system is the vector of its results and the handles of those that leave it. And memory
// that is used again belongs to nobody else: results, views and captured tensors keep theirs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/front/autograd.h"
#include "engine/front/eager.h"
#include "engine/front/script.h"
#include "engine/ir/graph.h"
#include "engine/run/plan.h"
#include "engine/tensor/memory_pool.h"
#include "engine/tensor/random.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FUS_SANITIZED 1
#endif
#endif

#ifndef FUS_SANITIZED
namespace {
constinit thread_local int64_t asked = -1;  // -1: nobody counts
}

// The executable's definitions go before the C library's: operator new comes here as well.
extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT
void* malloc(size_t bytes) {
  if (asked >= 0) ++asked;
  return __libc_malloc(bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  if (asked >= 0) ++asked;
  return __libc_memalign(alignment, bytes);
}
}
#endif

namespace fusillade {
namespace {

Tensor uniform_tensor(const Dims& sizes, uint64_t seed) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  fill_uniform(t, seed, 0);
  return t;
}

#ifndef FUS_SANITIZED
// How often the system is asked in one of many calls.
int64_t asked_per_call(const std::string& text, const std::string& plan,
                       const std::vector<IValue>& inputs) {
  const Script script = compile_script(text, "steady.py");
  auto executable = prepare(*script.functions.back(), parse_plan(plan));
  for (int i = 0; i < 5; ++i) executable->run(inputs);
  asked = 0;
  for (int i = 0; i < 20; ++i) executable->run(inputs);
  const int64_t all = asked;
  asked = -1;
  EXPECT_EQ(all % 20, 0) << text << " under " << plan << ": " << all << " in 20 calls";
  return all / 20;
}

constexpr int64_t kVector = 1;   // of the results
constexpr int64_t kHandles = 2;  // of a result that leaves: tensor and storage

TEST(Steady, ElementWiseProgramsAllocateNothing) {
  const std::string text =
      "def f(x: Tensor, y: Tensor) -> Tensor:\n"
      "    a = (x + y) * 2.0\n"
      "    b = torch.clamp(a - x, min=0)\n"
      "    m = a > b\n"
      "    for i in range(5):\n"
      "        b = torch.where(m, b * 0.5 + y, b - x)\n"
      "    return b * a + torch.exp(b)\n";
  for (int64_t n : {16, 1000, 30000})
    for (const char* plan : {"vm", "vm/o2", "jit/o2"})
      EXPECT_LE(asked_per_call(text, plan, {uniform_tensor({n}, 1), uniform_tensor({n}, 2)}),
                kVector + kHandles)
          << plan << ", " << n << " elements";
}

TEST(Steady, KernelsAllocateNothing) {
  const std::string text =
      "def f(x: Tensor, y: Tensor) -> Tensor:\n"
      "    a = (x + y) * 2.0\n"
      "    return torch.sigmoid(a - x) * a + torch.exp(y)\n";
  for (const char* plan : {"vm/o2,fuse(loopnest,llvm)", "jit/o2,fuse(loopnest,llvm)"})
    EXPECT_LE(asked_per_call(text, plan, {uniform_tensor({64}, 1), uniform_tensor({64}, 2)}),
              kVector + kHandles)
        << plan;
}

TEST(Steady, ProductsAllocateNothing) {
  const std::string text =
      "def f(x: Tensor, w: Tensor, b: Tensor) -> Tensor:\n"
      "    h = torch.relu(torch.mm(x, w))\n"
      "    h = torch.tanh(torch.addmm(b, h, w))\n"
      "    return torch.mm(h, w) + h\n";
  for (const char* plan : {"vm", "vm/o2", "jit/o2", "jit/o2,fuse(loopnest,llvm)"})
    EXPECT_LE(asked_per_call(text, plan,
                             {uniform_tensor({8, 8}, 1), uniform_tensor({8, 8}, 2),
                              uniform_tensor({8, 8}, 3)}),
              kVector + kHandles)
        << plan;
}

// What a group with several outputs asks for is what each of them needs to leave.
TEST(Steady, GroupsOfSeveralOutputsAllocateWhatLeaves) {
  const std::string text =
      "def f(x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n"
      "    a = torch.tanh(x * y)\n"
      "    b = a + x\n"
      "    return a, b, torch.sigmoid(b) * y\n";
  EXPECT_LE(asked_per_call(text, "vm/o2,fuse(loopnest,llvm)",
                           {uniform_tensor({64}, 1), uniform_tensor({64}, 2)}),
            kVector + 3 * kHandles + 2);  // and the tuple with its items
}

// Blocks that some other program left to the thread, as many as it keeps, are not all there is.
TEST(Steady, BlocksOfAnotherSizeMakeRoom) {
  const std::string text =
      "def f(x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n"
      "    a = torch.tanh(x * y)\n"
      "    b = a + x\n"
      "    return a, b, torch.sigmoid(b) * y\n";
  constexpr size_t kBytes = 1 << 12, kBlocks = (size_t{4} << 20) / kBytes;
  std::vector<uint8_t*> blocks;
  for (size_t i = 0; i < kBlocks; ++i) blocks.push_back(take_memory(kBytes));
  for (uint8_t* block : blocks) return_memory(block, kBytes);
  EXPECT_LE(asked_per_call(text, "vm/o2,fuse(loopnest,llvm)",
                           {uniform_tensor({300}, 1), uniform_tensor({300}, 2)}),
            kVector + 3 * kHandles + 2);
}

TEST(Steady, LoopsAroundGroupsAllocateNothing) {
  const std::string text =
      "def f(x: Tensor, y: Tensor, n: int) -> Tensor:\n"
      "    for i in range(n):\n"
      "        x = torch.tanh(x * y) + y\n"
      "    return x * 2.0\n";
  for (const char* plan : {"vm", "vm/o2", "vm/o2,fuse(loopnest,llvm)"})
    EXPECT_LE(
        asked_per_call(text, plan, {uniform_tensor({64}, 1), uniform_tensor({64}, 2), IValue(20)}),
        kVector + kHandles)
        << plan;
}

constexpr const char* kCell =
    "def f(x: Tensor, h: Tensor, c: Tensor, w: Tensor, u: Tensor) -> Tuple[Tensor, Tensor]:\n"
    "    gates = torch.mm(x, w) + torch.mm(h, u)\n"
    "    i, f, g, o = gates.chunk(4, 1)\n"
    "    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n"
    "    return torch.sigmoid(o) * torch.tanh(c), c\n";

TEST(Steady, AStepOfAnLstmAllocatesWhatLeaves) {
  const std::vector<IValue> inputs{uniform_tensor({4, 8}, 1), uniform_tensor({4, 8}, 2),
                                   uniform_tensor({4, 8}, 3), uniform_tensor({8, 32}, 4),
                                   uniform_tensor({8, 32}, 5)};
  // Beside the tuple and its two tensors: the list of views that chunk makes, and each view.
  EXPECT_LE(asked_per_call(kCell, "vm/o2", inputs), 35);
  EXPECT_LE(asked_per_call(kCell, "vm/o2,fuse(loopnest,llvm)", inputs), 15);
}

// Forward and backward: each call creates the steps of the tape anew, as many as any other.
TEST(Steady, AGroupWithItsGradientAsksForAsMuchInEachCall) {
  const Script script = compile_script(
      "def f(x: Tensor, y: Tensor) -> Tensor:\n"
      "    return torch.tanh(x * y) * torch.sigmoid(x)\n",
      "steady.py");
  eager::Gradients on;
  PipelineOptions options;
  options.recorded = true;
  const auto executable = prepare(
      *script.functions.back(), parse_plan("vm/inline,autodiff(mincut,2,loopnest,llvm)"), options);
  const Tensor x = eager::requires_grad(uniform_tensor({64}, 1)),
               y = eager::requires_grad(uniform_tensor({64}, 2));
  const std::vector<IValue> inputs{x, y};
  const Tensor seed = uniform_tensor({64}, 3);
  const auto walk = [&] {
    const Tensor result = executable->run(inputs).at(0).as_tensor();
    eager::gradients({result}, {x, y}, {.seeds = {seed}});
  };
  for (int i = 0; i < 5; ++i) walk();
  asked = 0;
  for (int i = 0; i < 20; ++i) walk();
  const int64_t all = asked;
  asked = -1;
  EXPECT_EQ(all % 20, 0) << all;
  EXPECT_LE(all / 20, 59);
}
#endif

std::vector<float> values(const Tensor& t) {
  std::vector<float> out;
  for (int64_t i = 0; i < t.numel(); ++i)
    out.push_back(static_cast<float>(element_as_double(t, i)));
  return out;
}

// What outlives its call keeps its memory, however it leaves.
TEST(Steady, WhatLeavesACallIsItsOwn) {
  const std::string text =
      "def f(x: Tensor) -> Tuple[Tensor, Tensor, List[Tensor]]:\n"
      "    a = x + 1.0\n"
      "    v = a[2:]\n"
      "    b = (a * 2.0) - x\n"
      "    held = [b * 3.0, v]\n"
      "    c = torch.exp(b) * x\n"
      "    return v, c - b, held\n";
  for (const char* plan : {"vm", "vm/o2", "jit/o2", "vm/o2,fuse(loopnest,interp)"}) {
    const Script script = compile_script(text, "leaves.py");
    auto executable = prepare(*script.functions.back(), parse_plan(plan));
    auto eager = prepare(*script.functions.back(), parse_plan("eager"));
    std::vector<std::vector<IValue>> results, inputs;
    for (uint64_t i = 0; i < 6; ++i) {
      inputs.push_back({uniform_tensor({9}, i)});
      results.push_back(executable->run(inputs.back()));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const std::vector<IValue> expected = eager->run(inputs[i]);
      const auto& got = results[i][0].items();
      const auto& want = expected[0].items();
      for (size_t k = 0; k < 2; ++k)
        EXPECT_EQ(values(got[k].as_tensor()), values(want[k].as_tensor())) << plan << ' ' << i;
      for (size_t k = 0; k < 2; ++k)
        EXPECT_EQ(values(got[2].items()[k].as_tensor()), values(want[2].items()[k].as_tensor()))
            << plan << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace fusillade
