// See training.h.
#include "fuzz/case/training.h"

#include <algorithm>

#include "engine/ops/class_type.h"
#include "fuzz/case/case.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kTraining = "training";

IValue* mode_of(const IValue& v) {
  if (v.tag() != IValue::Tag::Object) return nullptr;
  const int slot = v.as_object().cls->slot(kTraining);
  if (slot < 0) return nullptr;
  IValue& mode = v.as_object().slots[static_cast<size_t>(slot)];
  return mode.is_bool() ? &mode : nullptr;
}

// Of the module and those within it, in order.
template <class F>
void each_mode(const IValue& v, const F& f) {
  if (v.tag() != IValue::Tag::Object) return;
  if (IValue* mode = mode_of(v)) f(*mode);
  for (const IValue& slot : v.as_object().slots) each_mode(slot, f);
}

std::vector<bool> modes(const IValue& module) {
  std::vector<bool> out;
  each_mode(module, [&](const IValue& mode) { out.push_back(mode.as_bool()); });
  return out;
}

}  // namespace

bool has_training(const IValue& module) { return mode_of(module) != nullptr; }

bool is_training(const IValue& module) { return mode_of(module)->as_bool(); }

IValue in_mode(const IValue& module, bool training) {
  IValue out = copy_call({{module}}).inputs[0];
  each_mode(out, [&](IValue& mode) { mode = IValue(training); });
  return out;
}

std::string mode_text(const IValue& constructed, const IValue& module) {
  const std::vector<bool> own = modes(module);
  if (own.empty() || own == modes(constructed)) return "";
  return own[0] ? ".train()" : ".eval()";
}

}  // namespace fusillade::fuzz
