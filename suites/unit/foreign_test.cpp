// External engines, as toy workers play them: what is asked and answered, what goes wrong, and how
// what they compile is judged.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "engine/base/error.h"
#include "engine/ops/operator.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/process/isolate.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/foreign/centred.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/layout.h"
#include "fuzz/run/foreign/pack.h"
#include "fuzz/run/foreign/unanswered.h"
#include "fuzz/run/outcome.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {
namespace {

// Tensors are lists of numbers with the memory that they came from; "bad" does what the program's
// int argument says.
constexpr const char* kToy = R"(
import os, struct, sys, time
STARTED = os.getpid()
WARM = []
from fusillade_worker import Declined, Ops, Parts, Worker, serve

class Tensor:
    def __init__(self, data):
        self.data = data

def doubled(t):
    return Tensor(bytearray(struct.pack("<2f", *[2 * x for x in struct.unpack("<2f", t.data)])))

def cleared(t):
    t.data[:] = bytes(8)
    return t

class Toy(Worker):
    name, version = "toy", "1"
    forks = True
    engines = {"eager": None, "wrong": None, "bad": None, "lumps": None,
               "absent": "needs a better toy", "starter": None, "warmed": None, "picky": None,
               "timed": None}
    contract = {"bad": {"error_classes": True}, "lumps": {"packs": 4},
                "picky": {"packs": 4, "declines": ["aten.zero_.default"]}}
    ops = Ops({"square.default": doubled, "zero_.default": cleared})

    def memory(self, dtype, data):
        return data
    def view(self, memory, sizes, strides, offset):
        return Tensor(memory)
    def is_tensor(self, value):
        return isinstance(value, Tensor)
    def parts(self, t):
        return Parts("float32", [2], [1], 0, id(t.data), lambda: t.data)

    def warm(self, engine):
        WARM.append(engine)

    def run(self, engine, program, call):
        if engine == "picky":
            if "aten.zero_.default" in program.ops: raise Declined("zero_")
            return program.function(self.ops, *call.arguments()), {}
        if engine in ("lumps", "eager"):
            return self.lumps(engine, program, call.arguments()), {}
        t, n = call.arguments()
        if engine == "bad":
            self.misbehave(n)
        if engine == "timed":
            self.timed(time.sleep, 0.05)
        if engine == "starter": return [t, STARTED], {}
        if engine == "warmed": return [t, WARM.count("warmed")], {}
        if engine == "wrong":
            return [Tensor(bytearray(8))] + list(program.function(self.ops, t, n)[1:]), {}
        return program.function(self.ops, t, n), {}

    # Each program's int says what goes wrong: 13 raises, 14 is wrong only in a pack, 15 raises only
    # alone, 16 kills. Eager mode dies of 17, lies of 18 and raises
    # by 21 and 22.
    def lumps(self, engine, program, arguments):
        results = list(program.function(self.ops, *arguments))
        if engine == "eager":
            if arguments[1] == 17: os.kill(os.getpid(), 8)
            if arguments[1] == 18: results[0] = Tensor(bytearray(4))
            if arguments[1] in (21, 22):
                error = IndexError("eager")
                error.by_operator = arguments[1] == 22
                raise error
            return results
        packed = len(arguments) > 2
        for i in range(0, len(results), 2):
            if results[i + 1] == 13 or results[i + 1] == 15 and not packed:
                raise ValueError("unlucky")
            if results[i + 1] == 14 and packed: results[i] = 7
            if results[i + 1] == 16: os._exit(3)
        return results

    # By any worker: how often so far.
    def asked_before(self):
        with open(__file__ + ".asked", "a") as file:
            file.write(".")
            return file.tell() - 1

    def misbehave(self, n):
        if n == 1: os._exit(3)
        if n == 2: os.kill(os.getpid(), 11)
        if n == 3: os.write(self.channel, b"what is this\n")
        if n == 4: os.write(self.channel, b"2 outcome\n{}")
        if n == 5: raise ZeroDivisionError("by hand")
        if n == 6: raise Declined("not five")
        if n == 7: raise MemoryError("too much")
        if n in (21, 22): raise TypeError("not eager")
        if n == 10: os.kill(os.getpid(), 9)
        if n == 9 and self.asked_before() % 3 < 2: os.kill(os.getpid(), 11)
        if n == 8:
            outcome = b'{"id":"0","tensors":[],"storages":[1,2,3,4,5]}'
            os.write(self.channel, b"46 outcome\n" + outcome)

import fusillade_worker
original = fusillade_worker.Served.__init__
def remember(self, worker, channel):
    original(self, worker, channel)
    worker.channel = channel
fusillade_worker.Served.__init__ = remember
serve(Toy())
)";

