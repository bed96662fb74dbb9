// See family.h: the table of families and the rows of their engines.
#include "fuzz/run/foreign/family.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/base/file.h"
#include "engine/base/shell.h"
#include "engine/base/text.h"
#include "engine/run/plan.h"
#include "fuzz/process/confine.h"
#include "fuzz/process/installed.h"
#include "fuzz/process/spawn.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/options.h"
#include "fuzz/run/foreign/worker_text.h"

namespace fusillade::fuzz {
namespace {

using Modules = std::vector<std::pair<const char*, const char* const*>>;

struct Shipped {
  const char* name;
  const char* const* text;
  struct Row {
    const char* name;
    const char* summary;
    std::vector<const char*> below = {};  // tiers_below
  };
  std::vector<Row> engines;
  std::vector<const char*> packages;        // what it imports
  Modules modules = {};                     // of ours
  std::vector<std::string> compilers = {};  // rewriting_compilers
};

// What a worker of an engine that takes ONNX builds on; one of one's own may import it, too.
Modules onnx_modules() {
  return {{"aten", &kAtenText},
          {"onnx_graph", &kOnnxGraphText},
          {"onnx_layers", &kOnnxLayersText},
          {"onnx_pointwise", &kOnnxPointwiseText},
          {"onnx_source", &kOnnxSourceText},
          {"onnx_tensors", &kOnnxTensorsText},
          {"onnx_worker", &kOnnxWorkerText}};
}

// What a worker of an array library builds on: `own`, and ATen's ops for any such library.
Modules array_modules(const Modules& own) {
  Modules out = {{"aten", &kAtenText},
                 {"aten_arrays", &kAtenArraysText},
                 {"aten_pointwise", &kAtenPointwiseText},
                 {"aten_shapes", &kAtenShapesText},
                 {"aten_tables", &kAtenTablesText}};
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

// TensorFlow reads no ONNX: tf_nodes says each node by its own operator.
Modules tensorflow_modules() {
  Modules out = onnx_modules();
  out.emplace_back("tf_nodes", &kTfNodesText);
  return out;
}

Shipped tf_worker() {
  return {"tf",
          &kTfWorkerText,
          {{"eager", "TensorFlow op by op"},
           {"graph", "the program in one tf.function"},
           {"xla", "the program in one tf.function(jit_compile=True)"}},
          {"tensorflow", "onnx", "numpy"},
          tensorflow_modules(),
          {"xla", "tensorflow"}};
}

Shipped tflite_worker() {
  Modules modules = tensorflow_modules();
  modules.emplace_back("tf_worker", &kTfWorkerText);
  return {"tflite",
          &kTfliteWorkerText,
          {{"eager", "TensorFlow op by op, from which TensorFlow Lite's model is converted"},
           {"ref", "TensorFlow Lite, reference kernels"},
           {"builtin", "TensorFlow Lite, optimised kernels", {"ref"}},
           {"xnnpack", "TensorFlow Lite, XNNPACK where it has kernels", {"ref", "builtin"}}},
          {"tensorflow", "ai_edge_litert", "onnx", "numpy"},
          modules,
          {"tensorflow"}};
}

Shipped torch_worker() {
  return {"torch",
          &kTorchWorkerText,
          {{"eager", "PyTorch op by op"},
           {"script", "TorchScript without fusers"},
           {"script(nnc)", "TorchScript with the TensorExpr fuser", {"script"}},
           {"trace", "a trace, run by TorchScript"},
           {"dynamo", "torch.compile, backend eager: Dynamo alone"},
           {"aot", "torch.compile, backend aot_eager_decomp_partition", {"dynamo"}},
           {"compile", "torch.compile, backend inductor", {"dynamo", "aot"}},
           {"compile(dynamic)",
            "torch.compile, backend inductor, dynamic shapes",
            {"dynamo", "aot", "compile"}},
           {"vmap", "torch.vmap over a batch of two different samples"},
           {"functionalize", "torch.func.functionalize"},
           {"jvp", "torch.func.jvp, which also computes tangents"},
           {"vjp", "torch.func.vjp, which also prepares the backward pass"},
           {"export", "torch.export and run_decompositions", {"functionalize"}}},
          {"torch"},
          {{"library_guard", &kLibraryGuardText},
           {"program_wall", &kProgramWallText},
           {"torch_admission", &kTorchAdmissionText},
           {"torch_allowed", &kTorchAllowedText},
           {"torch_build", &kTorchBuildText},
           {"torch_eager", &kTorchEagerText},
           {"torch_gradients", &kTorchGradientsText},
           {"torch_kernels", &kTorchKernelsText},
           {"left_behind", &kLeftBehindText},
           {"raised_for_result", &kRaisedForResultText},
           {"torch_plain", &kTorchPlainText},
           {"torch_source", &kTorchSourceText},
           {"torch_transforms", &kTorchTransformsText}},
          {"inductor"}};
}

Shipped jax_worker() {
  return {"jax",
          &kJaxWorkerText,
          {{"eager", "JAX op by op"},
           {"jit", "the program in one jax.jit"},
           {"remat", "jax.jit of jax.checkpoint", {"jit"}},
           {"vmap", "jax.jit of jax.vmap over two samples"}},
          {"jax", "numpy"},
          array_modules({{"jax_arrays", &kJaxArraysText},
                         {"jax_pointwise", &kJaxPointwiseText},
                         {"jax_shapes", &kJaxShapesText},
                         {"jax_source", &kJaxSourceText},
                         {"jax_tables", &kJaxTablesText}}),
          {"xla"}};
}

Shipped mlx_worker() {
  return {"mlx",
          &kMlxWorkerText,
          {{"eager", "MLX's CPU back end, op by op"}, {"compile", "the program in one mx.compile"}},
          {"mlx", "numpy"},
          array_modules({{"mlx_arrays", &kMlxArraysText},
                         {"mlx_pointwise", &kMlxPointwiseText},
                         {"mlx_shapes", &kMlxShapesText},
                         {"mlx_tables", &kMlxTablesText}})};
}

const std::vector<Shipped>& shipped_workers() {
  static const std::vector<Shipped> all = {
      torch_worker(),
      jax_worker(),
      {"ort",
       &kOrtWorkerText,
       {{"eager", "ONNX Runtime, the graph without optimisations"},
        {"basic", "ONNX Runtime with basic graph optimisations"},
        {"all", "ONNX Runtime with all graph optimisations", {"basic"}}},
       {"onnxruntime", "onnx", "numpy"},
       onnx_modules(),
       {"ort"}},
      {"iree",
       &kIreeWorkerText,
       {{"eager", "IREE on the processor, each node as a model of its own"},
        {"whole", "IREE on the processor, the model as a whole"}},
       {"iree", "onnx", "numpy"},
       onnx_modules()},
      mlx_worker(),
      {"mnn",
       &kMnnWorkerText,
       {{"eager", "MNN's CPU back end, each node as a model of its own"},
        {"graph", "MNN's CPU back end, the model as a whole"}},
       {"MNN", "onnx", "numpy"},
       onnx_modules()},
      {"onnxref",
       &kOnnxrefWorkerText,
       {{"eager", "the reference evaluator of ONNX, node by node"}},
       {"onnx", "numpy"},
       onnx_modules()},
      {"openvino",
       &kOpenvinoWorkerText,
       {{"eager", "OpenVINO's CPU plugin, each node as a model of its own"},
        {"graph", "OpenVINO's CPU plugin, the model as a whole"}},
       {"openvino", "onnx", "numpy"},
       onnx_modules(),
       {"openvino"}},
      tf_worker(),
      tflite_worker(),
      {"tinygrad",
       &kTinygradWorkerText,
       {{"eager", "tinygrad, each node of ONNX realised"},
        {"lazy", "tinygrad, the model as a whole"}},
       {"tinygrad", "onnx", "numpy"},
       onnx_modules(),
       {"tinygrad"}},
      {"tvm",
       &kTvmWorkerText,
       {{"eager", "TVM on the processor, each node as a model of its own"},
        {"whole", "TVM on the processor, the model as a whole"}},
       {"tvm", "onnx", "numpy"},
       onnx_modules(),
       {"tvm"}},
  };
  return all;
}

const Shipped* find_shipped(const std::string& name) {
  for (const Shipped& s : shipped_workers())
    if (name == s.name) return &s;
  return nullptr;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> out;
  for (const Shipped& s : shipped_workers()) out.push_back(s.name);
  return out;
}

struct Families {
  std::vector<std::unique_ptr<Family>> all;
  Family* find(const std::string& name) {
    for (auto& f : all)
      if (f->name == name) return f.get();
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& f : all) out.push_back(f->name);
    return out;
  }
};

void add_row(const std::string& family, const std::string& engine, const std::string& summary) {
  Table<Engine>::instance().add({.name = family + ":" + engine,
                                 .summary = summary,
                                 .prepare = &prepare_outside,
                                 .runs_passes = false,
                                 .check_words = &check_option_words,
                                 .ring = false,
                                 .outside = true});
}

Families& families() {
  static Families out = [] {
    Families f;
    for (const Shipped& s : shipped_workers())
      f.all.push_back(std::make_unique<Family>(Family{s.name, s.name, ""}));
    return f;
  }();
  return out;
}

const bool kRows [[maybe_unused]] = [] {
  for (const Shipped& s : shipped_workers())
    for (const auto& engine : s.engines) add_row(s.name, engine.name, engine.summary);
  return true;
}();

bool executable(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

// Which of these packages this interpreter has not; none: "".
std::string without(const std::string& python, const std::vector<const char*>& packages) {
  constexpr const char* kFind =
      "import sys\nfrom importlib.util import find_spec\n"
      "sys.exit(next((i + 1 for i, name in enumerate(sys.argv[1:]) if not find_spec(name)), 0))";
  std::vector<std::string> words = {python, "-I", "-c", kFind};
  words.insert(words.end(), packages.begin(), packages.end());
  const Ending ending = spawn([&] { become(words); }, {.name = "find_spec"}).wait();
  if (ending.clean()) return "";
  const size_t missing = static_cast<size_t>(ending.status);
  return ending.signal || missing > packages.size()
             ? python + " does not run"
             : fmt::format("{} has no {}", python, packages[missing - 1]);
}

// The interpreter of the user's environment, or the one next to the executable, where it has what
// the worker imports; else one that ci/setup.sh --engines or --compilers put next to the build's
// folder; else that of reports.
std::string default_python(const std::vector<const char*>& packages) {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* folder = getenv(variable);
    const std::string python = folder && *folder ? std::string(folder) + "/bin/python" : "";
    if (!python.empty() && executable(python) && without(python, packages).empty()) return python;
  }
  const std::string adjacent = adjacent_python();
  if (!adjacent.empty() && without(adjacent, packages).empty()) return adjacent;
  const auto builds = std::filesystem::path(own_executable()).parent_path().parent_path();
  const std::string engines = builds / "engines/bin/python";
  const std::string compilers = builds / "compilers/bin/python";
  if (executable(compilers) && (!executable(engines) || !without(engines, packages).empty()) &&
      without(compilers, packages).empty())
    return compilers;
  return executable(engines) ? engines : python_interpreter();
}

// Runs a worker's text or file, with the module `fusillade_worker` and others to be imported and
// nothing of the current folder.
bool g_trusted = false;

constexpr const char* kBoot =
    "import sys, runpy\n"
    "from importlib.util import spec_from_loader\n"
    "sys.path[:] = [p for p in sys.path if p]\n"
    "_, kind, what, *modules = sys.argv\n"
    "class Ours:\n"
    "    texts = dict(zip(modules[::2], modules[1::2]))\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        return spec_from_loader(name, self) if name in self.texts else None\n"
    "    def create_module(self, spec): return None\n"
    "    def exec_module(self, m):\n"
    "        exec(compile(self.texts[m.__name__], m.__name__ + '.py', 'exec'), m.__dict__)\n"
    "sys.meta_path.insert(0, Ours())\n"
    "sys.argv = ['worker']\n"
    "if kind == 'file': runpy.run_path(what, run_name='__main__')\n"
    "else: exec(compile(what, 'worker.py', 'exec'), sys.modules['__main__'].__dict__)\n";

std::pair<std::string, std::string> name_and_value(const std::string& flag,
                                                   const std::string& word) {
  size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == word.size() || !is_plan_word(name))
    fail("{} '{}': legal is NAME={}, where NAME is of letters, digits, '_', '.' and '-'", flag,
         word, flag == "--engine" ? "WORKER" : "PYTHON");
  return {name, word.substr(equals + 1)};
}

void add_family(const std::string& word) {
  auto [name, worker] = name_and_value("--engine", word);
  if (families().find(name)) fail("--engine '{}': there is a family '{}' already", word, name);
  struct stat s;
  bool file = !find_shipped(worker);
  if (file && (stat(worker.c_str(), &s) != 0 || !S_ISREG(s.st_mode)))
    fail("--engine '{}': there is no file '{}', nor such a shipped worker ({})", word, worker,
         join(shipped_names(), ", "));
  if (file) {
    char* whole = realpath(worker.c_str(), nullptr);
    if (whole) worker = whole;
    free(whole);
  }
  families().all.push_back(std::make_unique<Family>(Family{name, worker, ""}));
}

// As it was given, from the root: the link of a virtual environment is what makes it one. A name
// without a slash is looked for in PATH.
std::string whole_path(const std::string& python) {
  if (python.find('/') == std::string::npos) return python;
  return std::filesystem::absolute(python).lexically_normal();
}

void add_rows(const Family& family) {
  if (const Shipped* s = find_shipped(family.worker)) {
    for (const auto& engine : s->engines)
      add_row(family.name, engine.name, fmt::format("{} ({})", engine.summary, family.worker));
    return;
  }
  for (const std::string& engine : ForeignWorker::of(family).engines())
    add_row(family.name, engine, "of " + family.worker);
}

}  // namespace

