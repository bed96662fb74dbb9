// See stateful_module.h.
#include "fuzz/run/stateful_module.h"

#include <map>

#include "engine/base/error.h"
#include "engine/run/archive/archive.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

using Tag = IValue::Tag;

Tensor rest_of(const Tensor& t) {
  Dims sizes = t.sizes();
  int64_t from = t.offset();
  if (sizes.rank() > 0 && sizes[0] > 1) {
    --sizes[0];
    from += t.strides()[0];
  }
  return Tensor::view_of(t, from, sizes, t.strides());
}

bool holds_objects(const IValue& v) {
  bool found = v.tag() == Tag::Object;
  if (v.is_sequence())
    for (const IValue& item : v.items()) found |= holds_objects(item);
  if (v.tag() == Tag::Dict)
    for (const auto& [key, mapped] : v.as_dict().items()) found |= holds_objects(mapped);
  return found;
}

bool is_module(const IValue& v) {
  return v.tag() == Tag::Object && v.as_object().cls->kind == ClassType::Kind::Module;
}

class Holder {
 public:
  Holder(const Graph& program, const Call& call) : program_(program), call_(call) {
    for (const IValue& v : call.inputs)
      if (!is_module(v) && holds_objects(v))
        decline("an input holds objects, whose methods a module of inputs does not have");
    part_->name = "__torch__.fusillade.held.Part";
    part_->kind = ClassType::Kind::Module;
    part_->fields = {{"value", TypeKind::Tensor, Field::Kind::Buffer}};
    module_type_->name = "__torch__.fusillade.held.Held";
    module_type_->kind = ClassType::Kind::Module;
  }

  Module run() {
    fields();
    Module out{IValue::object(module_type_), std::make_shared<CompilationUnit>()};
    out.self.as_object().slots = std::move(slots_);
    auto unit = std::make_shared<CompilationUnit>();
    unit->classes.add(part_);
    unit->classes.add(module_type_);
    Function f = forward();
    *unit = with_methods(std::move(*unit), *f.graph);
    unit->functions[module_type_->name + ".forward"] = std::move(f);
    out.unit = std::move(unit);
    return out;
  }

 private:
  void add(const std::string& name, Type type, IValue value,
           Field::Kind kind = Field::Kind::Attribute) {
    module_type_->fields.push_back({name, std::move(type), kind});
    slots_.push_back(std::move(value));
  }

  bool in_part(size_t i) const {
    return program_.inputs()[i]->type().is_tensor() && call_.inputs[i].is_tensor();
  }

  void fields() {
    std::vector<IValue> again, rest;
    add("training", TypeKind::Bool, IValue(false));
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      const IValue& v = call_.inputs[i];
      if (!in_part(i)) {
        if (is_module(v)) train({v, nullptr}, false);
        add(fmt::format("in{}", i), program_.inputs()[i]->type().without_shapes(), v,
            is_module(v) ? Field::Kind::Module : Field::Kind::Attribute);
        continue;
      }
      IValue part = IValue::object(part_);
      part.as_object().slots[0] = v;
      add(fmt::format("part{}", i), Type::of(part_), part, Field::Kind::Module);
      again.push_back(v);
      rest.emplace_back(rest_of(v.as_tensor()));
    }
    add("again", Type::list(TypeKind::Tensor), IValue::list(std::move(again), TypeKind::Tensor));
    add("rest", Type::list(TypeKind::Tensor), IValue::list(std::move(rest), TypeKind::Tensor));
  }

  Function forward() {
    Function f;
    f.graph = std::make_shared<Graph>();
    f.graph->name = "forward";
    Value* self = f.graph->add_input(Type::of(module_type_));
    self->set_name("self");
    f.schema.name = "forward";
    f.schema.args.emplace_back().name = "self";
    f.schema.args.back().type = self->type();
    Node* end = f.graph->block()->return_node();
    auto read = [&](Value* of, const std::string& field, const Type& type) {
      Node* n = f.graph->create(prim::get_attr(), {of}, 1);
      n->set_attr("name", IValue::str(field));
      n->output()->set_type(type);
      n->insert_before(end);
      return n->output();
    };
    std::vector<Value*> inputs;
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      const Type type = program_.inputs()[i]->type().without_shapes();
      if (!in_part(i)) inputs.push_back(read(self, fmt::format("in{}", i), type));
      else
        inputs.push_back(
            read(read(self, fmt::format("part{}", i), Type::of(part_)), "value", type));
    }
    std::vector<Value*> results = inline_graph(program_, end, inputs);
    if (results.empty()) results = {f.graph->constant(IValue(), end)};
    if (results.size() > 1) results = {f.graph->append(prim::tuple_construct(), results)->output()};
    f.graph->add_output(results[0]);
    f.schema.results.emplace_back().type = results[0]->type().without_shapes();
    return f;
  }

  const Graph& program_;
  const Call& call_;
  std::shared_ptr<ClassType> part_ = std::make_shared<ClassType>();
  std::shared_ptr<ClassType> module_type_ = std::make_shared<ClassType>();
  std::vector<IValue> slots_;
};

