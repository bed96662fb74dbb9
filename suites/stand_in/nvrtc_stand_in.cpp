// NVRTC for machines without NVIDIA's: CUDA text, with the shim of `cuda-emulated` before it, goes
// through a C++ compiler; the shared object is what it calls a cubin.
//
// A parameter list is split at its commas, which is enough for what cuda_text() writes.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "engine/kernel/cuda.h"
#include "engine/kernel/cuda_functions.h"
#include "suites/stand_in/stand_in.h"

namespace fusillade::stand_in {
namespace {

constexpr int kInvalidProgram = 4, kInvalidOption = 5, kCompilation = 6;
constexpr int kCapabilities[] = {80, 86, 89, 90, 100};

struct Compiled {
  std::string text, log, image;
};

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Gives whether it ended well; what it said is in `errors`.
bool run(const std::vector<std::string>& words, const std::string& errors) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  int status = 1;
  const bool started = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) == 0;
  if (started) waitpid(pid, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return started && status == 0;
}

// A function that takes the addresses of a kernel's arguments, and how large those are.
std::string entry(const std::string& name, const std::string& parameters, bool meets) {
  std::string call, sizes;
  for (size_t from = 0, n = 0; from < parameters.size(); ++n) {
    const size_t to = std::min(parameters.find(',', from), parameters.size());
    const std::string one = parameters.substr(from, to - from);
    const std::string type = one.substr(0, one.find_last_of(" *") + 1);
    call += fmt::format("{}*({}*)given[{}]", n ? ", " : "", type, n);
    sizes += fmt::format("sizeof({}), ", type);
    from = to + 1;
  }
  return fmt::format(
      "extern \"C\" void run_{0}(const ShimHost* host, dim3 blocks, dim3 threads, void** given) "
      "{{\n"
      "  shim_launch(host, blocks, threads, {1}, [&] {{ {0}({2}); }});\n}}\n"
      "extern \"C\" const unsigned sizes_{0}[] = {{{3}0}};\n",
      name, meets, call, sizes);
}

std::string entries(const std::string& text) {
  std::string out;
  for (size_t at = text.find("__global__"); at != std::string::npos;) {
    const size_t next = text.find("__global__", at + 1);
    const size_t body = text.find(") {", at);
    const size_t open = text.rfind('(', body);
    const size_t before = text.rfind(' ', open);
    if (body == std::string::npos || open == std::string::npos) break;
    const std::string whole = text.substr(body, next - body);
    const bool meets = whole.find("__syncthreads") != std::string::npos ||
                       whole.find("shuffle(") != std::string::npos;
    out += entry(text.substr(before + 1, open - before - 1), text.substr(open + 1, body - open - 1),
                 meets);
    at = next;
  }
  return out;
}

const char* compiler() {
  const char* named = std::getenv("FUSILLADE_CUDA_SHIM_COMPILER");
  return named ? named : "clang++-19";
}

int compile(Compiled& p, int capability) {
  std::string folder = (std::filesystem::temp_directory_path() / "stand-in-XXXXXX").string();
  if (!mkdtemp(folder.data())) return kCompilation;
  const std::string source = folder + "/k.cpp", object = folder + "/k.o",
                    library = folder + "/k.so";
  std::ofstream(source) << kernel::cuda_function_lists() << kernel::kCudaShim << p.text
                        << entries(p.text);
  const bool compiled =
      run({compiler(), "-c", "-std=c++17", "-O1", "-w", "-fPIC", "-ffp-contract=off",
           "-fno-math-errno", "-fdenormal-fp-math=dynamic", "-o", object, source},
          folder + "/log") &&
      run({"ld", "-shared", "--eh-frame-hdr", "-o", library, object}, folder + "/log");
  p.log = whole_file(folder + "/log");
  const std::string code = compiled ? whole_file(library) : "";
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!compiled) return kCompilation;
  ImageHead head{{}, static_cast<uint32_t>(capability), 0, code.size()};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  p.image = std::string(reinterpret_cast<const char*>(&head), sizeof head) + code;
  return 0;
}

// 0 where no word says it, or says one that is not known.
int capability_of(int count, const char* const* words) {
  constexpr std::string_view kArch = "--gpu-architecture=sm_";
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const std::string_view word = words[i];
    if (word.starts_with(kArch)) found = std::atoi(words[i] + kArch.size());
    else if (word != "--fmad=false" && word != "-w") return 0;
  }
  for (int known : kCapabilities)
    if (known == found) return found;
  return 0;
}

}  // namespace
}  // namespace fusillade::stand_in

using fusillade::stand_in::Compiled;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
EXPORTED int nvrtcGetNumSupportedArchs(int* count) {
  *count = std::size(fusillade::stand_in::kCapabilities);
  return 0;
}
EXPORTED int nvrtcGetSupportedArchs(int* to) {
  for (int known : fusillade::stand_in::kCapabilities) *to++ = known;
  return 0;
}
EXPORTED int nvrtcCreateProgram(Compiled** program, const char* text, const char*, int,
                                const char* const*, const char* const*) {
  *program = new Compiled{text, "", ""};
  return 0;
}
EXPORTED int nvrtcDestroyProgram(Compiled** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
EXPORTED int nvrtcCompileProgram(Compiled* program, int count, const char* const* words) {
  using namespace fusillade::stand_in;
  if (!program) return kInvalidProgram;
  const int capability = capability_of(count, words);
  if (capability == 0) {
    program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    return kInvalidOption;
  }
  return compile(*program, capability);
}
EXPORTED int nvrtcGetProgramLogSize(Compiled* program, size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
EXPORTED int nvrtcGetProgramLog(Compiled* program, char* to) {
  std::memcpy(to, program->log.c_str(), program->log.size() + 1);
  return 0;
}
EXPORTED int nvrtcGetCUBINSize(Compiled* program, size_t* size) {
  *size = program->image.size();
  return program->image.empty() ? fusillade::stand_in::kInvalidProgram : 0;
}
EXPORTED int nvrtcGetCUBIN(Compiled* program, char* to) {
  std::memcpy(to, program->image.data(), program->image.size());
  return 0;
}
