// All errors of a file in one message, none that follows from another; and who called whom, when a
// program is compiled and when it runs.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/front/module.h"
#include "engine/front/script.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

std::string errors_of(const std::string& text) {
  try {
    return compile_script(text, "f.py").errors();
  } catch (const Error& e) {
    return e.what();
  }
}

// Lines of the messages that begin with "f.py:LINE:" and are no link of a chain of callers.
std::vector<int> lines_of(const std::string& errors) {
  std::vector<int> out;
  std::istringstream in(errors);
  for (std::string line; std::getline(in, line);) {
    bool link = line.find("is being compiled since") != std::string::npos;
    if (line.rfind("f.py:", 0) == 0 && !link) out.push_back(std::stoi(line.substr(5)));
  }
  return out;
}

using Lines = std::vector<int>;

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(ScriptErrors, SixInThreeFunctionsAreSix) {
  std::string errors = errors_of(
      "def f(x, n: int):\n"
      "    a = x + nope\n"  // 2
      "    b = a * 2 + a.foo()\n"
      "    c: int = 'abc'\n"  // 4
      "    return b + c\n"
      "def g(x):\n"
      "    y = f(x, 2)\n"
      "    z = torch.nosuch(x)\n"  // 8
      "    return y + z\n"
      "def h(x, s: List[str], q: Quux):\n"  // 10
      "    if x.nothing() + q:\n"           // 11
      "        r = 1\n"
      "    else:\n"
      "        r = s[0] + 1\n"  // 14
      "    return r + q\n");
  EXPECT_EQ(lines_of(errors), (Lines{2, 4, 8, 10, 11, 14})) << errors;
  EXPECT_EQ(count(errors, "'f' is being compiled since it was called from 'g'"), 1u) << errors;
}

TEST(ScriptErrors, WhatFollowsFromAnErrorIsNotReported) {
  struct {
    const char* text;
    Lines lines;
  } const kCases[] = {
      {"def f(x):\n    a, b = nope\n    c = a + b\n    c.foo()\n    return c\n", {2}},
      {"def f(x):\n    for i in nope:\n        x = x + i\n        y = bad\n    return x, y\n",
       {2, 4}},
      {"def f(x):\n    while nope:\n        x = x.bad()\n    return x\n", {2, 3}},
      {"def f(x):\n    if nope:\n        return bad\n    return x\n", {2, 3}},
      {"def f(x):\n    with nope as n:\n        y = n + 1\n        z = bad\n    return y\n",
       {2, 4}},
      {"def f(x, c: bool):\n    if c:\n        y = bad\n    else:\n        y = 1\n    return y + "
       "'a'\n",
       {3}},
      {"def f(x, k: int):\n    s = 0\n    for i in range(k):\n        s = s + bad\n        s = s + "
       "i\n    return s + 'a'\n",
       {4}},
      {"def f(x):\n    for a, b in [1, 2]:\n        x = x + a\n    return x\n", {2}},
      {"def f(x):\n    for a in (1, 2.0, 'a'):\n        x = x + bad\n    return x\n", {3}},
      {"def f(x) -> Quux:\n    return x.bad()\n", {1, 2}},
      {"def f(x):\n    return bad\ndef g(x):\n    y = f(x)\n    return f(y) + f(x)\n", {2}},
      {"def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n", {4}},
      {"def f(x, n: int):\n    for i in range(n):\n        if i > 2:\n            return bad\n    "
       "return 1.5\n",
       {4}},
      {"def f(x):\n    assert nope\n    l = [i + bad for i in [1, 2]]\n    return l[0]\n", {2, 3}},
      {"class C:\n    def __init__(self, n: int):\n        self.a = bad\n        self.b = n\n    "
       "def m(self):\n"
       "        return self.a + self.b\ndef f(n: int):\n    c = C(n)\n    return c.m()\ndef g(c: "
       "C):\n    d = c.a\n    return bad2\n",
       {3, 12}},
  };
  for (const auto& c : kCases) {
    std::string errors = errors_of(c.text);
    EXPECT_EQ(lines_of(errors), c.lines) << c.text << errors;
  }
}

