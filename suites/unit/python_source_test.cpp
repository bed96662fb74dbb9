// Python generated from graphs: what it says, and that no string of a case becomes code.
#include "fuzz/run/foreign/python_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/error.h"
#include "fuzz/gen/pairs.h"
#include "fuzz/run/foreign/host_side.h"
#include "fuzz/run/foreign/ir_text.h"
#include "fuzz/run/foreign/python_pairs.h"

namespace fusillade::fuzz {
namespace {

std::string python_of(const std::string& ir) {
  return python_source(*without_calls(*parse_graph(ir))).text;
}

TEST(PythonSource, SaysOpsLiteralsAndNames) {
  EXPECT_EQ(python_of(R"(graph(%x : Tensor, %n : int):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=-2]()
  %y : Tensor = aten::add(%x, %x, %one)
  %z : Tensor = aten::add(%y, %x, %two)
  %m : int = aten::mul(%n, %two)
  %l : Tensor[] = prim::ListConstruct(%y, %z)
  %t : (Tensor[], int) = prim::TupleConstruct(%l, %m)
  return (%t)
)"),
            "def program(ops, x0, x1):\n"
            "  v0 = ops.aten.add.Tensor(x0, x0)\n"
            "  v1 = ops.aten.add.Tensor(v0, x0, alpha=(-2))\n"
            "  v2 = ops.scalar.mul(x1, (-2))\n"
            "  v3 = [v0, v1]\n"
            "  v4 = (v3, v2)\n"
            "  return (v4,)\n");
}

TEST(PythonSource, SaysDtypesAndFloatsExactly) {
  std::string text = python_of(R"(graph(%x : Tensor):
  %a : float = prim::Constant[value=0.1]()
  %b : float = prim::Constant[value=-0.]()
  %c : float = prim::Constant[value=inf]()
  %d : float = prim::Constant[value=nan]()
  %six : int = prim::Constant[value=6]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::clamp(%x, %a, %c)
  %z : Tensor = aten::clamp(%y, %b, %d)
  %w : Tensor = aten::zeros_like(%z, %six, %none, %none, %none, %none)
  return (%w)
)");
  EXPECT_NE(text.find("clamp.default(x0, min=0.1, max=float(\"inf\"))"), std::string::npos) << text;
  EXPECT_NE(text.find("clamp.default(v0, min=(-0.0), max=float(\"nan\"))"), std::string::npos)
      << text;
  EXPECT_NE(text.find("zeros_like.default(v1, dtype=ops.dtype(\"float32\"))"), std::string::npos)
      << text;
}

TEST(PythonSource, BranchesAndLoopsAreStatements) {
  EXPECT_EQ(python_of(R"(graph(%x : Tensor, %c : bool, %n : int):
  %true : bool = prim::Constant[value=1]()
  %y : Tensor = prim::If(%c)
    block0():
      %a : Tensor = aten::neg(%x)
      -> (%a)
    block1():
      -> (%x)
  %z : Tensor = prim::Loop(%n, %true, %y)
    block0(%i : int, %carried : Tensor):
      %b : Tensor = aten::abs(%carried)
      -> (%c, %b)
  return (%z)
)"),
            "def program(ops, x0, x1, x2):\n"
            "  if x1:\n"
            "    v1 = ops.aten.neg.default(x0)\n"
            "    v0 = v1\n"
            "  else:\n"
            "    v0 = x0\n"
            "  v2 = v0\n"
            "  c3 = True\n"
            "  for v4 in range(x2):\n"
            "    if not c3: break\n"
            "    v5 = v2\n"
            "    v6 = ops.aten.abs.default(v5)\n"
            "    c3 = x1\n"
            "    v2 = v6\n"
            "  return (v2,)\n");
}

// Names of values and functions come from strangers, and so do strings.
TEST(PythonSource, HostileNamesAndStringsAreNoCode) {
  std::unique_ptr<Graph> graph = parse_graph(R"(graph(%x : Tensor):
  %s : str = prim::Constant[value="a"]()
  %t : (str, Tensor) = prim::TupleConstruct(%s, %x)
  return (%t)
)");
  graph->name = "f():\n  import os; os.system('id')\ndef g";
  graph->inputs()[0]->set_name("x): import os #");
  for (Node* n : graph->block()->nodes()) {
    n->output()->set_name("__import__('os')\n");
    if (n->is(prim::constant()))
      n->set_attr("value", IValue::str("\"\n  import os\\\" # \x01\xff\u2028 {__import__}"));
  }
  std::string text = python_source(*graph).text;
  EXPECT_EQ(
      text,
      "def program(ops, x0):\n"
      "  v0 = (\"\\x22\\x0a  import os\\x5c\\x22 # \\x01\\U0000dcff\\U00002028 {__import__}\", "
      "x0)\n"
      "  return (v0,)\n");
}

TEST(PythonSource, UnpacksTuplesAndConvertsNumbersToTensors) {
  EXPECT_EQ(python_of("graph(%x : Tensor, %n : int, %f : float):\n"
                      "  %p : (Tensor, Tensor) = prim::TupleConstruct(%x, %x)\n"
                      "  %i : int = prim::Constant[value=-1]()\n"
                      "  %y : Tensor = prim::TupleIndex(%p, %i)\n"
                      "  %t : Tensor = prim::NumToTensor(%n)\n"
                      "  %u : Tensor = prim::NumToTensor(%f)\n"
                      "  return (%y, %t, %u)\n"),
            "def program(ops, x0, x1, x2):\n"
            "  v0 = (x0, x0)\n"
            "  v1 = v0[(-1)]\n"
            "  v2 = ops.tensor(\"int64\", [], [x1])\n"
            "  v3 = ops.tensor(\"float64\", [], [x2])\n"
            "  return (v1, v2, v3)\n");
}

// PyTorch's Python API reaches another overload of these.
TEST(PythonSource, PyTorchIsCalledByTheApiWhereThatReachesAnotherOverload) {
  constexpr const char* kIr = R"(graph(%x : Tensor, %f : float):
  %two : float = prim::Constant[value=2.]()
  %one : int = prim::Constant[value=1]()
  %floor : str = prim::Constant[value="floor"]()
  %a : Tensor = aten::div(%x, %two)
  %b : Tensor = aten::div(%x, %f, %floor)
  %c : Tensor = aten::add(%a, %two, %one)
  %d : Tensor = aten::mul_(%c, %two)
  %e : Tensor = aten::remainder(%b, %two)
  %g : Tensor = aten::norm(%x, %two)
  return (%d, %e, %g)
)";
  EXPECT_EQ(python_source(*parse_graph(kIr), PythonOf::TorchWorker).text,
            "def program(ops, x0, x1):\n"
            "  v0 = ops.torch.div(x0, 2.0)\n"
            "  v1 = ops.torch.div(x0, x1, rounding_mode=\"floor\")\n"
            "  v2 = ops.torch.add(v0, 2.0)\n"
            "  v3 = v2.mul_(2.0)\n"
            "  v4 = ops.aten.remainder.Scalar(v1, 2.0)\n"
            "  v5 = ops.torch.norm(x0, p=2.0)\n"
            "  return (v3, v4, v5)\n");
  EXPECT_NE(python_of(kIr).find("ops.aten.div.Scalar(x0, 2.0)"), std::string::npos);
  EXPECT_NE(python_source(*parse_graph(kIr), PythonOf::Operators).text.find("torch.div(x0, 2.0)"),
            std::string::npos);
}

// TorchScript knows of what an empty list is.
TEST(PythonSource, AListThatMayBeEmptyMakesATensorOfItsType) {
  constexpr const char* kIr = R"(graph(%l : int[], %m : bool[], %f : float[], %n : int):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %k : int[] = prim::ListConstruct(%n)
  %e : int[] = prim::ListConstruct()
  %a : Tensor = aten::as_tensor(%l, %none, %none)
  %b : Tensor = aten::tensor(%m, %none, %none, %no)
  %c : Tensor = aten::as_tensor(%f, %none, %none)
  %d : Tensor = aten::as_tensor(%k, %none, %none)
  %g : Tensor = aten::as_tensor(%e, %none, %none)
  return (%a, %b, %c, %d, %g)
)";
  const std::string text = python_source(*parse_graph(kIr), PythonOf::TorchWorker).text;
  for (const char* call :
       {"as_tensor(x0, dtype=ops.dtype(\"int64\"))", "tensor(x1, dtype=ops.dtype(\"bool\"))",
        "as_tensor(x2)\n", "as_tensor(v0)\n", "as_tensor(v1, dtype=ops.dtype(\"int64\"))"})
    EXPECT_NE(text.find(call), std::string::npos) << call << "\n" << text;
}

