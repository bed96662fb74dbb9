// Which of the cases that wait is triaged next, why, and for how long. It only computes: no
// process, no file and no clock. In go the cases that wait with what they were reported with, the
// findings of the store, and how triages ended; out comes the next pick.
//
// Triage takes its share of the campaign's time (triage_share.h): one that takes more is cut short,
// and not tried again before twice as much is left. What then still waits stays in pending/, with
// what its triage came to so far. A case that looks like a cause that is known (verdict, message,
// and of an external engine the operators, which are all needed) is first only asked whether it
// joins it, the largest group of such cases first; then come cases that look like none, the
// smallest first, and last those that did not join. After some that were only asked comes one of
// the others, so that many cases of one symptom do not keep a second cause waiting.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/known.h"
#include "fuzz/campaign/triage_share.h"
#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {

// A case to be triaged.
struct TriagePick {
  // In order: the last comes first.
  enum class Why {
    DidNotJoin,  // it looks like a cause that is known, and showed none of them
    LooksNew,    // like no cause that is known
    MayJoin      // like one: it is only asked whether it joins it
  };
  std::string name;
  Why why = Why::LooksNew;
  double seconds = 0;   // that it may take
  bool halved = false;  // is that half of what it might have had?
};

class TriageQueue {
 public:
  explicit TriageQueue(const TriageShare& share) : share_(share) {}

  // The cases that wait now, by name; those not met before are read.
  void set_waiting(const std::vector<std::string>& names,
                   const std::function<Untriaged(const std::string& name)>& read);
  // A finding that is in the store now, or was.
  void know(const FindingRow& finding);
  // The programs ended after so many seconds of the campaign.
  void workers_ended(double elapsed) { share_.workers_ended = elapsed; }

  // Is there time for a triage at all?
  bool has_time(double elapsed) const;
  // None: nothing waits that triage may finish in the time that is left, as far as is known.
  std::optional<TriagePick> next(double elapsed) const;

  // The triage of a pick begins.
  void begin(const TriagePick& pick);
  // How the triage of a pick ended: it took so long; it was cut short; it shows none of the causes
  // that are known; it was killed from outside. Killed few times, it is to be tried again.
  void add_time(double seconds) { share_.used += seconds; }
  void cut(const TriagePick& pick);
  void did_not_join(const TriagePick& pick) { did_not_join(pick.name, findings_); }
  // The same, when there were so many findings.
  void did_not_join(const std::string& name, size_t findings) { unlike_[name] = findings; }
  bool note_killed(const TriagePick& pick);

  // Is one more death of this kind to be saved? Of one kind that triage comes to an end with.
  bool saves_death(const std::string& kind);

  size_t size() const { return waiting_.size(); }
  size_t findings() const { return findings_; }  // of the store, those without a cause, too
  const std::vector<KnownCause>& causes() const { return causes_; }
  double seconds_used() const { return share_.used; }
  double seconds_of_workers() const { return share_.workers_ended; }
  // Names of those that wait, by what they show.
  std::map<std::string, std::vector<std::string>> groups() const;
  // How many of them are of causes that people know, whatever triage will say of them, by record.
  std::map<std::string, size_t> muted_counts(const KnownList& known) const;

 private:
  bool may_finish(const std::string& name, double seconds) const;
  bool may_join(const Untriaged& untriaged) const;
  TriagePick::Why why_of(const std::string& name, const Untriaged& untriaged) const;
  bool programs_run() const { return share_.workers_ended == 0; }

  TriageShare share_;
  std::map<std::string, Untriaged> waiting_;
  std::map<std::string, size_t> unlike_;  // how many findings there were that it did not join
  std::map<std::string, double> cut_;     // seconds that were too few
  std::set<std::string> halved_;          // cut short with half of what there was
  std::map<std::string, int> killed_;     // from outside, how often
  std::map<std::string, int> saved_;      // deaths, by kind
  std::vector<KnownCause> causes_;        // of the store's findings
  std::set<std::string> symptoms_;        // of these, but for those of external engines
  int asks_ = 0;                          // since one was triaged as a whole
  size_t findings_ = 0;
};

}  // namespace fusillade::fuzz
