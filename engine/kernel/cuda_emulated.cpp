// See cuda_emulated.h.
//
// A program is a shared object: shim, prelude, the functions of its kernels, and for each kernel
// one that runs its grids in order. It is compiled in a folder that is removed once it is loaded;
// with option `cache` the compiler's output is kept on disk by the text, which is all that it
// depends on. Threads that never synchronise run one after the other without fibers.
#include "engine/kernel/cuda_emulated.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "engine/base/command.h"
#include "engine/base/lack.h"
#include "engine/base/options.h"
#include "engine/base/text.h"
#include "engine/kernel/cuda.h"
#include "engine/kernel/cuda_functions.h"
#include "engine/kernel/disk_cache.h"
#include "engine/kernel/fibers.h"
#include "engine/kernel/nvrtc.h"

namespace fusillade::kernel {
namespace {

const Option<std::string> kCompiler("cuda_shim_compiler", "clang++-19",
                                    "C++ compiler of back end cuda-emulated");
const Option<bool> kAlsoNvrtc("cuda_nvrtc", false,
                              "back end cuda-emulated also compiles its texts with NVRTC");

// Not fast in any way that changes a result; the last keeps InstCombine of LLVM 19 from tests for
// classes of floats, as in llvm_emit.cpp.
constexpr const char* kWords[] = {"-c",
                                  "-x",
                                  "c++",
                                  "-std=c++17",
                                  "-O1",
                                  "-w",
                                  "-fPIC",
                                  "-ffp-contract=off",
                                  "-fno-math-errno",
                                  "-fdenormal-fp-math=dynamic"};

struct Host {
  void (*fibers)(int count, void (*body)(void* context, int fiber), void* context);
  void (*meet)();
  void (*fault)(const char* what);
};
const Host kHost{&run_fibers, &meet, [](const char* what) {
                   std::fprintf(stderr, "cuda-emulated: %s\n", what);
                   std::abort();
                 }};

using Entry = void (*)(const Host* host, void* const* buffers, const uint64_t* scalars);

// What is loaded lives as long as a program of it.
using Library = std::shared_ptr<void>;

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A folder of its own, gone with the object.
class Workplace {
 public:
  Workplace() {
    std::string path = (std::filesystem::temp_directory_path() / "fusillade-XXXXXX").string();
    if (!mkdtemp(path.data())) {
      note_lack("cannot make a folder like " + path, errno);
      fail("cannot make a folder like {}", path);
    }
    path_ = path;
  }
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::vector<std::string> compiler_words() {
  std::vector<std::string> words{kCompiler.get()};
  words.insert(words.end(), std::begin(kWords), std::end(kWords));
  return words;
}

// Two programs: a compiler that is to link as well starts itself a second time. What meet() throws
// passes through the compiled code, which is built to be unwound.
void compile_text(const std::string& text, const Workplace& place, const std::string& to) {
  const std::string from = place.file("kernels.cpp");
  const std::string object = place.file("kernels.o");
  std::ofstream(from) << text;
  std::vector<std::string> words = compiler_words();
  words.insert(words.end(), {"-o", object, from});
  for (const auto& command : {words, {"ld", "-shared", "--eh-frame-hdr", "-o", to, object}}) {
    const std::string failure = run_command(command);
    if (failure.starts_with("there is no program")) decline("{}", failure);
    FUS_CHECK(failure.empty(), "the text of a kernel does not compile: {}", failure);
  }
}

Library load(const std::string& text) {
  const Workplace place;
  const std::string path = place.file("kernels.so");
  const std::string key = "cuda-emulated " + join(compiler_words(), " ") + "\n" + text;
  std::optional<std::string> kept;
  if (keeps_on_disk()) kept = find_on_disk(key);
  if (kept) std::ofstream(path, std::ios::binary) << *kept;
  else compile_text(text, place, path);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  FUS_CHECK(handle, "what the compiler made cannot be loaded: {}", dlerror());
  if (!kept && keeps_on_disk()) keep_on_disk(key, whole_file(path));
  return {handle, [](void* p) { dlclose(p); }};
}

// The function that runs a kernel's grids.
std::string entry_text(const Kernel& kernel, const CudaText& text, const std::string& name) {
  const auto number = [&](int64_t n) {
    return is_dynamic(n) ? fmt::format("(unsigned)s[{}]", scalar_of(n)) : fmt::format("{}u", n);
  };
  const auto triple = [&](const std::array<int64_t, 3>& n) {
    return fmt::format("{{{}, {}, {}}}", number(n[0]), number(n[1]), number(n[2]));
  };
  const auto buffers = static_cast<size_t>(
      std::ranges::count_if(kernel.buffers, [](const Buffer& b) { return is_global(b.role); }));
  std::string out = fmt::format(
      "extern \"C\" void {}(const ShimHost* host, void* const* b, const u64* s) {{\n", name);
  for (const CudaLaunch& launch : text.launches) {
    std::vector<std::string> arguments;
    for (const std::string& type : launch.parameters) {
      const size_t n = arguments.size();
      if (n < buffers) arguments.push_back(fmt::format("({})b[{}]", type, n));
      else if (type == "double") arguments.push_back(fmt::format("f64_bits(s[{}])", n - buffers));
      else if (type == "float")
        arguments.push_back(fmt::format("f32_bits((u32)s[{}])", n - buffers));
      else arguments.push_back(fmt::format("({})s[{}]", type, n - buffers));
    }
    out +=
        fmt::format("  shim_launch(host, {}, {}, {}, [&] {{ {}({}); }});\n", triple(launch.blocks),
                    triple(launch.threads), launch.meets, launch.function, join(arguments, ", "));
  }
  return out + "}\n";
}

class Emulated final : public Program {
 public:
  Emulated(const Kernel& kernel, std::string text, Library library, const std::string& entry)
      : kernel_(kernel), text_(std::move(text)), library_(std::move(library)) {
    entry_ = reinterpret_cast<Entry>(dlsym(library_.get(), entry.c_str()));
    FUS_CHECK(entry_, "there is no {} in what the compiler made", entry);
  }

