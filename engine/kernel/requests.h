// Which kernels were asked for, for who wants to know what code ran: hashes of back end and
// content, each once, in order of the hashes. Nothing is kept outside of `kernels_asked_by`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fusillade::kernel {

// Runs the body; one at a time.
std::vector<uint64_t> kernels_asked_by(const std::function<void()>& body);

// For the cache of compiled kernels.
void note_kernel(const std::string& key);

}  // namespace fusillade::kernel
