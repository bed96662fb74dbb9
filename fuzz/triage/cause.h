// When do two findings have one cause? A finding is identified by its verdict, the part to blame,
// and the message without the details of one case. Where the message says only that results are
// wrong, what the reduced program consists of counts, too: kinds of ops for what we run, control
// flow for an executor, ops themselves for external engines, constructs for a script. A rule, a
// kind of operator and a part that got wrong facts about memory need no ops: they are as narrow as
// a cause gets. The oracle is no part of it: several see one fault.
//
// Reduced programs of one fault differ, for a reducer stops at some least program, not at the
// least: two causes whose ops are comparable (one set within the other) are one. Scripts that are
// refused are reduced by lines alone, so much of a line stays that is not needed: one construct in
// common that binds a name or an argument is enough there, whatever the refusals say.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fuzz/bisect/culprit.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Cause {
  std::string verdict;        // "mismatch", "crash"
  Culprit part;               // of the blame: "cse/merge", "operator pointwise", "torch:compile"
  std::string message;        // "wrong result", "error: shapes # and # do not agree"
  std::set<std::string> ops;  // empty where the others are enough
  std::set<std::string> operators;  // names of the reduced program's ops, for people and mute lists
  std::string plan;                 // the least plan that fails
};

// A message without what belongs to one case: numbers, sizes, names of values, dtypes, quoted text,
// locations in files, nodes of the program; nor the pass that met it, which blame says.
std::string normalise(const std::string& message);
// What the verdict says is wrong, normalised; "wrong result" for every symptom of a wrong value.
std::string message_of(const Verdict& v);

// Names of the ops of a case's graph.
std::set<std::string> operators_in(const Case& c);
Cause cause_of(const Verdict& v, const Culprit& blame, const Case& reduced);
bool same_cause(const Cause& a, const Cause& b);
// Is a cause of the same verdict and part the same that has one of this one's ops, whatever the
// messages say?
bool one_op_is_enough(const Cause& cause);
// The word for an operator in causes with this blame: the kind for what computes, the name for
// external engines, the name of control flow for executors, and for the rest whether it computes,
// views or writes.
std::string word_of(const Operator& op, const Culprit& part);
// What a program consists of, in these words; where the front end is to blame, its constructs.
std::set<std::string> words_of(const Case& c, const Culprit& part);
// "mismatch-cse-merge-0123456789ab"
std::string bucket_name(const Cause& cause);
std::string hash12(const std::string& text);

std::string print(const Cause& cause);  // JSON
Cause parse_cause(const std::string& text);

}  // namespace fusillade::fuzz
