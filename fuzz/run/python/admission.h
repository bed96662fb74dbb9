// Which scripts CPython is given: those of which the front end has read everything that Python
// would run.
//
// The text of a file is untrusted. Python runs more of it than the engine does: statements next to
// the functions and within classes, decorators, annotations, defaults. So the syntax tree is
// checked before the text is passed on. A script is refused that has statements there, an unknown
// decorator, a name that only Python itself sets (`__annotations__`, whose keys the library turns
// into code), or a format that may walk through attributes. The text passed on is the original, not
// one printed from the tree: what the lexer and the parser misread would be wrong on both sides of
// the comparison. Which names the text holds for CPython, worker.py reads from the code that
// CPython compiled.
#pragma once

#include <string>

namespace fusillade::fuzz {

// Why this script is not given to CPython, with its line; empty when it is.
std::string why_not_for_python(const std::string& script);

}  // namespace fusillade::fuzz
