// See nvrtc.h. The library is loaded when first asked for: from where option `nvrtc` says, else by
// name, else from what `ci/setup.sh --cuda` installed next to the folder of this program.
#include "engine/kernel/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/options.h"

namespace fusillade::kernel {
namespace {

const Option<std::string> kLibrary("nvrtc", "", "NVRTC's library; empty: looked for");

constexpr const char* kName = "libnvrtc.so.13";
constexpr const char* kBundled = "nvrtc/nvidia/cu13/lib/libnvrtc.so.13";
constexpr const char* kBuiltins = "libnvrtc-builtins.so";

struct Nvrtc {
  using Program = void*;
  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(Program*, const char* text, const char* name, int headers, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*compile)(Program, int count, const char* const* words) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*code_size)(Program, size_t*) = nullptr;
  int (*code)(Program, char*) = nullptr;
  int (*arch_count)(int*) = nullptr;
  int (*archs)(int*) = nullptr;
  std::string path;
};

// From a folder that the loader does not look into: its other half, which it asks for by name
// alone, is loaded before.
void* open_in_folder(const std::filesystem::path& library) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(kBuiltins))
      dlopen(entry.path().c_str(), RTLD_NOW);
  }
  return dlopen(library.c_str(), RTLD_NOW);
}

void* open_library(const std::string& named) {
  if (!named.empty()) {
    void* handle = open_in_folder(named);
    if (!handle) fail("option nvrtc: {}", dlerror());
    return handle;
  }
  if (void* handle = dlopen(kName, RTLD_NOW)) return handle;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return open_in_folder(self.parent_path().parent_path() / kBundled);
}

std::unique_ptr<Nvrtc> load(const std::string& named) {
  void* handle = open_library(named);
  if (!handle) return nullptr;
  auto calls = std::make_unique<Nvrtc>();
  bool all = true;
  const auto find = [&](auto& call, const char* name) {
    void* address = dlsym(handle, name);
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(address);
    all = all && address;
  };
  find(calls->version, "nvrtcVersion");
  find(calls->create, "nvrtcCreateProgram");
  find(calls->destroy, "nvrtcDestroyProgram");
  find(calls->compile, "nvrtcCompileProgram");
  find(calls->log_size, "nvrtcGetProgramLogSize");
  find(calls->log, "nvrtcGetProgramLog");
  find(calls->code_size, "nvrtcGetCUBINSize");
  find(calls->code, "nvrtcGetCUBIN");
  find(calls->arch_count, "nvrtcGetNumSupportedArchs");
  find(calls->archs, "nvrtcGetSupportedArchs");
  Dl_info info{};
  if (all && dladdr(reinterpret_cast<const void*>(calls->create), &info) && info.dli_fname)
    calls->path = info.dli_fname;
  return all ? std::move(calls) : nullptr;
}

// Null where it is not here. Once loaded, it stays.
const Nvrtc* nvrtc() {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Nvrtc>> loaded;
  const std::string named = kLibrary.get();
  std::lock_guard lock(mutex);
  auto it = loaded.find(named);
  if (it == loaded.end()) it = loaded.emplace(named, load(named)).first;
  return it->second.get();
}

template <class Size, class Get>
std::string text_of(Nvrtc::Program program, Size size, Get get) {
  size_t n = 0;
  if (size(program, &n) != 0) return "";
  std::string out(n, '\0');
  if (get(program, out.data()) != 0) return "";
  return out;
}

}  // namespace

int nvrtc_number() {
  const Nvrtc* calls = nvrtc();
  int major = 0;
  int minor = 0;
  if (!calls || calls->version(&major, &minor) != 0) return 0;
  return major * 1000 + minor * 10;
}

std::string nvrtc_version() {
  const int number = nvrtc_number();
  return number ? fmt::format("{}.{}", number / 1000, number % 1000 / 10) : "";
}

std::string nvrtc_identity() {
  return nvrtc() ? fmt::format("NVRTC {} of {}", nvrtc_version(), nvrtc()->path) : "";
}

bool nvrtc_knows(int capability) {
  const Nvrtc* calls = nvrtc();
  int count = 0;
  if (!calls || calls->arch_count(&count) != 0) return false;
  std::vector<int> known(static_cast<size_t>(count));
  return calls->archs(known.data()) == 0 &&
         std::find(known.begin(), known.end(), capability) != known.end();
}

std::string nvrtc_compile(const std::string& text, int capability, std::string* notes) {
  const std::string arch = fmt::format("--gpu-architecture=sm_{}", capability);
  const char* const words[] = {arch.c_str(), "--fmad=false", "-w", "--ptxas-options=-v"};
  const Nvrtc* calls = nvrtc();
  if (!calls) decline("NVRTC is {}", kNoNvrtc);
  Nvrtc::Program program = nullptr;
  FUS_CHECK(calls->create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) == 0,
            "NVRTC makes no program");
  const size_t silent = notes ? 0 : 1;
  const int failed = calls->compile(program, std::size(words) - silent, words);
  const std::string out = failed ? text_of(program, calls->log_size, calls->log)
                                 : text_of(program, calls->code_size, calls->code);
  if (notes && !failed) *notes = text_of(program, calls->log_size, calls->log);
  calls->destroy(&program);
  FUS_CHECK(!failed, "NVRTC refuses the text of a kernel: {}", out);
  return out;
}

}  // namespace fusillade::kernel
