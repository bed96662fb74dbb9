// See plain_python.h.
#include "fuzz/cli/plain_python.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <utility>

#include "engine/base/text.h"
#include "engine/run/plan.h"
#include "fuzz/cli/given_file.h"
#include "fuzz/cli/made_function.h"
#include "fuzz/cli/python_code.h"
#include "fuzz/oracle/against_eager.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/process/tool.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::cli {
namespace {

constexpr const char* kMain = "\n\ndef fusillade_main";

// A function or class that begins a line, and the words of its text and decorators; or a line that
// gives a name a value.
struct Definition {
  std::string name;  // empty: such a line, whose value is no function that is made there
  bool is_class = false;
  bool is_decorated = false;
  bool is_made = false;
  std::set<std::string> words;
};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The names that a line of code uses: none of attributes, of keywords, and of what it gives a
// value.
std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> out;
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    for (end = at; end < text.size() && is_of_word(text[end]);) ++end;
    const std::string word(text.substr(at, end - at));
    const size_t next = std::min(text.find_first_not_of(' ', end), text.size());
    const bool stores = text.substr(next).starts_with("=") && !text.substr(next).starts_with("==");
    const bool asks = at > 0 && text[at - 1] == '.';
    if (!word.empty() && !stores && !asks) out.insert(word);
  }
  return out;
}

std::vector<Definition> definitions_in(const std::string& text, const std::string& file) {
  std::vector<Definition> out;
  bool within = false;
  std::set<std::string> decorators;
  const std::string code = code_of(text);
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string line = code.substr(at, end - at);
    std::set<std::string> of_line = words_in(line);
    const bool function = line.starts_with("def "), is_class = line.starts_with("class ");
    if (function || is_class) {
      const size_t from = function ? 4 : 6;
      out.push_back({line.substr(from, line.find_first_of("( :\n", from) - from), is_class,
                     !decorators.empty(), false, std::exchange(decorators, {})});
      within = true;
    } else if (!line.empty() && std::string_view(" \t)#").find(line[0]) == std::string::npos) {
      within = false;
    }
    if (line.starts_with("@")) decorators.merge(std::set(of_line));
    const size_t sign = line.find_first_not_of(" ", line.find_first_of(" =(["));
    const std::optional<MadeFunction> made =
        within ? std::nullopt : made_function(text, text.substr(at, end - at), file);
    if (made || (!within && sign != line.npos && line[sign] == '=' && !line.starts_with(" ")))
      out.push_back({made ? made->name : "", false, false, made.has_value(),
                     words_in(line.substr(line.find('=')))});
    if (within) out.back().words.merge(of_line);
  }
  return out;
}

// Those of one kind that no other definition names.
std::vector<std::string> find_unnamed(const std::vector<Definition>& all, bool classes) {
  std::vector<std::string> out;
  for (const Definition& d : all) {
    const bool wanted =
        !d.name.empty() && d.is_class == classes && (!classes || d.words.contains("forward"));
    const auto names_it = [&](const Definition& other) {
      return !other.name.empty() && other.name != d.name && other.words.contains(d.name);
    };
    if (wanted && std::ranges::none_of(all, names_it)) out.push_back(d.name);
  }
  return out;
}

// Do all words of a text belong to these?
bool has_only(std::string_view text, const std::set<std::string>& known) {
  std::string word;
  for (char ch : std::string(text) + " ") {
    if (std::isalnum(static_cast<unsigned char>(ch)) || ch == '_') {
      word += ch;
      continue;
    }
    if (!word.empty() && !known.contains(word)) return false;
    if (std::string_view(" .,[]").find(ch) == std::string_view::npos) return false;
    word.clear();
  }
  return true;
}

std::string type_of_literal(const std::string& value) {
  if (value == "True" || value == "False") return "bool";
  if (value == "None") return "Optional[Tensor]";
  int64_t whole = 0;
  if (parse_int(value, &whole)) return "int";
  if (value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0] &&
      value.find(value[0], 1) == value.size() - 1)
    return "str";
  char* end = nullptr;
  std::strtod(value.c_str(), &end);
  return !value.empty() && *end == '\0' ? "float" : "";
}

