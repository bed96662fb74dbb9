// See scalar_row.h.
#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

void infer_schema(const Row& row, std::span<const ArgInfo>, std::vector<Type>& results) {
  for (const SchemaArg& r : row.schema.results) results.push_back(r.type);
}

}  // namespace

void add_scalar_row(const std::string& schema, RunFn run, const ScalarOptions& options) {
  Row r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Scalar;
  r.family = "scalars";
  r.run = run;
  r.infer = options.infer ? options.infer : &infer_schema;
  r.generate = options.generate;
  r.metadata = options.metadata;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    bool divisor = static_cast<int>(i) == options.divisor;
    bool tensor = r.schema.args[i].type.is_tensor();
    r.roles.push_back(tensor ? Role::Single : divisor ? Role::Divisor : Role::Number);
  }
  RowTable::instance().add(std::move(r));
}

}  // namespace fusillade
