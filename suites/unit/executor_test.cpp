// Both engines on control flow, containers, calls and errors: the VM must agree with the eager
// walker, and both with the value written here.
#include <gtest/gtest.h>

#include "engine/run/bytecode.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

std::vector<IValue> run(const char* plan, const std::string& program,
                        const std::vector<IValue>& inputs) {
  return prepare(*parse_graph(program), parse_plan(plan))->run(inputs);
}

// Runs under every engine and gives the (equal) results as text.
std::string both(const char* program, const std::vector<IValue>& inputs) {
  std::string texts[2];
  const char* plans[2] = {"eager", "vm"};
  for (int i = 0; i < 2; ++i) {
    for (const IValue& v : run(plans[i], program, inputs)) texts[i] += describe(v) + " ";
    if (!texts[i].empty()) texts[i].pop_back();
  }
  EXPECT_EQ(texts[0], texts[1]) << program;
  return texts[0];
}

std::string error_of(const char* plan, const std::string& program,
                     const std::vector<IValue>& inputs) {
  try {
    run(plan, program, inputs);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

constexpr const char* kIf = R"(graph(%c : bool, %a : int, %b : int):
  %r : int, %s : int = prim::If(%c)
    block0():
      %d : int = aten::add(%a, %b)
      -> (%d, %a)
    block1():
      %e : int = aten::mul(%a, %b)
      -> (%b, %e)
  return (%r, %s)
)";

TEST(Executors, If) {
  EXPECT_EQ(both(kIf, {true, 3, 4}), "7 3");
  EXPECT_EQ(both(kIf, {false, 3, 4}), "4 12");
}

// Fibonacci: the two carried values swap roles every iteration.
constexpr const char* kFibonacci = R"(graph(%n : int):
  %0 : int = prim::Constant[value=0]()
  %1 : int = prim::Constant[value=1]()
  %t : bool = prim::Constant[value=1]()
  %a : int, %b : int = prim::Loop(%n, %t, %0, %1)
    block0(%i : int, %p : int, %q : int):
      %s : int = aten::add(%p, %q)
      -> (%t, %q, %s)
  return (%a, %b)
)";

TEST(Executors, LoopOfZeroOneManyIterations) {
  EXPECT_EQ(both(kFibonacci, {-2}), "0 1");
  EXPECT_EQ(both(kFibonacci, {0}), "0 1");
  EXPECT_EQ(both(kFibonacci, {1}), "1 1");
  EXPECT_EQ(both(kFibonacci, {10}), "55 89");
}

constexpr const char* kSwap = R"(graph(%n : int, %a : int, %b : int):
  %t : bool = prim::Constant[value=1]()
  %x : int, %y : int = prim::Loop(%n, %t, %a, %b)
    block0(%i : int, %p : int, %q : int):
      -> (%t, %q, %p)
  return (%x, %y, %a)
)";

TEST(Executors, CarriedValuesSwapInParallel) {
  EXPECT_EQ(both(kSwap, {3, 1, 2}), "2 1 1");
  EXPECT_EQ(both(kSwap, {4, 1, 2}), "1 2 1");
}

// while x < limit: x = x * 2; counted
constexpr const char* kWhile = R"(graph(%x : int, %limit : int):
  %max : int = prim::Constant[value=9223372036854775807]()
  %0 : int = prim::Constant[value=0]()
  %1 : int = prim::Constant[value=1]()
  %2 : int = prim::Constant[value=2]()
  %c : bool = aten::lt(%x, %limit)
  %r : int, %k : int = prim::Loop(%max, %c, %x, %0)
    block0(%i : int, %y : int, %n : int):
      %z : int = aten::mul(%y, %2)
      %m : int = aten::add(%n, %1)
      %go : bool = aten::lt(%z, %limit)
      -> (%go, %z, %m)
  return (%r, %k)
)";

TEST(Executors, While) {
  EXPECT_EQ(both(kWhile, {1, 100}), "128 7");
  EXPECT_EQ(both(kWhile, {200, 100}), "200 0");
}

