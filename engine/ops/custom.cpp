// See custom.h.
#include "engine/ops/custom.h"

#include <unordered_map>

#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

// The functions behind the operators; written while the table of ops may grow, read-only after.
std::unordered_map<const Operator*, CustomFunction>& functions() {
  static auto* map = new std::unordered_map<const Operator*, CustomFunction>;
  return *map;
}

bool holds_memory(const Type& type) {
  if (type.is_tensor()) return true;
  bool wraps = type.is(TypeKind::List) || type.is(TypeKind::Optional) || type.is(TypeKind::Tuple);
  if (type.is(TypeKind::List)) return true;
  for (size_t i = 0; wraps && i < type.elements().size(); ++i) {
    if (holds_memory(type.elements()[i])) return true;
  }
  return false;
}

bool has_marks(const Schema& s) {
  for (const auto* list : {&s.args, &s.results}) {
    for (const SchemaArg& a : *list) {
      if (!a.alias.empty() || a.wildcard) return true;
    }
  }
  return false;
}

// Marks that say: may write and return any of its memory.
void assume_the_worst(Operator& op) {
  for (SchemaArg& a : op.schema.args) {
    if (!holds_memory(a.type)) continue;
    a.alias = "a";
    a.written = true;
  }
  for (SchemaArg& r : op.schema.results) {
    if (holds_memory(r.type)) r.alias = "a";
  }
  op.side_effect = true;
  op.nondeterministic = true;
}

void check_type(const Operator& op, const IValue& value, const SchemaArg& formal,
                const std::string& what) {
  if (value.type().subtype_of(formal.type)) return;
  fail("{}: {} is {} of type {}, the schema says {}", op.name, what, describe(value),
       value.type().text(), formal.type.text());
}

void check_results(const Operator& op, std::span<const IValue> args,
                   std::span<const IValue> results) {
  const Schema& s = op.schema;
  if (results.size() != s.results.size()) {
    fail("{}: the function returned {} results, the schema has {}", op.name, results.size(),
         s.results.size());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    check_type(op, results[i], s.results[i], fmt::format("result {}", i));
    if (!results[i].is_tensor() || !s.results[i].alias.empty() || s.results[i].wildcard) continue;
    for (size_t k = 0; k < args.size(); ++k) {
      if (!args[k].is_tensor() || !args[k].as_tensor().shares_storage(results[i].as_tensor()))
        continue;
      fail(
          "{}: result {} shares memory with argument '{}', which no alias mark of its schema "
          "allows",
          op.name, i, s.args[k].name);
    }
  }
}

void run_custom(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  if (current_domain() == Domain::Ring) decline("{} is not defined in the ring", op.name);
  for (size_t i = 0; i < args.size(); ++i) {
    check_type(op, args[i], op.schema.args[i], "argument '" + op.schema.args[i].name + "'");
  }
  std::vector<IValue> out;
  try {
    out = functions().at(&op)(args);
  } catch (const Exception&) {
    throw;
  } catch (const std::exception& e) {
    fail("{}: {}", op.name, e.what());
  }
  check_results(op, args, out);
  for (IValue& v : out) results.push_back(std::move(v));
}

void infer_custom(const Operator& op, std::span<const ArgInfo>, std::vector<Type>& results) {
  for (const SchemaArg& r : op.schema.results) results.push_back(r.type);
}

}  // namespace

const Operator& register_op(const std::string& schema, CustomFunction fn, OpEffects effects) {
  Operator op;
  op.schema = parse_schema(schema);
  op.name = op.schema.full_name();
  if (!fn) fail("{}: there is no function", op.name);
  if (op.name.starts_with("aten::") || op.name.starts_with("prim::")) {
    fail("'{}': the namespaces aten and prim are the engine's; take one of your own", op.name);
  }
  if (op.schema.varargs || op.schema.varresults)
    fail("'{}': the number of values of an op is fixed", op.name);
  if (find_operator(op.name))
    fail("there is an op '{}' already: {}", op.name, find_operator(op.name)->schema.text());
  if (ops_are_frozen()) {
    fail(
        "'{}' comes too late: ops are registered before the first script, IR text or call by name, "
        "which froze the "
        "table of ops",
        op.name);
  }
  op.kind = OpKind::Opaque;
  op.family = "custom";
  op.generate = false;
  op.run = &run_custom;
  op.infer = &infer_custom;
  op.roles.assign(op.schema.args.size(), Role::Default);
  if (effects == OpEffects::Careful && !has_marks(op.schema)) assume_the_worst(op);
  const Operator& added = OperatorTable::instance().add(std::move(op));
  functions()[&added] = std::move(fn);
  return added;
}

}  // namespace fusillade