// "name: type = value", as our front end reads such. An annotation that it has no type for is left
// out; a parameter whose default it does not read keeps that, and is no input: empty.
std::string as_read(const std::string& parameter) {
  static const std::set<std::string> kTypes = {"Tensor", "torch", "int",   "float", "bool",
                                               "str",    "List",  "Tuple", "Dict",  "Optional"};
  const std::vector<std::string> parts = split_outside_brackets(parameter, '=');
  const std::vector<std::string> named = split_outside_brackets(parts[0], ':');
  const std::string name(trim(named[0]));
  std::string type(named.size() > 1 ? trim(named[1]) : "");
  if (!has_only(type, kTypes)) type.clear();
  const std::string value(parts.size() > 1 ? trim(parts[1]) : "");
  const std::string of_value = type_of_literal(value);
  if (!value.empty() && of_value.empty()) return "";
  if (type.empty() || value == "None") type = of_value.empty() ? type : of_value;
  // In quotes, for the file need not know the type's name.
  return name + (type.empty() ? "" : ": \"" + type + "\"") + (value.empty() ? "" : " = " + value);
}

// "def fusillade_main(a, b): return callee(a=a, b=b)"; `self`: the first parameter is another's.
std::string call_of(const std::string& callee, const std::string& parameters, bool self,
                    const std::string& file) {
  std::vector<std::string> whole, given;
  bool named = false;  // a parameter before is left out
  for (const std::string& one : split_outside_brackets(parameters, ',')) {
    const std::string name(trim(one.substr(0, one.find_first_of(":="))));
    if (name.empty() || std::exchange(self, false)) continue;
    if (name == "*") {
      named = true;
      continue;
    }
    if (name.find_first_of("*/") != name.npos)
      fail("{}: '{}' among the parameters: each needs a name and a place", file, name);
    const std::string read = as_read(one);
    if (read.empty()) {
      named = true;
      continue;
    }
    whole.push_back(read);
    given.push_back(named ? name + "=" + name : name);
  }
  return fmt::format("{}({}):\n    return {}({})\n", kMain, join(whole, ", "), callee,
                     join(given, ", "));
}

// What is meant where nothing is said: the function that no other names, or the module.
std::string choose(const std::string& text, const std::string& file, ModuleChoice& module) {
  const std::vector<Definition> all = definitions_in(text, file);
  const std::vector<std::string> functions = find_unnamed(all, false),
                                 modules = find_unnamed(all, true);
  if (functions.size() == 1) return functions[0];
  // A decorator hands its function to somebody, such as an operator's for fake tensors; what gives
  // a global its value is done with; a function that a line makes may be anybody's.
  std::vector<std::string> meant = functions;
  const auto leave_out = [&](const auto& is_other) {
    std::vector<std::string> kept;
    std::ranges::remove_copy_if(meant, std::back_inserter(kept), is_other);
    if (!kept.empty()) meant = std::move(kept);
  };
  leave_out([&](const std::string& name) {
    return std::ranges::any_of(
        all, [&](const Definition& d) { return d.name == name && d.is_decorated; });
  });
  leave_out([&](const std::string& name) {
    return std::ranges::any_of(
        all, [&](const Definition& d) { return d.name.empty() && d.words.contains(name); });
  });
  leave_out([&](const std::string& name) {
    return std::ranges::any_of(all,
                               [&](const Definition& d) { return d.name == name && d.is_made; });
  });
  if (meant.size() == 1) return meant[0];
  if (functions.empty() && modules.size() == 1) {
    module.call = modules[0] + "()";
    return "";
  }
  fail("{}: it has {} functions that no other calls; --fn names one, or --module a module{}", file,
       functions.size(), functions.empty() ? "" : " (" + join(functions, ", ") + ")");
}

}  // namespace

const fuzz::Family* taker_of_plain_python(const fuzz::CampaignOptions& campaign) {
  const auto& asked = campaign.oracles;
  const auto is_plain = [](const std::string& name) { return fuzz::oracle(name).plain; };
  if (!asked.empty() && std::ranges::none_of(asked, is_plain)) return nullptr;
  for (const Plan& plan : campaign.plans) {
    if (!fuzz::is_compiled_outside(plan)) continue;
    const fuzz::Family& family = fuzz::family_of(plan.engine);
    if (fuzz::ForeignWorker::of(family).takes_source()) return &family;
  }
  return nullptr;
}

void require_python(const std::string& text, const std::string& file, const std::string& python) {
  // Compiled, not run. What is too deep for this interpreter is told by its engine.
  constexpr const char* kCompile = R"(
import sys
try:
    compile(open(sys.argv[1], "rb").read(), sys.argv[1], "exec", dont_inherit=True)
except SyntaxError as e:
    print(e.lineno or 1, e.offset or 1, e.msg)
except ValueError as e:
    print(1, 1, e)
except Exception:
    pass
)";
  std::istringstream said(
      fuzz::output_of({.words = {python, "-I", "-W", "ignore", "-c", kCompile, file}}));
  size_t line = 0, column = 0;
  std::string message;
  if (!(said >> line >> column) || !std::getline(said >> std::ws, message)) return;
  size_t begin = 0;
  while (--line > 0 && text.find('\n', begin) != text.npos) begin = text.find('\n', begin) + 1;
  begin = std::min({begin + column - 1, text.find('\n', begin), text.size()});
  const SourceRange range{std::make_shared<Source>(Source{.file = file, .text = text}),
                          static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + 1)};
  fail("{}", range.highlight(fmt::format("{}: no Python: {}", range.where(), message)));
}

