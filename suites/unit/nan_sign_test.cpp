// The sign of a NaN: kept by what moves elements, by neg, abs and copysign, read by copysign and
// signbit, under every back end; and no promise to the oracles where it was computed.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/front/script.h"
#include "engine/run/plan.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade {
namespace {

Tensor nans(const std::vector<bool>& negative) {
  Tensor t = Tensor::empty(Dims{static_cast<int64_t>(negative.size())}, DType::F32);
  for (size_t i = 0; i < negative.size(); ++i)
    t.data<float>()[i] = std::copysign(std::nanf(""), negative[i] ? -1.0f : 1.0f);
  return t;
}

std::string run(const std::string& expression, const std::string& plan, const Tensor& x) {
  const Script script = compile_script("def f(x):\n    return " + expression + "\n", "f.py");
  EXPECT_EQ(script.errors(), "");
  const auto ready = prepare(*script.functions.back(), parse_plan(plan));
  const Tensor y = ready->run({IValue(x)})[0].as_tensor();
  std::string out;
  for (int64_t i = 0; i < y.numel(); ++i) out += element_as_double(y, i) > 0 ? '+' : '-';
  return out;
}

// As PyTorch 1.13.1 answers.
TEST(NanSign, IsReadUnderEveryBackEnd) {
  std::vector<bool> negative;
  std::string as_is, turned, all;
  for (int i = 0; i < 37; ++i) {
    negative.push_back(i % 3 == 1);
    as_is += i % 3 == 1 ? '-' : '+';
    turned += i % 3 == 1 ? '+' : '-';
    all += '+';
  }
  const Tensor x = nans(negative);
  for (const char* plan : {"eager", "vm", "vm/o2", "vm/o2,fuse(loopnest,interp)",
                           "vm/o2,fuse(loopnest,llvm)", "jit/o2"}) {
    EXPECT_EQ(run("torch.copysign(torch.ones_like(x), x)", plan, x), as_is) << plan;
    EXPECT_EQ(run("torch.copysign(torch.ones_like(x), -x)", plan, x), turned) << plan;
    EXPECT_EQ(run("torch.copysign(torch.ones_like(x), x.abs())", plan, x), all) << plan;
    EXPECT_EQ(run("torch.signbit(x.clone())", plan, x), turned) << plan;  // True is +
    EXPECT_EQ(run("torch.signbit(x.double())", plan, x), turned) << plan;
    EXPECT_EQ(run("torch.signbit(x.half())", plan, x), turned) << plan;
    EXPECT_EQ(run("torch.signbit(torch.copysign(x, x.abs()))", plan, x), std::string(37, '-'))
        << plan;
  }
}

TEST(NanSign, OfOneThatWasComputedDecidesNothing) {
  fuzz::Case c;
  c.program = parse_graph(R"(graph(%x : Float(4, strides=[1]), %y : Float(4, strides=[1])):
  %1 : int = prim::Constant[value=1]()
  %n : Tensor = aten::neg(%y)
  %s : Tensor = aten::add(%x, %n, %1)
  %o : Tensor = aten::ones_like(%y)
  %c : Tensor = aten::copysign(%o, %s)
  %b : Tensor = aten::signbit(%s)
  return (%c, %b)
)");
  fuzz::Call call;
  call.inputs = {IValue(Tensor::zeros(Dims{4}, DType::F32)),
                 IValue(nans({false, false, true, true}))};
  c.calls = {call};
  // x + -y becomes x - y, a NaN of the other sign.
  c.plans = {"vm/types,peephole", "vm/o2,fuse(loopnest,interp)", "vm/o2,fuse(loopnest,llvm)"};
  EXPECT_EQ(fuzz::oracle("exact").judge(c).reason, "the sign of a NaN decides");
  for (const char* name : {"exact", "differential", "deterministic", "metamorphic"}) {
    const fuzz::Verdict v = fuzz::oracle(name).judge(c);
    EXPECT_FALSE(fuzz::is_finding(v.kind)) << name << ": " << v.reason << " " << v.detail;
  }
}

}  // namespace
}  // namespace fusillade
