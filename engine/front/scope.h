// Variables of a function while its graph is emitted: a stack of frames, one per block.
//
// A name is bound to a value, or to the reason why it has none (assigned in one branch only). Names
// that start with '$' are the emitter's own: "$return" and the flags of early exits.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::front {

struct Binding {
  Value* value = nullptr;
  std::optional<Type> declared;  // by an annotation
  std::string problem;           // why there is no value
  Value* refines = nullptr;      // the value this one is under a narrower type
  bool left = false;  // an iteration that was left early comes here with what `refines` is, and no
                      // true `value`
  bool unknown = false;           // a statement that failed would have given it its value
  std::optional<Type> carried{};  // through a loop, where that is narrower than what is declared
  Type type() const { return declared ? *declared : value->type().without_shapes(); }
  Value* whole() const { return left ? refines : value; }  // what each path comes here with
};

using Frame = std::map<std::string, Binding>;

class Scopes {
 public:
  void push() { frames_.emplace_back(); }
  size_t depth() const { return frames_.size(); }
  void drop_to(size_t depth) { frames_.resize(depth); }
  Frame pop() {
    Frame top = std::move(frames_.back());
    frames_.pop_back();
    return top;
  }
  void set(const std::string& name, Binding binding) { frames_.back()[name] = std::move(binding); }
  // In the innermost frames, names have the types again that they had before tests within these
  // narrowed them.
  void widen(size_t frames) {
    for (size_t i = frames_.size() - frames; i < frames_.size(); ++i) {
      for (auto& [name, binding] : frames_[i]) {
        if (!binding.refines) continue;
        const Binding* outer = find_below(name, frames_.size() - frames);
        if (outer && outer->refines == binding.refines) binding = *outer;
        else binding.value = std::exchange(binding.refines, nullptr), binding.left = false;
      }
    }
  }
  // Innermost first; nullptr when there is none.
  const Binding* find(const std::string& name) const { return find_below(name, frames_.size()); }
  // Ignoring the innermost frame.
  const Binding* find_outer(const std::string& name) const {
    return find_below(name, frames_.size() - 1);
  }
  // The value, or nullptr when the name has none here.
  Value* value(const std::string& name) const {
    const Binding* b = find(name);
    return b ? b->value : nullptr;
  }
  std::vector<std::string> names() const {
    Frame all;
    for (const Frame& f : frames_) all.insert(f.begin(), f.end());
    std::vector<std::string> out;
    for (auto& [name, binding] : all) {
      if (name[0] != '$' && binding.value) out.push_back(name);
    }
    return out;
  }

 private:
  const Binding* find_below(const std::string& name, size_t top) const {
    for (size_t i = top; i-- > 0;) {
      auto it = frames_[i].find(name);
      if (it != frames_[i].end()) return &it->second;
    }
    return nullptr;
  }

  std::vector<Frame> frames_;
};

}  // namespace fusillade::front
