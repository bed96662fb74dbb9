// Element-wise operators of ONNX. (law: rules name ops)
#include <cmath>
#include <map>

#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

// ---- of one tensor, under the name that ATen has

void unary(Reading& r) {
  static const std::map<std::string, const char*> kNames = {{"Abs", "aten::abs"},
                                                            {"Acos", "aten::acos"},
                                                            {"Acosh", "aten::acosh"},
                                                            {"Asin", "aten::asin"},
                                                            {"Asinh", "aten::asinh"},
                                                            {"Atan", "aten::atan"},
                                                            {"Atanh", "aten::atanh"},
                                                            {"Ceil", "aten::ceil"},
                                                            {"Cos", "aten::cos"},
                                                            {"Cosh", "aten::cosh"},
                                                            {"Erf", "aten::erf"},
                                                            {"Exp", "aten::exp"},
                                                            {"Floor", "aten::floor"},
                                                            {"HardSwish", "aten::hardswish"},
                                                            {"IsNaN", "aten::isnan"},
                                                            {"Log", "aten::log"},
                                                            {"Mish", "aten::mish"},
                                                            {"Neg", "aten::neg"},
                                                            {"Reciprocal", "aten::reciprocal"},
                                                            {"Relu", "aten::relu"},
                                                            {"Round", "aten::round"},
                                                            {"Sigmoid", "aten::sigmoid"},
                                                            {"Sign", "aten::sign"},
                                                            {"Sin", "aten::sin"},
                                                            {"Sinh", "aten::sinh"},
                                                            {"Softplus", "aten::softplus"},
                                                            {"Sqrt", "aten::sqrt"},
                                                            {"Tan", "aten::tan"},
                                                            {"Tanh", "aten::tanh"},
                                                            {"Not", "aten::logical_not"},
                                                            {"BitwiseNot", "aten::bitwise_not"}};
  r.give(r.call(kNames.at(r.op()), {r.tensor(0)}));
}

void identity(Reading& r) {
  if (const Tensor* known = r.constant(0)) r.give(*known);
  else r.give(r.tensor(0));
}

void dropout(Reading& r) {
  if (r.has(2)) {
    const Tensor* training = r.constant(2);
    if (!training || training->numel() != 1 || element_as_int(*training, 0))
      fail("training_mode is not supported");
  }
  r.give(r.tensor(0));
  if (r.wants(1)) r.give(r.call("aten::ones_like", {r.tensor(0), DType::Bool}));
}

// ---- of two, with a number in place of a tensor of one element

void with_number(Reading& r, const char* name) {
  const std::string base = std::string("aten::") + name;
  if (r.is_number(1, 0)) r.give(r.call(base + ".Scalar", {r.tensor(0), r.operand(1, 0)}));
  else r.give(r.call(base + ".Tensor", {r.tensor(0), r.tensor(1)}));
}

void binary(Reading& r) {
  static const std::map<std::string, const char*> kNames = {{"Add", "add"},
                                                            {"Sub", "sub"},
                                                            {"Mul", "mul"},
                                                            {"Equal", "eq"},
                                                            {"Less", "lt"},
                                                            {"LessOrEqual", "le"},
                                                            {"Greater", "gt"},
                                                            {"GreaterOrEqual", "ge"},
                                                            {"BitwiseAnd", "bitwise_and"},
                                                            {"BitwiseOr", "bitwise_or"},
                                                            {"BitwiseXor", "bitwise_xor"}};
  with_number(r, kNames.at(r.op()));
}

void logical(Reading& r) {
  const std::string name = r.op() == "And"  ? "aten::logical_and"
                           : r.op() == "Or" ? "aten::logical_or"
                                            : "aten::logical_xor";
  r.give(r.call(name, {r.tensor(0), r.tensor(1)}));
}

// Of integers it truncates.
void divide(Reading& r) {
  if (is_float(r.dtype(0))) return with_number(r, "div");
  r.give(r.call("aten::div.Tensor_mode", {r.tensor(0), r.tensor(1), "trunc"}));
}

