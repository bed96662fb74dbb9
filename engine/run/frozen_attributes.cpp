// See frozen_attributes.h.
#include "engine/run/frozen_attributes.h"

#include <unordered_set>

#include "engine/ir/visit.h"
#include "engine/passes/effects.h"

namespace fusillade {
namespace {

using Tag = IValue::Tag;

const std::string& field_of(const Node* n) { return std::get<IValue>(*n->attr("name")).as_str(); }

bool has_variable(const Type& type) {
  if (type.is(TypeKind::Var)) return true;
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) ||
                type.is(TypeKind::Tuple) || type.is(TypeKind::Dict);
  for (size_t i = 0; nested && i < type.elements().size(); ++i)
    if (has_variable(type.elements()[i])) return true;
  return false;
}

// May the result lie in the argument's memory, or hold its items?
bool shares(const SchemaArg& result, const SchemaArg& arg) {
  if (result.wildcard || (has_variable(result.type) && has_variable(arg.type))) return true;
  for (char c : result.alias)
    if (c != '|' && arg.alias.find(c) != std::string::npos) return true;
  return false;
}

// Does a result say by its mark that it holds what entered a container (the parts of split)?
bool result_contains(const Schema& schema, const SchemaArg& arg) {
  for (const SchemaArg& r : schema.results)
    for (char c : r.alias)
      if (c != '|' && arg.alias.find(c) != std::string::npos) return true;
  return false;
}

// ATen's normalisations write their running statistics in training only.
bool writes(const Node* n, size_t i) {
  const Schema& schema = n->op().schema;
  if (!schema.args[i].written) return false;
  if (!schema.args[i].type.is(TypeKind::Optional)) return true;
  for (size_t k = 0; k < n->inputs().size() && k < schema.args.size(); ++k) {
    const Node* from = n->inputs()[k]->node();
    bool mode = schema.args[k].name == "training" && from->is(prim::constant()) &&
                from->constant().is_bool();
    if (mode && !from->constant().as_bool()) return false;
  }
  return true;
}

// Follows the memory of one value forward through the graph: may anything write it?
class WriteSearch {
 public:
  bool is_written(const Value* v) {
    visit(v);
    while (!found_ && !work_.empty()) {
      const Value* next = work_.back();
      work_.pop_back();
      for (const Use& use : next->uses()) follow(use);
    }
    return found_;
  }

 private:
  void visit(const Value* v) {
    if (is_memory(v->type()) && seen_.insert(v).second) work_.push_back(v);
  }

  void follow(const Use& use) {
    const Node* n = use.user;
    size_t i = static_cast<size_t>(use.index);
    if (n->is(prim::return_())) return result(n->block()->owner(), i);
    if (n->is(prim::loop())) {
      if (i >= 2) visit_carried(n, i - 2);
      return;
    }
    if (n->is(prim::get_attr())) return;  // of an object: its own attribute
    if (n->is(prim::set_attr()) && i == 0) return;
    const Schema& schema = n->op().schema;
    bool known = i < schema.args.size();
    bool kept = known && schema.args[i].wildcard && !result_contains(schema, schema.args[i]);
    if (n->is(prim::set_attr()) || n->has_attr("Subgraph") || (known && writes(n, i)) || kept) {
      found_ = true;
      return;
    }
    bool all =
        n->kind() == OpKind::View || (n->kind() == OpKind::Prim && !schema.aliases()) || !known;
    for (size_t r = 0; r < n->outputs().size(); ++r) {
      bool marked = known && r < schema.results.size() && shares(schema.results[r], schema.args[i]);
      if (all || marked) visit(n->outputs()[r]);
    }
  }

  void result(const Node* owner, size_t i) {
    if (!owner) return;
    if (!owner->is(prim::loop())) return visit(owner->outputs()[i]);
    if (i > 0) visit_carried(owner, i - 1);
  }

  void visit_carried(const Node* loop, size_t k) {
    visit(loop->outputs()[k]);
    visit(loop->blocks()[0]->params()[k + 1]);
  }

