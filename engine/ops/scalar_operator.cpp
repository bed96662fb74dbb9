// See scalar_operator.h.
#include "engine/ops/scalar_operator.h"

#include <map>

namespace fusillade {
namespace {

using Bound = std::map<std::string, Type>;

void bind(const Type& formal, const Type& actual, Bound& bound) {
  if (formal.is(TypeKind::Var)) {
    bound.emplace(formal.text(), actual.without_shapes());
  } else if (formal.is(TypeKind::Optional)) {
    if (!actual.is(TypeKind::None))
      bind(formal.element(), actual.is(TypeKind::Optional) ? actual.element() : actual, bound);
  } else if (formal.is(TypeKind::List) || formal.is(TypeKind::Dict) || formal.is(TypeKind::Tuple)) {
    if (formal.kind() != actual.kind() || formal.elements().size() != actual.elements().size())
      return;
    for (size_t i = 0; i < formal.elements().size(); ++i)
      bind(formal.elements()[i], actual.elements()[i], bound);
  }
}

Type instantiate(const Type& type, const Bound& bound) {
  std::vector<Type> inner;
  switch (type.kind()) {
    case TypeKind::Var: {
      auto it = bound.find(type.text());
      return it == bound.end() ? Type(TypeKind::Any) : it->second;
    }
    case TypeKind::List:
      return Type::list(instantiate(type.element(), bound));
    case TypeKind::Optional:
      return Type::optional(instantiate(type.element(), bound));
    case TypeKind::Dict:
      return Type::dict(instantiate(type.key(), bound), instantiate(type.value_type(), bound));
    case TypeKind::Tuple:
      for (const Type& t : type.elements()) inner.push_back(instantiate(t, bound));
      return Type::tuple(std::move(inner));
    default:
      return type;
  }
}

}  // namespace

void infer_bound(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  Bound bound;
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i)
    bind(op.schema.args[i].type, args[i].type, bound);
  for (const SchemaArg& r : op.schema.results) results.push_back(instantiate(r.type, bound));
}

Operator effect_operator(const char* schema, const char* family, RunFn run) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Scalar;
  r.family = family;
  r.generate = false;
  r.side_effect = true;
  r.run = run;
  r.infer = &infer_bound;
  return r;
}

void check_size(double items) {
  if (items > static_cast<double>(kMaxItems))
    fail("MemoryError: {} items; the limit is {}", items, kMaxItems);
}

size_t item_position(int64_t index, size_t count, const char* what) {
  int64_t n = static_cast<int64_t>(count);
  if (index < -n || index >= n)
    fail("IndexError: {} index {} is out of range for {} items", what, index, n);
  return static_cast<size_t>(index < 0 ? index + n : index);
}

std::vector<size_t> slice_positions(const IValue& start, const IValue& stop, int64_t step,
                                    size_t count) {
  if (step == 0) fail("ValueError: slice step cannot be zero");
  int64_t n = static_cast<int64_t>(count);
  int64_t least = step < 0 ? -1 : 0;
  int64_t most = step < 0 ? n - 1 : n;
  auto clamp = [&](const IValue& v, int64_t absent) {
    if (v.is_none()) return absent;
    int64_t i = v.as_int();
    if (i < 0) i = i < -n ? least : i + n;
    return std::min(std::max(i, least), most);
  };
  int64_t from = clamp(start, step < 0 ? most : least);
  int64_t to = clamp(stop, step < 0 ? least : most);
  std::vector<size_t> out;
  int64_t by = std::min(std::max(step, -n - 1), n + 1);  // longer steps take the first item only
  for (int64_t i = from; by > 0 ? i < to : i > to; i += by) out.push_back(static_cast<size_t>(i));
  return out;
}

void add_scalar_operator(const std::string& schema, RunFn run, const ScalarOptions& options) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Scalar;
  r.family = "scalars";
  r.run = run;
  r.infer = options.infer ? options.infer : &infer_bound;
  r.generate = options.generate;
  r.metadata = options.metadata;
  r.reads_device = options.reads_device;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    bool divisor = static_cast<int>(i) == options.divisor;
    bool tensor = r.schema.args[i].type.is_tensor();
    r.roles.push_back(tensor ? Role::Single : divisor ? Role::Divisor : Role::Number);
  }
  OperatorTable::instance().add(std::move(r));
}

}  // namespace fusillade
