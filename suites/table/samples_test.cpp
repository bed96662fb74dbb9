// Every operator against PyTorch 1.13.1: the literal calls of samples/*.txt, which make_samples.py
// took from it. The grammar is at the head of that script.
//
// A result equals the expected one bit by bit, or lies within the tolerance its line states; NaN is
// NaN. In-place operators must also leave the result in their first argument.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "engine/ir/composite.h"
#include "engine/ops/device.h"
#include "engine/ops/entry.h"
#include "engine/ops/infer.h"
#include "engine/run/plan.h"
#include "suites/table/sample_line.h"

namespace fusillade {
namespace {

using table::parse_sample;
using table::Sample;

// How operators that take complex tensors as pairs begin.
constexpr std::string_view kOfPairs = "prim::complex_";

// The distance between neighbours of `dtype` at |x|.
double ulp(DType dtype, double x) {
  int bits = row_of(dtype).significand;
  int least = dtype == DType::F64 ? -1022 : dtype == DType::F16 ? -14 : -126;
  int exponent = std::isfinite(x) && x != 0 ? std::ilogb(x) : least;
  return std::ldexp(1.0, std::max(exponent, least) - bits + 1);
}

bool is_close(const Sample& s, DType dtype, double expected, double actual) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (s.exact) return expected == actual && std::signbit(expected) == std::signbit(actual);
  if (!std::isfinite(expected) || !std::isfinite(actual)) return expected == actual;
  bool narrow = dtype == DType::F16 || dtype == DType::BF16;
  double tolerance = s.bound >= 0 ? s.bound : (narrow ? 1 : 4) * ulp(dtype, expected);
  return std::fabs(expected - actual) <= tolerance;
}

// Empty when they agree.
std::string difference(const Sample& s, const IValue& expected, const IValue& actual) {
  if (expected.tag() == IValue::Tag::List && actual.tag() == IValue::Tag::List) {
    if (expected.items().size() != actual.items().size()) return "lists of different length";
    for (size_t i = 0; i < expected.items().size(); ++i) {
      std::string d = difference(s, expected.items()[i], actual.items()[i]);
      if (!d.empty()) return fmt::format("item {}: {}", i, d);
    }
    return "";
  }
  if (!expected.is_tensor() || !actual.is_tensor()) {
    if (expected.is_float() && std::isnan(expected.as_double()) && std::isnan(actual.as_double()))
      return "";
    return expected.identical(actual) ? "" : describe(actual) + " is not " + describe(expected);
  }
  Tensor e = expected.as_tensor();
  Tensor a = actual.as_tensor();
  if (describe(e) != describe(a)) return describe(a) + " is not " + describe(e);
  for (int64_t i = 0; i < e.numel(); ++i) {
    if (!is_float(e.dtype())) {
      if (element_as_int(e, i) == element_as_int(a, i)) continue;
      return fmt::format("element {}: {}, not {}", i, element_as_int(a, i), element_as_int(e, i));
    }
    double x = element_as_double(e, i);
    double y = element_as_double(a, i);
    if (!is_close(s, e.dtype(), x, y))
      return fmt::format("element {}: {} ({:a}), not {} ({:a})", i, y, y, x, x);
  }
  return "";
}

// The arguments with those left out, from the schema.
std::vector<IValue> with_defaults(const Operator& r, const std::vector<IValue>& args) {
  std::vector<IValue> all = args;
  for (size_t i = all.size(); i < r.schema.args.size(); ++i) {
    all.push_back(r.schema.args[i].default_value);
  }
  return all;
}

// Calls the operator; a composite's body is run by the reference executor.
std::vector<IValue> call_operator(const Operator& r, const std::vector<IValue>& args) {
  if (r.run) return call(r, args);
  std::vector<IValue> all = with_defaults(r, args);
  std::vector<Type> types;
  r.infer(r, infos_of(all), types);  // raises on illegal arguments
  return prepare(composite_body(r), parse_plan("eager"))->run(all);
}

// Runs the sample; empty when the operator agrees with it.
std::string disagreement(const Sample& s) {
  const Operator& r = operator_named(s.op);
  std::vector<IValue> results;
  try {
    results = call_operator(r, s.args);
  } catch (const Error& e) {
    return s.error ? "" : std::string("raises ") + e.what();
  }
  if (s.error) return "does not raise; gives " + describe(results.empty() ? IValue() : results[0]);
  if (results.size() != s.results.size()) return fmt::format("{} results", results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    std::string d = difference(s, s.results[i], results[i]);
    if (!d.empty()) return d;
  }
  return r.in_place ? difference(s, s.results[0], s.args[0]) : "";
}

// The same values, every second element of a larger tensor.
IValue with_gaps(const IValue& v) {
  if (!v.is_tensor() || v.as_tensor().rank() == 0) return v;
  Tensor t = v.as_tensor();
  Dims sizes = t.sizes();
  Dims strides = t.strides();
  for (int d = 0; d < t.rank(); ++d) strides[d] *= 2;
  Tensor base = Tensor::empty({2 * t.numel() + 1}, t.dtype());
  Tensor out = Tensor::view_of(base, 1, sizes, strides);
  copy_into(out, t);
  return IValue(out);
}

bool holds_mask(const IValue& v) {
  if (v.is_tensor())
    return v.as_tensor().dtype() == DType::Bool || v.as_tensor().dtype() == DType::U8;
  return v.tag() == IValue::Tag::List &&
         std::any_of(v.items().begin(), v.items().end(), holds_mask);
}

// Do values of this call decide sizes: masks among the indices, or a body marked "values", the
// number of classes?
bool dynamic_sizes(const Operator& r, const std::vector<IValue>& args) {
  if (r.name == "prim::complex_nonzero") return true;
  if (r.name.starts_with(kOfPairs)) return std::any_of(args.begin(), args.end(), holds_mask);
  if (std::count(r.roles.begin(), r.roles.end(), Role::Indices) == 0) return false;
  return r.kind == OpKind::Composite || r.name == "aten::one_hot" ||
         std::any_of(args.begin(), args.end(), holds_mask);
}

// Its result may need a gradient, though no value here does.
bool asks_for_gradient(const Operator& r) {
  return std::any_of(r.schema.args.begin(), r.schema.args.end(),
                     [](const SchemaArg& a) { return a.name == "requires_grad"; });
}

// What inference says of the results; empty when it is what came out. A call that raises may infer
// anything.
std::string misprediction(const Sample& s) {
  const Operator& r = operator_named(s.op);
  if (s.error || !r.infer) return "";
  std::vector<IValue> all = with_defaults(r, s.args);
  std::vector<Type> types;
  infer_results(r, infos_of(all), types);
  std::vector<IValue> results = call_operator(r, s.args);
  if (types.size() != results.size()) return fmt::format("{} types", types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (!types[i].is_tensor() || !results[i].is_tensor()) continue;
    Type actual = results[i].type();
    if (asks_for_gradient(r)) actual.info().requires_grad = types[i].info().requires_grad;
    if (types[i].info().complete() && types[i] == actual) continue;
    const TensorInfo& inferred = types[i].info();
    bool dynamic = dynamic_sizes(r, s.args) && !inferred.complete() &&
                   (!inferred.rank_known || inferred.sizes.rank() == results[i].as_tensor().rank());
    if (dynamic && types[i].info().has_dtype &&
        types[i].info().dtype == results[i].as_tensor().dtype())
      continue;
    return types[i].text() + " is not " + results[i].type().text();
  }
  return "";
}

// Operand `o` of a plan as a tensor of the result's sizes in the compute dtype.
Tensor operand_of(const PointwisePlan& plan, const PointwisePlan::Operand& o,
                  std::span<const IValue> args, const Dims& sizes) {
  Tensor out = Tensor::empty(sizes, plan.compute);
  const IValue& v = o.arg < 0 ? o.literal : args[static_cast<size_t>(o.arg)];
  if (v.is_tensor()) {
    copy_into(out, v.as_tensor());
  } else {
    for (int64_t i = 0; i < out.numel(); ++i) set_element(out, i, v.as_double());
  }
  return out;
}

Bounded point(double v) {
  Bounded b = Bounded::exact(v);
  if (v != v) b.must_nan = b.may_nan = true;
  return b;
}

// Does the interval of legal results of each element hold ours? Empty when it does, or when the
// operator computes on integers. (PyTorch's need not: it rounds inside some bf16 formulas, and has
// other algorithms for some.)
std::string illegality(const Sample& s) {
  const Operator& r = operator_named(s.op);
  if (s.error || r.kind != OpKind::Pointwise || r.in_place) return "";
  std::vector<IValue> all = with_defaults(r, s.args);
  PointwisePlan plan = r.pointwise(r, infos_of(all));
  if (!is_float(plan.compute)) return "";
  Tensor ours = call(r, s.args)[0].as_tensor();
  std::vector<Tensor> operands;
  for (const auto& o : plan.operands) operands.push_back(operand_of(plan, o, all, ours.sizes()));
  Precision precision(compute_of(plan.compute));
  for (int64_t i = 0; i < ours.numel(); ++i) {
    Bounded in[4];
    const Bounded* pointers[4] = {&in[0], &in[1], &in[2], &in[3]};
    for (size_t k = 0; k < operands.size(); ++k) in[k] = point(element_as_double(operands[k], i));
    Bounded legal;
    plan.formula->bounded(pointers, &legal, 1);
    if (is_float(plan.result)) legal = round_to(legal, plan.result);
    double v = element_as_double(ours, i);
    if (admits(legal, v)) continue;
    return fmt::format("element {}: {:a} is not in [{:a}, {:a}], nan {} {}", i, v, legal.lo,
                       legal.hi, legal.may_nan, legal.must_nan);
  }
  return "";
}

constexpr std::string_view kSchema = "schema ";

// The sample lines, or the schemas without their keyword.
template <class F>
void for_each_line(F f, bool schemas = false) {
  for (const std::string& file : table::sample_files("samples")) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (line.starts_with(kSchema) != schemas) continue;
      f(schemas ? line.substr(kSchema.size()) : line);
    }
  }
}

