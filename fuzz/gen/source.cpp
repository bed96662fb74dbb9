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

void Source::parameters(Callee& f, bool entry) {
  std::string list;
  bool defaults = false;
  for (int64_t n = choices_.between(1, 3); n > 0; --n) {
    Argument a{fresh(entry ? "x" : "p"), draw_type(0), false};
    std::string text = a.name + ": " + annotation(a.type);
    bool literal_default = !entry && !a.type.is(TypeKind::List) && !a.type.is(TypeKind::Tuple);
    if (literal_default && (defaults || choices_.chance(0.2))) {
      text += " = " + literal(a.type).s;
      defaults = a.has_default = true;
    } else if (defaults) {
      continue;  // a parameter with a default is followed by none without
    }
    list += (list.empty() ? "" : ", ") + text;
    vars_.push_back({a.name, a.type, false, 0});
    f.arguments.push_back(a);
  }
  annotated_ = result_.is(TypeKind::Optional) || choices_.chance(0.7);
  if (result_.is(TypeKind::None)) annotated_ = choices_.chance(0.5);
  line("def " + f.name + "(" + list + ")" + (annotated_ ? " -> " + annotation(result_) : "") + ":");
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
  parameters(f, entry);
  ++indent_;
  block(static_cast<int>(entry ? choices_.between(3, 7) : choices_.between(1, 4)), 0);
  return_statement();
  --indent_;
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
