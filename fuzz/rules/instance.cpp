// See instance.h.
#include "fuzz/rules/instance.h"

#include <fmt/format.h>

#include "fuzz/gen/near_miss.h"

namespace fusillade::fuzz {
namespace {

struct Choice {
  std::string name;
  Type type;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all = [] {
    std::vector<Choice> out;
    for (int i = 0; i < kNumDTypes; ++i) {
      auto dtype = static_cast<DType>(i);
      Type type = Type::tensor(dtype, {4});
      type.info().strides = {1};
      type.info().strides_known = true;
      type.info().device = Device();
      out.push_back({name_of(dtype), std::move(type)});
    }
    out.push_back({"int", TypeKind::Int});
    out.push_back({"float", TypeKind::Float});
    out.push_back({"bool", TypeKind::Bool});
    return out;
  }();
  return all;
}

// A literal int of a rule matches the float of its value, too.
bool with_floats(Pattern& pattern) {
  bool any = pattern.kind == Pattern::Kind::Literal && pattern.literal.is_int();
  if (any) pattern.literal = IValue(static_cast<double>(pattern.literal.as_int()));
  for (Pattern& arg : pattern.args) any |= with_floats(arg);
  return any;
}

// The claim is one of every size.
void forget_sizes(Value* v) {
  if (!v->type().is_tensor()) return;
  TensorInfo dtype_only;
  dtype_only.has_dtype = true;
  dtype_only.dtype = v->type().info().dtype;
  v->set_type(Type::tensor(dtype_only));
}

// Null: no claim.
std::unique_ptr<Graph> build_claim(const Rule& rule, const Pattern& written,
                                   const std::vector<std::string>& names,
                                   const std::vector<const Choice*>& types) {
  auto graph = std::make_unique<Graph>();
  Match variables;
  for (size_t i = 0; i < names.size(); ++i) {
    Value* input = graph->add_input(types[i]->type);
    input->set_name(names[i]);
    variables.bound.emplace_back(names[i], input);
  }
  Node* end = graph->constant(IValue())->node();
  variables.root = end;
  Value* left = build(written, variables);
  if (!left) return nullptr;
  Match m;
  m.root = left->node();
  if (!match(parse_pattern(rule.lhs), left, m) || (rule.guard && !rule.guard(m))) return nullptr;
  Value* right = build(parse_pattern(rule.rhs), m);
  if (!right || !same_known_type(left, right)) return nullptr;
  graph->add_output(left);
  graph->add_output(right);
  end->destroy();
  for (Value* input : graph->inputs()) forget_sizes(input);
  for (Node* n : graph->block()->nodes()) forget_sizes(n->output());
  verify(*graph);
  return graph;
}

void add_instances(const Rule& rule, const Pattern& written, const std::string& note,
                   std::vector<RuleInstance>& out) {
  const std::vector<std::string> names = variables_of(written);
  std::vector<size_t> at(names.size(), 0);
  for (;;) {
    std::vector<const Choice*> types;
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
      types.push_back(&choices()[at[i]]);
      text += fmt::format("{}{}: {}", i ? ", " : "", names[i], types.back()->name);
    }
    if (auto graph = build_claim(rule, written, names, types))
      out.push_back({text + note, std::move(graph)});
    size_t i = 0;
    while (i < at.size() && ++at[i] == choices().size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

}  // namespace

std::vector<RuleInstance> instances_of(const Rule& rule) {
  std::vector<RuleInstance> out;
  if (rule.flags & kSameMemory) return out;
  Pattern written = parse_pattern(rule.lhs);
  add_instances(rule, written, "", out);
  if (with_floats(written)) add_instances(rule, written, ", float literals", out);
  return out;
}

}  // namespace fusillade::fuzz
