// Tensors of generated scripts: which rows are drawn where, writes through slices, loops over rows.
//
// A statement asks the graph generator for a node over what is in scope; the node's text is
// source_spell.cpp's. What the node needs beside that becomes a parameter of main, whose list is
// written last.
#include "engine/front/spelling.h"
#include "engine/ir/literal.h"
#include "engine/passes/effects.h"
#include "fuzz/case/granted.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostRows = 4;

bool is_plain_scalar(const Type& t) {
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

// TorchScript takes no bool for a number, though ATen does.
bool is_sayable(const Node* n) {
  for (size_t i = 0; i < n->inputs().size(); ++i) {
    const Type& formal = n->row().schema.args[i].type;
    bool number = formal.is(TypeKind::Number) ||
                  (formal.is(TypeKind::Optional) && formal.element().is(TypeKind::Number));
    if (number && n->input(static_cast<int>(i))->type().is(TypeKind::Bool)) return false;
  }
  return true;
}

// Can `from` be written to `to` by broadcasting?
bool broadcasts_to(const Dims& from, const Dims& to) {
  if (from.rank() > to.rank()) return false;
  for (int i = 1; i <= from.rank(); ++i) {
    int64_t size = from[from.rank() - i];
    if (size != 1 && size != to[to.rank() - i]) return false;
  }
  return true;
}

}  // namespace

std::vector<const Source::Var*> Source::tensor_vars() const {
  std::vector<const Var*> out;
  for (const Var& v : vars_) {
    if (v.type.is_tensor()) out.push_back(&v);
  }
  return out;
}

// What stands for a name in the builder's graph.
Value* Source::known(const std::string& name, const Type& type) {
  Value*& v = values_[name];
  if (!v || !(v->type() == type)) {
    v = builder_->stand_in(type);
    value_names_[v] = name;
  }
  return v;
}

// `like`: only of tensors of its sizes and dtype, and element-wise.
Node* Source::draft(const Type* like) {
  std::vector<Value*> tensors;
  std::vector<Value*> scalars;
  for (const Var& v : vars_) {
    bool fits = v.type.is_tensor() && (!like || (v.type.info().dtype == like->info().dtype &&
                                                 v.type.info().sizes == like->info().sizes));
    if (fits) tensors.push_back(known(v.name, v.type));
    bool number = v.type.is(TypeKind::Int) || v.type.is(TypeKind::Float);
    if (number) scalars.push_back(known(v.name, v.type));
  }
  Node* n = builder_->draft(tensors, scalars, like != nullptr);
  if (n) declare_inputs();
  if (!n || !is_sayable(n)) return nullptr;
  return pure_ && (n->row().schema.writes() || is_nondeterministic(n)) ? nullptr : n;
}

// Inputs that the builder added are parameters; the statements that follow may use them.
void Source::declare_inputs() {
  for (Value* v : builder_->graph().inputs()) {
    if (value_names_.count(v)) continue;
    bool places = is_granted(v->name());  // numbers of places: nothing else may use them
    std::string name = places ? v->name() : fresh("x");
    v->set_name(name);
    value_names_[v] = name;
    values_[name] = v;
    parameters_.emplace_back(name, v->type());
    if (!places) added_.push_back({name, v->type()});
  }
}

void Source::use_added() {
  vars_.insert(vars_.end(), added_.begin(), added_.end());
  added_.clear();
}

Text Source::tensor_leaf(const Type& type) {
  std::vector<const Var*> fitting = type.info().complete() ? of_type(type) : tensor_vars();
  if (fitting.empty()) return tensor_literal(type);
  size_t recent = std::min<size_t>(fitting.size(), 4);
  if (choices_.chance(0.5)) return {fitting[fitting.size() - 1 - choices_.below(recent)]->name};
  return {choices_.pick(fitting)->name};
}

