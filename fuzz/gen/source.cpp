// Functions of generated scripts; the last one is the program.
#include "fuzz/gen/source.h"

#include <algorithm>

namespace fusillade::fuzz {
namespace source {
namespace {

// A tensor that a task gave, where the program's first result is any tensor; else empty.
std::string waited_for(Writer& w) {
  const Type any = TypeKind::Tensor;
  if (w.waited.empty() || !w.result.is(TypeKind::Tuple) || !(w.result.elements()[0] == any))
    return "";
  std::vector<std::string> known;
  for (const Var& v : w.vars)
    if (v.type.is_tensor() && std::ranges::count(w.waited, v.name) > 0) known.push_back(v.name);
  return known.empty() ? "" : w.choices.pick(known);
}

// Of main they all are written when its body is known: operators may ask for more.
std::string parameters(Writer& w, Callee& f, bool entry) {
  std::string list;
  bool defaults = false;
  for (int64_t n = w.tensors ? w.choices.between(1, entry ? 3 : 2) : 0; n > 0; --n) {
    Value* v = fresh_input(*w.graph, !entry);
    declare_inputs(w);
    f.arguments.push_back({v->name(), v->type(), false});
    if (!entry) list += (list.empty() ? "" : ", ") + v->name() + ": Tensor";
  }
  for (const Type& type : w.wanted) {
    f.arguments.push_back({fresh(w, entry ? "x" : "p"), type, false});
    const std::string& name = f.arguments.back().name;
    if (!entry) list += ", " + name + ": Tensor";
    w.parameters.emplace_back(name, type);
    w.vars.push_back({name, type});
  }
  if (!entry) w.graph->closed = true;
  use_added(w);
  for (int64_t n = w.tensors ? w.choices.between(0, 2) : w.choices.between(1, 3); n > 0; --n) {
    Argument a{fresh(w, entry ? "x" : "p"), entry ? draw_parameter(w) : draw_type(w, 0), false};
    std::string text = a.name + ": " + annotation(a.type);
    if (!entry && has_plain_literal(a.type) && (defaults || w.choices.chance(0.2))) {
      text += " = " + default_text(w, a.type);
      defaults = a.has_default = true;
    } else if (defaults) {
      continue;  // a parameter with a default is followed by none without
    }
    list += (list.empty() ? "" : ", ") + text;
    w.parameters.emplace_back(a.name, a.type);
    // An annotated parameter takes its first value's type, so one of several types stays as it
    // came.
    w.vars.push_back({a.name, a.type, is_wide(a.type)});
    f.arguments.push_back(a);
  }
  return list;
}

Type draw_result(Writer& w, bool entry) {
  const std::vector<const Var*> tensors = tensor_vars(w);
  if (w.pure && !tensors.empty() && w.choices.chance(0.7)) return w.choices.pick(tensors)->type;
  if (!entry && !w.records.empty() && w.choices.chance(0.4)) return w.choices.pick(w.records);
  if (!entry) return w.choices.chance(0.8) ? draw_type(w, 0) : Type(TypeKind::None);
  std::vector<Type> results;
  for (uint64_t n = 2 + w.choices.below(3); results.size() < n;) {
    const bool first = w.policy.tasks && results.empty();
    bool any = first || (w.tensors && w.choices.chance(0.6));
    results.push_back(any                     ? Type(TypeKind::Tensor)
                      : w.choices.chance(0.1) ? draw_parameter(w)
                                              : draw_plain(w, 1));
  }
  return Type::tuple(results);
}

}  // namespace

std::string fresh(Writer& w, const char* prefix) { return prefix + std::to_string(w.names++); }

void line(Writer& w, const std::string& text) {
  w.out.append(static_cast<size_t>(w.indent) * 4, ' ');
  w.out += text + "\n";
}

void return_statement(Writer& w) {
  if (w.result.is(TypeKind::None)) return line(w, "return");
  const std::string waited = waited_for(w);
  if (waited.empty())
    return line(w, "return " + limit_growth(w, w.result, expression(w, w.result, 1)).s);
  std::string items = waited;  // what a task gave shows
  for (size_t i = 1; i < w.result.elements().size(); ++i)
    items +=
        ", " + limit_growth(w, w.result.elements()[i], expression(w, w.result.elements()[i], 1)).s;
  line(w, "return (" + items + ")");
}

// A default is a plain literal.
std::string default_text(Writer& w, const Type& type) {
  std::string value = literal(w, type).s;
  return value == "math.pi" || value.starts_with("float(") ? "3.0" : value;
}

void start_function(Writer& w) {
  w.values.clear();
  w.value_names.clear();
  w.parameters.clear();
  w.narrowed.clear();
  w.waited.clear();
  w.vars = w.fields;
  w.graph = std::make_unique<GraphState>(w.choices, w.policy, 0);
  if (w.tensors && !w.base) w.base = base_sizes(*w.graph);
  if (w.base) w.graph->base = *w.base;
  w.cost = 0;
  w.outer = w.indent;
}

void function(Writer& w, const std::string& name, Place place) {
  start_function(w);
  bool entry = place == Place::Main || place == Place::Forward;
  bool method = place == Place::Method || place == Place::Forward;
  Callee f{(method ? "self." : "") + name, {}, {}, 0};
  size_t head = w.out.size();
  size_t callees = w.callees.size();
  w.pure = place == Place::Helper && w.policy.tasks && w.choices.chance(0.9);
  w.frozen += w.pure;
  std::string list = parameters(w, f, entry);
  w.result = draw_result(w, entry);
  ++w.indent;
  block(w, static_cast<int>(entry ? w.choices.between(3, 7) : w.choices.between(1, 4)), 0);
  return_statement(w);
  f.pure = w.pure;
  w.frozen -= w.pure;
  w.pure = false;
  --w.indent;
  if (entry) {
    list.clear();
    for (const auto& [input, type] : w.parameters)
      list += (list.empty() ? "" : ", ") + input + ": " + annotation(type);
  }
  if (method) list = list.empty() ? "self" : "self, " + list;
  // Where every way that the types leave open may raise, the result's type is not to be seen.
  bool raises = w.out.find("raise ", head) != std::string::npos ||
                w.out.find("assert ", head) != std::string::npos;
  bool annotated = raises || is_wide(w.result) || w.choices.chance(0.6);
  w.out.insert(head, std::string(static_cast<size_t>(w.indent) * 4, ' ') + "def " + name + "(" +
                         list + ")" + (annotated ? " -> " + annotation(w.result) : "") + ":\n");
  f.result = w.result;
  f.cost = w.cost + 1;
  w.callees.erase(w.callees.begin() + static_cast<long>(callees), w.callees.end());
  w.callees.push_back(std::move(f));
}

GeneratedScript write_script(Writer& w) {
  bool enums = w.choices.chance(0.15), tuples = w.choices.chance(0.15),
       managers = w.choices.chance(0.15);
  w.data = w.choices.chance(0.12);
  line(w, "import math");
  if (w.data) line(w, "from dataclasses import dataclass");
  if (enums) line(w, "from enum import Enum");
  line(w, "from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union");
  if (w.tensors) {
    line(w, "import torch");
    line(w, "from torch import Tensor, nn");
  }
  if (enums) enumeration(w, "E");
  if (tuples) named_tuple(w, "T");
  if (managers) manager_class(w, "W");
  if (w.choices.chance(0.2)) question_function(w);
  const uint64_t helpers = w.choices.below(3) + (w.policy.tasks ? 1 : 0);
  for (uint64_t i = 0; i < helpers; ++i) function(w, fmt::format("f{}", i), Place::Helper);
  if (!w.callees.empty() && w.callees.back().name[0] == 'f' && w.choices.chance(0.1)) {
    Callee other = w.callees.back();
    line(w, "alias = " + other.name);
    other.name = "alias";
    w.callees.push_back(std::move(other));
  }
  if (w.data || w.choices.chance(0.3)) plain_class(w, "C");
  if (w.tensors && w.choices.chance(0.35)) {
    if (w.choices.chance(0.5)) {
      module_class(w, "Part", false);
      if (w.choices.chance(0.3)) interface_class(w, "Step");
    }
    module_class(w, "Net", true);
  } else {
    function(w, "main", Place::Main);
  }
  return {std::move(w.out), std::move(w.parameters)};
}

}  // namespace source

GeneratedScript generate_script(Choices& choices, const std::string& name) {
  source::Writer w(choices, policy(name));
  return source::write_script(w);
}

}  // namespace fusillade::fuzz
