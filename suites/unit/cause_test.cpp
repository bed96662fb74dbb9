// When findings are one cause: the normaliser, the key, joins by one run, blame of what dies, sizes
// that end at the least, and the mute list. The wrong passes are oracle_test.cpp's.
#include "fuzz/triage/cause.h"

#include <gtest/gtest.h>

#include "engine/run/plan.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/campaign/known.h"
#include "fuzz/judge/judge.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/triage/join.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {
namespace {

TEST(Normalised, TakesOutWhatBelongsToOneCase) {
  struct Row {
    const char* a;
    const char* b;
    const char* both;
  };
  for (const Row& r : {
           Row{"sizes [2, 3] and [17] do not agree", "sizes [4] and [1, 1, 1] do not agree",
               "sizes [#] and [#] do not agree"},
           Row{"value %x.1 has no user", "value %12 has no user", "value % has no user"},
           Row{"expected float16, got int32", "expected f32, got bool",
               "expected DTYPE, got DTYPE"},
           Row{"engine/fuse/nest.cpp:12: loop -3 of 0x1p+0", "fuse/nest.cpp:345: loop 8 of -inf",
               "nest.cpp loop # of #"},
           Row{"no attribute 'weight' in 1e-05", "no attribute 'b' in 2.5",
               "no attribute '..' in #"},
           Row{"  : it's over", "it's over\nsecond line", "it's over"},
           Row{"pass cse: no use of %x, at: %x : Tensor = aten::exp(%y)", "pass dce: no use of %1",
               "no use of %"},
           Row{"expected a list or tuple, got int", "expected a str, got List[float]",
               "expected a DTYPE, got DTYPE"},
           Row{"a/b.case:3:12: undefined value %x; did you mean %y or z?",
               "c:1:2: undefined value %3", "undefined value %"},
           Row{"size 1 of ()", "size 2 of (3, 4)", "size # of (#)"},
       }) {
    EXPECT_EQ(normalise(r.a), r.both);
    EXPECT_EQ(normalise(r.b), r.both);
  }
  EXPECT_EQ(normalise(""), "");
  EXPECT_EQ(normalise("conv2d of b16x and b3"), "conv2d of b16x and %");  // within words: kept
  EXPECT_EQ(normalise("an open 'quote"), "an open 'quote");
  EXPECT_LE(normalise(std::string(100000, 'x')).size(), 200u);
  const std::string once = normalise("a [1, 2] %x 'q' f32 b.cpp:3: c");
  EXPECT_EQ(normalise(once), once);
}

Verdict mismatch_of(const std::string& reason, const std::string& detail) {
  Verdict v;
  v.kind = VerdictKind::Mismatch;
  v.reason = reason;
  v.detail = detail;
  return v;
}

TEST(Message, OpsOfOursAreNoPartOfIt) {
  Verdict bug;
  bug.kind = VerdictKind::Bug;
  bug.detail = "no overload of aten::prod.dim takes (Tensor, int); there are (Tensor) and (a)";
  EXPECT_EQ(message_of(bug), "no overload of OP takes (#)");
}

TEST(Message, EverySymptomOfAWrongValueIsOne) {
  EXPECT_EQ(message_of(mismatch_of("missing error: no", "eager raises: no")), "missing error");
  for (const char* reason : {"value", "shape", "aliasing", "trace: value"})
    EXPECT_EQ(message_of(mismatch_of(reason, "output 0: 3 is not 4")), "wrong result");
  EXPECT_EQ(message_of(mismatch_of("error: no such size #", "no such size 3")),
            "error: no such size #");
  Verdict bug;
  bug.kind = VerdictKind::Bug;
  bug.reason = "cut at sixty";
  bug.detail = "engine/fuse/nest.cpp:3: the loop over 12 is not one of the loops that were shared";
  EXPECT_EQ(message_of(bug), "nest.cpp the loop over # is not one of the loops that were shared");
}

Case case_of(const std::string& body, const std::string& plan, const std::string& x) {
  Case c = parse_case("fusillade case 1\nprogram:\n  graph(%x : Tensor):\n" + body +
                          "call:\n    x = " + x + "\nend\n",
                      "t");
  c.oracle = "differential";
  c.plans = parse_plans({plan});
  return c;
}

const char* const kSigmoid =
    "    %a : Tensor = aten::exp(%x)\n    %b : Tensor = aten::sigmoid(%a)\n    return (%b)\n";
const char* const kSumOfSigmoid =
    "    %none : NoneType = prim::Constant()\n    %a : Tensor = aten::sigmoid(%x)\n    %b : Tensor "
    "= aten::sum(%a, %none)\n    return (%b)\n";

TEST(Cause, KindsCountWhereNothingElseTells) {
  Case small = case_of(kSigmoid, "vm", "f32[2] {1, 2}");
  Case large = case_of(kSumOfSigmoid, "vm", "f32[2] {1, 2}");
  const Verdict value = mismatch_of("value", "");
  Cause a = cause_of(value, read_culprit("fuse(loopnest)"), small);
  Cause b = cause_of(value, read_culprit("fuse(loopnest)"), large);
  EXPECT_EQ(a.ops, (std::set<std::string>{"pointwise"}));
  EXPECT_EQ(b.ops, (std::set<std::string>{"pointwise", "reduce"}));
  EXPECT_TRUE(same_cause(a, b) && same_cause(b, a));  // one lies within the other
  Cause other = a;
  other.ops = {"contract"};
  EXPECT_FALSE(same_cause(a, other));
  EXPECT_TRUE(cause_of(value, read_culprit("cse/merge"), large).ops.empty());
  EXPECT_EQ(print(cause_of(value, read_culprit("operator aten::exp"), small).part),
            "operator pointwise");
  EXPECT_EQ(cause_of(mismatch_of("error: x", "no x"), read_culprit("cse/merge"), small).message,
            "wrong result");
  EXPECT_EQ(cause_of(mismatch_of("error: x", "no x"), read_culprit("front end"), small).message,
            "wrong result");
  EXPECT_TRUE(cause_of(mismatch_of("error: x", "no x"), read_culprit("tracer"), small).ops.empty());
}

TEST(Cause, OraclesThatSeeOneFaultShareItsBucket) {
  std::set<std::string> buckets;
  for (const char* oracle : {"differential", "ring", "exact"}) {
    Case c = case_of(kSigmoid, "vm/cse,test_wrong_value,dce", "f32[2] {1, 2}");
    c.oracle = oracle;
    Triaged t = triage(c, {}, 900);
    EXPECT_EQ(print(t.blame), "test_wrong_value/break") << oracle;
    buckets.insert(t.bucket);
  }
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets.begin()->substr(0, 32), "mismatch-test-wrong-value-break-");
}

