// Oracles on plans of a device, the stand-in's: quiet where the device computes as it does, and
// what a wrong pass does (those of oracle_test.cpp) is seen there, too.
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "suites/unit/on_stand_in.h"

namespace fusillade::fuzz {
namespace {

std::string judged_there(const std::string& oracle_name, const std::string& plan,
                         const std::string& program) {
  return in_child({}, [&] {
    Case c = parse_case("fusillade case 1\nprogram:\n" + program + "end\n", "there");
    c.oracle = oracle_name;
    c.plans = parse_plans({plan});
    const Verdict v = oracle(oracle_name).judge(c);
    std::string out = name_of(v.kind);
    if (v.kind == VerdictKind::Ok && v.elements.compared == 0) out += " (nothing compared)";
    return v.reason.empty() ? out : out + ": " + v.reason;
  });
}

constexpr const char* kProduct = R"(  graph(%c : Float(), %a : Float(1, 2), %b : Float(2, 1)):
    %beta : float = prim::Constant[value=-0.]()
    %one : int = prim::Constant[value=1]()
    %p : Tensor = aten::addmm(%c, %a, %b, %beta, %one)
    return (%p)
call:
    c = f32[] {0x0p+0}
    a = f32[1, 2] {-0x1.45db2p+1, 0x1.1a7c5p+1}
    b = f32[2, 1] {-0x1.6p+2, -0x1.ep+2}
)";

constexpr const char* kLogarithm = R"(  graph(%x : Int(2)):
    %y : Tensor = aten::log(%x)
    return (%y)
call:
    x = i32[2] {75726026, 1}
)";

constexpr const char* kFolded = R"(  graph():
    %sizes : int[] = prim::Constant[value=[]]()
    %one : float = prim::Constant[value=1.]()
    %none : NoneType = prim::Constant()
    %x : Tensor = aten::full(%sizes, %one, %none, %none, %none, %none)
    %zero : int = prim::Constant[value=0]()
    %kept : bool = prim::Constant[value=1]()
    %y : Tensor = aten::var(%x, %sizes, %zero, %kept)
    return (%y)
call:
)";

constexpr const char* kSigmoid = R"(  graph(%x : Float(3)):
    %y : Tensor = aten::sigmoid(%x)
    return (%y)
call:
    x = f32[3] {0.5, -1, 0.75}
)";

TEST(OraclesOnDevice, ExactnessIsThatOfTheDevice) {
  for (const char* program : {kProduct, kLogarithm, kFolded, kSigmoid})
    for (const char* plan : {"eager@cuda", "vm@cuda/o2", "vm@cuda/o2,fuse(tile,cuda)"})
      EXPECT_EQ(judged_there("exact", plan, program), "ok") << plan << "\n" << program;
  EXPECT_EQ(judged_there("exact", "vm@cuda/test_wrong_slightly", kSigmoid), "mismatch: value");
}

TEST(OraclesOnDevice, WhatIsPromisedIsKeptThere) {
  for (const char* program : {kFolded, kSigmoid})
    for (const char* plan : {"vm@cuda/constant_propagation", "vm@cuda/o2,fuse(tile,cuda)"})
      EXPECT_EQ(judged_there("shapes", plan, program), "ok") << plan << "\n" << program;
  EXPECT_EQ(judged_there("shapes", "vm@cuda/test_wrong_type", kSigmoid), "mismatch: dtype");
}

// Constants of its own and of folding, and tensors created from no other.
constexpr const char* kConstants = R"(  graph(%x : Float(2)):
    %c : Long(2) = prim::Constant[value={i64[2]: 1 2}]()
    %zero : int = prim::Constant[value=0]()
    %sizes : int[] = prim::ListConstruct(%zero)
    %none : NoneType = prim::Constant()
    %f : Tensor = aten::full(%sizes, %zero, %none, %none, %none, %none)
    %y : Tensor = aten::mul(%c, %c)
    %z : Tensor = aten::add(%x, %y, %zero)
    return (%f, %z, %c)
call:
    x = f32[2] {0.5, -1}
)";

TEST(OraclesOnDevice, GraphsCompiledThereHaveText) {
  for (const char* program : {kFolded, kConstants})
    for (const char* plan : {"vm@cuda/types", "vm@cuda/o2,fuse(loopnest,cuda)"})
      for (const char* oracle : {"roundtrip", "shapes"})
        EXPECT_EQ(judged_there(oracle, plan, program), "ok") << oracle << plan << "\n" << program;
  EXPECT_EQ(judged_there("roundtrip", "vm@cuda/test_wrong_name", kSigmoid), "mismatch: unreadable");
}

TEST(OraclesOnDevice, AProgramThatTellsWhereItIsMeansAnotherThere) {
  const std::string program = R"(  graph(%x : Float(2)):
    %at : int = aten::get_device(%x)
    return (%at)
call:
    x = f32[2] {0.5, -1}
)";
  for (const char* plan : {"eager@cuda", "vm@cuda/o2"})
    EXPECT_EQ(judged_there("differential", plan, program),
              "skip: declined: the program tells where its tensors are");
  EXPECT_EQ(judged_there("differential", "vm/o2", program), "ok");
}

// Of a tensor created from no other, the device is known.
TEST(OraclesOnDevice, WhereFreshTensorsAreIsKnown) {
  const std::string program = R"(  graph(%n : int):
    %none : NoneType = prim::Constant()
    %sizes : int[] = prim::ListConstruct(%n)
    %x : Tensor = aten::zeros(%sizes, %none, %none, %none, %none)
    %on : bool = prim::is_cuda(%x)
    return (%on)
call:
    n = 3
)";
  const auto on = [&](const char* plan) {
    return in_child({}, [&] {
      const Case c = parse_case("fusillade case 1\nprogram:\n" + program + "end\n", "there");
      return describe(prepare(*c.program, parse_plan(plan))->run(c.calls[0].inputs)[0]);
    });
  };
  EXPECT_EQ(on("vm/o2"), "False");
  for (const char* plan : {"eager@cuda", "vm@cuda", "vm@cuda/o2"}) EXPECT_EQ(on(plan), "True");
}

}  // namespace
}  // namespace fusillade::fuzz
