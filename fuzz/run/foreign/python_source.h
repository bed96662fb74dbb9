// A graph as Python that any engine can run who implements its ops; what workers are handed.
//
//   def program(ops, x0, x1):
//     v0 = ops.aten.add.Tensor(x0, x1, alpha=2)
//     v1 = ops.aten.sum.dim_IntList(v0, [0], dtype=ops.dtype("float64"))
//     v2 = ops.scalar.mul(x1, 2)
//     return (v1, v2)
//
// Made from the graph alone: names are counted, ops are those of the table of operators with their
// overloads, literals are printed here; arguments that have a default are named. No string of a
// case becomes code.
//
// Arithmetic of plain ints, floats and bools, and what asks tensors for such (`size`, `dim`), are
// calls of `ops.scalar`, with the overload in the name for other types (`Float_Tensor`); branches
// and loops are statements, lists and dicts Python's own. A dtype that is computed is a number, as
// in IR: `ops.scalar.dtype(x0)`, used as `ops.dtype_of_code(v0)`. Not said: objects, calls
// that are not inlined.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

struct PythonSource {
  std::string text;
  std::vector<std::string> ops;  // "aten.add.Tensor", "scalar.add": sorted, each once
};

// Whose names the text has: those that workers are handed; the same for PyTorch's worker; PyTorch's
// operators, with their overloads; or what people write for PyTorch: its functions and methods,
// what is used once where it is used.
//
// An operator that PyTorch's Python API reaches by another overload than ours is written as a call
// of that API for PyTorch's worker and among operators, so that its dispatcher meets what people's
// programs give it:
//
//   aten::div.Scalar(x, 2.)    ->   ops.torch.div(x0, 2.0)      torch.div(x0, 2.0)
//   aten::div_.Scalar(x, 2.)   ->   x0.div_(2.0)                x0.div_(2.0)
enum class PythonOf : uint8_t { Workers, TorchWorker, Operators, People };
// Throws Unsupported naming what there is no Python for.
PythonSource python_source(const Graph& graph, PythonOf names = PythonOf::Workers);
// What an operator is called there.
std::string python_op(const Operator& op);
// The program with its calls inlined, as workers receive it.
std::unique_ptr<Graph> without_calls(const Graph& graph);
// "float32", as Python libraries say it; and back, where there is one of that name.
std::string python_name(DType dtype);
std::optional<DType> dtype_of_python(const std::string& name);

}  // namespace fusillade::fuzz