std::string Family::interpreter() const {
  if (!python.empty()) return python;
  static std::map<std::string, std::string> found;
  auto [it, unknown] = found.emplace(worker, "");
  const Shipped* s = find_shipped(worker);
  if (unknown) it->second = default_python(s ? s->packages : std::vector<const char*>());
  return it->second;
}

std::vector<std::string> Family::command() const {
  const Shipped* s = find_shipped(worker);
  std::vector<std::string> out = {interpreter(), "-c", kBoot, s ? "text" : "file",
                                  s ? *s->text : worker};
  out.insert(out.end(), {"fusillade_worker", kFusilladeWorkerText});
  for (const auto& [name, text] : s ? s->modules : onnx_modules())
    out.insert(out.end(), {name, *text});
  return out;
}

void declare_families(const std::vector<std::string>& engines,
                      const std::vector<std::string>& pythons) {
  size_t known = families().all.size();
  for (const std::string& word : engines) add_family(word);
  for (const std::string& word : pythons) {
    auto [name, python] = name_and_value("--engine-python", word);
    Family* family = families().find(name);
    if (!family)
      fail("--engine-python '{}': there is no family '{}'{} (legal: {})", word, name,
           near_misses(name, families().names()), join(families().names(), ", "));
    family->python = whole_path(python);
  }
  for (size_t i = known; i < families().all.size(); ++i) add_rows(*families().all[i]);
}

