// The least that a user of the engine as a library writes:  consumer PLAN
//
// Parses a graph in IR text, runs it on 0, 1, 2, 3, 4, 5 under the plan and prints the elements of its two
// results. A wrong plan is the caller's error: its message on stderr, exit code 1.
#include <cstdio>

#include "engine/base/error.h"
#include "engine/run/plan.h"

namespace fus = fusillade;

const char* const kGraph = R"(graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %five : int = prim::Constant[value=5]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::mul(%x, %two)
  %z : Tensor = aten::sub(%y, %five, %one)
  %r : Tensor = aten::relu(%z)
  %s : Tensor = aten::sum(%r, %none)
  return (%r, %s)
)";

int main(int argc, char** argv) try {
  auto graph = fus::parse_graph(kGraph, "consumer.ir");
  auto executable = fus::prepare(*graph, fus::parse_plan(argc > 1 ? argv[1] : "eager"));
  fus::Tensor x = fus::Tensor::empty({6}, fus::DType::F32);
  for (int i = 0; i < 6; ++i) x.data<float>()[i] = static_cast<float>(i);
  for (const fus::IValue& v : executable->run({x})) {
    fus::Tensor t = v.as_tensor();
    std::printf("%s", fus::describe(t).c_str());
    for (int64_t i = 0; i < t.numel(); ++i) std::printf(" %g", fus::element_as_double(t, i));
    std::printf("\n");
  }
  return 0;
} catch (const fus::Exception& e) {
  std::fprintf(stderr, "consumer: %s\n", e.what());
  return 1;
}
