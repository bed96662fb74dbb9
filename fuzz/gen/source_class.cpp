// Classes and modules of generated scripts.
//
// What an object holds is in scope under dotted names ("o3.w", "self.n"), what it can do under dotted callees: nothing
// else of the generator knows of objects. A class is written once, its methods over `self`; each object adds its names.
// Modules make their state in a constructor without arguments, so that the text alone says what they are.
#include "engine/front/spelling.h"
#include "engine/ir/literal.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

std::string behind_dot(const std::string& name) { return name.substr(name.find('.') + 1); }

}  // namespace

Type Source::draw_field() {
  if (tensors_ && choices_.chance(0.5)) return builder_->fresh_input(true)->type();
  return choices_.chance(0.3) ? Type::list(draw_scalar()) : draw_scalar();
}

// class C0: with a constructor that takes the fields
void Source::plain_class(const std::string& name) {
  start_function();
  Class c{name, {}, {}};
  line("class " + name + ":");
  ++indent_;
  std::string list;
  for (int64_t n = choices_.between(1, 3); n > 0; --n) {
    std::string field = fresh("a");
    c.fields.push_back({"self." + field, draw_field()});
    list += ", " + field + ": " + annotation(c.fields.back().type);
  }
  line("def __init__(self" + list + "):");
  ++indent_;
  for (const Var& v : c.fields) line(v.name + " = " + behind_dot(v.name));
  indent_ -= 2;
  methods_of(c, static_cast<int>(choices_.between(1, 2)));
  classes_.push_back(std::move(c));
}

void Source::methods_of(Class& c, int count) {
  ++indent_;
  fields_ = c.fields;
  size_t before = callees_.size();
  for (; count > 0; --count) function(fresh("m"), Place::Method);
  c.methods.assign(callees_.begin() + static_cast<long>(before), callees_.end());
  callees_.erase(callees_.begin() + static_cast<long>(before), callees_.end());
  fields_.clear();
  --indent_;
}

// o3 = C0(x, 1), or another name for an object.
void Source::make_object() {
  if (classes_.empty()) return define();
  const Class& c = choices_.pick(classes_);
  std::string args;
  for (const Var& field : c.fields) {
    args += (args.empty() ? "" : ", ") + bounded(field.type, expression(field.type, 1)).s;
  }
  std::string name = fresh("o");
  line(name + " = " + c.name + "(" + args + ")");
  name_object(c, name);
  if (!choices_.chance(0.2)) return;
  std::string other = fresh("o");
  line(other + " = " + name);
  name_object(c, other);
}

void Source::name_object(const Class& c, const std::string& name) {
  for (Var field : c.fields) {
    field.name = name + "." + behind_dot(field.name);
    vars_.push_back(field);
  }
  for (Callee method : c.methods) {
    method.name = name + "." + behind_dot(method.name);
    callees_.push_back(std::move(method));
  }
}

// A tensor of a constructor.
std::string Source::state_text(const TensorInfo& info) {
  std::string sizes = print_literal(IValue::int_list(info.sizes));
  std::string dtype = front::dtype_constant(info.dtype);
  if (info.dtype == DType::Bool || choices_.chance(0.3)) return tensor_literal(Type::tensor(info)).s;
  return fmt::format("torch.arange({}, dtype={}).reshape({})", numel_of(info.sizes), dtype, sizes);
}

// One attribute of a module: a parameter, a buffer, a number or list, a layer of torch.nn, another module.
void Source::module_field(Class& c, const std::vector<Class>& parts) {
  uint64_t kind = choices_.below(10);
  std::string name = fresh("a");
  if (kind < 4) {
    Type type = builder_->fresh_input(true)->type();
    bool parameter = is_float(type.info().dtype) && choices_.chance(0.5);
    std::string state = state_text(type.info());
    line(parameter ? "self." + name + " = nn.Parameter(" + state + ")"
                   : "self.register_buffer(\"" + name + "\", " + state + ")");
    c.fields.push_back({"self." + name, type, parameter});
  } else if (kind == 4 && !parts.empty()) {
    const Class& part = choices_.pick(parts);
    line("self." + name + " = " + part.name + "()");
    Callee forward = part.methods.back();
    forward.name = "self." + name;
    callees_.push_back(std::move(forward));
  } else if (kind >= 5 && kind < 8) {
    layer_field(c);
  } else {
    Type type = choices_.chance(0.3) ? Type::list(draw_scalar()) : draw_scalar();
    line("self." + name + ": " + annotation(type) + " = " + literal(type).s);
    c.fields.push_back({"self." + name, type});
  }
}

// The last one is the program; those before it are parts of it.
void Source::module_class(const std::string& name, bool last) {
  start_function();
  Class c{name, {}, {}};
  size_t outside = callees_.size();
  line("class " + name + "(nn.Module):");
  ++indent_;
  line("def __init__(self):");
  ++indent_;
  line("super().__init__()");
  const std::vector<Class> parts = parts_;
  for (int64_t n = choices_.between(1, last ? 5 : 2); n > 0; --n) module_field(c, parts);
  --indent_;
  fields_ = c.fields;
  layers_ = c.layers;
  const std::vector<Type> wanted = std::move(wanted_);
  wanted_.clear();
  if (last && choices_.chance(0.4)) function(fresh("m"), Place::Method);
  wanted_ = wanted;
  function("forward", last ? Place::Forward : Place::Method);
  c.methods = {callees_.back()};
  callees_.erase(callees_.begin() + static_cast<long>(outside), callees_.end());
  fields_.clear();
  layers_.clear();
  wanted_.clear();
  --indent_;
  parts_.push_back(std::move(c));
}

}  // namespace fusillade::fuzz
