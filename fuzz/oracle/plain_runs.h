// The runs of a plain text that its oracles share: in CPython as it is, once more, twice in double
// precision, and where these differ from what is compiled with other roundings (rounded.h). Each
// run has a module of its own, so that what the text leaves behind in one call the next call of the
// same run meets.
#pragma once

#include "fuzz/oracle/rounded.h"
#include "fuzz/run/foreign/source_form.h"

namespace fusillade::fuzz {

inline constexpr const char* kMayBranch = "elements of tensors decide what Python does";

struct Plain {
  SourceOutcome eager;
  bool steady = true;        // a second run is the same
  bool prints_again = true;  // all plain runs print the same
  bool leaves_data = false;  // it changes data of the text
  bool data_again = true;    // all plain runs leave the same; else prints have nothing of it
  bool may_branch =
      false;  // Python reads elements that other precisions change: roundings may decide
  PlainRuns results, arguments;
};

Plain run_plainly(const SourceProgram& plain, const Call& call);

// One call, as `eager` and what is compiled end.
using JudgePlain = Verdict (*)(const Contract& contract, const Plain& plain,
                               const SourceOutcome& observed);

// Each compiled plan of a case on each call. A call of other sizes than the first is judged only
// where plain Python takes it.
Verdict judge_plain(const Case& c, Asked asked, JudgePlain judge);

}  // namespace fusillade::fuzz