// Operators on pairs are the operators of complex tensors whose place they take.
TEST(PythonSource, PairsAreComplexTensorsInPython) {
  constexpr const char* kIr = R"(graph(%x : Tensor, %r : Tensor, %l : Tensor[]):
  %two : float = prim::Constant[value=2.]()
  %dim : int = prim::Constant[value=-1]()
  %none : NoneType = prim::Constant()
  %sizes : int[] = prim::Constant[value=[3]]()
  %double : int = prim::Constant[value=7]()
  %a : Tensor = prim::complex_mul(%x, %two)
  %b : Tensor = prim::complex_fft_rfft(%r, %none, %dim, %none)
  %of : Tensor = prim::complex_of(%r)
  %c : Tensor = prim::complex_mul_(%a, %of)
  %n : int = prim::complex_size(%c, %dim)
  %size : Tensor = prim::complex_abs(%b)
  %parts : Tensor[] = prim::complex_chunk(%c, %n, %dim)
  %all : Tensor = prim::complex_cat(%l, %dim)
  %d : Tensor = prim::complex_conj(%all)
  %z : Tensor = prim::complex_zeros(%sizes, %double, %none, %none, %none)
  return (%size, %parts, %d, %z)
)";
  EXPECT_EQ(python_source(*parse_graph(kIr), PythonOf::People).text,
            R"(def f(x0, x1, x2: list[torch.Tensor]):
    v0 = torch.view_as_real(torch.mul(torch.view_as_complex(x0), 2.0))
    v1 = torch.view_as_real(torch.fft.rfft(x1))
    v2 = torch.view_as_real(torch.add(x1, -0j))
    v3 = torch.view_as_real(torch.view_as_complex(v0).mul_(torch.view_as_complex(v2)))
    v4 = torch.view_as_complex(v3).size((-1))
    v5 = torch.abs(torch.view_as_complex(v1))
    v6 = [torch.view_as_real(c) for c in torch.chunk(torch.view_as_complex(v3), v4, dim=(-1))]
    v7 = torch.view_as_real(torch.cat([torch.view_as_complex(c) for c in x2], dim=(-1)))
    v8 = torch.view_as_real(torch.resolve_conj(torch.conj(torch.view_as_complex(v7))))
    v9 = torch.view_as_real(torch.zeros([3], dtype=torch.complex128))
    return (v5, v6, v8, v9)
)");
  const PythonSource source = python_source(*parse_graph(kIr), PythonOf::TorchWorker);
  EXPECT_NE(source.text.find("  v0 = ops.aten.view_as_real.default(ops.torch.mul("
                             "ops.aten.view_as_complex.default(x0), 2.0))\n"),
            std::string::npos)
      << source.text;
  EXPECT_NE(
      source.text.find("  v4 = ops.scalar.size(ops.aten.view_as_complex.default(v3), (-1))\n"),
      std::string::npos)
      << source.text;
  EXPECT_NE(std::ranges::find(source.ops, "aten.fft_rfft.default"), source.ops.end());
}

