// Counts the operators that run while it is alive: how far a program came, or how much it does.
#pragma once

#include <cstdint>
#include <vector>

namespace fusillade::fuzz {

class OperatorsRun {
 public:
  OperatorsRun();
  ~OperatorsRun();
  OperatorsRun(const OperatorsRun&) = delete;
  OperatorsRun& operator=(const OperatorsRun&) = delete;
  uint64_t sum() const;
  void clear();

 private:
  std::vector<uint64_t> runs_;
  uint64_t* before_;
};

}  // namespace fusillade::fuzz
