// Reductions, orders and scans of ONNX. (law: rules name ops)
#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

using Ints = std::vector<int64_t>;

struct Axes {
  Ints dims;
  bool keep = true;
  bool nothing = false;  // the input is the result
};

Axes axes_of(Reading& r, const Term& x) {
  Axes out;
  out.keep = r.integer("keepdims", 1) != 0;
  if (r.has(1)) out.dims = r.ints(1);
  else out.dims = r.integers("axes").value_or(Ints{});
  for (int64_t& d : out.dims) d = axis_of(d, x.rank());
  out.nothing = out.dims.empty() && r.integer("noop_with_empty_axes", 0) != 0;
  if (out.dims.empty())
    for (int d = 0; d < x.rank(); ++d) out.dims.push_back(d);
  return out;
}

Term sum(Reading& r, const Term& x, const Axes& axes) {
  if (axes.nothing || (axes.dims.empty() && x.rank() == 0)) return x;
  return r.call("aten::sum.dim_IntList", {x, axes.dims, axes.keep, x.dtype()});
}

Term product(Reading& r, Term x, Axes axes) {
  if (axes.nothing) return x;
  std::sort(axes.dims.rbegin(), axes.dims.rend());
  for (const int64_t d : axes.dims) x = r.call("aten::prod.dim_int", {x, d, axes.keep, x.dtype()});
  return x;
}

Term mean(Reading& r, const Term& x, const Axes& axes) {
  if (axes.nothing) return x;
  if (is_float(x.dtype())) return r.call("aten::mean.dim", {x, axes.dims, axes.keep, std::nullopt});
  Count n = 1;
  for (const int64_t d : axes.dims)
    n = r.build().arithmetic("mul", n, r.build().size(x, static_cast<int>(d)));
  return r.call("aten::div.Scalar_mode", {sum(r, x, axes), n, "trunc"});
}

Term extreme(Reading& r, const Term& x, const Axes& axes, const char* name) {
  if (axes.nothing) return x;
  return r.call(name, {x, axes.dims, axes.keep});
}

void reduce(Reading& r) {
  const Term x = r.tensor(0);
  const Axes axes = axes_of(r, x);
  const std::string& op = r.op();
  const auto squares = [&] { return r.call("aten::mul.Tensor", {x, x}); };
  const auto root = [&](const Term& of) { return r.call("aten::sqrt", {of}); };
  if (op == "ReduceSum") return r.give(sum(r, x, axes));
  if (op == "ReduceMean") return r.give(mean(r, x, axes));
  if (op == "ReduceProd") return r.give(product(r, x, axes));
  if (op == "ReduceMax") return r.give(extreme(r, x, axes, "aten::amax"));
  if (op == "ReduceMin") return r.give(extreme(r, x, axes, "aten::amin"));
  if (op == "ReduceL1") return r.give(sum(r, r.call("aten::abs", {x}), axes));
  if (op == "ReduceSumSquare") return r.give(sum(r, squares(), axes));
  if (op == "ReduceL2") return r.give(root(sum(r, squares(), axes)));
  if (op == "ReduceLogSum") return r.give(r.call("aten::log", {sum(r, x, axes)}));
  if (axes.nothing) return r.give(x);
  r.give(r.call("aten::logsumexp", {x, axes.dims, axes.keep}));
}

// The first of equal ones, or the last.
void arg_extreme(Reading& r) {
  Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", 0), x.rank());
  const bool keep = r.integer("keepdims", 1) != 0, last = r.integer("select_last_index", 0) != 0;
  const char* name = r.op() == "ArgMax" ? "aten::argmax" : "aten::argmin";
  if (!last) return r.give(r.call(name, {x, axis, keep}));
  const Count n = r.build().arithmetic("sub", r.build().size(x, static_cast<int>(axis)), 1);
  x = r.call("aten::flip", {x, Ints{axis}});
  r.give(r.call("aten::rsub.Scalar", {r.call(name, {x, axis, keep}), n, 1}));
}

void softmax(Reading& r) {
  const Term x = r.tensor(0);
  const char* name = r.op() == "Softmax" ? "aten::softmax.int" : "aten::log_softmax.int";
  r.give(r.call(name, {x, axis_of(r.integer("axis", -1), x.rank()), std::nullopt}));
}

void hardmax(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", -1), x.rank());
  const Term at = r.call("aten::argmax", {x, axis, true});
  Counts sizes(static_cast<size_t>(x.rank()), 1);
  const Count n = r.build().size(x, static_cast<int>(axis));
  sizes[static_cast<size_t>(axis)] = n;
  const Term places = r.call("aten::reshape", {r.call("aten::arange", {n, DType::I64}), sizes});
  r.give(r.call("aten::to.dtype", {r.call("aten::eq.Tensor", {at, places}), x.dtype()}));
}

void top_k(Reading& r) {
  const Term x = r.tensor(0);
  const Count k = r.count(1);
  const int64_t axis = axis_of(r.integer("axis", -1), x.rank());
  const bool largest = r.integer("largest", 1) != 0, sorted = r.integer("sorted", 1) != 0;
  for (Term& out : r.build().call_all("aten::topk", {x, k, axis, largest, sorted}))
    r.give(std::move(out));
}

// Backwards: turned around before and after. Exclusive: without the element itself.
void cumulate(Reading& r) {
  Term x = r.tensor(0);
  const int64_t axis = axis_of(r.number(1), x.rank());
  const bool backwards = r.integer("reverse", 0) != 0, exclusive = r.integer("exclusive", 0) != 0;
  const bool sums = r.op() == "CumSum";
  const DType dtype = x.dtype();
  if (backwards) x = r.call("aten::flip", {x, Ints{axis}});
  if (exclusive) {
    const Count n = r.build().arithmetic("sub", r.build().size(x, static_cast<int>(axis)), 1);
    const Term first = r.call("aten::slice.Tensor", {x, axis, 0, 1, 1});
    const Term unit = r.call(sums ? "aten::zeros_like" : "aten::ones_like", {first});
    const Term rest = r.call("aten::slice.Tensor", {x, axis, 0, n, 1});
    x = r.call("aten::cat", {std::vector<Term>{unit, rest}, axis});
  }
  x = r.call(sums ? "aten::cumsum" : "aten::cumprod", {x, axis, dtype});
  if (backwards) x = r.call("aten::flip", {x, Ints{axis}});
  r.give(x);
}

void non_zero(Reading& r) { r.give(r.call("aten::t", {r.call("aten::nonzero", {r.tensor(0)})})); }

const Rows kRegistered{{"ReduceSum", 13, reduce, fold_reduce},
                       {"ReduceMean", 13, reduce},
                       {"ReduceProd", 13, reduce, fold_reduce},
                       {"ReduceMax", 13, reduce},
                       {"ReduceMin", 13, reduce},
                       {"ReduceL1", 13, reduce},
                       {"ReduceL2", 13, reduce},
                       {"ReduceSumSquare", 13, reduce},
                       {"ReduceLogSum", 13, reduce},
                       {"ReduceLogSumExp", 13, reduce},
                       {"ArgMax", 13, arg_extreme},
                       {"ArgMin", 13, arg_extreme},
                       {"Softmax", 13, softmax},
                       {"LogSoftmax", 13, softmax},
                       {"Hardmax", 13, hardmax},
                       {"TopK", 11, top_k},
                       {"CumSum", 11, cumulate},
                       {"CumProd", 26, cumulate},
                       {"NonZero", 13, non_zero}};

}  // namespace
}  // namespace fusillade::onnx
