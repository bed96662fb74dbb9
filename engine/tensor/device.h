// Devices: a type that c10 knows and perhaps an index: "cpu", "cuda:1". Any can be named and
// compared; tensors lie on those alone that have a row here.
//
// A row is registered in the one file that knows the device's memory, as cpu.cpp; nothing else
// lists devices. Tensors on the cpu are on "cpu", also those asked for on "cpu:0"; other types have
// an index, 0 where none is named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fusillade {

enum class DeviceType : uint8_t {
  Cpu,
  Cuda,
  Ipu,
  Xpu,
  Mkldnn,
  OpenGL,
  OpenCL,
  Ideep,
  Hip,
  Ve,
  Fpga,
  Ort,
  Xla,
  Lazy,
  Vulkan,
  Mps,
  Meta,
  Hpu,
  PrivateUse1,
};
inline constexpr int kNumDeviceTypes = 19;

struct Device {
  DeviceType type = DeviceType::Cpu;
  int8_t index = -1;  // -1: none is named
  bool operator==(const Device&) const = default;
};

const char* name_of(DeviceType type);  // "cuda"
std::string to_string(Device device);  // "cuda:1"
// The device of this name; the index has no leading zeros and is at most 127.
std::optional<Device> find_device(std::string_view name);
Device parse_device(std::string_view name);  // throws Error saying what is wrong
// "'gpu' is no device: ...", of a name that find_device does not know.
std::string no_device_text(std::string_view name);

// Memory of one type of device.
struct DeviceRow {
  std::string name;                                   // of the type, "cpu"; the table's key
  uint8_t* (*allocate)(size_t bytes, bool poison);    // nullptr when there is none left
  void (*release)(uint8_t* data, size_t bytes);       // what allocate gave
  bool (*intact)(const uint8_t* data, size_t bytes);  // was nothing written around it?
};

const DeviceRow* find_device_row(DeviceType type);  // nullptr: no tensor can lie there
// Throws Error where there is none; `asking` is who wants it, or empty.
const DeviceRow& device_row(Device device, std::string_view asking = {});
std::string registered_devices();  // "'cpu'", for messages
// Where a tensor is that was asked for on `device`.
Device placed_on(Device device);

}  // namespace fusillade
