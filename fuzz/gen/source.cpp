// Functions of generated scripts; the last one is the program.
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
void Source::line(const std::string& text) {
  out_.append(static_cast<size_t>(indent_) * 4, ' ');
  out_ += text + "\n";
}

void Source::return_statement() {
  if (result_.is(TypeKind::None)) return line("return");
  line("return " + bounded(result_, expression(result_, 1)).s);
}

std::string Source::parameters(Callee& f, bool entry) {
  std::string list;
  bool defaults = false;
  for (int64_t n = choices_.between(1, 3); n > 0; --n) {
    Argument a{fresh(entry ? "x" : "p"), draw_type(0), false};
    std::string text = a.name + ": " + annotation(a.type);
    bool literal_default = !entry && !a.type.is(TypeKind::List) && !a.type.is(TypeKind::Tuple);
    if (literal_default && (defaults || choices_.chance(0.2))) {
      Text value = literal(a.type);
      text += " = " + (value.s == "math.pi" ? "3.0" : value.s);
      defaults = a.has_default = true;
    } else if (defaults) {
      continue;  // a parameter with a default is followed by none without
    }
    list += (list.empty() ? "" : ", ") + text;
    // An annotated parameter takes its first value's type, so an Optional one stays as it came.
    vars_.push_back({a.name, a.type, a.type.is(TypeKind::Optional), 0});
    f.arguments.push_back(a);
  }
  return list;
}

void Source::function(const std::string& name, bool entry) {
  vars_.clear();
  cost_ = 0;
  Callee f{name, {}, {}, 0};
  if (entry) {
    std::vector<Type> results;
    for (uint64_t n = 2 + choices_.below(3); results.size() < n;) results.push_back(draw_type(1));
    result_ = Type::tuple(results);
  } else {
    result_ = choices_.chance(0.8) ? draw_type(0) : Type(TypeKind::None);
  }
  size_t head = out_.size();
  std::string list = parameters(f, entry);
  ++indent_;
  block(static_cast<int>(entry ? choices_.between(3, 7) : choices_.between(1, 4)), 0);
  return_statement();
  --indent_;
  // Where every way that the types leave open may raise, the result's type is not to be seen.
  bool raises = out_.find("raise ", head) != std::string::npos;
  bool annotated = raises || result_.is(TypeKind::Optional) || choices_.chance(0.6);
  out_.insert(head, "def " + name + "(" + list + ")" + (annotated ? " -> " + annotation(result_) : "") + ":\n");
  f.result = result_;
  f.cost = cost_ + 1;
  callees_.push_back(std::move(f));
}

std::string generate_script(Choices& choices) { return Source(choices).build(); }

std::string Source::build() {
  line("import math");
  line("from typing import Dict, List, Optional, Tuple");
  for (uint64_t n = choices_.below(3), i = 0; i < n; ++i) function(fmt::format("f{}", i), false);
  function("main", true);
  return std::move(out_);
}

}  // namespace fusillade::fuzz