TEST(Samples, EveryCallAgreesWithPyTorch) {
  int calls = 0;
  for_each_line([&](const std::string& line) {
    ++calls;
    std::string problem;
    try {
      problem = disagreement(parse_sample(line));
    } catch (const Exception& e) {
      problem = e.what();
    }
    EXPECT_TRUE(problem.empty()) << line.substr(0, 600) << "\n  " << problem;
  });
  EXPECT_GT(calls, 3000);
}

TEST(Samples, StridesDoNotMatter) {
  int calls = 0;
  for_each_line([&](const std::string& line) {
    Sample s = parse_sample(line);
    const Operator* r = find_operator(s.op);
    if (!r || r->metadata || r->kind == OpKind::View || r->kind == OpKind::Opaque) return;
    for (IValue& v : s.args) v = with_gaps(v);
    std::string problem = disagreement(s);
    EXPECT_TRUE(problem.empty()) << line.substr(0, 600) << "\n  " << problem;
    ++calls;
  });
  EXPECT_GT(calls, 3000);
}

TEST(Samples, BoundsHoldResults) {
  for_each_line([&](const std::string& line) {
    Sample s = parse_sample(line);
    if (!find_operator(s.op)) return;
    std::string problem = illegality(s);
    EXPECT_TRUE(problem.empty()) << line.substr(0, 600) << "\n  " << problem;
  });
}

