// See plain_python.h.
#include "fuzz/cli/plain_python.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/run/plan.h"
#include "fuzz/cli/given_file.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::cli {
namespace {

constexpr const char* kOracle = "plain_python";

// Where the definition begins a line; npos: nowhere.
size_t find_definition(const std::string& text, const std::string& head) {
  if (text.starts_with(head)) return 0;
  const size_t at = text.find("\n" + head);
  return at == std::string::npos ? at : at + 1;
}

// The names of all functions that begin a line.
std::vector<std::string> functions_in(const std::string& text) {
  std::vector<std::string> out;
  const std::string all = "\n" + text;
  for (size_t at = 0; (at = all.find("\ndef ", at)) != std::string::npos;) {
    at += 5;
    out.push_back(all.substr(at, all.find_first_of("( \n", at) - at));
  }
  return out;
}

// What stands in the brackets behind `at`, in one line.
std::string parameters_at(const std::string& text, size_t at, const std::string& file) {
  const size_t open = text.find('(', at);
  size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {
    depth += text[close] == '(' || text[close] == '[';
    depth -= text[close] == ')' || text[close] == ']';
    if (depth == 0) break;
  }
  if (open == text.npos || close >= text.size())
    fail("{}: the parameters have no closing bracket", file);
  std::string out = text.substr(open + 1, close - open - 1);
  std::ranges::replace(out, '\n', ' ');
  if (out.find('#') != out.npos) fail("{}: there is a comment among the parameters", file);
  return out;
}

std::string name_of_parameter(std::string_view parameter) {
  return std::string(trim(parameter.substr(0, parameter.find_first_of(":="))));
}

// "def fusillade_main(a, b): return callee(a, b)"; `self`: the first parameter is another's.
std::string call_of(const std::string& callee, std::string parameters, bool self,
                    const std::string& file) {
  std::vector<std::string> whole, names;
  for (const std::string& one : split_outside_brackets(parameters, ',')) {
    const std::string name = name_of_parameter(one);
    if (name.empty() || (self && whole.empty() && name == "self" && names.empty())) {
      self = false;
      continue;
    }
    if (name.find_first_of("*/") != name.npos)
      fail("{}: '{}' among the parameters: each needs a name and a place", file, name);
    whole.emplace_back(trim(one));
    names.push_back(name);
  }
  return fmt::format("\n\ndef fusillade_main({}):\n    return {}({})\n", join(whole, ", "), callee,
                     join(names, ", "));
}

std::string only_function(const std::string& text, const std::string& file) {
  const std::vector<std::string> all = functions_in(text);
  if (all.size() != 1)
    fail("{}: it has {} functions; --fn names one, or --module a module", file, all.size());
  return all[0];
}

}  // namespace

bool takes_plain_python(const fuzz::CampaignOptions& campaign) {
  const auto& asked = campaign.oracles;
  if (!asked.empty() && std::ranges::find(asked, kOracle) == asked.end()) return false;
  return std::ranges::any_of(campaign.plans, [](const Plan& plan) {
    return fuzz::is_compiled_outside(plan) &&
           fuzz::ForeignWorker::of(fuzz::family_of(plan.engine)).takes_source();
  });
}

std::string plain_text(const std::string& text, const std::string& file,
                       const std::string& function, const ModuleChoice& module) {
  if (module.call.empty()) {
    const std::string name = function.empty() ? only_function(text, file) : function;
    const size_t at = find_definition(text, "def " + name + "(");
    if (at == text.npos) fail("{}: has no function '{}'", file, name);
    return text + call_of(name, parameters_at(text, at, file), false, file);
  }
  const std::string name = module.call.substr(0, module.call.find('('));
  const size_t at = find_definition(text, "class " + name);
  if (at == text.npos) fail("{}: has no module '{}'", file, name);
  const size_t forward = text.find("    def forward(", at);
  if (forward == text.npos || !module.method.empty() || !module.state.empty())
    fail("{}: as plain Python a module is called by `forward`, with its own first values", file);
  const std::string made =
      fmt::format("\n\nimport torch\ntorch.manual_seed({})\nfusillade_module = {}{}\n", module.seed,
                  module.call, module.eval ? ".eval()" : "");
  return text + made + call_of("fusillade_module", parameters_at(text, forward, file), true, file);
}

fuzz::Given given_plain(const CLI::App& app, const InputFlags& flags, const std::string& file,
                        const std::string& text, const fuzz::Given* read) {
  fuzz::Case c;
  c.python = c.plain = true;
  fuzz::set_script(c, text, file);
  if (!c.refused.empty()) fail("{}", c.refused);
  Program stub;
  stub.graph = c.program->clone();
  const std::vector<InputHint> hints = collect_hints(app, flags, stub);
  fuzz::Given out = given_program(file + " (plain Python)", std::move(stub), hints);
  out.program = std::move(c);
  const size_t inputs = out.inputs.size();
  if (!read || read->inputs.size() != inputs) return out;
  out.inputs = read->inputs;
  out.accepted = read->accepted;
  out.found = read->found;
  out.aliases = read->aliases;
  return out;
}

}  // namespace fusillade::cli
