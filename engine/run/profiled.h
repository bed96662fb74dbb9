// A profiling executor: of a whole program, or of the fallback graph behind a guard.
//
// The first calls run the graph as it was written and record types (type_record.h). Then the graph
// is compiled for them: a version, which takes calls that look like those (its guard). A call that
// no version takes is profiled again, until there are as many versions as the plan allows, first
// for exact sizes, then for dynamic ones; after that, the graph compiled for no types takes it.
// Versions stay; which one takes a call is remembered by what its arguments look like (arg_key.h).
//
// Thread-safe. Nothing is compiled while a lock is held: calls that come meanwhile run the graph as
// it was written.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "engine/passes/pass.h"
#include "engine/run/arg_key.h"
#include "engine/run/type_record.h"

namespace fusillade {

struct Code;

// What all executors of one program share: the plan's words, and what happened.
struct JitSetting {
  int64_t calls = 1;      // profiled before each version
  int64_t statics = 2;    // versions for exact sizes
  int64_t dynamics = 10;  // and for dynamic sizes, after these
  int64_t fail = -1;      // the guard of this number always fails; -1: none
  std::vector<PassCall> pipeline = {};
  int64_t fuel = -1;
  mutable std::atomic<int64_t> guards{0};  // inserted so far: the number of the next one
  mutable std::atomic<int64_t> profiled{0}, versions{0}, generic{0}, failed{0}, implied{0},
      compiled{0};

  bool next_guard_fails() const { return guards.fetch_add(1) == fail; }
};

class Profiled {
 public:
  // `setting` must outlive it. Runs no operator.
  Profiled(std::shared_ptr<const Graph> graph, const JitSetting& setting, int64_t statics,
           int64_t dynamics);
  ~Profiled();
  // Throws what the graph's operators throw.
  std::vector<IValue> run(std::span<const IValue> args) const;
  // The graph that a call with such arguments would run now.
  const Graph& graph_for(std::span<const IValue> args) const;

 private:
  struct Version;
  struct Round;
  CallKind kind_of(std::span<const IValue> args) const;
  const Version* taker(const CallKind& kind, std::span<const IValue> args) const;
  std::vector<IValue> profile(const CallKind& kind, std::span<const IValue> args) const;
  void finish(Round round) const;
  const Version* generic(const CallKind& kind) const;
  std::unique_ptr<Version> compile(const CallKind& kind, const std::vector<Type>& types,
                                   const TypeRecord* record, bool dynamic_sizes) const;
  const Version* publish(std::unique_ptr<Version> version) const;

  std::shared_ptr<const Graph> graph_;
  const JitSetting& setting_;
  const int64_t statics_, dynamics_;
  const bool asks_gradients_;
  mutable PlanCache cache_;
  mutable std::mutex mutex_;  // of all below
  mutable std::vector<std::unique_ptr<Version>> versions_;
  mutable int64_t specialised_ = 0;
  mutable bool compiling_ = false;
  mutable std::unique_ptr<Round> round_;
  mutable std::vector<std::vector<Type>> history_;  // of the arguments of profiled calls
  mutable TypeRecord record_;                       // over all rounds
};

}  // namespace fusillade
