// NVIDIA's driver, where it is: the calls of its API that run kernels, declared here and looked up
// when a library is loaded, so that nothing of CUDA is needed to build this or to run without it.
//
// A call that fails is reported by its name, the error's, and what was asked for. Errors after
// which the driver does no more in this process (an illegal address, a launch that failed) are
// DeviceLost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

namespace fusillade::kernel::cuda {

using Address = unsigned long long;  // of device memory
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;

inline constexpr int kOutOfMemory = 2;

// Of a device.
inline constexpr int kMultiprocessors = 16;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
// Of a function.
inline constexpr int kSharedBytes = 1;
inline constexpr int kLocalBytes = 3;
inline constexpr int kRegisters = 4;

inline constexpr unsigned kNonBlocking = 1;  // a stream that waits for no other

// The GPU, as this process has it, is gone: a kernel did what it must not.
class DeviceLost : public Bug {
  using Bug::Bug;
};
bool is_sticky(int code);

template <class... P>
struct Call {
  const char* name;
  int (*address)(P...) = nullptr;
};

struct Driver {
  Call<unsigned> init{"cuInit"};
  Call<int*> version{"cuDriverGetVersion"};
  Call<int, const char**> error_name{"cuGetErrorName"};
  Call<int, const char**> error_text{"cuGetErrorString"};
  Call<int*> device_count{"cuDeviceGetCount"};
  Call<int*, int> device{"cuDeviceGet"};
  Call<char*, int, int> device_name{"cuDeviceGetName"};
  Call<int*, int, int> device_attribute{"cuDeviceGetAttribute"};
  Call<Context*, int> retain_context{"cuDevicePrimaryCtxRetain"};
  Call<int> release_context{"cuDevicePrimaryCtxRelease_v2"};
  Call<Context> set_context{"cuCtxSetCurrent"};
  Call<size_t*, size_t*> memory{"cuMemGetInfo_v2"};  // free, all
  Call<Address*, size_t> allocate{"cuMemAlloc_v2"};
  Call<Address> release{"cuMemFree_v2"};
  Call<Address, const void*, size_t, Stream> to_device{"cuMemcpyHtoDAsync_v2"};
  Call<void*, Address, size_t, Stream> to_host{"cuMemcpyDtoHAsync_v2"};
  Call<Address, Address, size_t, Stream> on_device{"cuMemcpyDtoDAsync_v2"};
  Call<Address, unsigned char, size_t, Stream> fill{"cuMemsetD8Async"};
  Call<Stream*, unsigned> make_stream{"cuStreamCreate"};
  Call<Stream> end_stream{"cuStreamDestroy_v2"};
  Call<Stream> wait_stream{"cuStreamSynchronize"};
  Call<Event*, unsigned> make_event{"cuEventCreate"};
  Call<Event> end_event{"cuEventDestroy_v2"};
  Call<Event, Stream> record{"cuEventRecord"};
  Call<Event> wait_event{"cuEventSynchronize"};
  Call<float*, Event, Event> elapsed{"cuEventElapsedTime"};  // milliseconds
  Call<Module*, const void*> load_module{"cuModuleLoadData"};
  Call<Module> unload_module{"cuModuleUnload"};
  Call<Function*, Module, const char*> function{"cuModuleGetFunction"};
  Call<int*, int, Function> function_attribute{"cuFuncGetAttribute"};
  // blocks and threads along x, y, z; bytes of shared memory in addition to the function's own
  Call<Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
       void**, void**>
      launch{"cuLaunchKernel"};

  std::string library;

  // "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
  std::string describe(int code) const;

  // Throws DeviceLost, Error where there is no more memory, else Bug.
  [[noreturn]] void refuse(const char* call, int code, std::string_view what) const;
};

// From this library; "": from the one that the driver's installation puts in place. Throws
// Unsupported saying what is missing, Error where a library that was named is no driver.
std::unique_ptr<Driver> load_driver(const std::string& library);

// "12.4" of 12040.
std::string version_text(int version);

}  // namespace fusillade::kernel::cuda