TEST(ScriptErrors, SyntaxErrorsAreReportedStatementByStatement) {
  std::string errors = errors_of(
      "def f(x, n: int):\n"
      "    try:\n"  // 2
      "        y = x + 1\n"
      "    except ValueError:\n"
      "        y = x\n"
      "    finally:\n"
      "        pass\n"
      "    k = lambda a: a\n"  // 8
      "    for i in range(n):\n"
      "        n = n + bad + y\n"  // 10
      "        yield n\n"          // 11
      "    return k(y)\n"
      "def g(x):\n"
      "    return x +\n");  // 14
  EXPECT_EQ(lines_of(errors), (Lines{2, 8, 11, 10, 14})) << errors;
}

TEST(ScriptErrors, WhatIsNoPythonIsReadOver) {
  std::string errors = errors_of(
      "def a(x):\n"
      "    y = x $ 3 gr\u00f6\u00dfe\n"  // 2, 2
      "    z = 'abc\n"                   // 3
      "    q = (1 + 2\n"                 // 4
      "    return y + z + bad\n"         // 5
      "X = \"unclosed\n"                 // 6
      "class C:\n"
      "    x = 0777z\n"  // 8
      "    y = = 4\n"    // 9
      "def c(x: int):\n"
      "        s = 1\n"
      "    t = 99999999999999999999\n"  // 12, 12
      "    return s + t\n"
      "def d(x):\n"
      "    return f'{x' + x)\n"  // 15
      "if X:\n"
      "    print('\\xZZ', '''\n");  // 17, 17
  EXPECT_EQ(lines_of(errors), (Lines{6, 8, 9, 17, 17, 17, 2, 2, 3, 4, 5, 12, 12, 15})) << errors;
}

TEST(ScriptErrors, AllPartsOfAStatementAreLookedAt) {
  std::string errors = errors_of(
      "def f(x, n: int):\n"
      "    y = torch.add(no1, no2) + [no3, g(no4, k=no5), (no6, 'a' + 1)]\n"
      "    return y.foo(no7)\n"
      "def g(x, k: int):\n    return x\n");
  EXPECT_EQ(lines_of(errors), (Lines{2, 2, 2, 2, 2, 2, 2})) << errors;
  for (const char* name : {"no1", "no2", "no3", "no4", "no5", "no6"})
    EXPECT_EQ(count(errors, std::string("undefined value ") + name), 1u) << errors;
}

TEST(ScriptErrors, TextThatIsNotUtf8) {
  EXPECT_EQ(errors_of("\xEF\xBB\xBF"
                      "def f(x):\n    return x\n"),
            "");
  std::string errors = errors_of("def f(x):\n    return x  # gr\xFC\n");
  EXPECT_NE(errors.find("f.py:2:18: the byte 0xfc is not UTF-8"), std::string::npos) << errors;
}

TEST(ScriptErrors, TheCureIsNamed) {
  std::string none = errors_of(
      "def f(n: int):\n    best = None\n    for v in range(n):\n        best = v\n    return "
      "best\n");
  EXPECT_NE(none.find("best: Optional[int] = None"), std::string::npos) << none;
  std::string empty =
      errors_of("def f(n: int):\n    out = []\n    out.append(n)\n    return out\n");
  EXPECT_NE(empty.find("[] is a List[Tensor] until it is annotated"), std::string::npos) << empty;
}

TEST(ScriptErrors, ClassesAreNamedAsWritten) {
  std::string errors = errors_of(
      "class V:\n"
      "    def __init__(self, a: int):\n"
      "        self.a = a\n"
      "    def twice(self) -> int:\n"
      "        return self.b * 2\n"
      "def f(n: int):\n"
      "    return V(n).twice()\n"
      "def g(n: int):\n"
      "    return V(n) * 2\n");
  EXPECT_EQ(count(errors, "'V.twice' is being compiled since it was called from 'f'"), 1u)
      << errors;
  EXPECT_EQ(count(errors, "'*' of V and int"), 1u) << errors;
  EXPECT_EQ(count(errors, "__torch__"), 0u) << errors;
}

