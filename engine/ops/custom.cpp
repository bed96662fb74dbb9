// See custom.h.
#include "engine/ops/custom.h"

#include <unordered_map>

#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

// The functions behind the rows; written while the table of ops may grow, read-only after.
std::unordered_map<const Row*, CustomFunction>& functions() {
  static auto* map = new std::unordered_map<const Row*, CustomFunction>;
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
void assume_the_worst(Row& row) {
  for (SchemaArg& a : row.schema.args) {
    if (!holds_memory(a.type)) continue;
    a.alias = "a";
    a.written = true;
  }
  for (SchemaArg& r : row.schema.results) {
    if (holds_memory(r.type)) r.alias = "a";
  }
  row.side_effect = true;
  row.nondeterministic = true;
}

void check_type(const Row& row, const IValue& value, const SchemaArg& formal,
                const std::string& what) {
  if (value.type().subtype_of(formal.type)) return;
  fail("{}: {} is {} of type {}, the schema says {}", row.name, what, describe(value),
       value.type().text(), formal.type.text());
}

void check_results(const Row& row, std::span<const IValue> args, std::span<const IValue> results) {
  const Schema& s = row.schema;
  if (results.size() != s.results.size()) {
    fail("{}: the function returned {} results, the schema has {}", row.name, results.size(),
         s.results.size());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    check_type(row, results[i], s.results[i], fmt::format("result {}", i));
    if (!results[i].is_tensor() || !s.results[i].alias.empty() || s.results[i].wildcard) continue;
    for (size_t k = 0; k < args.size(); ++k) {
      if (!args[k].is_tensor() || !args[k].as_tensor().shares_storage(results[i].as_tensor()))
        continue;
      fail(
          "{}: result {} shares memory with argument '{}', which no alias mark of its schema "
          "allows",
          row.name, i, s.args[k].name);
    }
  }
}

void run_custom(const Row& row, std::span<const IValue> args, std::vector<IValue>& results) {
  if (current_domain() == Domain::Ring) decline("{} is not defined in the ring", row.name);
  for (size_t i = 0; i < args.size(); ++i) {
    check_type(row, args[i], row.schema.args[i], "argument '" + row.schema.args[i].name + "'");
  }
  std::vector<IValue> out;
  try {
    out = functions().at(&row)(args);
  } catch (const Exception&) {
    throw;
  } catch (const std::exception& e) {
    fail("{}: {}", row.name, e.what());
  }
  check_results(row, args, out);
  for (IValue& v : out) results.push_back(std::move(v));
}

void infer_custom(const Row& row, std::span<const ArgInfo>, std::vector<Type>& results) {
  for (const SchemaArg& r : row.schema.results) results.push_back(r.type);
}

}  // namespace

const Row& register_op(const std::string& schema, CustomFunction fn, OpEffects effects) {
  Row row;
  row.schema = parse_schema(schema);
  row.name = row.schema.full_name();
  if (!fn) fail("{}: there is no function", row.name);
  if (row.name.starts_with("aten::") || row.name.starts_with("prim::")) {
    fail("'{}': the namespaces aten and prim are the engine's; take one of your own", row.name);
  }
  if (row.schema.varargs || row.schema.varresults)
    fail("'{}': the number of values of an op is fixed", row.name);
  if (find_row(row.name))
    fail("there is an op '{}' already: {}", row.name, find_row(row.name)->schema.text());
  if (ops_are_frozen()) {
    fail(
        "'{}' comes too late: ops are registered before the first script, IR text or call by name, "
        "which froze the "
        "table of ops",
        row.name);
  }
  row.kind = OpKind::Opaque;
  row.family = "custom";
  row.generate = false;
  row.run = &run_custom;
  row.infer = &infer_custom;
  row.roles.assign(row.schema.args.size(), Role::Default);
  if (effects == OpEffects::Careful && !has_marks(row.schema)) assume_the_worst(row);
  const Row& added = RowTable::instance().add(std::move(row));
  functions()[&added] = std::move(fn);
  return added;
}

}  // namespace fusillade
