// A finding as a script of its own, for the people who maintain an engine: no Fusillade in it.
//
//   # torch:compile, PyTorch 2.13.0: output 0: element 0 is 3 (...). Silent.
//   import sys, torch
//   torch.set_grad_enabled(False)
//   def program(x0):
//     ...
//   def arguments(): return [torch.tensor([1.5], dtype=torch.float32)]
//   expected, actual = outcome(program), outcome(torch.compile(program, backend="inductor"))
//   ...
//   sys.exit(77 if wrong else 0)
//
// It is made from the parsed case as all Python is (python_source.h); what else a case says stands
// in comments, in printable ASCII. A family has one row in script.cpp: how its engines are called.
#pragma once

#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// The case fails as `verdict` says. Runs it under the engine's eager mode and the shadow. Throws
// Unsupported, saying why, where there is no such script.
std::string script_of(const Case& c, const Verdict& verdict);

}  // namespace fusillade::fuzz