std::string plain_text(const std::string& text, const std::string& file,
                       const std::string& function, const ModuleChoice& asked) {
  ModuleChoice module = asked;
  const bool chooses = function.empty() && module.call.empty();
  const std::string name = chooses ? choose(text, file, module) : function;
  if (module.call.empty()) {
    const size_t at = find_definition(text, "def " + name + "(");
    if (at != text.npos) return text + call_of(name, parameters_at(text, at, file), false, file);
    const std::optional<MadeFunction> made = find_made_function(text, name, file);
    if (!made) fail("{}: has no function '{}'", file, name);
    return text + call_of(name, made->parameters, false, file);
  }
  const std::string net = module.call.substr(0, module.call.find('('));
  const size_t at = find_definition(text, "class " + net);
  if (at == text.npos) fail("{}: has no module '{}'", file, net);
  const size_t forward = text.find("    def forward(", at);
  if (forward == text.npos || !module.method.empty() || !module.state.empty())
    fail("{}: as plain Python a module is called by `forward`, with its own first values", file);
  const std::string made =
      fmt::format("\n\nimport torch\ntorch.manual_seed({})\nfusillade_module = {}{}\n", module.seed,
                  module.call, module.eval ? ".eval()" : "");
  // Evaluation is inference: no gradients are recorded.
  constexpr const char* kInference =
      "\ndef fusillade_call(*values, **named):\n    with torch.no_grad():\n"
      "        return fusillade_module(*values, **named)\n";
  return text + made + (module.eval ? kInference : "") +
         call_of(module.eval ? "fusillade_call" : "fusillade_module",
                 parameters_at(text, forward, file), true, file);
}

namespace {

// Makes inputs whose text says no type take any value. Those for which none is given are tensors.
std::vector<InputHint> hints_of(const CLI::App& app, const InputFlags& flags, Program& stub,
                                const std::string& text) {
  const std::string parameters = text.substr(text.rfind(kMain) + std::strlen(kMain));
  std::vector<Value*> free;
  size_t at = 0;
  for (const std::string& one :
       split_outside_brackets(parameters.substr(1, parameters.find("):\n") - 1), ',')) {
    if (trim(one).empty()) continue;
    Value* input = stub.graph->inputs()[at++];
    if (one.find(':') == one.npos) free.push_back(input);
  }
  for (Value* input : free) input->set_type(TypeKind::Any);
  std::vector<InputHint> out = collect_hints(app, flags, stub, true);
  for (size_t i = 0; i < out.size(); ++i) {
    Value* input = stub.graph->inputs()[i];
    if (!out[i].value && std::ranges::find(free, input) != free.end())
      input->set_type(TypeKind::Tensor);
  }
  return out;
}

// The text, with a line that says which arguments are more than they look (torch_plain.py).
std::string with_dtypes_said(const std::string& text, const Graph& graph,
                             const std::vector<InputHint>& hints) {
  std::vector<std::string> said;
  for (size_t i = 0; i < hints.size(); ++i)
    if (!hints[i].stands_for.empty())
      said.push_back(fmt::format("\"{}\": \"{}\"", graph.inputs()[i]->name(), hints[i].stands_for));
  if (said.empty()) return text;
  const size_t at = text.rfind(kMain);
  return fmt::format("{}\n\nfusillade_dtypes = {{{}}}{}", text.substr(0, at), join(said, ", "),
                     text.substr(at));
}

}  // namespace

fuzz::Given given_plain(const CLI::App& app, const InputFlags& flags, const std::string& file,
                        const std::string& text, const fuzz::Given* read) {
  fuzz::Case c;
  c.python = c.plain = true;
  fuzz::set_script(c, text, file);
  if (!c.refused.empty()) fail("{}", c.refused);
  Program stub;
  stub.graph = c.program->clone();
  const std::vector<InputHint> hints = hints_of(app, flags, stub, text);
  fuzz::set_script(c, with_dtypes_said(text, *stub.graph, hints), file);
  fuzz::Given out = given_program(file + " (plain Python)", std::move(stub), hints);
  for (size_t i = 0; i < hints.size(); ++i) {
    out.inputs[i].pairs = hints[i].stands_for.starts_with("complex");
    out.inputs[i].any_bits = hints[i].stands_for.starts_with("uint");
  }
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
