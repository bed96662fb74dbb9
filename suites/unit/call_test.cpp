// The one call and its modes: every interpreter's operators pass, the orders of modes, what is
// lifted.
#include "engine/ops/call.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/front/trace.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// Counts the operators that pass, and calls on.
class Counter : public Mode {
 public:
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override {
    ++seen[op.name];
    fusillade::call(op, site, args, results);
  }
  std::map<std::string, int> seen;
};

using Seen = std::map<std::string, int>;

Seen operators_of(const std::string& plan, const char* program, const std::vector<IValue>& inputs) {
  auto executable = prepare(*parse_graph(program), parse_plan(plan));
  Counter counter;
  ModeScope scope(ModeKind::Autograd, counter);
  executable->run(inputs);
  return counter.seen;
}

constexpr const char* kProgram = R"(graph(%x : Tensor, %n : int):
  %t : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %r : Tensor = prim::Loop(%n, %t, %x)
    block0(%i : int, %p : Tensor):
      %l : int[] = prim::ListConstruct(%i, %n)
      %a : int, %b : int = prim::ListUnpack(%l)
      %c : bool = aten::lt(%a, %one)
      %q : Tensor = prim::If(%c)
        block0():
          %u : Tensor = aten::add(%p, %b, %one)
          -> (%u)
        block1():
          %s : Tensor = aten::softmax(%p, %one, %none)
          %v : Tensor = aten::triu(%s, %one)
          -> (%v)
      %w : (Tensor, int) = prim::TupleConstruct(%q, %i)
      %y : Tensor, %z : int = prim::TupleUnpack(%w)
      -> (%t, %y)
  return (%r)
)";

TEST(Call, EagerAndTheVmCallTheSameOperators) {
  std::vector<IValue> inputs{Tensor::zeros({2, 3}, DType::F32), IValue(3)};
  Seen eager = operators_of("eager", kProgram, inputs);
  EXPECT_EQ(eager, operators_of("vm", kProgram, inputs));
  EXPECT_EQ(eager.at("prim::ListConstruct"), 3);
  EXPECT_EQ(eager.at("prim::ListUnpack"), 3);
  EXPECT_EQ(eager.at("prim::TupleConstruct"), 3);
  EXPECT_EQ(eager.at("aten::add.Scalar"), 1);
  EXPECT_EQ(eager.at("prim::triangle"), 2);  // within the bodies
  EXPECT_EQ(eager.count("aten::triu"), 0u);
  EXPECT_EQ(eager.at("aten::softmax.int"), 2);  // natively
  EXPECT_EQ(eager.count("aten::exp"), 0u);
}

// A group that runs as its graph calls the operators in it; one that runs as a kernel calls none.
TEST(Call, GroupsFallBackThroughIt) {
  const char* program = R"(graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::exp(%x)
  %z : Tensor = aten::add(%y, %x, %one)
  return (%z)
)";
  Tensor x = Tensor::zeros({4}, DType::F32);
  auto executable = prepare(*parse_graph(program), parse_plan("vm/fuse(loopnest,interp)"));
  Counter counter;
  ModeScope scope(ModeKind::Device, counter);
  executable->run({x});
  EXPECT_EQ(counter.seen, Seen{});
  for (int64_t n = 5; n < 80; ++n) executable->run({Tensor::zeros({n}, DType::F32)});
  EXPECT_GT(counter.seen["aten::exp"], 0);  // too many sizes to specialise on
  EXPECT_EQ(counter.seen["aten::exp"], counter.seen["aten::add.Tensor"]);
}

// Appends its name, then calls on; a call of its own never comes back to it.
class Named : public Mode {
 public:
  Named(const char* name, std::string& log) : name_(name), log_(log) {}
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override {
    log_ += name_;
    fusillade::call(op, site, args, results);
  }

 private:
  const char* name_;
  std::string& log_;
};

TEST(Call, ModesStandInTheOrderOfTheirKinds) {
  const Operator& neg = operator_named("aten::neg.int");
  std::vector<IValue> args{IValue(2)};
  std::string log;
  Named trace("t", log), grad("g", log), second("G", log), device("d", log);
  {
    ModeScope d(ModeKind::Device, device);
    ModeScope t(ModeKind::Trace, trace);
    ModeScope g(ModeKind::Autograd, grad);
    {
      ModeScope s(ModeKind::Autograd, second);
      EXPECT_EQ(call(neg, args)[0].as_int(), -2);
      EXPECT_EQ(log, "tGgd");
      EXPECT_EQ(first_mode(ModeKind::Trace), &trace);
      log.clear();
      LiftModes lifted(ModeKind::Autograd);
      EXPECT_EQ(first_mode(ModeKind::Trace), nullptr);
      call(neg, args);
      EXPECT_EQ(log, "d");
    }
    log.clear();
    call(neg, args);
    EXPECT_EQ(log, "tgd");
    EXPECT_THROW(call(operator_named("prim::If"), args), Error);
    EXPECT_EQ(first_mode(ModeKind::Trace), &trace);  // in force again after an error
  }
  log.clear();
  call(neg, args);
  EXPECT_EQ(log, "");
}

// What a user calls by eager.h passes, a composite operator with what its body calls; a trace
// records it once.
TEST(Call, TheEagerApiPassesUnderATrace) {
  Counter counter;
  ModeScope scope(ModeKind::Device, counter);
  Traced t =
      record([](const std::vector<eager::Any>& args) { return eager::op("softmax", {args[0], 0}); },
             {IValue(Tensor::zeros({3}, DType::F32))}, "f", false);
  EXPECT_EQ(t.graph->node_count(), 1u);
  EXPECT_EQ(counter.seen["aten::softmax.int"], 1);
  EXPECT_EQ(counter.seen["aten::exp"], 0);  // its body is its own business
}

}  // namespace
}  // namespace fusillade
