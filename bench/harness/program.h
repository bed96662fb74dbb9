// Benchmark programs: a script in bench/programs/ whose header says which inputs it is measured on.
//
//   # bench: f32[N] f32[N] N=16,4096,1048576
//
// One specification per line, words separated by blanks: one type per parameter (a dtype with sizes
// in brackets, `int=3` or `float=0.5` for scalars; `i64[N]<10` for numbers from 0 to 9), then
// NAME=v1,v2,... whose values make one benchmark each. The function measured is the last one in the
// file.
//
// Or an archive, NAME.pt, with its inputs beside it, NAME.0.npy, NAME.1.npy and so on (else
// defaults): `forward` is measured, and outputs are not judged, for no case holds a module.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "fuzz/case/case.h"

namespace fusillade::bench {

struct Program {
  std::string name;  // "ratio_iou/N:4096"
  std::string file;
  std::shared_ptr<const Graph> graph;
  std::vector<std::string> inputs;  // "f32[4096]", "int=3": sizes substituted
  std::vector<IValue> given = {};   // of an archive: its module, then what it is called on

  IValue self() const { return given.empty() ? IValue() : given[0]; }
};

// All programs of the folder whose name matches `filter` (a regular expression; empty: all), by
// name. Throws Error naming file and line of a broken specification.
std::vector<Program> load_programs(const std::string& folder, const std::string& filter);

// What the front end does of this program once more: its file to graphs.
void read_again(const Program& program);

// Inputs for one program: those given, else normal values from (seed), the same for every plan.
fuzz::Call make_inputs(const Program& program, uint64_t seed);

}  // namespace fusillade::bench
