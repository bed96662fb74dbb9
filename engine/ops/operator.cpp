// Looking operators up, resolving overloads, calling.
#include "engine/ops/operator.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "engine/base/text.h"
#include "engine/ops/alias.h"
#include "engine/ops/call.h"
#include "engine/ops/custom.h"

namespace fusillade {
namespace {

std::atomic<bool> frozen = false;

struct BaseIndex {
  std::unordered_map<std::string_view, std::vector<const Operator*>> by_base;
  BaseIndex() {
    frozen = true;
    for (const Operator& r : OperatorTable::instance()) by_base[r.schema.name].push_back(&r);
    for (const auto& [former, now] : OperatorTable::instance().former())
      if (const auto at = by_base.find(now); at != by_base.end()) by_base[former] = at->second;
  }
};

const BaseIndex& base_index() {
  static const BaseIndex index;  // built at first use, when all operators have registered
  return index;
}

bool converts(const Type& from, const Type& to) {
  if (to.is(TypeKind::Optional)) return converts(from, to.element());
  if (to.is(TypeKind::Float)) return from.is(TypeKind::Int) || from.is(TypeKind::Number);
  if (to.is(TypeKind::List)) {
    bool indices =
        to.element().is(TypeKind::Optional) && from.is(TypeKind::List);  // Tensor[] is a Tensor?[]
    if (indices && from.element().is_tensor() && to.element().element().is_tensor()) return true;
    bool single = !to.element().is(TypeKind::Var) && from.subtype_of(to.element());
    return single || (from.is(TypeKind::List) && from.element().is(TypeKind::Any)) ||
           (from.is(TypeKind::List) && to.element().is(TypeKind::Float) &&
            from.element().is(TypeKind::Int));
  }
  return false;
}

// Is `given` an instance of `formal`, each variable bound to the same type everywhere?
bool binds(const Type& given, const Type& formal, std::map<std::string, Type>& variables) {
  if (formal.is(TypeKind::Var)) {
    Type type = given.without_shapes();
    return variables.emplace(formal.text(), type).first->second == type;
  }
  bool nested = formal.is(TypeKind::Dict) || formal.is(TypeKind::List) ||
                (formal.is(TypeKind::Tuple) && !formal.class_type());
  if (!nested || given.kind() != formal.kind()) return given.subtype_of(formal);
  if (given.elements().size() != formal.elements().size()) return false;
  for (size_t i = 0; i < given.elements().size(); ++i)
    if (!binds(given.elements()[i], formal.elements()[i], variables)) return false;
  return true;
}

// Empty when the arguments fit; the reason otherwise (only when asked for).
bool fits(const Operator& r, std::span<const Type> args, bool convert, std::string* why) {
  const Schema& s = r.schema;
  if (args.size() > s.args.size() && !s.varargs) {
    if (why) *why = fmt::format("takes {} arguments, {} given", s.args.size(), args.size());
    return false;
  }
  std::map<std::string, Type> variables;
  for (size_t i = 0; i < s.args.size(); ++i) {
    if (i >= args.size()) {
      if (s.args[i].has_default) continue;
      if (why) *why = fmt::format("argument '{}' is missing", s.args[i].name);
      return false;
    }
    const Type& formal = s.args[i].type;
    if (args[i].subtype_of(formal) || binds(args[i], formal, variables) ||
        (convert && converts(args[i], formal)))
      continue;
    if (why) {
      *why = fmt::format("argument '{}' is {}, given {}", s.args[i].name, formal.text(),
                         args[i].text());
    }
    return false;
  }
  return true;
}

}  // namespace

bool ops_are_frozen() { return frozen; }

const Operator* find_operator(std::string_view full_name) {
  return OperatorTable::instance().find(full_name);
}

const Operator& operator_named(std::string_view full_name) {
  if (const Operator* found = find_operator(full_name)) return *found;
  std::vector<std::string> names;
  for (const Operator& r : OperatorTable::instance()) names.push_back(r.name);
  fail("there is no op '{}'{}", full_name, near_misses(std::string(full_name), names));
}

const std::vector<const Operator*>& overloads(std::string_view base_name) {
  static const std::vector<const Operator*> none;
  auto it = base_index().by_base.find(base_name);
  if (it != base_index().by_base.end()) return it->second;
  it = base_index().by_base.find(alias_target(base_name));
  return it == base_index().by_base.end() ? none : it->second;
}

const Operator& resolve(std::string_view base_name, std::span<const Type> args) {
  const std::vector<const Operator*>& candidates = overloads(base_name);
  for (bool convert : {false, true}) {
    for (const Operator* r : candidates) {
      if (fits(*r, args, convert, nullptr)) return *r;
    }
  }
  if (candidates.empty()) return operator_named(base_name);
  std::string message = fmt::format("no overload of {} takes (", base_name);
  for (size_t i = 0; i < args.size(); ++i) message += (i ? ", " : "") + args[i].text();
  message += ")";
  for (const Operator* r : candidates) {
    std::string why;
    fits(*r, args, true, &why);
    message += "\n  " + r->schema.text() + ": " + why;
  }
  fail("{}", message);
}

std::vector<IValue> call(const Operator& r, std::span<const IValue> args) {
  std::vector<IValue> results;
  const Schema& s = r.schema;
  if (args.size() >= s.args.size()) {
    call(r, Site{}, args, results);
    return results;
  }
  std::vector<IValue> all(args.begin(), args.end());
  for (size_t i = args.size(); i < s.args.size(); ++i) {
    if (!s.args[i].has_default) fail("{}: argument '{}' is missing", r.name, s.args[i].name);
    all.push_back(s.args[i].default_value);
  }
  call(r, Site{}, all, results);
  return results;
}

std::vector<ArgInfo> infos_of(std::span<const IValue> args) {
  std::vector<ArgInfo> out(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    out[i].type = args[i].type();
    if (args[i].is_tensor()) continue;
    if (args[i].tag() == IValue::Tag::List && !args[i].items().empty() &&
        args[i].items()[0].is_tensor()) {
      for (const IValue& item : args[i].items()) out[i].items.push_back(item.type());
      continue;
    }
    out[i].value = args[i];
    out[i].known = true;
  }
  return out;
}

}  // namespace fusillade
