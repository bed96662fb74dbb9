// See gradient.h.
#include "engine/front/gradient.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "engine/front/script.h"
#include "engine/ir/composite.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/gradient.h"

namespace fusillade::front {
namespace {

// "result" and "grad" of an operator with one result, else "result0", "result1", ...
std::string indexed_name(const char* word, size_t i, size_t count) {
  return count == 1 ? word : fmt::format("{}{}", word, i);
}

std::string function_text(const Operator& op, const Gradient::Formula& f, const Type& of) {
  const Schema& schema = op.schema;
  std::string params;
  for (const SchemaArg& a : schema.args)
    params += fmt::format("{}: {}, ", a.name, annotation_text(a.type));
  for (const char* word : {"result", "grad"})
    for (size_t i = 0; i < schema.results.size(); ++i)
      params += fmt::format("{}: {}, ", indexed_name(word, i, schema.results.size()),
                            annotation_text(schema.results[i].type));
  params.resize(params.size() - 2);
  const Type& plain = of.is(TypeKind::Optional) ? of.element() : of;
  return fmt::format(
      "import torch\nfrom typing import List, Optional, Tuple\nfrom torch import Tensor, device as "
      "Device\n\n\ndef gradient({}) -> {}:\n{}",
      params, plain.is_tensor() ? "Tensor" : "List[Tensor]", f.body);
}

int argument_index(const Schema& schema, const std::string& arg) {
  auto is_it = [&](const SchemaArg& a) { return a.name == arg; };
  return static_cast<int>(std::ranges::find_if(schema.args, is_it) - schema.args.begin());
}

GradientFormulas compile_formulas(const Operator& op, const Gradient& g) {
  GradientFormulas out;
  for (const Gradient::Formula& f : g.formulas) {
    const int arg = argument_index(op.schema, f.arg);
    const Type& type = op.schema.args[static_cast<size_t>(arg)].type;
    const std::string name = fmt::format("gradient of {} by {}", op.name, f.arg);
    Script script = compile_script(function_text(op, f, type), name);
    FUS_CHECK(script.failed.empty(), "{}: the {} is no script:\n{}", g.place, name,
              script.errors());
    GradientFormula formula{.arg = arg, .graph = script.functions.at(0)};
    for (const Value* input : formula.graph->inputs()) formula.reads.push_back(reads_of(input));
    out.push_back(std::move(formula));
  }
  return out;
}

bool tests_none(const Operator& of) {
  static const Operator& is = operator_named("aten::__is__");
  static const Operator& isnot = operator_named("aten::__isnot__");
  return &of == &is || &of == &isnot;
}

bool hands_on(const Operator& of) {
  static const Operator& cast = operator_named("prim::unchecked_cast");
  return &of == &cast;
}

Reads read_by(const Node* user, int index);

Reads reads_of_all(const Value* v, Reads so_far = Reads::Nothing) {
  for (const Use& use : v->uses()) so_far = std::max(so_far, read_by(use.user, use.index));
  return so_far;
}

Reads read_by(const Node* user, int index) {
  const Operator& op = user->op();
  if (op.metadata || op.kind == OpKind::Create || tests_none(op)) return Reads::Layout;
  if (hands_on(op)) return reads_of_all(user->output());
  if (is_composite(op)) return reads_of(composite_body(op).inputs()[static_cast<size_t>(index)]);
  return Reads::Elements;
}

}  // namespace

Reads reads_of(const Value* input) { return reads_of_all(input); }

const GradientFormulas* gradient_formulas(const Operator& op) {
  static std::recursive_mutex mutex;  // compiling a formula may ask for another
  static auto* cache = new std::unordered_map<const Gradient*, GradientFormulas>;
  const Gradient* g = gradient_of(op);
  if (!g) return nullptr;
  std::lock_guard lock(mutex);
  auto known = cache->find(g);
  if (known == cache->end())
    known = cache->emplace(g, compile_formulas(fusillade::operator_named(g->name), *g)).first;
  return &known->second;
}

}  // namespace fusillade::front