TEST(Cause, WhatAnExecutorMixesUpIsOneCauseWhicheverOpComplains) {
  Case c = case_of(kSigmoid, "vm", "f32[2] {1, 2}");
  const Verdict value = mismatch_of("value", "");
  const Verdict error = mismatch_of("error: sigmoid is not defined for bool", "");
  EXPECT_TRUE(
      same_cause(cause_of(error, read_culprit("vm"), c), cause_of(value, read_culprit("vm"), c)));
  EXPECT_FALSE(same_cause(cause_of(error, read_culprit("eager"), c),
                          cause_of(value, read_culprit("eager"), c)));
}

TEST(Cause, ReadsBackWhatItPrints) {
  Cause a = cause_of(mismatch_of("value", ""), read_culprit("fuse(loopnest)"),
                     case_of(kSigmoid, "vm/o2", "f32[2] {1, 2}"));
  Cause b = parse_cause(print(a));
  EXPECT_EQ(print(a), print(b));
  EXPECT_EQ(b.operators, (std::set<std::string>{"aten::exp", "aten::sigmoid"}));
  EXPECT_TRUE(print(parse_cause("no json").part).empty());
}

TEST(Joins, ACaseThatPassesWithoutTheGuiltyRule) {
  Case first = case_of(kSigmoid, "vm/test_wrong_value", "f32[2] {1, 2}");
  Triaged known = triage(first, {}, 900);
  Case later = case_of(kSumOfSigmoid, "vm/cse,test_wrong_value,dce", "f32[3] {1, 2, 4}");
  Triaged t = triage(later, {}, 900, {{known.bucket, known.cause}}, true);
  EXPECT_TRUE(t.joined);
  EXPECT_EQ(t.bucket, known.bucket);
  // The same symptom by another pass stays when the known one is off.
  Case other = case_of(kSumOfSigmoid, "vm/test_wrong_value,test_wrong_slightly", "f32[1] {1}");
  other.plans = parse_plans({"vm/test_wrong_alias"});
  Triaged none = triage(other, {}, 900, {{known.bucket, known.cause}}, true);
  EXPECT_FALSE(none.joined);
  EXPECT_TRUE(none.bucket.empty());
}

