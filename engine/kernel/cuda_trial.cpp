// See cuda_trial.h.
#include "engine/kernel/cuda_trial.h"

#include <algorithm>

#include "engine/kernel/cuda_events.h"
#include "engine/kernel/nvrtc.h"

namespace fusillade::kernel::cuda {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr const char* kText = R"(
extern "C" __global__ void add(unsigned* x, unsigned n, unsigned by) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
)";

Bytes pattern(size_t bytes, uint32_t seed) {
  Bytes out(bytes);
  for (uint8_t& b : out) b = static_cast<uint8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
  return out;
}

void expect(bool holds, const char* what) {
  if (!holds) fail("{}", what);
}

// A stream, and memory on it.
class Bench {
 public:
  Bench(const Device& device, size_t bytes)
      : device_(device), stream_(device), bytes_(bytes), block_(device.pool(), bytes, stream()) {}

  Stream stream() const { return stream_.get(); }
  Address address() const { return block_.address(); }

  void put(const Bytes& from) const {
    device_.ask(device_.driver().to_device, "a pattern", address(),
                static_cast<const void*>(from.data()), bytes_, stream());
  }
  void fill(unsigned char byte) const {
    device_.ask(device_.driver().fill, "a pattern", address(), byte, bytes_, stream());
  }
  void copy(const Bench& from) const {
    device_.ask(device_.driver().on_device, "a pattern", address(), from.address(), bytes_,
                stream());
  }
  Bytes get() const {
    Bytes out(bytes_);
    device_.ask(device_.driver().to_host, "a pattern", static_cast<void*>(out.data()), address(),
                bytes_, stream());
    wait();
    return out;
  }
  void wait() const { device_.ask(device_.driver().wait_stream, "a stream", stream()); }

 private:
  const Device& device_;
  StreamLease stream_;
  size_t bytes_;
  Block block_;
};

void copies(const Device& device, size_t bytes) {
  const Bench there(device, bytes);
  const Bytes given = pattern(bytes, 1);
  there.put(given);
  expect(there.get() == given, "what came back is not what was given");
}

void fills(const Device& device, size_t bytes) {
  const Bench there(device, bytes);
  there.put(pattern(bytes, 2));
  there.fill(0x3c);
  expect(there.get() == Bytes(bytes, 0x3c), "not all bytes are those filled in");
}

void copies_within(const Device& device, size_t bytes) {
  const Bench from(device, bytes);
  const Bench to(device, bytes);
  const Bytes given = pattern(bytes, 3);
  from.put(given);
  from.wait();
  to.fill(0);
  to.copy(from);
  expect(to.get() == given, "what came back is not what was given");
}

void streams(const Device& device, size_t bytes) {
  const Bench one(device, bytes);
  const Bench two(device, bytes);
  expect(one.stream() != two.stream(), "two streams are one");
  const Bytes first = pattern(bytes, 4), second = pattern(bytes, 5);
  one.put(first);
  two.put(second);
  expect(one.get() == first && two.get() == second, "one stream has what the other was given");
}

void events(const Device& device, size_t bytes) {
  const Bench there(device, bytes);
  const EventPair pair(device);
  pair.begin(there.stream());
  there.fill(1);
  pair.end(there.stream());
  const double took = pair.milliseconds();
  expect(took >= 0 && took < 60'000, "the time between two events is none");
}

void kernels(const Device& device, size_t bytes) {
  const std::string code = nvrtc_compile(kText, device.capability());
  const Bench there(device, bytes);
  Module module = nullptr;
  Function add = nullptr;
  device.ask(device.driver().load_module, "a kernel", &module,
             static_cast<const void*>(code.data()));
  device.ask(device.driver().function, "a kernel", &add, module, "add");
  constexpr unsigned kThreads = 256;
  auto n = static_cast<unsigned>(std::min<size_t>(bytes / sizeof(unsigned), 1u << 28));
  unsigned by = 7;
  Address to = there.address();
  void* parameters[] = {&to, &n, &by};
  there.fill(0);
  for (int i = 0; i < 3; ++i)
    device.ask(device.driver().launch, "a kernel", add, (n + kThreads - 1) / kThreads, 1u, 1u,
               kThreads, 1u, 1u, 0u, there.stream(), parameters, static_cast<void**>(nullptr));
  const Bytes got = there.get();
  device.unload(module);
  const auto* numbers = reinterpret_cast<const unsigned*>(got.data());
  expect(std::all_of(numbers, numbers + n, [](unsigned x) { return x == 21; }),
         "three kernels that add 7 do not add 21");
}

void errors(const Device& device, size_t) {
  const std::string code = nvrtc_compile(kText, device.capability());
  Module module = nullptr;
  Function none = nullptr;
  device.ask(device.driver().load_module, "a kernel", &module,
             static_cast<const void*>(code.data()));
  const int found = device.driver().function.address(&none, module, "no_such_kernel");
  device.unload(module);
  expect(device.driver().describe(found).starts_with("CUDA_ERROR_NOT_FOUND"),
         "a function that is not there is not told by CUDA_ERROR_NOT_FOUND");
}

void keeps(const Device& device, size_t bytes) {
  {
    const Bench there(device, bytes);
  }
  const uint64_t before = device.pool().stats().reused;
  {
    const Bench there(device, bytes);
  }
  expect(device.pool().stats().reused == before + 1, "memory that is kept is not taken again");
}

struct Trial {
  const char* what;
  void (*run)(const Device& device, size_t bytes);
};
constexpr Trial kTrials[] = {
    {"copies to the device and back", &copies},
    {"fills memory", &fills},
    {"copies within the device", &copies_within},
    {"keeps streams apart", &streams},
    {"tells the time between events", &events},
    {"runs kernels in order", &kernels},
    {"tells errors by name", &errors},
    {"gives memory that is kept", &keeps},
};

}  // namespace

std::vector<Tried> try_driver(const Device& device, size_t bytes) {
  std::vector<Tried> out;
  for (const Trial& t : kTrials) {
    out.push_back({t.what, ""});
    try {
      device.enter();
      t.run(device, bytes);
    } catch (const Exception& e) {
      out.back().failure = e.what();
    }
  }
  return out;
}

std::vector<double> time_copies(const Device& device, size_t bytes, int times) {
  device.enter();
  const Bench from(device, bytes);
  const Bench to(device, bytes);
  from.fill(1);
  from.wait();
  const EventPair events(device);
  std::vector<double> out;
  for (int i = 0; i < times; ++i) {
    events.begin(to.stream());
    to.copy(from);
    events.end(to.stream());
    out.push_back(events.milliseconds());
  }
  return out;
}

}  // namespace fusillade::kernel::cuda
