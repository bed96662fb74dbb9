// See given_file.h.
#include "fuzz/cli/given_file.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "engine/front/module.h"
#include "engine/run/archive/archive.h"
#include "engine/tensor/npy.h"
#include "fuzz/given/from_case.h"
#include "fuzz/given/lift.h"
#include "fuzz/given/mutate.h"

namespace fusillade::cli {
namespace {

using fuzz::Given;
using fuzz::GivenInput;

// A graph's text without the source locations that its lines end with.
std::string without_locations(const Graph& graph, const std::string& file) {
  const std::string text = print(graph);
  std::string out;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    out += line.substr(0, line.rfind(" # " + file + ":")) + "\n";
  }
  return out;
}

bool same_program(const fuzz::Case& c, const Graph& wanted, const std::string& file) {
  return c.refused.empty() && c.self.is_none() &&
         without_locations(*c.program, file) == without_locations(wanted, file);
}

// The text with the definition of `name` moved to its end: a case calls the last one. Empty when it
// is not found at the beginning of a line.
std::string with_last(const std::string& text, const std::string& name) {
  const std::string head = "def " + name;
  size_t begin = text.starts_with(head + "(") ? 0 : text.find("\n" + head + "(");
  if (begin == std::string::npos) return "";
  begin += text[begin] == '\n';
  size_t end = begin;
  do end = text.find('\n', end) == std::string::npos ? text.size() : text.find('\n', end) + 1;
  while (end < text.size() && std::string_view(" \t\n)#").find(text[end]) != std::string::npos);
  std::string out = text.substr(0, begin) + text.substr(end);
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out + "\n" + text.substr(begin, end - begin);
}

// The script itself, where a case that holds it is the same program.
bool hold_script(fuzz::Case& c, const std::string& file, const Graph& graph) {
  const std::string text = read_text_file(file);
  for (const std::string& some : {text, with_last(text, graph.name)}) {
    if (some.empty()) continue;
    fuzz::set_script(c, some, file);
    if (same_program(c, graph, file)) return true;
  }
  c.script.clear();
  c.refused.clear();
  c.self = IValue();
  return false;
}

GivenInput input_of(const Value* v, const std::string& name, const InputHint& hint,
                    const SchemaArg* declared) {
  GivenInput in{name, v->type(), {}, {}};
  if (hint.value && hint.random) {
    if (v->type().is_tensor() && !hint.value->is_tensor())
      fail("--rand: a number for '{}', which is a tensor; annotate it with its type", name);
    in.type = hint.value->type();
    in.laid_out = true;
    if (in.type.is_tensor()) in.offset = hint.value->as_tensor().offset();
  } else if (hint.value) {
    in.fixed = hint.value;
  } else if (declared && declared->has_default) {
    in.default_value = declared->default_value;
  }
  if (in.fixed || fuzz::drawable(in.type)) return in;
  in.fixed = in.default_value;
  return in;
}

// Notes inputs that --rand generated as views of another input's tensor. `first`: index of the
// first hint that is of an input.
void note_views(Given& given, const std::vector<InputHint>& hints, size_t first) {
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const InputHint& view = hints[first + i];
    if (!view.random || !view.value->is_tensor()) continue;
    for (size_t k = 0; k < i; ++k) {
      const InputHint& base = hints[first + k];
      if (base.value && base.value->is_tensor() &&
          base.value->as_tensor().shares_storage(view.value->as_tensor())) {
        given.inputs[i].view_of = static_cast<int>(k);
        break;
      }
    }
  }
}

// "out/net.pt" has its first input like "out/net.x0.npy", or "out/net.0.npy" as `bench` has it.
std::string example_file(const std::string& archive, size_t input) {
  const std::string stem = std::filesystem::path(archive).replace_extension().string();
  for (const char* before : {".x", "."}) {
    std::string file = fmt::format("{}{}{}.npy", stem, before, input);
    if (std::filesystem::exists(file)) return file;
  }
  return "";
}

// Adds example inputs, from files next to an archive or from within it, where the command line
// gives none. Where they are all that it takes, they become a call.
void add_examples(Given& given, const std::vector<IValue>& within) {
  if (!is_archive_name(given.file)) return;
  if (const std::string more = example_file(given.file, given.inputs.size()); !more.empty())
    fail("{}: the archive takes {} inputs; the example of the last one is number {}", more,
         given.inputs.size(), static_cast<int64_t>(given.inputs.size()) - 1);
  fuzz::Call call;
  bool any = false;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    GivenInput& in = given.inputs[i];
    if (!in.fixed && !in.laid_out) {
      if (const std::string file = example_file(given.file, i); !file.empty()) {
        if (!in.type.is_tensor())
          fail("{}: an example of a tensor, but '{}' is of type {}", file, in.name, in.type.text());
        in.example = load_npy(file);
      } else if (i < within.size()) {
        in.example = within[i];
      }
      any = any || in.example;
    }
    const std::optional<IValue>& value = in.fixed     ? in.fixed
                                         : in.example ? in.example
                                                      : in.default_value;
    if (value) call.inputs.push_back(*value);
  }
  if (any && call.inputs.size() == given.inputs.size())
    given.program.calls.push_back(std::move(call));
}

