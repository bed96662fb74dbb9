// Storage of tensors on "cuda": the memory of the GPU that this process has (cuda_device.h), which
// is "cuda:0" whatever its number among the machine's.
//
// Each block lies between red zones of a pattern, as far as the driver aligns memory; small blocks
// hold another pattern where nothing was written. Whatever is asked for runs on the one stream of
// tensors, in the order in which it was asked for; the host waits only for bytes that it reads.
#include <algorithm>
#include <vector>

#include "engine/base/table.h"
#include "engine/kernel/cuda_device.h"
#include "engine/tensor/device_access.h"

namespace fusillade::kernel::cuda {
namespace {

constexpr size_t kZone = 256;
constexpr unsigned char kZoneByte = 0xa5, kPoisonByte = 0xfb;

Address address_of(const uint8_t* data) { return reinterpret_cast<Address>(data); }

void fill(const Device& device, Address at, unsigned char byte, size_t bytes) {
  if (bytes)
    device.ask(device.driver().fill, "memory of a tensor", at, byte, bytes, device.tensors());
}

// Null where the GPU has no more.
uint8_t* allocate(size_t bytes, bool poison) {
  const Device& device = this_device();
  device.enter();
  Address base = 0;
  try {
    base = device.pool().take(bytes + 2 * kZone, device.tensors());
  } catch (const Error&) {
    return nullptr;
  }
  const Address data = base + kZone;
  fill(device, base, kZoneByte, kZone);
  if (poison) fill(device, data, kPoisonByte, bytes);
  fill(device, data + bytes, kZoneByte, kZone);
  return reinterpret_cast<uint8_t*>(data);
}

// In a forked copy of the process the GPU's memory is the other's.
void release(uint8_t* data, size_t) {
  const Device& device = this_device();
  if (!device.is_forked()) device.pool().give(address_of(data) - kZone);
}

void to_host(void* to, const uint8_t* from, size_t bytes) {
  const Device& device = this_device();
  device.enter();
  device.ask(device.driver().to_host, "elements of a tensor", to, address_of(from), bytes,
             device.tensors());
  device.wait_for_tensors("elements of a tensor");
}

void from_host(uint8_t* to, const void* from, size_t bytes) {
  const Device& device = this_device();
  device.enter();
  device.ask(device.driver().to_device, "elements of a tensor", address_of(to), from, bytes,
             device.tensors());
}

void within(uint8_t* to, const uint8_t* from, size_t bytes) {
  const Device& device = this_device();
  device.enter();
  device.ask(device.driver().on_device, "elements of a tensor", address_of(to), address_of(from),
             bytes, device.tensors());
}

bool intact(const uint8_t* data, size_t bytes) {
  std::vector<unsigned char> zones(2 * kZone);
  const Device& device = this_device();
  device.enter();
  for (const auto& [to, from] : {std::pair(zones.data(), address_of(data) - kZone),
                                 std::pair(zones.data() + kZone, address_of(data) + bytes)})
    device.ask(device.driver().to_host, "red zones of a tensor", static_cast<void*>(to), from,
               kZone, device.tensors());
  device.wait_for_tensors("red zones of a tensor");
  return std::ranges::all_of(zones, [](unsigned char c) { return c == kZoneByte; });
}

std::string missing(fusillade::Device device) {
  try {
    this_device();
  } catch (const Exception& e) {
    return fmt::format("no GPU: {}", e.what());
  }
  if (device.index <= 0) return "";
  return "a process has one GPU, 'cuda:0' (FUSILLADE_CUDA_DEVICE says which)";
}

[[maybe_unused]] const DeviceRow& kMemory =
    Table<DeviceRow>::instance().add({"cuda", &allocate, &release, &intact});
[[maybe_unused]] const DeviceAccess& kAccess =
    Table<DeviceAccess>::instance().add({"cuda", &missing, &to_host, &from_host, &within});

}  // namespace
}  // namespace fusillade::kernel::cuda
