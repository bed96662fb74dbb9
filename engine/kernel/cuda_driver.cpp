// See cuda_driver.h. A library stays loaded: driver threads run in it.
#include "engine/kernel/cuda_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

namespace fusillade::kernel::cuda {
namespace {

constexpr const char* kName = "libcuda.so.1";

// What the driver's manual calls errors that leave the process in a state where it must be ended:
// uncorrectable memory, deinitialised, a dead context, and what kernels do that they must not.
constexpr int kSticky[] = {4,   214, 220, 226, 700, 702, 709, 710, 714,
                           715, 716, 717, 718, 719, 721, 810, 911, 999};

class Finder {
 public:
  explicit Finder(void* library) : library_(library) {}

  template <class... P>
  void operator()(Call<P...>& call) {
    call.address = reinterpret_cast<int (*)(P...)>(dlsym(library_, call.name));
    if (!call.address && missing_.empty()) missing_ = call.name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

std::string first_missing(Driver& d, void* library) {
  Finder find(library);
  const auto each = [&](auto&... calls) { (find(calls), ...); };
  each(d.init, d.version, d.error_name, d.error_text, d.device_count, d.device, d.device_name,
       d.device_attribute, d.retain_context, d.release_context, d.set_context, d.memory, d.allocate,
       d.release, d.to_device, d.to_host, d.on_device, d.fill, d.make_stream, d.end_stream,
       d.wait_stream, d.make_event, d.end_event, d.record, d.wait_event, d.elapsed, d.load_module,
       d.unload_module, d.function, d.function_attribute, d.launch);
  return find.missing();
}

}  // namespace

bool is_sticky(int code) {
  return std::find(std::begin(kSticky), std::end(kSticky), code) != std::end(kSticky);
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string Driver::describe(int code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name.address(code, &name) != 0 || !name) return fmt::format("error {}", code);
  if (error_text.address(code, &text) != 0 || !text) text = "no description";
  return fmt::format("{} ({}): {}", name, code, text);
}

void Driver::refuse(const char* call, int code, std::string_view what) const {
  std::string text = fmt::format("CUDA: {} ({}): {}", call, what, describe(code));
  if (is_sticky(code)) throw DeviceLost(text + "; this process can use the GPU no more");
  if (code == kOutOfMemory) throw Error(text);
  throw Bug(text);
}

std::unique_ptr<Driver> load_driver(const std::string& library) {
  void* handle = dlopen(library.empty() ? kName : library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const std::string why = dlerror();
    if (library.empty()) decline("no CUDA driver is here: {}", why);
    fail("option cuda_driver: {}", why);
  }
  auto driver = std::make_unique<Driver>();
  driver->library = library.empty() ? kName : library;
  const std::string missing = first_missing(*driver, handle);
  if (missing.empty()) return driver;
  if (library.empty()) decline("the CUDA driver here, {}, has no {}", kName, missing);
  fail("option cuda_driver: {} is no CUDA driver that will do: it has no {}", library, missing);
}

}  // namespace fusillade::kernel::cuda