TEST(PythonSource, EveryOperatorOnPairsHasPython) {
  for (const Operator& op : OperatorTable::instance()) {
    if (!of_pairs(op) || op.name == "prim::complex_of") continue;
    const Operator& written = written_operator(op);
    ASSERT_NE(&written, &op) << op.name << " takes the place of no operator";
    ASSERT_EQ(written.schema.args.size(), op.schema.args.size()) << op.name;
    for (size_t i = 0; i < op.schema.args.size(); ++i)
      EXPECT_EQ(written_name(op, op.schema.args[i]), written.schema.args[i].name) << op.name;
  }
}

TEST(HostSide, WhatIsKnownIsEvaluatedAndTextsAreShort) {
  std::unique_ptr<Graph> graph = parse_graph(R"(graph(%x : Tensor):
  %form : str = prim::Constant[value="{} dims"]()
  %mode : str = prim::Constant[value="Mean"]()
  %mean : str = prim::Constant[value="mean"]()
  %none : NoneType = prim::Constant()
  %low : str = aten::lower(%mode)
  %is : bool = aten::eq(%low, %mean)
  %y : Tensor = prim::If(%is)
    block0():
      %n : int = aten::dim(%x)
      %one : int = prim::Constant[value=1]()
      %bad : bool = aten::eq(%n, %one)
      prim::If(%bad)
        block0():
          %text : str = aten::format(%form, %n)
          prim::RaiseException(%text, %none)
          -> ()
        block1():
          -> ()
      %a : Tensor = aten::abs(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::neg(%x)
      -> (%b)
  prim::Print(%low, %y)
  return (%y)
)");
  evaluate_host_side(*graph);
  EXPECT_EQ(python_source(*graph).text,
            "def program(ops, x0):\n"
            "  v0 = ops.scalar.dim(x0)\n"
            "  v1 = ops.scalar.eq(v0, 1)\n"
            "  if v1:\n"
            "    raise RuntimeError(\"{} dims\")\n"
            "    pass\n"
            "  else:\n"
            "    pass\n"
            "  v2 = ops.aten.abs.default(x0)\n"
            "  return (v2,)\n");
}

constexpr const char* kDTypeOfAnother = R"(graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %d : int = prim::dtype(%x)
  %y : Tensor = aten::zeros_like(%x, %d, %none, %none, %none, %none)
  return (%y)
)";