// Declared once: families last as long as the process.
const std::string& toy() {
  static const std::string family = [] {
    std::string path = fmt::format("/tmp/fusillade_toy_{}.py", getpid());
    std::ofstream(path) << kToy;
    declare_families({"toy=" + path}, {"toy=/usr/bin/python3"});
    return std::string("toy");
  }();
  return family;
}

Case toy_case(const std::string& body, int64_t n) {
  toy();
  Case c;
  c.program = parse_graph(
      "graph(%x : Float(2, strides=[1], requires_grad=0, device=cpu), %n : int):\n" + body);
  Tensor t = Tensor::empty({2}, DType::F32);
  set_element(t, 0, 1.5);
  set_element(t, 1, -2);
  c.calls = {{{IValue(t), IValue(n)}}};
  return c;
}

constexpr const char* kSquare = "  %y : Tensor = aten::square(%x)\n  return (%y, %n)\n";

Outcome outcome_of(const std::string& plan, const char* body, int64_t n) {
  Case c = toy_case(body, n);
  return Prepared(c, parse_plan(plan)).run(c.calls[0]);
}

TEST(Foreign, ResultsAndInputsComeBack) {
  Outcome o = outcome_of("toy:eager", kSquare, 7);
  ASSERT_EQ(o.kind, Outcome::Kind::Values) << o.message;
  EXPECT_EQ(element_as_double(o.outputs[0].as_tensor(), 0), 3.0);
  EXPECT_EQ(element_as_double(o.outputs[0].as_tensor(), 1), -4.0);
  EXPECT_EQ(o.outputs[1].as_int(), 7);
  o = outcome_of("toy:eager", "  %y : Tensor = aten::zero_(%x)\n  return (%y)\n", 7);
  ASSERT_EQ(o.kind, Outcome::Kind::Values) << o.message;
  EXPECT_EQ(element_as_double(o.inputs[0].as_tensor(), 1), 0.0);
  EXPECT_TRUE(o.outputs[0].as_tensor().shares_storage(o.inputs[0].as_tensor()));
}

TEST(Foreign, EveryWayToGoWrongIsAnOutcomeAndTheNextCallIsAnswered) {
  using Kind = Outcome::Kind;
  const std::pair<int, Kind> ways[] = {{1, Kind::Crash},  {2, Kind::Crash}, {3, Kind::Crash},
                                       {4, Kind::Crash},  {5, Kind::Error}, {6, Kind::Declined},
                                       {7, Kind::Memory}, {8, Kind::Crash}, {0, Kind::Values}};
  for (auto [n, kind] : ways) {
    Outcome o = outcome_of("toy:bad", kSquare, n);
    EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(kind)) << n << ": " << o.message;
    EXPECT_EQ(static_cast<int>(outcome_of("toy:eager", kSquare, 1).kind),
              static_cast<int>(Kind::Values))
        << n;
  }
  EXPECT_NE(outcome_of("toy:bad", kSquare, 2).message.find("signal 11"), std::string::npos);
  EXPECT_EQ(outcome_of("toy:bad", kSquare, 5).message, "ZeroDivisionError: by hand");
}

TEST(Foreign, WhatIsNotThereIsDeclinedWithAReason) {
  Outcome absent = outcome_of("toy:absent", kSquare, 0);
  EXPECT_EQ(absent.kind, Outcome::Kind::Declined);
  EXPECT_NE(absent.message.find("needs a better toy"), std::string::npos);
  Outcome lacks = outcome_of("toy:eager", "  %y : Tensor = aten::neg(%x)\n  return (%y)\n", 0);
  EXPECT_EQ(lacks.kind, Outcome::Kind::Declined);
  EXPECT_NE(lacks.message.find("aten.neg.default"), std::string::npos);
}

Verdict verdict_of(const std::string& oracle, const std::string& plan, int64_t n) {
  Case c = toy_case(kSquare, n);
  c.oracle = oracle;
  c.plans = parse_plans({plan});
  return judge_here(c);
}