std::vector<std::string> walls_around_engines() {
  return is_sandboxed() ? names_of(engine_walls()) : std::vector<std::string>();
}

void report_missing_walls() {
  static bool said = false;
  if (!is_sandboxed() || std::exchange(said, true)) return;
  const Walls walls = engine_walls();
  const char* missing = walls.files     ? (walls.network ? nullptr : "the network")
                        : walls.network ? "changing files"
                                        : "changing files and from the network";
  if (missing)
    std::fprintf(stderr,
                 "fusillade: this system cannot keep external engines from %s "
                 "(docs/reference/safety.md)\n",
                 missing);
}

std::string family_flags(const std::vector<Plan>& plans) {
  std::set<std::string> used;
  for (const Plan& plan : plans)
    if (is_outside(plan.engine)) used.insert(family_of(plan.engine).name);
  std::string out;
  for (const auto& f : families().all) {
    if (!used.contains(f->name)) continue;
    if (f->name != f->worker) out += " --engine=" + shell_word(f->name + "=" + f->worker);
    if (!f->python.empty()) out += " --engine-python=" + shell_word(f->name + "=" + f->python);
  }
  if (!used.empty() && !is_sandboxed()) out += " --no-sandbox";
  return out;
}

std::string family_flags(const Case& c) {
  return family_flags(c.plans) + (c.plain && g_trusted ? " --trust-text" : "");
}