TEST(PythonSource, DtypesThatAreComputedAreNumbersToWorkers) {
  EXPECT_EQ(python_of(kDTypeOfAnother),
            "def program(ops, x0):\n"
            "  v0 = ops.scalar.dtype(x0)\n"
            "  v1 = ops.aten.zeros_like.default(x0, dtype=ops.dtype_of_code(v0))\n"
            "  return (v1,)\n");
  EXPECT_EQ(python_source(*parse_graph(kDTypeOfAnother), PythonOf::People).text,
            "def f(x0): return torch.zeros_like(x0, dtype=x0.dtype)\n");
}

TEST(PythonSource, DtypesAreNoNumbersToPyTorch) {
  for (const char* ir : {"graph(%x : Tensor):\n"
                         "  %d : int = prim::dtype(%x)\n"
                         "  return (%d)\n",
                         "graph(%x : Tensor, %d : int):\n"
                         "  %none : NoneType = prim::Constant()\n"
                         "  %y : Tensor = aten::zeros_like(%x, %d, %none, %none, %none, %none)\n"
                         "  return (%y)\n"})
    EXPECT_THROW(python_source(*parse_graph(ir), PythonOf::Operators), Unsupported) << ir;
}

TEST(PythonSource, ListsAndDictsArePythons) {
  EXPECT_EQ(python_of(R"(graph(%x : Tensor, %k : str, %n : int):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %d : Dict(str, Tensor) = prim::DictConstruct(%k, %x)
  %there : bool = aten::__contains__(%d, %k)
  %y : Tensor = aten::__getitem__(%d, %k)
  aten::_set_item(%d, %k, %y)
  %found : Tensor? = aten::get(%d, %k)
  %is : bool = aten::__isnot__(%found, %none)
  %l : Tensor[] = aten::values(%d)
  %more : Tensor[] = aten::append(%l, %x)
  %part : Tensor[] = aten::slice(%more, %n, %none, %one)
  %z : Tensor = aten::__getitem__(%part, %n)
  %p : Tensor = aten::pop(%d, %k)
  aten::Delete(%l, %n)
  %size : int = aten::len(%d)
  %grown : Tensor[] = aten::add_(%l, %part)
  return (%z, %p, %there, %is, %size)
)"),
            "def program(ops, x0, x1, x2):\n"
            "  v0 = {x1: x0}\n"
            "  v1 = (x1 in v0)\n"
            "  v2 = v0[x1]\n"
            "  v0[x1] = v2\n"
            "  v3 = v0.get(x1)\n"
            "  v4 = (v3 is not None)\n"
            "  v5 = list(v0.values())\n"
            "  v5.append(x0)\n"
            "  v6 = v5\n"
            "  v7 = v6[x2:None:1]\n"
            "  v8 = v7[x2]\n"
            "  v9 = v0.pop(x1)\n"
            "  del v5[x2]\n"
            "  v10 = ops.scalar.len(v0)\n"
            "  v5.extend(v7)\n"
            "  v11 = v5\n"
            "  return (v8, v9, v1, v4, v10)\n");
}

