// See cuda_device.h.
#include "engine/kernel/cuda_device.h"

#include <unistd.h>

#include "engine/base/options.h"
#include "engine/kernel/nvrtc.h"

namespace fusillade::kernel::cuda {
namespace {

const Option<std::string> kLibrary("cuda_driver", "",
                                   "the CUDA driver's library; empty: libcuda.so.1");
const Option<int64_t> kIndex("cuda_device", 0, "number of the GPU that back end cuda runs on",
                             "0..");
const Option<int64_t> kMemory("cuda_memory_mb", 0,
                              "MB of GPU memory that may be in use at one time; 0: all it has",
                              "0..");
const Option<int64_t> kKept("cuda_kept_mb", 1024,
                            "MB of GPU memory that stays cached while nothing uses it", "0..");

int64_t natural(const Option<int64_t>& option, const char* name, int64_t most) {
  const int64_t n = option.get();
  if (n < 0 || n > most) fail("{}={}: a number from 0 to {}", name, n, most);
  return n;
}

PoolLimits limits() {
  constexpr int64_t kMost = int64_t{1} << 40;
  constexpr uint64_t kMega = 1 << 20;
  const int64_t memory = natural(kMemory, "FUSILLADE_CUDA_MEMORY_MB", kMost);
  const int64_t kept = natural(kKept, "FUSILLADE_CUDA_KEPT_MB", kMost);
  return {static_cast<uint64_t>(memory) * kMega, static_cast<uint64_t>(kept) * kMega};
}

std::atomic<Device*> opened{nullptr};

std::unique_ptr<Device> create_device() {
  const auto index = static_cast<int>(natural(kIndex, "FUSILLADE_CUDA_DEVICE", 1023));
  auto driver = load_driver(kLibrary.get());
  const int compiler = nvrtc_number();
  if (compiler == 0) decline("NVRTC is {}", kNoNvrtc);
  auto device =
      std::make_unique<Device>(std::move(driver), index, compiler / 1000 * 1000, limits());
  if (!nvrtc_knows(device->capability()))
    decline("NVRTC {} makes no code for {} (sm_{})", nvrtc_version(), device->name(),
            device->capability());
  return device;
}

}  // namespace

Device::Device(std::unique_ptr<Driver> driver, int index, int least, PoolLimits limits)
    : driver_(std::move(driver)), process_(getpid()) {
  start(index, least);
  pool_ = std::make_unique<Pool>(MemorySource{[this](size_t bytes) { return allocate(bytes); },
                                              [this](Address a) { release(a); }},
                                 limits);
}

// Until a context is there, whatever fails is a reason why there is no GPU.
void Device::start(int index, int least) {
  const auto need = [&](const auto& call, auto... args) {
    const int code = call.address(args...);
    if (code != 0) decline("no GPU can be used: {}: {}", call.name, driver_->describe(code));
  };
  need(driver_->init, 0u);
  need(driver_->version, &version_);
  if (version_ < least)
    decline("the CUDA driver ({}) is for CUDA {}; what NVRTC makes needs one for {} or newer",
            driver_->library, version_text(version_), version_text(least));
  int count = 0;
  need(driver_->device_count, &count);
  if (index >= count)
    decline("there is no GPU {}: the CUDA driver ({}) has {}", index, driver_->library, count);
  need(driver_->device, &handle_, index);
  char name[128] = {};
  need(driver_->device_name, name, static_cast<int>(sizeof name - 1), handle_);
  name_ = name;
  int minor = 0;
  need(driver_->device_attribute, &capability_, kCapabilityMajor, handle_);
  need(driver_->device_attribute, &minor, kCapabilityMinor, handle_);
  capability_ = capability_ * 10 + minor;
  need(driver_->device_attribute, &multiprocessors_, kMultiprocessors, handle_);
  need(driver_->retain_context, &context_, handle_);
  need(driver_->set_context, context_);
  size_t free = 0;
  need(driver_->memory, &free, &bytes_);
}

// What a lost GPU or an exiting driver answers to these is of no use to anyone.
Device::~Device() {
  if (is_forked()) return;
  driver_->set_context.address(context_);
  pool_ = nullptr;
  for (Stream s : free_streams_) driver_->end_stream.address(s);
  if (Stream s = tensors_) driver_->end_stream.address(s);
  driver_->release_context.address(handle_);
}

bool Device::is_forked() const { return getpid() != process_; }

void Device::unload(Module module) const noexcept {
  if (is_forked()) return;
  driver_->set_context.address(context_);
  if (Stream s = tensors_) driver_->wait_stream.address(s);  // it may still run there
  driver_->unload_module.address(module);
}

Stream Device::tensors() const {
  if (Stream s = tensors_) return s;
  std::lock_guard lock(mutex_);
  if (!tensors_) {
    Stream stream = nullptr;
    ask(driver_->make_stream, "the stream of tensors", &stream, kNonBlocking);
    tensors_ = stream;
  }
  return tensors_;
}

void Device::enter() const {
  if (is_forked())
    fail(
        "the GPU was opened by process {} before this one was forked from it: CUDA cannot be used "
        "in a copy of a process",
        process_);
  if (is_lost()) throw DeviceLost("CUDA: the GPU is lost to this process: a kernel before failed");
  ask(driver_->set_context, "this process's context", context_);
}

void Device::refuse(const char* call, int code, std::string_view what) const {
  if (is_sticky(code)) lost_ = true;
  driver_->refuse(call, code, what);
}

std::optional<Address> Device::allocate(size_t bytes) const {
  Address got = 0;
  const int code = driver_->allocate.address(&got, bytes);
  if (code == 0) return got;
  if (code == kOutOfMemory) return std::nullopt;
  refuse(driver_->allocate.name, code, fmt::format("{} bytes", bytes));
}

// Whichever thread has none of it left.
void Device::release(Address a) const {
  driver_->set_context.address(context_);
  driver_->release.address(a);
}

StreamLease::StreamLease(const Device& device) : device_(device) {
  {
    std::lock_guard lock(device.mutex_);
    if (!device.free_streams_.empty()) {
      stream_ = device.free_streams_.back();
      device.free_streams_.pop_back();
      return;
    }
  }
  device.ask(device.driver().make_stream, "a stream", &stream_, kNonBlocking);
}

// Where a launch was left by an exception, copies to memory that goes away may still be running.
StreamLease::~StreamLease() {
  if (const int code = device_.driver().wait_stream.address(stream_); is_sticky(code))
    device_.lost_ = true;
  std::lock_guard lock(device_.mutex_);
  device_.free_streams_.push_back(stream_);
}

Device& this_device() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (Device* found = opened.load()) return *found;
  opened = create_device().release();  // never ended: programs that are kept use it
  return *opened;
}

bool device_lost() {
  const Device* found = opened.load();
  return found && found->is_lost();
}

}  // namespace fusillade::kernel::cuda
