// torch.zeros and its kind, torch.tensor, torch.FloatTensor in a constructor.
#include "engine/front/form/filled.h"

namespace fusillade::front {
namespace {

DType dtype_of(const PyArgs& args, DType otherwise) {
  const Py* p = args.find(SIZE_MAX, "dtype");
  if (!p || !p->value() || !p->value()->is_int()) return otherwise;
  for (int d = 0; d < kNumDTypes; ++d) {
    if (row_of(static_cast<DType>(d)).aten_code == p->value()->as_int())
      return static_cast<DType>(d);
  }
  return otherwise;
}

// torch.zeros and its kind: sizes as ints or as one sequence.
Tensor make_tensor(Elaborator& in, const PyArgs& args, const Expr& e) {
  std::vector<Py> sizes = args.positional;
  if (const Py* size = args.find(SIZE_MAX, "size")) sizes = {*size};
  if (sizes.size() == 1 && sizes[0].seq()) sizes = sizes[0].seq()->items;
  Dims dims;
  int64_t numel = 1;
  for (const Py& s : sizes) {
    dims.push_back(in.integer(s, e));
    if (dims[dims.rank() - 1] < 0) in.wrong(e, "a size is not negative");
    if (__builtin_mul_overflow(numel, dims[dims.rank() - 1], &numel))
      in.wrong(e, "a tensor of too many elements");
  }
  in.charge(numel, e);
  return Tensor::zeros(dims, dtype_of(args, DType::F32));
}

// torch.tensor(nested lists of numbers)
Tensor tensor_from(Elaborator& in, const Py& data, const PyArgs& args, const Expr& e) {
  Dims dims;
  std::vector<IValue> numbers;
  bool real = false, whole = false;
  std::function<void(const Py&, int)> walk = [&](const Py& p, int depth) {
    if (PySeq* seq = p.seq()) {
      int64_t count = static_cast<int64_t>(seq->items.size());
      if (depth == dims.rank() && numbers.empty()) dims.push_back(count);
      else if (depth >= dims.rank() || dims[depth] != count)
        in.wrong(e, "the lists are of different lengths");
      for (const Py& item : seq->items) walk(item, depth + 1);
      return;
    }
    IValue v = in.value_of(p, e);
    if (v.is_tensor() && v.as_tensor().numel() == 1) {
      Tensor t = v.as_tensor();
      v = is_float(t.dtype()) ? IValue(element_as_double(t, 0)) : IValue(element_as_int(t, 0));
    }
    if (!v.is_number() || depth != dims.rank())
      in.wrong(e, "torch.tensor takes numbers in lists of equal lengths");
    real = real || v.is_float();
    whole = whole || v.is_int();
    numbers.push_back(v);
  };
  if (data.is_tensor()) return contiguous(data.value()->as_tensor(), true);
  walk(data, 0);
  DType guess = real || numbers.empty() ? DType::F32 : whole ? DType::I64 : DType::Bool;
  Tensor t = Tensor::zeros(dims, dtype_of(args, guess));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (is_float(t.dtype())) set_element(t, static_cast<int64_t>(i), numbers[i].as_double());
    else set_element_int(t, static_cast<int64_t>(i), numbers[i].as_int());
  }
  return t;
}

template <class F>
Py fill_new(Elaborator& in, const PyArgs& args, const Expr& e, const F& fill) {
  Tensor t = make_tensor(in, args, e);
  fill(t);
  return Py(IValue(t));
}

std::optional<Py> zeros(Elaborator& in, const PyArgs& args, const Expr& e) {
  return Py(IValue(make_tensor(in, args, e)));
}

std::optional<Py> ones(Elaborator& in, const PyArgs& args, const Expr& e) {
  return fill_new(in, args, e, [](const Tensor& t) {
    for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, 1);
  });
}

std::optional<Py> uniform(Elaborator& in, const PyArgs& args, const Expr& e) {
  return fill_new(in, args, e, [&](const Tensor& t) { in.fill(t, false, 0, 1); });
}

std::optional<Py> normal(Elaborator& in, const PyArgs& args, const Expr& e) {
  return fill_new(in, args, e, [&](const Tensor& t) { in.fill(t, true, 0, 1); });
}

const bool kZeros = add_form({"torch.zeros", "torch.empty"}, {.evaluate = &zeros});
const bool kOnes = add_form({"torch.ones"}, {.evaluate = &ones});
const bool kRand = add_form({"torch.rand"}, {.evaluate = &uniform});
const bool kRandn = add_form({"torch.randn"}, {.evaluate = &normal});

}  // namespace

std::optional<Py> evaluate_tensor(Elaborator& in, const PyArgs& args, const Expr& e) {
  const Py* data = args.find(0, "data");
  if (!data) in.wrong(e, "torch.tensor takes data");
  return Py(IValue(tensor_from(in, *data, args, e)));
}

std::optional<Py> evaluate_float_tensor(Elaborator& in, const PyArgs& args, const Expr& e) {
  const bool data = args.positional.size() == 1 && args.positional[0].seq();
  return Py(IValue(data ? to_dtype(tensor_from(in, args.positional[0], args, e), DType::F32)
                        : make_tensor(in, args, e)));
}

}  // namespace fusillade::front
