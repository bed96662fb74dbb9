// See cuda_backend.h.
//
// Where arguments lie on the host, a launch takes memory of the device for each buffer, copies
// inputs there, runs the grids in order on a stream, copies results back, and waits. Results and
// temporaries begin as a pattern of bytes and lie between red zones of the same, which are looked
// at afterwards: what a kernel wrote outside is a Bug, what it left unwritten shows. A result that
// has gaps between its elements is copied there first, and comes back whole.
//
// Where they lie on the device, nothing is copied: the grids run on the stream of tensors, and
// whoever reads a result waits. Temporaries alone are taken for the launch, which waits for them to
// look at their red zones; those of tensors are their owners'.
//
// Code depends on text, architecture and compiler alone: with option `cache` it is kept on disk.
#include "engine/kernel/cuda_backend.h"

#include <algorithm>
#include <array>

#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/base/text.h"
#include "engine/kernel/cuda.h"
#include "engine/kernel/cuda_events.h"
#include "engine/kernel/device_products.h"
#include "engine/kernel/disk_cache.h"
#include "engine/kernel/nvrtc.h"

namespace fusillade::kernel::cuda {
namespace {

constexpr size_t kZone = 256;  // bytes before and behind; as the driver aligns memory
constexpr unsigned char kPattern = 0xa5;

Probe probe_compiled("kernel/cuda-compiled");
Probe probe_launched("kernel/cuda-launched");

thread_local Times* current_times = nullptr;

std::string code_of(const std::string& text, int capability) {
  if (!keeps_on_disk()) {
    probe_compiled.hit();
    return nvrtc_compile(text, capability);
  }
  const std::string key = fmt::format("cuda sm_{} {}\n{}", capability, nvrtc_identity(), text);
  if (std::optional<std::string> kept = find_on_disk(key)) return *std::move(kept);
  probe_compiled.hit();
  std::string code = nvrtc_compile(text, capability);
  keep_on_disk(key, code);
  return code;
}

// Code, loaded.
class Loaded {
 public:
  Loaded(const Device& device, const std::string& code) : device_(device) {
    device.enter();
    device.ask(device.driver().load_module, "what NVRTC made of a kernel", &module_, code.data());
  }
  ~Loaded() { device_.unload(module_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  Function function(const std::string& name) const {
    Function out = nullptr;
    device_.ask(device_.driver().function, name, &out, module_, name.c_str());
    return out;
  }

 private:
  const Device& device_;
  Module module_ = nullptr;
};

// Bytes from the first element to behind the last.
size_t span_of(const Buffer& b, const uint64_t* scalars) {
  size_t elements = 1;
  for (int d = 0; d < b.sizes.rank(); ++d) {
    const auto size = static_cast<size_t>(number_at_launch(b.sizes[d], scalars));
    const auto stride = static_cast<size_t>(number_at_launch(b.strides[d], scalars));
    if (size == 0) return 0;
    size_t far = 0;
    if (__builtin_mul_overflow(size - 1, stride, &far) ||
        __builtin_add_overflow(elements, far, &elements))
      fail("a buffer of a kernel is too large");
  }
  if (__builtin_mul_overflow(elements, size_of(b.dtype), &elements) ||
      elements > SIZE_MAX - 2 * kZone)
    fail("a buffer of a kernel is too large");
  return elements;
}

bool has_gaps(const Buffer& b, size_t span, const uint64_t* scalars) {
  size_t bytes = size_of(b.dtype);
  for (int64_t n : b.sizes) bytes *= static_cast<size_t>(number_at_launch(n, scalars));
  return bytes != span;
}

// A buffer of a launch, on the device.
struct Placed {
  Block memory;  // none: a tensor's
  Address data;  // element 0
  size_t bytes;
  void* host;  // null: a temporary, or a tensor's
  bool written;
  bool zoned;     // between red zones that are this launch's
  size_t number;  // among the kernel's buffers
};

class Launching {
 public:
  Launching(const Device& device, const Kernel& kernel, const LaunchArgs& args,
            const kernel::Stream& asked)
      : device_(device), kernel_(kernel), args_(args), there_(asked.device == DeviceType::Cuda) {
    if (!there_) lease_.emplace(device);
    const auto given = static_cast<Stream>(asked.queue);
    stream_ = !there_ ? lease_->get() : given ? given : device.tensors();
  }
  ~Launching() {
    if (copying_) device_.driver().wait_stream.address(stream_);
  }
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;

  void place() {
    size_t given = 0;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (is_global(b.role)) place(b, i, is_argument(b.role) ? args_.buffers[given++] : nullptr);
    }
    for (const Placed& p : placed_) addresses_.push_back(p.data);
    for (Address& a : addresses_) parameters_.push_back(&a);
    // Of a narrower type the low bytes are read.
    for (size_t i = 0; i < kernel_.scalars.size(); ++i)
      parameters_.push_back(const_cast<uint64_t*>(args_.scalars + i));
  }

  void run(const CudaLaunch& launch, Function function) {
    std::array<unsigned, 3> blocks{}, threads{};
    for (size_t a = 0; a < 3; ++a) {
      const int64_t n = number_at_launch(launch.blocks[a], args_.scalars);
      if (n > kMostBlocks[a])
        fail("a kernel of {} blocks, of which a GPU takes {}", n, kMostBlocks[a]);
      blocks[a] = static_cast<unsigned>(n);
      threads[a] = static_cast<unsigned>(number_at_launch(launch.threads[a], args_.scalars));
    }
    const auto none = [](unsigned n) { return n == 0; };
    if (std::any_of(blocks.begin(), blocks.end(), none) ||
        std::any_of(threads.begin(), threads.end(), none))
      return;
    device_.ask(device_.driver().launch, launch.function, function, blocks[0], blocks[1], blocks[2],
                threads[0], threads[1], threads[2], 0u, stream_, parameters_.data(),
                static_cast<void**>(nullptr));
  }

  void take_back(const std::string& functions) {
    const auto ours = [](const Placed& p) { return p.written && p.zoned; };
    if (there_ && std::none_of(placed_.begin(), placed_.end(), ours)) return;
    zones_.resize(2 * kZone * placed_.size());
    copying_ = true;
    for (size_t i = 0; i < placed_.size(); ++i) {
      const Placed& p = placed_[i];
      if (!ours(p)) continue;
      to_host(zones_.data() + 2 * kZone * i, p.data - kZone, kZone, functions);
      to_host(zones_.data() + 2 * kZone * i + kZone, p.data + p.bytes, kZone, functions);
      if (p.host) to_host(p.host, p.data, p.bytes, functions);
    }
    device_.ask(device_.driver().wait_stream, functions, stream_);
    copying_ = false;
    for (size_t i = 0; i < placed_.size(); ++i) check_zones(i, functions);
  }

  Stream stream() const { return stream_; }
  uint64_t argument_bytes() const {
    uint64_t n = 0;
    for (const Placed& p : placed_) n += is_argument(kernel_.buffers[p.number].role) ? p.bytes : 0;
    return n;
  }

 private:
  void place(const Buffer& b, size_t number, void* host) {
    const size_t bytes = span_of(b, args_.scalars);
    const bool written = b.role != BufferRole::In;
    if (host && there_) {
      placed_.push_back(
          {Block(), reinterpret_cast<Address>(host), bytes, nullptr, written, false, number});
      return;
    }
    Block memory(device_.pool(), bytes + 2 * kZone, stream_);
    const Address data = memory.address() + kZone;
    if (written)
      device_.ask(device_.driver().fill, "a result's pattern", memory.address(), kPattern,
                  bytes + 2 * kZone, stream_);
    if (bytes && host && (!written || has_gaps(b, bytes, args_.scalars)))
      device_.ask(device_.driver().to_device, fmt::format("{} bytes of an argument", bytes), data,
                  static_cast<const void*>(host), bytes, stream_);
    placed_.push_back({std::move(memory), data, bytes, host, written, true, number});
  }

  void to_host(void* to, Address from, size_t bytes, const std::string& functions) {
    if (bytes) device_.ask(device_.driver().to_host, functions, to, from, bytes, stream_);
  }

  void check_zones(size_t i, const std::string& functions) const {
    if (!placed_[i].written || !placed_[i].zoned) return;
    const unsigned char* zone = zones_.data() + 2 * kZone * i;
    const bool intact =
        std::all_of(zone, zone + 2 * kZone, [](unsigned char c) { return c == kPattern; });
    FUS_CHECK(intact, "the GPU wrote outside b{} in {}", placed_[i].number, functions);
  }

  const Device& device_;
  const Kernel& kernel_;
  const LaunchArgs& args_;
  const bool there_;                  // do arguments lie on the device?
  std::vector<unsigned char> zones_;  // what is copied back to here ends before it goes away
  std::optional<StreamLease> lease_;
  Stream stream_ = nullptr;
  bool copying_ = false;  // to the host, as far as is known
  std::vector<Placed> placed_;
  std::vector<Address> addresses_;
  std::vector<void*> parameters_;
};

class OnGpu final : public Program {
 public:
  OnGpu(const Device& device, const Kernel& kernel, CudaText text)
      : device_(device),
        kernel_(kernel),
        text_(std::move(text)),
        loaded_(device, code_of(kCudaPrelude + text_.functions, device.capability())) {
    std::vector<std::string> names;
    for (const CudaLaunch& l : text_.launches) {
      functions_.push_back(loaded_.function(l.function));
      names.push_back(l.function);
    }
    names_ = join(names, ", ");
  }

