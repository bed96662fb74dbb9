// See python_pairs.h.
#include "fuzz/run/foreign/python_pairs.h"

#include "engine/base/error.h"
#include "engine/ir/complex_parts.h"
#include "engine/ops/traits.h"
#include "fuzz/gen/pairs.h"

namespace fusillade::fuzz {
namespace {

std::string each(const Type& type, const char* function, const std::string& value,
                 const CallOfOne& call) {
  if (!type.is(TypeKind::List)) return call(function, value);
  return fmt::format("[{} for c in {}]", call(function, "c"), value);
}

}  // namespace

const Operator& written_operator(const Operator& op) {
  if (!of_pairs(op)) return op;
  std::string name = "aten::" + op.name.substr(kOfPairs.size());
  if (name.ends_with(kOfReal)) name.resize(name.size() - kOfReal.size());
  const Operator* found = find_operator(name);
  return found ? *found : op;
}

std::string written_name(const Operator& op, const SchemaArg& formal) {
  return of_pairs(op) && formal.name.starts_with(kStaysReal) ? formal.name.substr(kStaysReal.size())
                                                             : formal.name;
}

std::string given_as_complex(const Operator& op, const SchemaArg& formal, const std::string& value,
                             const CallOfOne& call) {
  return takes_pairs(op, formal) ? each(formal.type, "view_as_complex", value, call) : value;
}

std::string given_as_pairs(const Operator& op, const std::string& value, const CallOfOne& call) {
  if (!of_pairs(op) || op.schema.results.size() != 1 || !gives_pairs(op)) return value;
  const bool lazy = has_trait(op, Trait::Conjugated);
  return each(op.schema.results[0].type, "view_as_real", lazy ? call("resolve_conj", value) : value,
              call);
}

std::string complex_name(DType parts) {
  if (parts == DType::F16) return "complex32";
  if (parts == DType::F32) return "complex64";
  if (parts == DType::F64) return "complex128";
  decline("no Python for complex numbers of {}", name_of(parts));
}

}  // namespace fusillade::fuzz