TEST(Joins, WhatCrashesAlike) {
  Triaged known = triage(case_of(kSigmoid, "vm/test_wrong_crash", "f32[2] {1, 2}"), {}, 900);
  EXPECT_EQ(print(known.blame), "test_wrong_crash");
  EXPECT_EQ(known.nodes, 1);
  Case later = case_of(kSumOfSigmoid, "vm/dce,test_wrong_crash", "f32[2] {1, 2}");
  EXPECT_TRUE(triage(later, {}, 900, {{known.bucket, known.cause}}, true).joined);
}

// A worker that died says no plan: its case has all of them.
TEST(Bisect, BlamesWhatDiesUnderOneOfManyPlans) {
  Case c = case_of(kSigmoid, "vm/o2", "f32[2] {1, 2}");
  c.plans = parse_plans({"vm", "vm/o2", "vm/cse,test_wrong_crash,dce", "vm/dce"});
  Blame b = bisect(c, {}, 900);
  EXPECT_EQ(print(b.who), "test_wrong_crash");
  EXPECT_EQ(b.plan.text, "vm/test_wrong_crash");
  Triaged t = triage(c, {}, 900);
  EXPECT_EQ(t.verdict.kind, VerdictKind::Crash);
  EXPECT_EQ(print(t.blame), "test_wrong_crash");
  EXPECT_EQ(t.nodes, 1);
}

TEST(Bisect, NamesTheOperatorThatFailsAlone) {
  Case c = parse_case(
      "fusillade case 1\nprogram:\n  graph(%x : Tensor, %y : Tensor):\n    %a : Tensor = "
      "aten::exp(%x)\n    %m : Tensor = aten::mm(%a, %y)\n    return (%m)\ncall:\n    x = f32[2, "
      "3] {1, 2, 3, 4, 5, 6}\n    y = f32[2, 1] {1, 2}\nend\n",
      "f");
  c.oracle = "valid";
  EXPECT_EQ(print(bisect(c, {}, 900).who), "operator aten::mm");
}

// No size, and no number of the program, can be one step smaller.
TEST(Reduce, SizesEndAtTheLeastThatFail) {
  const char* body =
      "    %d : int = prim::Constant[value=1]()\n    %from : int = prim::Constant[value=2]()\n    "
      "%to : int = prim::Constant[value=9]()\n    %step : int = prim::Constant[value=1]()\n    %s "
      ": Tensor = aten::slice(%x, %d, %from, %to, %step)\n    %b : Tensor = aten::sigmoid(%s)\n    "
      "return (%b)\n";
  Case c = case_of(body, "vm/test_wrong_value", "f32[7, 11] philox(seed=1, offset=0, kind=normal)");
  Reduced r = reduce(c, {}, 900);
  ASSERT_EQ(program_nodes(*r.smallest.program), 1);
  ASSERT_EQ(r.smallest.calls[0].inputs.size(), 1u);
  EXPECT_EQ(r.smallest.calls[0].inputs[0].as_tensor().numel(), 1) << print(r.smallest);
  EXPECT_EQ(r.smallest.calls[0].inputs[0].as_tensor().rank(), 0) << print(r.smallest);
}

TEST(Reduce, ManyValuesCountWhereOnesWouldNotDo) {
  const Shrink& counting = *Table<Shrink>::instance().find("counting");
  const auto applies = [&](const std::string& input) {
    Case c = case_of(kSigmoid, "vm", input);
    const bool changed = counting.apply(c, 0, 1);
    if (!changed) return std::string("stays");
    EXPECT_FALSE(counting.apply(c, 0, 1)) << "for ever";
    const Tensor t = c.calls[0].inputs[0].as_tensor();
    return fmt::format("{} {}", element_as_double(t, 7), element_as_double(t, 33));
  };
  EXPECT_EQ(applies("f32[8, 6] philox(seed=1, offset=0, kind=normal)"), "0 5");
  EXPECT_EQ(applies("f32[2, 6] philox(seed=1, offset=0, kind=normal)"), "stays");
  std::string twos = "2";
  for (int i = 1; i < 40; ++i) twos += ", 2";
  EXPECT_EQ(applies("f32[40] {" + twos + "}"), "stays");
}