void modulo(Reading& r) {
  const bool fmod = r.integer("fmod", 0) != 0;
  if (!fmod && is_float(r.dtype(0))) fail("fmod = 0 of floats is not legal");
  with_number(r, fmod ? "fmod" : "remainder");
}

// The result has the dtype of the base.
void power(Reading& r) {
  const DType base = r.dtype(0), exponent = r.dtype(1);
  if (r.is_number(1, 0)) {
    const Arg number = r.operand(1, 0);
    if (is_float(base) || !is_float(exponent))
      return r.give(r.call("aten::pow.Tensor_Scalar", {r.tensor(0), number}));
  }
  if (base == exponent || is_float(base)) {
    const Term to = base == exponent ? r.tensor(1) : r.call("aten::to.dtype", {r.tensor(1), base});
    return r.give(r.call("aten::pow.Tensor_Tensor", {r.tensor(0), to}));
  }
  const Term both = r.call("aten::pow.Tensor_Tensor", {r.tensor(0), r.tensor(1)});
  r.give(r.call("aten::to.dtype", {both, base}));
}

void shift(Reading& r) {
  const std::string direction = r.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") fail("direction = '{}'", direction);
  const char* name =
      direction == "LEFT" ? "aten::bitwise_left_shift.Tensor" : "aten::bitwise_right_shift.Tensor";
  r.give(r.call(name, {r.tensor(0), r.tensor(1)}));
}

// ---- of any number

void variadic(Reading& r) {
  if (!r.has(0)) fail("it has no inputs");
  const char* name = r.op() == "Max"   ? "aten::maximum"
                     : r.op() == "Min" ? "aten::minimum"
                                       : "aten::add.Tensor";
  Term out = r.tensor(0);
  for (size_t i = 1; i < r.inputs(); ++i) out = r.call(name, {out, r.tensor(i)});
  if (r.op() == "Mean") out = r.call("aten::div.Scalar", {out, static_cast<int64_t>(r.inputs())});
  r.give(out);
}

void where(Reading& r) {
  r.give(r.call("aten::where.self", {r.tensor(0), r.tensor(1), r.tensor(2)}));
}

// ---- activations with parameters, which are float32

void clip(Reading& r) {
  const bool numbers = (!r.has(1) || r.is_number(1, 0)) && (!r.has(2) || r.is_number(2, 0));
  if (!r.has(1) && !r.has(2)) return r.give(r.tensor(0));
  const auto limit = [&](size_t i) -> Arg {
    if (!r.has(i)) return std::nullopt;
    return numbers ? r.operand(i, 0) : Arg(r.tensor(i));
  };
  r.give(r.call(numbers ? "aten::clamp" : "aten::clamp.Tensor", {r.tensor(0), limit(1), limit(2)}));
}

void leaky_relu(Reading& r) {
  r.give(r.call("aten::leaky_relu", {r.tensor(0), r.real("alpha", double{0.01f})}));
}

void elu(Reading& r) {
  const bool selu = r.op() == "Selu";
  const double alpha = r.real("alpha", selu ? double{1.67326319217681884765625f} : 1.0);
  const double scale = selu ? r.real("gamma", double{1.05070102214813232421875f}) : 1.0;
  r.give(r.call("aten::elu", {r.tensor(0), alpha, scale, 1}));
}

void celu(Reading& r) {
  const double alpha = r.real("alpha", 1);
  if (alpha == 0) fail("alpha = 0");
  r.give(r.call("aten::celu", {r.tensor(0), alpha}));
}

void hard_sigmoid(Reading& r) {
  const Term scaled = r.call("aten::mul.Scalar", {r.tensor(0), r.real("alpha", double{0.2f})});
  const Term moved = r.call("aten::add.Scalar", {scaled, r.real("beta", 0.5)});
  r.give(r.call("aten::clamp", {moved, 0.0, 1.0}));
}

