// Random numbers and dropout in groups: the bits that eager mode draws, in the order of the
// program, taken once.
#include <gtest/gtest.h>

#include "engine/fuse/compile_log.h"
#include "engine/ir/graph.h"
#include "engine/passes/pass.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

const std::string kHead =
    "  %no : bool = prim::Constant[value=0]()\n  %yes : bool = prim::Constant[value=1]()\n"
    "  %none : NoneType = prim::Constant()\n  %one : int = prim::Constant[value=1]()\n"
    "  %half : int = prim::Constant[value=5]()\n  %double : int = prim::Constant[value=7]()\n"
    "  %p : float = prim::Constant[value=0.3]()\n  %never : float = prim::Constant[value=0.]()\n"
    "  %size : int[] = prim::Constant[value=[3, 5]]()\n";

constexpr const char* kLike = ", %none, %none, %none, %none, %none)\n";

std::string text_of(const std::string& body, const std::string& results) {
  return "graph(%x : Tensor):\n" + kHead + body + "  return (" + results + ")\n";
}

struct Drawn {
  std::vector<IValue> results;
  uint64_t next;  // of the stream, afterwards
};

Drawn run(const std::string& text, const std::string& plan, const std::vector<IValue>& inputs) {
  const auto graph = parse_graph(text);
  const auto ready = prepare(*graph, parse_plan(plan));
  const NumbersScope numbers;
  Drawn out{ready->run(inputs), 0};
  out.next = take_numbers(0);
  return out;
}

void expect_same(const Drawn& wanted, const Drawn& got, const std::string& where) {
  EXPECT_EQ(wanted.next, got.next) << where;
  ASSERT_EQ(wanted.results.size(), got.results.size()) << where;
  for (size_t i = 0; i < wanted.results.size(); ++i)
    EXPECT_TRUE(bitwise_equal(wanted.results[i].as_tensor(), got.results[i].as_tensor()))
        << where << ", result " << i;
}

Tensor test_tensor(const Dims& sizes, DType dtype) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, static_cast<double>((i * 7 + i / 11) % 9 - 4));
  return t;
}

Tensor transpose(const Tensor& t) {
  return Tensor::view_of(t, 0, {t.sizes()[1], t.sizes()[0]}, {t.strides()[1], t.strides()[0]});
}

const std::vector<std::string> kFusers = {"loopnest,interp", "loopnest,llvm",    "tile,interp",
                                          "tile,llvm",       "pointwise,interp", "pointwise,llvm"};

const std::vector<std::pair<std::string, std::string>> kPrograms = {
    {"  %r : Tensor = aten::rand_like(%x" + std::string(kLike) +
         "  %y : Tensor = aten::mul(%r, %x)\n",
     "%y, %r"},
    {"  %r : Tensor = aten::rand_like(%x" + std::string(kLike) +
         "  %s : Tensor = aten::rand_like(%x, %double, %none, %none, %none, %none)\n"
         "  %y : Tensor = aten::sub(%r, %s, %one)\n",
     "%y"},
    {"  %r : Tensor = aten::rand(%size, %half, %none, %none, %none)\n"
     "  %y : Tensor = aten::mul(%r, %r)\n",
     "%y"},
    {"  %a : Tensor = aten::neg(%x)\n  %d : Tensor = aten::dropout(%a, %p, %yes)\n"
     "  %y : Tensor = aten::add(%d, %x, %one)\n",
     "%y, %d"},
    {"  %d : Tensor = aten::dropout(%x, %p, %yes)\n  %e : Tensor = aten::dropout(%d, %p, %no)\n"
     "  %f : Tensor = aten::dropout(%e, %p, %yes)\n  %y : Tensor = aten::add(%f, %f, %one)\n",
     "%y"}};

TEST(RandomGroups, HaveEagersBits) {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    const Tensor x = test_tensor({3, 5}, dtype);
    for (const Tensor& given :
         {x, transpose(test_tensor({5, 3}, dtype)), test_tensor({1, 70}, dtype)}) {
      for (const auto& [body, results] : kPrograms) {
        const std::string text = text_of(body, results);
        const Drawn wanted = run(text, "eager", {given});
        for (const std::string& fuser : kFusers) {
          fuse::CompileLog log;
          const std::string where = fuser + " " + describe(given) + "\n" + text;
          expect_same(wanted, run(text, "vm/fuse(" + fuser + ")", {given}), where);
          ASSERT_EQ(log.compilations.size(), 1u) << where;
          if (fuser != "tile,llvm") EXPECT_EQ(log.compilations[0].why, "") << where;
        }
      }
    }
  }
}

