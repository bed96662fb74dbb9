// The sign of a NaN: kept by what moves elements, by neg, abs and copysign, read by copysign and
// signbit, under every back end; and no promise to the oracles where it was computed.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/front/script.h"
#include "engine/run/plan.h"
#include "fuzz/oracle/nan_signs.h"
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
  c.plans = parse_plans(
      {"vm/types,peephole", "vm/o2,fuse(loopnest,interp)", "vm/o2,fuse(loopnest,llvm)"});
  EXPECT_EQ(fuzz::oracle("exact").judge(c).reason, "the sign of a NaN decides");
  for (const char* name : {"exact", "differential", "deterministic", "metamorphic"}) {
    const fuzz::Verdict v = fuzz::oracle(name).judge(c);
    EXPECT_FALSE(fuzz::is_finding(v.kind)) << name << ": " << v.reason << " " << v.detail;
  }
}

struct Compared {
  std::unique_ptr<Graph> program;
  fuzz::Call call;
  fuzz::Outcome expected, observed;

  fuzz::Verdict verdict() const {
    fuzz::Verdict step;
    fuzz::bitwise_equal(expected, observed, step);
    fuzz::unless_nan_signs_decide(*program, call, expected, observed, step);
    return step;
  }
};

// Element 0 and 2 of %c, and %b, hang on signs of NaNs; %d on none.
Compared copied_signs() {
  Compared out;
  out.program = parse_graph(R"(graph(%x : Float(4, strides=[1]), %y : Float(4, strides=[1])):
  %1 : int = prim::Constant[value=1]()
  %0 : int = prim::Constant[value=0]()
  %s : Tensor = aten::add(%x, %y, %1)
  %c : Tensor = aten::copysign(%x, %s)
  %first : Tensor = aten::select(%c, %0, %0)
  %second : Tensor = aten::select(%c, %0, %1)
  %b : Tensor = aten::sub(%first, %second, %1)
  %d : Tensor = aten::mul(%x, %x)
  %l : Tensor[] = prim::ListConstruct(%b, %d)
  return (%c, %l)
)");
  Tensor y = nans({false, false, true, true});
  set_element(y, 1, -2);
  set_element(y, 3, 2);
  const Tensor ones = Tensor::zeros({4}, DType::F32);
  for (int64_t i = 0; i < 4; ++i) set_element(ones, i, 1);
  out.call.inputs = {IValue(ones), IValue(y)};
  fuzz::Case c;
  c.program = out.program->clone();
  c.calls = {out.call};
  out.expected = fuzz::Prepared(c, parse_plan("eager")).run(out.call);
  out.observed = fuzz::Prepared(c, parse_plan("eager")).run(out.call);
  return out;
}

TEST(NanSign, LeavesOutWhatHangsOnItAndNothingElse) {
  Compared r = copied_signs();
  const Tensor c = r.observed.outputs[0].as_tensor();
  set_element(c, 0, -element_as_double(c, 0));
  set_element(r.observed.outputs[1].items()[0].as_tensor(), 0, 7);
  const fuzz::Verdict verdict = r.verdict();
  EXPECT_EQ(verdict.kind, fuzz::VerdictKind::Ok) << verdict.reason << verdict.detail;
  EXPECT_EQ(verdict.elements.compared, 2 + 4 + 8u);
  const Tensor d = r.observed.outputs[1].items()[1].as_tensor();
  set_element(d, 2, 5);
  EXPECT_EQ(r.verdict().kind, fuzz::VerdictKind::Mismatch);
  set_element(d, 2, 1);
  EXPECT_EQ(r.verdict().kind, fuzz::VerdictKind::Ok);
  set_element(c, 1, 3);
  EXPECT_EQ(r.verdict().kind, fuzz::VerdictKind::Mismatch);
  EXPECT_NE(r.verdict().detail.find("those that hang on the sign of a NaN"), std::string::npos);
}

TEST(NanSign, IsNoReasonForAnotherShapeOrAnError) {
  Compared r = copied_signs();
  r.observed.outputs[0] = Tensor::zeros({3}, DType::F32);
  EXPECT_EQ(r.verdict().reason, "shape");
  r = copied_signs();
  r.observed.outputs[1] = IValue(Tensor::zeros({4}, DType::F32));
  EXPECT_EQ(r.verdict().reason, "type");
  r.observed.kind = fuzz::Outcome::Kind::Error;
  EXPECT_EQ(r.verdict().kind, fuzz::VerdictKind::Mismatch);
}

TEST(NanSign, OfOneThatDecidesHowMuchThereIsLeavesAllOpen) {
  Compared r;
  r.program = parse_graph(R"(graph(%x : Float(1, strides=[1])):
  %1 : int = prim::Constant[value=1]()
  %o : Tensor = aten::ones_like(%x)
  %s : Tensor = aten::copysign(%o, %x)
  %z : int = prim::Constant[value=0]()
  %b : Tensor = aten::gt(%s, %z)
  %go : bool = aten::Bool(%b)
  %y : Tensor = prim::If(%go)
    block0():
      -> (%s)
    block1():
      %l : Tensor[] = prim::ListConstruct(%s, %s)
      %t : Tensor = aten::cat(%l, %z)
      -> (%t)
  return (%y)
)");
  r.call.inputs = {IValue(nans({false}))};
  fuzz::Case c;
  c.program = r.program->clone();
  r.expected = r.observed = fuzz::Prepared(c, parse_plan("eager")).run(r.call);
  r.observed.outputs[0] = Tensor::zeros({2}, DType::F32);
  EXPECT_EQ(r.verdict().reason, "the sign of a NaN decides");
}

}  // namespace
}  // namespace fusillade
