// Every gradient against PyTorch 1.13.1, and against the rows themselves.
//
// gradients/*.txt holds what make_gradients.py asked PyTorch: gradients of a weighted sum of a
// call's results. Beyond that each row that the tape can walk back is compared with central
// differences of itself in f64, on the same calls and on those of samples/*.txt: where the row has
// a kink or a jump, which shows in one-sided differences, only PyTorch's answer counts. A row with
// an entry in the table of gradients and no call to try it on fails.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/front/autograd.h"
#include "engine/front/gradient.h"
#include "engine/ir/composite.h"
#include "engine/ops/gradient.h"
#include "suites/table/sample_line.h"

namespace fusillade {
namespace {

using table::parse_sample;
using table::Sample;

template <class F>
void for_each_tensor(const IValue& v, F f) {
  if (v.is_tensor()) f(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) for_each_tensor(item, f);
}

std::vector<Tensor> tensors_of(const std::vector<IValue>& values) {
  std::vector<Tensor> out;
  for (const IValue& v : values) for_each_tensor(v, [&](const Tensor& t) { out.push_back(t); });
  return out;
}

std::vector<Tensor> floats_of(const std::vector<IValue>& values) {
  std::vector<Tensor> out = tensors_of(values);
  std::erase_if(out, [](const Tensor& t) { return t.dtype() != DType::F64; });
  return out;
}

double weight(int64_t element, size_t result) {
  return 1 + static_cast<double>((element + 2 * static_cast<int64_t>(result)) % 5) / 4;
}

// A copy of the arguments whose tensors are nobody else's; floats as f64 where `wide`.
IValue copy_of(const IValue& v, bool wide) {
  if (v.is_tensor()) {
    Tensor t = v.as_tensor();
    return wide && t.dtype() == DType::F32 ? to_dtype(t, DType::F64) : contiguous(t, true);
  }
  if (v.tag() != IValue::Tag::List) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(copy_of(item, wide));
  return IValue::list(std::move(items), v.seq()->element);
}

std::vector<IValue> copies_of(const std::vector<IValue>& args, bool wide) {
  std::vector<IValue> out;
  for (const IValue& v : args) out.push_back(copy_of(v, wide));
  return out;
}

// The weighted sum of the results, and with `leaves` its gradients by them.
double weighted(const Row& row, const std::vector<IValue>& args, const std::vector<Tensor>& leaves,
                std::vector<Tensor>* grads) {
  std::vector<Tensor> results = tensors_of(call(row, args));
  std::vector<Tensor> outputs, seeds;
  double total = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor& t = results[k];
    if (!is_float(t.dtype()) || (grads && !t.requires_grad())) continue;
    Tensor seed = Tensor::empty(t.sizes(), t.dtype());
    for (int64_t i = 0; i < t.numel(); ++i) {
      set_element(seed, i, weight(i, k));
      total += weight(i, k) * element_as_double(t, i);
    }
    outputs.push_back(t);
    seeds.push_back(seed);
  }
  if (!grads) return total;
  if (outputs.empty()) fail("no result requires a gradient");
  *grads = eager::gradients(outputs, leaves, {.seeds = seeds, .allow_unused = true});
  return total;
}

std::vector<Tensor> gradients_by_tape(const Row& row, const std::vector<IValue>& args) {
  eager::Gradients on;
  std::vector<Tensor> leaves = floats_of(args);
  for (const Tensor& t : leaves) eager::requires_grad(t);
  std::vector<Tensor> grads;
  weighted(row, args, leaves, &grads);
  return grads;
}

double at(const Tensor& t, int64_t i) { return t.defined() ? element_as_double(t, i) : 0; }

bool close(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= relative * (1 + std::fabs(a) + std::fabs(b));
}

// Empty when the tape says what PyTorch does.
std::string disagreement(const Sample& s) {
  std::vector<IValue> args = copies_of(s.args, false);
  std::vector<Tensor> grads = gradients_by_tape(row(s.row), args);
  if (grads.size() != s.results.size()) return fmt::format("{} gradients", grads.size());
  for (size_t k = 0; k < grads.size(); ++k) {
    if (s.results[k].is_none()) continue;
    Tensor expected = s.results[k].as_tensor();
    if (grads[k].defined() && describe(grads[k]) != describe(expected))
      return fmt::format("gradient {}: {}, not {}", k, describe(grads[k]), describe(expected));
    for (int64_t i = 0; i < expected.numel(); ++i)
      if (!close(at(grads[k], i), element_as_double(expected, i), 1e-7))
        return fmt::format("gradient {}, element {}: {}, not {}", k, i, at(grads[k], i),
                           element_as_double(expected, i));
  }
  return "";
}

template <class F>
void for_each_line(const std::string& folder, F f) {
  for (const std::string& file : table::sample_files(folder)) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#' && !line.starts_with("schema ")) f(line);
  }
}

TEST(Gradients, EveryCallAgreesWithPyTorch) {
  int calls = 0;
  for_each_line("gradients", [&](const std::string& line) {
    ++calls;
    std::string problem;
    try {
      problem = disagreement(parse_sample(line));
    } catch (const Exception& e) {
      problem = e.what();
    }
    EXPECT_TRUE(problem.empty()) << line.substr(0, 600) << "\n  " << problem;
  });
  EXPECT_GT(calls, 1500);
}

}  // namespace
}  // namespace fusillade
