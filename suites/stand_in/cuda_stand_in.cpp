// A CUDA driver for machines without a GPU: the calls that engine/kernel/cuda_driver.h asks for, on
// host memory, as strict as NVIDIA's where that can be had.
//
// Device memory is one mapping that the host may not touch: it is open only while requested work
// runs. Work on a stream runs when somebody waits for it; arguments of a launch and data copied to
// the device are read at once, as by the real driver. Fresh memory holds a pattern. Calls need the
// context that is current on their thread, and fail in a process forked from this one. After a
// fault of a kernel every call gives its error.
//
// CUDA_STAND_IN_MEMORY_MB, _VERSION, _DEVICES, _CAPABILITY say what there is;
// CUDA_STAND_IN_FAULT_AT=N makes the Nth launch of the process fail, with the error that
// CUDA_STAND_IN_FAULT names (700).
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernel/fibers.h"
#include "suites/stand_in/stand_in.h"

namespace fusillade::stand_in {
namespace {

using Address = unsigned long long;
using Clock = std::chrono::steady_clock;
enum Code : int {
  kOk = 0,
  kInvalidValue = 1,
  kNoMemory = 2,
  kNotInitialised = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinary = 209,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchFailed = 719,
};
struct ErrorText {
  int code;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrorTexts[] = {
    {kOk, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kNoMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialised, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kNoBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for the device"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

constexpr size_t kAlign = 256;
constexpr int kFresh = 0x5a;

struct Dim3 {
  unsigned x, y, z;
};
struct ShimHost {  // as cuda_shim.cuh has it
  void (*fibers)(int count, void (*body)(void* context, int fiber), void* context);
  void (*meet)();
  void (*fault)(const char* what);
};
const ShimHost kHost{&kernel::run_fibers, &kernel::meet, [](const char* what) {
                       std::fprintf(stderr, "cuda_stand_in: %s\n", what);
                       std::abort();
                     }};

struct Stream {
  std::deque<std::function<void()>> waiting;
};
struct Event {
  Stream* stream = nullptr;
  bool happened = false;
  Clock::time_point at;
};
struct Function {
  void (*run)(const ShimHost*, Dim3, Dim3, void**);
  const unsigned* sizes;  // of its parameters; ends with 0
};
struct Module {
  void* library = nullptr;
  Address code = 0;  // it takes memory of the device
  std::map<std::string, Function> functions;
};
struct Context {};

struct Gpu {
  std::recursive_mutex mutex;
  pid_t process = 0;  // that began; 0: none
  char* memory = nullptr;
  size_t bytes = 0, used = 0;
  std::map<size_t, size_t> blocks;  // taken: where it begins, how long it is
  std::set<Stream*> streams;
  int broken = 0;  // the error that every call gives
  long launches = 0;
  Context context;
};
Gpu& gpu() {
  static Gpu* const one = new Gpu;  // outlives whoever calls while the process ends
  return *one;
}
thread_local Context* current = nullptr;

// Opens the device's memory to the host while one exists.
struct HostAccess {
  HostAccess() { mprotect(gpu().memory, gpu().bytes, PROT_READ | PROT_WRITE); }
  ~HostAccess() { mprotect(gpu().memory, gpu().bytes, PROT_NONE); }
};

void drain(Stream& s) {
  const HostAccess host_access;
  while (!s.waiting.empty()) {
    const std::function<void()> next = std::move(s.waiting.front());
    s.waiting.pop_front();
    if (!gpu().broken) next();
  }
}

int driver_status() {
  if (gpu().process == 0 || gpu().process != getpid()) return kNotInitialised;
  return gpu().broken;
}

// The body, where the calling thread may ask for something.
template <class F>
int with_context(F body) {
  std::lock_guard lock(gpu().mutex);
  if (const int code = driver_status()) return code;
  if (current != &gpu().context) return kInvalidContext;
  return body();
}

// Are these bytes within one block?
bool is_allocated(Address from, size_t bytes) {
  const Gpu& g = gpu();
  const Address base = reinterpret_cast<Address>(g.memory);
  if (from < base || from - base > g.bytes) return false;
  auto it = g.blocks.upper_bound(from - base);
  if (it == g.blocks.begin()) return false;
  --it;
  const size_t in = from - base - it->first;
  return in <= it->second && bytes <= it->second - in;
}
char* at(Address a) { return reinterpret_cast<char*>(a); }

int on_stream(Stream* s, std::function<void()> what) {
  if (gpu().streams.count(s) == 0) return kInvalidHandle;
  s->waiting.push_back(std::move(what));
  return kOk;
}

// The first gap that is large enough.
bool find_gap(size_t bytes, size_t* found) {
  size_t from = 0;
  for (const auto& [begin, length] : gpu().blocks) {
    if (begin - from >= bytes) break;
    from = begin + (length + kAlign - 1) / kAlign * kAlign;
  }
  *found = from;
  return from <= gpu().bytes && bytes <= gpu().bytes - from;
}

void run(const Function& f, Dim3 blocks, Dim3 threads, std::vector<std::vector<char>> arguments) {
  if (++gpu().launches == number("FAULT_AT", 0)) {
    gpu().broken = static_cast<int>(number("FAULT", kIllegalAddress));
    return;
  }
  std::vector<void*> given;
  for (std::vector<char>& a : arguments) given.push_back(a.data());
  try {
    f.run(&kHost, blocks, threads, given.data());
  } catch (const Bug&) {  // threads that do not come to a barrier
    gpu().broken = kLaunchFailed;
  }
}

int take(size_t bytes, Address* to) {
  size_t found = 0;
  if (bytes == 0) return kInvalidValue;
  if (!find_gap(bytes, &found)) return kNoMemory;
  gpu().blocks[found] = bytes;
  gpu().used += bytes;
  const HostAccess host_access;
  std::memset(gpu().memory + found, kFresh, bytes);
  *to = reinterpret_cast<Address>(gpu().memory + found);
  return kOk;
}

int free_block(Address from) {
  const auto it = gpu().blocks.find(from - reinterpret_cast<Address>(gpu().memory));
  if (it == gpu().blocks.end()) return kInvalidValue;
  gpu().used -= it->second;
  gpu().blocks.erase(it);
  return kOk;
}

unsigned capability() { return static_cast<unsigned>(number("CAPABILITY", 90)); }

bool legal(Dim3 blocks, Dim3 threads) {
  const auto none = [](Dim3 d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  return !none(blocks) && !none(threads) && blocks.x <= INT32_MAX && blocks.y <= 65535 &&
         blocks.z <= 65535 && threads.z <= 64 &&
         uint64_t{threads.x} * threads.y * threads.z <= 1024;
}

}  // namespace

int ask_on_stream(void* stream, const std::vector<Range>& ranges, std::function<void()> what) {
  return with_context([&]() -> int {
    for (const Range& r : ranges)
      if (!is_allocated(r.from, r.bytes)) return kInvalidValue;
    return on_stream(static_cast<Stream*>(stream), std::move(what));
  });
}

}  // namespace fusillade::stand_in

using namespace fusillade::stand_in;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int cuInit(unsigned flags) {
  std::lock_guard lock(gpu().mutex);
  Gpu& g = gpu();
  if (flags != 0) return kInvalidValue;
  if (number("DEVICES", 1) == 0) return kNoDevice;
  if (g.process != 0) return driver_status();
  g.bytes = static_cast<size_t>(number("MEMORY_MB", 256)) << 20;
  void* memory =
      mmap(nullptr, g.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return kNoMemory;
  g.memory = static_cast<char*>(memory);
  g.process = getpid();
  return kOk;
}
EXPORTED int cuDriverGetVersion(int* version) {
  *version = static_cast<int>(number("VERSION", 13000));
  return kOk;
}
EXPORTED int cuGetErrorName(int code, const char** name) {
  *name = nullptr;
  for (const ErrorText& t : kErrorTexts)
    if (t.code == code) *name = t.name;
  return *name ? kOk : kInvalidValue;
}
EXPORTED int cuGetErrorString(int code, const char** text) {
  *text = nullptr;
  for (const ErrorText& t : kErrorTexts)
    if (t.code == code) *text = t.text;
  return *text ? kOk : kInvalidValue;
}
EXPORTED int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(number("DEVICES", 1));
  return driver_status();
}
EXPORTED int cuDeviceGet(int* device, int index) {
  *device = index;
  return index < number("DEVICES", 1) ? driver_status() : kInvalidDevice;
}
EXPORTED int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<size_t>(length), "stand-in for a GPU");
  return driver_status();
}
EXPORTED int cuDeviceGetAttribute(int* value, int which, int) {
  *value = static_cast<int>(which == 75 ? capability() / 10 : which == 76 ? capability() % 10 : 1);
  return driver_status();
}
EXPORTED int cuDevicePrimaryCtxRetain(Context** context, int) {
  *context = &gpu().context;
  return driver_status();
}
EXPORTED int cuDevicePrimaryCtxRelease_v2(int) { return driver_status(); }
EXPORTED int cuCtxSetCurrent(Context* context) {
  current = context;
  return driver_status();
}
EXPORTED int cuMemGetInfo_v2(size_t* free, size_t* all) {
  return with_context([&] {
    *all = gpu().bytes;
    *free = gpu().bytes - gpu().used;
    return kOk;
  });
}
EXPORTED int cuMemAlloc_v2(Address* to, size_t bytes) {
  return with_context([&] { return take(bytes, to); });
}
EXPORTED int cuMemFree_v2(Address from) {
  return with_context([&] {
    for (Stream* s : gpu().streams) drain(*s);
    return free_block(from);
  });
}
EXPORTED int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream* s) {
  return with_context([&]() -> int {
    if (!is_allocated(to, bytes)) return kInvalidValue;
    const auto* p = static_cast<const char*>(from);
    return on_stream(s, [to, read = std::vector<char>(p, p + bytes)] {
      std::memcpy(at(to), read.data(), read.size());
    });
  });
}
EXPORTED int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream* s) {
  return with_context([&]() -> int {
    if (!is_allocated(from, bytes)) return kInvalidValue;
    return on_stream(s, [=] { std::memcpy(to, at(from), bytes); });
  });
}
EXPORTED int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream* s) {
  return with_context([&]() -> int {
    if (!is_allocated(from, bytes) || !is_allocated(to, bytes)) return kInvalidValue;
    return on_stream(s, [=] { std::memmove(at(to), at(from), bytes); });
  });
}
EXPORTED int cuMemsetD8Async(Address to, unsigned char byte, size_t bytes, Stream* s) {
  return with_context([&]() -> int {
    if (!is_allocated(to, bytes)) return kInvalidValue;
    return on_stream(s, [=] { std::memset(at(to), byte, bytes); });
  });
}
EXPORTED int cuStreamCreate(Stream** s, unsigned) {
  return with_context([&] {
    *s = *gpu().streams.insert(new Stream).first;
    return kOk;
  });
}
EXPORTED int cuStreamDestroy_v2(Stream* s) {
  return with_context([&] {
    if (gpu().streams.erase(s) == 0) return kInvalidHandle;
    drain(*s);
    delete s;
    return kOk;
  });
}
EXPORTED int cuStreamSynchronize(Stream* s) {
  return with_context([&]() -> int {
    if (gpu().streams.count(s) == 0) return kInvalidHandle;
    drain(*s);
    return gpu().broken;
  });
}
EXPORTED int cuEventCreate(Event** e, unsigned) {
  return with_context([&] {
    *e = new Event;
    return kOk;
  });
}
EXPORTED int cuEventDestroy_v2(Event* e) {
  return with_context([&] {
    if (e->stream) drain(*e->stream);
    delete e;
    return kOk;
  });
}
EXPORTED int cuEventRecord(Event* e, Stream* s) {
  return with_context([&] {
    e->stream = s;
    e->happened = false;
    return on_stream(s, [e] {
      e->happened = true;
      e->at = Clock::now();
    });
  });
}
EXPORTED int cuEventSynchronize(Event* e) {
  return with_context([&]() -> int {
    if (e->stream) drain(*e->stream);
    return gpu().broken;
  });
}
EXPORTED int cuEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  return with_context([&] {
    if (!from->happened || !to->happened) return kNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return kOk;
  });
}
EXPORTED int cuModuleLoadData(Module** m, const void* image) {
  return with_context([&]() -> int {
    ImageHead head;
    std::memcpy(&head, image, sizeof head);
    if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0) return kInvalidImage;
    if (head.capability / 10 != capability() / 10 || head.capability > capability())
      return kNoBinary;
    std::string path = (std::filesystem::temp_directory_path() / "stand-in-XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0) return kInvalidImage;
    std::ofstream(path, std::ios::binary)
        .write(static_cast<const char*>(image) + sizeof head,
               static_cast<std::streamsize>(head.bytes));
    close(file);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(path.c_str());
    if (!library) return kInvalidImage;
    Address code = 0;
    if (take(head.bytes, &code) != kOk) {
      dlclose(library);
      return kNoMemory;
    }
    *m = new Module{library, code, {}};
    return kOk;
  });
}
EXPORTED int cuModuleUnload(Module* m) {
  return with_context([&] {
    for (Stream* s : gpu().streams) drain(*s);
    dlclose(m->library);
    free_block(m->code);
    delete m;
    return kOk;
  });
}
EXPORTED int cuModuleGetFunction(Function** f, Module* m, const char* name) {
  return with_context([&] {
    Function found{};
    const std::string word = name;
    *reinterpret_cast<void**>(&found.run) = dlsym(m->library, ("run_" + word).c_str());
    found.sizes = static_cast<const unsigned*>(dlsym(m->library, ("sizes_" + word).c_str()));
    if (!found.run || !found.sizes) return kNotFound;
    *f = &m->functions.insert({word, found}).first->second;
    return kOk;
  });
}
EXPORTED int cuFuncGetAttribute(int* value, int which, Function*) {
  *value = which == 4 ? 1 : 0;
  return driver_status();
}
EXPORTED int cuLaunchKernel(Function* f, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                            unsigned ty, unsigned tz, unsigned shared, Stream* s, void** given,
                            void** extra) {
  return with_context([&]() -> int {
    const Dim3 blocks{bx, by, bz}, threads{tx, ty, tz};
    if (!legal(blocks, threads) || shared != 0 || extra) return kInvalidValue;
    std::vector<std::vector<char>> arguments;
    for (size_t i = 0; f->sizes[i]; ++i) {
      const char* p = static_cast<const char*>(given[i]);
      arguments.emplace_back(p, p + f->sizes[i]);
    }
    return on_stream(s, [=, all = std::move(arguments)] { run(*f, blocks, threads, all); });
  });
}
