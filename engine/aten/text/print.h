// Where print() of programs goes: to stdout, or nowhere. Who judges programs has its own stdout.
#pragma once

#include <cstdio>

namespace fusillade {

void set_program_output(std::FILE* stream);  // null: nowhere; at first stdout

}  // namespace fusillade
