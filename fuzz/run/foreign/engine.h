// An external engine as an Executable: what rows of Table<Engine> prepare.
#pragma once

#include "engine/run/plan.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::fuzz {

// What a worker gets of a program. Throws Unsupported for what there is no Python for.
ForeignProgram foreign_program(const Graph& graph, const Family& family);
// And its Python, of a graph without calls, whose host side is evaluated (host_side.h). Starts the
// worker, which says whose names it takes.
PythonSource python_for(Graph& graph, const Family& family);

// The options that a plan names, by name; starts the worker, which says which there are. Throws
// Error for one that is not there.
nlohmann::json options_of(const Plan& plan);

// Throws Unsupported where the engine is not there, or the program has no form that workers take.
// The worker sees the program when it is first called: compiling is part of that call.
std::unique_ptr<Executable> prepare_outside(const ProgramView& program, const Plan& plan,
                                            std::unique_ptr<Graph> optimised);

}  // namespace fusillade::fuzz
