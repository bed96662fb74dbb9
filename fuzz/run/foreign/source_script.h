// A finding in a text of whole Python as a standalone script: the text itself, its calls, and a
// comparison of CPython with what torch.compile makes of it. It is written from the case's text;
// who runs it runs that.
#pragma once

#include <string>

#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// Exits with 77 while results, arguments afterwards, prints or classes of errors differ, or what a
// call leaves behind, where the verdict says that this does. Throws Unsupported for engines of
// others than PyTorch.
std::string source_script(const Case& c, const Verdict& verdict);

}  // namespace fusillade::fuzz
