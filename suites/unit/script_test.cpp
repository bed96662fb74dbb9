// The script front end: the graphs it makes, what it refuses and how it says so, hostile text, and
// programs run by both engines against TorchScript 1.13.1's results (suites/golden/script).
#include "engine/front/script.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/ir/visit.h"
#include "engine/ops/text.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// The printed graph without source locations.
std::string graph_of(const std::string& script) {
  std::istringstream lines(print(*compile_script(script, "f.py").functions.back()));
  std::string out;
  for (std::string line; std::getline(lines, line);) out += line.substr(0, line.find(" # ")) + "\n";
  return out;
}

std::string error_of(const std::string& script) {
  try {
    std::string errors = compile_script(script, "f.py").errors();
    return errors.empty() ? "no error" : errors;
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(Script, CallsOperatorsAndDefaults) {
  EXPECT_EQ(
      graph_of(
          "def f(x, k: float = 2.0):\n    \"\"\"doc\"\"\"\n    return torch.relu(x * k) + 1\n"),
      "graph(%x : Tensor,\n"
      "      %k : float):\n"
      "  %0 : Tensor = aten::mul(%x, %k)\n"
      "  %1 : Tensor = aten::relu(%0)\n"
      "  %2 : int = prim::Constant[value=1]()\n"
      "  %3 : int = prim::Constant[value=1]()\n"
      "  %4 : Tensor = aten::add(%1, %2, %3)\n"
      "  return (%4)\n");
}

TEST(Script, AugmentedAssignmentOfATensorIsInPlace) {
  std::string text = graph_of("def f(x, n: int):\n    x += 1.5\n    n += 1\n    return x, n\n");
  EXPECT_NE(text.find("aten::add_(%x"), std::string::npos) << text;
  EXPECT_NE(text.find("%n.2 : int = aten::add(%n"), std::string::npos) << text;
}

TEST(Script, NumberBeforeTensorIsTurnedAround) {
  std::string text = graph_of("def f(x):\n    return 2.0 / x\n");
  EXPECT_NE(text.find("%1 : Tensor = aten::reciprocal(%x)\n  %2 : Tensor = aten::mul(%1, %0)"),
            std::string::npos)
      << text;
  EXPECT_NE(graph_of("def f(x):\n    return 2 < x\n").find("aten::gt(%x, %0)"), std::string::npos);
}

TEST(Script, FunctionsOfNnTakeTheirOwnParameters) {
  std::string text = graph_of("def f(i, w):\n    return F.embedding(i, w)\n");
  EXPECT_NE(text.find("aten::embedding(%w, %i, %"), std::string::npos) << text;
  EXPECT_NE(text.find("prim::Constant[value=-1]"), std::string::npos) << text;
  text = graph_of("def f(x, y):\n    return F.mse_loss(x, y, reduction='sum')\n");
  EXPECT_NE(text.find("int = prim::Constant[value=2]"), std::string::npos) << text;
  EXPECT_NE(error_of("def f(x, y):\n    return F.mse_loss(x, y, reduction='most')\n")
                .find("'none', 'mean' or 'sum'"),
            std::string::npos);
  EXPECT_NE(error_of("def f(x):\n    return F.dropout(x, q=0.5)\n").find("no argument 'q'"),
            std::string::npos);
}

TEST(Script, OneIntAndTrailingIntsBecomeLists) {
  std::string text = graph_of("def f(x):\n    return x.sum(0, True).permute(1, 0)\n");
  EXPECT_NE(text.find("int[] = prim::ListConstruct(%0)"), std::string::npos) << text;
  EXPECT_NE(text.find("int[] = prim::ListConstruct(%5, %6)"), std::string::npos) << text;
}

TEST(Script, EarlyReturnMovesTheRestIntoTheOtherBranch) {
  EXPECT_EQ(
      graph_of(
          "def f(x, c: bool):\n    if c:\n        return x\n    y = torch.neg(x)\n    return y\n"),
      "graph(%x : Tensor,\n"
      "      %c : bool):\n"
      "  %0 : Tensor = prim::If(%c)\n"
      "    block0():\n"
      "      -> (%x)\n"
      "    block1():\n"
      "      %y : Tensor = aten::neg(%x)\n"
      "      -> (%y)\n"
      "  return (%0)\n");
}

TEST(Script, WhileCarriesWhatItAssigns) {
  EXPECT_EQ(graph_of("def f(x, n: int):\n    while n > 0:\n        x = torch.neg(x)\n        n -= "
                     "1\n    return x\n"),
            "graph(%x : Tensor,\n"
            "      %n : int):\n"
            "  %0 : int = prim::Constant[value=9223372036854775807]()\n"
            "  %1 : int = prim::Constant[value=0]()\n"
            "  %2 : bool = aten::gt(%n, %1)\n"
            "  %n.1 : int, %x.2 : Tensor = prim::Loop(%0, %2, %n, %x)\n"
            "    block0(%3 : int, %n.3 : int, %x.4 : Tensor):\n"
            "      %x.5 : Tensor = aten::neg(%x.4)\n"
            "      %4 : int = prim::Constant[value=1]()\n"
            "      %n.6 : int = aten::sub(%n.3, %4)\n"
            "      %5 : int = prim::Constant[value=0]()\n"
            "      %6 : bool = aten::gt(%n.6, %5)\n"
            "      -> (%6, %n.6, %x.5)\n"
            "  return (%x.2)\n");
}

TEST(Script, RangeOfOneArgumentIsTheTripCount) {
  std::string text =
      graph_of("def f(x, n: int):\n    for i in range(n):\n        x = x + i\n    return x\n");
  EXPECT_NE(text.find("%x.1 : Tensor = prim::Loop(%n, %0, %x)"), std::string::npos) << text;
  text = graph_of(
      "def f(x, n: int):\n    for i in range(1, n, 2):\n        x = x + i\n    return x\n");
  EXPECT_NE(text.find("aten::__range_length(%0, %n, %1)"), std::string::npos) << text;
  EXPECT_NE(text.find("aten::__derive_index("), std::string::npos) << text;
}

TEST(Script, ATestForNoneRefines) {
  std::string text = graph_of(
      "def f(x, c: Optional[float] = None):\n    if c is not None:\n        x = x * c\n    return "
      "x\n");
  EXPECT_NE(text.find("float = prim::unchecked_cast(%c)"), std::string::npos) << text;
  text =
      graph_of("def f(x, c: float):\n    if c is None:\n        x = x.nonsense()\n    return x\n");
  EXPECT_EQ(text.find("prim::If"), std::string::npos) << "decided by the type alone";
}

TEST(Script, CallsHoldTheirCallee) {
  Script s = compile_script(
      "def f(x):\n    return g(x)\n\ndef g(x, n: int = 2):\n    return x * n\n", "f.py");
  ASSERT_EQ(s.functions.size(), 2u);
  EXPECT_EQ(s.find("f"), s.functions[0].get());
  EXPECT_EQ(s.find("h"), nullptr);
  const Node* call = s.functions[0]->block()->last();
  ASSERT_TRUE(call->is(prim::call_function()));
  EXPECT_EQ(std::get<IValue>(*call->attr("name")).as_str(), "g");
  EXPECT_EQ(call->inputs().size(), 2u);
  EXPECT_EQ(call->range.where(), "f.py:2:11");
}

void collect_locations(const Block* block, std::vector<std::string>& out) {
  each_node(block, [&](const Node* n) {
    if (n->range.valid()) out.push_back(n->range.where());
  });
}

TEST(Script, PrintedPlacesAreThoseOfTheNodes) {
  Script s = compile_script(
      "\ndef f(x: int, y: int):\n    while x < 10 and y > 0:\n        x += 1\n        if x == 5:\n"
      "            y = (x +\n                 y)\n    return [i * x for i in range(y)]\n",
      "f.py");
  std::vector<std::string> wanted, printed;
  collect_locations(s.functions[0]->block(), wanted);
  std::string text = print(*s.functions[0]);
  for (size_t at = 0; (at = text.find(" # ", at)) != std::string::npos; ++at) {
    printed.push_back(text.substr(at + 3, text.find('\n', at) - at - 3));
  }
  EXPECT_GE(wanted.size(), 10u);
  EXPECT_EQ(printed, wanted);
}

TEST(Script, PrintedGraphsReadBack) {
  for (const char* name : {"flow.py", "tensors.py"}) {
    Script s =
        compile_script_file(std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/script/" + name);
    for (const auto& g : s.functions) {
      auto again = parse_graph(print(*g));
      verify(*again);
      EXPECT_EQ(again->node_count(), g->node_count()) << g->name;
    }
  }
}

struct Refused {
  const char* script;
  const char* where;    // "line:column"
  const char* message;  // part of it
  const char* caret;    // the marked text's line: blanks, then ~
};

constexpr Refused kRefused[] = {
    {"def f(x):\n    return x +\n", "2:14", "expected an expression, found the end of the line",
     "              ~"},
    {"def f(x):\n    return lambda y: y\n", "2:11",
     "'lambda' is not supported: define a function at the top of the file", "           ~~~~~~"},
    {"def f(x):\n    y = [i for i in x for j in k]\n", "2:31", "undefined value k",
     "                               ~"},
    {"def f(x):\n    d = {1, 2}\n", "2:8", "sets are not supported: use a list", "        ~~"},
    {"def f(x):\n    with x:\n        pass\n", "2:9", "a Tensor has no __enter__ and __exit__",
     "         ~"},
    {"def f(x, *args):\n    return x\n", "1:9", "*args and **kwargs are not supported",
     "         ~"},
    {"def f(x):\n    return f'{x!a}'\n", "2:15", "of an f-string {x}, {x=}, {x!r}",
     "               ~"},
    {"def f(x):\n    return 2j\n", "2:11", "complex numbers are not supported but in tensors",
     "           ~~"},
    {"def f(x: Set[int]):\n    return x\n", "1:9",
     "not a supported annotation; supported are Tensor", "         ~~~~~~~~"},
    {"def f(x: List):\n    return x\n", "1:9", "the types of its items are missing",
     "         ~~~~"},
    {"def f(x):\n    def g(y):\n        return y\n    return x\n", "2:4",
     "'def' is not supported inside a function; define it at the top of the file", "    ~~~"},
    {"def f(x):\n    global y\n    return x\n", "2:4",
     "pass the value as an argument and return it", "    ~~~~~~"},
    {"def f(x):\n    match x:\n        case 1:\n            pass\n", "2:4", "write if, elif, else",
     "    ~~~~~"},
    {"def f(x):\n    y := 3\n    return y\n", "2:6", "':=' stands in brackets or in the condition",
     "      ~~"},
    {"def f(x):\n    return [(y := i) for i in [1]]\n", "2:11",
     "':=' in a comprehension is not supported", "           ~~~~~~~~~~~~~~~~~~~~~~"},
    {"def f(x):\n    return (x.y := 3)\n", "2:12", "':=' assigns to a name only",
     "            ~~~"},
    {"def f(n: int):\n    if n > 1 and (k := n) > 2:\n        n = k\n    return k\n", "4:11",
     "k is not defined in the false branch", "           ~"},
    {"def f(*args):\n    return args\n", "1:6",
     "*args and **kwargs are not supported: name the parameters", "      ~"},
    {"def f(x: List[int]):\n    for i in x:\n        x.append(i)\n", "3:8",
     "'append' changes a list while a loop runs over it", "        ~~~~~~~~~~~"},
    {"def f(d: Dict[str, int]):\n    for k, v in d.items():\n        d.pop(k)\n    return d\n",
     "3:8", "'pop' changes a dict while a loop runs over it", "        ~~~~~~~~"},
    {"from typing import Union\n\ndef f(x: Union[int, str], y: List[Union[int, str]]):\n    return "
     "x + y\n",
     "4:11", "takes (Union[int, str], List[Union[int, str]])", "           ~~~~~"},
    {"def f(x: List[int]):\n    x.reverse().nope\n", "2:4", "a NoneType has no attribute 'nope'",
     "    ~~~~~~~~~~~~~~~~"},
    {"def f(s: str):\n    return s.uper()\n", "2:11",
     "'str' has no method 'uper'; did you mean upper", "           ~~~~~~~~"},
    {"def f(d: Dict[str, int]):\n    return d.append(1)\n", "2:11", "has no method 'append'",
     "           ~~~~~~~~~~~"},
    {"def f(n: int, c: bool):\n    return c and n\n", "2:11",
     "the two values have types int and bool", "           ~~~~~~~"},
    {"def f(n: Optional[List[int]]):\n    return n.copy()\n", "2:11", "test it against None before",
     "           ~~~~~~~~"},
    {"def f(n: int):\n    return map(f, [n])\n", "2:11",
     "'map' is not supported: write a comprehension", "           ~~~"},
    {"def f(n: int, t: Tuple[int, str]):\n    return t[n]\n", "2:13", "indexed by an int literal",
     "             ~"},
    {"def f(x):\n    return x.reluu()\n", "2:11", "has no method 'reluu'; did you mean relu",
     "           ~~~~~~~~~"},
    {"def f(x):\n    return torch.reluu(x)\n", "2:11", "there is no op 'aten::reluu'",
     "           ~~~~~~~~~~~~~~"},
    {"def f(x):\n    return torch.add(x, 'a')\n", "2:11", "argument 'other' is Tensor, given str",
     "           ~~~~~~~~~~~~~~~~~"},
    {"def f(x):\n    return f(x)\n", "2:11", "recursion is not supported", "           ~~~~"},
    {"def f(x, n: int):\n    for i in range(n):\n        y = x\n    return y\n", "4:11",
     "undefined value y", "           ~"},
    {"def f(x, c: bool):\n    if c:\n        y = x\n    return y\n", "4:11",
     "y is not defined in the false branch", "           ~"},
    {"def f(x, c: bool):\n    if c:\n        y = x\n    else:\n        y = 1\n    return y\n",
     "6:11", "y is set to type Tensor in the true branch and type int in the false branch",
     "           ~"},
    {"def f(x, n: int):\n    for i in range(n):\n        x = 1\n    return x\n", "3:8",
     "variable 'x' previously had type Tensor but is now being assigned to a value of type int",
     "        ~"},
    {"def f(x) -> int:\n    return x, x\n", "2:4",
     "annotated as having type int but is actually of type", "    ~~~~~~~~~~~"},
    {"def f(x, c: bool):\n    if c:\n        return 1\n    return 2.0\n", "4:4",
     "previous return statement returned a value of type int", "    ~~~~~~~~~~"},
    {"def f(x) -> Tensor:\n    if x.sum() > 0:\n        return x\n", "1:0",
     "its end can be reached without a return", "~~~~~~~~~~~~~~~~~~"},
    {"def f(x):\n    x.y = 3\n", "2:4", "an attribute of a Tensor cannot be assigned", "    ~~~"},
    {"def f(x):\n    break\n", "2:4", "belong in a loop", "    ~~~~~"},
    {"def f(x):\n\tif True:\n        return x\n", "3:0", "tabs and spaces are mixed", "~~~~~~~~"},
    {"def f(x):\n    return 99999999999999999999\n", "2:11", "does not fit in 64 bits",
     "           ~~~~~~~~~~~~~~~~~~~~"},
    {"def f(x):\n    return 'abc\n", "2:11", "this string is never closed", "           ~"},
    {"def f(x):\n  if x:\n      y = x\n    return x\n", "4:0", "indented like no block around it",
     "~~~~"},
    {"def f(x):\n    return x['a']\n", "2:13", "a tensor is indexed by ints, slices, None",
     "             ~~~"},
    {"def f(x):\n    a, b = x\n", "2:11", "a Tensor cannot be unpacked", "           ~"},
    {"def f(x, n: int):\n    return prnt(n)\n", "2:11",
     "unknown function 'prnt'; did you mean print", "           ~~~~"},
    {"def f(x):\n    return g(x, 1)\ndef g(x, n: float):\n    return x\n", "2:11",
     "argument 'n' is float, given int", "           ~~~~~~~"},
    {"def f(x, c: bool):\n    return x if c else 1\n", "2:11",
     "the two values have types Tensor and int", "           ~~~~~~~~~~~~~"},
    {"def f(x, n: int):\n    for a in (x, x):\n        if n > 1:\n            break\n        y = "
     "n\n    return y\n",
     "6:11", "y is defined in a loop that may be left before", "           ~"},
    {"@torch.jit.interface\nclass I:\n    def m(self) -> int:\n        pass\ndef f(i: I):\n    "
     "return i.m()\n",
     "5:9", "no class of the file has the methods of the interface 'I'", "         ~"},
    {"async def f(x):\n    return x\n", "1:0", "'async' is not supported: write a plain function",
     "~~~~~"},
    {"class C(Enum):\n    A = 1\ndef f(n: int):\n    return C(n)\n", "4:11",
     "the members of an enum are not found by value", "           ~~~~"},
    {"class C(Enum):\n    A = 1\ndef f(n: int):\n    return len(C)\n", "4:15",
     "the class 'C' is not a value", "               ~"},
    {"class C(Enum):\n    A = 1\ndef f(n: int):\n    return {C.A: n}\n", "4:11",
     "keys of a dict are", "           ~~~~~~~~"},
    {"class P:\n    def __init__(self, x: Optional[int]):\n        self.x = x\n    def f(self) -> "
     "int:\n"
     "        if self.x is not None:\n            return self.x + 1\n        return 0\n"
     "def f(n: int):\n    return P(n).f()\n",
     "6:19", "put it into a variable and test that against None", "                   ~~~~~~~~~~"},
    {"@dataclass\nclass P:\n    x: int = field(default_factory=list)\ndef f(n: int):\n    return "
     "P()\n",
     "3:35", "the default factory of a field is list or dict",
     "                                   ~~~~"},
    {"def f(x, n: int):\n    return x + None\n", "2:11", "no overload of aten::add",
     "           ~~~~~~~~"},
    {"def f(x: List[int] = [1, 2]):\n    return x\n", "1:21",
     "a List[int] that is made once and then shared may change", "                     ~~~~~~"},
    {"A = 1 // 0\ndef f(x: int = A):\n    return x\n", "1:4", "division", "    ~~~~~~"},
    {"A = B\nB = A\ndef f(x: int = A):\n    return x\n", "1:4", "constants refer to each other",
     "    ~"},
    {"class C:\n    A = C.A\ndef f(x: int = C.A):\n    return x\n", "2:8",
     "constants refer to each other", "        ~~~"},
    {"A = [1]\ndef f(x: int):\n    return A\n", "3:11", "'A' is no constant at the top of the file",
     "           ~"},
    {"@dataclass(frozen=True)\nclass P:\n    x: int\ndef f(p: P):\n    p.x = 3\n", "5:4",
     "'P' is frozen, so its fields cannot be assigned", "    ~~~"},
    {"@dataclass\nclass P:\n    x: int\ndef f(p: P):\n    return p < p\n", "5:11",
     "neither class has __lt__", "           ~~~~~"},
    {"@dataclass\nclass P:\n    x: int = field(metadata={})\ndef f(p: P):\n    return p.x\n",
     "3:13", "of field(...) are supported", "             ~~~~~~~~~~~~~~~~~~"},
    {"@dataclass\nclass P:\n    x: List[int] = field(default=None, default_factory=list)\ndef f(p: "
     "P):\n    return p.x\n",
     "3:19", "cannot specify both", "                   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"},
    {"@dataclass\nclass P:\n    x: int\n    y: int = field(init=False)\ndef f(n: int):\n    return "
     "P(n).y\n",
     "6:11", "'y' of 'P' has no value", "           ~~~~~~"},
    {"@dataclass\nclass P:\n    x: int\n    y: int = field(init=False)\n    def "
     "__post_init__(self):\n"
     "        if self.x > 0:\n            self.y = 1\ndef f(n: int):\n    return repr(P(n))\n",
     "9:16", "'y' of 'P' has no value", "                ~~~~"},
    {"@dataclass\nclass P:\n    x: int = field(default=1, init=False)\ndef f(n: int):\n    return "
     "P(n)\n",
     "5:11", "takes 0 positional arguments", "           ~~~~"},
    {"@dataclass(eq=False)\nclass P:\n    x: int\ndef f(n: int):\n    return P(n) == P(n)\n",
     "5:11", "neither class has __eq__", "           ~~~~~~~~~~~~"},
    {"def f(x: List[int], n: int):\n    x[::n] = x\n", "2:6", "is an int literal other than 0",
     "      ~~~"},
    {"def f(x: List[int]):\n    del x[::0]\n", "2:10", "is an int literal other than 0",
     "          ~~~"},
    {"def f(x, y: int):\n    return torch.add(x, x, out=y)\n", "2:11",
     "'out' is a tensor, or a tuple of one", "           ~~~~~~~~~~~~~~~~~~~~~~"},
    {"def f(x):\n    return torch.LongTensor(x)\n", "2:11",
     "one list of data, or its sizes as ints", "           ~~~~~~~~~~~~~~~~~~~"},
    {"def f(x):\n    return x.type(2.5)\n", "2:11", "type takes one dtype",
     "           ~~~~~~~~~~~"},
    {"def f(x):\n    return x[slice(1, 2, 3, 4)]\n", "2:13", "a slice is slice(stop)",
     "             ~~~~~~~~~~~~~~~~~"},
    {"def f(x, b: bool):\n    return F.max_pool2d(x, 2, return_indices=b)\n", "2:45",
     "it decides what the call gives", "                                             ~"},
    {"def f(x):\n    return torch.tensor([1.5, [2]])\n", "2:24",
     "torch.tensor takes lists of one depth", "                        ~~~~~~~~~~"},
    {"def f(x):\n    return torch.linalg.nothing(x)\n", "2:11",
     "there is no op 'aten::linalg_nothing'", "           ~~~~~~~~~~~~~~~~~~~~~~~"},
    {"def f(x: int = 1.5):\n    return x\n", "1:15", "the default of 'x' is float, its type int",
     "               ~~~"},
};

TEST(Script, RefusalsShowTheLineACaretAndWhatIsSupported) {
  for (const Refused& r : kRefused) {
    std::string text = error_of(r.script);
    EXPECT_EQ(text.rfind(fmt::format("f.py:{}: ", r.where), 0), 0u) << r.script << text;
    EXPECT_NE(text.find(r.message), std::string::npos) << r.script << text;
    EXPECT_NE(text.find(fmt::format("\n    {} <--- HERE", r.caret)), std::string::npos)
        << r.script << text;
  }
}

TEST(Script, ErrorsOfSeveralFunctionsAreInOneMessage) {
  std::string text = error_of(
      "def f(x):\n    try:\n        pass\n    return x\n\ndef g(x):\n    return y\n\ndef h(x):\n   "
      " return g(x)\n");
  EXPECT_NE(text.find("f.py:2:4: 'try'"), std::string::npos) << text;
  EXPECT_NE(text.find("f.py:7:11: undefined value y"), std::string::npos) << text;
  EXPECT_NE(text.find("f.py:10:11: 'g' is being compiled since it was called from 'h'"),
            std::string::npos)
      << text;
}

TEST(Script, ACallerIsReportedOnce) {
  std::string text = error_of(
      "def a(x):\n    return x.nope()\n\ndef b(x):\n    return a(x)\n\ndef c(x):\n    return "
      "b(x)\n");
  for (const char* once :
       {"has no method 'nope'", "'a' is being compiled since", "'b' is being compiled since"}) {
    size_t at = text.find(once);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.find(once, at + 1), std::string::npos) << text;
  }
}

// What is not compiled may hold what is not supported: the file's main guard, methods that are
// ignored.
TEST(Script, WhatIsNotCompiledMayHoldAnything) {
  std::string text =
      "def f(x: int):\n    return x + 1\n\n@torch.jit.ignore\ndef g(x: int) -> int:\n    import "
      "numpy\n"
      "    print(f'{x!r}', b'abc', 3j, lambda: 3)\n    return x\n\n"
      "@torch.jit.unused\ndef h(x: int) -> int:\n    try:\n        return x\n    except "
      "ValueError:\n        return 3\n\n"
      "def k(x: int) -> int:\n    if x > 100:\n        return g(x) + h(x)\n    return x\n\n"
      "if __name__ == '__main__':\n    print(f'{f(2)!r:>10}', b'x', 2j)\n";
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_NE(error_of("@torch.jit.ignore\ndef g(x: int, *args):\n    return x\n").find("*args"),
            std::string::npos);
}

std::string repeat(const std::string& piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += piece;
  return out;
}

TEST(Script, HostileTextIsAnError) {
  const std::string head = "def f(x, n: int):\n    return ";
  const int many = 100000;
  const std::string hostile[] = {
      head + repeat("(", many) + "x" + repeat(")", many) + "\n",
      head + repeat("[", many) + "\n",
      head + repeat("x + ", many) + "x\n",
      head + repeat("not ", many) + "x\n",
      head + repeat("-", many) + "n\n",
      head + repeat("n ** ", many) + "n\n",
      head + "x" + repeat(".a", many) + "\n",
      head + "x" + repeat("[0]", many) + "\n",
      head + repeat("n < ", many) + "n\n",
      head + repeat("9", 900000) + "\n",
      head + repeat("a", 900000) + "\n",
      head + "'" + repeat("a", 900000) + "\n",
      head + "'''" + repeat("a\n", 400000),
      head + std::string("\0", 1) + "\n",
      head + "\xff\xfe\n",
      repeat(" ", (1 << 20) + 1),
      "def f(n: int):\n" + repeat("    if n > 1: return n\n", 30000) + "    return n\n",
      "def f(n: int):\n    if n > 1:\n        pass\n" +
          repeat("    elif n > 2:\n        pass\n", 10000),
      "def f(x: " + repeat("List[", many) + "int" + repeat("]", many) + "): return x\n",
      "def f(x):\n    " + repeat("(", many) + "a" + repeat(")", many) + " = x\n",
      "def f(x):\n" + repeat("    x = x + x\n", 60000) + "    return x\n",
  };
  for (const std::string& text : hostile) {
    EXPECT_NE(error_of(text), "no error") << text.substr(0, 80);
  }
  std::string wide = error_of(hostile[0]);
  EXPECT_LT(wide.size(), 1500u);  // of a long line what is around the range
  EXPECT_NE(wide.find("...\n"), std::string::npos) << wide;
  std::string within = error_of("def f(x):\n    return x + " + repeat("x + ", 100) + "y + " +
                                repeat("x + ", 100) + "x\n");
  size_t caret = within.find("~ <--- HERE");
  ASSERT_NE(caret, std::string::npos) << within;
  size_t below = within.rfind('\n', caret), above = within.rfind('\n', below - 1);
  EXPECT_EQ(within[above + (caret - below)], 'y') << within;
}

// Calls double at every level: as a tree they would not fit in memory.
TEST(Script, CallsThatExpandWithoutBoundAreRefused) {
  std::string text = "def f0(x):\n    return x + x\n";
  for (int i = 1; i < 60; ++i)
    text += fmt::format("def f{}(x):\n    return f{}(f{}(x))\n", i, i - 1, i - 1);
  EXPECT_NE(error_of(text).find("needs more than"), std::string::npos);
}

// One device, by name, by value or by a tensor's; another is refused when it is asked for.
TEST(Script, DevicesAreGivenAsTheUserHasThem) {
  const std::string head = "import torch\ndef f(x):\n    return ";
  for (const char* text :
       {"torch.zeros([3], device=\"cpu\") + x",
        "torch.zeros([3], device=torch.device(\"cpu\")) + x",
        "torch.ones([3], dtype=torch.float32, layout=torch.strided, device=x.device) * x",
        "x.to(\"cpu\")", "x.to(torch.device(\"cpu\"))", "x.to(\"cpu\", torch.float32)",
        "x.to(x.device)", "x.cpu()", "x.to(device=\"cpu\", dtype=torch.float32)",
        "x.contiguous(memory_format=torch.contiguous_format)"}) {
    Script script = compile_script(head + text + "\n", "f.py");
    Tensor x = Tensor::zeros({3}, DType::F32);
    for (const char* plan : {"eager", "vm/o2"}) {
      Tensor y = prepare(*script.functions[0], parse_plan(plan))->run({IValue(x)})[0].as_tensor();
      EXPECT_TRUE(bitwise_equal(x, y)) << text << " under " << plan;
    }
  }
  for (const char* text :
       {"x.to(\"cuda\")", "x.cuda()", "torch.ones([3], device=\"cuda:1\")",
        "torch.rand([3], device=torch.device(\"cuda\"))", "torch.tensor([1.0], device=\"meta\")",
        "torch.ones([3], device=\"cpu:00\")", "x.to(torch.device(\"CPU\"))"}) {
    Script gpu = compile_script(head + text + "\n", "f.py");
    EXPECT_THROW(prepare(*gpu.functions[0], parse_plan("eager"))
                     ->run({IValue(Tensor::zeros({3}, DType::F32))}),
                 Error)
        << text;
  }
}

TEST(Script, EmptyTextHasNoFunctions) {
  EXPECT_TRUE(compile_script("", "f.py").functions.empty());
  EXPECT_TRUE(
      compile_script("# nothing\nimport torch\nfrom typing import (List,\n  Tuple)\n", "f.py")
          .functions.empty());
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string result_line(const Graph& graph, const char* plan, int a, int b) {
  std::string out = fmt::format("{} {} {} ", graph.name, a, b);
  try {
    for (const IValue& v : prepare(graph, parse_plan(plan))->run({IValue(a), IValue(b)}))
      out += describe(v);
  } catch (const Error&) {
    out += "error";
  }
  return out + "\n";
}

// Every function t<N>(a, b) of the golden scripts gives TorchScript's results under both engines.
TEST(Script, RunsAsTorchScriptDoes) {
  std::string folder = std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/script/";
  for (const char* name : {"flow", "tensors"}) {
    std::string expected = read_file(folder + name + ".txt");
    ASSERT_FALSE(expected.empty()) << name;
    Script script = compile_script_file(folder + name + ".py");
    for (const char* plan : {"eager", "vm"}) {
      std::string got;
      for (const auto& g : script.functions) {
        if (g->name[0] != 't' || !std::isdigit(static_cast<unsigned char>(g->name[1]))) continue;
        for (int a = -1; a < 6; ++a) {
          for (int b = 0; b < 3; ++b) got += result_line(*g, plan, a, b);
        }
      }
      EXPECT_EQ(got, expected) << name << " under " << plan;
    }
  }
}

// "t1 0 2 [1, 2]", "t2 0 0 error KeyError".
std::string python_line(const Graph& graph, const char* plan, int a, int b) {
  std::string out = fmt::format("{} {} {} ", graph.name, a, b);
  try {
    for (const IValue& v : prepare(graph, parse_plan(plan))->run({IValue(a), IValue(b)}))
      out += python_repr(v);
  } catch (const Error& e) {
    std::string message = e.what();
    out += "error " + message.substr(0, message.find_first_of(":\n"));
  }
  return out + "\n";
}

// Every function t<N>(a, b) of these scripts gives CPython's results, or its class of error.
TEST(Script, RunsAsPythonDoes) {
  std::string folder = std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/python/";
  for (const char* name : {"arithmetic", "dicts", "lists", "loops", "refinement", "strings"}) {
    std::istringstream expected(read_file(folder + name + ".txt"));
    Script script = compile_script_file(folder + name + ".py");
    EXPECT_EQ(script.errors(), "") << name;
    std::string wanted;
    for (const auto& g : script.functions) {
      if (g->name[0] != 't' || !std::isdigit(static_cast<unsigned char>(g->name[1]))) continue;
      for (int a = -1; a < 6; ++a) {
        for (int b = 0; b < 3; ++b) {
          ASSERT_TRUE(std::getline(expected, wanted)) << g->name;
          for (const char* plan : {"eager", "vm", "vm/o2"})
            EXPECT_EQ(python_line(*g, plan, a, b), wanted + "\n") << name << " under " << plan;
        }
      }
    }
    EXPECT_FALSE(std::getline(expected, wanted)) << name;
  }
}

}  // namespace

TEST(Script, ModulesOfOperators) {
  EXPECT_NE(graph_of("def f(x):\n    return torch.fft.irfft(x)\n").find("aten::fft_irfft("),
            std::string::npos);
  EXPECT_NE(graph_of("def f(x):\n    return torch.fft.fftshift(x)\n").find("aten::fft_fftshift("),
            std::string::npos);
  EXPECT_NE(error_of("def f(x):\n    return torch.fft.relu(x)\n"), "no error");
}

// A shape changed in place is a new value of all names that hold the tensor, where nobody else may
// hold it; else the tensor changes.
TEST(Script, ShapesChangedInPlace) {
  std::string text = graph_of(
      "def f(x):\n    y = x + 1\n    z = y\n    z *= 2\n    y.unsqueeze_(0).t_()\n    return y, "
      "z\n");
  EXPECT_NE(text.find("aten::unsqueeze("), std::string::npos) << text;
  EXPECT_NE(text.find("TupleConstruct(%5, %5)"), std::string::npos) << text;
  text = graph_of(
      "def f(x):\n    y = x + 1\n    y.as_strided_([2, 2], [1, 2])\n    y.tril_()\n    return y\n");
  EXPECT_NE(text.find("aten::as_strided("), std::string::npos) << text;
  EXPECT_NE(text.find("aten::tril_("), std::string::npos) << text;
  const char* const kKeptInPlace[] = {
      "x.unsqueeze_(0)",
      "x.as_strided_([2], [1])",
      "y = x.contiguous()\n    y.t_()",
      "y = x + 1\n    l = [y]\n    y.t_()",
      "y = x + 1\n    for i in range(2):\n        y.unsqueeze_(0)",
      "y = x + 1\n    z = x\n    if n > 1:\n        z = y\n    y.t_()",
      "y = x + 1\n    z = y.contiguous()\n    y.t_()",
      "y = x.float()\n    y.squeeze_()"};
  for (const char* lines : kKeptInPlace) {
    text = graph_of(std::string("def f(x, n: int):\n    ") + lines + "\n    return x\n");
    bool changes = false;
    for (const char* row : {"unsqueeze_(", "as_strided_(", "t_(", "squeeze_("})
      changes = changes || text.find(std::string("aten::") + row) != std::string::npos;
    EXPECT_TRUE(changes) << lines << "\n" << text;
  }
  EXPECT_NE(
      graph_of("def f(x):\n    y = x + 1\n    return torch.cat([y, y.t_()])\n").find("aten::t_("),
      std::string::npos);
  EXPECT_NE(error_of("def f(n: int):\n    n.t_()\n    return n\n").find("'int' has no method 't_'"),
            std::string::npos);
}

}  // namespace fusillade
