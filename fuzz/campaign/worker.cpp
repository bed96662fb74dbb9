// See worker.h. Of findings of one kind (oracle, verdict, reason, plan, and the ops of a program of
// few) one worker saves the first kSavedPerKind and then the 8th, 16th, 32nd and so on; the rest
// are counted, so that a bug which fires in every program does not fill the disk, and does not for
// ever hide another that looks alike.
//
// A worker whose GPU is lost (a kernel did what it must not) saves the finding and ends; the next
// one goes on with the plan behind.
//
// Where an oracle is cheaper for many programs at once (Oracle::ahead), kAhead programs are
// generated before the first is judged. Slot::next is the first that is not judged: whatever dies,
// none between is left out.
//
// With a corpus each judgement is watched: what reached something new is kept as a case there,
// under the oracle and the plans that it met. One that fails is no such case but a finding.
#include "fuzz/campaign/worker.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <set>

#include "engine/base/file.h"
#include "engine/base/lack.h"
#include "engine/base/probe.h"
#include "engine/base/text.h"
#include "engine/kernel/cuda_device.h"
#include "engine/ops/call.h"
#include "engine/tensor/memory_pool.h"
#include "fuzz/campaign/cost.h"
#include "fuzz/corpus/watch.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/heap.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/run/foreign/versions.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kSavedPerKind = 4;
constexpr size_t kFewOps = 3;
using Clock = std::chrono::steady_clock;
constexpr uint64_t kPeriod = 64;  // programs between two looks at the probes, at most
constexpr auto kOften = std::chrono::milliseconds(100);  // and time, but for the last program
constexpr size_t kAhead = 64;  // at most: the first are fewer, so that a short campaign judges some
constexpr size_t kFirstAhead = 8;

// The ops of a graph that has no more than kFewOps kinds of them, else nothing.
std::string few_ops(const Case& c) {
  if (!c.script.empty() || !c.program) return "";
  std::set<std::string> ops;
  for (const Node* node : c.program->block()->nodes())
    if (node->op().name.starts_with("aten::")) ops.insert(node->op().name);
  return ops.size() <= kFewOps ? fmt::format("{}", fmt::join(ops, ",")) : "";
}

class Worker {
 public:
  Worker(const WorkerOptions& options, Slot& slot) : options_(options), slot_(slot) {}

  // Some programs from `first` on, at least one; the index behind them.
  uint64_t judge_some(uint64_t first) {
    std::vector<Trial> trials;
    uint64_t index = first;
    bool more = true;
    for (; more && index < options_.assignment.end && trials.size() < ahead_;
         index = behind(index)) {
      slot_.begin_program(index, -1);
      {
        const Timed timed(slot_, index, kGenerate);
        const StageScope generating(Stage::Generate);
        trials.push_back(make_trial(options_.campaign, index));
      }
      more = index >= slot_.alone.load(std::memory_order_relaxed) && looks_ahead(trials.back());
    }
    if (trials.size() > 1) look_ahead(trials);
    ahead_ = std::min(kAhead, 2 * ahead_);
    index = first;
    for (Trial& trial : trials) {
      if (!judge(trial, index)) break;
      index = behind(index);
    }
    return index;
  }

  bool hands_over() const { return slot_.again.load(); }

  void finish() { count_probes(); }

 private:
  uint64_t behind(uint64_t index) const { return options_.assignment.lot.from(index + 1); }

  static bool looks_ahead(const Trial& trial) {
    return std::any_of(trial.judgements.begin(), trial.judgements.end(),
                       [](const Judgement& j) { return j.oracle->ahead != nullptr; });
  }

  // A worker that hangs here is killed, and makes these programs one at a time: it is no single
  // program's time.
  void look_ahead(std::vector<Trial>& trials) {
    slot_.started_us.store(now_us(), std::memory_order_release);
    std::map<const Oracle*, std::vector<std::pair<Trial*, const Judgement*>>> of;
    for (Trial& trial : trials) {
      for (const Judgement& j : trial.judgements)
        if (j.oracle->ahead) of[j.oracle].emplace_back(&trial, &j);
    }
    for (const auto& [oracle, asked] : of) {
      std::vector<const Case*> cases;
      for (const auto& [trial, judgement] : asked) {
        trial->program.plans = judgement->plans;
        cases.push_back(&trial->program);
      }
      oracle->ahead(cases);
    }
  }

  // While alive, operators that run are counted: those of programs, not those that a generator
  // tries.
  struct Counting {
    explicit Counting(Slot& slot) { operator_runs = slot.operator_runs; }
    ~Counting() { operator_runs = nullptr; }
  };

