// See device_kernels.h. A group is kept for each operator and each set of arguments that its kernel
// is specialised for. Numbers for a Scalar are passed at launch, or are part of the kernel where
// lowering needs their values. All else but tensors and lists of tensors is.
#include "engine/run/device_kernels.h"

#include <map>
#include <mutex>

#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/fuse/group.h"
#include "engine/fuse/lowering_kind.h"
#include "engine/ir/graph.h"
#include "engine/ir/literal.h"
#include "engine/ir/prims.h"
#include "engine/ops/draws.h"

namespace fusillade {
namespace {

constexpr size_t kMostGroups = 4096;
constexpr const char* kFusers[] = {"tile", "pointwise", "loopnest"};

Probe probe_launched("device/kernel");

bool is_list_of_tensors(const IValue& v) {
  return v.tag() == IValue::Tag::List && !v.items().empty() &&
         std::ranges::all_of(v.items(), &IValue::is_tensor);
}

// What may differ between calls of one group.
bool is_input(const SchemaArg& formal, const IValue& v, bool numbers) {
  if (v.is_tensor() || is_list_of_tensors(v)) return true;
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  return numbers && v.is_number() && type.is(TypeKind::Number);
}

bool is_plain(const IValue& v) {
  if (v.tag() != IValue::Tag::List) return !v.is_sequence() && v.tag() <= IValue::Tag::Str;
  for (const IValue& item : v.items())
    if (!item.is_number()) return false;
  return true;
}

Value* list_of(Graph& graph, const std::vector<Value*>& items, const Type& element) {
  Node* list = graph.create(prim::list_construct(), items, 1);
  list->output()->set_type(Type::list(element));
  graph.block()->append(list);
  return list->output();
}

Value* constant(Graph& graph, const IValue& v) {
  if (v.tag() != IValue::Tag::List) return graph.constant(v);
  std::vector<Value*> items;
  for (const IValue& item : v.items()) items.push_back(graph.constant(item));
  return list_of(graph, items, v.seq()->element);
}

Value* input(Graph& graph, const IValue& v) {
  if (!is_list_of_tensors(v)) return graph.add_input(v.type().without_shapes());
  std::vector<Value*> items;
  for (size_t i = 0; i < v.items().size(); ++i) items.push_back(graph.add_input(TypeKind::Tensor));
  return list_of(graph, items, TypeKind::Tensor);
}

// The arguments of a group for those of a call.
std::vector<IValue> inputs_of(const Operator& op, std::span<const IValue> args, bool numbers) {
  std::vector<IValue> out;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!is_input(op.schema.args[i], args[i], numbers)) continue;
    if (!is_list_of_tensors(args[i])) out.push_back(args[i]);
    else
      for (const IValue& item : args[i].items()) out.push_back(item);
  }
  return out;
}

// The group as its fuser and back end know it; null where the fuser does not take such a node.
std::unique_ptr<fuse::Group> make_group(const Operator& op, std::span<const IValue> args,
                                        bool numbers, const char* fuser, const char* backend) {
  auto inside = std::make_shared<Graph>();
  inside->name = op.name;
  std::vector<Value*> operands;
  for (size_t i = 0; i < args.size(); ++i) {
    if (is_input(op.schema.args[i], args[i], numbers)) operands.push_back(input(*inside, args[i]));
    else operands.push_back(constant(*inside, args[i]));
  }
  Node* node = inside->create(op, operands, op.schema.results.size());
  inside->block()->append(node);
  for (Value* v : node->outputs()) {
    v->set_type(TypeKind::Tensor);
    inside->add_output(v);
  }
  if (!fuse::fuser(fuser).may_fuse_with(node, {})) return nullptr;
  Graph outside;
  std::vector<Value*> given;
  for (const Value* v : inside->inputs()) given.push_back(outside.add_input(v->type()));
  Node* group = outside.create(prim::fusion_group(), given, op.schema.results.size());
  group->set_attr("Subgraph", inside);
  group->set_attr("fuser", IValue::str(fuser));
  group->set_attr("backend", IValue::str(backend));
  outside.block()->append(group);
  return std::make_unique<fuse::Group>(*group, [](std::span<const IValue>) -> std::vector<IValue> {
    FUS_BUG("a group of one operator is asked for its kernel alone");
  });
}

class Groups {
 public:
  using Shared = std::shared_ptr<const fuse::Group>;  // null: no fuser takes it

  Shared find(const Operator& op, std::span<const IValue> args, bool numbers, const char* fuser,
              const char* backend) {
    const std::string key = key_of(op, args, numbers, fuser);
    {
      std::lock_guard lock(mutex_);
      if (auto it = known_.find(key); it != known_.end() && !(it->second && it->second->full()))
        return it->second;
    }
    Shared group = make_group(op, args, numbers, fuser, backend);
    std::lock_guard lock(mutex_);
    if (known_.size() >= kMostGroups) known_.clear();
    return known_[key] = std::move(group);
  }

 private:
  static std::string key_of(const Operator& op, std::span<const IValue> args, bool numbers,
                            const char* fuser) {
    std::string key = op.name + " " + fuser;
    for (size_t i = 0; i < args.size(); ++i) {
      const bool input = is_input(op.schema.args[i], args[i], numbers);
      if (!input) key += " " + print_literal(args[i]);
      else if (is_list_of_tensors(args[i])) key += fmt::format(" {}t", args[i].items().size());
      else
        key += args[i].is_tensor()  ? " t"
               : args[i].is_float() ? " f"
               : args[i].is_int()   ? " i"
                                    : " b";
    }
    return key;
  }

  std::mutex mutex_;
  std::map<std::string, Shared> known_;
};

// The back end whose programs run on a device.
const char* backend_on(DeviceType type) {
  for (const kernel::Backend& b : Table<kernel::Backend>::instance())
    if (b.device == type) return b.name.c_str();
  return nullptr;
}

bool has_form(const Operator& op, std::span<const IValue> args) {
  if (op.nondeterministic && may_draw(op, infos_of(args))) return false;
  if (op.in_place || op.side_effect || op.schema.writes()) return false;
  if (op.schema.varargs || op.schema.results.empty()) return false;
  for (const SchemaArg& result : op.schema.results)
    if (!result.type.is_tensor()) return false;
  return op.pointwise || op.view || !op.body.empty() || fuse::lowering_kind(op);
}

}  // namespace

bool run_as_kernel(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  static auto* groups = new Groups;
  if (!has_form(op, args)) return false;
  const char* backend = nullptr;
  bool any_number = false;
  for (const IValue& v : args) {
    if (v.is_tensor()) backend = backend_on(v.as_tensor().device().type);
    else if (is_list_of_tensors(v)) backend = backend_on(v.items()[0].as_tensor().device().type);
    else if (!is_plain(v)) return false;
    any_number = any_number || v.is_number();
  }
  if (!backend) return false;
  for (const bool numbers : {true, false}) {
    if (!numbers && !any_number) break;
    for (const char* fuser : kFusers) {
      const Groups::Shared group = groups->find(op, args, numbers, fuser, backend);
      if (!group) continue;
      if (!group->launch(inputs_of(op, args, numbers), results)) continue;
      probe_launched.hit();
      return true;
    }
  }
  return false;
}

}  // namespace fusillade
