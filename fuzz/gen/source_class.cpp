// Classes and modules of generated scripts.
//
// What an object holds is in scope under dotted names ("o3.w", "self.n"), what it can do under
// dotted callees: nothing else of the generator knows of objects. A class is written once, its
// methods over `self`; each object adds its names. Modules make their state in a constructor
// without arguments, so that the text alone says what they are.
#include <algorithm>

#include "engine/front/spelling.h"
#include "engine/ir/literal.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

std::string behind_dot(const std::string& name) { return name.substr(name.find('.') + 1); }

}  // namespace

Type Source::draw_field() {
  if (tensors_ && choices_.chance(0.5)) return builder_->fresh_input(true)->type();
  return draw_state();
}

// class C: of some fields
void Source::plain_class(const std::string& name) {
  start_function();
  Class c{name, {}, {}};
  if (data_) line("@dataclass");
  line("class " + name + ":");
  ++indent_;
  for (int64_t n = choices_.between(1, 3); n > 0; --n)
    c.fields.push_back({"self." + fresh("a"), draw_field()});
  if (data_) data_fields(c);
  else constructor(c);
  --indent_;
  if (choices_.chance(0.3)) static_method(c);
  methods_of(c, static_cast<int>(choices_.between(1, 2)));
  classes_.push_back(std::move(c));
}

// Takes the fields.
void Source::constructor(const Class& c) {
  std::string list;
  for (const Var& v : c.fields) list += ", " + behind_dot(v.name) + ": " + annotation(v.type);
  line("def __init__(self" + list + "):");
  ++indent_;
  for (const Var& v : c.fields) line(v.name + " = " + behind_dot(v.name));
  --indent_;
}

// What @dataclass makes a constructor of.
void Source::data_fields(const Class& c) {
  bool defaults = false;
  for (const Var& v : c.fields) {
    defaults = has_plain_literal(v.type) && &v == &c.fields.back() && choices_.chance(0.4);
    line(behind_dot(v.name) + ": " + annotation(v.type) +
         (defaults ? " = " + default_text(v.type) : ""));
  }
}

// A function of the class, known by the class's name and by each object's.
void Source::static_method(Class& c) {
  ++indent_;
  line("@staticmethod");
  std::string name = fresh("s");
  function(name, Place::Helper);
  --indent_;
  c.methods.push_back(callees_.back());
  c.methods.back().name = "self." + name;
  callees_.back().name = c.name + "." + name;
}

// Two objects of the class of data.
Text Source::asked_of_objects() {
  if (!data_ || classes_.empty()) return {""};
  const std::vector<Var>& fields = classes_[0].fields;
  if (std::any_of(fields.begin(), fields.end(),
                  [](const Var& v) { return is_wide(v.type) || may_hold_nan(v.type); }))
    return {""};
  std::string end = "." + behind_dot(fields[0].name);
  std::vector<std::string> objects;
  for (const Var& v : vars_) {
    if (v.name.ends_with(end)) objects.push_back(v.name.substr(0, v.name.size() - end.size()));
  }
  if (objects.size() < 2) return {""};
  std::string one = choices_.pick(objects);
  return {one + (choices_.chance(0.6) ? " == " : " != ") + choices_.pick(objects), kCompare};
}

void Source::methods_of(Class& c, int count) {
  ++indent_;
  fields_ = c.fields;
  size_t before = callees_.size();
  for (; count > 0; --count) function(fresh("m"), Place::Method);
  c.methods.insert(c.methods.end(), callees_.begin() + static_cast<long>(before), callees_.end());
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
  if (info.dtype == DType::Bool || choices_.chance(0.3))
    return tensor_literal(Type::tensor(info)).s;
  return fmt::format("torch.arange({}, dtype={}).reshape({})", numel_of(info.sizes), dtype, sizes);
}

// One attribute of a module: a parameter, a buffer, a number or list, a layer of torch.nn, another
// module. `place`: behind the class's head.
void Source::module_field(Class& c, const std::vector<Class>& parts, size_t place) {
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
    bool hidden = !interface_.empty() && choices_.chance(0.6);
    if (hidden) out_.insert(place, "    " + name + ": " + interface_ + "\n");
    forward.name = "self." + name + (hidden ? ".forward" : "");
    callees_.push_back(std::move(forward));
  } else if (kind >= 5 && kind < 8) {
    layer_field(c);
  } else {
    Type type = draw_state();
    line("self." + name + ": " + annotation(type) + " = " + literal(type).s);
    c.fields.push_back({"self." + name, type});
  }
}

// What a part can do, without saying which part it is.
void Source::interface_class(const std::string& name) {
  const Callee& f = parts_.back().methods.back();
  std::string list = "self";
  for (const Argument& a : f.arguments) {
    if (a.has_default) return;
    list += ", " + a.name + ": " + annotation(a.type);
  }
  line("@torch.jit.interface");
  line("class " + name + "(nn.Module):");
  ++indent_;
  line("def forward(" + list + ") -> " + annotation(f.result) + ":");
  ++indent_;
  line("pass");
  indent_ -= 2;
  interface_ = name;
}

// The last one is the program; those before it are parts of it.
void Source::module_class(const std::string& name, bool last) {
  start_function();
  Class c{name, {}, {}};
  size_t outside = callees_.size();
  line("class " + name + "(nn.Module):");
  size_t place = out_.size();
  ++indent_;
  line("def __init__(self):");
  ++indent_;
  line("super().__init__()");
  const std::vector<Class> parts = parts_;
  for (int64_t n = choices_.between(1, last ? 5 : 2); n > 0; --n) module_field(c, parts, place);
  --indent_;
  if (choices_.chance(0.5)) c.fields.push_back({"self.training", TypeKind::Bool, true});
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
