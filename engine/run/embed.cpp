// See embed.h. A callee that is no text of the script is declared to the compiler by a stub behind
// the text, whose place its graph takes afterwards.
#include "engine/run/embed.h"

#include "engine/base/text.h"
#include "engine/front/spelling.h"
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/ops/annotation_text.h"
#include "engine/passes/pass_times.h"
#include "engine/run/examples.h"

namespace fusillade {
namespace {

// With the time of each pass, which a program that embeds this may read
// (Callable::pipeline_result).
std::unique_ptr<Executable> prepare_timed(const Graph& graph, const Plan& plan,
                                          const PipelineOptions& options) {
  const PassTimes times;
  return prepare(graph, plan, options);
}

// The type as a stub declares it: named tuples are tuples.
Type stub_type(const Type& type) {
  switch (type.kind()) {
    case TypeKind::None:
    case TypeKind::Tensor:
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Str:
      return type;
    case TypeKind::List:
      return Type::list(stub_type(type.element()));
    case TypeKind::Optional:
      return Type::optional(stub_type(type.element()));
    case TypeKind::Tuple: {
      std::vector<Type> items;
      for (const Type& t : type.elements()) items.push_back(stub_type(t));
      return Type::tuple(std::move(items));
    }
    default:
      fail("a script cannot call a function with a value of type {}", type.text());
  }
}

std::string annotation(const Type& type) { return annotation_text(stub_type(type), "None"); }

std::string stub(const std::string& name, const Graph& graph) {
  std::vector<std::string> parameters;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    parameters.push_back(fmt::format("a{}: {}", i, annotation(graph.inputs()[i]->type())));
  }
  if (graph.outputs().size() != 1)
    fail("a script cannot call '{}': it has {} outputs", name, graph.outputs().size());
  return fmt::format("\n\ndef {}({}) -> {}:\n    raise RuntimeError(\"stub\")\n", name,
                     join(parameters, ", "), annotation(graph.outputs()[0]->type()));
}

void link(const Block* block, const std::map<std::string, Callable>& callees) {
  each_node_inside_out(block, [&](Node* node) {
    if (is_task(node)) link(node->subgraph().block(), callees);
    if (!node->is(prim::call_function()) || is_task(node)) return;
    auto it = callees.find(std::get<IValue>(*node->attr("name")).as_str());
    if (it == callees.end()) {
      link(node->subgraph().block(), callees);
    } else {
      node->set_attr("Subgraph", std::shared_ptr<Graph>(it->second.graph().clone()));
    }
  });
}

const Function& function_of(const Module& module, const std::string& method) {
  if (const Function* f = module.method(method)) return *f;
  fail("{} has no method '{}'", module.type().name, method);
}

IValue pack_outputs(std::vector<IValue> outputs) {
  return outputs.size() == 1 ? std::move(outputs[0]) : IValue::tuple(std::move(outputs));
}

}  // namespace

Callable::Callable(const Graph& graph, const std::string& plan)
    : graph_(graph.clone()), executable_(prepare_timed(graph, parse_plan(plan), {})) {}

Callable::Callable(const Function& function, const std::string& plan)
    : Callable(*function.graph, plan) {
  schema_ = function.schema;
}

Callable::Callable(const Module& module, const std::string& method, const std::string& plan)
    : Callable(function_of(module, method), plan) {
  module_ = module;
}

const Graph& Callable::optimised_graph() const {
  if (const Graph* graph = executable_->graph()) return *graph;
  throw Unsupported("what runs under this plan is no graph to look at");
}

Callable Callable::under(const std::string& plan) const {
  Callable out(*graph_, plan);
  out.module_ = module_;
  out.schema_ = schema_;
  return out;
}

Callable Callable::specialise(const std::string& plan, const std::vector<IValue>& examples) const {
  Callable out(*this);
  PipelineOptions options;
  options.inputs = example_types(*graph_, all_inputs(examples));
  out.executable_ = prepare_timed(*graph_, parse_plan(plan), options);
  return out;
}

// The defaults that follow the first `given` inputs, the module not counted, as far as there are
// some.
std::vector<IValue> Callable::defaults_behind(size_t given) const {
  std::vector<IValue> out;
  for (size_t i = given + (module_ ? 1 : 0); i < schema_.args.size() && schema_.args[i].has_default;
       ++i)
    out.push_back(deepcopy(schema_.args[i].default_value));
  return out;
}

// The module, what is given, and defaults.
std::vector<IValue> Callable::all_inputs(const std::vector<IValue>& given) const {
  std::vector<IValue> all;
  if (module_) all.push_back(module_->self);
  all.insert(all.end(), given.begin(), given.end());
  for (IValue& v : defaults_behind(given.size())) all.push_back(std::move(v));
  return all;
}

std::vector<IValue> Callable::run(const std::vector<IValue>& inputs) const {
  return executable_->run(all_inputs(inputs));
}

eager::Any Callable::operator()(std::vector<eager::Any> inputs, eager::Where at) const {
  if (module_ && Tracer::current())
    decline("a method of a module within a trace: freeze the module and call its graph");
  size_t first = module_ ? 1 : 0;
  for (IValue& v : defaults_behind(inputs.size())) inputs.emplace_back(std::move(v));
  for (size_t i = 0; i < inputs.size() && i + first < graph_->inputs().size(); ++i) {
    bool to_float =
        graph_->inputs()[i + first]->type().is(TypeKind::Float) && inputs[i].value().is_int();
    if (to_float) inputs[i] = eager::op(front::op::kFloat, {inputs[i]}, at);
  }
  return eager::call_graph(
      *graph_, name(), std::move(inputs),
      [this](const std::vector<IValue>& v) { return pack_outputs(run(v)); }, at);
}

Module Program::module(const std::string& call, uint64_t seed) const {
  Module instance = instantiate(*script_, call, seed);
  for (const auto& [name, f] : instance.unit->functions) link(f.graph->block(), callees_);
  return instance;
}

std::vector<std::string> Program::names() const {
  std::vector<std::string> out;
  for (const auto& g : script_->functions) out.push_back(g->name);
  return out;
}

const Graph& Program::graph(const std::string& name) const {
  if (const Graph* g = script_->find(name)) return *g;
  fail("the script has no function '{}'{}; it has {}", name, near_misses(name, names()),
       join(names(), ", "));
}

Callable Program::function(const std::string& name, const std::string& plan) const {
  const Graph& g = graph(name);
  auto known = script_->unit->functions.find(name);
  return known == script_->unit->functions.end() ? Callable(g, plan)
                                                 : Callable(known->second, plan);
}

Program script(const std::string& text, const std::string& file,
               const std::map<std::string, Callable>& callees) {
  std::string whole = text;
  for (const auto& [name, callee] : callees) whole += stub(name, callee.graph());
  Script compiled = compile_script(whole, file);
  std::erase_if(compiled.functions, [&](const auto& g) { return callees.count(g->name) != 0; });
  if (compiled.functions.empty() && !compiled.failed.empty()) throw Error(compiled.errors());
  for (const auto& g : compiled.functions) link(g->block(), callees);
  return Program(std::move(compiled), callees);
}

}  // namespace fusillade