void trust_texts(bool are) { g_trusted = are; }
bool are_texts_trusted() { return g_trusted; }

bool is_outside(const std::string& engine) {
  const Engine* row = Table<Engine>::instance().find(engine);
  return row && row->outside;
}

const Family& family_of(const std::string& engine) {
  if (Family* f = families().find(engine.substr(0, engine.find(':')))) return *f;
  fail("there is no family of engines for '{}'", engine);
}

std::string name_in_family(const std::string& engine) {
  return engine.substr(engine.find(':') + 1);
}

std::string eager_of(const std::string& engine) { return family_of(engine).name + ":eager"; }

std::vector<std::string> tiers_below(const std::string& engine) {
  std::vector<std::string> out;
  const Shipped* s = is_outside(engine) ? find_shipped(family_of(engine).worker) : nullptr;
  if (!s) return out;
  for (const auto& row : s->engines) {
    if (row.name != name_in_family(engine)) continue;
    for (const char* below : row.below) out.push_back(family_of(engine).name + ":" + below);
  }
  return out;
}

std::vector<std::string> rewriting_compilers(const std::string& engine) {
  const Shipped* s = find_shipped(family_of(engine).worker);
  return s ? s->compilers : std::vector<std::string>();
}

std::string lacking(const std::string& engine) { return lacking_of(family_of(engine)); }