  bool found_ = false;
  std::unordered_set<const Value*> seen_;
  std::vector<const Value*> work_;
};

// Storages and containers that a value reaches.
void memory_of(const IValue& v, std::set<const void*>& out) {
  if (v.is_tensor()) {
    out.insert(v.as_tensor().storage());
  } else if (v.is_sequence()) {
    if (v.tag() == Tag::List) out.insert(v.seq());
    for (const IValue& item : v.items()) memory_of(item, out);
  } else if (v.tag() == Tag::Dict) {
    if (!out.insert(&v.as_dict()).second) return;
    for (const auto& [key, mapped] : v.as_dict().items()) memory_of(mapped, out);
  } else if (v.tag() == Tag::Object) {
    if (!out.insert(&v.as_object()).second) return;
    for (const IValue& slot : v.as_object().slots) memory_of(slot, out);
  }
}

bool is_module(const IValue& v) {
  return v.tag() == Tag::Object && v.as_object().cls->kind == ClassType::Kind::Module;
}

using Visit = std::function<void(const IValue&, const std::string&)>;

// `v` and what it holds; containers of modules are walked through.
void walk(const IValue& v, const std::string& path, std::set<const void*>& seen,
          const Visit& visit) {
  std::string inside = path.empty() ? path : path + ".";
  if (v.is_sequence()) {
    for (size_t i = 0; i < v.items().size(); ++i)
      walk(v.items()[i], inside + std::to_string(i), seen, visit);
  } else if (v.tag() == Tag::Dict) {
    for (const auto& [key, mapped] : v.as_dict().items())
      walk(mapped, inside + describe(key), seen, visit);
  }
  if (!is_module(v) || !seen.insert(&v.as_object()).second) return;
  visit(v, path);
  const ObjectBox& box = v.as_object();
  for (size_t i = 0; i < box.slots.size(); ++i)
    walk(box.slots[i], inside + box.cls->fields[i].name, seen, visit);
}

}  // namespace

void for_each_module(
    const IValue& self,
    const std::function<void(const IValue& module, const std::string& path)>& visit) {
  std::set<const void*> seen;
  walk(self, "", seen, visit);
}

AttributeUse::AttributeUse(const IValue& self, const std::vector<const Graph*>& graphs,
                           const std::set<std::string>& preserved)
    : self_(self) {
  for (const std::string& name : preserved) changing_.insert({self.as_object().cls.get(), name});
  for (const Graph* g : graphs) scan(g->block());
  propagate();
}

void AttributeUse::scan(const Block* block) {
  each_node_inside_out(block, [&](const Node* n) {
    bool get = n->is(prim::get_attr());
    if (!get && !n->is(prim::set_attr())) return;
    const Type& type = n->input(0)->type();
    if (!type.is(TypeKind::Class)) return;
    if (!get || WriteSearch().is_written(n->output()))
      changing_.insert({type.class_type().get(), field_of(n)});
  });
}

// What lies in the same memory as a changing attribute changes with it.
void AttributeUse::propagate() {
  for (bool more = true; more;) {
    std::set<const void*> memory;
    for_each_module(self_, [&](const IValue& module, const std::string&) {
      const ObjectBox& box = module.as_object();
      for (size_t i = 0; i < box.slots.size(); ++i)
        if (!is_module(box.slots[i]) && changes(*box.cls, box.cls->fields[i].name))
          memory_of(box.slots[i], memory);
    });
    more = false;
    for_each_module(self_, [&](const IValue& module, const std::string&) {
      const ObjectBox& box = module.as_object();
      for (size_t i = 0; i < box.slots.size(); ++i) {
        if (is_module(box.slots[i]) || changes(*box.cls, box.cls->fields[i].name)) continue;
        std::set<const void*> own;
        memory_of(box.slots[i], own);
        bool meets = false;
        for (const void* m : own) meets |= memory.count(m) != 0;
        if (meets) more |= changing_.insert({box.cls.get(), box.cls->fields[i].name}).second;
      }
    });
  }
}

const IValue* AttributeUse::object_of(const Graph& graph, const Value* value) const {
  std::vector<const Node*> path;
  while (value->node()->is(prim::get_attr())) {
    path.push_back(value->node());
    value = value->node()->input();
  }
  if (graph.inputs().empty() || value != graph.inputs()[0]) return nullptr;
  const IValue* object = &self_;
  for (size_t i = path.size(); i-- > 0;) {
    if (!is_module(*object)) return nullptr;
    const ObjectBox& box = object->as_object();
    int slot = box.cls->slot(field_of(path[i]));
    if (slot < 0 || changes(*box.cls, field_of(path[i]))) return nullptr;
    object = &box.slots[static_cast<size_t>(slot)];
  }
  return is_module(*object) ? object : nullptr;
}

}  // namespace fusillade
