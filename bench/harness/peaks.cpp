// See peaks.h.
#include "bench/harness/peaks.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/harness/context.h"
#include "engine/base/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fusillade::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kTries = 4;
constexpr int64_t kIterations = 400'000;          // of a multiply-add in each accumulator
constexpr int kAccumulators = 12;                 // as many as hide the latency
constexpr size_t kCopied = size_t{16} << 20;      // bytes in all, in caches
constexpr size_t kMostMemory = size_t{32} << 20;  // bytes of an array beyond caches

struct Burst {
  double flops;   // that were computed
  double result;  // so that they are
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) Burst burst_avx512() {
  __m512 acc[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) acc[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(0.001f);
  for (int64_t n = 0; n < kIterations; ++n)
    for (__m512& a : acc) a = _mm512_fmadd_ps(a, x, y);
  __m512 sum = acc[0];
  for (const __m512& a : acc) sum = _mm512_add_ps(sum, a);
  return {2.0 * 16 * kAccumulators * kIterations, _mm512_cvtss_f32(sum)};
}

__attribute__((target("avx2,fma"))) Burst burst_avx2() {
  __m256 acc[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) acc[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
  for (int64_t n = 0; n < kIterations; ++n)
    for (__m256& a : acc) a = _mm256_fmadd_ps(a, x, y);
  __m256 sum = acc[0];
  for (const __m256& a : acc) sum = _mm256_add_ps(sum, a);
  return {2.0 * 8 * kAccumulators * kIterations, _mm256_cvtss_f32(sum)};
}
#endif

Burst burst_plain() {
  float acc[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) acc[i] = static_cast<float>(i);
  for (int64_t n = 0; n < kIterations; ++n)
    for (float& a : acc) a = a * 0.999f + 0.001f;
  return {2.0 * kAccumulators * kIterations, acc[0] + acc[kAccumulators - 1]};
}

Burst burst() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return burst_avx512();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return burst_avx2();
#endif
  return burst_plain();
}

// The most in a second of what `job(i)`, run by each of so many threads, says it did.
template <class Job>
double best(int64_t threads, Job job) {
  double most = 0;
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> did(static_cast<size_t>(threads));
    auto run = [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) did[static_cast<size_t>(t)] = job(t);
    };
    const Clock::time_point start = Clock::now();
    parallel_for(
        threads, threads, 1,
        [](void* body, int64_t begin, int64_t end) {
          (*static_cast<decltype(run)*>(body))(begin, end);
        },
        &run);
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    double all = 0;
    for (double d : did) all += d;
    most = std::max(most, all / took);
  }
  return most;
}

double flops_in_a_second(int64_t threads) {
  std::vector<double> results(static_cast<size_t>(threads));
  const double most = best(threads, [&](int64_t t) {
    const Burst b = burst();
    results[static_cast<size_t>(t)] = b.result;
    return b.flops;
  });
  for (double r : results)
    if (!std::isfinite(r)) return 0;
  return most;
}

// Each thread from an array of its own to another, `bytes` both together.
double copied_in_a_second(int64_t threads, size_t bytes, size_t in_all) {
  const size_t half = bytes / 2;
  std::vector<std::unique_ptr<char[]>> from, to;
  for (int64_t t = 0; t < threads; ++t) {
    from.push_back(std::make_unique<char[]>(half));  // written, so that it has pages
    to.push_back(std::make_unique<char[]>(half));
  }
  return best(threads, [&](int64_t t) {
    const size_t iterations = std::max<size_t>(in_all / half, 1);
    for (size_t n = 0; n < iterations; ++n) {
      std::memcpy(to[static_cast<size_t>(t)].get(), from[static_cast<size_t>(t)].get(), half);
      asm volatile("" : : "r"(to[static_cast<size_t>(t)].get()) : "memory");
    }
    return 2.0 * static_cast<double>(iterations * half);
  });
}

// Bytes of the machine's caches for data, the smallest first.
std::vector<size_t> cache_sizes() {
  std::vector<size_t> out;
  for (const json& c : caches())
    if (c["type"] != json("Instruction") && c["size"].get<size_t>() > 0)
      out.push_back(c["size"].get<size_t>());
  std::ranges::sort(out);
  return out;
}

json rates(double one, double all) { return {{"one", one}, {"all", std::max(one, all)}}; }

}  // namespace

json machine_peaks() {
  const int64_t threads = thread_count();
  json copies = json::array();
  const auto add = [&](size_t bytes, size_t in_all, int64_t sharing) {
    const auto each = bytes / static_cast<size_t>(sharing);
    json row = rates(copied_in_a_second(1, bytes, in_all),
                     copied_in_a_second(threads, each, in_all / static_cast<size_t>(sharing)));
    row["bytes"] = bytes;
    copies.push_back(row);
  };
  const std::vector<size_t> sizes = cache_sizes();
  // The last cache is all threads' together, smaller ones are each one's own.
  for (size_t i = 0; i < sizes.size(); ++i)
    add(sizes[i] / 2, kCopied, i > 0 && i + 1 == sizes.size() ? threads : 1);
  const size_t largest = sizes.empty() ? kMostMemory : 4 * sizes.back();
  add(2 * std::min(largest, kMostMemory), 0, threads);
  return {{"threads", threads},
          {"flops", rates(flops_in_a_second(1), flops_in_a_second(threads))},
          {"copies", copies}};
}

}  // namespace fusillade::bench
