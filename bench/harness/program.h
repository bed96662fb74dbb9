// Benchmark programs: a script in bench/programs/ whose header says which inputs it is measured on.
//
//   # bench: backward f32[N] f32[N] N=16,4096,1048576
//   # bench: large Net(3,hidden=8) f32[1,3,512,512]
//
// One specification per line, words separated by blanks: one type per parameter (a dtype with sizes
// in brackets, `int=3` or `float=0.5` for scalars; `i64[N]<10` for numbers from 0 to 9), then
// NAME=v1,v2,... whose values make one benchmark each: a small, a medium, and then large ones.
// Without values it is small; `small`, `medium` or `large` says otherwise for its whole line. With
// `backward` each is measured twice: as it is, and as NAME/backward/... with its gradients
// (ready.h). What is measured is the last function of the file, or `forward` of the module that a
// word with parentheses makes, whose tensors are then inputs too (fuzz/given/lift.h). Folders
// within are looked through.
//
// Or an archive, NAME.pt, NAME.pt2 or NAME.onnx, with its inputs next to it, NAME.0.npy and so on
// (else those within it, else defaults): `forward` is measured. Or a case, NAME.case: its program,
// on the inputs of its first call.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "fuzz/case/case.h"

namespace fusillade::bench {

enum class Size { Small, Medium, Large };
inline constexpr Size kSizes[] = {Size::Small, Size::Medium, Size::Large};
std::string name_of(Size size);
// Those of these names; other names are left out.
std::vector<Size> sizes_named(const std::vector<std::string>& names);

struct BoundInput {
  IValue value;
  bool parameter = false;  // gradients are asked by it
};

struct Program {
  std::string name;  // "ratio_iou/N:4096"
  std::string file;
  std::shared_ptr<const Graph> graph;
  std::vector<std::string> inputs;  // "f32[4096]", "int=3": sizes substituted
  std::vector<IValue> given = {};   // a module, then what it is called on: of archives and cases
  std::vector<BoundInput> bound_inputs =
      {};  // behind the inputs: of a script's module, or a case's inputs
  Size size = Size::Small;
  bool backward = false;  // measured with its gradients

  IValue self() const { return given.empty() ? IValue() : given[0]; }
};

// All programs of the folder of these sizes whose name matches `filter` (a regular expression;
// empty: all), by name of the file. Throws Error naming file and line of a broken specification,
// and where there is none.
std::vector<Program> load_programs(const std::string& folder, const std::string& filter,
                                   const std::vector<Size>& sizes = {std::begin(kSizes),
                                                                     std::end(kSizes)});

// What the front end does of this program once more: its file to graphs.
void read_again(const Program& program);

// Inputs for one program: those given, else normal values from (seed), the same for every plan.
fuzz::Call make_inputs(const Program& program, uint64_t seed);

}  // namespace fusillade::bench
