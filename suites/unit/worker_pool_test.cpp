// What a pool of workers says of programs that end them.
#include "fuzz/campaign/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "fuzz/process/shared_memory.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMost = 1000;  // megabytes of a worker, besides those that it is born with
constexpr size_t kLeft = 400;   // that each program leaves in it
constexpr uint64_t kPrograms = 8;
constexpr uint64_t kLarge = 5;

// A worker is born with the memory of this process, in which other tests ran.
size_t megabytes_here() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8)) >> 10;
  return 0;
}

// Programs that each leave memory in their worker, and one that needs more than a worker may have.
// What is too large waits to be killed.
void leave_memory(const Assignment& assignment, Slot& slot, std::atomic<uint64_t>* times) {
  size_t left = 0;
  for (uint64_t i = assignment.first; i < assignment.end; i = assignment.lot.from(i + 1)) {
    slot.begin_program(i, 0);
    ++times[i];
    const size_t megabytes = i == kLarge ? 2 * kMost : kLeft;
    void* const block = map_shared(megabytes << 20);
    std::memset(block, 1, megabytes << 20);
    left += megabytes;
    while (left > kMost) pause();
    slot.started_us.store(0);
    slot.next.store(assignment.lot.from(i + 1));
  }
}

TEST(WorkerPool, BlamesNoProgramForTheMemoryOfThoseBeforeIt) {
  auto* const times =
      static_cast<std::atomic<uint64_t>*>(map_shared(kPrograms * sizeof(std::atomic<uint64_t>)));
  std::vector<Death> deaths;
  Obstacle obstacle;
  WorkerPool pool({.jobs = 1,
                   .seed = 1,
                   .limits = {.seconds = 1e9, .megabytes = megabytes_here() + kMost},
                   .writes = {},
                   .work = [&](const Assignment& assignment,
                               Slot& slot) { leave_memory(assignment, slot, times); },
                   .died = [&](const Death& death) { deaths.push_back(death); }},
                  obstacle);
  const std::vector<Lot> lots{Lot({{0, 1, kPrograms}})};
  pool.start(lots, kPrograms);
  while (!pool.has_finished() && !obstacle) {
    usleep(1000);
    pool.look();
  }
  EXPECT_FALSE(obstacle);
  ASSERT_EQ(deaths.size(), 1u);
  EXPECT_EQ(deaths[0].index, kLarge);
  EXPECT_EQ(deaths[0].kind, VerdictKind::Memory);
  for (uint64_t i = 0; i < kPrograms; ++i) EXPECT_GE(times[i], 1u) << i;
  munmap(times, kPrograms * sizeof(std::atomic<uint64_t>));
}

}  // namespace
}  // namespace fusillade::fuzz
