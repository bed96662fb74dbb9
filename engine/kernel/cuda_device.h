// One GPU, opened: its context, its memory, streams for those who launch at the same time on what
// the host has, and one for tensors that lie there.
//
// A copy by fork() of a process that opened one cannot use it: the driver does not support that,
// and enter() says so. Once a kernel faulted, the GPU is lost to the process: every later enter()
// throws DeviceLost.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/kernel/cuda_driver.h"
#include "engine/kernel/cuda_pool.h"

namespace fusillade::kernel::cuda {

class Device {
 public:
  // Throws Unsupported: there is no GPU of this number, or its driver is older than `least`.
  Device(std::unique_ptr<Driver> driver, int index, int least, PoolLimits limits);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Makes this thread one that may use it.
  void enter() const;
  // Asks for a call, once more where it wants memory that can be given back. A DeviceLost is
  // remembered.
  template <class... P, class... A>
  void ask(const Call<P...>& call, std::string_view what, A... args) const {
    int code = call.address(args...);
    if (code == kOutOfMemory && pool_->empty()) code = call.address(args...);
    if (code != 0) [[unlikely]]
      refuse(call.name, code, what);
  }
  bool is_lost() const { return lost_.load(); }
  void unload(Module module) const noexcept;

  const Driver& driver() const { return *driver_; }
  Pool& pool() const { return *pool_; }
  // The stream on which tensors of this device are created, copied and computed with, whichever
  // thread asks: each request runs after those before it.
  Stream tensors() const;
  void wait_for_tensors(std::string_view what) const { ask(driver().wait_stream, what, tensors()); }
  bool is_forked() const;  // is this a copy of the process that opened it?
  const std::string& name() const { return name_; }
  int version() const { return version_; }        // of CUDA, that its driver is for: 13000
  int capability() const { return capability_; }  // 90
  int multiprocessors() const { return multiprocessors_; }
  size_t bytes() const { return bytes_; }

 private:
  friend class StreamLease;
  [[noreturn]] void refuse(const char* call, int code, std::string_view what) const;
  void start(int index, int least);
  std::optional<Address> allocate(size_t bytes) const;
  void release(Address a) const;

  std::unique_ptr<Driver> driver_;
  pid_t process_;
  int handle_ = 0;
  Context context_ = nullptr;
  std::string name_;
  int version_ = 0, capability_ = 0, multiprocessors_ = 0;
  size_t bytes_ = 0;
  mutable std::atomic<bool> lost_{false};
  std::unique_ptr<Pool> pool_;
  mutable std::mutex mutex_;
  mutable std::vector<Stream> free_streams_;
  mutable std::atomic<Stream> tensors_{nullptr};
};

// A stream that nobody else has, for as long as this lives; what runs there has ended then.
class StreamLease {
 public:
  explicit StreamLease(const Device& device);
  ~StreamLease();
  StreamLease(const StreamLease&) = delete;
  StreamLease& operator=(const StreamLease&) = delete;
  Stream get() const { return stream_; }

 private:
  const Device& device_;
  Stream stream_ = nullptr;
};

// The one that options name, opened when first asked for, with its compiler (nvrtc.h). Throws
// Unsupported saying what is missing.
Device& this_device();
// Is it lost? False where none was opened.
bool device_lost();

}  // namespace fusillade::kernel::cuda