// Nested loops and an If whose branches use different outer values for the last time.
constexpr const char* kNested = R"(graph(%n : int, %u : int, %v : int):
  %0 : int = prim::Constant[value=0]()
  %t : bool = prim::Constant[value=1]()
  %total : int = prim::Loop(%n, %t, %0)
    block0(%i : int, %acc : int):
      %inner : int = prim::Loop(%i, %t, %acc)
        block0(%j : int, %sum : int):
          %odd : bool = aten::lt(%j, %u)
          %add : int = prim::If(%odd)
            block0():
              %p : int = aten::add(%sum, %u)
              -> (%p)
            block1():
              %q : int = aten::add(%sum, %v)
              -> (%q)
          -> (%t, %add)
      -> (%t, %inner)
  %even : bool = aten::lt(%u, %v)
  %last : int = prim::If(%even)
    block0():
      %w : int = aten::sub(%total, %u)
      -> (%w)
    block1():
      %z : int = aten::sub(%total, %v)
      -> (%z)
  return (%last)
)";

TEST(Executors, NestedControlFlow) {
  EXPECT_EQ(both(kNested, {0, 1, 10}), "-1");
  EXPECT_EQ(both(kNested, {4, 1, 10}), "32");
  EXPECT_EQ(both(kNested, {4, 5, 2}), "28");
}

constexpr const char* kContainers = R"(graph(%a : int, %b : int):
  %l : int[] = prim::ListConstruct(%a, %b, %a)
  %x : int, %y : int, %z : int = prim::ListUnpack(%l)
  %t : (int, int[]) = prim::TupleConstruct(%y, %l)
  %p : int, %q : int[] = prim::TupleUnpack(%t)
  %s : int = aten::add(%x, %p)
  return (%s, %q, %t)
)";

TEST(Executors, TuplesAndLists) {
  EXPECT_EQ(both(kContainers, {1, 2}), "3 [1, 2, 1] (2, [1, 2, 1])");
}

TEST(Executors, UnusedInputsAndOutputs) {
  EXPECT_EQ(both("graph(%a : int, %b : int):\n  return ()\n", {1, 2}), "");
  EXPECT_EQ(both("graph(%a : int, %b : int):\n  return (%b, %b, %a)\n", {1, 2}), "2 2 1");
}

TEST(Executors, CallerKeepsItsInputs) {
  Tensor t = Tensor::zeros({2}, DType::F32);
  std::vector<IValue> inputs{t};
  for (const char* plan : {"eager", "vm"}) {
    auto out = run(plan, "graph(%x : Tensor):\n  return (%x)\n", inputs);
    EXPECT_TRUE(out[0].as_tensor().same(t));
    EXPECT_TRUE(inputs[0].is_tensor() && inputs[0].as_tensor().same(t));
  }
}

TEST(Executors, TensorsAreReleasedAfterTheCall) {
  Tensor t = Tensor::zeros({8}, DType::F32);
  auto executable = prepare(*parse_graph("graph(%x : Tensor):\n  %y : Tensor = aten::neg(%x)\n"
                                         "  %z : Tensor = aten::neg(%y)\n  return (%z)\n"),
                            parse_plan("vm"));
  size_t before = Storage::live_bytes();
  executable->run({t});
  EXPECT_EQ(Storage::live_bytes(), before);
  EXPECT_EQ(t.storage_uses(), 1u);
}

TEST(Executors, WrongInputsAreErrors) {
  for (const char* plan : {"eager", "vm"}) {
    EXPECT_NE(error_of(plan, kIf, {true, 3}).find("takes 3 inputs, got 2"), std::string::npos);
    EXPECT_NE(error_of(plan, kIf, {1, 3, 4}).find("declared is bool"), std::string::npos);
    Tensor t = Tensor::zeros({2}, DType::F64);
    EXPECT_NE(error_of(plan, "graph(%x : Float(2)):\n  return (%x)\n", {t}).find("Float(2"),
              std::string::npos);
  }
}

TEST(Executors, InputsAreWhereTheyAreDeclared) {
  IValue x = Tensor::zeros({2}, DType::F32);
  auto says = [&](const char* plan, const std::string& parts, const char* what) {
    const std::string program = "graph(%x : Float(2, " + parts + ")):\n  return (%x)\n";
    std::string error = error_of(plan, program.c_str(), {x});
    EXPECT_NE(error.find(what), std::string::npos) << parts << ": " << error;
  };
  for (const char* plan : {"eager", "vm"}) {
    says(plan, "requires_grad=1",
         "requires_grad=0, device=cpu); declared is Float(2, requires_grad=1)");
    says(plan, "device=cuda:0", "declared is Float(2, device=cuda:0): tensors are on 'cpu'");
    EXPECT_EQ(prepare(*parse_graph("graph(%x : Float(2, requires_grad=0, device=cpu)):\n"
                                   "  return (%x)\n"),
                      parse_plan(plan))
                  ->run({x})
                  .size(),
              1u);
  }
}

