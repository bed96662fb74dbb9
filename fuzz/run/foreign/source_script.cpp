// See source_script.h.
#include "fuzz/run/foreign/source_script.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/foreign/script_arguments.h"
#include "fuzz/run/foreign/source_form.h"
#include "fuzz/run/foreign/worker_text.h"

namespace fusillade::fuzz {
namespace {

// What a call leaves behind is compared where the verdict is about that.
struct Left {
  bool modes = false, data = false;
};

Left left_of(const Verdict& verdict) {
  const auto has = [&](const char* words) {
    return verdict.detail.find(words) != std::string::npos;
  };
  return {has("\nleft behind: ") || has("\ndata left behind: "), has("\ndata left behind: ")};
}

// Each run has the text's names to itself. They are loaded as workers load them (torch_source.py).
constexpr const char* kLoaded = R"(

def loaded():
    """The names of the text above, once more."""
    random.seed(0)
    torch.manual_seed(0)
    names = {"__name__": "program"}
    exec(compile(open(__file__, encoding="utf-8").read(), __file__, "exec"), names)
    return names


)";

std::string outcome_text(const std::string& entry, const Left& left) {
  std::string out = "def outcome(names):\n    told = []\n";
  out += "    with contextlib.redirect_stdout(io.StringIO()) as printed:\n";
  out += "        for arguments in calls():\n";
  if (left.data) out += "            held = texts_of_names(names)\n";
  if (left.modes) out += "            before = modes()\n";
  out += "            try:\n";
  out += fmt::format("                told.append(names[\"{}\"](*arguments))\n", entry);
  if (left.data) out += "                told.append(names_changed(held, names))\n";
  out += "            except BaseException as e:\n";
  out += "                told.append(type(e).__name__)\n";
  out += "                print(f\"{type(e).__name__}: {e}\", file=sys.stderr)\n";
  if (left.modes) {
    out += "            told.append(restore_modes(before))\n";
    out += "            torch.set_grad_enabled(before[\"recording of gradients\"])\n";
  }
  return out +
         "            told.append(arguments)\n    return f\"{told}\\n{printed.getvalue()}\"\n";
}

constexpr const char* kEnding = R"(
expected, got = outcome(plain), outcome(compiled)
print(f"torch {torch.__version__}\nexpected {expected}\ngot {got}")
sys.exit(0 if got == expected else 77)
)";

// A module is compiled itself, and not the function that calls it (left_behind.py).
std::string compiled_text(const Plan& plan, const Case& c) {
  constexpr const char* kModule = "fusillade_module";
  const bool module = c.script.find(std::string("\n") + kModule + " = ") != std::string::npos;
  const std::string judged = module ? kModule : entry_of(c);
  const std::string engine = name_in_family(plan.engine);
  std::string words = engine == "dynamo"             ? ", backend=\"eager\""
                      : engine == "aot"              ? ", backend=\"aot_eager_decomp_partition\""
                      : engine == "compile(dynamic)" ? ", dynamic=True"
                      : engine == "compile"          ? ""
                                                     : "none";
  if (words == "none") decline("no script for '{}'", plan.engine);
  const nlohmann::json options = options_of(plan);
  std::string list;
  for (const auto& [name, value] : options.items())
    list += fmt::format("{}\"{}\": {}", list.empty() ? "" : ", ", name,
                        value.is_boolean() ? (value.get<bool>() ? "True" : "False") : value.dump());
  if (!list.empty()) words += ", options={" + list + "}";
  return fmt::format(
      "plain, compiled = loaded(), loaded()\ncompiled[\"{0}\"] = "
      "torch.compile(compiled[\"{0}\"]{1})\n",
      judged, words);
}

// A generator: each call's arguments are made when it is due.
std::string calls_text(const Case& c, size_t last) {
  std::string out = "def calls():\n";
  for (size_t i = 0; i <= last; ++i) {
    for (const bool other : {false, true}) {
      const Call call = other ? other_call(c.calls[i]) : copy_call(c.calls[i]);
      const TorchArguments arguments(call, std::vector<bool>(call.inputs.size(), true), false);
      for (const std::string& line : arguments.lines) out += wrap_line(line, 4);
      std::string list;
      for (const std::string& argument : arguments.list) list += argument + ", ";
      out += wrap_line("yield (" + list + ")", 4);
    }
  }
  return out;
}

std::string indent(const std::string& text) {
  std::string out;
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    if (end > at) out += "    " + text.substr(at, end - at);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string source_script(const Case& c, const Verdict& verdict) {
  const Plan& plan = c.plans.at(0);
  if (family_of(plan.engine).worker != "torch") decline("no scripts of whole Python for it");
  const size_t shown = verdict.call < 0 ? 0 : static_cast<size_t>(verdict.call);
  const std::string first = verdict.detail.substr(0, verdict.detail.find('\n'));
  const Left left = left_of(verdict);
  const std::string_view module = kLeftBehindText;  // its docstring is of workers
  std::string comparison = "import contextlib\nimport io\nimport random\nimport sys\n";
  if (left.modes) comparison += std::string(module.substr(module.find("import "))) + "\n\n";
  else comparison += "\nimport torch\n\n\n";
  comparison += calls_text(c, std::min(shown, c.calls.size() - 1)) + kLoaded +
                outcome_text(entry_of(c), left) + "\n\n" + compiled_text(plan, c) + kEnding;
  const std::string against = plan.text + " against CPython: " + verdict.reason;
  return "# " + comment_text(visible_line(against)) + "\n# " +
         comment_text(visible_line(first.substr(0, 95))) + "\n" + c.script +
         "\n\nif __name__ == \"__main__\":\n" + indent(comparison);
}

}  // namespace fusillade::fuzz
