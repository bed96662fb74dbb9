// Loading a program by the ending of its file's name; see program.h.
#include "fuzz/cli/program.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/base/text.h"
#include "engine/front/script.h"
#include "engine/run/archive/archive.h"

namespace fusillade::cli {
namespace {

bool ends_with(const std::string& text, const char* end) {
  size_t n = std::strlen(end);
  return text.size() >= n && text.compare(text.size() - n, n, end) == 0;
}

std::unique_ptr<Graph> from_script(const std::string& path, const std::string& function) {
  Script script = compile_script(read_text_file(path), path);
  std::vector<std::string> names;
  for (const auto& graph : script.functions) names.push_back(graph->name);
  for (const auto& [name, error] : script.failed) names.push_back(name);
  if (names.empty()) fail("{}: defines no function", path);
  if (function.empty() && names.size() > 1)
    fail("{}: holds several functions; choose one with --fn ({})", path, join(names, ", "));
  const std::string& wanted = function.empty() ? names[0] : function;
  if (const Graph* graph = script.find(wanted)) return graph->clone();
  fail("{}: has no function '{}'{} (it has {})", path, wanted, near_misses(wanted, names),
       join(names, ", "));
}

}  // namespace

std::string read_text_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) fail("cannot open '{}': {}", path, std::strerror(errno));
  std::string text;
  char buffer[65536];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  bool bad = std::ferror(file) != 0;
  std::fclose(file);
  if (bad) fail("cannot read '{}': {}", path, std::strerror(errno));
  return text;
}

Program load_program(const std::string& path, const std::string& function) {
  Program out;
  if (ends_with(path, ".py")) {
    out.graph = from_script(path, function);
    return out;
  }
  if (ends_with(path, ".pt")) {
    out.module = load_module(path);
    out.graph = method_of(out.module, function.empty() ? "forward" : function).graph->clone();
    return out;
  }
  if (!function.empty()) fail("--fn '{}': only a .py script and a .pt archive have named functions, not '{}'", function, path);
  if (ends_with(path, ".ir")) {
    out.graph = parse_graph(read_text_file(path), path);
    verify(*out.graph);
  } else if (ends_with(path, ".case")) {
    fuzz::Case c = fuzz::read_case(path);
    if (!c.refused.empty()) fail("{}", c.refused);
    out.graph = std::move(c.program);
    if (!c.calls.empty()) out.inputs = std::move(c.calls[0]);
  } else {
    fail("'{}': the name must end in .py (script), .ir (graph), .case or .pt (archive)", path);
  }
  return out;
}

}  // namespace fusillade::cli