  void launch(const LaunchArgs& args, const kernel::Stream& stream) const override {
    device_.enter();
    Launching launching(device_, kernel_, args, stream);
    launching.place();
    std::optional<EventPair> events;
    if (Times::current()) events.emplace(device_);
    if (events) events->begin(launching.stream());
    for (size_t i = 0; i < functions_.size(); ++i) launching.run(text_.launches[i], functions_[i]);
    if (events) events->end(launching.stream());
    launching.take_back(names_);
    if (events)
      Times::current()->launches.push_back({events->milliseconds(), launching.argument_bytes()});
    probe_launched.hit();
  }
  // The text, and the compiler's output for each function.
  std::string disassembly() const override {
    std::string out = text_.functions;
    device_.enter();
    for (size_t i = 0; i < functions_.size(); ++i) {
      const auto attribute = [&](int which) {
        int n = 0;
        device_.ask(device_.driver().function_attribute, text_.launches[i].function, &n, which,
                    functions_[i]);
        return n;
      };
      out += fmt::format("// {}: {} registers, {} bytes of local and {} of shared memory\n",
                         text_.launches[i].function, attribute(kRegisters), attribute(kLocalBytes),
                         attribute(kSharedBytes));
    }
    return out;
  }

 private:
  const Device& device_;
  Kernel kernel_;
  CudaText text_;
  Loaded loaded_;
  std::vector<Function> functions_;
  std::string names_;
};

void refuse_too_many(const CudaText& text, const Kernel& kernel) {
  for (const CudaLaunch& l : text.launches)
    for (size_t a = 0; a < 3; ++a)
      if (const int64_t n = most_of(kernel, l.blocks[a]); n > kMostBlocks[a])
        decline("a grid of {} blocks along {}, of which a GPU takes {}", n, "xyz"[a],
                kMostBlocks[a]);
}

}  // namespace

std::unique_ptr<Program> compile_for(const Device& device, const Kernel& kernel) {
  CudaText text = cuda_text(kernel, "kernel");
  refuse_too_many(text, kernel);
  return std::make_unique<OnGpu>(device, kernel, std::move(text));
}

Times::Times() : saved_(current_times) { current_times = this; }
Times::~Times() { current_times = saved_; }
Times* Times::current() { return current_times; }

namespace {

std::string needs() {
  std::string gpu;
  try {
    const Device& d = this_device();
    gpu = fmt::format("{} (sm_{}), driver for CUDA {}", d.name(), d.capability(),
                      version_text(d.version()));
  } catch (const Exception& e) {
    gpu = e.what();
  }
  const std::string nvrtc = nvrtc_version();
  const DeviceProducts* products = Table<DeviceProducts>::instance().find("cuda");
  return fmt::format("a GPU: {}; NVRTC: {}; {}", gpu, nvrtc.empty() ? kNoNvrtc : nvrtc,
                     products ? products->needs() : "no products");
}

const Backend& registered = Table<Backend>::instance().add(
    {.name = "cuda",
     .summary = "CUDA text, compiled by NVRTC and run on a GPU through its driver",
     .drawn = false,
     .device = DeviceType::Cuda,
     .supports = &support_of_grids,
     .compile = [](const Kernel& kernel) { return compile_for(this_device(), kernel); },
     .needs = &needs});

}  // namespace
}  // namespace fusillade::kernel::cuda
