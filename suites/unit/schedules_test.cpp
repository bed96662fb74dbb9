// The oracle `schedules` finds a transform that is wrong, blames it, and saves a case that shows it
// by itself; of programs and transforms as they are it finds nothing.
#include <gtest/gtest.h>

#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"
#include "fuzz/gen/nest.h"
#include "fuzz/oracle/kernel_data.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kUnlucky = 13;  // no other test has a loop of so many iterations

std::string why_not(const fuse::KernelFacts& facts, const fuse::Arguments& a) {
  return facts.at(a[0]).loop->extent == kUnlucky ? "" : "it is lucky";
}

// Its first iteration again in place of the last.
const fuse::Transform& wrong = Table<fuse::Transform>::instance().add(
    {"test_wrong",
     "forgets an iteration of loops of 13 iterations",
     {{fuse::Parameter::Kind::Loop, "loop"}},
     &why_not,
     [](kernel::Kernel& k, const fuse::Arguments& a) {
       kernel::Stmt& loop = fuse::find_loop(k, a[0]).stmt();
       fuse::for_each_expr(loop.body, [&](Expr e) {
         return e->op == ExprOp::Var
                    ? e
                    : fuse::replace_exprs(e, {{loop.var, floor_mod(Expr::var(loop.var, Model::I64),
                                                                   Expr::imm_i(kUnlucky - 1))}});
       });
     }});

Case case_of(int64_t size, const std::string& note) {
  std::string numbers = "0";
  for (int64_t i = 1; i < size; ++i) numbers += fmt::format(", {}", i);
  std::string text = fmt::format(
      "fusillade case 1\noracle: schedules\nverdict: ok\nplan: vm/o2,fuse(loopnest,interp)\n"
      "origin: seed=1 index=1\n{}program:\n"
      "  graph(%0 : Tensor, %1 : Tensor):\n"
      "    %2 : Tensor = aten::mul(%0, %1)\n"
      "    %3 : Tensor = aten::relu(%2)\n"
      "    %4 : Tensor = aten::mul(%3, %0)\n"
      "    return (%4)\n"
      "call:\n    input0 = i32[{}] {{{}}}\n    input1 = i32[{}] {{{}}}\nend\n",
      note.empty() ? "" : "note: transforms: " + note + "\n", size, numbers, size, numbers);
  return parse_case(text, "test");
}

TEST(Schedules, QuietOnTransformsAsTheyAre) {
  for (int i = 0; i < 20; ++i) {
    Case c = case_of(12, "");
    c.origin = fmt::format("seed=1 index={}", i);
    EXPECT_EQ(oracle("schedules").judge(c).kind, VerdictKind::Ok) << i;
  }
}

TEST(Schedules, BlamesTheTransformThatIsWrong) {
  Verdict found;
  for (int i = 0; i < 200 && !is_finding(found.kind); ++i) {
    Case c = case_of(kUnlucky, "");
    c.origin = fmt::format("seed=1 index={}", i);
    found = oracle("schedules").judge(c);
  }
  ASSERT_TRUE(is_finding(found.kind));
  EXPECT_EQ(found.part, "transform/test_wrong");
  Case kept = finding_case(case_of(kUnlucky, ""), found);
  ASSERT_EQ(kept.notes.size(), 2u);
  EXPECT_TRUE(kept.notes[1].starts_with("detail: transforms: test_wrong(v0) on interp: "));
  const Verdict again = oracle("schedules").judge(kept);
  EXPECT_TRUE(same_failure(again, found));
}

TEST(Schedules, ANoteIsTheSequence) {
  EXPECT_TRUE(is_finding(oracle("schedules").judge(case_of(kUnlucky, "test_wrong(v0)")).kind));
  EXPECT_EQ(oracle("schedules").judge(case_of(kUnlucky, "split(v0,4,mask);unroll(v2)")).kind,
            VerdictKind::Ok);
  EXPECT_EQ(oracle("schedules").judge(case_of(12, "test_wrong(v0)")).kind, VerdictKind::Skip);
  EXPECT_THROW(oracle("schedules").judge(case_of(12, "nosuch(v0)")), Error);
}

// Most can be run, and every transform is legal in some: what is claimed of transforms is tried.
TEST(Schedules, NestsRunAndTakeEveryTransform) {
  std::map<std::string, int> takes;
  int run = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Choices choices(seed, 1), again(seed, 1);
    fuse::Lowered lowered;
    lowered.kernel = generate_nest(choices);
    EXPECT_EQ(print(lowered.kernel), print(generate_nest(again)));
    try {
      KernelData(lowered).run(*kernel::backend("interp").compile(lowered.kernel));
    } catch (const Bug&) {  // an element is read before it is written
      continue;
    }
    ++run;
    const kernel::Kernel named = fuse::own_names(lowered.kernel);
    for (const fuse::Transform* t : Table<fuse::Transform>::instance().by_name())
      if (!t->name.starts_with("test_") && !fuse::sites(*t, named).empty()) ++takes[t->name];
  }
  EXPECT_GE(run, 40);
  for (const fuse::Transform* t : Table<fuse::Transform>::instance().by_name())
    EXPECT_TRUE(takes[t->name] > 0 || t->name.starts_with("test_")) << t->name;
}

TEST(Schedules, ANoteMayNameANest) {
  const auto verdict_kind = [](const std::string& where) {
    return oracle("schedules").judge(case_of(12, "reorder(v0,v1)" + where)).kind;
  };
  int legal = 0;
  for (int seed = 0; seed < 40; ++seed)
    legal += verdict_kind(fmt::format(" on interp of nest {}: value", seed)) == VerdictKind::Ok;
  EXPECT_GT(legal, 5);
  EXPECT_LT(legal, 40);  // of others a note names a nest that does not take it
  EXPECT_EQ(verdict_kind(" on interp"), VerdictKind::Skip);  // the program has one loop
  EXPECT_THROW(verdict_kind(" on interp of nest x: value"), Error);
  EXPECT_THROW(verdict_kind(" on interp of nest 99999999999999999999999: value"), Error);
}

}  // namespace
}  // namespace fusillade::fuzz
