// Which programs a worker is to judge, and how those of a shard are dealt to workers.
//
// A lot is some arithmetic progressions of indices, taken together in ascending order. One number
// says what is done: the first index that is not. So what is left of a campaign is a list of
// progressions, whoever judged the rest, and another number of workers may go on with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fusillade::fuzz {

inline constexpr uint64_t kEndless = ~uint64_t{0};

// first, first + stride, ... below `end`.
struct Progression {
  uint64_t first = 0;
  uint64_t stride = 1;
  uint64_t end = kEndless;
  // The first member from `index` on; kEndless: there is none.
  uint64_t from(uint64_t index) const;
  bool operator==(const Progression&) const = default;
};

class Lot {
 public:
  Lot() = default;
  explicit Lot(std::vector<Progression> parts) : parts_(std::move(parts)) {}
  void add(const Progression& part) { parts_.push_back(part); }
  // The first program from `index` on; kEndless: there is none.
  uint64_t from(uint64_t index) const;
  // Its progressions from there.
  std::vector<Progression> left_from(uint64_t index) const;

 private:
  std::vector<Progression> parts_;
};

// What one worker is to judge: of its lot, from `first` on, those before `end`.
struct Assignment {
  const Lot& lot;
  uint64_t first = 0;
  uint64_t end = kEndless;
};

// Which part of a campaign's programs one process of many is to judge: index, index + of, ...
struct Shard {
  uint64_t index = 0;
  uint64_t of = 1;
  std::string text() const;  // "1/4"
  bool operator==(const Shard&) const = default;
};

inline constexpr uint64_t kMostShards = 1'000'000;

// "I/N", or the words of a scheduler that is asked: "slurm", "slurm/N", "kubernetes/N", which read
// its variables. Throws Error that says what is legal.
Shard parse_shard(const std::string& text);

// What is left of a shard, in lots for so many workers. `left` empty: nothing was started.
std::vector<Lot> deal(const Shard& shard, std::vector<Progression> left, int workers);

}  // namespace fusillade::fuzz
