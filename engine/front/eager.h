// Eager mode for users: functions and operators on Tensor, every one a call of an operator through
// one point, `call`.
//
//   using namespace fusillade::eager;
//   Tensor y = relu(matmul(x, w) + b);          // as Python's names, x first
//   Tensor z = reshape(y, {size(y, 0), -1});    // sizes are Int: they stay symbolic in a trace
//   Any parts = op("chunk", {z, 2, 1});         // any op by name: ATen's overloads, positional
//   arguments
//
// While a trace records (trace.h) each call becomes a node with the caller's file and line; values
// read out of tensors, and sizes turned into plain numbers, become constants and are reported. What
// goes around this header (Tensor::data, Tensor::sizes) no trace sees. Errors: Error, when no
// overload takes the arguments or the operator refuses them. Names here are spellings of ATen's
// (the schemas are `fusillade list ops`); gradients are autograd.h's.
#pragma once

#include <concepts>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade::eager {

using Where = std::source_location;

// A whole number that remembers which recorded value it is: a size, or arithmetic on sizes.
class Int {
 public:
  template <std::integral T>
  Int(T value) : value_(static_cast<int64_t>(value)) {}  // NOLINT: literals are sizes
  static Int with_mark(int64_t value, uint64_t mark) {
    Int out(value);
    out.mark_ = mark;
    return out;
  }
  // The number; a trace bakes it in and reports it.
  int64_t read(Where at = Where::current()) const;
  uint64_t mark() const { return mark_; }  // 0: a plain number
  int64_t peek() const { return value_; }  // for the tracer: unreported

 private:
  int64_t value_;
  uint64_t mark_ = 0;
};
using Ints = std::vector<Int>;

// An operand that knows where it was written: operators have no room for a defaulted argument.
template <class T>
struct At {
  T value;
  Where at;
  template <class U>
    requires std::convertible_to<U, T>
  At(U&& u, Where w = Where::current()) : value(std::forward<U>(u)), at(w) {}  // NOLINT
};

// Any argument or result of an op: None, a number, a string, a device, a tensor, a list or tuple of
// these.
class Any {
 public:
  Any() = default;
  Any(std::nullopt_t) {}                                 // NOLINT: None
  Any(Tensor t);                                         // NOLINT: throws Error when undefined
  Any(Int i) : value_(i.peek()), mark_(i.mark()) {}      // NOLINT
  Any(bool v) : value_(v) {}                             // NOLINT
  Any(double v) : value_(v) {}                           // NOLINT
  Any(const char* s) : value_(IValue::str(s)) {}         // NOLINT
  Any(Device device) : value_(device) {}                 // NOLINT
  Any(DType dtype) : value_(row_of(dtype).aten_code) {}  // NOLINT: ATen's code of it
  Any(std::vector<Tensor> tensors);                      // NOLINT
  Any(Ints ints);                                        // NOLINT
  Any(std::initializer_list<Int> ints) : Any(Ints(ints)) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Any(T v) : value_(static_cast<int64_t>(v)) {}  // NOLINT
  template <class... T>
  Any(const std::tuple<T...>& t)  // NOLINT
      : Any(std::apply([](const T&... x) { return tuple({Any(x)...}); }, t)) {}
  template <class A, class B>
  Any(const std::pair<A, B>& p) : Any(tuple({Any(p.first), Any(p.second)})) {}  // NOLINT
  Any(IValue value);                                                            // NOLINT
  static Any with_mark(IValue value, uint64_t mark);  // the recorded value of that mark
  static Any list(std::vector<Any> items, Type element);
  static Any tuple(std::vector<Any> items);

  const IValue& value() const { return value_; }
  uint64_t mark() const { return mark_; }
  const std::vector<Any>& own_items() const {
    return items_;
  }  // lists and tuples built here, not results of ops
  // What it holds; each throws Error when it holds something else.
  Tensor tensor() const;
  Int integer() const;
  std::vector<Tensor> tensors() const;  // a list or tuple of tensors
  std::vector<Any> items() const;       // a list or tuple

 private:
  IValue value_;
  uint64_t mark_ = 0;
  std::vector<Any> items_;
};

// The one point: runs `op` (composite operators by their bodies), records it in the trace of
// this thread.
std::vector<Any> call(const Operator& op, std::vector<Any> args, Where at = Where::current());
// The overload of "relu", "aten::relu", "my::scale" or "aten::add.Tensor" that takes these; its
// result (None, or a tuple, of ops with no or several results).
Any op(std::string_view name, std::vector<Any> args, Where at = Where::current());