TEST(PythonSource, RaisesWhatPythonHas) {
  EXPECT_EQ(python_of(R"(graph(%x : Tensor, %c : bool, %why : str):
  %value : str = prim::Constant[value="builtins.ValueError"]()
  %other : str = prim::Constant[value="os.system"]()
  %y : Tensor = prim::If(%c)
    block0():
      prim::RaiseException(%why, %value)
      %never : Tensor = prim::Uninitialized()
      -> (%never)
    block1():
      prim::RaiseException(%why, %other)
      -> (%x)
  return (%y)
)"),
            "def program(ops, x0, x1, x2):\n"
            "  if x1:\n"
            "    raise ValueError(x2)\n"
            "    v1 = None\n"
            "    v0 = v1\n"
            "  else:\n"
            "    raise RuntimeError(x2)\n"
            "    v0 = x0\n"
            "  return (v0,)\n");
}

// NaN is a key of its own to one and not to the other; tensors are keys by identity.
TEST(PythonSource, DeclinesDictsOfOtherKeys) {
  for (const char* key : {"float", "Tensor"})
    EXPECT_THROW(python_of(fmt::format("graph(%k : {0}, %v : int):\n"
                                       "  %d : Dict({0}, int) = prim::DictConstruct(%k, %v)\n"
                                       "  return (%v)\n",
                                       key)),
                 Unsupported)
        << key;
}

TEST(IrText, HasOneResultAndNoConstantThatPyTorchMisreads) {
  EXPECT_EQ(ir_text(*parse_graph(R"(graph(%x : Tensor):
  %l : int[] = prim::Constant[value=[]]()
  %f : float = prim::Constant[value=inf]()
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = aten::amax(%x, %l, %no)
  return (%y, %f)
)")),
            R"(graph(%x : Tensor):
  %0 : int[] = prim::ListConstruct()
  %1 : float = prim::Constant[value=1.]()
  %2 : float = prim::Constant[value=0.]()
  %3 : float = aten::div(%1, %2)
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = aten::amax(%x, %0, %no)
  %4 : (Tensor, float) = prim::TupleConstruct(%y, %3)
  return (%4)
)");
}

}  // namespace
}  // namespace fusillade::fuzz