  // One part's share of the cost, with its stages for every kStagesOf-th program.
  struct Timed {
    Timed(Slot& slot, uint64_t index, std::string part)
        : slot(slot), part(std::move(part)), looked(index % kStagesOf == 0), start(process_ns()) {
      if (looked) time_stages(&slot.stages);
    }
    ~Timed() {
      if (looked) time_stages(nullptr);
      slot.count_cost(part, executions, process_ns() - start);
    }
    Slot& slot;
    std::string part;
    bool looked;
    uint64_t start;
    uint64_t executions = 0;
  };

  void count_probes() {
    for (const Probe* p : probes()) {
      uint64_t& reported = reported_[p];
      uint64_t now = p->count();
      if (now != reported) slot_.count_probe(p->name(), now - reported);
      reported = now;
    }
  }

  // False: another worker is to go on with it.
  bool judge(Trial& trial, uint64_t index) {
    slot_.begin_program(index, 0);
    Counting counting(slot_);
    auto stage = static_cast<size_t>(slot_.from_stage.load());
    of_stage_ = slot_.from_plan.load();
    for (; stage < trial.judgements.size(); ++stage, of_stage_ = 0) {
      slot_.stage.store(static_cast<int32_t>(stage), std::memory_order_release);
      const Judgement& judgement = trial.judgements[stage];
      trial.program.oracle = judgement.oracle->name;
      trial.program.plans = judgement.plans;
      trial.program.plans.erase(trial.program.plans.begin(),
                                trial.program.plans.begin() + of_stage_);
      bool more = true;
      while (more) {
        more = judge_plans(trial, index, stage);
        if (!kernel::cuda::device_lost()) continue;
        const size_t passed = judgement.plans.size() - trial.program.plans.size();
        hand_over(more ? stage : stage + 1, more ? passed : 0);
        return false;
      }
    }
    slot_.count_productions(trial.productions);
    const bool may_be_none = options_.campaign.use == Use::Check || is_replay(index);
    done_with(index, trial.judgements.empty() && may_be_none);
    return true;
  }

  void hand_over(size_t stage, size_t plan) {
    slot_.version.fetch_add(1, std::memory_order_acq_rel);
    commit();
    slot_.version.fetch_add(1, std::memory_order_acq_rel);
    slot_.from_stage.store(static_cast<int32_t>(stage));
    slot_.from_plan.store(static_cast<int32_t>(plan));
    slot_.started_us.store(0, std::memory_order_release);
    slot_.again.store(true);
  }

  void done_with(uint64_t index, bool left_out) {
    const auto now = Clock::now();
    if (++uncounted_ >= kPeriod || now - counted_ >= kOften) {
      count_probes();
      counted_ = now;
      uncounted_ = 0;
    }
    slot_.started_us.store(0, std::memory_order_release);
    slot_.version.fetch_add(1, std::memory_order_acq_rel);
    commit();
    if (!left_out) ++(is_replay(index) ? slot_.counters.replayed : slot_.counters.programs);
    slot_.from_stage.store(0);
    slot_.from_plan.store(0);
    slot_.next.store(behind(index), std::memory_order_release);
    slot_.version.fetch_add(1, std::memory_order_acq_rel);
  }

  // True: a plan failed, and those behind it are to be judged; they are the program's now.
  bool judge_plans(Trial& trial, uint64_t index, size_t stage) {
    Case& c = trial.program;
    const bool watched = options_.seen && !trial.judgements[stage].oracle->generated_only;
    Verdict verdict = watched ? watched_judgement(trial, index) : timed_judgement(c, index);
    if (verdict.raises && trial.generated && c.script.empty()) save_invalid(c, index, stage);
    if (is_finding(verdict.kind)) save(c, verdict, index, stage);
    count(verdict);
    auto failed = std::find(c.plans.begin(), c.plans.end(), verdict.plan);
    if (!trial.every_plan || !is_finding(verdict.kind) || failed == c.plans.end()) return false;
    c.plans.erase(c.plans.begin(), failed + 1);
    return !c.plans.empty();
  }

  Verdict timed_judgement(const Case& c, uint64_t index) {
    Timed timed(slot_, index, c.oracle);
    Verdict verdict = judge_here(c);
    timed.executions = verdict.executions;
    return verdict;
  }

  Verdict watched_judgement(const Trial& trial, uint64_t index) {
    const Watch watch;
    Verdict verdict = timed_judgement(trial.program, index);
    const Timed timed(slot_, index, kKeep);
    if (!is_finding(verdict.kind)) keep(trial, watch.reached_features(verdict), index);
    return verdict;
  }

