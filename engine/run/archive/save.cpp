// Modules to archives; see archive.h.
#include <memory>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/run/archive/archive.h"
#include "engine/run/archive/code_files.h"
#include "engine/run/archive/values.h"
#include "engine/run/archive/zip.h"
#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

using namespace archive;

constexpr const char* kRoot = "archive/";
// The version whose meaning of operators the code has: the newest that PyTorch 1.13 reads.
constexpr const char* kVersion = "10\n";

void add_storages(ZipWriter& zip, const ValueWriter& values, const std::string& folder) {
  for (size_t i = 0; i < values.storages().size(); ++i) {
    const Tensor here = to_host(values.storages()[i]);
    zip.add(kRoot + folder + std::to_string(i),
            {reinterpret_cast<const char*>(here.storage()->data()), here.storage()->bytes()});
  }
}

// The methods that `block` calls, and those that they call; the classes of its values.
void add_methods(const Block* block, CompilationUnit& unit) {
  each_node_inside_out(block, [&](const Node* n) {
    for (const Value* v : n->outputs()) {
      const ClassPtr& cls = v->type().class_type();
      if (cls && !unit.classes.find(cls->name)) unit.classes.add(cls);
    }
    if (!n->is(prim::call_function())) return;
    const std::string& name = std::get<IValue>(*n->attr("name")).as_str();
    std::shared_ptr<Graph> graph = function_of_call(n);
    const Type* self = n->inputs().empty() ? nullptr : &n->input(0)->type();
    bool method =
        self && self->is(TypeKind::Class) && name.rfind(self->class_type()->name + ".", 0) == 0;
    if (method) {
      if (unit.functions.count(name)) return;
      unit.functions[name].graph = graph;
    }
    add_methods(graph->block(), unit);
  });
}

}  // namespace

std::string save_archive(const Module& module, std::vector<std::string>* notes) {
  ConstantTable table;
  CodeFiles code(*module.unit, table);
  code.add(module.self.as_object().cls);
  if (notes) *notes = code.notes();
  ZipWriter zip;
  ValueWriter data;
  std::string root = data.pickle(module.self, module.self.type());
  add_storages(zip, data, "data/");
  zip.add(std::string(kRoot) + "data.pkl", root);
  for (const auto& [path, text] : code.files()) zip.add(kRoot + ("code/" + path), text);
  ValueWriter constants;
  IValue all = IValue::tuple(table.all());
  std::string pickled = constants.pickle(all, all.type());
  add_storages(zip, constants, "constants/");
  zip.add(std::string(kRoot) + "constants.pkl", pickled);
  zip.add(std::string(kRoot) + "version", kVersion);
  return zip.finish();
}

void save_module(const std::string& path, const Module& module, std::vector<std::string>* notes) {
  write_atomically(path, save_archive(module, notes));
}

Module module_of_function(const Graph& graph) {
  auto cls = std::make_shared<ClassType>();
  cls->name = "__torch__.PlaceholderModule";
  cls->kind = ClassType::Kind::Module;
  cls->fields.push_back({"training", TypeKind::Bool, Field::Kind::Attribute});
  Function forward;
  forward.graph = std::make_shared<Graph>();
  forward.graph->name = "forward";
  Value* self = forward.graph->add_input(Type::of(cls));
  self->set_name("self");
  forward.schema.name = "forward";
  forward.schema.args.emplace_back().name = "self";
  forward.schema.args.back().type = self->type();
  std::vector<Value*> inputs;
  for (const Value* v : graph.inputs()) {
    inputs.push_back(forward.graph->add_input(v->type()));
    inputs.back()->set_name(v->name());
    forward.schema.args.emplace_back().name = v->name();
    forward.schema.args.back().type = v->type().without_shapes();
  }
  Node* end = forward.graph->block()->return_node();
  std::vector<Value*> results = inline_graph(graph, end, inputs);
  if (results.empty()) results = {forward.graph->constant(IValue(), end)};
  if (results.size() > 1)
    results = {forward.graph->append(prim::tuple_construct(), results)->output()};
  forward.graph->add_output(results[0]);
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(cls);
  *unit = with_methods(std::move(*unit), *forward.graph);
  unit->functions[cls->name + ".forward"] = std::move(forward);
  IValue object = IValue::object(cls);
  object.as_object().slots[0] = IValue(true);
  return {object, unit};
}

CompilationUnit with_methods(CompilationUnit unit, const Graph& graph) {
  add_methods(graph.block(), unit);
  return unit;
}

const Function& method_of(const Module& module, const std::string& name) {
  if (const Function* f = module.method(name)) return *f;
  std::vector<std::string> names;
  std::string prefix = module.type().name + ".";
  for (const auto& [qualified, function] : module.unit->functions)
    if (qualified.rfind(prefix, 0) == 0) names.push_back(qualified.substr(prefix.size()));
  fail("'{}' has no method '{}'{} (it has {})", module.type().name, name, near_misses(name, names),
       join(names, ", "));
}

}  // namespace fusillade
