// See switch_off.h.
#include "engine/passes/switch_off.h"

#include <utility>

namespace fusillade {
namespace {

thread_local SwitchOff* in_force = nullptr;

}  // namespace

SwitchOff::SwitchOff(std::string what) : what_(std::move(what)), next_(in_force) {
  in_force = this;
}

SwitchOff::~SwitchOff() { in_force = next_; }

bool is_switched_off(const std::string& what) {
  for (const SwitchOff* s = in_force; s; s = s->next_)
    if (s->what_ == what) return true;
  return false;
}

}  // namespace fusillade
