// Bytes and tensors copied between the host and devices whose memory it does not reach.
//
// Whoever reads elements on the host asks `reached` first: it is the tensor itself on the cpu. What
// comes back from a device had its red zones looked at.
#pragma once

#include "engine/tensor/tensor.h"

namespace fusillade {

// Did this process ever make storage that the host does not reach?
bool any_beyond_reach();
// Does the host reach this tensor's elements?
inline bool in_reach(const Tensor& t) { return t.device().type == DeviceType::Cpu; }

// Of a storage anywhere, `at` counted in bytes.
void read_bytes(const Storage& from, size_t at, void* to, size_t bytes);
void write_bytes(const Storage& to, size_t at, const void* from, size_t bytes);
// All bytes of `from`; storages of one size.
void copy_bytes(const Storage& to, const Storage& from);
// A storage of its own with the same bytes.
Ref<Storage> copied_to(const Storage& from, Device device);

// The elements in memory of their own: it lies as t does where t's elements are dense, else the
// usual way.
Tensor copied_to(const Tensor& t, Device device);
// t itself where the host reaches it, else a copy that it does.
Tensor to_host(const Tensor& t);
// A new handle of t's geometry over another storage.
Tensor over(const Ref<Storage>& storage, const Tensor& t);

}  // namespace fusillade
