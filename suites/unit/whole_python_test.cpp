// Programs in the form `source`: cases of whole Python, a toy worker that runs their text, and what
// the oracle `whole_python` says of one that runs it wrongly.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/base/error.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/gen/generate.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/source_form.h"

namespace fusillade::fuzz {
namespace {

// Its engine `wrong` gives 7 for 8, prints nothing where 9 is to be printed, raises no KeyError,
// and leaves lists as they were.
constexpr const char* kToy = R"(
import contextlib, io
from fusillade_worker import Ops, Worker, serve

class Script:
    def __init__(self, said):
        self.text, self.entry, self.declined = said["text"], said["entry"], None

class Toy(Worker):
    name, version = "toy", "1"
    engines = {"eager": None, "wrong": None, "right": None, "sly": None}
    contract = {"wrong": {"error_classes": True}}
    ops = Ops({})
    script = Script

    def is_tensor(self, value):
        return False

    def run(self, engine, program, call):
        names, printed = {}, io.StringIO()
        exec(program.script.text, names)
        arguments = call.arguments()
        before = [list(a) if isinstance(a, list) else a for a in arguments]
        try:
            with contextlib.redirect_stdout(printed):
                result = names[program.script.entry](*arguments)
        except KeyError:
            if engine != "wrong": raise
            result = None
        finally:
            call.printed = printed.getvalue()
        if engine == "wrong":
            if result == 8: result = 7
            if call.printed == "9\n": call.printed = ""
            for now, then in zip(arguments, before):
                if isinstance(now, list): now[:] = then
        if engine == "sly" and arguments[0] == 3: result = 1
        return [result], {}

serve(Toy())
)";

const std::string& toy() {
  static const std::string family = [] {
    const std::string path = fmt::format("/tmp/fusillade_script_toy_{}.py", getpid());
    std::ofstream(path) << kToy;
    declare_families({"scripttoy=" + path}, {"scripttoy=/usr/bin/python3"});
    return std::string("scripttoy");
  }();
  return family;
}

Case python_case(const std::string& text, const std::string& call) {
  std::string indented;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    indented += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  Case c = parse_case("fusillade case 5\npython:\n" + indented + "call:\n    " + call + "\nend\n",
                      "p.case");
  c.oracle = "whole_python";
  return c;
}

Verdict verdict_of(Case c, const std::string& engine) {
  c.plans = {parse_plan(toy() + ":" + engine)};
  return judge_here(c);
}

TEST(WholePython, CasesReadBack) {
  const Case c =
      python_case("def main(n: int, l: List[int]):\n    return {n: l}", "n = 3\n    l = [1]");
  EXPECT_TRUE(c.python);
  EXPECT_EQ(c.refused, "");
  ASSERT_EQ(c.calls.size(), 1u);
  EXPECT_EQ(c.calls[0].inputs[0].as_int(), 3);
  const Case again = parse_case(print(c), "again");
  EXPECT_EQ(print(again), print(c));
  EXPECT_TRUE(again.clone().python);
  EXPECT_NE(print(c).find("fusillade case 5\n"), std::string::npos);
}

TEST(WholePython, TextWithoutAFunctionIsRefused) {
  for (const char* text :
       {"x = 1", "def main(n: Nothing):\n    return n", "def main(\n  n):\n  pass"}) {
    Case c;
    c.python = true;
    set_script(c, std::string(text) + "\n", "p");
    EXPECT_NE(c.refused, "") << text;
  }
}

TEST(WholePython, NoOtherOracleJudgesIt) {
  Case c = python_case("def main(n: int):\n    return n", "n = 3");
  for (const Oracle* o : Table<Oracle>::instance().by_name()) {
    EXPECT_EQ(takes(*o, c), o->name == "whole_python") << o->name;
    if (o->name == "whole_python") continue;
    c.oracle = o->name;
    EXPECT_EQ(judge_here(c).reason, "whole Python") << o->name;
  }
}

TEST(WholePython, ResultsPrintsErrorsAndArgumentsAreCompared) {
  const std::pair<const char*, const char*> wrong[] = {
      {"def main(n: int):\n    return n + 5", "value"},
      {"def main(n: int):\n    print(n + 6)", "prints"},
      {"def main(n: int):\n    return {}[n]", "missing error: KeyError"}};
  for (const auto& [text, reason] : wrong) {
    const Case c = python_case(text, "n = 3");
    EXPECT_EQ(verdict_of(c.clone(), "right").kind, VerdictKind::Ok);
    const Verdict v = verdict_of(c.clone(), "wrong");
    EXPECT_EQ(v.kind, VerdictKind::Mismatch) << text;
    EXPECT_EQ(v.reason, reason) << text;
  }
  const Verdict v = verdict_of(
      python_case("from typing import List\ndef main(l: List[int]):\n    l.append(4)", "l = [1]"),
      "wrong");
  EXPECT_EQ(v.reason, "length") << v.detail;
}

TEST(WholePython, EachCallIsMadeWithOtherNumbersToo) {
  const Case c = python_case("def main(n: int):\n    return 0", "n = 2");
  const Verdict v = verdict_of(c.clone(), "sly");
  EXPECT_EQ(v.kind, VerdictKind::Mismatch);
  EXPECT_TRUE(v.detail.starts_with("with other numbers: ")) << v.detail;
  EXPECT_EQ(v.call, 0);
}

TEST(WholePython, OtherCallKeepsSizesAlike) {
  const Tensor a = Tensor::zeros({4, 3}, DType::F32), b = Tensor::zeros({1, 4}, DType::I64);
  const Call other = other_call({{IValue(a), IValue(b), IValue(2), IValue(7), IValue(true)}});
  EXPECT_EQ(other.inputs[0].as_tensor().sizes(), Dims({3, 3}));
  EXPECT_EQ(other.inputs[1].as_tensor().sizes(), Dims({1, 3}));
  EXPECT_EQ(other.inputs[2].as_int(), 3);
  EXPECT_EQ(other.inputs[3].as_int(), 2);
  EXPECT_FALSE(other.inputs[4].as_bool());
}

TEST(WholePython, ScriptsOfOurOwnAreGivenAsTheyAre) {
  Case c = parse_case(
      "fusillade case 2\nscript:\n  def main(n: int) -> int:\n    return n + 5\ncall:\n    n = 3\n"
      "end\n",
      "s.case");
  c.oracle = "whole_python";
  EXPECT_EQ(verdict_of(c.clone(), "right").kind, VerdictKind::Ok);
  EXPECT_EQ(verdict_of(c.clone(), "wrong").reason, "value");
}

TEST(WholePython, IsReducedByStatements) {
  Case c = python_case(
      "import math\ndef unused(k):\n    return k\ndef main(n: int):\n    a = {n: 1}\n"
      "    for i in range(3):\n        a[i] = unused(i)\n    print(len(a))\n    return n + 5",
      "n = 3");
  c.plans = {parse_plan(toy() + ":wrong")};
  const Reduced r = reduce(c, {20, 4000}, 60, 1, {});
  EXPECT_EQ(r.smallest.script, "def main(n: int):\n    return n + 5\n");
  EXPECT_TRUE(r.smallest.python);
}

TEST(WholePython, GeneratedTextsHaveCalls) {
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(3, i);
    GenerateOptions options;
    options.policy = "python";
    const Case c = generate_case(choices, options);
    ASSERT_EQ(c.refused, "") << c.script;
    ASSERT_EQ(c.calls.size(), 2u);
    ASSERT_EQ(c.script.find_first_of("@$", c.script.find("\ndef main")), std::string::npos)
        << c.script;
  }
}

TEST(WholePython, CampaignsWithoutAnEngineThatRunsItDoNotBegin) {
  CampaignOptions options;
  options.policy = "python";
  EXPECT_THROW(validate(options), Error);
  options.plans = {parse_plan("vm/o2")};
  EXPECT_THROW(validate(options), Error);
  options.plans.push_back(parse_plan(toy() + ":right"));
  EXPECT_NO_THROW(validate(options));
}

TEST(WholePython, CampaignsJudgeItByOneOracle) {
  CampaignOptions options;
  options.policy = "python";
  options.plans = {parse_plan(toy() + ":right"), parse_plan(toy() + ":eager")};
  const Trial trial = make_trial(options, 1);
  ASSERT_EQ(trial.judgements.size(), 1u);
  EXPECT_EQ(trial.judgements[0].oracle->name, "whole_python");
}

}  // namespace
}  // namespace fusillade::fuzz