TEST(Foreign, OraclesJudgeWhatTheyAreAbout) {
  // The toy doubles where ours squares: its eager mode does not conform, but what it "compiles" is
  // compared with that.
  EXPECT_EQ(verdict_of("conformance", "toy:eager", 0).kind, VerdictKind::Mismatch);
  EXPECT_FALSE(is_finding(verdict_of("compiled", "toy:bad", 0).kind));
  EXPECT_EQ(verdict_of("compiled", "toy:bad", 5).reason, "error: ZeroDivisionError: by hand");
  // Of an operator's error the class is no claim.
  EXPECT_EQ(verdict_of("compiled", "toy:bad", 21).reason, "error: class TypeError for IndexError");
  EXPECT_EQ(verdict_of("compiled", "toy:bad", 22).kind, VerdictKind::Skip);
  EXPECT_EQ(verdict_of("compiled", "toy:bad", 2).kind, VerdictKind::Crash);
  EXPECT_EQ(verdict_of("compiled", "toy:bad", 2).reason, "signal 11");
  EXPECT_EQ(verdict_of("compiled", "toy:bad", 6).kind, VerdictKind::Skip);
  for (const Oracle* o : Table<Oracle>::instance().by_name()) {
    if (o->about) continue;
    Verdict v = verdict_of(o->name, "toy:wrong", 0);
    EXPECT_EQ(v.kind, VerdictKind::Skip) << o->name << ": " << v.reason;
  }
}

TEST(Pack, IsOfIndependentProgramsThatNoTensorDecides) {
  auto kind = [](const char* text) { return packs_of(*parse_graph(text)); };
  EXPECT_EQ(kind("graph(%x : Tensor):\n  %y : Tensor = aten::square(%x)\n  return (%y)\n"),
            Packs::WithReaders);
  EXPECT_EQ(kind("graph(%x : Tensor):\n  %y : Tensor = aten::square(%x)\n"
                 "  %z : Tensor = aten::zero_(%y)\n  return (%z)\n"),
            Packs::WithReaders);
  EXPECT_EQ(kind("graph(%x : Tensor):\n  %y : Tensor = aten::zero_(%x)\n  return (%y)\n"),
            Packs::WithWriters);
  EXPECT_EQ(kind("graph(%x : Tensor):\n  %y : Tensor = aten::t(%x)\n"
                 "  %z : Tensor = aten::zero_(%y)\n  return (%z)\n"),
            Packs::WithWriters);
  EXPECT_EQ(kind("graph(%x : Tensor):\n  %n : bool = aten::Bool(%x)\n"
                 "  %y : Tensor = aten::square(%x)\n  return (%y, %n)\n"),
            Packs::Alone);
  EXPECT_EQ(kind("graph(%n : int):\n  return (%n)\n"), Packs::Alone);
  const std::string branch =
      "  %y : Tensor = prim::If(%b)\n    block0():\n      %p : Tensor = aten::square(%x)\n"
      "      -> (%p)\n    block1():\n      %q : Tensor = aten::zero_(%x)\n      -> (%q)\n"
      "  return (%y)\n";
  EXPECT_EQ(kind(("graph(%x : Tensor, %b : bool):\n" + branch).c_str()), Packs::WithWriters);
  const std::string decided = "  %b : bool = aten::Bool(%x)\n" + branch;
  EXPECT_EQ(kind(("graph(%x : Tensor):\n" + decided).c_str()), Packs::Alone);
}

TEST(Pack, IsAProgramOfAsManyCallsAsTheMostHave) {
  Case a = toy_case(kSquare, 1);
  Case b = toy_case(kSquare, 2);
  const PackMember both[] = {{&a, {0}}, {&b, {0}}};
  Case whole = pack_cases(both);
  verify(*whole.program);
  EXPECT_EQ(whole.program->outputs().size(), 4u);
  ASSERT_EQ(whole.calls.size(), 1u);
  EXPECT_EQ(whole.calls[0].inputs[3].as_int(), 2);
  b.calls.push_back(toy_case(kSquare, 3).calls[0]);
  const PackMember more[] = {{&a, {0}}, {&b, {1, 0}}};
  whole = pack_cases(more);
  ASSERT_EQ(whole.calls.size(), 2u);
  EXPECT_EQ(whole.calls[0].inputs[3].as_int(), 3);
  EXPECT_EQ(whole.calls[1].inputs[3].as_int(), 2);
  EXPECT_EQ(whole.calls[1].inputs[1].as_int(), 1);  // again
}