std::string unfit_case(const Given& given) {
  return given.program.script.empty() ? fuzz::unfit(given) : "";
}

std::string on_one_line(std::string text) {
  for (size_t at; (at = text.find("\n  ")) != std::string::npos;) text.replace(at, 3, "; ");
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What of a file is no seed, said in one line for each file.
class LeftOut {
 public:
  LeftOut(std::string file) : file_(std::move(file)) {}
  ~LeftOut() {
    if (whys_.empty()) return;
    std::string of = taken_ ? fmt::format("{} of {} functions", whys_.size(), whys_.size() + taken_)
                            : "not a seed";
    fmt::print(stderr, "fusillade: {}: {}: {}\n", visible_line(file_),
               taken_ ? of + " left out" : of, visible_line(join(whys_, "; ")));
  }
  void take() { ++taken_; }
  void add(const std::string& function, const std::string& why) {
    std::string text = first_line(why);
    if (text.starts_with(file_ + ": ")) text = text.substr(file_.size() + 2);
    whys_.push_back((function.empty() ? "" : function + ": ") + text);
  }

 private:
  std::string file_;
  size_t taken_ = 0;
  std::vector<std::string> whys_;
};

// Those of a script that compile; "" for what is no script.
std::vector<std::string> functions_of(const std::string& file, LeftOut& left_out) {
  if (!file.ends_with(".py")) return {""};
  const Script script = compile_script_file(file);
  for (const Failure& f : script.failed)
    if (!f.errors.empty()) left_out.add(f.function, f.errors[0].text);
  std::vector<std::string> out;
  for (const auto& graph : script.functions) out.push_back(graph->name);
  if (out.empty() && script.failed.empty())
    left_out.add("",
                 "it defines modules and no function; `fusillade save` makes an archive of one");
  return out;
}

Given seed_of(const std::string& file, const std::string& function) {
  Given given;
  if (file.ends_with(".case")) {
    given = given_case(file);
  } else {
    Program program = load_program(file, function);
    std::vector<InputHint> none(program.graph->inputs().size());
    given = given_program(file, std::move(program), none);
  }
  if (!function.empty()) given.file += ":" + function;
  fuzz::as_one_graph(given);
  if (std::string why = fuzz::unfit(given); !why.empty()) fail("{}", why);
  return given;
}

}  // namespace

Given given_program(const std::string& file, Program program, const std::vector<InputHint>& hints) {
  Given given;
  given.file = file;
  const bool module = program.module.unit != nullptr;
  std::unique_ptr<Graph> graph = std::move(program.graph);
  for (size_t i = module; i < graph->inputs().size(); ++i) {
    const Value* v = graph->inputs()[i];
    const SchemaArg* declared = i < program.schema.args.size() ? &program.schema.args[i] : nullptr;
    given.inputs.push_back(input_of(v, declared ? declared->name : v->name(), hints[i], declared));
  }
  note_views(given, hints, module);
  add_examples(given, program.module.examples);
  if (module) {
    fuzz::Lifted lifted = fuzz::lift(*graph, program.module.self);
    graph = std::move(lifted.graph);
    for (const IValue& value : lifted.values) {
      const Value* v = graph->inputs()[given.inputs.size()];
      given.inputs.push_back({v->name(), v->type(), value, {}});
      for (fuzz::Call& call : given.program.calls) call.inputs.push_back(value);
    }
  }
  bool script = !module && file.ends_with(".py") && hold_script(given.program, file, *graph);
  if (!script) given.program.program = std::move(graph);
  fuzz::check_inputs_known(given);
  if (std::string why = unfit_case(given); !why.empty()) fail("{}: {}", file, why);
  return given;
}

Given given_case(const std::string& file) { return fuzz::given_of(fuzz::read_case(file), file); }

fuzz::Givens seeds_of(const std::string& folder, const fuzz::Limits& limits) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file() && at->path().extension() != ".npy")  // inputs of an archive
      files.push_back(at->path().string());
  if (error) fail("--seeds '{}': {}", folder, error.message());
  std::sort(files.begin(), files.end());
  fuzz::Givens out;
  for (const std::string& file : files) {
    LeftOut left_out(file);
    try {
      for (const std::string& function : functions_of(file, left_out)) {
        try {
          Given given = seed_of(file, function);
          std::string why = fuzz::find_inputs(given, limits);
          if (!why.empty()) fail("no input was accepted: {}", on_one_line(why));
          left_out.take();
          out.push_back(std::make_shared<const Given>(std::move(given)));
        } catch (const Exception& e) {
          left_out.add(function, e.what());
        }
      }
    } catch (const Exception& e) {
      left_out.add("", e.what());
    }
  }
  if (out.empty()) fail("--seeds '{}': holds no program that can be a seed", folder);
  return out;
}

}  // namespace fusillade::cli
