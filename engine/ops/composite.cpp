// Composites: rows whose meaning is a body of other rows, in IR text or script. Executors run the
// body, fusers inline it.
#include "engine/ops/composite.h"

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/draws.h"
#include "engine/ops/entry.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;

// The head both share, up to the sum of exponentials, halves in float and rounded once; a body
// differs in the name for errors and in its end, from %e, %shifted and %total to %wide.
std::string softmax_body(const char* name, const char* end) {
  return fmt::format(R"(  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %given : Tensor = aten::to(%self, %dtype, %no, %no)
  %op : str = prim::Constant[value="{}"]()
  %floats : Tensor = prim::require_floating(%given, %op)
  %own : int = prim::dtype(%floats)
  %code : int = prim::wide_dtype(%floats)
  %x : Tensor = aten::to(%floats, %code, %no, %no, %none)
  %dims : int[] = prim::ListConstruct(%dim)
  %top : Tensor = prim::amax_or_least(%x, %dims, %yes)
  %shifted : Tensor = aten::sub(%x, %top, %one)
  %e : Tensor = aten::exp(%shifted)
  %total : Tensor = aten::sum(%e, %dims, %yes, %none)
{}  %result : Tensor = aten::to(%wide, %own, %no, %no, %none)
  return (%result)
)",
                     name, end);
}

// exp(x - max) / sum(exp(x - max))
constexpr const char* kSoftmaxEnd = R"(  %wide : Tensor = aten::div(%e, %total)
)";

// x - max - log(sum(exp(x - max)))
constexpr const char* kLogSoftmaxEnd = R"(  %log : Tensor = aten::log(%total)
  %wide : Tensor = aten::sub(%shifted, %log, %one)
)";

void infer_softmax(const Row& row, Args args, std::vector<Type>& results) {
  TensorInfo info = args[0].type.info();
  bool given = !args[2].type.is(TypeKind::None) && !(args[2].known && args[2].value.is_none());
  if (given) {
    info.has_dtype = args[2].known;
    if (args[2].known) info.dtype = dtype_from_aten(args[2].value.as_int());
  }
  if (info.has_dtype && !is_float(info.dtype)) {
    fail("{} is not defined for {}", row.schema.name, name_of(info.dtype));
  }
  if (info.rank_known && args[1].known) {
    wrap_dim(args[1].value.as_int(), info.sizes.rank());
  }
  // Layout is that of the body's element-wise rows, which depends on their operands.
  bool plain = info.complete() && is_contiguous(info.sizes, info.strides);
  if (plain) {
    results.push_back(Type::tensor(info.dtype, info.sizes));
    return;
  }
  info.strides_known = false;
  results.push_back(Type::tensor(info));
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add_composite(
      {.schema = "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
       .body = softmax_body("aten::softmax", kSoftmaxEnd),
       .roles = {Operand, Dim, Default},
       .infer = &infer_softmax});
  add_composite(
      {.schema = "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
       .body = softmax_body("aten::log_softmax", kLogSoftmaxEnd),
       .roles = {Operand, Dim, Default},
       .infer = &infer_softmax});
  return true;
}();

// "%self : Tensor, %dim : int"
std::string parameters(const Schema& schema) {
  std::string out;
  for (const SchemaArg& a : schema.args) {
    out += fmt::format("{}%{} : {}", out.empty() ? "" : ", ", a.name, a.type.text());
  }
  return out;
}

// The row without its body.
Row composite_row(const CompositeDef& def) {
  Row r;
  r.schema = parse_schema(def.schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Composite;
  r.family = def.family;
  r.infer = def.infer;
  r.draw = def.draw;
  r.generate = def.draw || !def.roles.empty();
  r.roles = def.roles;
  r.roles.resize(r.schema.args.size(), Role::Default);
  r.drawn_dtypes = def.drawn_dtypes;  // a drawn call gives no dtype
  r.nondeterministic = def.nondeterministic;
  if (!def.draws_if.empty()) add_draw_condition(r, def.draws_if);
  return r;
}

// "def vdot(self: Tensor, other: Tensor) -> Tensor:"
std::string script_head(const Schema& schema) {
  std::string out;
  for (const SchemaArg& a : schema.args)
    out += (out.empty() ? "" : ", ") + a.name + ": " + annotation_text(a.type);
  std::string result;
  for (const SchemaArg& r : schema.results)
    result += (result.empty() ? "" : ", ") + annotation_text(r.type);
  if (schema.results.size() > 1) result = "Tuple[" + result + "]";
  return fmt::format("def {}({}) -> {}:\n", schema.name.substr(schema.name.find("::") + 2), out,
                     result);
}

void add_script(const std::string& schema, std::string_view body, const Entry* entry,
                std::string_view family) {
  CompositeDef def{.schema = schema, .body = ""};
  if (const EntryLine* random = entry ? entry->line(LineKind::Random) : nullptr) {
    def.nondeterministic = true;
    if (random->text.starts_with("if ")) def.draws_if = random->text.substr(3);
  }
  Row r = composite_row(def);
  r.family = family;
  r.body =
      "import torch\nfrom typing import List, Optional, Tuple\nfrom torch import Tensor, device as "
      "Device\n\n\n" +
      script_head(r.schema);
  r.body += body;
  r.in_place = r.schema.name.back() == '_';
  if (entry && entry->line(LineKind::Values)) r.roles[0] = Role::Places;
  RowTable::instance().add(std::move(r));
}

// aten::trunc_(Tensor(a!) self) -> Tensor(a!) of aten::trunc(Tensor self) -> Tensor
Schema twin_schema(const std::string& schema_text) {
  Schema schema = parse_schema(schema_text);
  schema.name += "_";
  schema.args[0].alias = schema.results[0].alias = "a";
  schema.args[0].written = schema.results[0].written = true;
  return schema;
}

void add_twin(const std::string& schema_text, std::string_view family) {
  const Schema schema = twin_schema(schema_text);
  const size_t word = schema.name.find("::") + 2;
  std::string args;
  for (const SchemaArg& a : schema.args)
    args += fmt::format("{}{}={}", args.empty() ? "" : ", ", a.name, a.name);
  add_script(
      schema.text(),
      fmt::format("    return torch.ops.prim.written(self, torch.{}({}), \"{}\")\n",
                  schema.name.substr(word, schema.name.size() - word - 1), args, schema.name),
      nullptr, family);
}

InferFn& body_inference() {
  static InferFn fn = nullptr;
  return fn;
}

}  // namespace

const char* const kLiterals = R"(  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %minus : int = prim::Constant[value=-1]()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
)";

void add_composite(CompositeDef def) {
  Row r = composite_row(def);
  r.body = fmt::format("graph({}):\n{}", parameters(r.schema), def.body);
  RowTable::instance().add(std::move(r));
}

void add_scripted(const Entry& entry, std::string_view family) {
  add_script(entry.schema, entry.body, &entry, family);
  if (entry.line(LineKind::Twin)) add_twin(entry.schema, family);
}

std::string twin_name(const std::string& schema) { return twin_schema(schema).full_name(); }

void provide_body_inference(InferFn fn) { body_inference() = fn; }

void infer_by_body(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  FUS_CHECK(body_inference(), "nothing infers the body of {}", row.name);
  body_inference()(row, args, results);
}

}  // namespace fusillade