Text Source::tensor_literal(const Type& type) {
  const TensorInfo& info = type.info();
  std::string value = is_float(info.dtype) ? "0.5" : info.dtype == DType::Bool ? "1" : "2";
  std::string f = std::string(front::op::kFull).substr(6);
  return {fmt::format("torch.{}({}, {}, dtype={})", f, print_literal(IValue::int_list(info.sizes)),
                      value, front::dtype_constant(info.dtype))};
}

Text Source::tensor_expression(const Type& type, int depth) {
  constexpr int kTries = 2;
  bool exact = type.info().complete();
  for (int i = 0; i < kTries; ++i) {
    Node* n = draft(exact ? &type : nullptr);
    bool fits = n && n->outputs().size() == 1 && n->output()->type().is_tensor();
    if (fits && (!exact || n->output()->type() == type)) return spelled(n, depth);
  }
  return tensor_leaf(type);
}

// Something to put into a container, to unpack, to hand on.
Type Source::draw_item() {
  std::vector<const Var*> known = tensor_vars();
  if (known.empty() || choices_.chance(0.4)) return draw_scalar();
  return choices_.pick(known)->type;
}

// One node as a statement. False: no row fits.
bool Source::tensor_node() {
  Node* n = draft(nullptr);
  if (!n) return false;
  bool reads = false;
  for (const Value* v : n->inputs()) {
    reads = reads || v->type().is_tensor() || v->node()->is(prim::list_construct());
  }
  if (!reads && n->row().kind == OpKind::Scalar) return false;
  if (n->row().in_place && choices_.chance(0.5) && augmented_statement(n)) return true;
  std::vector<Value*> results(n->outputs().begin(), n->outputs().end());
  if (results.size() == 1 && results[0]->type().is(TypeKind::List) && !results[0]->unused()) {
    const Node* unpacked = results[0]->uses()[0].user;  // a list of views
    results.assign(unpacked->outputs().begin(), unpacked->outputs().end());
  }
  std::string text = spelled(n, 0).s;
  bool discards = results.empty() || (n->row().in_place && choices_.chance(0.5));
  if (discards) {
    line(text);
    return true;
  }
  std::string targets;
  std::vector<Var> made;
  for (const Value* v : results) {
    made.push_back({fresh("v"), v->type()});
    targets += (targets.empty() ? "" : ", ") + made.back().name;
  }
  if (results.size() == 1 && results[0] != (n->outputs().empty() ? nullptr : n->output()))
    targets += ",";
  line(targets + " = " + text);
  for (Var& v : made) {
    bool useful = is_plain_scalar(v.type) || (v.type.is_tensor() && v.type.info().complete());
    if (useful) vars_.push_back(std::move(v));
  }
  return true;
}

// x += y
bool Source::augmented_statement(const Node* n) {
  static constexpr const char* kOps[] = {"+", "-", "*", "/", "%", "//", "&", "|", "^", "<<", ">>"};
  if (n->inputs().size() < 2 || !defaults_from(n, 2)) return false;
  for (const char* op : kOps) {
    if (n->row().schema.name != front::augmented_op(op, true)) continue;
    const std::string target = value_names_.at(n->input(0));
    for (const Var& v : vars_) {
      if (v.name == target && v.fixed) return false;
    }
    line(target + " " + op + "= " + argument_text(n, 1, 1).s);
    return true;
  }
  return false;
}