TEST(Samples, InferencePredictsResults) {
  for_each_line([&](const std::string& line) {
    Sample s = parse_sample(line);
    if (!find_operator(s.op)) return;
    std::string problem = misprediction(s);
    EXPECT_TRUE(problem.empty()) << line.substr(0, 600) << "\n  " << problem;
  });
}

TEST(Samples, SchemasAreATens) {
  int schemas = 0;
  for_each_line(
      [&](const std::string& text) {
        ++schemas;
        Schema expected = parse_schema(text);
        const Operator* r = find_operator(expected.full_name());
        EXPECT_TRUE(r) << "there is no operator for " << text;
        if (r) EXPECT_EQ(r->schema.text(), expected.text());
      },
      true);
  EXPECT_GT(schemas, 300);
}

// Left out are random numbers, operators on lists, dicts and strings, whose oracle is Python
// itself, and those named here.
bool asks_pytorch(const Operator& r) {
  static const std::set<std::string> kOthers{
      // Operators that 1.13.1 does not have.
      "aten::Int.int", "aten::log2.float", "aten::log2.int", "aten::bitwise_not.int",
      "aten::div.float_int", "aten::div.int_float", "prim::complex_stft.aligned",
      "prim::complex_of",  // no operator of PyTorch: gives each real number a zero imaginary part
      "prim::complex_dot", "prim::complex_vdot",  // Debian's BLAS answers 0
      "aten::pow.int_to_int",  // an int here as in Python; 1.13.1 gives a float in spite of its
                               // schema
      "aten::hash.generic",    // a number that differs from one implementation to the next
      "aten::eq.enum",
      "aten::ne.enum",  // take members of a class, which no line of samples can write
      "aten::eq.device", "aten::ne.device",  // take a Device, which no line of samples can write
      "aten::linalg_svd", "aten::svd", "aten::linalg_eigh",  // their vectors are unique up to signs
      // What a tape answers (suites/unit/autograd_test.cpp).
      "aten::backward", "aten::backward.TensorList", "aten::_backward", "aten::grad",
      "aten::retain_grad", "aten::retains_grad"};
  // Families of operators that 1.13.1 does not have; suites/external/pytorch asks 2.13 of them.
  static const std::set<std::string> kToday{"aten::alias_copy",
                                            "aten::expand_copy",
                                            "aten::permute_copy",
                                            "aten::transpose_copy.int",
                                            "aten::t_copy",
                                            "aten::view_copy",
                                            "aten::squeeze_copy",
                                            "aten::squeeze_copy.dim",
                                            "aten::unsqueeze_copy",
                                            "aten::diagonal_copy",
                                            "aten::detach_copy",
                                            "aten::select_copy.int",
                                            "aten::slice_copy.Tensor",
                                            "aten::unfold_copy",
                                            "aten::as_strided_copy",
                                            "aten::unbind_copy.int",
                                            "aten::split_copy.Tensor",
                                            "aten::split_with_sizes_copy"};
  if (line_of(r.name, LineKind::Since) || kToday.count(r.name)) return false;
  bool python = false;
  for (const SchemaArg& a : r.schema.args) {
    bool scalar_list =
        a.type.is(TypeKind::List) && !a.type.element().is_tensor() && r.kind == OpKind::Scalar;
    python = python || scalar_list || a.type.is(TypeKind::Str) || a.type.is(TypeKind::Dict);
  }
  return (r.name.starts_with("aten::") || r.name.starts_with(kOfPairs)) && !r.nondeterministic &&
         !python && !kOthers.count(r.name);
}

