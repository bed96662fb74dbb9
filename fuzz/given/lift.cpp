// See lift.h. Attributes are read where nothing has set them: a method that sets one is declined,
// so the position of a read does not matter.
#include "fuzz/given/lift.h"

#include <algorithm>
#include <map>

#include "engine/ir/prims.h"
#include "engine/ir/visit.h"
#include "engine/ops/class_type.h"
#include "engine/passes/pass.h"

namespace fusillade::fuzz {
namespace {

using Tag = IValue::Tag;

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Lifter {
 public:
  Lifter(Lifted& out, const IValue& self) : out_(out) {
    objects_[graph().inputs()[0]] = {self, ""};
    visit(graph().block());
  }

 private:
  struct Object {
    IValue value;
    std::string path;
  };

  Graph& graph() { return *out_.graph; }

  void visit(Block* block) {
    each_node_inside_out(block, [&](Node* n) {
      if (n->op().name == "prim::GetAttr") read(n);
    });
  }

  void read(Node* n) {
    auto from = objects_.find(n->input());
    if (from == objects_.end()) return;
    const std::string& field = std::get<IValue>(*n->attr("name")).as_str();
    const ObjectBox& object = from->second.value.as_object();
    int slot = object.cls->slot(field);
    if (slot < 0) return;
    const IValue& value = object.slots[static_cast<size_t>(slot)];
    std::string path = from->second.path + (from->second.path.empty() ? "" : "_") + field;
    if (value.tag() == Tag::Object) {
      objects_[n->output()] = {value, path};
      return;
    }
    bool whole =
        value.is_number() || value.is_none() || value.is_device() || value.tag() == Tag::Str;
    Value* instead =
        whole ? graph().constant(value, n) : input_of(value, n->output()->type(), path);
    n->output()->replace_all_uses_with(instead);
    n->destroy();
  }

  // One input for one value, however often it is read.
  Value* input_of(const IValue& value, const Type& type, const std::string& path) {
    for (size_t i = 0; i < out_.values.size(); ++i)
      if (out_.values[i].identical(value)) return inputs_[i];
    Value* v = graph().add_input(value.is_tensor() ? value.type() : type);
    std::string name;
    for (char c : path) name += is_word_char(c) ? c : '_';
    while (has_input(name)) name += "_";
    v->set_name(name);
    out_.values.push_back(value);
    inputs_.push_back(v);
    return v;
  }

  bool has_input(const std::string& name) {
    return std::any_of(graph().inputs().begin(), graph().inputs().end(),
                       [&](const Value* v) { return v->name() == name; });
  }

  Lifted& out_;
  std::map<const Value*, Object> objects_;
  std::vector<Value*> inputs_;
};

// Reads of objects, innermost last, that nothing uses any more.
void drop_reads(Block* block) {
  std::vector<Node*> nodes;
  for (Node* n : block->nodes()) nodes.push_back(n);
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    for (Block* inner : (*it)->blocks()) drop_reads(inner);
    if ((*it)->op().name == "prim::GetAttr" && (*it)->output()->is_unused()) (*it)->destroy();
  }
}

}  // namespace

Lifted lift(const Graph& method, const IValue& self) {
  Lifted out{method.clone(), {}};
  run_pipeline(*out.graph, parse_pipeline("inline"), {});
  Lifter(out, self);
  run_pipeline(*out.graph, parse_pipeline("constant_propagation,dce"), {});
  drop_reads(out.graph->block());
  const Value* object = out.graph->inputs()[0];
  if (!object->is_unused()) {
    const Node* user = object->uses()[0].user;
    decline("the module's method needs the module itself: {}",
            user->range.valid() ? user->range.where() + ": " + print(user) : print(user));
  }
  out.graph->block()->remove_param(0);
  return out;
}

}  // namespace fusillade::fuzz
