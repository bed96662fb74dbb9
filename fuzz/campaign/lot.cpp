// See lot.h.
#include "fuzz/campaign/lot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"

namespace fusillade::fuzz {
namespace {

std::optional<uint64_t> whole(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

constexpr const char* kLegal =
    "legal: I/N, where N is from 1 to 1000000 and I from 0 to N - 1; slurm, slurm/N and "
    "kubernetes/N, which take I from the scheduler";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  fail("--shard: '{}' {} ({})", visible_line(text), why, kLegal);
}

Shard make_shard(const std::string& text, std::optional<uint64_t> index,
                 std::optional<uint64_t> of) {
  if (!index || !of) refuse(text, "is no shard");
  if (*of == 0) refuse(text, "is one of no shards");
  if (*of > kMostShards) refuse(text, "is one of too many shards");
  if (*index >= *of)
    refuse(text, fmt::format("has no shard {}: shards of {} are 0 to {}", *index, *of, *of - 1));
  return {*index, *of};
}

uint64_t variable(const std::string& text, const char* name) {
  const char* value = std::getenv(name);
  if (!value) refuse(text, fmt::format("needs the variable {}, which is not set", name));
  const std::optional<uint64_t> number = whole(value);
  if (!number)
    refuse(text, fmt::format("finds '{}' in {}, which is no number", visible_line(value), name));
  return *number;
}

// The shard's place in an array of tasks, whatever the array begins with.
Shard of_array(const std::string& text) {
  const uint64_t id = variable(text, "SLURM_ARRAY_TASK_ID");
  const uint64_t count = variable(text, "SLURM_ARRAY_TASK_COUNT");
  const uint64_t least = variable(text, "SLURM_ARRAY_TASK_MIN");
  const uint64_t most = variable(text, "SLURM_ARRAY_TASK_MAX");
  const uint64_t step =
      std::getenv("SLURM_ARRAY_TASK_STEP") ? variable(text, "SLURM_ARRAY_TASK_STEP") : 1;
  const bool regular = step > 0 && least <= id && id <= most && (id - least) % step == 0 &&
                       (most - least) / step + 1 == count;
  if (!regular)
    refuse(text, fmt::format("needs an array of tasks without gaps, and this one has {} from {} to "
                             "{}; with slurm/N the task's number is the shard",
                             count, least, most));
  return make_shard(text, (id - least) / step, count);
}

}  // namespace

uint64_t Progression::from(uint64_t index) const {
  if (index <= first) return first < end ? first : kEndless;
  const uint64_t behind = (index - first - 1) / stride + 1;  // steps
  if (behind > (kEndless - 1 - first) / stride) return kEndless;
  const uint64_t at = first + behind * stride;
  return at < end ? at : kEndless;
}

uint64_t Lot::from(uint64_t index) const {
  uint64_t out = kEndless;
  for (const Progression& p : parts_) out = std::min(out, p.from(index));
  return out;
}

std::vector<Progression> Lot::left_from(uint64_t index) const {
  std::vector<Progression> out;
  for (const Progression& p : parts_)
    if (const uint64_t first = p.from(index); first != kEndless)
      out.push_back({first, p.stride, p.end});
  return out;
}

std::string Shard::text() const { return fmt::format("{}/{}", index, of); }

Shard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  const std::string head = text.substr(0, slash);
  const std::optional<uint64_t> of =
      slash == std::string::npos ? std::nullopt : whole(text.substr(slash + 1));
  if (text == "slurm") return of_array(text);
  if (head == "slurm" && of) return make_shard(text, variable(text, "SLURM_ARRAY_TASK_ID"), of);
  if (text == "kubernetes")
    refuse(text, "needs the number of shards, which no variable tells: kubernetes/N");
  if (head == "kubernetes" && of)
    return make_shard(text, variable(text, "JOB_COMPLETION_INDEX"), of);
  return make_shard(text, whole(head), of);
}

std::vector<Lot> deal(const Shard& shard, std::vector<Progression> left, int workers) {
  const auto n = static_cast<uint64_t>(workers);
  const auto by_first = [](const Progression& a, const Progression& b) {
    return std::tie(a.first, a.stride, a.end) < std::tie(b.first, b.stride, b.end);
  };
  std::sort(left.begin(), left.end(), by_first);
  std::vector<Lot> out(n);
  std::vector<Progression> gaps, endless;
  for (const Progression& p : left) (p.end == kEndless ? endless : gaps).push_back(p);
  if (endless.size() == n) {
    for (size_t w = 0; w < n; ++w) out[w].add(endless[w]);
  } else {
    // All from the furthest on is dealt anew; what those behind have before it are gaps.
    uint64_t from = shard.index;
    for (const Progression& p : endless) from = std::max(from, p.first);
    for (const Progression& p : endless)
      if (p.first < from) gaps.push_back({p.first, p.stride, from});
    for (uint64_t w = 0; w < n; ++w) out[w].add({from + w * shard.of, shard.of * n, kEndless});
  }
  for (size_t i = 0; i < gaps.size(); ++i) out[i % n].add(gaps[i]);
  return out;
}

}  // namespace fusillade::fuzz