const char* const kRecord =
    "known: a\nblame: cse/*\nreason: being mended\nowner: lena\nuntil: 2027-03-01\n";

FindingRow finding(const std::string& blame, const std::string& message) {
  FindingRow row;
  row.bucket = "mismatch-x-0";
  row.verdict = "mismatch";
  row.blame = blame;
  Cause cause;
  cause.verdict = row.verdict;
  cause.message = message;
  cause.operators = {"aten::exp", "aten::mm"};
  cause.plan = "vm/cse";
  row.cause = print(cause);
  return row;
}

// As lists of earlier versions say it.
bool mutes_former(const std::string& line, const FindingRow& row) {
  return KnownList("known: a\n" + line + "\nreason: r\nowner: o\nuntil: 2027-03-01\n", "known.txt",
                   "2026-12-31")
      .of(row);
}

TEST(Known, MutesWhatEveryFieldMatchesUntilItsDay) {
  const FindingRow row = finding("cse/merge", "wrong result");
  auto mutes = [&](const std::string& predicate, const std::string& today) {
    KnownList list(
        "# head\n\nknown: n\n" + predicate + "\nreason: r\nowner: o\nuntil: 2026-12-31\n", "f",
        today);
    return list.of(row) != nullptr;
  };
  EXPECT_TRUE(mutes("blame: cse/merge", "2026-12-31"));
  EXPECT_TRUE(KnownList("known: a\nblame: row aten::m?\nreason: r\nowner: o\nuntil: 2027-03-01\n",
                        "known.txt", "2026-12-31")
                  .of(finding("operator aten::mm", "")))
      << "as lists for version 0.1 say it";
  EXPECT_TRUE(mutes_former("blame: settle_outs", finding("lower_outs", "")));
  EXPECT_TRUE(mutes_former("blame: peel/first-turn", finding("peel/first-iteration", "")));
  EXPECT_TRUE(
      mutes_former("blame: operator prim::turns", finding("operator prim::phase_steps", "")));
  EXPECT_TRUE(mutes_former("blame: transform/fuse", finding("transform/merge_loops", "")));
  EXPECT_FALSE(mutes("blame: cse/merge", "2027-01-01"));
  EXPECT_TRUE(
      mutes("blame: cse*\nmessage: wrong?result\nplan: vm/*\nverdict: mismatch\n"
            "ops: aten::mm aten::exp",
            "2026-01-01"));
  EXPECT_FALSE(mutes("blame: cse", "2026-01-01"));
  EXPECT_FALSE(mutes("verdict: crash", "2026-01-01"));
  EXPECT_FALSE(mutes("ops: aten::mm aten::add", "2026-01-01"));
  EXPECT_FALSE(mutes("plan: eager", "2026-01-01"));
  KnownList two(std::string(kRecord) +
                    "\nknown: b\nverdict: mismatch\nreason: r\nowner: o\n"
                    "until: 2028-02-29\n",
                "f", "2026-01-01");
  ASSERT_EQ(two.records().size(), 2u);
  EXPECT_EQ(two.of(row)->name, "a");
  EXPECT_EQ(two.of(finding("dce", ""))->name, "b");
  EXPECT_TRUE(KnownList("", "f", "2026-01-01").records().empty());
}

