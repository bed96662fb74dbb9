// Loads and stores are counted as they appear in the text: of a group's nodes, a tensor read or
// written (views move nothing); of a kernel, an element of memory shared by all threads, once in
// each statement that reads it.
#include "fuzz/cli/kernels.h"

#include <unordered_set>

#include "engine/base/visible.h"
#include "engine/fuse/compile_log.h"
#include "engine/fuse/specialise.h"
#include "engine/fuse/transforms/transform.h"
#include "engine/kernel/cuda.h"
#include "engine/kernel/llvm_text.h"
#include "fuzz/run/outcome.h"

namespace fusillade::cli {
namespace {

struct Traffic {
  int loads = 0, stores = 0;
};

Traffic of_nodes(const std::string& group) {
  const auto graph = parse_graph(group);
  Traffic t;
  for (const Node* node : graph->block()->nodes()) {
    const OpKind kind = node->kind();
    if (kind == OpKind::Prim || kind == OpKind::Scalar || kind == OpKind::View) continue;
    for (const Value* v : node->inputs()) t.loads += v->type().is_tensor();
    for (const Value* v : node->outputs()) t.stores += v->type().is_tensor();
  }
  return t;
}

void count(const kernel::Kernel& k, const kernel::Body& body, Traffic& t) {
  const auto global = [&](int buffer) {
    return kernel::is_global(k.buffers[static_cast<size_t>(buffer)].role);
  };
  for (const kernel::Stmt& s : body) {
    t.stores += s.kind == kernel::Stmt::Kind::Store && global(s.buffer);
    std::unordered_set<const ExprNode*> seen;
    const auto look = [&](auto& self, const ExprNode* e) -> void {
      if (!seen.insert(e).second) return;
      t.loads += e->op == ExprOp::Load && global(e->id);
      for (uint32_t i = 0; i < e->children; ++i) self(self, e->child[i]);
    };
    if (s.value.is_defined()) look(look, s.value.node());
    count(k, s.body, t);
  }
}

std::string describe(const fuse::ArgSpec& a) {
  if (!a.is_tensor) return std::string(name_of(a.dtype));
  return fmt::format("{}{} strides {}", name_of(a.dtype), to_string(a.sizes), to_string(a.strides));
}

void section(const char* title, const std::string& text) {
  if (!text.empty()) fmt::print("# {}\n{}{}", title, text, text.ends_with('\n') ? "" : "\n");
}

template <class Text>
std::string or_why_not(Text text) {
  try {
    return text();
  } catch (const Unsupported& e) {
    return fmt::format("# none: {}\n", e.what());
  }
}

// The kernel after all of them, each printed. Throws Error where one is not legal.
kernel::Kernel print_transformed(const kernel::Kernel& lowered,
                                 const std::vector<fuse::Step>& steps) {
  kernel::Kernel k = fuse::own_names(lowered);
  std::vector<kernel::Kernel> after;
  for (const fuse::Step& s : steps)
    after.push_back(fuse::apply_step(after.empty() ? k : after.back(), s));
  section("Kernel IR", print(k));
  for (size_t i = 0; i < steps.size(); ++i)
    section(fmt::format("Kernel IR after {}", to_string(steps[i])).c_str(), print(after[i]));
  return after.back();
}

// Of the group's nodes, composites decomposed, and of its kernel.
std::pair<fuse::Cost, fuse::Cost> costs(const fuse::Compilation& compilation) {
  fuse::TypeFacts facts;
  const auto graph = fuse::specialise(*parse_graph(compilation.group), compilation.args, facts);
  std::vector<Node*> nodes;
  for (Node* n : graph->block()->nodes())
    if (!n->is(prim::constant())) nodes.push_back(n);
  return {fuse::cost_by_operators(nodes), fuse::fuser(compilation.fuser).cost(nodes)};
}

void print_text(const fuse::Compilation& compilation, const kernel::Kernel& k,
                const kernel::Program* program) {
  if (compilation.backend == "llvm") section("LLVM IR", or_why_not([&] { return llvm_text(k); }));
  if (compilation.backend == "llvm" && program) section("assembly", program->disassembly());
  const bool cuda = compilation.backend.starts_with("cuda");
  if (cuda && program) section("CUDA", program->disassembly());
  else if (cuda) section("CUDA", or_why_not([&] { return cuda_text(k, "group").functions; }));
  const auto [operators, fused] = costs(compilation);
  fmt::print("# bytes: {} node by node in {} calls, {} in the kernel\n", operators.bytes,
             operators.calls, fused.bytes);
  const Traffic nodes = of_nodes(compilation.group);
  Traffic kernel;
  count(k, k.body, kernel);
  fmt::print("# loads: {} node by node, {} in the kernel; stores: {} and {}\n", nodes.loads,
             kernel.loads, nodes.stores, kernel.stores);
}

// Why the transforms are not legal here; empty: they are, or none are named.
std::string print_group(const fuse::Compilation& compilation, size_t number,
                        const std::vector<fuse::Step>& steps) {
  fmt::print("# group {}: fuser {}, back end {}\n{}", number, compilation.fuser,
             compilation.backend, compilation.group);
  for (size_t i = 0; i < compilation.args.size(); ++i)
    fmt::print("# input {}: {}\n", i, describe(compilation.args[i]));
  if (!compilation.why.empty())
    fmt::print("# runs node by node: {}\n", visible_line(compilation.why));
  const kernel::Kernel& k = compilation.lowered.kernel;
  if (k.buffers.empty()) return "it has no kernel";
  for (size_t i = 0; i < compilation.lowered.launches.size(); ++i)
    fmt::print("# launch {}: {}\n", i, to_string(compilation.lowered.launches[i]));
  if (steps.empty()) {
    section("Kernel IR", print(k));
    print_text(compilation, k, compilation.program.get());
    return "";
  }
  kernel::Kernel after;
  try {
    after = print_transformed(k, steps);
  } catch (const Error& e) {
    section("Kernel IR", print(fuse::own_names(k)));
    fmt::print("# {}\n", visible_line(e.what()));
    return e.what();
  }
  std::shared_ptr<const kernel::Program> program;
  if (compilation.backend == "llvm")
    program = compile_cached(after, kernel::backend(compilation.backend));
  print_text(compilation, after, program.get());
  return "";
}

}  // namespace

void print_kernels(const Program& program, const Plan& plan, const std::vector<IValue>& inputs,
                   const std::string& transforms) {
  const std::vector<fuse::Step> steps =
      transforms.empty() ? std::vector<fuse::Step>() : fuse::parse_steps(transforms);
  constexpr int kMostCalls = 64;  // that a profiling engine may take until it makes groups
  const std::unique_ptr<Executable> ready = prepare(program.view(), plan);
  fuse::CompileLog log;
  const fuzz::Call given{inputs};
  for (int i = 0; i < kMostCalls && log.compilations.empty(); ++i)
    ready->run(fuzz::copy_call(given).inputs);
  if (log.compilations.empty())
    fail("--kernels: under '{}' no group was made; a plan with fuse makes some, as in {}",
         plan.text, "vm/o2,fuse(loopnest,llvm)");
  std::string why;
  bool taken = steps.empty();
  for (size_t i = 0; i < log.compilations.size(); ++i) {
    const std::string not_here = print_group(log.compilations[i], i + 1, steps);
    taken = taken || not_here.empty();
    if (!not_here.empty()) why = not_here;
  }
  if (!taken) fail("--transform: {}", why);
}

}  // namespace fusillade::cli
