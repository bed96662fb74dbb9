// Tensors of generated scripts: which operators are drawn where, writes through slices, loops over
// operators.
//
// A statement asks the graph generator for a node over what is in scope; the node's text is
// source_spell.cpp's. Its other operands become parameters of main, whose list is written last.
#include "engine/front/sign.h"
#include "engine/front/spelling.h"
#include "engine/ir/literal.h"
#include "engine/passes/effects.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr int64_t kMostRows = 4;

bool is_plain_scalar(const Type& t) {
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

// TorchScript takes no bool for a number, though ATen does.
bool is_sayable(const Node* n) {
  for (size_t i = 0; i < n->inputs().size(); ++i) {
    const Type& formal = n->op().schema.args[i].type;
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

bool augmented_statement(Writer& w, const Node* n);

// The value of a name in the graph.
Value* graph_value(Writer& w, const std::string& name, const Type& type) {
  Value*& v = w.values[name];
  if (!v || !(v->type() == type)) {
    v = stand_in(*w.graph, type);
    w.value_names[v] = name;
  }
  return v;
}

// `like`: only of tensors of its sizes and dtype, and element-wise.
Node* draft_here(Writer& w, const Type* like) {
  std::vector<Value*> tensors;
  std::vector<Value*> scalars;
  for (const Var& v : w.vars) {
    bool fits = v.type.is_tensor() && (!like || (v.type.info().dtype == like->info().dtype &&
                                                 v.type.info().sizes == like->info().sizes));
    if (fits) tensors.push_back(graph_value(w, v.name, v.type));
    bool number = v.type.is(TypeKind::Int) || v.type.is(TypeKind::Float);
    if (number) scalars.push_back(graph_value(w, v.name, v.type));
  }
  Node* n = draft_node(*w.graph, tensors, scalars, like != nullptr);
  if (n) declare_inputs(w);
  if (!n || !is_sayable(n)) return nullptr;
  return w.pure && (n->op().schema.writes() || is_nondeterministic(n)) ? nullptr : n;
}

// One node as a statement. False: no operator fits.
bool tensor_node(Writer& w) {
  Node* n = draft_here(w, nullptr);
  if (!n) return false;
  bool reads = false;
  for (const Value* v : n->inputs()) {
    reads = reads || v->type().is_tensor() || v->node()->is(prim::list_construct());
  }
  if (!reads && n->op().kind == OpKind::Scalar) return false;
  if (n->op().in_place && w.choices.chance(0.5) && augmented_statement(w, n)) return true;
  std::vector<Value*> results(n->outputs().begin(), n->outputs().end());
  if (results.size() == 1 && results[0]->type().is(TypeKind::List) && !results[0]->is_unused()) {
    const Node* unpacked = results[0]->uses()[0].user;  // a list of views
    results.assign(unpacked->outputs().begin(), unpacked->outputs().end());
  }
  std::string text = node_text(w, n, 0).s;
  bool discards = results.empty() || (n->op().in_place && w.choices.chance(0.5));
  if (discards) {
    line(w, text);
    return true;
  }
  std::string targets;
  std::vector<Var> new_vars;
  for (const Value* v : results) {
    new_vars.push_back({fresh(w, "v"), v->type()});
    targets += (targets.empty() ? "" : ", ") + new_vars.back().name;
  }
  if (results.size() == 1 && results[0] != (n->outputs().empty() ? nullptr : n->output()))
    targets += ",";
  line(w, targets + " = " + text);
  for (Var& v : new_vars) {
    bool useful = is_plain_scalar(v.type) || (v.type.is_tensor() && v.type.info().complete());
    if (useful) w.vars.push_back(std::move(v));
  }
  return true;
}

// x += y
bool augmented_statement(Writer& w, const Node* n) {
  static constexpr const char* kOps[] = {"+", "-", "*", "/", "%", "//", "&", "|", "^", "<<", ">>"};
  if (n->inputs().size() < 2 || !defaults_from(n, 2)) return false;
  for (const char* op : kOps) {
    if (n->op().schema.name != sign_row(front::sign_of(op)).in_place) continue;
    const std::string target = w.value_names.at(n->input(0));
    for (const Var& v : w.vars) {
      if (v.name == target && v.fixed) return false;
    }
    line(w, target + " " + op + "= " + argument_text(w, n, 1, 1).s);
    return true;
  }
  return false;
}

// x[1:] = y, x[0] += 2, v = x[:, 1]
bool slice_statement(Writer& w) {
  std::vector<const Var*> fitting;
  for (const Var* v : tensor_vars(w)) {
    if (v->type.info().sizes.rank() > 0) fitting.push_back(v);
  }
  if (fitting.empty()) return false;
  const Var base = *w.choices.pick(fitting);
  Type type;
  std::string part = part_of(w, base, &type);
  if (w.pure || overlaps(base.type.info()) || w.choices.chance(0.3)) {
    std::string name = fresh(w, "v");
    line(w, name + " = " + part);
    w.vars.push_back({name, type});
    return true;
  }
  write_part(w, part, type);
  return true;
}

End tensor_statement(Writer& w, int depth) {
  return draw_statement(w, Grammar::TensorStatement, depth);
}

// for row in x:
bool for_rows(Writer& w, int depth) {
  std::vector<const Var*> fitting;
  for (const Var* v : tensor_vars(w)) {
    const Dims& sizes = v->type.info().sizes;
    if (sizes.rank() > 0 && sizes[0] <= kMostRows) fitting.push_back(v);
  }
  if (fitting.empty()) return false;
  const Var over = *w.choices.pick(fitting);
  TensorInfo row = over.type.info();
  int64_t iterations = std::max<int64_t>(row.sizes[0], 1);
  row.sizes.erase(0);
  row.strides.erase(0);
  std::string name = fresh(w, "i");
  std::vector<Var> own{{name, Type::tensor(row), true}};
  std::string head = fmt::format("for {} in {}:", name, over.name);
  if (w.choices.chance(0.3)) {
    std::string at = fresh(w, "i");
    own.push_back({at, TypeKind::Int, true});
    head = fmt::format("for {}, {} in enumerate({}):", at, name, over.name);
  }
  loop(w, depth, head, iterations, own, "");
  return true;
}

[[maybe_unused]] const bool kStatement = add_productions(
    Grammar::Statement, 2,
    {{"script.tensor", "a statement about tensors, where the policy has them", 0.55,
      tensor_statement, kAnyDepth, kAskedFirst, [](const Writer& w) { return w.tensors; }}});
[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::TensorStatement, 1,
    {{"script.for_rows", "a loop over the first dimension of a tensor", 0.06,
      [](Writer& w, int depth) { return for_rows(w, depth) ? End::Falls : End::None; },
      kMostNesting, kAskedFirst},
     {"script.node", "an operator, drawn as those of graphs", 7, where_it_fits<tensor_node>},
     {"script.slice", "a part of a tensor, read or written", 2, where_it_fits<slice_statement>},
     {"script.beside", "a new name for a value of any type, in a script with tensors", 1,
      always<define>}});

}  // namespace

std::vector<const Var*> tensor_vars(const Writer& w) {
  std::vector<const Var*> out;
  for (const Var& v : w.vars) {
    if (v.type.is_tensor()) out.push_back(&v);
  }
  return out;
}

// Inputs that a node added are parameters; the statements that follow may use them.
void declare_inputs(Writer& w) {
  for (Value* v : w.graph->graph->inputs()) {
    if (w.value_names.count(v)) continue;
    bool indices = is_range_name(v->name());  // indices: nothing else may use them
    std::string name = indices ? v->name() : fresh(w, "x");
    v->set_name(name);
    w.value_names[v] = name;
    w.values[name] = v;
    w.parameters.emplace_back(name, v->type());
    if (!indices) w.added.push_back({name, v->type()});
  }
}

void use_added(Writer& w) {
  w.vars.insert(w.vars.end(), w.added.begin(), w.added.end());
  w.added.clear();
}

Text tensor_leaf(Writer& w, const Type& type) {
  std::vector<const Var*> fitting = type.info().complete() ? of_type(w, type) : tensor_vars(w);
  if (fitting.empty()) return tensor_literal(type);
  size_t recent = std::min<size_t>(fitting.size(), 4);
  if (w.choices.chance(0.5)) return {fitting[fitting.size() - 1 - w.choices.below(recent)]->name};
  return {w.choices.pick(fitting)->name};
}

Text tensor_literal(const Type& type) {
  const TensorInfo& info = type.info();
  std::string value = is_float(info.dtype) ? "0.5" : info.dtype == DType::Bool ? "1" : "2";
  std::string f = std::string(front::op::kFull).substr(6);
  return {fmt::format("torch.{}({}, {}, dtype={})", f, print_literal(IValue::int_list(info.sizes)),
                      value, front::dtype_constant(info.dtype))};
}

Text tensor_expression(Writer& w, const Type& type, int depth) {
  constexpr int kTries = 2;
  bool exact = type.info().complete();
  for (int i = 0; i < kTries; ++i) {
    Node* n = draft_here(w, exact ? &type : nullptr);
    bool fits = n && n->outputs().size() == 1 && n->output()->type().is_tensor();
    if (fits && (!exact || n->output()->type() == type)) return node_text(w, n, depth);
  }
  return tensor_leaf(w, type);
}

// Something to put into a container, to unpack, to hand on.
Type draw_item(Writer& w) {
  std::vector<const Var*> known = tensor_vars(w);
  if (known.empty() || w.choices.chance(0.4)) return draw_scalar(w);
  return w.choices.pick(known)->type;
}

// "x[1:, ..., 0]" of a tensor of at least one dimension, and its type.
std::string part_of(Writer& w, const Var& v, Type* part) {
  const TensorInfo& whole = v.type.info();
  TensorInfo info = whole;
  info.sizes = info.strides = Dims();
  std::string items;
  int rank = whole.sizes.rank();
  int given = static_cast<int>(w.choices.between(1, rank));
  bool from_end = given < rank && w.choices.chance(0.3);
  for (int d = 0; d < rank; ++d) {
    int64_t size = whole.sizes[d];
    int64_t stride = whole.strides[d];
    bool named = from_end ? d >= rank - given : d < given;
    if (named && size > 0 && w.choices.chance(0.2)) {
      items += fmt::format(", {}", w.choices.between(-size, size - 1));
      continue;
    }
    const bool starts = named && w.choices.chance(0.5), ends = named && w.choices.chance(0.5);
    int64_t start = starts ? w.choices.between(0, size) : 0;
    int64_t end = ends ? w.choices.between(start, size) : size;
    int64_t step = starts && ends && w.choices.chance(0.5) ? 2 : 1;
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

void write_part(Writer& w, const std::string& part, const Type& type) {
  const DType dtype = type.info().dtype;
  bool adds = dtype != DType::Bool && w.choices.chance(0.4);
  std::vector<std::string> values;
  for (const Var* v : tensor_vars(w)) {
    const TensorInfo& info = v->type.info();
    bool holds =
        !adds || static_cast<int>(category_of(info.dtype)) <= static_cast<int>(category_of(dtype));
    if (holds && broadcasts_to(info.sizes, type.info().sizes)) values.push_back(v->name);
  }
  std::string value = is_float(dtype)        ? literal(w, TypeKind::Float).s
                      : dtype == DType::Bool ? "True"
                                             : "3";
  if (!values.empty() && w.choices.chance(0.7)) value = w.choices.pick(values);
  static constexpr const char* kOps[] = {" += ", " -= ", " *= "};
  line(w, part + (adds ? kOps[w.choices.below(3)] : " = ") + value);
}

}  // namespace fusillade::fuzz::source
