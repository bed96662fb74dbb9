// What others ask of back end `llvm`: a kernel as LLVM IR, optimised for this host, as it has it at
// one thread; which LLVM; which scalar functions it has in registers.
#pragma once

#include <string>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

std::string llvm_text(const Kernel& kernel);  // throws Unsupported

std::string llvm_version();  // "19.1.7"

// Of functions that are calls, in floats: is there one on several lanes at once?
bool has_vectors(ExprOp op, Model model);

}  // namespace fusillade::kernel
