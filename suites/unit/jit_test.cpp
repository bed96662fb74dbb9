// The engine `jit`: what it specialises, when guards fail, and that results never depend on it.
#include "engine/run/jit.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/front/autograd.h"
#include "engine/front/eager.h"
#include "engine/front/script.h"

namespace fusillade {
namespace {

std::unique_ptr<JitExecutable> ready(const Graph& graph, const std::string& plan) {
  std::unique_ptr<Executable> executable = prepare(graph, parse_plan(plan));
  auto* jit = dynamic_cast<JitExecutable*>(executable.release());
  EXPECT_NE(jit, nullptr);
  return std::unique_ptr<JitExecutable>(jit);
}

std::unique_ptr<Graph> chain() {
  return parse_graph(R"(graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::add(%a, %y, %one)
  %n : int = aten::size(%x, %one)
  %c : Tensor = aten::mul(%b, %n)
  return (%c)
)");
}

Tensor numbers(const Dims& sizes, DType dtype = DType::F32) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, static_cast<double>(i % 7) - 2);
  return t;
}

void agree(const Graph& graph, const JitExecutable& jit, const std::vector<IValue>& inputs) {
  const auto wanted = prepare(graph, parse_plan("eager"))->run(inputs);
  const auto given = jit.run(inputs);
  ASSERT_EQ(wanted.size(), given.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(bitwise_equal(wanted[i].as_tensor(), given[i].as_tensor()));
}

TEST(Jit, ProfilesOnceThenRunsTheVersionForThoseTypes) {
  auto graph = chain();
  auto jit = ready(*graph, "jit/o2");
  const std::vector<IValue> inputs{numbers({2, 3}), numbers({2, 3})};
  for (int i = 0; i < 3; ++i) agree(*graph, *jit, inputs);
  EXPECT_EQ(jit->counters().profiled, 1);
  EXPECT_EQ(jit->counters().versions, 1);
  const std::string text = print(jit->graph_for(inputs));
  EXPECT_NE(text.find("%x : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("aten::size"), std::string::npos) << text;  // known, so folded
}

TEST(Jit, DynamicSizesServeManyShapes) {
  auto graph = chain();
  auto jit = ready(*graph, "jit(static=1,dynamic=2)/o2");
  for (int64_t n = 2; n < 9; ++n) agree(*graph, *jit, {numbers({n, 3}), numbers({n, 3})});
  EXPECT_EQ(jit->counters().versions, 2);  // [2, 3], then [n, 3]
  EXPECT_EQ(jit->counters().profiled, 2);
  const std::vector<IValue> other{numbers({40, 3}), numbers({40, 3})};
  const std::string text = print(jit->graph_for(other));
  EXPECT_NE(text.find("%x : Float(SS(-2), 3,"), std::string::npos) << text;
  EXPECT_NE(text.find("%y : Float(SS(-2), 3,"), std::string::npos) << text;
  // Equal symbols are equal sizes: this call broadcasts, and is taken by no version.
  agree(*graph, *jit, {numbers({40, 3}), numbers({1, 3})});
  EXPECT_EQ(jit->counters().profiled, 3);
}

TEST(Jit, BeyondTheDepthTheGraphIsCompiledForNoTypes) {
  auto graph = chain();
  auto jit = ready(*graph, "jit(static=1,dynamic=0)/o2");
  agree(*graph, *jit, {numbers({2, 3}), numbers({2, 3})});
  for (int i = 0; i < 3; ++i) agree(*graph, *jit, {numbers({5, 3}), numbers({5, 3})});
  agree(*graph, *jit, {numbers({2, 3}, DType::F64), numbers({2, 3})});
  EXPECT_EQ(jit->counters().versions, 1);
  EXPECT_EQ(jit->counters().profiled, 1);
  EXPECT_EQ(jit->counters().generic, 2);  // kinds of calls, each met once
}

TEST(Jit, SeveralProfiledCallsAreMerged) {
  auto graph = chain();
  auto jit = ready(*graph, "jit(calls=2)/o2");
  agree(*graph, *jit, {numbers({2, 3}), numbers({2, 3})});
  EXPECT_EQ(jit->counters().versions, 0);
  agree(*graph, *jit, {numbers({4, 3}), numbers({4, 3})});
  EXPECT_EQ(jit->counters().versions, 1);
  agree(*graph, *jit, {numbers({9, 3}), numbers({9, 3})});
  EXPECT_EQ(jit->counters().profiled, 2);  // the size that differed is unknown, so any
}

TEST(Jit, EveryKindOfDifferenceIsSeen) {
  auto graph = chain();
  auto jit = ready(*graph, "jit(static=9)/o2");
  const Tensor x = numbers({3, 3});
  const Tensor flipped = Tensor::view_of(x, 0, {3, 3}, {1, 3});
  agree(*graph, *jit, {x, x});
  agree(*graph, *jit, {flipped, x});
  agree(*graph, *jit, {numbers({3, 3}, DType::I64), x});
  agree(*graph, *jit, {numbers({1, 3}), x});
  agree(*graph, *jit, {numbers({2, 3, 3}), x});
  EXPECT_EQ(jit->counters().versions, 5);
  for (int i = 0; i < 2; ++i) agree(*graph, *jit, {flipped, x});
  EXPECT_EQ(jit->counters().profiled, 5);
}

// Of items of a list nothing is known but by profiling: a guard within the graph.
std::unique_ptr<Graph> of_list() {
  return parse_graph(R"(graph(%l : Tensor[], %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %x : Tensor = aten::__getitem__(%l, %zero)
  %y.1 : Tensor = aten::add_(%y, %x, %one)
  %n : int = aten::dim(%x)
  %a : Tensor = aten::mul(%x, %n)
  return (%a)
)");
}

IValue list_of(const Tensor& t) { return IValue::list({t}, TypeKind::Tensor); }

TEST(Jit, GuardsWithinTheGraph) {
  auto graph = of_list();
  auto jit = ready(*graph, "jit/o2");
  auto run = [&](const Dims& sizes) {
    const Tensor mine = numbers({4, 3}), theirs = numbers({4, 3});
    const IValue x = list_of(numbers(sizes));
    const auto wanted = prepare(*graph, parse_plan("eager"))->run({x, theirs});
    const auto given = jit->run({x, mine});
    EXPECT_TRUE(bitwise_equal(wanted[0].as_tensor(), given[0].as_tensor()));
    EXPECT_TRUE(bitwise_equal(theirs, mine));  // written once, whoever ran
  };
  for (int i = 0; i < 3; ++i) run({4, 3});
  EXPECT_EQ(jit->counters().guards, 2);
  const std::string text = print(jit->graph_for({list_of(numbers({4, 3})), numbers({4, 3})}));
  EXPECT_NE(text.find("prim::TypeCheck"), std::string::npos) << text;
  EXPECT_NE(text.find("prim::FallbackGraph"), std::string::npos) << text;
  EXPECT_EQ(jit->counters().profiled, 1);
  for (int i = 0; i < 3; ++i) run({3});
  EXPECT_EQ(jit->counters().profiled, 2);  // the fallback's own
  EXPECT_EQ(jit->counters().versions, 2);
}

// A loop over rows of %x by an index that no type gives: what is selected follows from %x.
TEST(Jit, WhatFollowsFromInputsIsNotGuarded) {
  auto graph = parse_graph(R"(graph(%x : Tensor, %w : Tensor[]):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %true : bool = prim::Constant[value=1]()
  %n : int = aten::len(%w)
  %acc : Tensor = aten::select(%x, %zero, %zero)
  %out : Tensor = prim::Loop(%n, %true, %acc)
    block0(%i : int, %a : Tensor):
      %r : Tensor = aten::select(%x, %zero, %i)
      %s : Tensor = aten::mul(%r, %a)
      %t : Tensor = aten::add(%s, %r, %one)
      -> (%true, %t)
  %v : Tensor = aten::__getitem__(%w, %zero)
  %c : Tensor = aten::mul(%v, %v)
  %d : Tensor = aten::add(%c, %out, %one)
  return (%d)
)");
  auto jit = ready(*graph, "jit/o2");
  std::vector<IValue> items{numbers({4}), numbers({4})};
  const std::vector<IValue> inputs{numbers({3, 4}), IValue::list(items, TypeKind::Tensor)};
  for (int i = 0; i < 3; ++i) agree(*graph, *jit, inputs);
  EXPECT_EQ(jit->counters().guards, 2);  // of the version, and of the list's item
  EXPECT_GE(jit->counters().implied, 4);
  const std::string text = print(jit->graph_for(inputs));
  EXPECT_EQ(text.find("prim::TypeCheck"), text.rfind("prim::TypeCheck")) << text;
}

TEST(Jit, AForcedGuardFailsAndNothingElseChanges) {
  for (auto make : {&chain}) {
    auto graph = make();
    for (int fail = 0; fail < 3; ++fail) {
      auto jit = ready(*graph, fmt::format("jit(fail={},static=1,dynamic=1)/o2", fail));
      for (int i = 0; i < 4; ++i) agree(*graph, *jit, {numbers({2, 3}), numbers({2, 3})});
      EXPECT_EQ(jit->counters().failed > 0, fail < 1) << fail;
    }
  }
  auto graph = of_list();
  auto jit = ready(*graph, "jit(fail=1)/o2");
  for (int i = 0; i < 4; ++i) agree(*graph, *jit, {list_of(numbers({2, 3})), numbers({2, 3})});
  EXPECT_EQ(jit->counters().profiled, 2);
}

TEST(Jit, WhatATapeRecordsIsSeparate) {
  auto graph = chain();
  auto jit = ready(*graph, "jit/o2,autodiff(1)");
  const Tensor y = numbers({2, 3});
  agree(*graph, *jit, {numbers({2, 3}), y});
  agree(*graph, *jit, {numbers({2, 3}), y});
  eager::Gradients on;
  for (int i = 0; i < 3; ++i) {
    const Tensor x = eager::requires_grad(numbers({2, 3}));
    const Tensor out = jit->run({x, y})[0].as_tensor();
    ASSERT_TRUE(out.requires_grad());
    eager::backward(eager::sum(out));
    EXPECT_EQ(element_as_double(eager::gradient(x), 4), 3 * element_as_double(y, 4));
  }
  EXPECT_EQ(jit->counters().versions, 2);
}

TEST(Jit, ErrorsAreThoseOfTheProgram) {
  auto graph = chain();
  auto jit = ready(*graph, "jit/o2");
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(jit->run({numbers({2, 3}), numbers({4, 5})}), Error);
    EXPECT_THROW(jit->run({numbers({2, 3})}), Error);
    EXPECT_THROW(jit->run({numbers({2, 3}), IValue(3)}), Error);
  }
  agree(*graph, *jit, {numbers({2, 3}), numbers({2, 3})});
}

TEST(Jit, ManyThreadsManyShapes) {
  auto graph = chain();
  auto jit = ready(*graph, "jit(static=2,dynamic=3)/o2,fuse(loopnest,interp)");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const int64_t n = 1 + (i * 7 + t) % 6;
        const std::vector<IValue> inputs{numbers({n, 1 + i % 3}), numbers({n, 1})};
        const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
        if (!bitwise_equal(wanted[0].as_tensor(), jit->run(inputs)[0].as_tensor())) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(jit->counters().versions, 5);
}

TEST(Jit, PlansSayTheirWords) {
  EXPECT_EQ(to_string(parse_plan("jit( calls=2, static=1 )/cse~3")), "jit(calls=2,static=1)/cse~3");
  EXPECT_EQ(to_string(parse_plan("jit()")), "jit");
  for (const char* bad : {"jit(calls=0)", "jit(calls)", "jit(what=1)", "jit(fail=-1)",
                          "jit(calls=1", "vm(calls=1)", "eager()"})
    EXPECT_THROW(parse_plan(bad), Error) << bad;
}

}  // namespace
}  // namespace fusillade
