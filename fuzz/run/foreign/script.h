// A finding as a standalone script for the maintainers of an engine: no Fusillade in it, and at
// most 15 lines besides comments wherever the reduced program allows it.
//
//   # torch:compile, PyTorch 2.13.0, against torch:eager: value. Silent.
//   # output 0: element 0 is nan, its eager mode gives inf, ours may be [inf, inf]
//   import sys, torch
//   def f(x0): return torch.threshold(torch.exp(x0), 0.5, 2)
//   def run(f): return f(torch.tensor(88.5)).item()
//   expected, got = run(f), run(torch.compile(f))
//   print(f"torch {torch.__version__}: expected {expected}, got {got}")
//   sys.exit(0 if got == expected else 77)
//
// It is generated from the parsed case, as all Python is (python_source.h). Whatever else the case
// says appears in comments, in printable ASCII. Each family has one row in script.cpp, which says
// how its engines are called. Workers write programs of jax and ort in their own words
// (docs/reference/workers.md).
#pragma once

#include "fuzz/process/spawn.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// The case fails as `verdict` says. Scripts that should show it, the one that reads best first:
// some ways to say a program hide its fault. Runs the case under eager mode and the shadow. Throws
// Unsupported, saying why, where there is no such script.
std::vector<std::string> scripts_of(const Case& c, const Verdict& verdict);

// Writes to `path` the first of them that shows the finding when it is run by the engine's
// interpreter: it exits with 77, for the reason that the verdict gives. Else returns why there is
// none. `tried` is the file that is run, which stays where this process is killed meanwhile.
std::string save_script(const std::string& path, const Case& c, const Verdict& verdict,
                        const Limits& limits, const std::string& tried);

}  // namespace fusillade::fuzz