  void launch(const LaunchArgs& args, const Stream& stream) const override {
    need_host(stream);
    std::vector<void*> buffers;
    std::vector<std::vector<uint64_t>> temps;
    size_t given = 0;
    for (const Buffer& b : kernel_.buffers) {
      if (is_argument(b.role)) buffers.push_back(args.buffers[given++]);
      if (b.role != BufferRole::Temp) continue;
      size_t bytes = size_of(b.dtype);
      for (int64_t n : b.sizes) {
        const auto size = static_cast<size_t>(number_at_launch(n, args.scalars));
        if (__builtin_mul_overflow(bytes, size, &bytes))
          fail("a temporary of a kernel is too large");
      }
      temps.emplace_back(bytes / sizeof(uint64_t) + 1);
      buffers.push_back(temps.back().data());
    }
    enter(entry_, buffers.data(), args.scalars);
  }

  std::string disassembly() const override { return text_; }

 private:
  // -fsanitize=function looks for a type hash before the function called; what is loaded has none.
#if defined(__clang__)
  __attribute__((no_sanitize("function")))
#endif
  static void
  enter(Entry entry, void* const* buffers, const uint64_t* scalars) {
    entry(&kHost, buffers, scalars);
  }

  Kernel kernel_;
  std::string text_;
  Library library_;
  Entry entry_;
};

// The lines of the output of NVRTC's assembler that report registers and spills, after a head.
std::string as_comments(const std::string& notes) {
  std::string out = fmt::format("// NVRTC {}, sm_{}:\n", nvrtc_version(), kUsualCapability);
  std::istringstream lines(notes);
  for (std::string line; std::getline(lines, line);)
    for (const char* wanted : {"entry function", "spill", "registers"})
      if (line.find(wanted) != std::string::npos) out += "// " + line + "\n";
  return out;
}

}  // namespace

std::vector<std::unique_ptr<Program>> emulate(std::span<const Kernel> kernels) {
  std::string text = cuda_function_lists() + kCudaShim + kCudaPrelude;
  std::vector<std::string> functions;
  for (const Kernel& k : kernels) {
    const std::string name = fmt::format("kernel{}", functions.size());
    const CudaText generated = cuda_text(k, name);
    functions.push_back(generated.functions);
    text += generated.functions + entry_text(k, generated, "run_" + name);
  }
  std::string notes;
  if (kAlsoNvrtc.get()) {
    (void)nvrtc_compile(kCudaPrelude + join(functions, ""), kUsualCapability, &notes);
    notes = as_comments(notes);
  }
  const Library library = load(text);
  std::vector<std::unique_ptr<Program>> out;
  for (size_t i = 0; i < kernels.size(); ++i)
    out.push_back(std::make_unique<Emulated>(kernels[i], functions[i] + notes, library,
                                             fmt::format("run_kernel{}", i)));
  return out;
}

namespace {

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return program.find('/') != std::string::npos && access(program.c_str(), X_OK) == 0;
}

std::string needs() {
  const std::string compiler = kCompiler.get();
  const std::string nvrtc = nvrtc_version();
  return fmt::format("{}: {}; NVRTC, where asked: {}", compiler,
                     in_path(compiler) ? "here" : "absent", nvrtc.empty() ? kNoNvrtc : nvrtc);
}

const Backend& registered = Table<Backend>::instance().add(
    {.name = "cuda-emulated",
     .summary = "CUDA text, built by a C++ compiler against a shim and run on the host",
     .drawn = false,
     .supports = &support_of_grids,
     .compile = [](const Kernel& kernel) { return std::move(emulate({&kernel, 1})[0]); },
     .needs = &needs});

}  // namespace
}  // namespace fusillade::kernel
