// Functions of generated scripts; the last one is the program.
#include "fuzz/gen/source.h"

#include <algorithm>

namespace fusillade::fuzz {

void Source::line(const std::string& text) {
  out_.append(static_cast<size_t>(indent_) * 4, ' ');
  out_ += text + "\n";
}

void Source::return_statement() {
  if (result_.is(TypeKind::None)) return line("return");
  const std::string waited = waited_for();
  if (waited.empty()) return line("return " + bounded(result_, expression(result_, 1)).s);
  std::string items = waited;  // what a task gave shows
  for (size_t i = 1; i < result_.elements().size(); ++i)
    items += ", " + bounded(result_.elements()[i], expression(result_.elements()[i], 1)).s;
  line("return (" + items + ")");
}

// A tensor that a task gave, where the program's first result is any tensor; else empty.
std::string Source::waited_for() {
  const Type any = TypeKind::Tensor;
  if (waited_.empty() || !result_.is(TypeKind::Tuple) || !(result_.elements()[0] == any)) return "";
  std::vector<std::string> known;
  for (const Var& v : vars_)
    if (v.type.is_tensor() && std::ranges::count(waited_, v.name) > 0) known.push_back(v.name);
  return known.empty() ? "" : choices_.pick(known);
}

// A default is a plain literal.
std::string Source::default_text(const Type& type) {
  std::string value = literal(type).s;
  return value == "math.pi" || value.starts_with("float(") ? "3.0" : value;
}

// Of main they all are written when its body is known: rows may ask for more.
std::string Source::parameters(Callee& f, bool entry) {
  std::string list;
  bool defaults = false;
  for (int64_t n = tensors_ ? choices_.between(1, entry ? 3 : 2) : 0; n > 0; --n) {
    Value* v = builder_->fresh_input(!entry);
    declare_inputs();
    f.arguments.push_back({v->name(), v->type(), false});
    if (!entry) list += (list.empty() ? "" : ", ") + v->name() + ": Tensor";
  }
  for (const Type& type : wanted_) {
    f.arguments.push_back({fresh(entry ? "x" : "p"), type, false});
    const std::string& name = f.arguments.back().name;
    if (!entry) list += ", " + name + ": Tensor";
    parameters_.emplace_back(name, type);
    vars_.push_back({name, type});
  }
  if (!entry) builder_->close();
  use_added();
  for (int64_t n = tensors_ ? choices_.between(0, 2) : choices_.between(1, 3); n > 0; --n) {
    Argument a{fresh(entry ? "x" : "p"), entry ? draw_parameter() : draw_type(0), false};
    std::string text = a.name + ": " + annotation(a.type);
    if (!entry && has_plain_literal(a.type) && (defaults || choices_.chance(0.2))) {
      text += " = " + default_text(a.type);
      defaults = a.has_default = true;
    } else if (defaults) {
      continue;  // a parameter with a default is followed by none without
    }
    list += (list.empty() ? "" : ", ") + text;
    parameters_.emplace_back(a.name, a.type);
    // An annotated parameter takes its first value's type, so one of several types stays as it
    // came.
    vars_.push_back({a.name, a.type, is_wide(a.type)});
    f.arguments.push_back(a);
  }
  return list;
}

Type Source::draw_result(bool entry) {
  const std::vector<const Var*> tensors = tensor_vars();
  if (pure_ && !tensors.empty() && choices_.chance(0.7)) return choices_.pick(tensors)->type;
  if (!entry && !records_.empty() && choices_.chance(0.4)) return choices_.pick(records_);
  if (!entry) return choices_.chance(0.8) ? draw_type(0) : Type(TypeKind::None);
  std::vector<Type> results;
  for (uint64_t n = 2 + choices_.below(3); results.size() < n;) {
    const bool first = policy_.tasks > 0 && results.empty();
    bool any = first || (tensors_ && choices_.chance(0.6));
    results.push_back(any                    ? Type(TypeKind::Tensor)
                      : choices_.chance(0.1) ? draw_parameter()
                                             : draw_plain(1));
  }
  return Type::tuple(results);
}

void Source::start_function() {
  values_.clear();
  value_names_.clear();
  parameters_.clear();
  narrowed_.clear();
  waited_.clear();
  vars_ = fields_;
  builder_ = std::make_unique<Builder>(choices_, policy_, 0);
  if (tensors_ && !base_) base_ = builder_->base();
  if (base_) builder_->relate_to(*base_);
  cost_ = 0;
  outer_ = indent_;
}

void Source::function(const std::string& name, Place place) {
  start_function();
  bool entry = place == Place::Main || place == Place::Forward;
  bool method = place == Place::Method || place == Place::Forward;
  Callee f{(method ? "self." : "") + name, {}, {}, 0};
  size_t head = out_.size();
  size_t callees = callees_.size();
  pure_ = place == Place::Helper && policy_.tasks > 0 && choices_.chance(0.9);
  frozen_ += pure_;
  std::string list = parameters(f, entry);
  result_ = draw_result(entry);
  ++indent_;
  block(static_cast<int>(entry ? choices_.between(3, 7) : choices_.between(1, 4)), 0);
  return_statement();
  frozen_ -= pure_;
  pure_ = false;
  --indent_;
  if (entry) {
    list.clear();
    for (const auto& [input, type] : parameters_)
      list += (list.empty() ? "" : ", ") + input + ": " + annotation(type);
  }
  if (method) list = list.empty() ? "self" : "self, " + list;
  // Where every way that the types leave open may raise, the result's type is not to be seen.
  bool raises = out_.find("raise ", head) != std::string::npos ||
                out_.find("assert ", head) != std::string::npos;
  bool annotated = raises || is_wide(result_) || choices_.chance(0.6);
  out_.insert(head, std::string(static_cast<size_t>(indent_) * 4, ' ') + "def " + name + "(" +
                        list + ")" + (annotated ? " -> " + annotation(result_) : "") + ":\n");
  f.result = result_;
  f.cost = cost_ + 1;
  callees_.erase(callees_.begin() + static_cast<long>(callees), callees_.end());
  callees_.push_back(std::move(f));
}

GeneratedScript generate_script(Choices& choices, const std::string& name) {
  return Source(choices, policy(name)).build();
}

GeneratedScript Source::build() {
  bool enums = choices_.chance(0.15), tuples = choices_.chance(0.15),
       managers = choices_.chance(0.15);
  data_ = choices_.chance(0.08);
  line("import math");
  if (data_) line("from dataclasses import dataclass");
  if (enums) line("from enum import Enum");
  line("from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union");
  if (tensors_) {
    line("import torch");
    line("from torch import Tensor, nn");
  }
  if (enums) enumeration("E");
  if (tuples) named_tuple("T");
  if (managers) manager_class("W");
  if (choices_.chance(0.2)) question_function();
  const uint64_t helpers = choices_.below(3) + (policy_.tasks > 0 ? 1 : 0);
  for (uint64_t i = 0; i < helpers; ++i) function(fmt::format("f{}", i), Place::Helper);
  if (!callees_.empty() && callees_.back().name[0] == 'f' && choices_.chance(0.1)) {
    Callee other = callees_.back();
    line("alias = " + other.name);
    other.name = "alias";
    callees_.push_back(std::move(other));
  }
  if (choices_.chance(0.3)) plain_class("C");
  if (tensors_ && choices_.chance(0.35)) {
    if (choices_.chance(0.5)) {
      module_class("Part", false);
      if (choices_.chance(0.3)) interface_class("Step");
    }
    module_class("Net", true);
  } else {
    function("main", Place::Main);
  }
  return {std::move(out_), std::move(parameters_)};
}

}  // namespace fusillade::fuzz