std::string lacking_of(const Family& family) {
  const Shipped* s = find_shipped(family.worker);
  if (!s) return "";  // it ran when it was declared
  static std::map<std::string, std::string> known;
  auto [it, unknown] = known.emplace(family.name, "");
  if (!unknown) return it->second;
  return it->second = without(family.interpreter(), s->packages);
}

std::string start_advice(const Family& family) {
  std::string out;
  if (find_shipped(family.worker) && !installed_folder("engine/aten").empty()) {
    out =
        "; ci/setup.sh --engines installs torch, jax and ort, ci/setup.sh --compilers the other "
        "shipped ones";
  }
  if (family.python.empty())
    out += fmt::format("; --engine-python {}=PYTHON names another interpreter", family.name);
  return out;
}

std::string require_outside(const Plan& plan) {
  report_missing_walls();
  const Family& family = family_of(plan.engine);
  const std::string name = name_in_family(plan.engine);
  ForeignWorker* worker = &ForeignWorker::of(family);
  worker->require(name);
  if (worker->forks()) {  // some engines are refused only when they are prepared
    ForeignWorker::nurse(family, {name});
    worker = &ForeignWorker::of(family);
    worker->require(name);
  }
  if (is_drawn(plan.words)) worker->options().of(name);
  else worker->options().parse_words(name, plan.words);
  return fmt::format("{}: {}, run by {}", family.name, worker->identity(), family.interpreter());
}

void draw_options(std::vector<Plan>& plans, Choices& choices) {
  for (Plan& plan : plans) {
    if (!is_outside(plan.engine) || !is_drawn(plan.words)) continue;
    const EngineOptions& options = ForeignWorker::of(family_of(plan.engine)).options();
    plan.words = options.draw_words(name_in_family(plan.engine), choices);
    plan = respell(std::move(plan));
  }
}

std::function<bool(const Operator&)> operator_filter(const std::vector<Plan>& plans) {
  std::set<std::string> all;
  for (const Plan& plan : plans) all.insert(plan.engine);
  return [all](const Operator& op) {
    return std::all_of(all.begin(), all.end(), [&](const std::string& engine) {
      return ForeignWorker::of(family_of(engine)).may_have(op, name_in_family(engine));
    });
  };
}

void nurse_outside(const std::vector<Plan>& plans) {
  std::map<const Family*, std::vector<std::string>> engines;
  for (const Plan& plan : plans) {
    const std::string& engine = plan.engine;
    if (is_outside(engine)) engines[&family_of(engine)].push_back(name_in_family(engine));
  }
  for (const auto& [family, names] : engines) ForeignWorker::nurse(*family, names);
}

void stop_outside(const std::vector<Plan>& plans) {
  for (const Plan& plan : plans)
    if (is_outside(plan.engine)) ForeignWorker::stop(family_of(plan.engine));
}

void start_outside(const std::vector<Plan>& plans) {
  for (const Plan& plan : plans) {
    const std::string& engine = plan.engine;
    if (is_outside(engine)) ForeignWorker::of(family_of(engine));
  }
}

}  // namespace fusillade::fuzz
