// See composite.h.
#include "engine/ops/composite.h"

#include <unordered_map>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/draws.h"
#include "engine/ops/entry.h"

namespace fusillade {
namespace {

Operator operator_of(Schema schema, std::string_view family, const CompositeDef& def) {
  Operator r;
  r.schema = std::move(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Composite;
  r.family = family;
  r.infer = def.infer;
  r.draw = def.draw;
  r.generate = def.draw || !def.roles.empty();
  r.roles = def.roles;
  r.roles.resize(r.schema.args.size(), Role::Default);
  r.drawn_dtypes = def.drawn_dtypes;  // a drawn call gives no dtype
  return r;
}

// "def vdot(self: Tensor, other: Tensor) -> Tensor:"
std::string script_head(const Schema& schema) {
  std::string out;
  for (const SchemaArg& a : schema.args) {
    const char* keyword = a.name == "from" ? "_" : "";  // no name of a variable
    out += (out.empty() ? "" : ", ") + a.name + keyword + ": " + annotation_text(a.type);
  }
  std::string result;
  for (const SchemaArg& r : schema.results)
    result += (result.empty() ? "" : ", ") + annotation_text(r.type);
  if (schema.results.size() > 1) result = "Tuple[" + result + "]";
  return fmt::format("def {}({}) -> {}:\n", schema.name.substr(schema.name.find("::") + 2), out,
                     result);
}

void add_script(Operator r, std::string_view body) {
  r.body =
      "import torch\nfrom typing import List, Optional, Tuple\nfrom torch import "
      "Tensor, device as Device\n\n\n" +
      script_head(r.schema);
  r.body += body;
  OperatorTable::instance().add(std::move(r));
}

// aten::trunc_(Tensor(a!) self) -> Tensor(a!) of aten::trunc(Tensor self) -> Tensor
Schema in_place_schema(const std::string& schema_text) {
  Schema schema = parse_schema(schema_text);
  schema.name += "_";
  schema.args[0].alias = schema.results[0].alias = "a";
  schema.args[0].written = schema.results[0].written = true;
  return schema;
}

void add_in_place(const std::string& schema_text, std::string_view family) {
  const Schema schema = in_place_schema(schema_text);
  const size_t word = schema.name.find("::") + 2;
  std::string args;
  for (const SchemaArg& a : schema.args)
    args += fmt::format("{}{}={}", args.empty() ? "" : ", ", a.name, a.name);
  Operator r = operator_of(schema, family, {});
  r.in_place = true;
  add_script(
      std::move(r),
      fmt::format("    return torch.ops.prim.write_to(self, torch.{}({}), \"{}\")\n",
                  schema.name.substr(word, schema.name.size() - word - 1), args, schema.name));
}

InferFn& body_inference() {
  static InferFn fn = nullptr;
  return fn;
}

}  // namespace

void add_scripted(const Entry& entry, const CompositeDef& def) {
  Operator r = operator_of(parse_schema(entry.schema), entry.family(), def);
  if (const EntryLine* random = entry.line(LineKind::Random)) {
    r.nondeterministic = true;
    if (random->text.starts_with("if ")) add_draw_condition(r, random->text.substr(3));
  }
  if (entry.line(LineKind::Values)) r.roles[0] = Role::Indices;
  r.in_place = !def.draw && r.schema.name.back() == '_';
  add_script(std::move(r), entry.body);
  if (entry.line(LineKind::InPlace)) add_in_place(entry.schema, entry.family());
}

void add_composite(const CompositeDef& def) {
  static const auto* waiting = [] {
    auto* out = new std::unordered_map<std::string_view, const Entry*>;
    for (const Entry& e : entries())
      if (e.line(LineKind::Payload)) out->emplace(e.names[0], &e);
    return out;
  }();
  const auto entry = waiting->find(def.name);
  FUS_CHECK(entry != waiting->end(), "no entry '{}' has the line 'payload'", def.name);
  add_scripted(*entry->second, def);
}

std::string in_place_name(const std::string& schema) { return in_place_schema(schema).full_name(); }

void provide_body_inference(InferFn fn) { body_inference() = fn; }

void infer_by_body(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  FUS_CHECK(body_inference(), "nothing infers the body of {}", op.name);
  body_inference()(op, args, results);
}

bool infers_by_body(const Operator& op) { return op.infer == &infer_by_body; }

}  // namespace fusillade
