// See builder.h. (law: rules name ops)
#include "engine/run/onnx/builder.h"

#include <cctype>

#include "engine/base/error.h"
#include "engine/ops/class_type.h"
#include "engine/ops/infer.h"

namespace fusillade::onnx {
namespace {

constexpr const char* kClass = "__torch__.Onnx";
constexpr const char* kTraining = "training";

ArgInfo info_of(const IValue& value) { return {value.type(), value, true, {}}; }

bool same_in_trials(const std::array<int64_t, kTrials>& n) { return n[0] == n[1]; }

}  // namespace

std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "v");
  return out;
}

DType Term::dtype() const {
  if (!info().has_dtype) fail("the dtype of %{} is not known", value->name());
  return info().dtype;
}

bool Term::has_sizes() const {
  for (const ArgInfo& k : known) {
    if (!k.type.is_tensor() || !k.type.info().rank_known) return false;
    for (const int64_t n : k.type.info().sizes)
      if (n < 0) return false;
  }
  return true;
}

int Term::rank() const {
  if (!info().rank_known)
    fail("it depends on elements how many dimensions '{}' has", value->name());
  return info().sizes.rank();
}

Builder::Builder() : graph_(std::make_shared<Graph>()) {
  graph_->name = "forward";
  self_ = graph_->add_input();
  self_->set_name("self");
  schema_.name = "forward";
  schema_.args.emplace_back().name = "self";
}

Term Builder::input(const std::string& name, DType dtype, const std::vector<Count>& sizes) {
  TensorInfo declared;
  declared.has_dtype = declared.rank_known = true;
  declared.dtype = dtype;
  Term out;
  for (size_t t = 0; t < kTrials; ++t) {
    Dims dims;
    for (const Count& n : sizes) dims.push_back(n.trial[t]);
    out.known[t] = {Type::tensor(dtype, dims), {}, false, {}};
  }
  for (const Count& n : sizes) declared.sizes.push_back(same_in_trials(n.trial) ? n.number() : -1);
  out.value = graph_->add_input(Type::tensor(declared));
  const std::string plain = plain_name(name);
  const int before = names_[plain]++;
  const std::string unique = before ? fmt::format("{}_{}", plain, before) : plain;
  out.value->set_name(unique);
  schema_.args.emplace_back().name = unique;
  schema_.args.back().type = TypeKind::Tensor;
  return out;
}

Term Builder::attribute(const std::string& name, const Tensor& tensor) {
  std::string field = plain_name(name);
  if (field == kTraining || field == "forward") field += "_";
  if (const int before = names_["self." + field]++; before)
    field = fmt::format("{}_of_{}", field, before);
  Node* n = graph_->create(prim::get_attr(), {self_}, 1);
  n->set_attr("name", IValue::str(field));
  // Attributes stand first, in the order in which they are asked for.
  const Node* last =
      attributes_.empty() ? graph_->block()->param_node() : attributes_.back().value->node();
  n->insert_before(last->next());
  n->range = range_;
  n->output()->set_name(field);
  attributes_.push_back({field, tensor, n->output()});
  const ArgInfo known{Type::tensor(tensor.dtype(), tensor.sizes()), {}, false, {}};
  return {n->output(), {known, known}};
}

Value* Builder::literal(IValue value) {
  budget_.spend(Budget::kNode);
  return graph_->constant(std::move(value));
}

Node* Builder::append(const Operator& op, const std::vector<Value*>& inputs) {
  budget_.spend(Budget::kNode + inputs.size());
  Node* n = graph_->append(op, inputs);
  n->range = range_;
  return n;
}

Builder::Given Builder::constant(const IValue& value) {
  return {literal(value), {info_of(value), info_of(value)}};
}

Value* Builder::value_of(const Count& count) {
  return count.value ? count.value : literal(IValue(count.number()));
}

Builder::Given Builder::counts(const Counts& list) {
  budget_.spend(list.size());
  std::array<std::vector<IValue>, kTrials> items;
  bool known = true;
  for (const Count& n : list) {
    for (size_t t = 0; t < kTrials; ++t) items[t].emplace_back(n.trial[t]);
    known = known && n.is_known();
  }
  Given out{};
  for (size_t t = 0; t < kTrials; ++t)
    out.known[t] = info_of(IValue::list(std::move(items[t]), TypeKind::Int));
  if (known) {
    out.value = literal(out.known[0].value);
    return out;
  }
  std::vector<Value*> values;
  for (const Count& n : list) values.push_back(value_of(n));
  out.value = append(prim::list_construct(), values)->output();
  out.value->set_type(Type::list(TypeKind::Int));
  return out;
}

Builder::Given Builder::terms(const std::vector<Term>& list, const Type& formal) {
  Given out{};
  std::vector<Value*> values;
  for (ArgInfo& info : out.known) info.type = formal;
  for (const Term& term : list) {
    values.push_back(term.value);
    for (size_t t = 0; t < kTrials; ++t) out.known[t].items.push_back(term.known[t].type);
  }
  out.value = append(prim::list_construct(), values)->output();
  out.value->set_type(formal);
  return out;
}