  void keep(const Trial& trial, Features reached, uint64_t index) {
    Seen& seen = *options_.seen;
    if (is_replay(index)) {
      seen.add(noted_productions(options_.campaign.kept->cases[index - kReplays].features));
      return seen.add(reached);
    }
    reached.merge(productions_in(trial.productions));
    if (seen.has_all(reached) || input_bytes(trial.program) > kMostKeptBytes) return;
    const std::string text = corpus_text(trial.program, reached);
    if (text.size() > kMostKeptBytes) return;
    if (keep_in_corpus(corpus_name(trial.program), text)) {
      ++seen.kept;
      seen.kept_bytes += text.size();
    }
    seen.add(reached);
  }

  // A corpus that cannot be written is no fault of the program.
  bool keep_in_corpus(const std::string& name, const std::string& text) {
    try {
      return add_to_corpus(options_.campaign.corpus, name, text);
    } catch (const Error& e) {
      note_lack(e.what());
      throw;
    }
  }

  void save(const Case& c, const Verdict& verdict, uint64_t index, size_t stage) {
    std::string kind = fmt::format("{}|{}|{}|{}|{}", verdict.oracle, name_of(verdict.kind),
                                   verdict.reason, verdict.plan.text, few_ops(c));
    uint64_t nth = kernel::cuda::device_lost() ? ++slot_.gpus_lost : ++saved_[kind];
    if (nth > kSavedPerKind && !std::has_single_bit(nth)) {
      ++judged_.unsaved;
      return;
    }
    std::string name = fmt::format("{}/{:012d}-{}", options_.pending, index, stage);
    if (of_stage_++ > 0) name += fmt::format("-{}", of_stage_);
    Case found = finding_case(verdict.shown_by ? *verdict.shown_by : c, verdict);
    note_engines(found);
    write_atomically(name + ".case", print(found));
  }

  // Graphs are valid by construction: one that raises is a bug of the generator or of inference.
  void save_invalid(const Case& c, uint64_t index, size_t stage) {
    Case copy = c.clone();
    copy.oracle = "valid";
    copy.plans.clear();
    Verdict verdict = timed_judgement(copy, index);
    if (!is_finding(verdict.kind)) return;
    save(copy, verdict, index, stage);
    count(verdict);
  }

  void count(const Verdict& verdict) {
    Counters& c = judged_;
    ++c.verdicts[static_cast<int>(verdict.kind)];
    c.executions += verdict.executions;
    c.compared += verdict.elements.compared;
    c.tight += verdict.elements.tight;
    c.untrusted += verdict.elements.untrusted;
    if (!is_finding(verdict.kind) && !verdict.reason.empty()) {
      reasons_.push_back(fmt::format("{}: {}", name_of(verdict.kind), reason_of(verdict)));
    }
  }

  // A program is counted when it is done: one that was stopped amid it is judged anew by --resume.
  void commit() {
    slot_.counters += judged_;
    for (const std::string& reason : reasons_) slot_.count_reason(reason);
    judged_ = {};
    reasons_.clear();
  }

  // What was skipped, and why. A check has few programs, so it reports more: which operators, below
  // the first line of a refusal's detail; which error.
  std::string reason_of(const Verdict& verdict) const {
    if (options_.campaign.use != Use::Check || verdict.detail.empty()) return verdict.reason;
    const size_t end = verdict.detail.find('\n');
    const std::string first = verdict.detail.substr(0, end);
    const std::string of_eager = "its eager mode: ";
    const std::string reason =
        verdict.reason.starts_with(of_eager) ? of_eager + first : verdict.reason;
    if (end == std::string::npos) return reason;
    const std::string second(
        trim(verdict.detail.substr(end + 1, verdict.detail.find('\n', end + 1) - end - 1)));
    return reason + ": " + (second.starts_with("File \"") ? first + ", " + second : second);
  }

  const WorkerOptions& options_;
  Slot& slot_;
  Counters judged_;                   // of the program at work
  std::vector<std::string> reasons_;  // and of what it skipped
  std::map<std::string, uint64_t> saved_;
  std::map<const Probe*, uint64_t> reported_;  // hits that the slot has
  uint64_t uncounted_ = 0;                     // programs since then
  Clock::time_point counted_ = Clock::now();
  size_t ahead_ = kFirstAhead;
  int of_stage_ = 0;  // findings of the judgement at work, or plans that a worker before judged
};

}  // namespace

void run_worker(const WorkerOptions& options, Slot& slot) {
  heartbeat_at(&slot.started_us);
  keep_small_blocks();
  keep_large(size_t{32} << 20);
  Worker worker(options, slot);
  for (uint64_t i = options.assignment.first; i < options.assignment.end && !worker.hands_over();)
    i = worker.judge_some(i);
  worker.finish();
}

}  // namespace fusillade::fuzz
