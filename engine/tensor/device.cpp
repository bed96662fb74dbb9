// See device.h and device_access.h.
#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/table.h"
#include "engine/tensor/device_access.h"

namespace fusillade {
namespace {

// In the order of DeviceType.
constexpr std::array<const char*, kNumDeviceTypes> kNames = {
    "cpu",  "cuda", "ipu", "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip",          "ve",
    "fpga", "ort",  "xla", "lazy", "vulkan", "mps",    "meta",   "hpu",   "privateuseone"};
constexpr int kMostIndex = 127;  // c10 holds an index in a byte

std::optional<DeviceType> type_named(std::string_view name) {
  auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it == kNames.end()) return std::nullopt;
  return static_cast<DeviceType>(it - kNames.begin());
}

bool is_index(std::string_view digits, int* index) {
  bool leading_zero = digits.size() > 1 && digits[0] == '0';
  if (digits.empty() || leading_zero || digits[0] == '-') return false;
  const char* end = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), end, *index);
  return error == std::errc() && stop == end && *index <= kMostIndex;
}

}  // namespace

const char* name_of(DeviceType type) { return kNames[static_cast<size_t>(type)]; }

std::string to_string(Device device) {
  std::string name = name_of(device.type);
  return device.index < 0 ? name : name + ":" + std::to_string(device.index);
}

std::optional<Device> find_device(std::string_view name) {
  size_t colon = name.find(':');
  std::optional<DeviceType> type = type_named(name.substr(0, colon));
  if (!type) return std::nullopt;
  if (colon == std::string_view::npos) return Device{*type};
  int index = 0;
  if (!is_index(name.substr(colon + 1), &index)) return std::nullopt;
  return Device{*type, static_cast<int8_t>(index)};
}

std::string no_device_text(std::string_view name) {
  if (type_named(name.substr(0, name.find(':'))))
    return fmt::format("'{}' is no device: an index is a whole number from 0 to {}", name,
                       kMostIndex);
  return fmt::format("'{}' is no device: 'cpu' or 'cuda' are, and 'cpu:0' with an index", name);
}

Device parse_device(std::string_view name) {
  std::optional<Device> device = find_device(name);
  if (!device) fail("{}", no_device_text(name));
  return *device;
}

const DeviceRow* find_device_row(DeviceType type) {
  // Read at first use, when all rows have registered.
  static const auto rows = [] {
    std::array<const DeviceRow*, kNumDeviceTypes> out{};
    for (const DeviceRow& row : Table<DeviceRow>::instance()) {
      std::optional<DeviceType> named = type_named(row.name);
      FUS_CHECK(named, "a row for '{}', which is no type of device", row.name);
      out[static_cast<size_t>(*named)] = &row;
    }
    return out;
  }();
  return rows[static_cast<size_t>(type)];
}

const DeviceAccess* find_device_access(DeviceType type) {
  return Table<DeviceAccess>::instance().find(name_of(type));
}

std::string why_no_device(Device device) {
  if (!find_device_row(device.type)) return fmt::format("nothing knows '{}'", name_of(device.type));
  const DeviceAccess* access = find_device_access(device.type);
  return access ? access->missing(device) : "";
}

std::string registered_devices() {
  std::string out;
  for (const DeviceRow* row : Table<DeviceRow>::instance().by_name())
    if (why_no_device({*type_named(row->name)}).empty())
      out += (out.empty() ? "'" : ", '") + row->name + "'";
  return out;
}

const DeviceRow& device_row(Device device, std::string_view asking) {
  const DeviceRow* row = find_device_row(device.type);
  const std::string why = row ? why_no_device(device) : "";
  if (row && why.empty()) return *row;
  fail("{}{}there is no device '{}': tensors are on {}{}{}", asking, asking.empty() ? "" : ": ",
       to_string(device), registered_devices(), why.empty() ? "" : "; ", why);
}

Device placed_on(Device device) {
  if (device.type == DeviceType::Cpu) return {};
  return device.index < 0 ? Device{device.type, 0} : device;
}

}  // namespace fusillade
