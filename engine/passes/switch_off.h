// A pass or a rewrite rule switched off for a scope: does a failure need it?
//
//   SwitchOff off("cse");              // the pass does not run, in whatever pipeline names it
//   SwitchOff off("peephole/mul-one"); // the rule changes nothing, the pass's others do
//
// Bisection and triage ask with it; scopes are this thread's, and nest.
#pragma once

#include <string>

namespace fusillade {

class SwitchOff {
 public:
  explicit SwitchOff(std::string what);
  ~SwitchOff();
  SwitchOff(const SwitchOff&) = delete;
  SwitchOff& operator=(const SwitchOff&) = delete;

 private:
  friend bool is_switched_off(const std::string& what);
  std::string what_;
  SwitchOff* next_;
};

// Is there a scope for this pass, or for this "pass/rule"?
bool is_switched_off(const std::string& what);

}  // namespace fusillade
