// Expressions of a constructor; see elaborate.h.
#include <algorithm>

#include "engine/base/options.h"
#include "engine/base/text.h"
#include "engine/front/form.h"
#include "engine/front/special_names.h"
#include "engine/ir/interpret.h"
#include "engine/ops/text.h"

namespace fusillade::front {
namespace {

constexpr size_t kMaxItems = 1000000;
const Option<int64_t> kMaxElements(
    "max_constructor_elements", int64_t{1} << 28,
    "most elements that one constructor may make, in tensors and strings", "0..");

bool same_heap(const Py& a, const Py& b) {
  return (a.instance() && a.instance() == b.instance()) || (a.seq() && a.seq() == b.seq()) ||
         (a.dict() && a.dict() == b.dict());
}

}  // namespace

Py Elaborator::eval(const Expr& e) {
  step(e);
  if (std::optional<IValue> literal = literal_value(e)) return Py(*literal);
  switch (e.kind) {
    case ExprKind::Name:
      return name(e);
    case ExprKind::Attribute:
      return attribute(e);
    case ExprKind::Call:
      return call(e);
    case ExprKind::Subscript:
      return subscript(e);
    case ExprKind::List:
    case ExprKind::Tuple: {
      auto seq = std::make_shared<PySeq>();
      seq->list = e.is(ExprKind::List);
      for (const ExprPtr& kid : e.kids) {
        if (!kid->is(ExprKind::Starred)) {
          seq->items.push_back(eval(*kid));
          continue;
        }
        for (Py& item : iterate(eval(*kid->kids[0]), *kid)) seq->items.push_back(item);
      }
      return seq;
    }
    case ExprKind::Unary: {
      Py of = eval(*e.kids[0]);
      if (e.sign == Sign::Not) return Py(IValue(!truth(of, e)));
      return operate(e, {&of}, 0);
    }
    case ExprKind::Binary:
      return binary(e);
    case ExprKind::Boolean: {
      Py left = eval(*e.kids[0]);
      return truth(left, e) == (e.sign == Sign::Or) ? left : eval(*e.kids[1]);
    }
    case ExprKind::Compare:
      return compare(e);
    case ExprKind::Ternary:
      return eval(*e.kids[truth(eval(*e.kids[0]), *e.kids[0]) ? 1 : 2]);
    case ExprKind::Dict: {
      auto dict = std::make_shared<PyDict>();
      for (size_t i = 0; i + 1 < e.kids.size(); i += 2) {
        if (!e.kids[i]->is(ExprKind::Starred)) {
          put(*dict, eval(*e.kids[i]), eval(*e.kids[i + 1]), e);
          continue;
        }
        const Py unpacked = eval(*e.kids[i + 1]);
        if (!unpacked.dict()) wrong(*e.kids[i + 1], "'**' unpacks a dict");
        for (const auto& [key, value] : unpacked.dict()->items) put(*dict, Py(key), value, e);
      }
      return dict;
    }
    case ExprKind::ListComp:
    case ExprKind::DictComp:
      return comprehension(e);
    case ExprKind::Format:
      return format(e);
    case ExprKind::Walrus:
      assign(*e.kids[0], eval(*e.kids[1]));
      return name(*e.kids[0]);
    default:
      wrong(e, "this expression is not supported in a constructor");
  }
}

Py Elaborator::format(const Expr& e) {
  std::string text;
  for (const ExprPtr& kid : e.kids) {
    Py part = eval(*kid);
    text += part.is_str() ? part.value()->as_str() : python_str(value_of(part, *kid));
  }
  return Py(IValue::str(text));
}

void Elaborator::put(PyDict& dict, const Py& key, const Py& value, const Expr& at) {
  IValue k = value_of(key, at);
  if (Py* old = dict.find(k)) *old = value;
  else dict.items.emplace_back(k, value);
  if (dict.items.size() > 100000) wrong(at, "a dict is too long");
}

Py Elaborator::comprehension(const Expr& e) {
  bool is_dict = e.is(ExprKind::DictComp);
  auto list = std::make_shared<PySeq>();
  auto dict = std::make_shared<PyDict>();
  list->list = true;
  std::map<std::string, Py> outside = frame_->locals;
  std::function<void(size_t)> clauses = [&](size_t k) {
    if (k == e.kids.size()) {
      if (is_dict) put(*dict, eval(*e.kids[0]), eval(*e.kids[1]), e);
      else list->items.push_back(eval(*e.kids[0]));
      return;
    }
    if (e.clauses[k] == Clause::Condition) {
      if (truth(eval(*e.kids[k]), *e.kids[k])) clauses(k + 1);
      return;
    }
    for (const Py& item : iterate(eval(*e.kids[k + 1]), e)) {
      assign(*e.kids[k], item);
      clauses(k + 2);
    }
  };
  clauses(is_dict ? 2 : 1);
  frame_->locals = std::move(outside);
  if (is_dict) return dict;
  return list;
}

Py Elaborator::name(const Expr& e) {
  auto local = frame_->locals.find(e.text);
  if (local != frame_->locals.end()) return local->second;
  auto ref = std::make_shared<PyRef>();
  if ((ref->cls = program_.find(*frame_->unit, e))) return ref;
  Unit* unit = program_.is_scratch(*frame_->unit) ? &program_.main() : frame_->unit;
  if (const Function* f = unit->function(e.text)) {
    ref->function = {{unit, nullptr}, f};
    ref->path = e.text;
    return ref;
  }
  auto constant = frame_->unit->module().constants.find(e.text);
  if (constant != frame_->unit->module().constants.end())
    return run(*frame_->unit, *constant->second);
  ref->path = frame_->unit->path(e);
  if (ref->path.empty()) ref->path = e.text;
  return ref;
}

Py Elaborator::attribute(const Expr& e) {
  bool local = e.kids[0]->is(ExprKind::Name) && frame_->locals.count(e.kids[0]->text);
  std::string path = local ? "" : frame_->unit->path(e);
  bool of_class =
      !path.empty() && program_.library(path.substr(0, path.rfind('.')));  // nn.Linear.__init__
  return path.empty() || of_class ? attribute_of(eval(*e.kids[0]), e.text, e) : at_path(path);
}

// What a dotted path of the library or of torch names.
Py Elaborator::at_path(const std::string& path) {
  auto ref = std::make_shared<PyRef>();
  if ((ref->cls = program_.library(path))) return ref;
  if (overloads(module_op(path)).empty()) ref->function = program_.library_function(path);
  ref->path = path;
  size_t dot = path.rfind('.');
  ClassPlace owner = ref->function || dot == std::string::npos
                         ? ClassPlace()
                         : program_.library(path.substr(0, dot));
  if (owner)
    ref->function =
        program_.find_method(owner, path.substr(dot + 1));  // nn.Embedding.from_pretrained
  if (ref->function) return ref;
  if (std::optional<IValue> value = module_constant(path)) return Py(*value);
  return ref;
}

Py Elaborator::attribute_of(const Py& of, const std::string& name, const Expr& at) {
  if (Instance* self = of.instance()) return get_attr(*self, of, name, at);
  if (PyRef* ref = of.ref(); ref && ref->cls) {
    const Expr& cls = *at.kids[0];
    if (program_.sort_of(ref->cls) == ClassSort::Enum) {
      ClassInfo& info = program_.find_or_declare(ref->cls);
      for (size_t i = 0; i < info.type->members.size(); ++i) {
        if (info.type->members[i].name == name) return Py(IValue::enum_member(info.type, i));
      }
      wrong(at, fmt::format("the enum '{}' has no member '{}'", plain_name(*info.type), name));
    }
    if (name == "__name__") return Py(IValue::str(ref->cls.syntax->name));
    Unit* unit = nullptr;
    if (const Expr* value = program_.find_constant(ref->cls, name, &unit))
      return run(*unit, *value);
    auto out = std::make_shared<PyRef>();
    out->function = program_.find_method(ref->cls, name);
    bool of_module = name == kInit && program_.sort_of(ref->cls) == ClassSort::Module;
    if (of_module && !out->function) out->path = kModuleInit;
    if (out->function || of_module) return out;
    wrong(cls, fmt::format("'{}' has no attribute '{}'", ref->cls.syntax->name, name));
  }
  const PyRef* ref = of.ref();
  if (const Form* form = ref ? find_form(ref->path) : nullptr; form && form->part)
    return form->part(*this, *ref, name, at);
  if (PySeq* seq = of.seq(); seq && seq->named) {
    int slot = seq->named->type->slot(name);
    if (slot >= 0) return seq->items[static_cast<size_t>(slot)];
  }
  if (const IValue* value = of.value()) {
    const char* attribute = value->tag() == IValue::Tag::Enum ? enum_attribute(name)
                            : value->is_device()              ? device_attribute(name)
                                                              : nullptr;
    if (attribute) return Py(fusillade::call(operator_named(attribute), {value, 1})[0]);
  }
  if (of.is_tensor() && name == "data") return Py(*of.value());
  if (of.is_tensor() && name == "requires_grad") return Py(IValue(wants_gradient(of)));
  if (of.is_tensor() && tensor_attribute(name)) return operate(at, {&of}, 0);
  auto method = std::make_shared<PyRef>();
  method->self = of;
  method->path = name;
  return method;
}

Py Elaborator::subscript(const Expr& e) {
  Py of = eval(*e.kids[0]);
  const Expr& index = *e.kids[1];
  if (PySeq* seq = of.seq()) return item_of(*seq, index, e);
  if (PyDict* dict = of.dict()) {
    IValue key = value_of(eval(index), index);
    if (Py* found = dict->find(key)) return *found;
    wrong(index, fmt::format("KeyError: {}", describe(key)));
  }
  if (Instance* self = of.instance()) {
    if (self->container == Container::None)
      wrong(e, "this object cannot be subscripted in a constructor");
    if (index.is(ExprKind::Slice) && self->container == Container::List)
      return part_of(*self, index, e);
    Py key = eval(index);
    if (key.is_str()) return get_attr(*self, of, key.value()->as_str(), e);
    if (self->container != Container::List)
      wrong(index, "a dict of modules is indexed by its keys");
    std::vector<Py> items = iterate(of, e);
    int64_t count = static_cast<int64_t>(items.size()), i = integer(key, index);
    if (i < -count || i >= count)
      wrong(e, fmt::format("index {} is out of range for {} items", i, count));
    return items[static_cast<size_t>(i < 0 ? i + count : i)];
  }
  std::vector<std::pair<std::string, Type>> types;
  std::vector<IValue> values;
  ExprPtr over = with_operands(e, {&of}, 0, types, values);
  for (size_t i = 1; i < e.kids.size(); ++i) over->kids[i] = index_of(*e.kids[i], types, values);
  return evaluate(*over, types, values, e);
}

// An index with its values in place: slices, tuples, None and ... stay as written.
ExprPtr Elaborator::index_of(const Expr& e, std::vector<std::pair<std::string, Type>>& types,
                             std::vector<IValue>& values) {
  if (e.is(ExprKind::Slice) || e.is(ExprKind::Tuple)) {
    ExprPtr out = copy_of(e);
    for (size_t i = 0; i < e.kids.size(); ++i) {
      if (e.kids[i]) out->kids[i] = index_of(*e.kids[i], types, values);
    }
    return out;
  }
  if (e.is(ExprKind::None) || e.is(ExprKind::Ellipsis)) return copy_of(e);
  auto make_expr = [&](ExprKind kind) {
    auto out = std::make_unique<Expr>();
    out->kind = kind;
    out->begin = e.begin;
    out->end = e.end;
    return out;
  };
  auto value = [&](const Py& v) {
    ExprPtr name = make_expr(ExprKind::Name);
    name->text = fmt::format("%index{}", values.size());
    values.push_back(value_of(v, e));
    types.emplace_back(name->text, values.back().type().without_shapes());
    return name;
  };
  Py index = eval(e);
  if (!index.seq() || !index.seq()->slice) return value(index);
  ExprPtr slice = make_expr(ExprKind::Slice);
  for (const Py& part : index.seq()->items)
    slice->kids.push_back(part.is_none() ? nullptr : value(part));
  return slice;
}

// Bounds what a constructor may hold in tensors and strings.
void Elaborator::charge_result(const IValue& result, const Expr& at) {
  int64_t size = 1;
  if (result.is_tensor()) size = result.as_tensor().numel();
  if (result.tag() == IValue::Tag::Str) size = static_cast<int64_t>(result.as_str().size());
  if (result.is_sequence()) size = static_cast<int64_t>(result.items().size());
  charge(size, at);
}

void Elaborator::count_item(const Expr& at) {
  if (++list_items_ > static_cast<int64_t>(kMaxItems))
    wrong(at, fmt::format("the constructor makes more than {} items", kMaxItems));
}

void Elaborator::charge(int64_t size, const Expr& at) {
  elements_ += size;
  if (elements_ <= kMaxElements.get()) return;
  wrong(at, fmt::format(
                "the constructor makes more than {} elements (FUSILLADE_MAX_CONSTRUCTOR_ELEMENTS)",
                kMaxElements.get()));
}

Py Elaborator::item_of(PySeq& seq, const Expr& index, const Expr& e) {
  int64_t count = static_cast<int64_t>(seq.items.size());
  if (!index.is(ExprKind::Slice)) {
    int64_t i = integer(eval(index), index);
    if (i < -count || i >= count)
      wrong(e, fmt::format("index {} is out of range for {} items", i, count));
    return seq.items[static_cast<size_t>(i < 0 ? i + count : i)];
  }
  int64_t parts[3] = {0, count, 1};
  for (size_t k : {2u, 0u, 1u}) {
    const Expr* part = index.kids[k].get();
    if (k == 2 && part) parts[2] = integer(eval(*part), *part);
    if (parts[2] == 0) wrong(index, "a slice's step is not zero");
    if (k == 2) continue;
    bool back = parts[2] < 0;
    parts[k] = k == 0 ? (back ? count - 1 : 0) : (back ? -1 : count);
    if (!part) continue;
    int64_t at = integer(eval(*part), *part);
    if (at < 0) at += count;
    parts[k] = std::clamp<int64_t>(at, back ? -1 : 0, back ? count - 1 : count);
  }
  auto out = std::make_shared<PySeq>();
  out->list = seq.list;
  for (int64_t i = parts[0]; parts[2] > 0 ? i < parts[1] : i > parts[1]; i += parts[2])
    out->items.push_back(seq.items[static_cast<size_t>(i)]);
  return out;
}

Py Elaborator::binary(const Expr& e) {
  Py left = eval(*e.kids[0]);
  Py right = eval(*e.kids[1]);
  return binary_of(e.sign, left, right, e);
}

Py Elaborator::binary_of(Sign sign, const Py& a, const Py& b, const Expr& at) {
  PySeq* left = a.seq();
  PySeq* right = b.seq();
  if (left && right && sign == Sign::Add && left->list == right->list) {
    auto out = std::make_shared<PySeq>(*left);
    out->named = nullptr;
    out->items.insert(out->items.end(), right->items.begin(), right->items.end());
    if (out->items.size() > kMaxItems) wrong(at, "a list is too long");
    return out;
  }
  if ((left || right) && sign == Sign::Mul) {
    const PySeq& seq = left ? *left : *right;
    int64_t times = std::max<int64_t>(0, integer(left ? b : a, at));
    if (!seq.items.empty() && times > static_cast<int64_t>(kMaxItems / seq.items.size()))
      wrong(at, "a list is too long");
    auto out = std::make_shared<PySeq>();
    out->list = seq.list;
    for (int64_t i = 0; i < times; ++i)
      out->items.insert(out->items.end(), seq.items.begin(), seq.items.end());
    if ((list_items_ += static_cast<int64_t>(out->items.size())) >
        static_cast<int64_t>(10 * kMaxItems))
      wrong(at, "the constructor makes too many items");
    return out;
  }
  Expr e;
  e.kind = ExprKind::Binary;
  e.sign = sign;
  e.begin = at.begin;
  e.end = at.end;
  e.kids.resize(2);
  return operate(e, {&a, &b}, 0);
}

Py Elaborator::compare(const Expr& e) {
  Py left = eval(*e.kids[0]);
  for (size_t i = 0; i < e.signs.size(); ++i) {
    Py right = eval(*e.kids[i + 1]);
    if (e.signs.size() == 1 && (left.is_tensor() || right.is_tensor()) && !is_identity(e.signs[0]))
      return operate(e, {&left, &right}, 0);
    if (!compare_pair(e.signs[i], left, right, e)) return Py(IValue(false));
    left = right;
  }
  return Py(IValue(true));
}

bool Elaborator::equal(const Py& a, const Py& b) const {
  if (a.value() && b.value()) return equal_values(*a.value(), *b.value());
  if (a.seq() && b.seq()) {
    const auto& x = a.seq()->items;
    const auto& y = b.seq()->items;
    return a.seq()->list == b.seq()->list && x.size() == y.size() &&
           std::equal(x.begin(), x.end(), y.begin(),
                      [this](const Py& p, const Py& q) { return equal(p, q); });
  }
  if (a.ref() && b.ref())
    return a.ref()->path == b.ref()->path && a.ref()->cls.syntax == b.ref()->cls.syntax;
  return a.instance() && a.instance() == b.instance();
}

bool Elaborator::compare_pair(Sign sign, const Py& a, const Py& b, const Expr& at) {
  if (is_equality(sign)) return equal(a, b) == (sign == Sign::Equal);
  if (is_identity(sign)) {
    bool same = a.value() && b.value() ? a.value()->identical(*b.value())
                                       : same_heap(a, b) || (a.ref() && equal(a, b));
    return same == (sign == Sign::Is);
  }
  if (is_membership(sign)) {
    bool found = false;
    if (a.is_str() && b.is_str()) {
      found = b.value()->as_str().find(a.value()->as_str()) != std::string::npos;
    } else if (Instance* self = b.instance(); self && a.is_str()) {
      found = self->find(a.value()->as_str()) != nullptr;
    } else {
      for (const Py& item : iterate(b, at)) found = found || equal(item, a);
    }
    return found == (sign == Sign::In);
  }
  Expr e;
  e.kind = ExprKind::Compare;
  e.signs = {sign};
  e.begin = at.begin;
  e.end = at.end;
  e.kids.resize(2);
  return truth(operate(e, {&a, &b}, 0), at);
}

bool Elaborator::truth(const Py& value, const Expr& at) {
  if (PySeq* seq = value.seq()) return !seq->items.empty();
  if (PyDict* dict = value.dict()) return !dict->items.empty();
  if (Instance* self = value.instance())
    return self->container == Container::None || !iterate(value, at).empty();
  const IValue* v = value.value();
  if (!v) return true;
  if (v->is_none()) return false;
  if (v->is_number()) return v->as_double() != 0;
  if (v->tag() == IValue::Tag::Str) return !v->as_str().empty();
  if (!v->is_tensor()) return true;
  if (v->as_tensor().numel() != 1) wrong(at, "a condition on a tensor of several elements");
  return element_as_double(v->as_tensor(), 0) != 0;
}

int64_t Elaborator::integer(const Py& value, const Expr& at) {
  const IValue* v = value.value();
  if (v && (v->is_int() || v->is_bool())) return v->as_int();
  wrong(at, "an int is needed here");
}

std::vector<Py> Elaborator::iterate(const Py& value, const Expr& at) {
  if (PySeq* seq = value.seq()) return seq->items;
  std::vector<Py> out;
  if (value.is_tensor() && value.value()->as_tensor().sizes().rank() > 0) {
    Tensor t = value.value()->as_tensor();
    if (t.sizes()[0] > static_cast<int64_t>(kMaxItems)) wrong(at, "a tensor of too many items");
    for (int64_t i = 0; i < t.sizes()[0]; ++i) {
      Dims sizes, strides;
      for (int d = 1; d < t.sizes().rank(); ++d) {
        sizes.push_back(t.sizes()[d]);
        strides.push_back(t.strides()[d]);
      }
      out.emplace_back(IValue(Tensor::view_of(t, t.offset() + i * t.strides()[0], sizes, strides)));
    }
    return out;
  }
  if (PyDict* dict = value.dict()) {
    for (auto& [key, item] : dict->items) out.emplace_back(key);
    return out;
  }
  if (Instance* self = value.instance(); self && self->container != Container::None) {
    for (Instance::Attr& a : self->attrs) {
      if (!self->holds(a)) continue;
      out.push_back(self->container == Container::Dict ? Py(IValue::str(a.name)) : a.value);
      out.back().parameter = self->of_parameters && self->container == Container::List;
    }
    return out;
  }
  if (value.is_str()) {
    for (char c : value.value()->as_str()) out.emplace_back(IValue::str(std::string(1, c)));
    return out;
  }
  if (PyRef* ref = value.ref(); ref && ref->cls && program_.sort_of(ref->cls) == ClassSort::Enum) {
    ClassInfo& info = program_.find_or_declare(ref->cls);
    for (size_t i = 0; i < info.type->members.size(); ++i)
      out.emplace_back(IValue::enum_member(info.type, i));
    return out;
  }
  wrong(at, "this value cannot be looped over in a constructor");
}

Py Elaborator::wrap(const IValue& value) const {
  if (value.is_sequence()) {
    auto seq = std::make_shared<PySeq>();
    seq->list = value.tag() == IValue::Tag::List;
    for (const IValue& item : value.items()) seq->items.push_back(wrap(item));
    return seq;
  }
  if (value.tag() != IValue::Tag::Dict) return Py(value);
  auto dict = std::make_shared<PyDict>();
  for (const auto& [key, item] : value.as_dict().items()) dict->items.emplace_back(key, wrap(item));
  return dict;
}

IValue Elaborator::value_of(const Py& value, const Expr& at) {
  if (const IValue* v = value.value()) return *v;
  if (PySeq* seq = value.seq()) {
    std::vector<IValue> items;
    Type element = TypeKind::Tensor;
    for (const Py& item : seq->items) {
      items.push_back(value_of(item, at));
      Type type = items.back().type().without_shapes();
      element = items.size() == 1 ? type : unify(element, type);
    }
    if (seq->list) return IValue::list(std::move(items), element);
    if (seq->named) return IValue::named_tuple(std::move(items), Type::of(seq->named->type));
    return IValue::tuple(std::move(items));
  }
  if (PyDict* dict = value.dict()) {
    std::vector<std::pair<IValue, IValue>> items;
    Type key = TypeKind::Str, mapped = TypeKind::Tensor;
    for (auto& [k, v] : dict->items) {
      items.emplace_back(k, value_of(v, at));
      key = items.size() == 1 ? k.type() : unify(key, k.type());
      Type type = items.back().second.type().without_shapes();
      mapped = items.size() == 1 ? type : unify(mapped, type);
    }
    IValue out = IValue::dict(key, mapped);
    for (auto& [k, v] : items) out.as_dict().set(k, v);
    return out;
  }
  if (value.instance()) wrong(at, "an object is no argument of this operation");
  wrong(at, fmt::format("'{}' is no value", value.ref()->path));
}

ExprPtr Elaborator::with_operands(const Expr& e, const std::vector<const Py*>& operands,
                                  size_t first, std::vector<std::pair<std::string, Type>>& types,
                                  std::vector<IValue>& values) {
  auto out = std::make_unique<Expr>();
  out->kind = e.kind;
  out->text = e.text;
  out->sign = e.sign;
  out->signs = e.signs;
  out->words = e.words;
  out->begin = e.begin;
  out->end = e.end;
  for (size_t i = 0; i < e.kids.size(); ++i) {
    bool operand = i >= first && i < first + operands.size();
    if (!operand) {
      out->kids.push_back(e.kids[i] ? copy_of(*e.kids[i]) : nullptr);
      continue;
    }
    auto name = std::make_unique<Expr>();
    name->kind = ExprKind::Name;
    name->text = fmt::format("%{}", i);
    name->begin = e.begin;
    name->end = e.end;
    const PySeq* seq = operands[i - first]->seq();
    if (seq && seq->list && seq->items.empty()) {  // of whatever the op wants
      name->kind = ExprKind::List;
      name->text.clear();
      out->kids.push_back(std::move(name));
      continue;
    }
    values.push_back(value_of(*operands[i - first], e));
    types.emplace_back(name->text, values.back().type().without_shapes());
    out->kids.push_back(std::move(name));
  }
  return out;
}

Py Elaborator::operate(const Expr& e, const std::vector<const Py*>& operands, size_t first) {
  std::vector<std::pair<std::string, Type>> types;
  std::vector<IValue> values;
  ExprPtr over = with_operands(e, operands, first, types, values);
  return evaluate(*over, types, values, e);
}

Py Elaborator::evaluate(const Expr& over, const std::vector<std::pair<std::string, Type>>& types,
                        const std::vector<IValue>& values, const Expr& e) {
  Function function;
  function.begin = e.begin;
  function.end = e.end;
  function.source = frame_->unit->source();
  Schema schema;
  std::unique_ptr<Graph> graph =
      Emitter(*frame_->unit, function, schema).run_expression(over, types);
  try {
    IValue result = interpret(*graph, values).at(0);
    charge_result(result, e);
    return wrap(result);
  } catch (const Error& error) {
    wrong(e, error.what());
  }
}

}  // namespace fusillade::front
