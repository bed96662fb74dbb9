// See engine.h.
#include "fuzz/run/foreign/engine.h"

#include <unistd.h>

#include <atomic>

#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/host_side.h"
#include "fuzz/run/foreign/ir_text.h"

namespace fusillade::fuzz {

using nlohmann::json;

PythonSource python_for(Graph& graph, const Family& family) {
  evaluate_host_side(graph);
  return python_source(graph, ForeignWorker::of(family).names());
}

ForeignProgram foreign_program(const Graph& given, const Family& family) {
  static std::atomic<uint64_t> number = 0;
  std::unique_ptr<Graph> graph = without_calls(given);
  const std::string ir = ir_text(*graph);
  PythonSource source = python_for(*graph, family);
  std::string id = fmt::format("{}.{}", getpid(), ++number);
  json program = {{"id", id}, {"ops", source.ops}, {"python", source.text}, {"ir", ir}};
  return {id, json{{"programs", json::array({program})}}.dump(-1, ' ', true,
                                                              json::error_handler_t::replace)};
}

json options_of(const Plan& plan) {
  const ForeignWorker& worker = ForeignWorker::of(family_of(plan.engine));
  return worker.options().parse_words(name_in_family(plan.engine), plan.words);
}

namespace {

class Outside : public Executable {
 public:
  Outside(const Graph& program, const Plan& plan)
      : family_(family_of(plan.engine)),
        engine_(name_in_family(plan.engine)),
        program_(foreign_program(program, family_)) {
    ForeignWorker::of(family_).require(engine_);
    options_ = options_of(plan);
  }
  ~Outside() override { ForeignWorker::forget(family_, program_.id); }
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    return ForeignWorker::of(family_).run(program_, engine_, inputs, options_);
  }

 private:
  const Family& family_;
  std::string engine_;
  ForeignProgram program_;
  json options_;
};

}  // namespace

std::unique_ptr<Executable> prepare_outside(const ProgramView& program, const Plan& plan,
                                            std::unique_ptr<Graph>) {
  return std::make_unique<Outside>(program.graph, plan);
}

}  // namespace fusillade::fuzz