TEST(Pack, WhatFailsThereIsJudgedAloneAndWhatFailsOnlyThereIsShownByIt) {
  std::vector<Case> cases;
  std::vector<const Case*> asked;
  auto ask = [&](std::vector<int> numbers) {
    cases.clear();
    asked.clear();
    for (int n : numbers) {
      cases.push_back(toy_case(kSquare, n));
      cases.back().oracle = "compiled";
      cases.back().plans = parse_plans({"toy:lumps"});
    }
    for (const Case& c : cases) asked.push_back(&c);
    oracle("compiled").ahead(asked);
  };
  ask({1, 15, 2, 14});
  EXPECT_EQ(judge_here(cases[0]).kind, VerdictKind::Ok);
  EXPECT_EQ(judge_here(cases[1]).kind, VerdictKind::Ok);                 // its answer is the pack's
  EXPECT_EQ(judge_here(cases[1]).reason, "error: ValueError: unlucky");  // which is given once
  Verdict only = judge_here(cases[3]);
  EXPECT_EQ(only.reason, "type");
  ASSERT_TRUE(only.shown_by);
  EXPECT_EQ(judge_here(*only.shown_by).reason, "type");
  // Halves: {1, 15} and {13, 16}, of which each is judged alone.
  ask({1, 15, 13, 16});
  EXPECT_EQ(judge_here(cases[0]).kind, VerdictKind::Ok);
  EXPECT_EQ(judge_here(cases[1]).kind, VerdictKind::Ok);
  EXPECT_EQ(judge_here(cases[2]).reason, "error: ValueError: unlucky");
  EXPECT_FALSE(judge_here(cases[2]).shown_by);
  EXPECT_EQ(judge_here(cases[3]).kind, VerdictKind::Crash);
}

TEST(Pack, ProgramsOfOpsThatTheEngineDeclinesStaySeparate) {
  const std::string plan = "toy:picky";
  std::vector<Case> cases;
  for (int n : {1, 2}) cases.push_back(toy_case(kSquare, n));
  cases.push_back(toy_case(
      "  %y : Tensor = aten::square(%x)\n  %z : Tensor = aten::zero_(%y)\n  return (%z, %n)\n", 3));
  std::vector<const Case*> asked;
  for (const Case& c : cases) asked.push_back(&c);
  Foreseen::of_thread().clear();
  Foreseen::of_thread().ask(asked, parse_plan(plan));
  auto answer = Foreseen::of_thread().take(cases[0], parse_plan(plan));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->packs[0]->program->outputs().size(), 4u);
  EXPECT_TRUE(Foreseen::of_thread().take(cases[1], parse_plan(plan)));
  EXPECT_FALSE(Foreseen::of_thread().take(cases[2], parse_plan(plan)));
}

TEST(Pack, ProgramsOfOpsThatFailedSoFarStaySeparateUntilOneIsAnswered) {
  const std::string plan = "toy:lumps";
  const std::string square = "  %y : Tensor = aten::square(%x)\n";
  const std::string zeroed = square + "  %z : Tensor = aten::zero_(%y)\n  return (%z, %n)\n";
  auto reason_for = [&](const std::string& body, int n) {
    Case c = toy_case(body, n);
    c.oracle = "compiled";
    c.plans = parse_plans({plan});
    return judge_here(c).reason;
  };
  auto packed_with_a_square = [&] {
    std::vector<Case> cases;
    for (int n : {1, 2}) cases.push_back(toy_case(kSquare, n));
    cases.push_back(toy_case(zeroed, 3));
    std::vector<const Case*> asked;
    for (const Case& c : cases) asked.push_back(&c);
    Foreseen::of_thread().clear();
    Foreseen::of_thread().ask(asked, parse_plan(plan));
    EXPECT_TRUE(Foreseen::of_thread().take(cases[0], parse_plan(plan)));
    return Foreseen::of_thread().take(cases[2], parse_plan(plan)).has_value();
  };
  Unanswered::of_thread(plan) = {};
  EXPECT_EQ(reason_for(kSquare, 1), "");
  EXPECT_EQ(reason_for(zeroed, 13), "error: ValueError: unlucky");
  EXPECT_FALSE(packed_with_a_square());
  reason_for(zeroed, 1);
  EXPECT_TRUE(packed_with_a_square());
  EXPECT_EQ(reason_for(zeroed, 13), "error: ValueError: unlucky");
  EXPECT_TRUE(packed_with_a_square());
}

TEST(Foreign, WhatAnEngineDeclinesIsNotDrawnForIt) {
  toy();
  int lacked = 0;
  for (const Operator& op : OperatorTable::instance()) {
    const bool taken = operator_filter(parse_plans({"toy:picky"}))(op);
    if (operator_filter(parse_plans({"toy:eager"}))(op) == taken) continue;
    EXPECT_FALSE(taken) << op.name;
    EXPECT_EQ(op.name, "aten::zero_");
    ++lacked;
  }
  EXPECT_EQ(lacked, 1);
}

