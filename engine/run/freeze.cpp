// See freeze.h.
#include "engine/run/freeze.h"

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/passes/pass.h"
#include "engine/run/frozen_attributes.h"
#include "engine/run/tasks.h"

namespace fusillade {
namespace {

using Tag = IValue::Tag;

constexpr const char* kClean =
    "lower_tuples,constant_propagation,dce,cse,constant_propagation,cse,constant_pooling,dce";
constexpr const char* kTraining = "training";

const std::string& field_of(const Node* n) { return std::get<IValue>(*n->attr("name")).as_str(); }

bool is_module(const IValue& v) {
  return v.tag() == Tag::Object && v.as_object().cls->kind == ClassType::Kind::Module;
}

bool holds_modules(const IValue& v) {
  if (is_module(v)) return true;
  bool found = false;
  if (v.tag() == Tag::Dict)
    for (const auto& [key, value] : v.as_dict().items()) found |= holds_modules(value);
  if (v.is_sequence())
    for (const IValue& item : v.items()) found |= holds_modules(item);
  return found;
}

bool foldable(const IValue& v) {
  if (v.tag() == Tag::Dict || v.tag() == Tag::Object) return false;
  if (!v.is_sequence()) return true;
  for (const IValue& item : v.items())
    if (!foldable(item)) return false;
  return true;
}

// The value, built from constants in front of `before`; a list is built anew each time.
Value* constant_of(const IValue& v, const Type& declared, Graph& graph, Node* before) {
  if (!v.is_sequence()) return graph.constant(v, before);
  const Type& meant = declared.is(TypeKind::Optional) ? declared.element() : declared;
  const Type type =
      meant.is(TypeKind::List) || meant.is(TypeKind::Tuple) ? meant : v.type().without_shapes();
  std::vector<Value*> items;
  for (size_t i = 0; i < v.items().size(); ++i)
    items.push_back(constant_of(v.items()[i],
                                type.is(TypeKind::List) ? type.element() : type.elements()[i],
                                graph, before));
  const Operator& op = v.tag() == Tag::List ? prim::list_construct()
                       : type.class_type()  ? prim::named_tuple()
                                            : prim::tuple_construct();
  Node* n = graph.create(op, items, 1);
  n->insert_before(before);
  n->output()->set_type(type);
  return n->output();
}

class Freezer {
 public:
  Freezer(const Module& module, const FreezeOptions& options) : module_(module) {
    check_mode();
    choose_methods(options);
  }

  Module run() {
    // What is folded may show that a branch is never taken, and that what it sets never changes.
    for (folded_ = 1; folded_ > 0;) {
      folded_ = 0;
      std::vector<const Graph*> graphs;
      for (auto& [name, graph] : graphs_) graphs.push_back(graph.get());
      AttributeUse use(module_.self, graphs, attributes_);
      for (auto& [name, graph] : graphs_) fold(*graph, graph->block(), use);
      for (auto& [name, graph] : graphs_) run_pipeline(*graph, parse_pipeline(kClean), {});
    }
    for (const std::string& name : attributes_) kept_[&module_.type()].insert(name);
    if (module_.type().slot(kTraining) >= 0) kept_[&module_.type()].insert(kTraining);
    for (auto& [name, graph] : graphs_) collect(graph->block());
    return assemble();
  }

 private:
  void check_mode() {
    for_each_module(module_.self, [](const IValue& m, const std::string& path) {
      int slot = m.as_object().cls->slot(kTraining);
      const IValue* mode = slot < 0 ? nullptr : &m.as_object().slots[static_cast<size_t>(slot)];
      if (mode && mode->is_bool() && mode->as_bool())
        fail("freezing is for modules in evaluation mode; {} is in training mode",
             path.empty() ? "the module" : "'" + path + "'");
    });
  }

  void choose_methods(const FreezeOptions& options) {
    std::set<std::string> methods{"forward"};
    std::vector<std::string> legal;
    for (const Field& f : module_.type().fields) legal.push_back(f.name);
    std::string prefix = module_.type().name + ".";
    for (const auto& [name, function] : module_.unit->functions)
      if (name.rfind(prefix, 0) == 0) legal.push_back(name.substr(prefix.size()));
    for (const std::string& name : options.preserved) {
      if (module_.method(name)) methods.insert(name);
      else if (module_.type().slot(name) >= 0) attributes_.insert(name);
      else
        fail("'{}' has nothing named '{}' to preserve{}", module_.type().name, name,
             near_misses(name, legal));
    }
    for (const std::string& name : methods) {
      const Function* f = module_.method(name);
      if (!f) continue;
      std::unique_ptr<Graph> graph = f->graph->clone();
      graph->name = name;
      call_tasks(graph->block());  // attributes are looked for in one graph
      run_pipeline(*graph, parse_pipeline("inline"), {});
      graphs_.emplace_back(name, std::move(graph));
    }
    if (graphs_.empty())
      fail("'{}' has no method 'forward'; preserve the methods to keep (it has {})",
           module_.type().name, join(legal, ", "));
  }

  void fold(Graph& graph, Block* block, const AttributeUse& use) {
    each_node_inside_out(block, [&](Node* n) {
      if (!n->is(prim::get_attr())) return;
      const IValue* object = use.object_of(graph, n->input());
      if (!object) return;
      const ObjectBox& box = object->as_object();
      const IValue& value = box.slots[static_cast<size_t>(box.cls->slot(field_of(n)))];
      if (use.changes(*box.cls, field_of(n)) || !foldable(value)) return;
      n->output()->replace_all_uses_with(constant_of(value, n->output()->type(), graph, n));
      n->destroy();
      ++folded_;
    });
  }

