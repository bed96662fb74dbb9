// What a campaign makes of its corpus: its cases, judged again, and mutants of them. Both are pure
// functions of the index and of the corpus as it was when the campaign began.
#pragma once

#include <functional>
#include <optional>

#include "fuzz/campaign/judgement.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

inline constexpr double kCorpusMutants = 0.1;  // of the programs of a campaign with a corpus
inline constexpr double kReplayShare = 0.1;    // of its time, at most, in which cases are judged
                                               // again

// Index `index` from kReplays on: a case under its own oracle and plans, where the campaign has
// these and no plan is asked for; else like a generated program. No judgements: the case is gone.
Trial make_replay(const CampaignOptions& options, uint64_t index);

// Now and then a mutant of a case of the corpus that has a program of such operators; of any, where
// `operators` is empty.
std::optional<Case> mutant_of_corpus(Choices& choices, const CampaignOptions& options,
                                     const std::function<bool(const Operator&)>& operators);

}  // namespace fusillade::fuzz
