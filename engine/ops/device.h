// Names of devices, which are what a value of type Device is: "cpu", "cpu:0", "cuda:1". Tensors are
// on the cpu, whose device is "cpu"; the others can be named and compared, as in c10.
#pragma once

#include <span>
#include <string_view>

#include "engine/ops/row.h"

namespace fusillade {

// A type that c10 knows, with an index or without ("cpu:00" has none).
bool is_device_name(std::string_view name);
// Is it the name of a device that tensors are on?
bool is_cpu(std::string_view name);
// Throws Error where an argument `device` of a row is another one; None is anywhere.
void check_on_cpu(const Row& row, std::span<const ArgInfo> args);
// "cuda" of "cuda:1".
std::string_view device_type(std::string_view name);
// 1 of "cuda:1"; None of "cuda".
IValue device_index(std::string_view name);

}  // namespace fusillade