void thresholded_relu(Reading& r) {
  r.give(r.call("aten::threshold", {r.tensor(0), r.real("alpha", 1), 0.0}));
}

void softsign(Reading& r) {
  const Term x = r.tensor(0);
  const Term size = r.call("aten::add.Scalar", {r.call("aten::abs", {x}), 1.0});
  r.give(r.call("aten::div.Tensor", {x, size}));
}

void shrink(Reading& r) {
  const Term x = r.tensor(0);
  const double limit = r.real("lambd", 0.5), bias = r.real("bias", 0);
  const Term zero = r.call("aten::zeros_like", {x});
  const Term below = r.call("aten::lt.Scalar", {x, -limit});
  const Term above = r.call("aten::gt.Scalar", {x, limit});
  const Term high =
      r.call("aten::where.self", {above, r.call("aten::sub.Scalar", {x, bias}), zero});
  r.give(r.call("aten::where.self", {below, r.call("aten::add.Scalar", {x, bias}), high}));
}

// The slope is broadcast to x.
void prelu(Reading& r) {
  const Term x = r.tensor(0);
  const Term scaled = r.call("aten::mul.Tensor", {x, r.tensor(1)});
  r.give(r.call("aten::where.self", {r.call("aten::lt.Scalar", {x, 0}), scaled, x}));
}

void gelu(Reading& r) {
  const std::string how = r.text("approximate", "none");
  if (how != "none" && how != "tanh") fail("approximate = '{}' (legal: none, tanh)", how);
  r.give(r.call("aten::gelu", {r.tensor(0), how.c_str()}));
}

void swish(Reading& r) {
  const Term x = r.tensor(0);
  const double alpha = r.real("alpha", 1);
  const Term inner = alpha == 1 ? x : r.call("aten::mul.Scalar", {x, alpha});
  r.give(r.call("aten::mul.Tensor", {x, r.call("aten::sigmoid", {inner})}));
}

void is_infinite(Reading& r) {
  const bool positive = r.integer("detect_positive", 1) != 0;
  const bool negative = r.integer("detect_negative", 1) != 0;
  const char* name = positive && negative ? "aten::isinf"
                     : positive           ? "aten::isposinf"
                                          : "aten::isneginf";
  if (positive || negative) r.give(r.call(name, {r.tensor(0)}));
  else r.give(r.call("aten::zeros_like", {r.tensor(0), DType::Bool}));
}

// ---- conversions

void cast(Reading& r) {
  const DType to = r.op() == "CastLike" ? r.dtype(1) : dtype_of(r.integer("to", 0));
  r.give(r.call("aten::to.dtype", {r.tensor(0), to}));
}

Term to(Reading& r, const Term& x, DType dtype) { return r.call("aten::to.dtype", {x, dtype}); }

// One along every axis but `axis`.
Term along(Reading& r, const Term& v, const Term& x, int64_t axis) {
  if (v.rank() != 1 || x.rank() < 1) return v;
  Counts sizes(static_cast<size_t>(x.rank()), 1);
  sizes[static_cast<size_t>(axis_of(axis, x.rank()))] = r.build().size(v, 0);
  return r.call("aten::reshape", {v, sizes});
}

void quantize(Reading& r) {
  r.only("block_size", 0);
  const int64_t axis = r.integer("axis", 1);
  const Term x = r.tensor(0);
  const DType dtype = r.has(2) ? r.dtype(2) : DType::U8;
  if (dtype != DType::U8 && dtype != DType::I8) fail("quantised to {}", name_of(dtype));
  const Term scaled = r.call("aten::div.Tensor", {x, along(r, r.tensor(1), x, axis)});
  Term whole = r.call("aten::round", {scaled});
  if (r.has(2))
    whole = r.call("aten::add.Tensor", {whole, to(r, along(r, r.tensor(2), x, axis), x.dtype())});
  const bool u8 = dtype == DType::U8;
  r.give(to(r, r.call("aten::clamp", {whole, u8 ? 0.0 : -128.0, u8 ? 255.0 : 127.0}), dtype));
}

