// What draws random numbers, decided by the values of arguments: operators, passes and oracles.
#include "engine/ops/draws.h"

#include <gtest/gtest.h>

#include "engine/front/script.h"
#include "engine/passes/effects.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"
#include "fuzz/case/case.h"
#include "fuzz/judge/judge.h"

namespace fusillade::fuzz {
namespace {

Case case_of(const std::string& expression, const std::string& more = "",
             const std::string& given = "") {
  return parse_case(
      "fusillade case 2\noracle: metamorphic\nplan: vm/o2\nscript:\n"
      "  import torch\n  import torch.nn.functional as F\n  from torch import Tensor\n"
      "  def f(x: Tensor" +
          more + "):\n      return " + expression +
          "\ncall:\n    x = f32[1, 2, 2] {0x1p+0, -0x1p-1, 0x1p-2, 0x1p-3}\n" + given + "end\n",
      "sample");
}

bool may_draw_in(const Case& c) {
  bool any = false;
  for (const Node* n : c.program->block()->nodes()) any = any || draws_numbers(n);
  return any;
}

uint64_t drawn_by(const Case& c) {
  const uint64_t before = numbers_taken();
  const NumbersScope own;
  prepare(*c.program, parse_plan("eager"))->run(copy_call(c.calls[0]).inputs);
  return numbers_taken() - before;
}

std::string gru(const std::string& dropout_and_train) {
  const std::string w = "torch.ones(6, 2)";
  return "torch.gru(x, torch.zeros(2, 2, 2), [" + w + ", " + w + ", " + w + ", " + w +
         "], False, 2, " + dropout_and_train + ", False, False)[0]";
}

const std::string kRnnOfOneLayer =
    "torch.rnn_tanh(x, torch.zeros(1, 2, 2), [torch.ones(2, 2), torch.ones(2, 2)], False, 1, 0.5, "
    "True, False, False)[0]";

const std::vector<std::string> kIdle = {
    "F.dropout(x, 0.5, False)",
    "F.dropout(x, 0.0, True)",
    "F.dropout(x, 1.0, True)",
    "F.dropout(x.clone(), 0.0, True, inplace=True)",
    "torch.feature_dropout(x, 0.5, False)",
    "torch.feature_dropout(x, 1.0, True)",
    "F.alpha_dropout(x, 0.5, False)",
    "F.alpha_dropout(x, 0.0, True)",
    "F.alpha_dropout(x, 1.0, True)",
    "F.feature_alpha_dropout(x, 0.5, False)",
    "F.feature_alpha_dropout(x, 0.0, True)",
    "F.rrelu(x)",
    "torch.rrelu_(x.clone(), 0.1, 0.3, False)",
    "torch.ops.aten.scaled_dot_product_attention(x, x, x)",
    "torch.ops.aten.scaled_dot_product_attention(x, x, x, None, 0.0)",
    "torch.bernoulli(x, 0.0)",
    "torch.bernoulli(x, 1.0)",
    "x.clone().bernoulli_(1.0)",
    "x.clone().normal_(2.0, 0.0)",
    "torch.normal(x, 0.0)",
    "x.clone().uniform_(1.0, 1.0)",
    "torch.randint_like(x, 3, 4)",
    "torch.randint_like(x, 1)",
    "torch.randint(3, 4, [2])",
    "torch.randint(1, [2])",
    "F.rrelu(x, 0.3, 0.3, True)",
    "torch.rrelu_(x.clone(), 0.3, 0.3, True)",
    "torch.native_dropout(x, 0.5, False)[0]",
    "torch.native_dropout(x, 0.0, True)[0]",
    "torch.rand([0, 3])",
    "torch.randn([3, 0])",
    "torch.randint(0, 5, [0])",
    "torch.randperm(0)",
    "torch.randperm(1)",
    "torch.empty_strided([2, 2], [1, 2]).fill_(1.0)",
    gru("0.0, True"),
    gru("0.5, False"),
    kRnnOfOneLayer,
};

TEST(Draws, ACallWhoseArgumentsSaySoDrawsNothing) {
  for (const std::string& expression : kIdle) {
    const Case c = case_of(expression);
    ASSERT_EQ(c.refused, "") << expression;
    EXPECT_FALSE(may_draw_in(c)) << expression;
    EXPECT_EQ(drawn_by(c), 0u) << expression;
    EXPECT_NE(judge_here(c).reason, "random") << expression;
  }
}

const std::vector<std::string> kDraw = {
    "F.dropout(x, 0.5, True)",
    "F.alpha_dropout(x, 0.5, True)",
    "torch.feature_dropout(x, 0.5, True)",
    "torch.rrelu(x, 0.1, 0.3, True)",
    "F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)",
    "torch.bernoulli(x.abs())",
    "torch.bernoulli(x, 0.5)",
    "x.clone().normal_()",
    "torch.normal(x, 1.0)",
    "torch.rand([3])",
    "torch.rand_like(x)",
    "torch.randperm(2)",
    "x.clone().uniform_()",
    "x.clone().uniform_(1.0, 1.5)",
    "torch.randint_like(x, 3, 5)",
    "torch.randint(2, [2])",
    "torch.native_dropout(x, 0.5, None)[0]",
    "x.clone().exponential_()",
    "torch.multinomial(torch.ones(3), 2)",
    gru("0.5, True"),
};

TEST(Draws, OthersDraw) {
  for (const std::string& expression : kDraw) {
    const Case c = case_of(expression);
    ASSERT_EQ(c.refused, "") << expression;
    EXPECT_TRUE(may_draw_in(c)) << expression;
    EXPECT_GT(drawn_by(c), 0u) << expression;
    EXPECT_EQ(judge_here(c).reason, "random") << expression;
  }
}

// What an input decides, or the caller of a function, is known when the program runs.
TEST(Draws, AnOracleAsksTheRun) {
  const std::string dropout = "F.dropout(x, 0.5, train) * 2 + x";
  const Case idle = case_of(dropout, ", train: bool", "    train = False\n");
  EXPECT_TRUE(may_draw_in(idle));
  EXPECT_EQ(judge_here(idle).kind, VerdictKind::Ok);
  const Case called = case_of("F.scaled_dot_product_attention(x, x, x, dropout_p=0.0) * 2 + x");
  EXPECT_EQ(judge_here(called).kind, VerdictKind::Ok);
  const Verdict random = judge_here(case_of(dropout, ", train: bool", "    train = True\n"));
  EXPECT_EQ(random.reason, "random");
  EXPECT_EQ(random.detail, "random numbers\naten::dropout");
  const Verdict within = judge_here(case_of("torch.rand_like(x) if x.size(0) > 0 else x"));
  EXPECT_EQ(within.detail, "random numbers\naten::rand_like");
  for (const char* nothing : {"F.dropout1d(x, 0.5, False)", "F.dropout1d(x[0], 1.0)",
                              "F.dropout3d(x, 0.0)", "F.dropout3d(x.clone(), 0.0, inplace=True)"}) {
    const Case c = case_of(nothing);
    ASSERT_EQ(c.refused, "") << nothing;
    EXPECT_EQ(judge_here(c).kind, VerdictKind::Ok) << nothing;
  }
  for (const char* some : {"F.dropout1d(x)", "F.dropout1d(x[0])", "F.dropout3d(x, 0.5)"})
    EXPECT_EQ(judge_here(case_of(some)).reason, "random") << some;
}

TEST(Draws, ThoseThatMayDifferButNeverDrawHaveNoSayInIt) {
  // Its graph has a value that is not set on one of two ways, which are never the same.
  const Case c = parse_case(
      "fusillade case 2\noracle: metamorphic\nplan: vm/o2\nscript:\n  import torch\n"
      "  from torch import Tensor\n  def f(x: Tensor, n: int):\n      for i in range(n):\n"
      "          if i == 1:\n              return x * 2\n      return x + 1\ncall:\n"
      "    x = f32[2] {0x1p+0, 0x1p+1}\n    n = 3\nend\n",
      "sample");
  EXPECT_EQ(judge_here(c).kind, VerdictKind::Ok) << judge_here(c).reason;
}

}  // namespace
}  // namespace fusillade::fuzz
