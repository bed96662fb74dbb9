// When the engine optimises: makes a function ready under a plan that fuses, calls it with changing
// arguments, and prints what each step did. docs/inside/optimisation.md shows this program's
// output; the package's test compares the two.
//
// The columns: specialisations of fused groups to dtypes, sizes and strides; kernels compiled to
// machine code for them; launches; runs of a group node by node.
#include <cstdio>

#include "engine/base/probe.h"
#include "engine/run/embed.h"

namespace fus = fusillade;
using namespace fus::eager;
using fus::Tensor;

const char* const kScript = R"(
def gelu_bias(x, bias):
    y = x + bias
    return 0.5 * y * (1.0 + torch.tanh(0.7978845608028654 * (y + 0.044715 * y * y * y)))
)";

constexpr const char* kProbes[] = {"fuse/specialised", "kernel/cache-miss", "fuse/launched",
                                   "fuse/fallback"};

template <class F>
auto step(const char* what, F f) {
  uint64_t before[4];
  for (int i = 0; i < 4; ++i) before[i] = fus::probe(kProbes[i]).count();
  auto result = f();
  std::printf("%-32s", what);
  for (int i = 0; i < 4; ++i)
    std::printf(" %11d", static_cast<int>(fus::probe(kProbes[i]).count() - before[i]));
  std::printf("\n");
  return result;
}

int main() try {
  std::printf("%-32s %11s %11s %11s %11s\n", "", "specialised", "compiled", "launched", "by node");
  fus::Program program = fus::script(kScript, "when.py");
  fus::Callable f = step("making it ready", [&] {
    return program.function("gelu_bias", "vm/o2,fuse(loopnest,llvm)");
  });
  std::printf("  %zu passes, nodes before %zu, after %zu\n", f.pipeline_result().stats.size(),
              f.graph().node_count(), f.optimised_graph().node_count());
  std::string saved = fus::save_archive(fus::module_of_function(f.graph()));
  auto call = [&](const char* what, const Tensor& x, const Tensor& bias) {
    step(what, [&] { return f({x, bias}); });
  };
  Tensor b8 = zeros({8}), b9 = zeros({9});
  call("first call, f32[4, 8]", ones({4, 8}), b8);
  call("the same again", ones({4, 8}), b8);
  call("another size, f32[5, 8]", ones({5, 8}), b8);
  call("another dtype, f64[4, 8]", ones({4, 8}, fus::DType::F64), b8);
  call("f32[4, 8], transposed strides", transpose(ones({8, 4}), 0, 1), b8);
  call("f32[4, 8] once more", ones({4, 8}), b8);
  fus::Callable again =
      step("made ready a second time", [&] { return f.under("vm/o2,fuse(loopnest,llvm)"); });
  step("  its first call, f32[4, 8]", [&] { return again({ones({4, 8}), b8}); });
  step("f32[1..80, 9]", [&] {
    for (int64_t n = 1; n <= 80; ++n) f({ones({n, 9}), b9});
    return 0;
  });
  bool same = fus::save_archive(fus::module_of_function(f.graph())) == saved;
  std::printf("the bytes that saving it gives: %s\n",
              same ? "as before the calls" : "changed by the calls");
  return 0;
} catch (const fus::Exception& e) {
  std::fprintf(stderr, "when: %s\n", e.what());
  return 1;
}