TEST(Foreign, WhatTheCallTookIsReported) {
  const ForeignWorker& worker = ForeignWorker::of(family_of("toy:eager"));
  ASSERT_EQ(outcome_of("toy:picky", kSquare, 1).kind, Outcome::Kind::Values);
  EXPECT_FALSE(worker.time_of_call());
  ASSERT_EQ(outcome_of("toy:timed", kSquare, 1).kind, Outcome::Kind::Values);
  ASSERT_TRUE(worker.time_of_call());
  EXPECT_GE(worker.time_of_call()->clock, 0.05);
  EXPECT_GE(worker.time_of_call()->processor, 0);
  EXPECT_LT(worker.time_of_call()->processor, worker.time_of_call()->clock);
}

int64_t number_of(const std::string& plan) {
  const Outcome o = outcome_of(plan, kSquare, 0);
  EXPECT_EQ(static_cast<int>(o.kind), static_cast<int>(Outcome::Kind::Values)) << o.message;
  return o.kind == Outcome::Kind::Values ? o.outputs[1].as_int() : -1;
}

TEST(Foreign, WorkersAreForkedFromOneThatHasStarted) {
  const int64_t first = number_of("toy:starter");
  EXPECT_EQ(outcome_of("toy:bad", kSquare, 1).message.substr(0, 11), "exit code 3");
  EXPECT_EQ(outcome_of("toy:bad", kSquare, 2).message.substr(0, 9), "signal 11");
  EXPECT_EQ(number_of("toy:starter"), first);
  ChildResult r =
      run_isolated([&] { return number_of("toy:starter") == first ? "same" : "another"; }, {});
  EXPECT_EQ(r.output, "same");
  EXPECT_EQ(number_of("toy:warmed"), 0);
  nurse_outside(parse_plans({"toy:warmed"}));
  EXPECT_EQ(number_of("toy:warmed"), 1);
  EXPECT_EQ(number_of("toy:starter"), first);
  // Its workers die with it, and the next is started as the first was.
  kill(static_cast<pid_t>(first), SIGKILL);
  int64_t next = first;
  for (int i = 0; i < 30000 && next == first; ++i) {
    next = number_of("toy:starter");
    usleep(10'000);
  }
  EXPECT_NE(next, first);
  EXPECT_EQ(number_of("toy:starter"), next);
}

TEST(Foreign, CampaignsMeetThemOnlyWhenAsked) {
  toy();
  for (const Plan& plan : default_plans()) EXPECT_FALSE(is_outside(plan.engine));
  CampaignOptions options;
  options.plans = parse_plans({"toy:eager", "toy:wrong", "vm"});
  for (uint64_t i = 0; i < 30; ++i) {
    for (const Judgement& j : make_trial(options, i).judgements) {
      for (const Plan& plan : j.plans)
        EXPECT_EQ(is_outside(plan.engine), j.oracle->about != nullptr) << plan.text;
    }
  }
}

// Graphs, but scripts where each oracle that is named judges scripts; none draws a file of `check`.
TEST(Foreign, ProgramsAreOfTheFormThatOraclesTake) {
  toy();
  CampaignOptions options;
  options.plans = parse_plans({"toy:wrong"});
  for (uint64_t i = 0; i < 20; ++i) EXPECT_EQ(make_trial(options, i).program.script, "");
  options.oracles = {"whole_python"};
  validate(options);
  for (uint64_t i = 0; i < 20; ++i) EXPECT_NE(make_trial(options, i).program.script, "");
  options.oracles = {"plain_python"};
  EXPECT_THROW(validate(options), Error);
}

TEST(Foreign, FamiliesAreNamedOnceAndChecked) {
  toy();
  auto error = [](const std::vector<std::string>& engines,
                  const std::vector<std::string>& pythons) {
    try {
      declare_families(engines, pythons);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error({"toy=torch"}, {}).find("there is a family 'toy' already"), std::string::npos);
  EXPECT_NE(error({"x"}, {}).find("legal is NAME=WORKER"), std::string::npos);
  EXPECT_NE(error({"a b=torch"}, {}).find("legal is NAME=WORKER"), std::string::npos);
  EXPECT_NE(error({"x=/nonexistent.py"}, {}).find("is no file"), std::string::npos);
  EXPECT_NE(error({}, {"toi=python3"}).find("did you mean toy"), std::string::npos);
  const std::string flags = family_flags({read_plan("toy:eager")});
  EXPECT_TRUE(flags.starts_with(" --engine=toy=/tmp/fusillade_toy_")) << flags;
  EXPECT_EQ(family_flags({read_plan("torch:eager"), read_plan("vm/o2")}), "");
}

// `eager` and `observed` where ours may be `set`, the last element of a tensor that reaches 100.
Verdict centred_verdict(const Bounded& set, double eager, double observed) {
  auto of = [](double last) {
    Tensor t = Tensor::zeros({2}, DType::F64);
    set_element(t, 0, 100);
    set_element(t, 1, last);
    return IValue(t);
  };
  Tensor mine = of(0).as_tensor();
  Shadow shadow(Shadow::Of::Any);
  shadow.cells(mine).real[1] = set;
  const IValue ours(mine);
  Verdict v;
  v.kind = VerdictKind::Ok;
  Centred(&shadow).admits(&ours, of(eager), of(observed), "x", v);
  return v;
}

// An element whose bound is [1, 1.25].
bool centred_admits(double eager, double observed, uint64_t* untrusted = nullptr) {
  Shadow shadow(Shadow::Of::Any);
  Tensor ours = Tensor::zeros({1}, DType::F64);
  Tensor theirs = Tensor::zeros({1}, DType::F64);
  Tensor compiled = Tensor::zeros({1}, DType::F64);
  shadow.cells(ours).real[0] = Bounded::range(1, 1.25);
  set_element(theirs, 0, eager);
  set_element(compiled, 0, observed);
  Verdict v;
  IValue mine(ours);
  bool good = Centred(&shadow).admits(&mine, IValue(theirs), IValue(compiled), "x", v);
  if (untrusted) *untrusted = v.elements.untrusted;
  return good;
}

TEST(Centred, AllowsTheWidthOfTheBoundAroundTheEagerResult) {
  EXPECT_TRUE(centred_admits(1.25, 1));
  EXPECT_TRUE(centred_admits(1.25, 1.5));
  EXPECT_FALSE(centred_admits(1.25, 1.625));
  EXPECT_FALSE(centred_admits(1.25, NAN));
  EXPECT_FALSE(centred_admits(1.25, INFINITY));
  // Another formula, nearby: its distance counts twice.
  EXPECT_TRUE(centred_admits(1.2578125, 1.515625));
  EXPECT_FALSE(centred_admits(1.2578125, 1.625));
  // Far from the bound nothing is known, but that equal is equal.
  uint64_t untrusted = 0;
  EXPECT_TRUE(centred_admits(7, 9, &untrusted));
  EXPECT_EQ(untrusted, 1u);
  EXPECT_TRUE(centred_admits(7, 7, &untrusted));
  EXPECT_EQ(untrusted, 0u);
}

TEST(Centred, WhatRoundingNeverDoesIsWrongWhateverOursIs) {
  const Bounded some = Bounded::range(1, 1.0000001), top = Bounded::exact(INFINITY);
  const auto wrong = [](const Bounded& set, double eager, double observed) {
    const Verdict v = centred_verdict(set, eager, observed);
    EXPECT_EQ(v.reason, v.kind == VerdictKind::Mismatch ? "value" : v.reason);
    return v.kind == VerdictKind::Mismatch;
  };
  EXPECT_TRUE(wrong(some, 50, NAN));   // nor is ours NaN
  EXPECT_TRUE(wrong(top, 1e30, NAN));  // our sum of squares is beyond what there is
  EXPECT_TRUE(wrong(Bounded::exact(NAN), 5, NAN));
  EXPECT_TRUE(wrong(some, NAN, 1));
  EXPECT_TRUE(wrong(top, INFINITY, -INFINITY));
  EXPECT_TRUE(wrong(top, INFINITY, 700));  // log(exp(700)) as 700
  EXPECT_TRUE(wrong(some, INFINITY, -INFINITY));
  EXPECT_TRUE(wrong(Bounded::range(1, INFINITY), 5, -INFINITY));
  // Another formula may overflow, and a bound without an end excludes nothing.
  EXPECT_FALSE(wrong(some, INFINITY, 1));
  EXPECT_FALSE(wrong(Bounded::range(1, INFINITY), 5, 7));
  EXPECT_FALSE(wrong(Bounded::range(1, 2, true), 50, NAN));
}

TEST(Centred, AnEagerModeThatDiffersFromOursHidesNothing) {
  const Bounded one = Bounded::exact(1), none = Bounded::exact(0);
  EXPECT_EQ(centred_verdict(one, 20, 1).kind, VerdictKind::Mismatch);  // of 100: no cancellation
  // All three differ, or by as little as a formula that cancels: reported, but no finding.
  for (const Verdict& v : {centred_verdict(one, 20, 9), centred_verdict(none, 1e-8, 0)}) {
    EXPECT_EQ(v.kind, VerdictKind::Ok);
    EXPECT_EQ(v.reason, kEagerDiffers);
    EXPECT_EQ(v.elements.untrusted, 1u);
  }
  EXPECT_EQ(centred_verdict(none, 1e-8, 1e-8).reason, "");
}

TEST(Contract, WhatIsMisspeltIsRefusedWithWhatIsLegal) {
  auto contract_error = [](const char* said) {
    try {
      contract_of("toy:jit", nlohmann::json::parse(said));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(contract_error(R"({"error_classes": true, "strides": false, "aliases": true, "packs": 3,
                        "half_steps_rounded": true, "flushes_subnormals": true,
                        "ulp": {"tanh": 16, "div": 2.5}, "approximate": ["aten.silu.default"],
                        "declines": ["aten.add.Tensor", "scalar.div"]})"),
            "");
  EXPECT_EQ(contract_error(R"({"packs": 64})"), "");
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"error_class": true})", "did you mean error_classes?"},
      {R"({"stride": true})", "legal: adds_into_products, aliases, approximate, declines"},
      {R"({"strides": 1})", "'strides' is 1; legal is true or false"},
      {R"({"packs": 0})", "'packs' is 0; legal is a whole number from 1 to 64"},
      {R"({"packs": 65})", "'packs' is 65; legal is a whole number from 1 to 64"},
      {R"({"packs": 1000000})", "the contract of 'toy:jit': 'packs' is 1000000; legal"},
      {R"({"ulp": {"tanhh": 3}})", "did you mean tanh or tan?"},
      {R"({"ulp": {"tanh": -3}})", "an object of functions, each with a number"},
      {R"({"approximate": "aten.silu.default"})", "a list of ops' names"},
      {R"({"declines": true})", "'declines' is true; legal is a list of ops' names"},
      {R"({"approximate": ["silu"]})", "'silu', which is unknown"},
      {R"({"approximate": [3]})", "names the op 3; legal are names"},
      {R"([])", "legal is an object"}};
  for (const auto& [said, why] : wrong)
    EXPECT_NE(contract_error(said).find(why), std::string::npos)
        << said << ": " << contract_error(said);
  EXPECT_EQ(op_of("it lists", "aten.add.Tensor"), "aten.add.Tensor");
  EXPECT_THROW(op_of("it lists", "aten.add.Tensr"), Error);
}

