// What a judgement reaches, as features: seen in what the engine counts and compiles while it runs
// in this process. What other threads compile is not seen.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/probe.h"
#include "engine/fuse/compile_log.h"
#include "fuzz/corpus/feature.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// Watches from its construction on.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Features reached_features(const Verdict& verdict) const;

 private:
  std::vector<uint64_t> own_;  // counts of operators, where nobody else counts them
  std::vector<uint64_t> before_;
  std::vector<std::pair<const Probe*, uint64_t>> probes_;  // in order of their names
  fuse::CompileLog log_;
};

// The productions that generated a program, from counts by Production::number.
Features productions_in(std::span<const uint32_t> counts);
// Those of a case's features that no judgement shows again: its productions are known only from its
// note.
Features noted_productions(const Features& noted);

}  // namespace fusillade::fuzz