// The CUDA text of each, run by the host's compiler.
TEST(RandomGroups, HaveEagersBitsOnGrids) {
  for (const auto& [body, results] : kPrograms) {
    const std::string text = text_of(body, results);
    for (const Tensor& given :
         {test_tensor({3, 5}, DType::F32), transpose(test_tensor({5, 3}, DType::F16))}) {
      fuse::CompileLog log;
      const std::string where = describe(given) + "\n" + text;
      const Drawn wanted = run(text, "eager", {given});
      expect_same(wanted, run(text, "vm/fuse(loopnest,cuda-emulated)", {given}), where);
      ASSERT_EQ(log.compilations.size(), 1u) << where;
      EXPECT_EQ(log.compilations[0].why, "") << where;
    }
  }
}

TEST(RandomGroups, OfAllSizesOfAPattern) {
  const std::string text = text_of(kPrograms[3].first, kPrograms[3].second);
  const auto graph = parse_graph(text);
  for (const char* plan : {"jit", "vm/fuse(loopnest,llvm)"}) {
    const auto ready = prepare(*graph, parse_plan(plan));
    for (int64_t n : {4, 9, 4, 31}) {
      const std::vector<IValue> inputs = {transpose(test_tensor({7, n}, DType::F32))};
      const Drawn wanted = run(text, "eager", inputs);
      const NumbersScope numbers;
      Drawn got{ready->run(inputs), 0};
      got.next = take_numbers(0);
      expect_same(wanted, got, plan);
    }
  }
}

// Of three draws the one between stays outside: the first may not come after it.
TEST(RandomGroups, KeepTheOrderOfTheProgram) {
  const std::string text = text_of("  %r : Tensor = aten::rand_like(%x" + std::string(kLike) +
                                       "  %n : Tensor = aten::randn_like(%x" + kLike +
                                       "  %s : Tensor = aten::rand_like(%x" + kLike +
                                       "  %a : Tensor = aten::sub(%r, %s, %one)\n"
                                       "  %y : Tensor = aten::add(%a, %x, %one)\n",
                                   "%y, %n");
  const Tensor x = test_tensor({3, 5}, DType::F32);
  for (const char* plan : {"vm/fuse(loopnest,interp)", "vm/o2,fuse(tile,interp)"})
    expect_same(run(text, "eager", {x}), run(text, plan, {x}), plan);
}

TEST(RandomGroups, WhatNothingReadsIsDrawn) {
  const std::string text = text_of("  %r : Tensor = aten::rand_like(%x" + std::string(kLike) +
                                       "  %s : Tensor = aten::rand_like(%x" + kLike +
                                       "  %t : Tensor = aten::type_as(%s, %r)\n"
                                       "  %u : Tensor = aten::dropout(%x, %p, %yes)\n"
                                       "  %v : Tensor = aten::rand_like(%x" +
                                       kLike + "  %y : Tensor = aten::add(%t, %v, %one)\n",
                                   "%y");
  const Tensor x = test_tensor({3, 5}, DType::F32);
  EXPECT_EQ(run(text, "eager", {x}).next, 60u);
  for (const char* plan : {"vm/dce", "vm/o2", "vm/o2,fuse(loopnest,llvm,wide)", "jit"})
    expect_same(run(text, "eager", {x}), run(text, plan, {x}), plan);
}

// A group without a kernel takes no numbers before its operators do.
TEST(RandomGroups, FallingBackDrawsOnce) {
  const std::string text = text_of(
      "  %d : Tensor = aten::dropout(%x, %p, %yes)\n"
      "  %y : Tensor = aten::bitwise_not(%d)\n",
      "%y");
  const Tensor x = test_tensor({3, 5}, DType::F32);
  const NumbersScope numbers;
  const auto graph = parse_graph(text);
  EXPECT_THROW(prepare(*graph, parse_plan("vm/fuse(loopnest,interp)"))->run({x}), Error);
  EXPECT_EQ(take_numbers(0), 15u);
}

// Where nothing is dropped, the result is the input itself.
TEST(RandomGroups, KeepTheInputsMemory) {
  const Tensor x = test_tensor({3, 5}, DType::F32);
  for (const char* call : {"%x, %p, %no", "%x, %never, %yes"}) {
    const std::string text =
        text_of(std::string("  %d : Tensor = aten::dropout(") + call +
                    ")\n  %y : Tensor = aten::neg(%d)\n  %z : Tensor = aten::mul(%y, %d)\n",
                "%z, %d");
    for (const std::string& fuser : kFusers) {
      const Drawn got = run(text, "vm/fuse(" + fuser + ")", {x});
      EXPECT_EQ(got.results[1].as_tensor().raw(), x.raw()) << fuser;
      EXPECT_EQ(got.next, 0u) << fuser;
    }
  }
}

}  // namespace
}  // namespace fusillade