Builder::Given Builder::realise(const Arg& arg, const Type& formal) {
  if (const auto* value = std::get_if<IValue>(&arg.is)) {
    const bool real = formal.is(TypeKind::Float) ||
                      (formal.is(TypeKind::Optional) && formal.element().is(TypeKind::Float));
    return constant(real && value->is_int() ? IValue(static_cast<double>(value->as_int()))
                                            : *value);
  }
  if (const auto* term = std::get_if<Term>(&arg.is)) return {term->value, term->known};
  if (const auto* list = std::get_if<Counts>(&arg.is)) return counts(*list);
  if (const auto* list = std::get_if<std::vector<Term>>(&arg.is)) return terms(*list, formal);
  const Count& count = std::get<Count>(arg.is);
  Given out{value_of(count), {}};
  for (size_t t = 0; t < kTrials; ++t) out.known[t] = info_of(IValue(count.trial[t]));
  return out;
}

std::vector<Term> Builder::call_all(const std::string& name, Args args) {
  const Operator& op = operator_named(name);
  const std::vector<SchemaArg>& formal = op.schema.args;
  FUS_CHECK(args.size() <= formal.size(), "{} takes {} arguments", name, formal.size());
  for (size_t i = args.size(); i < formal.size(); ++i) {
    FUS_CHECK(formal[i].has_default, "{}: '{}' is not given", name, formal[i].name);
    args.emplace_back(formal[i].default_value);
  }
  std::vector<Value*> inputs;
  std::array<std::vector<ArgInfo>, kTrials> infos;
  for (size_t i = 0; i < args.size(); ++i) {
    Given g = realise(args[i], formal[i].type);
    inputs.push_back(g.value);
    for (size_t t = 0; t < kTrials; ++t) infos[t].push_back(std::move(g.known[t]));
  }
  std::array<std::vector<Type>, kTrials> types;
  for (size_t t = 0; t < kTrials; ++t) {
    if (t && infos[t].empty()) types[t] = types[0];
    else infer_results(op, infos[t], types[t]);
  }
  Node* n = append(op, inputs);
  std::vector<Term> out;
  for (size_t i = 0; i < n->outputs().size(); ++i) {
    Term& term = out.emplace_back();
    term.value = n->output(static_cast<int>(i));
    for (size_t t = 0; t < kTrials; ++t)
      term.known[t] = {i < types[t].size() ? types[t][i] : Type(TypeKind::Tensor), {}, false, {}};
  }
  return out;
}

Count Builder::size(const Term& of, int dim) {
  if (dim < 0 || of.rank() <= dim)
    fail("a tensor of {} dimensions, and size {} is asked for", of.rank(), dim);
  Count out;
  for (size_t t = 0; t < kTrials; ++t) {
    out.trial[t] = of.info(static_cast<int>(t)).sizes[dim];
    if (out.trial[t] < 0) fail("it depends on elements which sizes '{}' has", of.value->name());
  }
  if (same_in_trials(out.trial)) return out;
  const Operator& op = operator_named("aten::size.int");
  out.value = append(op, {of.value, literal(IValue(dim))})->output();
  return out;
}

Counts Builder::sizes(const Term& of) {
  Counts out;
  for (int i = 0; i < of.rank(); ++i) out.push_back(size(of, i));
  return out;
}

Count Builder::arithmetic(const char* op, const Count& a, const Count& b) {
  Count out;
  const std::string_view word = op;
  for (size_t t = 0; t < kTrials; ++t) {
    const int64_t x = a.trial[t], y = b.trial[t];
    bool overflow = false;
    if (word == "add") overflow = __builtin_add_overflow(x, y, &out.trial[t]);
    else if (word == "sub") overflow = __builtin_sub_overflow(x, y, &out.trial[t]);
    else if (word == "mul") overflow = __builtin_mul_overflow(x, y, &out.trial[t]);
    else if (y == 0 || (y == -1 && x == INT64_MIN)) fail("{} is divided by {}", x, y);
    else out.trial[t] = x / y - (x % y != 0 && (x < 0) != (y < 0));
    if (overflow) fail("a size that no 64 bits hold");
  }
  if (a.is_known() && b.is_known()) return out;
  const Operator& found =
      operator_named(word == "floordiv" ? "aten::floordiv.int" : fmt::format("aten::{}.int", word));
  out.value = append(found, {value_of(a), value_of(b)})->output();
  return out;
}

void Builder::name(const Term& term, const std::string& text) {
  if (term.value->name().empty() && !term.value->node()->is(prim::constant()))
    term.value->set_name(plain_name(text));
}

Module Builder::finish(const std::vector<Term>& results) {
  std::vector<Value*> values;
  for (const Term& term : results) values.push_back(term.value);
  Value* out = values.size() == 1 ? values[0] : append(prim::tuple_construct(), values)->output();
  graph_->add_output(out);
  auto cls = std::make_shared<ClassType>();
  cls->name = kClass;
  cls->kind = ClassType::Kind::Module;
  cls->fields.push_back({.name = kTraining, .type = TypeKind::Bool});
  for (const Attribute& a : attributes_)
    cls->fields.push_back(
        {.name = a.name,
         .type = TypeKind::Tensor,
         .kind = is_float(a.tensor.dtype()) ? Field::Kind::Parameter : Field::Kind::Buffer});
  IValue object = IValue::object(cls);
  object.as_object().slots[0] = IValue(false);
  for (size_t i = 0; i < attributes_.size(); ++i)
    object.as_object().slots[i + 1] = IValue(attributes_[i].tensor);
  self_->set_type(Type::of(cls));
  schema_.args[0].type = self_->type();
  schema_.results.emplace_back().type = out->type().without_shapes();
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(cls);
  unit->functions[std::string(kClass) + ".forward"] = {std::move(schema_), graph_};
  return {object, unit};
}

}  // namespace fusillade::onnx
