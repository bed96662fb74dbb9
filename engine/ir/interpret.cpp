// See interpret.h.
#include "engine/ir/interpret.h"

#include "engine/base/options.h"

namespace fusillade {
namespace {

const Option<int64_t> kMaxCallDepth("max_call_depth", 64,
                                    "deepest nesting of function calls in a program", "0..");

void interpret_body(const Operator& op, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  for (IValue& v : interpret(composite_body(op), args)) results.push_back(std::move(v));
}

[[maybe_unused]] const bool kProvided = [] {
  provide_body_call(&interpret_body);
  return true;
}();

}  // namespace

int max_call_depth() {
  static const int depth = static_cast<int>(kMaxCallDepth.get());
  return depth;
}

std::string too_deep_text() {
  return fmt::format("calls nest more than {} deep (FUSILLADE_MAX_CALL_DEPTH)", max_call_depth());
}

void calls_nest_too_deep() { fail("{}", too_deep_text()); }

std::vector<IValue> interpret(const Graph& graph, std::span<const IValue> inputs) {
  ValueDomain values;
  return Interpreter(values).run(graph, {inputs.begin(), inputs.end()});
}

}  // namespace fusillade
