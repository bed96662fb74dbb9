// What a program that embeds the engine writes:  consumer PLAN
//
// Registers an op, compiles a script that calls it, traces a C++ function that calls the script,
// and a script that calls the trace, which is saved and loaded again; runs each under `eager` and
// under PLAN, compares bit by bit and prints the elements of the results. A wrong plan is the
// caller's error: its message on stderr, exit code 1; a difference is exit code 2.
#include <cstdio>

#include "engine/run/embed.h"

namespace fus = fusillade;
using namespace fus::eager;  // functions on Tensor and, below, numbers that stay symbolic
using fus::Tensor;

// Before anything is compiled: the table of ops is then read-only. The schema says it all, so
// passes may merge calls.
const fus::Operator& kScale = fus::register_op(
    "consumer::scale(Tensor self, float k) -> Tensor",
    [](const Tensor& self, double k) { return self * k; }, fus::OpEffects::FromSchema);

const char* const kScript = R"(
def hinge(x):
    y = torch.ops.consumer.scale(x, 2.0) - 5
    return torch.relu(y)

def until_large(x, bound: float):
    while bool(hinge(x).sum() < bound):
        x = x + 1
    return x
)";

const char* const kCaller = R"(
def twice(x):
    a, b = halves(x)
    c, d = halves(x + 1)
    return torch.stack([a + c, b + d])
)";

static void print(const char* name, const Tensor& t) {
  std::printf("%s %s", name, fus::describe(t).c_str());
  for (int64_t i = 0; i < t.numel(); ++i) std::printf(" %g", fus::element_as_double(t, i));
  std::printf("\n");
}

static bool agrees(const char* name, const fus::Callable& f, const std::vector<Any>& inputs,
                   const char* plan) {
  Tensor expected = f.under("eager")(inputs).tensor();
  Tensor got = f.under(plan)(inputs).tensor();
  print(name, got);
  if (fus::bitwise_equal(expected, got)) return true;
  print("expected", expected);
  return false;
}

int main(int argc, char** argv) try {
  const char* plan = argc > 1 ? argv[1] : "eager";
  fus::Program program = fus::script(kScript, "consumer.py");
  fus::Callable until_large = program.function("until_large");

  // Inputs of a trace are examples: sizes stay symbolic, and the script's loop stays a loop.
  Tensor x = tensor({0, 1, 2, 3, 4, 5});
  fus::Traced traced = fus::trace(
      [&](Tensor t) {
        Int half = size(t, 0) / 2;
        Tensor large = until_large({t, 30}).tensor();
        return std::pair(slice(large, 0, 0, half), slice(large, 0, half) * 10);
      },
      {x}, {.name = "halves"});
  for (const fus::TraceWarning& w : traced.warnings) std::fprintf(stderr, "%s\n", w.text().c_str());
  fus::Program caller = fus::script(kCaller, "caller.py", {{"halves", fus::Callable(traced)}});

  // To PyTorch's archive format and back.
  std::string archive = fus::save_archive(fus::module_of_function(caller.graph("twice")));
  fus::Callable loaded(fus::load_archive(archive, "twice.pt"));

  bool ok = agrees("hinge", program.function("hinge"), {x}, plan);
  ok = agrees("until_large", until_large, {x, 30.0}, plan) && ok;
  ok = agrees("twice", caller.function("twice"), {tensor({1, 2, 3, 4})}, plan) && ok;
  ok = agrees("loaded", loaded, {tensor({1, 2, 3, 4})}, plan) && ok;
  return ok ? 0 : 2;
} catch (const fus::Exception& e) {
  std::fprintf(stderr, "consumer: %s\n", e.what());
  return 1;
}