// "x[1:, ..., 0]" of a tensor of at least one dimension, and its type.
std::string Source::part_of(const Var& v, Type* part) {
  const TensorInfo& whole = v.type.info();
  TensorInfo info = whole;
  info.sizes = info.strides = Dims();
  std::string items;
  int rank = whole.sizes.rank();
  int given = static_cast<int>(choices_.between(1, rank));
  bool from_end = given < rank && choices_.chance(0.3);
  for (int d = 0; d < rank; ++d) {
    int64_t size = whole.sizes[d];
    int64_t stride = whole.strides[d];
    bool named = from_end ? d >= rank - given : d < given;
    uint64_t kind = named ? choices_.below(5) : 0;
    if (named && kind == 4 && size > 0) {
      items += fmt::format(", {}", choices_.between(-size, size - 1));
      continue;
    }
    int64_t start = kind >= 2 ? choices_.between(0, size) : 0;
    int64_t end = kind == 1 || kind == 3 ? choices_.between(start, size) : size;
    int64_t step = kind == 3 && choices_.chance(0.5) ? 2 : 1;
    if (named) {
      items += ", " + (start ? std::to_string(start) : "") + ":" +
               (end < size ? std::to_string(end) : "");
      if (step > 1) items += ":" + std::to_string(step);
    }
    info.sizes.push_back((end - start + step - 1) / step);
    info.strides.push_back(stride * step);
  }
  *part = Type::tensor(info);
  return v.name + "[" + (from_end ? "..., " : "") + items.substr(2) + "]";
}

// x[1:] = y, x[0] += 2, v = x[:, 1]
bool Source::slice_statement() {
  std::vector<const Var*> fitting;
  for (const Var* v : tensor_vars()) {
    if (v->type.info().sizes.rank() > 0) fitting.push_back(v);
  }
  if (fitting.empty()) return false;
  const Var base = *choices_.pick(fitting);
  Type type;
  std::string part = part_of(base, &type);
  if (pure_ || overlaps(base.type.info()) || choices_.chance(0.3)) {
    std::string name = fresh("v");
    line(name + " = " + part);
    vars_.push_back({name, type});
    return true;
  }
  write_part(part, type);
  return true;
}

void Source::write_part(const std::string& part, const Type& type) {
  const DType dtype = type.info().dtype;
  bool adds = dtype != DType::Bool && choices_.chance(0.4);
  std::vector<std::string> values;
  for (const Var* v : tensor_vars()) {
    const TensorInfo& info = v->type.info();
    bool holds =
        !adds || static_cast<int>(category_of(info.dtype)) <= static_cast<int>(category_of(dtype));
    if (holds && broadcasts_to(info.sizes, type.info().sizes)) values.push_back(v->name);
  }
  std::string value = is_float(dtype)        ? literal(TypeKind::Float).s
                      : dtype == DType::Bool ? "True"
                                             : "3";
  if (!values.empty() && choices_.chance(0.7)) value = choices_.pick(values);
  static constexpr const char* kOps[] = {" += ", " -= ", " *= "};
  line(part + (adds ? kOps[choices_.below(3)] : " = ") + value);
}

void Source::tensor_statement() {
  if (!layers_.empty() && choices_.chance(0.12) && layer_loop()) return;
  uint64_t kind = choices_.below(10);
  bool done = kind < 7 ? tensor_node() : kind < 9 ? slice_statement() : false;
  if (!done) define();
}

// for row in x:
bool Source::for_rows(int depth) {
  std::vector<const Var*> fitting;
  for (const Var* v : tensor_vars()) {
    const Dims& sizes = v->type.info().sizes;
    if (sizes.rank() > 0 && sizes[0] <= kMostRows) fitting.push_back(v);
  }
  if (fitting.empty()) return false;
  const Var over = *choices_.pick(fitting);
  TensorInfo row = over.type.info();
  int64_t turns = std::max<int64_t>(row.sizes[0], 1);
  row.sizes.erase(0);
  row.strides.erase(0);
  std::string name = fresh("i");
  std::vector<Var> own{{name, Type::tensor(row), true}};
  std::string head = fmt::format("for {} in {}:", name, over.name);
  if (choices_.chance(0.3)) {
    std::string at = fresh("i");
    own.push_back({at, TypeKind::Int, true});
    head = fmt::format("for {}, {} in enumerate({}):", at, name, over.name);
  }
  loop(depth, head, turns, own, "");
  return true;
}

}  // namespace fusillade::fuzz
