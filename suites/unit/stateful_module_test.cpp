// Programs as modules that hold their inputs: the module computes the same, archives keep its
// state, and every way in which the state may change is seen.
#include "fuzz/run/stateful_module.h"

#include <gtest/gtest.h>

#include "engine/run/archive/archive.h"
#include "engine/run/freeze.h"
#include "engine/run/plan.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {
namespace {

Case sample() {
  return parse_case(R"(fusillade case 1
program:
  graph(%x : Tensor, %y : Tensor, %n : int, %l : int[]):
    %one : int = prim::Constant[value=1]()
    %z : Tensor = aten::add_(%x, %y, %n)
    %m : int = aten::len(%l)
    return (%z, %m)
call:
    x = f32[2, 3] {1, 2, 3, 4, 5, 6}
    y = f32[2, 3] strides=[1, 2] {1, 2, 3, 4, 5, -0.0}
    n = 2
    l = [1, 2, 3]
end
)",
                    "sample");
}

std::vector<IValue>& slots(const Module& m) { return m.self.as_object().slots; }
IValue& slot(const Module& m, const char* name) {
  return slots(m)[static_cast<size_t>(m.type().slot(name))];
}

TEST(StatefulModule, ComputesWhatTheProgramComputes) {
  Case c = sample();
  Module m = holding(*c.program, copy_call(c.calls[0]));
  std::vector<IValue> wanted =
      prepare(*c.program, parse_plan("eager"))->run(copy_call(c.calls[0]).inputs);
  std::vector<IValue> found =
      prepare(*method_of(m, "forward").graph, parse_plan("eager"))->run({m.self});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(bitwise_equal(wanted[0].as_tensor(), found[0].items()[0].as_tensor()));
  EXPECT_EQ(found[0].items()[1].as_int(), 3);
}

TEST(StatefulModule, ArchivesKeepItsState) {
  Case c = sample();
  Module m = holding(*c.program, copy_call(c.calls[0]));
  std::string bytes = save_archive(m);
  Module loaded = load_archive(bytes, "x");
  EXPECT_EQ(state_difference(m, loaded), "");
  EXPECT_EQ(save_archive(loaded), bytes);
}

TEST(StatefulModule, TheModuleOfAMethodIsKeptAndFrozen) {
  Case c;
  set_script(c,
             "import torch\nfrom torch import Tensor, nn\n\nclass Part(nn.Module):\n    def "
             "__init__(self):\n"
             "        super().__init__()\n        self.l = nn.Linear(3, 2)\n    def forward(self, "
             "x: Tensor):\n"
             "        return self.l(x)\n\nclass Net(nn.Module):\n    def __init__(self):\n        "
             "super().__init__()\n"
             "        self.part = Part()\n        self.w = nn.Parameter(torch.ones([2]))\n        "
             "self.n = 3\n"
             "    def forward(self, x: Tensor):\n        return self.part(x) * self.w + self.n, "
             "self.training\n",
             "<test>");
  ASSERT_EQ(c.refused, "");
  c.calls.push_back({{c.self, IValue(Tensor::zeros({4, 3}, DType::F32))}});
  Module original = holding(*c.program, copy_call(c.calls[0]));
  Module frozen = freeze(original);
  EXPECT_EQ(state_difference(original, load_archive(save_archive(original), "x")), "");
  EXPECT_LT(frozen.type().fields.size(), original.type().fields.size());
  auto run = [](const Module& m) {
    return prepare(*method_of(m, "forward").graph, parse_plan("eager"))->run({m.self})[0];
  };
  EXPECT_TRUE(
      bitwise_equal(run(original).items()[0].as_tensor(), run(frozen).items()[0].as_tensor()));
  EXPECT_FALSE(run(original).items()[1].as_bool());
  for (const char* name : {"archive", "freeze"}) {
    Verdict v = oracle(name).judge(c);
    EXPECT_EQ(v.kind, VerdictKind::Ok) << name << ": " << v.reason << v.detail;
  }
}

TEST(StatefulModule, ChangesOfStateAreSeen) {
  Case c = sample();
  Module m = holding(*c.program, copy_call(c.calls[0]));
  auto difference_after = [&](auto change) {
    Module other = load_archive(save_archive(m), "x");
    change(other);
    return state_difference(m, other);
  };
  auto y = [](const Module& o) -> IValue& { return slot(o, "part1").as_object().slots[0]; };
  EXPECT_NE(
      difference_after([&](Module& o) { set_element(y(o).as_tensor(), 5, 0.0); }).find("elements"),
      std::string::npos);
  EXPECT_NE(difference_after([&](Module& o) { slot(o, "in2") = IValue(3); }).find("2 became 3"),
            std::string::npos);
  EXPECT_NE(difference_after([&](Module& o) {
              slot(o, "rest").mutable_items()[0] =
                  contiguous(slot(o, "rest").items()[0].as_tensor(), true);
            }).find("share memory"),
            std::string::npos);
  EXPECT_NE(difference_after([&](Module& o) {
              Tensor t = y(o).as_tensor();
              slot(o, "again").mutable_items()[1] =
                  Tensor::view_of(t, t.offset(), t.sizes(), t.strides());
            }).find("one where it was two"),
            std::string::npos);
  EXPECT_NE(difference_after([&](Module& o) {
              Tensor t = slot(o, "rest").items()[1].as_tensor();
              slot(o, "rest").mutable_items()[1] = Tensor::view_of(t, 0, t.sizes(), t.strides());
            }).find("offset"),
            std::string::npos);
}

}  // namespace
}  // namespace fusillade::fuzz