TEST(Layout, StridesOfOneElementAreNoneAndAliasesAreReportedByTheInput) {
  Outcome eager, other;
  Tensor x = Tensor::zeros({2, 3}, DType::F32);
  Tensor y = Tensor::zeros({2, 3}, DType::F32);
  auto view = [](const Tensor& t, int64_t offset, const Dims& sizes, const Dims& strides) {
    return IValue(Tensor::view_of(t, offset, sizes, strides));
  };
  eager.inputs = other.inputs = {IValue(x), IValue(y)};
  eager.outputs = {view(x, 0, {3, 1}, {1, 3})};
  other.outputs = {view(x, 0, {3, 1}, {1, 7})};
  EXPECT_EQ(other_strides(eager, other), "");
  EXPECT_EQ(other_aliases(eager, other), "");
  other.outputs = {view(x, 0, {3, 1}, {2, 1})};
  EXPECT_NE(other_strides(eager, other).find("output 0"), std::string::npos);
  other.outputs = {view(x, 1, {3, 1}, {1, 3})};
  EXPECT_NE(other_aliases(eager, other).find("begins at element 1 of the memory of input 0"),
            std::string::npos);
  other.outputs = {view(y, 0, {3, 1}, {1, 3})};
  EXPECT_NE(other_aliases(eager, other).find("lies in the memory of input 1"), std::string::npos);
  other.outputs = {IValue(Tensor::zeros({3, 1}, DType::F32))};
  EXPECT_NE(other_aliases(eager, other).find("lies in its own memory"), std::string::npos);
}

