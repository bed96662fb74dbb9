// See program.h.
#include "bench/harness/program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/front/module.h"
#include "engine/run/archive/archive.h"
#include "engine/tensor/npy.h"
#include "engine/tensor/random.h"
#include "fuzz/given/lift.h"

namespace fusillade::bench {
namespace {

constexpr const char* kMark = "# bench:";
constexpr uint64_t kModuleSeed = 1;  // of a module's first values

struct Specification {
  std::string module;  // "Net(3,hidden=8)"; empty: a function
  std::vector<std::string> inputs;
  bool backward = false;
  std::optional<Size> size;  // of the whole line
  std::string variable;
  std::vector<std::string> values;  // at least one; "" when there is no variable
};

constexpr int64_t kMostElements = int64_t{1} << 32;

void check_number(const std::string& text, const std::string& where) {
  int64_t v = 0;
  if (!parse_int(text, &v) || v < 0 || v > kMostElements) {
    fail("{}: '{}' is not a size in [0, {}]", where, text, kMostElements);
  }
}

// The K of "i64[16]<K", cut off the specification; empty where it has none.
std::string cut_limit(std::string* spec) {
  size_t less = spec->rfind("]<");
  if (less == std::string::npos) return "";
  std::string limit = spec->substr(less + 2);
  spec->resize(less + 1);
  return limit;
}

// "f32[16,4]", "i64[16]<10", "int=3" or "float=0.5"; throws Error naming the place otherwise.
void check_input(std::string spec, const std::string& where) {
  std::string limit = cut_limit(&spec);
  if (!limit.empty()) {
    check_number(limit, where);
    if (limit == "0" || spec.rfind("i64[", 0) != 0)
      fail("{}: '{}<{}' is not an input; below a limit lie numbers of i64, and it is at least 1",
           where, spec, limit);
  }
  size_t bracket = spec.find('[');
  if (spec.rfind("int=", 0) == 0 || spec.rfind("float=", 0) == 0) {
    double v = 0;
    if (!parse_double(spec.substr(spec.find('=') + 1), &v))
      fail("{}: '{}' holds no number", where, spec);
    return;
  }
  if (bracket == std::string::npos || spec.back() != ']') {
    fail("{}: '{}' is not an input; write for example f32[16,4], int=3 or float=0.5", where, spec);
  }
  try {
    dtype_from_name(spec.substr(0, bracket));
  } catch (const Error& e) {
    fail("{}: {}", where, e.what());
  }
  std::istringstream sizes(spec.substr(bracket + 1, spec.size() - bracket - 2));
  for (std::string s; std::getline(sizes, s, ',');) check_number(s, where);
}

// Words that are neither inputs nor values; false: none of these.
bool take_word(const std::string& w, const std::string& where, Specification& s) {
  if (w == "backward") {
    s.backward = true;
    return true;
  }
  for (Size size : kSizes) {
    if (w != name_of(size)) continue;
    if (s.size) fail("{}: '{}' and '{}'; one size is legal", where, name_of(*s.size), w);
    s.size = size;
    return true;
  }
  if (w.find('(') == std::string::npos) return false;
  if (w.back() != ')') fail("{}: '{}' has no ')'; a module is written without blanks", where, w);
  if (!s.module.empty()) fail("{}: a second module '{}'; one is legal", where, w);
  s.module = w;
  return true;
}

Specification parse_line(const std::string& text, const std::string& where) {
  Specification s;
  std::istringstream words(text);
  for (std::string w; words >> w;) {
    if (take_word(w, where, s)) continue;
    size_t equals = w.find('=');
    bool scalar = w.rfind("int=", 0) == 0 || w.rfind("float=", 0) == 0;
    if (equals == std::string::npos || scalar) {
      s.inputs.push_back(w);
      continue;
    }
    bool dimension = equals > 0 && w.find('[') == std::string::npos;
    if (!dimension) fail("{}: '{}' is neither an input nor NAME=v1,v2", where, w);
    if (!s.variable.empty()) fail("{}: a second variable '{}'; one is legal", where, w);
    s.variable = w.substr(0, equals);
    std::istringstream values(w.substr(equals + 1));
    for (std::string v; std::getline(values, v, ',');) s.values.push_back(v);
    for (const std::string& v : s.values) check_number(v, where);
    if (s.values.empty()) fail("{}: '{}' names no value", where, w);
  }
  if (s.inputs.empty()) fail("{}: no inputs; write for example '# bench: f32[N] N=16,4096'", where);
  if (s.values.empty()) s.values.push_back("");
  return s;
}

std::string substitute_sizes(std::string text, const std::string& name, const std::string& value) {
  if (name.empty()) return text;
  size_t bracket = text.find('[');
  for (size_t at = bracket; at != std::string::npos;) {
    at = text.find(name, at);
    if (at == std::string::npos) break;
    text.replace(at, name.size(), value);
    at += value.size();
  }
  return text;
}

// What a line measures: the graph, and what a module holds.
struct Measurable {
  std::shared_ptr<const Graph> graph;
  std::vector<BoundInput> bound_inputs = {};
};

Measurable find_measurable(const Script& script, const Specification& s, const std::string& where) {
  if (s.module.empty()) {
    if (script.functions.empty()) fail("{}: no function to measure", where);
    return {script.functions.back()->clone()};
  }
  const Module module = instantiate(script, s.module, kModuleSeed);
  fuzz::Lifted lifted = fuzz::lift(*method_of(script, module, "forward").graph, module.self);
  for (Value* input : lifted.graph->inputs())  // what a module declares of them: nothing more
    if (input->type().is_tensor()) input->set_type(Type(TypeKind::Tensor));
  Measurable out{std::move(lifted.graph)};
  const std::vector<NamedTensor> parameters = named_parameters(module);
  for (IValue& v : lifted.values) {
    const bool parameter = std::ranges::any_of(
        parameters, [&](const NamedTensor& t) { return v.identical(IValue(t.tensor)); });
    out.bound_inputs.push_back({std::move(v), parameter});
  }
  return out;
}

Size size_of(const Specification& s, size_t value) {
  return s.size.value_or(kSizes[std::min(value, std::size(kSizes) - 1)]);
}

// The benchmarks of a line.
void add_line(const std::string& path, const Script& script, const Specification& s,
              const std::string& where, std::vector<Program>& out) {
  const Measurable what = find_measurable(script, s, where);
  const size_t taken = what.graph->inputs().size() - what.bound_inputs.size();
  if (s.inputs.size() != taken)
    fail("{}: {} inputs for a function of {} parameters", where, s.inputs.size(), taken);
  const std::string stem = std::filesystem::path(path).stem();
  for (size_t i = 0; i < s.values.size(); ++i) {
    const std::string& v = s.values[i];
    const std::string sizes = v.empty() ? "" : "/" + s.variable + ":" + v;
    Program p{stem + sizes, path, what.graph, {}};
    p.bound_inputs = what.bound_inputs;
    p.size = size_of(s, i);
    for (const std::string& input : s.inputs) {
      p.inputs.push_back(substitute_sizes(input, s.variable, v));
      check_input(p.inputs.back(), where);
    }
    out.push_back(p);
    if (!s.backward) continue;
    p.name = stem + "/backward" + sizes;
    p.backward = true;
    out.push_back(std::move(p));
  }
}

void load_file(const std::string& path, std::vector<Program>& out) {
  std::optional<Script> script;  // compiled where there is something to measure
  std::istringstream in(read_text_file(path));
  int line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    if (text.rfind(kMark, 0) != 0) continue;
    const std::string where = fmt::format("{}:{}", path, line);
    std::string given = text.substr(std::string(kMark).size());
    while (given.ends_with('\\')) {  // the next comment line goes on
      given.pop_back();
      if (!std::getline(in, text) || !text.starts_with('#'))
        fail("{}: behind '\\' a line of comment goes on", where);
      ++line;
      given += text.substr(1);
    }
    const Specification s = parse_line(given, where);
    if (!script) script = compile_script_file(path);
    add_line(path, *script, s, where, out);
  }
}

void load_archive_file(const std::string& path, const std::regex& filter,
                       std::vector<Program>& out) {
  std::filesystem::path stem = std::filesystem::path(path).replace_extension();
  Program p{stem.filename(), path, nullptr, {}};
  if (!std::regex_search(p.name, filter)) return;
  Module module = load_module(path);
  const Function& forward = method_of(module, "forward");
  p.graph = forward.graph->clone();
  p.given = {module.self};
  for (size_t i = 1; i < p.graph->inputs().size(); ++i) {
    std::string file = fmt::format("{}.{}.npy", stem.string(), i - 1);
    const SchemaArg& arg = forward.schema.args.at(i);
    if (!std::filesystem::exists(file) && !arg.has_default)
      fail("{}: forward takes '{}', but there is no {}", path, arg.name, file);
    p.given.push_back(std::filesystem::exists(file) ? IValue(load_npy(file)) : arg.default_value);
  }
  out.push_back(std::move(p));
}

void load_case_file(const std::string& path, const std::regex& filter, std::vector<Program>& out) {
  Program p{std::filesystem::path(path).stem(), path, nullptr, {}};
  if (!std::regex_search(p.name, filter)) return;
  fuzz::Case c = fuzz::read_case(path);
  if (!c.program || c.calls.empty()) fail("{}: a case without a program or a call", path);
  p.graph = std::move(c.program);
  if (c.self.is_none()) {
    for (IValue& v : c.calls[0].inputs) p.bound_inputs.push_back({std::move(v)});
  } else {
    p.given = std::move(c.calls[0].inputs);
  }
  out.push_back(std::move(p));
}

void fill_below(const Tensor& t, int64_t limit, uint64_t seed, uint64_t offset) {
  for (int64_t i = 0; i < t.numel(); ++i) {
    double share = random_unit(seed, offset + static_cast<uint64_t>(i));
    set_element_int(t, i, static_cast<int64_t>(share * static_cast<double>(limit)));
  }
}

IValue make_input(std::string spec, uint64_t seed, uint64_t offset) {
  std::string limit = cut_limit(&spec);
  if (spec.rfind("int=", 0) == 0) return IValue(static_cast<int64_t>(std::atoll(spec.c_str() + 4)));
  if (spec.rfind("float=", 0) == 0) return IValue(std::atof(spec.c_str() + 6));
  size_t bracket = spec.find('[');
  if (bracket == std::string::npos || spec.back() != ']') {
    fail("'{}' is not an input; write for example f32[16,4], int=3 or float=0.5", spec);
  }
  DType dtype = dtype_from_name(spec.substr(0, bracket));
  Dims sizes;
  std::istringstream words(spec.substr(bracket + 1, spec.size() - bracket - 2));
  for (std::string w; std::getline(words, w, ',');) sizes.push_back(std::atoll(w.c_str()));
  Tensor t = Tensor::empty(sizes, dtype);
  if (limit.empty()) fill_normal(t, seed, offset);
  else fill_below(t, std::atoll(limit.c_str()), seed, offset);
  return IValue(t);
}

// Scripts, archives and cases within, by name.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path ending = entry.path().extension();
    if (ending == ".py" || ending == ".case" || is_archive_name(entry.path().string()))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Of what lies in a folder, where a filter takes none of it; sizes of one program are one name.
[[noreturn]] void refuse_filter(const std::string& folder, const std::string& filter,
                                const std::set<std::string>& names) {
  constexpr size_t kShown = 12;
  if (names.empty())
    fail("{} holds no benchmark: no archive, no case, no script with a line '# bench: f32[16,4]'",
         folder);
  const std::vector<std::string> all(names.begin(), names.end());
  const std::vector<std::string> shown(all.begin(), all.begin() + std::min(kShown, all.size()));
  fail("--filter '{}' matches no benchmark in {}{}; names there are {}{}", filter, folder,
       near_misses(filter, all), join(shown, ", "),
       all.size() > kShown ? fmt::format(" and {} more", all.size() - kShown) : "");
}

}  // namespace

