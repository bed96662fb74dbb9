// See input_view.h. The expression is the body of a function of the tensors given before, which
// eager mode runs.
#include "fuzz/cli/input_view.h"

#include "engine/base/text.h"
#include "engine/front/script.h"
#include "engine/ir/interpret.h"
#include "engine/run/archive/print_python.h"

namespace fusillade::cli {
namespace {

std::vector<IValue> evaluate(const std::string& expression, const NamedTensors& given) {
  std::vector<std::string> names;
  std::vector<IValue> values;
  for (const auto& [name, tensor] : given) {
    names.push_back(name);
    values.emplace_back(tensor);
  }
  const std::string text =
      fmt::format("def view({}):\n    return ({})\n", join(names, ", "), expression);
  const Script script = compile_script(text, "--in");
  const Graph* graph = script.find("view");
  if (!graph || script.functions.size() != 1) fail("one expression is expected");
  return interpret(*graph, values);
}

}  // namespace

std::optional<InputView> read_input_view(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || text.ends_with(".npy")) return {};
  const std::string_view all(text);
  const std::string_view name = trim(all.substr(0, equals)), rest = trim(all.substr(equals + 1));
  InputView out{std::string(name), std::string(rest)};
  if (!archive::is_identifier(out.name) || rest.empty() ||
      rest.find('\n') != std::string_view::npos)
    return {};
  return out;
}

ViewOf take_view(const InputView& view, const NamedTensors& given, const std::string& where) {
  std::vector<IValue> values;
  try {
    values = evaluate(view.expression, given);
  } catch (const Error& e) {
    fail("{}: {}", where, e.what());
  }
  if (values.size() != 1 || !values[0].is_tensor()) fail("{}: it is no tensor", where);
  for (size_t i = 0; i < given.size(); ++i)
    if (values[0].as_tensor().shares_storage(given[i].second)) return {values[0].as_tensor(), i};
  fail("{}: it is no view of an input given before it, so --rand or a file has to give it", where);
}

}  // namespace fusillade::cli