TEST(ScriptErrors, MembersBeforeTheModuleBegins) {
  for (const char* member : {"nn.Linear(2, 2)", "nn.Parameter(torch.ones(2))"}) {
    std::string text =
        "import torch\nimport torch.nn as nn\nclass M(nn.Module):\n    def __init__(self):\n       "
        " self.k = 1\n"
        "        self.m = " +
        std::string(member) +
        "\n        super().__init__()\n"
        "    def forward(self, x):\n        return x\n";
    try {
      instantiate(compile_script(text, "f.py"), "M()");
      ADD_FAILURE() << member;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("before Module.__init__() call"), std::string::npos)
          << e.what();
    }
  }
}

TEST(ScriptErrors, WhatHasNoOrderOrIsNotUnpacked) {
  std::string errors = errors_of(
      "def f(n: int, d: Dict[str, int]):\n"
      "    a = [1] < [2.0]\n"                  // 2
      "    b = max([torch.ones(2)])\n"         // 3
      "    c = [*n, 9]\n"                      // 4
      "    e = {**n}\n"                        // 5
      "    g = {**d, 3: 3}\n"                  // 6
      "    h = [*[1], 'a']\n"                  // 7
      "    i = [d] < [d]\n"                    // 8
      "    return pow('a', 2, 3), repr()\n");  // 9, 9
  EXPECT_EQ(lines_of(errors), (Lines{2, 3, 4, 5, 6, 7, 8, 9, 9})) << errors;
}

TEST(ScriptErrors, AFunctionInAFunctionIsOneError) {
  std::string errors = errors_of(
      "def f(x, n: int):\n"
      "    def inner(a, b=bad):\n"  // 2
      "        return a + worse\n"
      "    class K:\n"  // 4
      "        pass\n"
      "    import os\n"  // 6
      "    k = inner(x) + K().m(n) + os.x\n"
      "    return inner(k, 3)\n");
  EXPECT_EQ(lines_of(errors), (Lines{2, 4, 6})) << errors;
}

TEST(ScriptErrors, HostileTextEndsSoon) {
  for (const char* part : {"(\n", "$", "'\n", "\\\"\"\"\n", "x = (\ndef\n", " a\n\tb\n", "f'{",
                           "0x\n", "class C:\n if"}) {
    std::string text;
    while (text.size() < 200000) text += part;
    EXPECT_FALSE(errors_of(text).empty()) << part;
  }
}

TEST(ScriptErrors, MoreThanTwentyAreCounted) {
  std::string text = "def f(x):\n";
  for (int i = 0; i < 27; ++i) text += "    x.bad()\n";
  std::string errors = errors_of(text);
  EXPECT_EQ(lines_of(errors).size(), 20u);
  EXPECT_NE(errors.find("\nand 7 more errors"), std::string::npos) << errors;
}

TEST(ScriptErrors, TheFunctionAskedForComesFirstAndTheOthersRun) {
  Script script = compile_script(
      "def f(x):\n    return bad\ndef g(x):\n    return worse\ndef h(x):\n    return x\n", "f.py");
  EXPECT_NE(script.find("h"), nullptr);
  try {
    script.find("g");
    FAIL() << "g has an error";
  } catch (const Error& e) {
    EXPECT_EQ(lines_of(e.what()), (Lines{4, 2}));
  }
}

TEST(ScriptErrors, MethodsOfAModuleAreLookedAtAll) {
  std::string text =
      "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.k = "
      "2\n"
      "    def help(self, x):\n        return x + self.nothing\n"
      "    def forward(self, x):\n        y = self.help(x)\n        z = x.bad()\n        return y\n"
      "    @torch.jit.export\n    def more(self, x):\n        y = worse\n        return "
      "self.help(x)\n";
  try {
    instantiate(compile_script("import torch\nimport torch.nn as nn\n" + text, "f.py"), "M()", 0);
    FAIL() << "M has errors";
  } catch (const Error& e) {
    EXPECT_EQ(lines_of(e.what()), (Lines{8, 11, 15})) << e.what();
  }
}

