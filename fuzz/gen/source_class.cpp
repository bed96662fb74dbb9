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
#include "fuzz/gen/way.h"

namespace fusillade::fuzz::source {
namespace {

std::string behind_dot(const std::string& name) { return name.substr(name.find('.') + 1); }

Type draw_field(Writer& w) {
  if (w.tensors && w.choices.chance(0.5)) return fresh_input(*w.graph, true)->type();
  return draw_state(w);
}

// Takes the fields.
void constructor(Writer& w, const Class& c) {
  std::string list;
  for (const Var& v : c.fields) list += ", " + behind_dot(v.name) + ": " + annotation(v.type);
  line(w, "def __init__(self" + list + "):");
  ++w.indent;
  for (const Var& v : c.fields) line(w, v.name + " = " + behind_dot(v.name));
  --w.indent;
}

// What @dataclass makes a constructor of.
void data_fields(Writer& w, const Class& c) {
  bool defaults = false;
  for (const Var& v : c.fields) {
    defaults = has_plain_literal(v.type) && &v == &c.fields.back() && w.choices.chance(0.4);
    line(w, behind_dot(v.name) + ": " + annotation(v.type) +
                (defaults ? " = " + default_text(w, v.type) : ""));
  }
}

// A function of the class, known by the class's name and by each object's.
void static_method(Writer& w, Class& c) {
  ++w.indent;
  line(w, "@staticmethod");
  std::string name = fresh(w, "s");
  function(w, name, Place::Helper);
  --w.indent;
  c.methods.push_back(w.callees.back());
  c.methods.back().name = "self." + name;
  w.callees.back().name = c.name + "." + name;
}

void methods_of(Writer& w, Class& c, int count) {
  ++w.indent;
  w.fields = c.fields;
  size_t before = w.callees.size();
  for (; count > 0; --count) function(w, fresh(w, "m"), Place::Method);
  c.methods.insert(c.methods.end(), w.callees.begin() + static_cast<long>(before), w.callees.end());
  w.callees.erase(w.callees.begin() + static_cast<long>(before), w.callees.end());
  w.fields.clear();
  --w.indent;
}

void name_object(Writer& w, const Class& c, const std::string& name) {
  for (Var field : c.fields) {
    field.name = name + "." + behind_dot(field.name);
    w.vars.push_back(field);
  }
  for (Callee method : c.methods) {
    method.name = name + "." + behind_dot(method.name);
    w.callees.push_back(std::move(method));
  }
}

// A tensor of a constructor.
std::string state_text(Writer& w, const TensorInfo& info) {
  std::string sizes = print_literal(IValue::int_list(info.sizes));
  std::string dtype = front::dtype_constant(info.dtype);
  if (info.dtype == DType::Bool || w.choices.chance(0.3))
    return tensor_literal(Type::tensor(info)).s;
  return fmt::format("torch.arange({}, dtype={}).reshape({})", numel_of(info.sizes), dtype, sizes);
}

// Attributes of a module. `place`: behind the class's head.
void tensor_field(Writer& w, Class& c, const std::vector<Class>&, size_t) {
  std::string name = fresh(w, "a");
  Type type = fresh_input(*w.graph, true)->type();
  bool parameter = is_float(type.info().dtype) && w.choices.chance(0.5);
  std::string state = state_text(w, type.info());
  line(w, parameter ? "self." + name + " = nn.Parameter(" + state + ")"
                    : "self.register_buffer(\"" + name + "\", " + state + ")");
  c.fields.push_back({"self." + name, type, parameter});
}

// A number or a list.
void value_field(Writer& w, Class& c, const std::vector<Class>&, size_t) {
  std::string name = fresh(w, "a");
  Type type = draw_state(w);
  line(w, "self." + name + ": " + annotation(type) + " = " + literal(w, type).s);
  c.fields.push_back({"self." + name, type});
}

// Another module.
void part_field(Writer& w, Class& c, const std::vector<Class>& parts, size_t place) {
  if (parts.empty()) return value_field(w, c, parts, place);
  std::string name = fresh(w, "a");
  const Class& part = w.choices.pick(parts);
  line(w, "self." + name + " = " + part.name + "()");
  Callee forward = part.methods.back();
  bool hidden = !w.interface.empty() && w.choices.chance(0.6);
  if (hidden) w.out.insert(place, "    " + name + ": " + w.interface + "\n");
  forward.name = "self." + name + (hidden ? ".forward" : "");
  w.callees.push_back(std::move(forward));
}

void module_field(Writer& w, Class& c, const std::vector<Class>& parts, size_t place) {
  static constexpr Way<void (*)(Writer&, Class&, const std::vector<Class>&, size_t)> kWays[] = {
      {4, &tensor_field},
      {1, &part_field},
      {3, [](Writer& w, Class& c, const std::vector<Class>&, size_t) { layer_field(w, c); }},
      {2, &value_field}};
  draw_way(w.choices, kWays)(w, c, parts, place);
}

}  // namespace

// class C: of some fields
void plain_class(Writer& w, const std::string& name) {
  start_function(w);
  Class c{name, {}, {}};
  if (w.data) line(w, "@dataclass");
  line(w, "class " + name + ":");
  ++w.indent;
  // Objects are compared where they hold no float, which may be NaN.
  const bool compared = w.data && w.choices.chance(0.7);
  for (int64_t n = w.choices.between(1, 3); n > 0; --n) {
    Type field = draw_field(w);
    if (compared && (is_wide(field) || may_hold_nan(field))) field = TypeKind::Int;
    c.fields.push_back({"self." + fresh(w, "a"), field});
  }
  if (w.data) data_fields(w, c);
  else constructor(w, c);
  --w.indent;
  if (w.choices.chance(0.3)) static_method(w, c);
  methods_of(w, c, static_cast<int>(w.choices.between(1, 2)));
  w.classes.push_back(std::move(c));
}

std::vector<std::string> comparable_objects(const Writer& w) {
  std::vector<std::string> objects;
  if (!w.data || w.classes.empty()) return objects;
  const std::vector<Var>& fields = w.classes[0].fields;
  const bool odd = std::any_of(fields.begin(), fields.end(), [](const Var& v) {
    return is_wide(v.type) || may_hold_nan(v.type);
  });
  if (odd) return objects;
  const std::string end = "." + behind_dot(fields[0].name);
  for (const Var& v : w.vars)
    if (v.name.ends_with(end)) objects.push_back(v.name.substr(0, v.name.size() - end.size()));
  return objects;
}

// o3 = C0(x, 1), or another name for an object.
void make_object(Writer& w) {
  if (w.classes.empty()) return define(w);
  const Class& c = w.choices.pick(w.classes);
  std::string args;
  for (const Var& field : c.fields) {
    args +=
        (args.empty() ? "" : ", ") + limit_growth(w, field.type, expression(w, field.type, 1)).s;
  }
  std::string name = fresh(w, "o");
  line(w, name + " = " + c.name + "(" + args + ")");
  name_object(w, c, name);
  if (!w.choices.chance(0.2)) return;
  std::string other = fresh(w, "o");
  line(w, other + " = " + name);
  name_object(w, c, other);
}

namespace {

// v = o1 == o2
End compare_objects(Writer& w, int) {
  make_object(w);
  if (comparable_objects(w).size() < 2) make_object(w);
  const std::vector<std::string> objects = comparable_objects(w);
  if (objects.size() < 2) return End::Falls;
  const std::string name = fresh(w, "v");
  const std::string one = w.choices.pick(objects);
  line(w, name + " = " + one + " == " + w.choices.pick(objects));
  w.vars.push_back({name, TypeKind::Bool});
  return End::Falls;
}

[[maybe_unused]] const bool kObjects = add_productions(
    Grammar::Statement, 28,
    {{"script.compare_objects", "two objects of a class of data, and whether they are equal", 0.3,
      compare_objects, kAnyDepth, kAskedFirst,
      [](const Writer& w) { return w.data && !w.classes.empty(); }}});

}  // namespace

// What a part can do, without saying which part it is.
void interface_class(Writer& w, const std::string& name) {
  const Callee& f = w.parts.back().methods.back();
  std::string list = "self";
  for (const Argument& a : f.arguments) {
    if (a.has_default) return;
    list += ", " + a.name + ": " + annotation(a.type);
  }
  line(w, "@torch.jit.interface");
  line(w, "class " + name + "(nn.Module):");
  ++w.indent;
  line(w, "def forward(" + list + ") -> " + annotation(f.result) + ":");
  ++w.indent;
  line(w, "pass");
  w.indent -= 2;
  w.interface = name;
}

// The last one is the program; those before it are parts of it.
void module_class(Writer& w, const std::string& name, bool last) {
  start_function(w);
  Class c{name, {}, {}};
  size_t outside = w.callees.size();
  line(w, "class " + name + "(nn.Module):");
  size_t place = w.out.size();
  ++w.indent;
  line(w, "def __init__(self):");
  ++w.indent;
  line(w, "super().__init__()");
  const std::vector<Class> parts = w.parts;
  for (int64_t n = w.choices.between(1, last ? 5 : 2); n > 0; --n) module_field(w, c, parts, place);
  --w.indent;
  if (w.choices.chance(0.5)) c.fields.push_back({"self.training", TypeKind::Bool, true});
  w.fields = c.fields;
  w.layers = c.layers;
  const std::vector<Type> wanted = std::move(w.wanted);
  w.wanted.clear();
  if (last && w.choices.chance(0.4)) function(w, fresh(w, "m"), Place::Method);
  w.wanted = wanted;
  function(w, "forward", last ? Place::Forward : Place::Method);
  c.methods = {w.callees.back()};
  w.callees.erase(w.callees.begin() + static_cast<long>(outside), w.callees.end());
  w.fields.clear();
  w.layers.clear();
  w.wanted.clear();
  --w.indent;
  w.parts.push_back(std::move(c));
}

}  // namespace fusillade::fuzz::source