  // Attributes that the code still reads or sets.
  void collect(const Block* block) {
    each_node_inside_out(block, [&](const Node* n) {
      bool access = n->is(prim::get_attr()) || n->is(prim::set_attr());
      if (access && n->input(0)->type().is(TypeKind::Class))
        kept_[n->input(0)->type().class_type().get()].insert(field_of(n));
    });
  }

  // Types and objects anew, with the attributes that are left.
  Type remap(const Type& type) {
    if (type.is(TypeKind::Class))
      return type.class_type()->kind == ClassType::Kind::Module ? Type::of(remap(type.class_type()))
                                                                : type;
    switch (type.kind()) {
      case TypeKind::List:
        return Type::list(remap(type.element()));
      case TypeKind::Optional:
        return Type::optional(remap(type.element()));
      case TypeKind::Dict:
        return Type::dict(type.key(), remap(type.value_type()));
      case TypeKind::Union: {
        std::vector<Type> options;
        for (const Type& option : type.elements()) options.push_back(remap(option));
        return Type::union_of(options);
      }
      case TypeKind::Tuple: {
        std::vector<Type> items;
        for (const Type& item : type.elements()) items.push_back(remap(item));
        Type tuple = Type::tuple(std::move(items));
        if (!type.class_type()) return tuple;
        if (!(tuple == Type::tuple(type.elements())))
          decline("the named tuple {} holds modules", type.text());
        return type;
      }
      default:
        return type;
    }
  }

  ClassPtr remap(const ClassPtr& cls) {
    auto known = classes_.find(cls.get());
    if (known != classes_.end()) return known->second;
    auto fresh = std::make_shared<ClassType>();
    fresh->name = cls->name;
    fresh->kind = cls->kind;
    classes_[cls.get()] = fresh;
    const std::set<std::string>& kept = kept_[cls.get()];
    for (const Field& f : cls->fields) {
      if (!kept.count(f.name)) continue;
      Field copy = f;
      copy.type = remap(f.type);
      fresh->fields.push_back(std::move(copy));
    }
    return fresh;
  }

  // Containers that hold modules are rebuilt; others stay the very objects they were.
  IValue remap(const IValue& v) {
    if (is_module(v)) return mapped_object(v);
    if (!holds_modules(v)) return v;
    const void* id = v.tag() == Tag::Dict ? static_cast<const void*>(&v.as_dict()) : v.seq();
    auto known = containers_.find(id);
    if (known == containers_.end()) known = containers_.emplace(id, mapped_container(v)).first;
    return known->second;
  }

  IValue mapped_container(const IValue& v) {
    if (v.tag() == Tag::Dict) {
      const DictBox& from = v.as_dict();
      IValue fresh = IValue::dict(from.key, remap(from.value));
      for (const auto& [key, value] : from.items()) fresh.as_dict().set(key, remap(value));
      return fresh;
    }
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(remap(item));
    if (v.tag() == Tag::List) return IValue::list(std::move(items), remap(v.seq()->element));
    return IValue::tuple(std::move(items));
  }

  IValue mapped_object(const IValue& v) {
    const ObjectBox& box = v.as_object();
    auto known = objects_.find(&box);
    if (known != objects_.end()) return known->second;
    IValue fresh = IValue::object(remap(box.cls));
    objects_[&box] = fresh;
    ObjectBox& to = fresh.as_object();
    for (size_t i = 0; i < to.slots.size(); ++i)
      to.slots[i] = remap(box.slots[static_cast<size_t>(box.cls->slot(to.cls->fields[i].name))]);
    return fresh;
  }

  void retype(Block* block) {
    each_value(block, [&](Value* v) { v->set_type(remap(v->type())); });
  }

  Module assemble() {
    auto unit = std::make_shared<CompilationUnit>();
    Module out;
    out.self = mapped_object(module_.self);
    for (auto& [name, graph] : graphs_) {
      retype(graph->block());
      Function f;
      f.schema = module_.method(name)->schema;
      for (SchemaArg& a : f.schema.args) a.type = remap(a.type);
      for (SchemaArg& r : f.schema.results) r.type = remap(r.type);
      verify(*graph);
      f.graph = std::move(graph);
      unit->functions[module_.type().name + "." + name] = std::move(f);
    }
    for (const ClassPtr& cls : module_.unit->classes.all()) {
      bool module = cls->kind == ClassType::Kind::Module;
      if (module && !classes_.count(cls.get())) continue;
      unit->classes.add(module ? classes_[cls.get()] : cls);
      if (!module) keep_methods(*cls, *unit);
    }
    out.unit = unit;
    return out;
  }

  void keep_methods(const ClassType& cls, CompilationUnit& unit) {
    std::string prefix = cls.name + ".";
    for (const auto& [name, function] : module_.unit->functions)
      if (name.rfind(prefix, 0) == 0) unit.functions[name] = function;
  }

  const Module& module_;
  size_t folded_ = 0;
  std::set<std::string> attributes_;  // preserved
  std::vector<std::pair<std::string, std::shared_ptr<Graph>>> graphs_;
  std::map<const ClassType*, std::set<std::string>> kept_;
  std::map<const ClassType*, ClassPtr> classes_;
  std::map<const ObjectBox*, IValue> objects_;
  std::map<const void*, IValue> containers_;  // lists, tuples and dicts of modules
};

}  // namespace

Module freeze(const Module& module, const FreezeOptions& options) {
  return Freezer(module, options).run();
}

}  // namespace fusillade