constexpr const char* kNested =
    "def h(x, k: int):\n    if k > 2:\n        raise ValueError('too big')\n    return "
    "x.reshape([k, k])\n"
    "def g(x, k: int):\n    for i in range(1):\n        x = h(x + 1, k)\n    return x\n"
    "def f(x, k: int):\n    return g(x * 2, k)\n";

TEST(RuntimeErrors, TellTheChainOfCallersUnderEveryPlan) {
  for (const char* plan : {"eager", "vm", "vm/inline", "vm/o2", "vm/o2,fuse(loopnest,interp)"}) {
    for (int64_t k : {2, 3}) {
      Script script = compile_script(kNested, "f.py");
      std::string message;
      try {
        prepare(*script.find("f"), parse_plan(plan))
            ->run({Tensor::zeros({3}, DType::F32), IValue(k)});
      } catch (const Error& e) {
        message = e.what();
      }
      size_t here =
          message.find(k == 2 ? "\n  File \"f.py\", line 4\n" : "\n  File \"f.py\", line 3\n");
      size_t first = message.find("\nf.py:7:12: 'h' was called here\n  File \"f.py\", line 7\n");
      size_t second = message.find("\nf.py:10:11: 'g' was called here\n  File \"f.py\", line 10\n");
      EXPECT_TRUE(here < first && first < second && second != std::string::npos) << plan << "\n"
                                                                                 << message;
      EXPECT_EQ(count(message, "<--- HERE"), 3u) << plan << "\n" << message;
    }
  }
}

TEST(RuntimeErrors, ListsEndAtTheirLimitUnderEveryPlan) {
  for (const char* grow : {"l.extend(l)", "l = l + l"}) {
    Script script =
        compile_script(std::string("def f(l: List[int]):\n    while len(l) > 0:\n        ") + grow +
                           "\n    return l\n",
                       "f.py");
    for (const char* plan : {"eager", "vm/o2"}) {
      std::string message;
      try {
        IValue list =
            IValue::list(std::vector<IValue>((size_t{1} << 25) + 1, IValue(1)), TypeKind::Int);
        prepare(*script.find("f"), parse_plan(plan))->run({list});
      } catch (const Error& e) {
        message = e.what();
      }
      EXPECT_NE(message.find("MemoryError: 67108866 items; the limit is 67108864"),
                std::string::npos)
          << grow << "\n"
          << message;
      EXPECT_NE(message.find("line 3"), std::string::npos) << message;
    }
  }
}

// Sizes that do not broadcast are lowered by no fuser, so that the nodes run as bytecode.
TEST(RuntimeErrors, OfADeclinedGroupTellItsNodesLine) {
  Script script = compile_script(
      "def f(x, y):\n    a = x * 2.0\n    b = a + y\n    c = b * b\n    return c - 1.0\n", "f.py");
  for (const char* plan : {"eager", "vm/o2,fuse(loopnest,llvm)", "vm/o2,fuse(tile,llvm)"}) {
    try {
      prepare(*script.find("f"), parse_plan(plan))
          ->run({Tensor::zeros({4, 8}, DType::F32), Tensor::zeros({3}, DType::F32)});
      FAIL() << plan << ": it raises";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("\n  File \"f.py\", line 3\n"), std::string::npos)
          << plan << "\n"
          << e.what();
    }
  }
}

TEST(RuntimeErrors, WithoutACallerThereIsOnePlace) {
  Script script = compile_script(kNested, "f.py");
  try {
    prepare(*script.find("h"), parse_plan("vm/o2"))
        ->run({Tensor::zeros({3}, DType::F32), IValue(3)});
    FAIL() << "it raises";
  } catch (const Error& e) {
    EXPECT_EQ(count(e.what(), "<--- HERE"), 1u) << e.what();
  }
}

}  // namespace
}  // namespace fusillade
