// See jit.h.
#include "engine/run/jit.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/autograd.h"
#include "engine/run/call_scope.h"
#include "engine/run/frame.h"

namespace fusillade {
namespace {

int64_t* word_of(JitSetting& setting, std::string_view name) {
  if (name == "calls") return &setting.calls;
  if (name == "static") return &setting.statics;
  if (name == "dynamic") return &setting.dynamics;
  return name == "fail" ? &setting.fail : nullptr;
}

void read_words(const std::vector<std::string>& words, JitSetting& setting) {
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    int64_t* to = word_of(setting, std::string_view(word).substr(0, equals));
    int64_t number = 0;
    const bool legal = to && equals != std::string::npos &&
                       parse_int(word.substr(equals + 1), &number) && number >= 0 &&
                       (to != &setting.calls || number > 0);
    if (!legal)
      fail(
          "jit takes calls=N (1 or more), static=N, dynamic=N and fail=N, as in "
          "jit(calls=2,static=1), not '{}'",
          word);
    *to = number;
  }
}

class Jit : public JitExecutable {
 public:
  Jit(std::shared_ptr<const Graph> graph, const Plan& plan)
      : graph_(std::move(graph)), needs_(*graph_) {
    read_words(plan.words, setting_);
    setting_.pipeline = plan.pipeline;
    setting_.fuel = plan.fuel;
    executor_ = std::make_unique<Profiled>(graph_, setting_, setting_.statics, setting_.dynamics);
  }

  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    check_inputs(*graph_, inputs);
    const CallScope scope(needs_);
    return scope.end(executor_->run(inputs));
  }

  JitCounters counters() const override {
    return {setting_.profiled, setting_.versions, setting_.guards,  setting_.implied,
            setting_.failed,   setting_.generic,  setting_.compiled};
  }

  const Graph& graph_for(const std::vector<IValue>& inputs) const override {
    check_inputs(*graph_, inputs);
    std::optional<eager::Gradients> recorded;
    if (needs_.records) recorded.emplace();
    return executor_->graph_for(inputs);
  }

 private:
  std::shared_ptr<const Graph> graph_;
  CallNeeds needs_;
  JitSetting setting_;
  std::unique_ptr<Profiled> executor_;
};

std::unique_ptr<Executable> prepare_jit(const ProgramView&, const Plan& plan,
                                        std::unique_ptr<Graph> written) {
  return std::make_unique<Jit>(std::move(written), plan);
}

void check_words(const std::vector<std::string>& words) {
  JitSetting setting;
  read_words(words, setting);
}

DrawnPlans drawn_jit() {
  return {
      .one_of = {"jit/o2", "jit/o2,fuse(loopnest,interp)", "jit(calls=2,static=1)/o2",
                 "jit(static=0,dynamic=2)/o2,fuse(loopnest,interp)",
                 "jit(static=0,dynamic=0)/o2,fuse(loopnest,interp)"},
      .costly = {"jit/o2,fuse(loopnest,llvm)", "jit(static=0,dynamic=0)/o2,fuse(loopnest,llvm)"}};
}

const Engine& kJit = Table<Engine>::instance().add(
    {.name = "jit",
     .summary = "profiles calls, then runs the graph compiled for the types it saw",
     .prepare = &prepare_jit,
     .passes_later = true,
     .check_words = &check_words,
     .drawn = &drawn_jit});

}  // namespace
}  // namespace fusillade
