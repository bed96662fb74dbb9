// A kernel as LLVM IR, optimised for this host, as back end `llvm` has it at one thread; which
// LLVM.
#pragma once

#include <string>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

std::string llvm_text(const Kernel& kernel);  // throws Unsupported

std::string llvm_version();  // "19.1.7"

}  // namespace fusillade::kernel
