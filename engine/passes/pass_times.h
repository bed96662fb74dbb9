// How long each pass takes (PassStat::seconds) is measured while somebody asks: the clock of a
// thread is read by a call of the system, which costs as much as a small pass.
#pragma once

namespace fusillade {

class PassTimes {
 public:
  PassTimes();
  ~PassTimes();
  PassTimes(const PassTimes&) = delete;
  PassTimes& operator=(const PassTimes&) = delete;

  static bool is_asked();  // on this thread
};

}  // namespace fusillade