// Walks two values at once; what is one on one side must be one on the other.
class Comparison {
 public:
  std::string difference(const IValue& a, const IValue& b) {
    if (a.tag() != b.tag()) return fmt::format("{} became {}", describe(a), describe(b));
    switch (a.tag()) {
      case Tag::Tensor:
        return tensors(a.as_tensor(), b.as_tensor());
      case Tag::List:
      case Tag::Tuple:
        if (a.tag() == Tag::List && !pair_up(a.seq(), b.seq()))
          return "a list is one where it was two, or two where it was one";
        return sequences(a.items(), b.items());
      case Tag::Dict:
        if (!pair_up(&a.as_dict(), &b.as_dict()))
          return "a dict is one where it was two, or two where it was one";
        return dicts(a.as_dict(), b.as_dict());
      case Tag::Object:
        if (!pair_up(&a.as_object(), &b.as_object()))
          return "an object is one where it was two, or two where it was one";
        return objects(a.as_object(), b.as_object());
      case Tag::Enum:
        return same_member(a, b) ? "" : fmt::format("{} became {}", describe(a), describe(b));
      default:
        return scalars(a, b);
    }
  }

 private:
  bool pair_up(const void* a, const void* b) {
    return there_.emplace(a, b).first->second == b && back_.emplace(b, a).first->second == a;
  }

  std::string tensors(const Tensor& a, const Tensor& b) {
    bool same = a.dtype() == b.dtype() && a.sizes() == b.sizes();
    if (!same) return fmt::format("{} became {}", describe(a), describe(b));
    if (!pair_up(a.impl(), b.impl()))
      return "a tensor is one where it was two, or two where it was one";
    if (!pair_up(a.storage(), b.storage())) return "tensors share memory otherwise than before";
    if (a.numel() > 0 && (a.offset() != b.offset() || !(a.strides() == b.strides())))
      return fmt::format("a tensor of offset {} and strides {} became one of {} and {}", a.offset(),
                         to_string(a.strides()), b.offset(), to_string(b.strides()));
    return bitwise_equal(a, b) ? "" : "elements of a tensor changed";
  }

  std::string sequences(const std::vector<IValue>& a, const std::vector<IValue>& b) {
    if (a.size() != b.size()) return fmt::format("{} items became {}", a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      std::string d = difference(a[i], b[i]);
      if (!d.empty()) return fmt::format("item {}: {}", i, d);
    }
    return "";
  }

  std::string dicts(const DictBox& a, const DictBox& b) {
    if (a.items().size() != b.items().size())
      return fmt::format("{} keys became {}", a.items().size(), b.items().size());
    for (size_t i = 0; i < a.items().size(); ++i) {
      std::string d = difference(a.items()[i].first, b.items()[i].first);
      if (d.empty()) d = difference(a.items()[i].second, b.items()[i].second);
      if (!d.empty()) return fmt::format("key {}: {}", describe(a.items()[i].first), d);
    }
    return "";
  }

  std::string objects(const ObjectBox& a, const ObjectBox& b) {
    if (a.cls->name != b.cls->name)
      return fmt::format("an object of {} became one of {}", a.cls->name, b.cls->name);
    if (a.slots.size() != b.slots.size())
      return fmt::format("{} attributes became {}", a.slots.size(), b.slots.size());
    for (size_t i = 0; i < a.slots.size(); ++i) {
      const Field& field = a.cls->fields[i];
      if (field.name != b.cls->fields[i].name)
        return fmt::format("{} became {}", field.name, b.cls->fields[i].name);
      std::string d = difference(a.slots[i], b.slots[i]);
      if (!d.empty()) return fmt::format("{}: {}", field.name, d);
    }
    return "";
  }

  std::string scalars(const IValue& a, const IValue& b) {
    bool nan = a.is_float() && a.as_double() != a.as_double() && b.as_double() != b.as_double();
    bool same = nan || a.identical(b);
    return same ? "" : fmt::format("{} became {}", describe(a), describe(b));
  }

  std::map<const void*, const void*> there_, back_;
};

}  // namespace

Module holding(const Graph& program, const Call& call) { return Holder(program, call).run(); }

std::string state_difference(const Module& wanted, const Module& found) {
  return Comparison().difference(wanted.self, found.self);
}

}  // namespace fusillade::fuzz
