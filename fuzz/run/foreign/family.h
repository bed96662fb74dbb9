// Families of external engines: a worker program, the interpreter that runs it, and the engines in
// it, each a row of Table<Engine> called FAMILY:ENGINE.
//
//   torch    fuzz/workers/torch_worker.py    torch:eager, torch:script(nnc), torch:compile...
//   jax      fuzz/workers/jax_worker.py      jax:eager, jax:jit
//   ort      fuzz/workers/ort_worker.py      ort:eager, ort:basic, ort:all
//   iree, mlx, mnn, onnxref, openvino, tf, tflite, tinygrad, tvm   those of the same names
//
// Those that are shipped are there from the start. Others, and other interpreters, are given on the
// command line before anything asks the table:
//
//   --engine mine=my_worker.py            a worker of one's own: mine:ENGINE for each that it has
//   --engine old=torch                    a shipped one under another name, old:eager...
//   --engine-python old=/usr/bin/python3  the interpreter of a family
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/run/plan.h"
#include "fuzz/case/case.h"

namespace fusillade {
struct Operator;
}

namespace fusillade::fuzz {

class Choices;

struct Family {
  std::string name;
  std::string worker;  // a shipped worker's name, or a file
  std::string python;  // given; empty: see interpreter
  // The one given, else of the user's environment (VIRTUAL_ENV, CONDA_PREFIX), else the one that
  // ci/setup.sh --engines (or --compilers) created, else Debian's.
  std::string interpreter() const;
  std::vector<std::string> command() const;
};

// Adds what the flags give, FAMILY=WORKER and FAMILY=PYTHON, and starts a worker of one's own to
// learn its engines. Throws Error naming what is wrong and what is legal.
void declare_families(const std::vector<std::string>& engines,
                      const std::vector<std::string>& pythons);
// The flags that declare the families of these plans again, for commands that are printed: "" where
// none were given. Interpreters are named by absolute paths.
std::string family_flags(const std::vector<Plan>& plans);
std::string family_flags(const Case& c);

// May plain texts of cases (Case::plain) use any name? They may where they are the user's own, for
// then the walls of engines are enough.
void trust_texts(bool are);
bool are_texts_trusted();

// What engines that ran here were kept from: "files", "network".
std::vector<std::string> walls_around_engines();
// A line on stderr, once, where this machine lacks one.
void report_missing_walls();

// Of an engine "torch:eager" (or a plan of it). Throws Error when there is none.
const Family& family_of(const std::string& engine);
// Is this external engine, and which one of its family is it?
bool is_outside(const std::string& engine);
std::string name_in_family(const std::string& engine);
// The engine that the others of a family are compared with: FAMILY:eager.
std::string eager_of(const std::string& engine);
// The engines of the family that do a part of what this one does, and sooner: where they fail, too,
// the fault is theirs. Cheapest first.
std::vector<std::string> tiers_below(const std::string& engine);
// The compilers in it whose rewrites are known, as gen/peer_patterns.h calls them.
std::vector<std::string> rewriting_compilers(const std::string& engine);
// What runs this engine: its project, version, build and interpreter, in a line. Says why it cannot
// run here by throwing Unsupported, or Unstartable, and Error where its plan has options that it
// has not; starts its worker and makes the engine ready.
std::string require_outside(const Plan& plan);
// What an external engine lacks here: its interpreter, or a package; "" where nothing. Starts no
// worker.
std::string lacking(const std::string& engine);
std::string lacking_of(const Family& family);
// What may help where its worker does not start: text to put after the reason, or "".
std::string start_advice(const Family& family);
// Where a plan asks for options that are drawn, with some in their place.
void draw_options(std::vector<Plan>& plans, Choices& choices);
// Whether the engines of these plans may have an op for an operator.
std::function<bool(const Operator&)> operator_filter(const std::vector<Plan>& plans);
// Starts what the workers of these plans are forked from, where they are, for all children.
void nurse_outside(const std::vector<Plan>& plans);
// Starts the workers that these plans need, so that forked children may be lent them. Throws
// Unstartable.
void start_outside(const std::vector<Plan>& plans);
// Ends them: a child that was lent them was killed, and they may be amid its question.
void stop_outside(const std::vector<Plan>& plans);

}  // namespace fusillade::fuzz