std::vector<Size> sizes_named(const std::vector<std::string>& names) {
  std::vector<Size> out;
  for (Size size : kSizes)
    if (std::ranges::find(names, name_of(size)) != names.end()) out.push_back(size);
  return out;
}

std::string name_of(Size size) {
  static const char* const names[] = {"small", "medium", "large"};
  return names[static_cast<size_t>(size)];
}

std::vector<Program> load_programs(const std::string& folder, const std::string& filter,
                                   const std::vector<Size>& sizes) {
  if (!std::filesystem::is_directory(folder)) {
    fail("{} is not a folder of benchmark programs (give --programs)", folder);
  }
  std::vector<Program> out;
  size_t others = 0;
  std::set<std::string> names;
  try {
    const std::regex expression(filter);
    std::vector<Program> all;
    for (const std::string& f : files_of(folder)) {
      if (!f.ends_with(".py")) names.insert(std::filesystem::path(f).stem());
      if (is_archive_name(f)) load_archive_file(f, expression, all);
      else if (f.ends_with(".case")) load_case_file(f, expression, all);
      else load_file(f, all);
    }
    for (Program& p : all) {
      names.insert(p.name.substr(0, p.name.find('/')));
      if (!std::regex_search(p.name, expression)) continue;
      if (std::ranges::find(sizes, p.size) == sizes.end()) ++others;
      else out.push_back(std::move(p));
    }
  } catch (const std::regex_error& e) {
    fail("--filter: '{}' is not a regular expression ({})", filter, e.what());
  }
  if (out.empty() && others > 0)
    fail("no benchmark matches '{}' in {} ({} of other sizes do: --size)", filter, folder, others);
  if (out.empty()) refuse_filter(folder, filter, names);
  return out;
}

void read_again(const Program& program) {
  if (is_archive_name(program.file)) load_module(program.file);
  else if (program.file.ends_with(".case")) (void)fuzz::read_case(program.file);
  else compile_script_file(program.file);
}

fuzz::Call make_inputs(const Program& program, uint64_t seed) {
  fuzz::Call call;
  call.inputs = program.given;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    call.inputs.push_back(make_input(program.inputs[i], seed, i << 32));
  }
  fuzz::Call bound;
  for (const BoundInput& h : program.bound_inputs) bound.inputs.push_back(h.value);
  for (IValue& v : fuzz::copy_call(bound).inputs) call.inputs.push_back(std::move(v));
  return call;
}

}  // namespace fusillade::bench