// Reading elements (of tensors with one) and data; a trace bakes in what these return.
bool truth(const Tensor& t, Where at = Where::current());
int64_t integer(const Tensor& t, Where at = Where::current());
double number(const Tensor& t, Where at = Where::current());
std::vector<Tensor> iterate(const Tensor& t, Where at = Where::current());  // along dimension 0
Tensor tensor(const std::vector<double>& data, DType dtype = DType::F32,
              Where at = Where::current());

// Shapes. `rank` is a plain number: a trace is of one rank.
Int size(const Tensor& t, int64_t dim, Where at = Where::current());
Ints sizes(const Tensor& t, Where at = Where::current());
Int numel(const Tensor& t, Where at = Where::current());
inline int rank(const Tensor& t) { return t.rank(); }

// Is the code in training mode? What `dropout` and the like take; fixed while a trace records.
bool training();
class TrainingScope {
 public:
  explicit TrainingScope(bool on);
  ~TrainingScope();
  TrainingScope(const TrainingScope&) = delete;
  TrainingScope& operator=(const TrainingScope&) = delete;

 private:
  bool saved_;
};

#define FUS_EAGER(name, params, ...) \
  inline Tensor name params { return op(#name, __VA_ARGS__, at).tensor(); }
#define FUS_EAGER_UNARY(name) FUS_EAGER(name, (const Tensor& x, Where at = Where::current()), {x})
#define FUS_EAGER_BINARY(name) \
  FUS_EAGER(name, (const Tensor& x, const Any& y, Where at = Where::current()), {x, y})

FUS_EAGER_UNARY(neg)
FUS_EAGER_UNARY(abs)
FUS_EAGER_UNARY(exp)
FUS_EAGER_UNARY(log)
FUS_EAGER_UNARY(sqrt)
FUS_EAGER_UNARY(relu)
FUS_EAGER_UNARY(sigmoid)
FUS_EAGER_UNARY(tanh)
FUS_EAGER_UNARY(contiguous)
FUS_EAGER_UNARY(clone)
FUS_EAGER_UNARY(t)
FUS_EAGER_UNARY(zeros_like)
FUS_EAGER_UNARY(ones_like)
FUS_EAGER_BINARY(add)
FUS_EAGER_BINARY(sub)
FUS_EAGER_BINARY(mul)
FUS_EAGER_BINARY(div)
FUS_EAGER_BINARY(pow)
FUS_EAGER_BINARY(maximum)
FUS_EAGER_BINARY(minimum)
FUS_EAGER_BINARY(eq)
FUS_EAGER_BINARY(ne)
FUS_EAGER_BINARY(matmul)
FUS_EAGER_BINARY(mm)
FUS_EAGER_BINARY(bmm)
// In place: the first tensor is written and returned.
FUS_EAGER_BINARY(add_)
FUS_EAGER_BINARY(sub_)
FUS_EAGER_BINARY(mul_)
FUS_EAGER_BINARY(div_)
FUS_EAGER_BINARY(copy_)
FUS_EAGER_UNARY(relu_)
FUS_EAGER_UNARY(sigmoid_)
FUS_EAGER_UNARY(tanh_)

FUS_EAGER(where, (const Tensor& condition, const Any& x, const Any& y, Where at = Where::current()),
          {condition, x, y})
FUS_EAGER(clamp,
          (const Tensor& x, const Any& low, const Any& high = {}, Where at = Where::current()),
          {x, low, high})
FUS_EAGER(softmax, (const Tensor& x, Int dim, Where at = Where::current()), {x, dim})
FUS_EAGER(select, (const Tensor& x, Int dim, Int index, Where at = Where::current()),
          {x, dim, index})
// `end` absent: to the end. Bounds count from the end when negative, as in Python.
FUS_EAGER(slice,
          (const Tensor& x, Int dim, Int start, std::optional<Int> end = {}, Int step = 1,
           Where at = Where::current()),
          {x, dim, start, end ? Any(*end) : Any(), step})
FUS_EAGER(transpose, (const Tensor& x, Int a, Int b, Where at = Where::current()), {x, a, b})
FUS_EAGER(unsqueeze, (const Tensor& x, Int dim, Where at = Where::current()), {x, dim})
FUS_EAGER(squeeze, (const Tensor& x, Int dim, Where at = Where::current()), {x, dim})
FUS_EAGER(permute, (const Tensor& x, const Ints& dims, Where at = Where::current()), {x, dims})
FUS_EAGER(view, (const Tensor& x, const Ints& size, Where at = Where::current()), {x, size})
FUS_EAGER(reshape, (const Tensor& x, const Ints& size, Where at = Where::current()), {x, size})
FUS_EAGER(expand, (const Tensor& x, const Ints& size, Where at = Where::current()), {x, size})
FUS_EAGER(to, (const Tensor& x, DType dtype, Where at = Where::current()), {x, dtype})
FUS_EAGER(cat, (const std::vector<Tensor>& parts, Int dim = 0, Where at = Where::current()),
          {parts, dim})
FUS_EAGER(stack, (const std::vector<Tensor>& parts, Int dim = 0, Where at = Where::current()),
          {parts, dim})
FUS_EAGER(zeros, (const Ints& size, DType dtype = DType::F32, Where at = Where::current()),
          {size, dtype})
FUS_EAGER(ones, (const Ints& size, DType dtype = DType::F32, Where at = Where::current()),
          {size, dtype})
// Over all elements, or over `dims`.
FUS_EAGER(sum, (const Tensor& x, Where at = Where::current()), {x})
FUS_EAGER(mean, (const Tensor& x, Where at = Where::current()), {x})
FUS_EAGER(sum,
          (const Tensor& x, const Ints& dims, bool keepdim = false, Where at = Where::current()),
          {x, dims, keepdim})
FUS_EAGER(mean,
          (const Tensor& x, const Ints& dims, bool keepdim = false, Where at = Where::current()),
          {x, dims, keepdim})
inline std::vector<Tensor> chunk(const Tensor& x, Int chunks, Int dim = 0,
                                 Where at = Where::current()) {
  return op("chunk", {x, chunks, dim}, at).tensors();
}
inline std::vector<Tensor> split(const Tensor& x, Int part, Int dim = 0,
                                 Where at = Where::current()) {
  return op("split", {x, part, dim}, at).tensors();
}
#undef FUS_EAGER_BINARY
#undef FUS_EAGER_UNARY
#undef FUS_EAGER

// Python's operator of this spelling, on tensors or Ints.
Any infix(std::string_view spelling, const Any& left, const Any& right, Where at);
bool compare(std::string_view spelling, Int left, Int right, Where at);

#define FUS_INT_OPERATOR(o, spelling)                         \
  inline Int operator o(At<Int> a, At<Int> b) {               \
    return infix(spelling, a.value, b.value, a.at).integer(); \
  }
#define FUS_INT_COMPARE(o) \
  inline bool operator o(At<Int> a, At<Int> b) { return compare(#o, a.value, b.value, a.at); }
FUS_INT_OPERATOR(+, "+")
FUS_INT_OPERATOR(-, "-")
FUS_INT_OPERATOR(*, "*")
FUS_INT_OPERATOR(/, "//")
FUS_INT_OPERATOR(%, "%")  // round down, as Python's // and %
FUS_INT_COMPARE(<)
FUS_INT_COMPARE(<=)
FUS_INT_COMPARE(>)
FUS_INT_COMPARE(>=)
FUS_INT_COMPARE(==)
FUS_INT_COMPARE(!=)
#undef FUS_INT_COMPARE
#undef FUS_INT_OPERATOR

// An operand that is a number.
struct Number {
  Any value;
  template <class T>
    requires std::integral<T> || std::floating_point<T>
  Number(T v) : value(v) {}               // NOLINT
  Number(Int i) : value(i) {}             // NOLINT
  Number(Any v) : value(std::move(v)) {}  // NOLINT: a recorded number
};

}  // namespace fusillade::eager

// Operators live with Tensor, where the compiler looks for them. Comparisons are by element; ==
// stays C++'s (eq, ne).
namespace fusillade {

#define FUS_OPERATOR(o)                                                       \
  inline Tensor operator o(eager::At<Tensor> a, eager::At<Tensor> b) {        \
    return eager::infix(#o, a.value, b.value, a.at).tensor();                 \
  }                                                                           \
  inline Tensor operator o(eager::At<Tensor> a, eager::At<eager::Number> b) { \
    return eager::infix(#o, a.value, b.value.value, a.at).tensor();           \
  }                                                                           \
  inline Tensor operator o(eager::At<eager::Number> a, eager::At<Tensor> b) { \
    return eager::infix(#o, a.value.value, b.value, b.at).tensor();           \
  }
FUS_OPERATOR(+)
FUS_OPERATOR(-)
FUS_OPERATOR(*)
FUS_OPERATOR(/)
FUS_OPERATOR(%)
FUS_OPERATOR(<)
FUS_OPERATOR(<=)
FUS_OPERATOR(>)
FUS_OPERATOR(>=)
#undef FUS_OPERATOR
inline Tensor operator-(eager::At<Tensor> a) { return eager::neg(a.value, a.at); }

}  // namespace fusillade
