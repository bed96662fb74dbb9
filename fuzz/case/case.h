// A case: one program, its inputs, and what is claimed of it. One text format, five lives: golden
// test, regression test, bug report, corpus seed, reducer input and output.
//
//   fusillade case 1
//   oracle: differential
//   verdict: mismatch
//   plan: vm/o2,fuse(loopnest,llvm)        (repeats; the reference is implied by the oracle)
//   blame: fuse(loopnest,llvm)             (optional)
//   origin: seed=42 index=17 policy=reduce (provenance only)
//   note: free text                        (optional, repeats)
//   program:
//     graph(%x : Tensor, %n : int):
//       ...
//   call:                                  (repeats: one draw of inputs)
//     x = f32[2, 3] strides=[3, 1] {0x1p+0, -0x1.8p+1, nan, inf, ...}
//     y = view of x offset=1 f32[2] strides=[3]
//     z = f32[1000, 1000] philox(seed=7, offset=0, kind=normal)
//     n = 3
//   end
//
// A program may be Python text instead, of which the last function is called; this makes the file
// version 2:
//
//   script:
//     def f(x: int) -> int:
//       return x + 1
//
// When the last definition is a class of modules, `forward` of an instance constructed without
// arguments is called instead; its calls begin with `self = Net()`. `self = Net().eval()` puts it
// and all modules within it in evaluation mode, `Net().train()` in training mode; a file with such
// a call is of version 3.
//
// Whole Python, of which the front end reads the parameters of the last function alone and which
// only workers run (fuzz/oracle/whole_python_oracle.cpp), is a text of its own; a file with it is
// of version 5:
//
//   python:
//     def main(x: Tensor, n: int):
//       return {k: x + k for k in range(n)}
//
// Python as people write it, whose floats legal roundings may change
// (fuzz/oracle/plain_python_oracle.cpp), is called `plain python:` there; a file with it is of
// version 6.
//
// Elements of a large tensor, and those that hold a NaN with a payload, are packed (packed.h); a
// file with such a tensor is of version 4:
//
//     x = f32[33000, 3] zlib {eAHtwQEBAAAAgJD+r+4ICg...}
//
// A script that the front end refuses is a case as well: it has no calls, its program is empty.
// Readers accept every older version. Broken text throws Error with line, column and what is legal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/run/plan.h"

namespace fusillade::fuzz {

struct Call {
  std::vector<IValue>
      inputs;  // fresh copies are created for every run; aliasing between inputs is kept
};

struct Case {
  std::string oracle;
  std::string verdict = "ok";
  std::vector<Plan> plans;
  std::string blame;
  std::string origin;
  std::vector<std::string> notes;
  std::string script;              // the program's text; empty: it is given as a graph
  bool python = false;             // it is whole Python: the program has its inputs, and no more
  bool plain = false;              // and not our generator's: roundings may change its values
  std::string refused;             // why the front end takes no such script
  std::unique_ptr<Graph> program;  // the last function of the script
  IValue self;  // the module whose method the program is: the first input of every call
  std::vector<Call> calls;

  Case clone() const;
};

// What a claim or a shrink is about.
enum class Form : uint8_t {
  Any,
  Graph,
  Script,
  PlainScript
};  // plain: without tensors, so that Python runs it
bool has_form(const Case& c, Form form);

// Makes the text the program of `c`, compiled (calls get the new module, if it is one), or, where
// `c` is whole Python, of its entry the inputs; `file` and
// `line` (of the text's first line) are for messages.
void set_script(Case& c, const std::string& text, const std::string& file, size_t line = 1);

std::string print(const Case& c);
// Throws Error. `file` names the text in messages.
Case parse_case(const std::string& text, const std::string& file);
Case read_case(const std::string& path);
// A deep copy of inputs that keeps aliasing between them.
Call copy_call(const Call& call);

}  // namespace fusillade::fuzz
