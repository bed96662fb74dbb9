// See source_script.h.
#include "fuzz/run/foreign/source_script.h"

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/foreign/script_arguments.h"
#include "fuzz/run/foreign/source_form.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kEnding = R"(

def outcome(f):
    told = []
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for arguments in calls():
            try:
                told.append(f(*arguments))
            except BaseException as e:
                told.append(type(e).__name__)
                print(f"{type(e).__name__}: {e}", file=sys.stderr)
            told.append(arguments)
    return f"{told}\n{printed.getvalue()}"


expected, got = outcome(plain), outcome(compiled)
print(f"torch {torch.__version__}\nexpected {expected}\ngot {got}")
sys.exit(0 if got == expected else 77)
)";

std::string compiled_text(const Plan& plan, const std::string& entry) {
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
  return "compiled = torch.compile(" + entry + words + ")\n";
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

}  // namespace

std::string source_script(const Case& c, const Verdict& verdict) {
  const Plan& plan = c.plans.at(0);
  if (family_of(plan.engine).worker != "torch") decline("no scripts of whole Python for it");
  const size_t shown = verdict.call < 0 ? 0 : static_cast<size_t>(verdict.call);
  const std::string first = verdict.detail.substr(0, verdict.detail.find('\n'));
  return "# " + visible_line(plan.text + " against CPython: " + verdict.reason) + "\n# " +
         visible_line(first.substr(0, 95)) + "\nimport contextlib\nimport io\nimport sys\n" +
         c.script + "\n\n" + calls_text(c, std::min(shown, c.calls.size() - 1)) + "\n\n" +
         "plain = " + entry_of(c) + "\n" + compiled_text(plan, entry_of(c)) + kEnding;
}

}  // namespace fusillade::fuzz
