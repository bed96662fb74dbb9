// Counts the rows that run while it is alive: how far a program came, or how much it does.
#pragma once

#include <cstdint>
#include <vector>

namespace fusillade::fuzz {

class RowsRun {
 public:
  RowsRun();
  ~RowsRun();
  RowsRun(const RowsRun&) = delete;
  RowsRun& operator=(const RowsRun&) = delete;
  uint64_t sum() const;
  void clear();

 private:
  std::vector<uint64_t> runs_;
  uint64_t* before_;
};

}  // namespace fusillade::fuzz
