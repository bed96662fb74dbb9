// Which scripts CPython is given: those of which the front end has read everything that Python
// would run.
//
// What stands in a file is a stranger's. Python runs more of it than the engine does: statements
// beside the functions and within classes, decorators, annotations, defaults. So the syntax tree is
// walked before the text is handed on, and a script is refused that has statements there, a
// decorator that the language does not know, a name that only Python itself sets
// (`__annotations__`, of whose keys the library makes code), or a format that may walk through
// attributes. The text that goes on is the stranger's own, not one printed from the tree: what the
// lexer and the parser read wrongly would be wrong on both sides of the comparison. What names the
// text holds for CPython, worker.py asks the code that CPython made of it.
#pragma once

#include <string>

namespace fusillade::fuzz {

// Why this script is not given to CPython, with its line; empty when it is.
std::string why_not_for_python(const std::string& script);

}  // namespace fusillade::fuzz
