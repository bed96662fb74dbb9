// ratio_iou against the memory's own speed, in one process: the fused kernel, eager mode, and a
// copy loop that moves as many bytes; the cost of a call on few elements; the time of a
// compilation.
//
//   build/release/micro_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//
// Bytes per second count what the program must move: eight inputs and one output.
#include <benchmark/benchmark.h>

#include <cstring>

#include "engine/front/script.h"
#include "engine/fuse/fuser.h"
#include "engine/ir/composite.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

constexpr int kInputs = 8;
constexpr const char* kFused = "vm/o2,fuse(loopnest,llvm)";

const Graph& program() {
  static const Script script =
      compile_script_file(FUSILLADE_SOURCE_DIR "/bench/programs/ratio_iou.py");
  return *script.functions.back();
}

std::vector<IValue> inputs(int64_t n) {
  std::vector<IValue> out;
  for (int i = 0; i < kInputs; ++i) {
    Tensor t = Tensor::empty({n}, DType::F32);
    fill_uniform(t, 1, static_cast<uint64_t>(i) * static_cast<uint64_t>(n));
    out.emplace_back(t);
  }
  return out;
}

void run_plan(benchmark::State& state, const char* plan) {
  int64_t n = state.range(0);
  auto executable = prepare(program(), parse_plan(plan));
  std::vector<IValue> in = inputs(n);
  executable->run(in);
  for (auto _ : state) benchmark::DoNotOptimize(executable->run(in));
  state.SetBytesProcessed(state.iterations() * n * (kInputs + 1) * 4);
}

// One block copied to another; read and written bytes together are those of the kernel.
void copy_loop(benchmark::State& state) {
  int64_t bytes = state.range(0) * (kInputs + 1) * 4 / 2;
  Tensor from = Tensor::zeros({bytes / 4}, DType::F32);
  Tensor to = Tensor::zeros({bytes / 4}, DType::F32);
  for (auto _ : state) {
    std::memcpy(to.raw(), from.raw(), static_cast<size_t>(bytes));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * bytes * 2);
}

// Lowering and compiling the group for new sizes: each iteration sees a size not met before.
void compile_kernel(benchmark::State& state) {
  auto executable = prepare(program(), parse_plan(kFused));
  const Graph* group = nullptr;
  for (Node* node : executable->graph()->block()->nodes()) {
    if (node->is(prim::fusion_group())) group = &node->subgraph();
  }
  static int64_t n = 1000;  // repetitions go on counting: the cache must miss
  for (auto _ : state) {
    std::vector<fuse::ArgSpec> args(kInputs, fuse::ArgSpec{true, DType::F32, {++n}, {1}});
    fuse::Lowered lowered = fuse::fuser("loopnest").lower(*group, args, nullptr);
    benchmark::DoNotOptimize(kernel::compile_cached(lowered.kernel, kernel::backend("llvm")));
  }
}

void copy(benchmark::State& state) { copy_loop(state); }
void fused_plan(benchmark::State& state) { run_plan(state, kFused); }
void vm(benchmark::State& state) { run_plan(state, "vm/o2"); }
void eager(benchmark::State& state) { run_plan(state, "eager"); }
void compile(benchmark::State& state) { compile_kernel(state); }

BENCHMARK(copy)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);
BENCHMARK(fused_plan)->Arg(1 << 20)->Arg(4096)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(eager)->Arg(1 << 20)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(vm)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(compile)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fusillade
