// Loading a program by the ending of its file's name; see program.h.
#include "fuzz/cli/program.h"

#include <CLI/CLI.hpp>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "engine/front/module.h"
#include "engine/run/archive/archive.h"
#include "engine/tensor/npy.h"

namespace fusillade::cli {
namespace {

bool ends_with(const std::string& text, const char* end) {
  size_t n = std::strlen(end);
  return text.size() >= n && text.compare(text.size() - n, n, end) == 0;
}

void from_script(Program& out, const std::string& path, const std::string& function) {
  std::string text = read_text_file(path);
  Script script = compile_script(text, path);
  std::vector<std::string> names;
  for (const auto& graph : script.functions) names.push_back(graph->name);
  for (const Failure& f : script.failed) names.push_back(f.function);
  std::vector<std::string> modules = module_names(script);
  std::string hint =
      modules.empty() ? "" : fmt::format("; --module '{}(...)' makes a module", modules[0]);
  if (names.empty()) fail("{}: defines no function{}", path, hint);
  if (function.empty() && names.size() > 1)
    fail("{}: holds several functions; choose one with --fn ({})", path, join(names, ", "));
  const std::string& wanted = function.empty() ? names[0] : function;
  if (const Graph* graph = script.find(wanted)) {
    out.graph = graph->clone();
    out.schema = script.unit->functions.at(wanted).schema;
    if (graph == script.functions.back().get()) out.script = std::move(text);
    return;
  }
  fail("{}: has no function '{}'{} (it has {})", path, wanted, near_misses(wanted, names),
       join(names, ", "));
}

void load_state(const Module& module, const std::string& folder) {
  for (const NamedTensor& t : state_of(module)) {
    std::string file = folder + "/" + t.name + ".npy";
    Tensor given = load_npy(file);
    if (!(given.sizes() == t.tensor.sizes()))
      fail("{}: {} for '{}', which is {}", file, describe(given), t.name, describe(t.tensor));
    copy_into(t.tensor, given);
  }
}

void from_module(Program& out, const std::string& path, const ModuleChoice& choice) {
  Script script = compile_script(read_text_file(path), path);
  out.module = instantiate(script, choice.call, choice.seed);
  if (!choice.state.empty()) load_state(out.module, choice.state);
  if (choice.eval) train(out.module, false);
  const Function& method =
      method_of(script, out.module, choice.method.empty() ? "forward" : choice.method);
  out.graph = method.graph->clone();
  out.schema = method.schema;
}

}  // namespace

void declare_module(CLI::App& app, ModuleChoice& choice) {
  app.add_option("--module", choice.call, "module of a script, as in 'Net(3, hidden=8)'");
  app.add_option("--method", choice.method, "method of the module (default: forward)");
  app.add_option("--state", choice.state,
                 "folder of the module's tensors: KEY.npy by state_dict's keys");
  app.add_flag("--eval", choice.eval, "put the module, of a script or an archive, into eval mode");
}

Program load_program(const std::string& path, const std::string& function,
                     const ModuleChoice& module) {
  Program out;
  if (!module.call.empty()) {
    if (!ends_with(path, ".py"))
      fail("--module '{}': only a .py script has modules, not '{}'", module.call, path);
    if (!function.empty()) fail("--fn and --module exclude each other; --method chooses a method");
    from_module(out, path, module);
    return out;
  }
  if (!module.method.empty())
    fail("--method '{}' is of a --module; of an archive --fn chooses the method", module.method);
  if (!module.state.empty()) fail("--state '{}' is of a --module", module.state);
  if (module.eval && !is_archive_name(path))
    fail(
        "--eval is of a module, by --module or in an archive (.pt, .pt2, .onnx), and '{}' is "
        "neither",
        path);
  if (ends_with(path, ".py")) {
    from_script(out, path, function);
    return out;
  }
  if (is_archive_name(path)) {
    out.module = load_module(path);
    if (module.eval) train(out.module, false);
    const Function& method = method_of(out.module, function.empty() ? "forward" : function);
    out.graph = method.graph->clone();
    out.schema = method.schema;
    return out;
  }
  if (!function.empty())
    fail("--fn '{}': only a .py script and an archive have named functions, not '{}'", function,
         path);
  if (ends_with(path, ".ir")) {
    out.graph = parse_graph(read_text_file(path), path);
    verify(*out.graph);
  } else if (ends_with(path, ".case")) {
    fuzz::Case c = fuzz::read_case(path);
    if (!c.refused.empty()) fail("{}", c.refused);
    out.graph = std::move(c.program);
    out.script = std::move(c.script);
    out.self = std::move(c.self);
    if (!c.calls.empty()) out.inputs = std::move(c.calls[0]);
  } else {
    fail(
        "'{}': the name must end in .py (script), .ir (graph), .case or .pt, .pt2, .onnx "
        "(archives)",
        path);
  }
  return out;
}

void save_with_warnings(const std::string& path, const Module& module) {
  std::vector<std::string> notes;
  save_module(path, module, &notes);
  for (const std::string& note : notes)
    fmt::print(stderr, "fusillade: warning: {}: {}\n", visible_line(path), visible_line(note));
}

}  // namespace fusillade::cli