void dequantize(Reading& r) {
  r.only("block_size", 0);
  const int64_t axis = r.integer("axis", 1);
  const Term x = r.tensor(0), scale = along(r, r.tensor(1), x, axis);
  Term from = to(r, x, scale.dtype());
  if (r.has(2))
    from = r.call("aten::sub.Tensor", {from, to(r, along(r, r.tensor(2), x, axis), scale.dtype())});
  r.give(r.call("aten::mul.Tensor", {from, scale}));
}

const Rows kRegistered{{"Abs", 13, unary},
                       {"Acos", 7, unary},
                       {"Acosh", 9, unary},
                       {"Asin", 7, unary},
                       {"Asinh", 9, unary},
                       {"Atan", 7, unary},
                       {"Atanh", 9, unary},
                       {"Ceil", 13, unary},
                       {"Cos", 7, unary},
                       {"Cosh", 9, unary},
                       {"Erf", 13, unary},
                       {"Exp", 13, unary},
                       {"Floor", 13, unary},
                       {"HardSwish", 14, unary},
                       {"IsNaN", 13, unary},
                       {"Log", 13, unary},
                       {"Mish", 18, unary},
                       {"Neg", 13, unary},
                       {"Reciprocal", 13, unary},
                       {"Relu", 13, unary},
                       {"Round", 11, unary},
                       {"Sigmoid", 13, unary},
                       {"Sign", 13, unary},
                       {"Sin", 7, unary},
                       {"Sinh", 9, unary},
                       {"Softplus", 1, unary},
                       {"Sqrt", 13, unary},
                       {"Tan", 7, unary},
                       {"Tanh", 13, unary},
                       {"Not", 1, unary},
                       {"BitwiseNot", 18, unary},
                       {"Identity", 13, identity, fold_identity},
                       {"Dropout", 13, dropout},
                       {"Add", 13, binary, fold_arithmetic},
                       {"Sub", 13, binary, fold_arithmetic},
                       {"Mul", 13, binary, fold_arithmetic},
                       {"Div", 13, divide, fold_arithmetic},
                       {"Mod", 13, modulo, fold_arithmetic},
                       {"Pow", 13, power},
                       {"Equal", 13, binary, fold_comparison},
                       {"Less", 13, binary, fold_comparison},
                       {"LessOrEqual", 12, binary, fold_comparison},
                       {"Greater", 13, binary, fold_comparison},
                       {"GreaterOrEqual", 12, binary, fold_comparison},
                       {"And", 7, logical, fold_comparison},
                       {"Or", 7, logical, fold_comparison},
                       {"Xor", 7, logical, fold_comparison},
                       {"BitwiseAnd", 18, binary},
                       {"BitwiseOr", 18, binary},
                       {"BitwiseXor", 18, binary},
                       {"BitShift", 11, shift},
                       {"Max", 13, variadic, fold_arithmetic},
                       {"Min", 13, variadic, fold_arithmetic},
                       {"Sum", 13, variadic},
                       {"Mean", 13, variadic},
                       {"Where", 9, where, fold_where},
                       {"Clip", 13, clip},
                       {"LeakyRelu", 6, leaky_relu},
                       {"Elu", 6, elu},
                       {"Selu", 6, elu},
                       {"Celu", 12, celu},
                       {"HardSigmoid", 6, hard_sigmoid},
                       {"ThresholdedRelu", 10, thresholded_relu},
                       {"Softsign", 1, softsign},
                       {"Shrink", 9, shrink},
                       {"PRelu", 9, prelu},
                       {"Gelu", 20, gelu},
                       {"Swish", 24, swish},
                       {"IsInf", 10, is_infinite},
                       {"Cast", 13, cast, fold_cast},
                       {"CastLike", 15, cast},
                       {"QuantizeLinear", 13, quantize},
                       {"DequantizeLinear", 13, dequantize}};

}  // namespace
}  // namespace fusillade::onnx
