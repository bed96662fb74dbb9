// fusillade gpu: the GPU that back end `cuda` would run on, whether its driver does what is asked,
// and how fast kernels are on it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/harness/context.h"
#include "bench/harness/gpu.h"
#include "engine/base/file.h"
#include "engine/kernel/cuda_trial.h"
#include "engine/kernel/nvrtc.h"
#include "fuzz/cli/verb.h"
#include "fuzz/process/installed.h"

namespace fusillade::cli {
namespace {

using nlohmann::json;
namespace cuda = kernel::cuda;

struct GpuOptions {
  std::string out;
  std::string programs = fuzz::here_or_installed("bench/programs");
  double megabytes = 64;
  int rounds = 20;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const size_t n = v.size();
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

// Gigabytes a second.
double rate(uint64_t bytes, double milliseconds) {
  return milliseconds > 0 ? static_cast<double>(bytes) / milliseconds / 1e6 : 0;
}

json report(const cuda::Device& d) {
  return {{"name", d.name()},
          {"capability", d.capability()},
          {"multiprocessors", d.multiprocessors()},
          {"bytes", d.bytes()},
          {"driver", cuda::version_text(d.version())},
          {"library", d.driver().library},
          {"compiler", kernel::nvrtc_identity()}};
}

json report(const std::vector<cuda::Tried>& tried) {
  json out = json::array();
  for (const cuda::Tried& t : tried) {
    fmt::print("{} {}{}{}\n", t.failure.empty() ? "ok    " : "FAILED", t.what,
               t.failure.empty() ? "" : ": ", t.failure);
    out.push_back({{"what", t.what}, {"failure", t.failure}});
  }
  return out;
}

json report(const bench::GpuTimed::Resident& r) {
  return {{"launches", r.launches},         {"operators_on_cpu", r.on_cpu},
          {"milliseconds", r.milliseconds}, {"median_milliseconds", median(r.milliseconds)},
          {"call_milliseconds", r.calls},   {"median_call_milliseconds", median(r.calls)}};
}

json report(const bench::GpuTimed& t) {
  const double took = median(t.milliseconds), copied = median(t.copy);
  const double share = took > 0 ? copied / took : 0;
  fmt::print("{:<28} {:>9.4f} ms  {:>8.1f} GB/s  {:>6.1f} % of a copy's {:.1f} GB/s  {}\n",
             t.program.name, took, rate(t.bytes, took), 100 * share, rate(t.bytes, copied),
             t.verdict);
  const double by_row = median(t.eager.milliseconds), in_groups = median(t.fused.milliseconds);
  fmt::print("{:<28} {:>9.4f} ms  operator by operator, {} launches: {:.1f} times that in groups\n",
             "", by_row, t.eager.launches, in_groups > 0 ? by_row / in_groups : 0);
  return {{"name", t.program.name},
          {"plan", bench::kGpuPlan},
          {"inputs", t.program.inputs},
          {"verdict", t.verdict},
          {"launches", t.launches},
          {"bytes", t.bytes},
          {"milliseconds", t.milliseconds},
          {"median_milliseconds", took},
          {"gigabytes_per_second", rate(t.bytes, took)},
          {"copy_milliseconds", t.copy},
          {"copy_gigabytes_per_second", rate(t.bytes, copied)},
          {"share_of_copy", share},
          {"eager", report(t.eager)},
          {"fused", report(t.fused)},
          {"fused_over_eager", in_groups > 0 ? by_row / in_groups : 0}};
}

int run_gpu(const GpuOptions& o) {
  const cuda::Device* device = nullptr;
  try {
    device = &cuda::this_device();
  } catch (const Unsupported& e) {
    fmt::print("no GPU: {}\n", e.what());
    return kInconclusive;
  }
  const auto bytes = static_cast<size_t>(o.megabytes * (1 << 20));
  json out{{"schema", 1}, {"context", bench::context()}, {"gpu", report(*device)}};
  fmt::print("{} (sm_{}), driver for CUDA {}, {}\n", device->name(), device->capability(),
             cuda::version_text(device->version()), kernel::nvrtc_identity());
  const std::vector<cuda::Tried> tried = cuda::try_driver(*device, bytes);
  out["driver"] = report(tried);
  bool well = std::all_of(tried.begin(), tried.end(),
                          [](const cuda::Tried& t) { return t.failure.empty(); });
  out["benchmarks"] = json::array();
  if (well) {
    for (const bench::GpuTimed& t : bench::time_on_gpu(*device, o.programs, bytes, o.rounds)) {
      out["benchmarks"].push_back(report(t));
      well = well && t.verdict.starts_with("ok");
    }
  }
  if (!o.out.empty()) write_atomically(o.out, out.dump(2, ' ', true) + "\n");
  return well ? kOk : kFindings;
}

VERB(gpu, "test a GPU: which one it is, whether its driver works, how fast kernels are on it") {
  auto o = std::make_shared<GpuOptions>();
  app.add_option("--out", o->out, "JSON file of all results");
  app.add_option("--programs", o->programs,
                 "folder with ratio_iou.py, softmax_scale.py, layer_norm.py");
  app.add_option("--megabytes", o->megabytes,
                 "size of the first input, and of the test of the driver")
      ->check(CLI::Range(0.01, 4096.0));
  app.add_option("--rounds", o->rounds, "calls of each program that are timed")
      ->check(CLI::Range(1, 100000));
  app.footer("Exit code 3: there is no GPU that can be used.");
  return [o] { return run_gpu(*o); };
}

}  // namespace
}  // namespace fusillade::cli