TEST(Executors, RaiseIsAnError) {
  const char* program = R"(graph(%c : bool):
  %m : str = prim::Constant[value="no such thing"]()
  prim::If(%c)
    block0():
      prim::RaiseException(%m)
      -> ()
    block1():
      -> ()
  return (%c)
)";
  for (const char* plan : {"eager", "vm"}) {
    EXPECT_NE(error_of(plan, program, {true}).find("no such thing"), std::string::npos);
    EXPECT_EQ(error_of(plan, program, {false}), "no error");
  }
}

// Constants that an op cannot run on are an error of the op, not of the text: the op may be where
// nothing runs it.
TEST(Executors, WhatNothingRunsRaisesNothing) {
  const char* kText = R"(graph(%c : bool, %x : Tensor):
  %n : NoneType = prim::Constant()
  %s : float[] = prim::Constant[value=[2., 2.]]()
  %d : int[] = prim::Constant[value=[0, 0]]()
  %r : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::permute(%x, %d)
      %u : Tensor = aten::upsample_nearest3d(%p, %n, %s)
      -> (%u)
    block1():
      -> (%x)
  return (%r)
)";
  Tensor x = Tensor::zeros({1, 1, 2}, DType::F32);
  for (const char* plan : {"eager", "vm", "vm/o2"}) {
    EXPECT_EQ(run(plan, kText, {false, x})[0].as_tensor().sizes(), x.sizes()) << plan;
    EXPECT_NE(error_of(plan, kText, {true, x}).find("permute"), std::string::npos) << plan;
  }
  const char* kBare = R"(graph(%x : Tensor):
  %n : NoneType = prim::Constant()
  %s : float[] = prim::Constant[value=[2., 2.]]()
  %u : Tensor = aten::upsample_nearest3d(%x, %n, %s)
  return (%u)
)";
  EXPECT_EQ(parse_graph(kBare)->outputs()[0]->type(), Type(TypeKind::Tensor));
  EXPECT_NE(error_of("vm", kBare, {Tensor::zeros({1, 1, 2, 2, 2}, DType::F32)}).find("IndexError"),
            std::string::npos);
}

TEST(Executors, AFailedCallLeavesTheVmUsable) {
  auto executable = prepare(*parse_graph("graph(%a : int, %b : int):\n"
                                         "  %c : int = aten::floordiv(%a, %b)\n  return (%c)\n"),
                            parse_plan("vm"));
  EXPECT_THROW(executable->run({1, 0}), Error);
  EXPECT_EQ(executable->run({7, 2})[0].as_int(), 3);
}

// A call chain deeper than the bound is refused, not a crash.
TEST(Executors, DeepCallsAreRefused) {
  auto graph = std::make_shared<Graph>();
  graph->add_output(graph->add_input(TypeKind::Int));
  for (int i = 0; i < 1000; ++i) {
    auto outer = std::make_shared<Graph>();
    Value* x = outer->add_input(TypeKind::Int);
    Node* call = outer->create(prim::call_function(), {x});
    call->output()->set_type(TypeKind::Int);
    call->set_attr("name", IValue::str("f"));
    call->set_attr("Subgraph", graph);
    outer->block()->append(call);
    outer->add_output(call->output());
    graph = outer;
  }
  EXPECT_THROW(prepare(*graph, parse_plan("vm")), Error);
  EXPECT_THROW(prepare(*graph, parse_plan("eager"))->run({1}), Error);
}

TEST(Bytecode, LastUseMoves) {
  auto graph = parse_graph("graph(%a : int):\n  %b : int = aten::add(%a, %a)\n  return (%b)\n");
  std::string text = print(*compile_bytecode(*graph));
  EXPECT_NE(text.find("Load      0     0"), std::string::npos) << text;
  EXPECT_NE(text.find("Move      0     0"), std::string::npos) << text;
  EXPECT_EQ(text.find("DropR"), std::string::npos) << text;
}

}  // namespace
}  // namespace fusillade