TEST(Known, MutesWhatWaitsWhereTriageCannotSayOtherwise) {
  auto mutes = [](const std::string& predicate, const Untriaged& waiting) {
    KnownList list("known: n\n" + predicate + "\nreason: r\nowner: o\nuntil: 2026-12-31\n", "f",
                   "2026-01-01");
    return list.of(waiting) != nullptr;
  };
  const Untriaged one{"mismatch", "wrong result", {"aten::mm"}, {"torch:aot", "torch:compile"}};
  EXPECT_TRUE(mutes("message: wrong*\nverdict: mismatch", one));
  EXPECT_TRUE(mutes("blame: torch:*\nops: aten::mm\nplan: *", one));
  EXPECT_FALSE(mutes("blame: torch:compile", one));
  EXPECT_FALSE(mutes("plan: torch:aot", one));
  EXPECT_FALSE(mutes("ops: aten::mm aten::exp", one));
  EXPECT_FALSE(mutes("verdict: crash", one));
  EXPECT_FALSE(mutes("message: error: *", one));
  Untriaged many = one;
  many.ops.insert("aten::exp");
  EXPECT_FALSE(mutes("ops: aten::mm", many));
  EXPECT_TRUE(mutes("ops: aten::m*", one));
  EXPECT_FALSE(mutes("ops: aten::m*", many));
  EXPECT_TRUE(mutes("ops: aten::m* aten::?xp", many));
  EXPECT_FALSE(mutes("ops: aten::m* aten::b*", one));
  Untriaged ours = one;
  ours.engines.clear();
  EXPECT_FALSE(mutes("blame: cse/*", ours));
  EXPECT_TRUE(mutes("blame: *\nops: aten::mm", ours));
  KnownList past("known: n\nverdict: mismatch\nreason: r\nowner: o\nuntil: 2025-12-31\n", "f",
                 "2026-01-01");
  EXPECT_EQ(past.of(one), nullptr);
}

TEST(Known, ConcernsPlansAndEnginesThatTakePart) {
  auto concerns = [](const std::string& predicate, const std::vector<std::string>& plans) {
    KnownList list("known: n\n" + predicate + "\nreason: r\nowner: o\nuntil: 2026-12-31\n", "f",
                   "2026-01-01");
    return list.records()[0].concerns(parse_plans(plans));
  };
  EXPECT_TRUE(concerns("blame: torch:compile*", {"vm", "torch:compile(dynamic)"}));
  EXPECT_FALSE(concerns("blame: torch:compile*", {"vm", "torch:aot"}));
  EXPECT_TRUE(concerns("blame: torch:*\nplan: torch:aot", {"torch:aot"}));
  EXPECT_FALSE(concerns("blame: torch:*\nplan: torch:aot", {"torch:compile"}));
  EXPECT_TRUE(concerns("blame: cse/*", {"vm"}));
  EXPECT_TRUE(concerns("message: wrong result", {"vm"}));
}

TEST(Known, RefusesWithFileLineAndWhatIsLegal) {
  struct Row {
    std::string text;
    const char* says;
  };
  const std::string record = kRecord;
  auto without = [&](const std::string& line) {
    std::string text = record;
    return text.erase(text.find(line), line.size());
  };
  for (const Row& r : {
           Row{"blame: x\n", "k:1: 'blame' stands before the first record"},
           Row{"known: a\nblam: x\n", "k:2: 'blam' is no field; did you mean blame"},
           Row{"known: a\nno colon here\n", "k:2: 'no colon here' is no field"},
           Row{"known: a\nblame:\n", "k:2: 'blame' is empty"},
           Row{"known: a\nblame: x\nblame: y\n", "k:3: 'blame' is given twice"},
           Row{record + record, "k:6: 'a' is a record already, at line 1"},
           Row{without("reason: being mended\n"), "k:1: 'a' has no reason"},
           Row{without("owner: lena\n"), "k:1: 'a' has no owner"},
           Row{without("until: 2027-03-01\n"), "k:1: 'a' has no until"},
           Row{without("blame: cse/*\n"), "k:1: 'a' would mute everything"},
           Row{"known: a\nuntil: 2027-02-29\n", "k:2: '2027-02-29' is no day"},
           Row{"known: a\nuntil: tomorrow\n", "k:2: 'tomorrow' is no day"},
           Row{"known: a\nuntil: 2027-13-01\n", "is no day (YYYY-MM-DD)"},
           Row{"known: a\nverdict: ok\n", "k:2: 'ok' is no verdict of a finding"},
       }) {
    try {
      KnownList list(r.text, "k", "2026-01-01");
      ADD_FAILURE() << "taken: " << r.text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(r.says), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace fusillade::fuzz
