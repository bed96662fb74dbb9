// The worker of one family of engines, kept running: programs and calls in, outcomes out
// (docs/reference/workers.md).
//
// A worker that is lost (it died, babbled, took too long or too much memory) on a call that was not
// its first is started anew and asked that call alone; what happens then counts. One that signals
// from outside end is asked some times; where no call is answered any more, Unstartable is thrown.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "fuzz/process/service.h"
#include "fuzz/run/foreign/contract.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/options.h"
#include "fuzz/run/foreign/python_source.h"
#include "fuzz/run/foreign/wire.h"

namespace fusillade::fuzz {

// A program lost its worker.
class WorkerLost : public Exception {
 public:
  WorkerLost(Lost::How how, std::string message) : Exception(std::move(message)), how(how) {}
  Lost::How how;
};

// An error that an operator raised, as the worker says, and not the program.
class OperatorError : public Error {
  using Error::Error;
};

// What a worker gets of a program.
struct ForeignProgram {
  std::string id;
  std::string prepare;  // the message's body
  bool source = false;  // of the form `source`
};

class ForeignWorker {
 public:
  // The one of this thread; throws Unstartable, saying how to install it, when it cannot run.
  static ForeignWorker& of(const Family& family);
  explicit ForeignWorker(const Family& family);

  // What workers are forked from is started, where the family has it; these engines are ready
  // there.
  static void nurse(const Family& family, const std::vector<std::string>& engines);

  // What it said of itself; nothing where it was not started in this thread.
  static std::map<std::string, std::string> greeting(const Family& family);

  // Throws Unsupported when it has no such engine, or not in this version.
  void require(const std::string& engine) const;
  Contract contract(const std::string& engine) const;
  std::vector<std::string> engines() const;
  const EngineOptions& options() const { return options_; }
  std::string version() const { return service_.hello().at("version"); }
  // Is it forked from one that has started?
  bool forks() const { return service_.hello().count("forks") != 0; }
  // Project and version, and what else a worker's hello says of its build: "PyTorch 2.13.0+cpu
  // (blas mkl, isa AVX512, threads 1, Python 3.11.2)".
  static std::string identity(const std::map<std::string, std::string>& hello);
  std::string identity() const { return identity(service_.hello()); }
  // Whose operator names the programs that it gets use.
  PythonOf names() const { return names_; }
  // Does it take programs in the form `source` (source_form.h)?
  bool takes_source() const;
  // Has it an op for this operator, which that engine takes? Where nothing is said, only trying
  // shows it.
  bool may_have(const Operator& op, const std::string& engine) const;

  // Makes a call; writes the inputs' new elements. Throws Error "CLASS: MESSAGE" where the engine
  // raises, Unsupported where it declines, WorkerLost.
  std::vector<IValue> run(const ForeignProgram& program, const std::string& engine,
                          const std::vector<IValue>& inputs,
                          const nlohmann::json& options = nlohmann::json::object());
  // Did it leave a part of the last call to its interpreter (the counter `graph_breaks`)?
  bool is_interpreted() const { return interpreted_; }
  // What the last call took of the engine itself, without the way there and back (the counter
  // `took`); none: it does not say.
  struct Took {
    double clock, processor;  // seconds
  };
  std::optional<Took> time_of_call() const { return took_; }
  // What the last call, of the form `source`, printed.
  const std::string& output_text() const { return printed_; }
  // Did an operator of tensors raise the error of the last call, and not Python itself?
  bool raised_for_result() const { return raised_for_result_; }
  // What else the worker counted in the last call: "graphs", "graph_breaks", "kernels".
  const std::map<std::string, int64_t>& counters() const { return counters_; }
  // The program is not called again.
  // Ends the one that runs: who asked it may have been killed before it answered.
  static void stop(const Family& family);
  static void forget(const Family& family, const std::string& program);

 private:
  Message ask(const ForeignProgram& program, const std::string& run, double seconds);
  std::string requests_for(const ForeignProgram& program, const std::string& run);
  std::vector<IValue> results_of(WireReader& reader, const std::vector<IValue>& inputs);
  static std::map<std::string, std::unique_ptr<ForeignWorker>>& of_thread();
  void learn();
  [[noreturn]] void throw_lost(double seconds);

  const Family& family_;
  Service service_;
  nlohmann::json engines_;
  std::map<std::string, Contract> contracts_;
  EngineOptions options_;
  std::set<std::string> ops_;                                  // none: it does not say
  std::map<std::string, std::set<const Operator*>> declined_;  // by engine: its contract's
  int known_generation_ = 0;
  std::vector<std::string> prepared_;   // ids that this worker knows
  std::vector<std::string> forgotten_;  // and those that it need not know any more
  PythonOf names_ = PythonOf::Workers;
  int outside_ends_ = 0;  // since it last answered
  bool interpreted_ = false;
  std::optional<Took> took_;
  std::string printed_;
  bool raised_for_result_ = false;
  std::map<std::string, int64_t> counters_;
};

}  // namespace fusillade::fuzz