// The operator whose samples are used: for names of complex tensors, the one on pairs that replaces
// them before anything runs.
std::string sample_name(const Operator& r) {
  return r.family == std::string_view("complex") ? std::string(kOfPairs) + r.name.substr(6)
                                                 : r.name;
}

TEST(Samples, EveryOperatorHasOne) {
  std::set<std::string> seen;
  for_each_line([&](const std::string& line) { seen.insert(line.substr(0, line.find('|'))); });
  for (const Operator& r : OperatorTable::instance()) {
    if (!asks_pytorch(r)) continue;
    EXPECT_TRUE(seen.count(sample_name(r)))
        << sample_name(r) << " has no sample; add it to make_samples.py";
  }
}

TEST(Samples, WrongExpectationsAreSeen) {
  auto problem = [](const std::string& line) { return disagreement(parse_sample(line)); };
  EXPECT_EQ(problem("aten::neg| f32[2]{0x1p+0,0x0p+0} => f32[2]{-0x1p+0,-0x0p+0}"), "");
  EXPECT_NE(problem("aten::neg| f32[2]{0x1p+0,0x0p+0} => f32[2]{-0x1p+0,0x0p+0}"), "");
  EXPECT_NE(problem("aten::neg| f32[1]{0x1p+0} => f32[1]{-0x1.000002p+0}"), "");
  EXPECT_NE(problem("aten::neg| f32[1]{0x1p+0} => f64[1]{-0x1p+0}"), "");
  EXPECT_NE(problem("aten::neg| f32[1]{0x1p+0} => f32[1, 1]{-0x1p+0}"), "");
  EXPECT_NE(problem("aten::neg| f32[1]{nan} => f32[1]{-0x1p+0}"), "");
  EXPECT_NE(problem("aten::neg| f32[1]{0x1p+0} => error"), "");
  EXPECT_NE(problem("aten::neg| bool[1]{1} => bool[1]{1}"), "");
  EXPECT_NE(problem("aten::add.Tensor| i32[1]{1}, i32[1]{2}, 2 => i32[1]{4}"), "");
  EXPECT_EQ(problem("aten::exp| f32[1]{0x0p+0} ~> f32[1]{0x1.000008p+0}"), "");
  EXPECT_NE(problem("aten::exp| f32[1]{0x0p+0} ~> f32[1]{0x1.00000ap+0}"), "");
  EXPECT_EQ(problem("aten::exp| f32[1]{0x0p+0} ~0x1p-4> f32[1]{0x1.1p+0}"), "");
  EXPECT_NE(problem("aten::exp| f32[1]{0x0p+0} ~0x1p-4> f32[1]{0x1.2p+0}"), "");
}

TEST(Samples, BadLinesAreErrors) {
  auto parse = [](const std::string& line) { return parse_sample(line); };
  EXPECT_THROW(parse("aten::neg f32[1]{0x1p+0}"), Error);
  EXPECT_THROW(parse("aten::neg| f32[2]{0x1p+0} => error"), Error);
  EXPECT_THROW(parse("aten::neg| f33[1]{0x1p+0} => error"), Error);
  EXPECT_THROW(parse("aten::neg| f32[1]{0x1p+0} => f32[1]{0x1p+0} 7"), Error);
  EXPECT_THROW(parse("aten::neg| 'x => error"), Error);
}

}  // namespace
}  // namespace fusillade