TEST(Foreign, AChildIsLentTheWorkerOfItsParent) {
  Case c = toy_case(kSquare, 0);
  Prepared here(c, parse_plan("toy:eager"));
  ASSERT_EQ(here.run(c.calls[0]).kind, Outcome::Kind::Values);
  {
    const Service::Lent lent;
    ChildResult r = run_isolated(
        [&] { return here.run(c.calls[0]).kind == Outcome::Kind::Values ? "good" : "bad"; }, {});
    EXPECT_EQ(r.output, "good");
    // It dies in the child's hands.
    r = run_isolated([&] { return outcome_of("toy:bad", kSquare, 2).message.substr(0, 9); }, {});
    EXPECT_EQ(r.output, "signal 11");
  }
  EXPECT_EQ(here.run(c.calls[0]).kind, Outcome::Kind::Values);
}

// As a child of triage does that is killed in the midst of a call, or loses patience with one.
TEST(Foreign, AWorkerThatAChildSpoiltIsNoCrashOfTheNextCase) {
  Case c = toy_case(kSquare, 0);
  Prepared here(c, parse_plan("toy:eager"));
  ASSERT_EQ(here.run(c.calls[0]).kind, Outcome::Kind::Values);
  const Service::Lent lent;
  auto kind_in_child = [](const char* plan, int n) {
    return run_isolated(
               [&] {
                 Outcome o = outcome_of(plan, kSquare, n);
                 return fmt::format("{} {}", static_cast<int>(o.kind), o.message);
               },
               {})
        .output;
  };
  const std::string good = fmt::format("{} ", static_cast<int>(Outcome::Kind::Values));
  for (int spoils : {3, 2}) {  // it babbles, and is killed by the child; it dies in its hands
    kind_in_child("toy:bad", spoils);
    EXPECT_EQ(kind_in_child("toy:eager", 1), good) << spoils;
    EXPECT_EQ(here.run(c.calls[0]).kind, Outcome::Kind::Values) << spoils;
  }
  // Who is killed by a signal that no program raises was killed from outside.
  EXPECT_EQ(outcome_of("toy:bad", kSquare, 10).kind, Outcome::Kind::Declined);
}

