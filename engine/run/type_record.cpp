// See type_record.h.
#include "engine/run/type_record.h"

#include <algorithm>
#include <map>

namespace fusillade {
namespace {

Type narrow_type(const Type& declared, const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::List:
    case IValue::Tag::Dict:
    case IValue::Tag::Object:
      return declared;
    case IValue::Tag::Tuple: {
      if (!declared.is(TypeKind::Tuple) || declared.class_type()) return declared;
      std::vector<Type> items;
      for (size_t i = 0; i < v.items().size(); ++i)
        items.push_back(narrow_type(declared.elements()[i], v.items()[i]));
      return Type::tuple(std::move(items));
    }
    case IValue::Tag::Tensor:
      return v.as_tensor().is_defined() ? v.type() : declared;
    default:
      return v.type();
  }
}

bool alike(int64_t a, int64_t b) { return a == b || (a > 1 && b > 1); }

bool alike(const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor()) return a == b;
  const TensorInfo& x = a.info();
  const TensorInfo& y = b.info();
  return x.has_dtype == y.has_dtype && x.dtype == y.dtype && x.device == y.device &&
         x.requires_grad == y.requires_grad && x.rank_known && y.rank_known &&
         x.sizes.rank() == y.sizes.rank() &&
         std::equal(x.sizes.begin(), x.sizes.end(), y.sizes.begin(),
                    [](int64_t m, int64_t n) { return alike(m, n); });
}

}  // namespace

void TypeRecord::see(const Value* v, const Tensor& t) {
  if (t.is_defined()) see(static_cast<size_t>(v->id()), IValue(t).type());
}

void TypeRecord::merge(const TypeRecord& other) {
  for (size_t id = 0; id < other.types_.size(); ++id)
    if (other.types_[id]) see(id, *other.types_[id]);
}

const Type* TypeRecord::of(const Value* v) const {
  const size_t id = static_cast<size_t>(v->id());
  return id < types_.size() && types_[id] ? &*types_[id] : nullptr;
}

void TypeRecord::see(size_t id, const Type& type) {
  if (types_.size() <= id) types_.resize(id + 1);
  std::optional<Type>& known = types_[id];
  known = known ? unify(*known, type) : type;
}

std::vector<Type> types_of_arguments(const Graph& graph, std::span<const IValue> args) {
  std::vector<Type> types;
  for (size_t i = 0; i < args.size(); ++i)
    types.push_back(narrow_type(graph.inputs()[i]->type(), args[i]));
  return types;
}

std::vector<Type> common_types(const Graph& graph, const std::vector<std::vector<Type>>& calls) {
  std::vector<Type> out = calls.front();
  for (const std::vector<Type>& call : calls) {
    for (size_t i = 0; i < out.size(); ++i) {
      const Type& declared = graph.inputs()[i]->type();
      out[i] = unify(out[i], call[i]);
      if (!out[i].subtype_of(declared)) out[i] = declared;
    }
  }
  return out;
}

std::vector<Type> symbolic_types(const std::vector<std::vector<Type>>& calls) {
  const std::vector<Type>& last = calls.back();
  std::vector<const std::vector<Type>*> family;
  for (const std::vector<Type>& call : calls)
    if (std::ranges::equal(call, last, [](const Type& a, const Type& b) { return alike(a, b); }))
      family.push_back(&call);
  std::map<std::vector<int64_t>, int64_t> symbols;  // sizes in each call of the family
  std::vector<Type> out = last;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i].is_tensor()) continue;
    TensorInfo& info = out[i].info();
    for (int d = 0; d < info.sizes.rank(); ++d) {
      std::vector<int64_t> sizes, strides;
      for (const auto* call : family) {
        sizes.push_back((*call)[i].info().sizes[d]);
        strides.push_back((*call)[i].info().strides[d]);
      }
      const auto differ = [](const std::vector<int64_t>& all) {
        return std::ranges::any_of(all, [&](int64_t n) { return n != all[0]; });
      };
      if (differ(strides)) info.strides[d] = -1;
      if (differ(sizes))
        info.sizes[d] =
            symbols.try_emplace(sizes, -2 - static_cast<int64_t>(symbols.size())).first->second;
    }
  }
  return out;
}

}  // namespace fusillade
