// See gpu.h. Each call copies its arguments to the device, so that what a kernel reads lies in its
// memory and not in its caches, where that is larger than they are.
#include "bench/harness/gpu.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "engine/base/probe.h"
#include "engine/kernel/cuda_backend.h"
#include "engine/kernel/cuda_trial.h"
#include "engine/run/plan.h"
#include "engine/tensor/transfer.h"
#include "fuzz/judge/judge.h"
#include "fuzz/run/outcome.h"

namespace fusillade::bench {
namespace {

constexpr uint64_t kSeed = 1;
constexpr size_t kFewRows = 9;
constexpr size_t kColumns = 1024;

// A program as bench/programs/ has it, and its inputs at N rows.
struct Asked {
  const char* stem;
  bool in_rows;  // f32[N,1024], else f32[N]
};
constexpr Asked kAsked[] = {{"ratio_iou", false}, {"softmax_scale", true}, {"layer_norm", true}};

// With N replaced: in the program's own terms its first input is the one that grows.
Program at_rows(const Program& like, const Asked& asked, size_t rows) {
  Program p = like;
  const std::string first = like.inputs[0];
  const std::string sized =
      asked.in_rows ? fmt::format("f32[{},{}]", rows, kColumns) : fmt::format("f32[{}]", rows);
  for (std::string& input : p.inputs)
    if (input == first) input = sized;
  p.name = fmt::format("{}/N:{}", asked.stem, rows);
  return p;
}

const Plan& gpu_plan() {
  static const Plan plan = parse_plan(kGpuPlan);
  return plan;
}

std::string judge_program(const Program& program) {
  fuzz::Case c;
  c.oracle = "differential";
  c.plans = {gpu_plan()};
  c.program = program.graph->clone();
  c.calls.push_back(make_inputs(program, kSeed));
  const fuzz::Verdict v = fuzz::judge_here(c);
  return fmt::format("{}{}{}", name_of(v.kind), v.detail.empty() ? "" : ": ", v.detail);
}

double milliseconds_of(const kernel::cuda::Times& times) {
  double all = 0;
  for (const auto& l : times.launches) all += l.milliseconds;
  return all;
}

GpuTimed::Resident resident(const kernel::cuda::Device& device, const Program& program,
                            const Plan& plan, int rounds) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<Executable> ready = prepare({*program.graph, {}, {}}, plan);
  std::vector<IValue> inputs = make_inputs(program, kSeed).inputs;
  for (IValue& v : inputs)
    if (v.is_tensor()) v = IValue(copied_to(v.as_tensor(), Device{DeviceType::Cuda}));
  ready->run(inputs);  // compiles
  GpuTimed::Resident out;
  const uint64_t before = probe("device/on-cpu").count();
  for (int i = 0; i < rounds; ++i) {
    device.wait_for_tensors("what ran before");
    const Clock::time_point start = Clock::now();
    ready->run(inputs);
    device.wait_for_tensors(program.name);
    out.calls.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  for (int i = 0; i < rounds; ++i) {
    kernel::cuda::Times times;
    ready->run(inputs);
    out.launches = times.launches.size();
    out.milliseconds.push_back(milliseconds_of(times));
  }
  out.on_cpu = probe("device/on-cpu").count() - before;
  return out;
}

GpuTimed time_program(const kernel::cuda::Device& device, const Program& program, int rounds) {
  GpuTimed out{program, "", 0, 0, {}, {}, {}, {}};
  const std::unique_ptr<Executable> ready = prepare({*program.graph, {}, {}}, gpu_plan());
  const fuzz::Call given = make_inputs(program, kSeed);
  ready->run(fuzz::copy_call(given).inputs);  // compiles
  for (int i = 0; i < rounds; ++i) {
    kernel::cuda::Times times;
    ready->run(fuzz::copy_call(given).inputs);
    out.bytes = 0;
    for (const auto& l : times.launches) out.bytes += l.bytes;
    out.launches = times.launches.size();
    out.milliseconds.push_back(milliseconds_of(times));
  }
  if (out.launches == 0) fail("{}: no group of it has a kernel on the GPU", program.name);
  out.copy = kernel::cuda::time_copies(device, out.bytes / 2, rounds);
  out.eager = resident(device, program, reference_plan(), rounds);
  out.fused = resident(device, program, gpu_plan(), rounds);
  return out;
}

}  // namespace

std::vector<GpuTimed> time_on_gpu(const kernel::cuda::Device& device, const std::string& folder,
                                  size_t bytes, int rounds) {
  std::vector<GpuTimed> out;
  for (const Asked& asked : kAsked) {
    const std::vector<Program> found = load_programs(folder, fmt::format("^{}/", asked.stem));
    if (found.empty()) fail("{}: no program {}.py with sizes to run on", folder, asked.stem);
    const size_t row = sizeof(float) * (asked.in_rows ? kColumns : 1);
    const std::string verdict = judge_program(at_rows(found[0], asked, kFewRows));
    out.push_back(
        time_program(device, at_rows(found[0], asked, std::max<size_t>(1, bytes / row)), rounds));
    out.back().verdict = verdict;
  }
  return out;
}

}  // namespace fusillade::bench