TEST(Foreign, ListsComeBackAsTheProgramLeftThem) {
  toy();
  Case c;
  c.program = parse_graph(
      "graph(%l : int[], %n : int):\n  %m : int[] = aten::append(%l, %n)\n"
      "  return (%n)\n");
  c.calls = {{{IValue::list({IValue(int64_t{4})}, TypeKind::Int), IValue(int64_t{7})}}};
  Outcome o = Prepared(c, parse_plan("toy:eager")).run(c.calls[0]);
  ASSERT_EQ(o.kind, Outcome::Kind::Values) << o.message;
  ASSERT_EQ(o.inputs[0].items().size(), 2u);
  EXPECT_EQ(o.inputs[0].items()[1].as_int(), 7);
  EXPECT_EQ(c.calls[0].inputs[0].items().size(), 1u);
}

// Nothing compiled is at fault, and the claim is one about eager mode alone: the case that is saved
// shows it again.
TEST(Foreign, AnEagerModeThatDiesOrLiesIsAFindingOfConformance) {
  for (int64_t n : {17, 18}) {
    Case c = toy_case(kSquare, n);
    c.oracle = "compiled";
    c.plans = parse_plans({"toy:bad", "toy:wrong"});
    const Verdict v = judge_here(c);
    ASSERT_TRUE(is_finding(v.kind)) << n;
    EXPECT_EQ(v.oracle, "conformance");
    EXPECT_EQ(v.plan.text, "toy:eager");
    const Case saved = finding_case(c, v);
    EXPECT_TRUE(same_failure(judge_here(saved), v)) << n;
    const Triaged t = triage(saved, {}, 900);
    EXPECT_STREQ(name_of(t.verdict.kind), name_of(v.kind)) << n << print(t.blame);
    EXPECT_EQ(print(t.blame), "toy:eager") << n;
    EXPECT_EQ(t.reproduced, t.tried) << n;
    // A case that says "compiled" is blamed and reduced as one of conformance.
    const Triaged other = triage(c, {}, 900);
    EXPECT_EQ(print(other.blame), "toy:eager") << n;
    EXPECT_EQ(other.reduced.oracle, "conformance") << n;
    EXPECT_STREQ(name_of(judge_here(other.reduced).kind), name_of(v.kind)) << n;
  }
}

// As when it hangs on where memory lies.
TEST(Foreign, ADeathThatComesAndGoesIsBlamedAndReduced) {
  Case c = toy_case(
      "  %z : Tensor = aten::square(%x)\n  %y : Tensor = aten::square(%z)\n  return "
      "(%y, %n)\n",
      9);
  c.oracle = "compiled";
  c.verdict = "crash";
  c.plans = parse_plans({"toy:bad"});
  Triaged t = triage(c, {}, 900);
  EXPECT_EQ(t.verdict.kind, VerdictKind::Crash) << print(t.blame);
  EXPECT_EQ(print(t.blame), "toy:bad");
  EXPECT_LT(t.nodes, 2);
}

}  // namespace
}  // namespace fusillade::fuzz
