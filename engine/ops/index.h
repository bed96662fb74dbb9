// What rows that read and write elements at given places share.
#pragma once

#include <vector>

#include "engine/ops/row.h"

namespace fusillade {

// The elements of an integer tensor, row-major.
std::vector<int64_t> integers_in(const Tensor& t);
// `index` in [0, size), or, from_end, counted from the end when negative; throws Error otherwise.
int64_t checked_place(const Row& row, int64_t index, int64_t size, bool from_end = true);
// Throws Error unless dtype is i64 (or i32 where that is legal).
void check_numbers(const Row& row, DType dtype, bool i32 = true);
// Throws Error when elements of a tensor to be written share memory.
void need_writable(const Row& row, const Tensor& self);
// Writes values (contiguous or not) to these places of self's storage, in order.
void put_at(const Tensor& self, const std::vector<int64_t>& places, const Tensor& values);
// Where gather reads and scatter writes: self's storage offset for each element of `index`.
std::vector<int64_t> gather_places(const Row& row, const Tensor& self, int64_t dim,
                                   const Tensor& index);
void check_gather(const Row& row, const Dims& self, int64_t dim, DType dtype, const Dims& index);
// Rows that add into places of their first argument run by their ScatterPlan.
void run_scatter(const Row& row, std::span<const IValue> args, std::vector<IValue>& results);

}  // namespace fusillade
