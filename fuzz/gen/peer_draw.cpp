// Draws patterns of other compilers (peer_patterns.h) into programs: whole, or one condition
// broken.
#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ops/draws.h"
#include "engine/ops/infer.h"
#include "engine/passes/constants.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/peer_patterns.h"

namespace fusillade::fuzz {
namespace {

using Kind = Pattern::Kind;

constexpr int64_t kExtents[] = {2, 3, 4, 5, 8, 7, 1, 16, 32, 33, 64};
constexpr int kExtentWeights[] = {6, 6, 5, 3, 4, 2, 2, 2, 1, 1, 1};
constexpr double kFactors[] = {0.5, 0.125, 2, 1, 0.70710678118654757, 3, -1, 0, 0.1};

bool same(const Pattern& a, const Pattern& b) {
  if (a.kind != b.kind || a.name != b.name || a.args.size() != b.args.size()) return false;
  if (a.kind == Kind::Literal && !same_constant(a.literal, b.literal)) return false;
  return std::ranges::equal(a.args, b.args, same);
}

bool is_size_name(const std::string& name) { return name.front() >= 'A' && name.front() <= 'Z'; }

constexpr std::string_view kBelow = "below:";
bool is_index(const PeerOperand& o) { return o.kind.starts_with(kBelow); }
bool is_number(const PeerOperand& o) { return o.kind == "num" || o.kind == "int"; }

bool is_whole_tensor(const Type& type) { return type.is_tensor() && type.info().complete(); }

class PeerWriter {
 public:
  PeerWriter(GraphState& g, const PeerTree& tree, Broken broken)
      : g_(g), tree_(tree), broken_(broken) {}

  Value* run() {
    Node* end = g_.block->return_node();
    const Node* before = end->prev();
    const size_t tensors = g_.tensors.size(), scalars = g_.scalars.size();
    const size_t inputs = g_.graph->inputs().size();
    Value* result = choose() ? value_of(*written_) : nullptr;
    if (result && result->type().is_tensor() && result->node()->block() == g_.block) {
      finish(result);
      return result;
    }
    while (end->prev() != before) end->prev()->destroy();
    g_.tensors.resize(tensors);
    g_.scalars.resize(scalars);
    while (g_.graph->inputs().size() > inputs)
      g_.graph->block()->remove_param(static_cast<int>(g_.graph->inputs().size()) - 1);
    return nullptr;
  }

 private:
  // --- what is drawn for the whole

  // False where the pattern has no such condition.
  bool choose() {
    written_ = broken_ <= Broken::Op && broken_ != Broken::None ? nullptr : &tree_.whole;
    for (const auto& [kind, misses] : tree_.misses)
      if (kind == broken_) written_ = &g_.choices.pick(misses);
    std::vector<std::string> plain;
    for (const PeerOperand& o : tree_.operands)
      if (!is_number(o) && !is_index(o)) plain.push_back(o.name);
    const bool one = broken_ == Broken::DType || broken_ == Broken::Broadcast;
    if (one && !plain.empty()) odd_ = g_.choices.pick(plain);
    const bool other = broken_ != Broken::None && broken_ < Broken::Write;
    if (!written_ || (one && plain.empty()) || (other && tree_.checks_late)) return false;
    const Value* like = g_.tensors.empty() ? nullptr : pick_tensor(g_);
    const bool near = like && is_whole_tensor(like->type()) && g_.choices.chance(0.6);
    base_ = near ? like->type().info().sizes : base_sizes(g_);
    dtype_ = near && g_.choices.chance(0.4) ? like->type().info().dtype : draw_main_dtype();
    for (int64_t n = g_.choices.between(0, 2); n > 0; --n) leading_.push_back(extent());
    write_at_ = static_cast<int>(g_.choices.below(tree_.ops.size()));
    return true;
  }

  DType draw_main_dtype() {
    const uint64_t at = g_.choices.below(100);
    if (at < 80) return DType::F32;
    if (at < 84) return DType::F16;
    if (at < 87) return DType::BF16;
    if (at < 92) return DType::F64;
    return at < 96 ? DType::I32 : DType::I64;
  }

  int64_t extent() {
    int total = 0;
    for (const int w : kExtentWeights) total += w;
    int at = static_cast<int>(g_.choices.below(static_cast<uint64_t>(total)));
    size_t i = 0;
    while (at >= kExtentWeights[i]) at -= kExtentWeights[i++];
    return kExtents[i];
  }

  // A digit is itself; E is even, F its half.
  int64_t size_of(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter == 'F') return size_of('E') / 2;
    if (const auto known = sizes_.find(letter); known != sizes_.end()) return known->second;
    const int64_t drawn = letter == 'E' ? 2 * g_.choices.between(1, 5) : extent();
    return sizes_.emplace(letter, drawn).first->second;
  }

  Dims sizes_for(const std::string& text) {
    if (text == "*") return base_;
    Dims out;
    for (const char c : text) {
      if (c != '*') {
        out.push_back(size_of(c));
        continue;
      }
      for (const int64_t d : leading_) out.push_back(d);
    }
    return out;
  }

  // --- operands

  Dims broadcast_of(Dims sizes) {
    if (sizes.rank() > 0 && g_.choices.chance(0.6)) {
      sizes[static_cast<int>(g_.choices.below(static_cast<uint64_t>(sizes.rank())))] = 1;
    } else if (sizes.rank() > 0 && g_.choices.chance(0.6)) {
      sizes.erase(0);
    } else if (sizes.rank() < kMaxRank) {
      sizes.insert(0, g_.choices.between(1, 3));
    }
    return sizes;
  }

  DType other_dtype(DType than) {
    for (int i = 0; i < 4; ++i) {
      const auto drawn = static_cast<DType>(g_.choices.below(kNumDTypes));
      if (drawn != than) return drawn;
    }
    return than == DType::F16 ? DType::F32 : DType::F16;
  }

  // An extra variable of a near miss is of what the one beside it is.
  const PeerOperand& operand_of(const std::string& name) {
    static const PeerOperand any;
    for (const PeerOperand& o : tree_.operands)
      if (o.name == name || (name.size() == o.name.size() + 1 && name == o.name + "2")) return o;
    return any;
  }

  Value* constant(IValue value) {
    return g_.graph->constant(std::move(value), g_.block->return_node());
  }

  Value* number() {
    if (!g_.closed && !g_.nested && g_.choices.chance(0.1))
      return g_.graph->add_input(TypeKind::Float);
    return constant(IValue(kFactors[g_.choices.below(std::size(kFactors))]));
  }

  Value* input(DType dtype, const Dims& sizes, const std::string& kind) {
    const bool indices = kind.starts_with(kBelow);
    Value* v = add_input(g_, dtype, sizes, indices || g_.choices.chance(0.7));
    if (v && indices)
      v->set_name(fmt::format("from_0_to_{}_n{}",
                              std::max<int64_t>(size_of(kind[kBelow.size()]) - 1, 0),
                              g_.graph->inputs().size()));
    return v;
  }

  // A tensor that compilers fold; null where the operators are not there.
  Value* known_tensor(DType dtype, const Dims& sizes) {
    static const Operator& full = operator_named("aten::full");
    const IValue size = IValue::int_list(sizes);
    Node* n = append_node(full, {constant(size), constant(IValue(kFactors[g_.choices.below(7)])),
                                 constant(IValue(int64_t{row_of(dtype).aten_code}))});
    return n ? n->output() : nullptr;
  }

  Value* operand(const std::string& name) {
    const PeerOperand& said = operand_of(name);
    if (said.kind == "num") return number();
    if (said.kind == "int") return constant(IValue(g_.choices.between(0, 3)));
    const bool indices = is_index(said);
    DType dtype = dtype_;
    for (int i = 0; i < kNumDTypes; ++i)
      if (said.kind == name_of(static_cast<DType>(i))) dtype = static_cast<DType>(i);
    if (indices) dtype = g_.choices.chance(0.8) ? DType::I64 : DType::I32;
    Dims sizes = sizes_for(said.sizes);
    if (name == odd_ && broken_ == Broken::DType) dtype = other_dtype(dtype);
    if (name == odd_ && broken_ == Broken::Broadcast) sizes = broadcast_of(sizes);
    if (indices) return input(dtype, sizes, said.kind);
    if (!values_.empty() && is_float(dtype) && g_.choices.chance(0.15))
      if (Value* v = known_tensor(dtype, sizes)) return v;
    if (g_.choices.chance(0.35))
      if (Value* v = in_scope_like(dtype, sizes)) return v;
    return input(dtype, sizes, said.kind);
  }

  Value* in_scope_like(DType dtype, const Dims& sizes) {
    for (size_t i = g_.tensors.size(); i > 0; --i) {
      Value* v = g_.tensors[i - 1];
      const bool fits = is_whole_tensor(v->type()) && v->type().info().dtype == dtype &&
                        v->type().info().sizes == sizes && !is_range_name(v->name());
      const bool taken = std::ranges::any_of(values_, [&](const auto& k) { return k.second == v; });
      if (fits && !taken) return v;
    }
    return nullptr;
  }

  // --- nodes

  Value* variable(const std::string& name) {
    if (is_size_name(name)) return constant(IValue(size_of(name.front())));
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    Value* v = operand(name);
    if (v) values_.emplace(name, v);
    return v;
  }

  Value* value_of(const Pattern& p) {
    if (p.kind == Kind::Literal) return constant(p.literal);
    if (p.kind == Kind::Variable) return variable(p.name);
    for (const auto& [pattern, value] : made_)
      if (same(*pattern, p)) return value;
    Value* v = p.name == kList ? list_of(p) : p.name == kPiece ? piece_of(p) : op_of(p);
    if (v && p.name != kList) made_.emplace_back(&p, v);
    return v;
  }

  Value* list_of(const Pattern& p) {
    Dims numbers;
    for (const Pattern& item : p.args) {
      const bool size = item.kind == Kind::Variable && is_size_name(item.name);
      if (size) numbers.push_back(size_of(item.name.front()));
      else if (item.kind == Kind::Literal && item.literal.is_int())
        numbers.push_back(item.literal.as_int());
    }
    if (static_cast<size_t>(numbers.rank()) == p.args.size())
      return constant(IValue::int_list(numbers));
    std::vector<Value*> items;
    for (const Pattern& item : p.args) {
      Value* v = value_of(item);
      if (!v || !v->type().is_tensor()) return nullptr;
      items.push_back(v);
    }
    Node* n = g_.graph->create(prim::list_construct(), items, 1);
    n->output()->set_type(Type::list(Type(TypeKind::Tensor)));
    return g_.block->append(n)->output();
  }

  // Of an op with several results, or of one with a list of views.
  Value* piece_of(const Pattern& p) {
    const IValue& which = p.args[1].literal;
    const bool known = p.args[1].kind == Kind::Literal && which.is_int() && which.as_int() >= 0;
    if (p.args[0].kind != Kind::Op || !known) return nullptr;
    const auto at = static_cast<size_t>(which.as_int());
    for (const auto& [pattern, pieces] : pieces_)
      if (same(*pattern, p.args[0])) return at < pieces.size() ? pieces[at] : nullptr;
    Node* n = node_of(p.args[0]);
    if (!n) return nullptr;
    std::vector<Value*> pieces(n->outputs().begin(), n->outputs().end());
    if (n->outputs().size() == 1 && n->output()->type().is(TypeKind::List))
      pieces = unpack_pieces(n);
    pieces_.emplace_back(&p.args[0], pieces);
    return at < pieces.size() ? pieces[at] : nullptr;
  }

  std::vector<Value*> unpack_pieces(Node* of) {
    const Operator& op = of->op();
    if (!op.view || !is_whole_tensor(of->input(0)->type())) return {};
    const TensorInfo in = of->input(0)->type().info();
    const std::vector<ViewGeometry> views = op.view(op, arg_infos(of), in.sizes, in.strides);
    if (views.empty() || views.size() > 6) return {};
    Node* n = g_.graph->create(prim::list_unpack(), {of->output()}, static_cast<int>(views.size()));
    g_.block->append(n);
    for (size_t i = 0; i < views.size(); ++i) {
      TensorInfo info = in;
      info.sizes = views[i].sizes;
      info.strides = views[i].strides;
      n->output(static_cast<int>(i))->set_type(Type::tensor(info));
    }
    return {n->outputs().begin(), n->outputs().end()};
  }

  Value* op_of(const Pattern& p) {
    Node* n = node_of(p);
    const bool one = n && n->outputs().size() == 1 && is_whole_tensor(n->output()->type());
    return one ? n->output() : nullptr;
  }

  Node* node_of(const Pattern& p) {
    std::vector<Value*> inputs;
    std::vector<Type> types;
    for (const Pattern& arg : p.args) {
      Value* v = value_of(arg);
      if (!v) return nullptr;
      inputs.push_back(v);
      types.push_back(v->type());
    }
    const Operator* op = nullptr;
    try {
      op = &resolve(p.name, types);
    } catch (const Error&) {
      return nullptr;
    }
    Node* n = fits(*op, inputs) ? append_node(*op, std::move(inputs)) : nullptr;
    if (n && broken_ == Broken::Write && nodes_++ == write_at_) write_something();
    return n;
  }

  // What inference leaves to the run: dims of the first tensor, and indices within them.
  static bool fits(const Operator& op, const std::vector<Value*>& inputs) {
    if (inputs.empty() || !is_whole_tensor(inputs[0]->type())) return true;
    const Dims& sizes = inputs[0]->type().info().sizes;
    int64_t dim = 0;
    const int64_t rank = std::max(sizes.rank(), 1);
    const Value *indices = nullptr, *source = nullptr;
    for (size_t i = 1; i < inputs.size(); ++i) {
      const std::string& name = op.schema.args[i].name;
      const IValue* known = constant_of(inputs[i]);
      if (name == "dim" && known && known->is_int()) dim = known->as_int();
      if (name == "index" || name == "indices") indices = inputs[i];
      if (name == "src" && inputs[i]->type().is_tensor()) source = inputs[i];
    }
    const bool beside = std::ranges::count(op.roles, Role::DimOrEnd) > 0;  // unsqueeze, stack
    if (!beside && (dim < -rank || dim >= rank)) return false;
    if (!indices || !indices->type().is_tensor()) return true;
    if (sizes.rank() == 0) return false;
    if (source && source->type().info().sizes != indices->type().info().sizes) return false;
    return is_below(indices, sizes[static_cast<int>(dim < 0 ? dim + rank : dim)]);
  }

  static bool is_below(const Value* indices, int64_t size) {
    int64_t lo = 0, hi = 0;
    if (is_range_name(indices->name()))
      return range_of_name(indices->name(), &lo, &hi) && hi < size;
    const Node* made = indices->node();
    if (made->kind() != OpKind::Create || made->inputs().size() < 2) return false;
    const IValue* all = constant_of(made->input(1));  // of full
    return all && all->is_int() && all->as_int() >= 0 && all->as_int() < size;
  }

  // With defaults for what is not given; null where it may not be drawn for these.
  Node* append_node(const Operator& op, std::vector<Value*> inputs) {
    if (!may_draw(g_, op)) return nullptr;
    for (size_t i = inputs.size(); i < op.schema.args.size(); ++i) {
      if (!op.schema.args[i].has_default) return nullptr;
      inputs.push_back(constant(op.schema.args[i].default_value));
    }
    for (const Value* v : inputs) {
      if (!v->type().is_tensor()) continue;
      if (!(op.drawn_dtypes >> static_cast<int>(v->type().info().dtype) & 1)) return nullptr;
      break;
    }
    std::vector<Type> types;
    Node* n = g_.graph->create(op, inputs, static_cast<int>(op.schema.results.size()));
    g_.block->append(n);
    try {
      infer_results(op, arg_infos(n), types);
    } catch (const Error&) {
      types.clear();
    } catch (const Unsupported&) {
      types.clear();
    }
    bool ok = !types.empty() && types.size() == n->outputs().size() &&
              !(op.nondeterministic && fusillade::may_draw(op, arg_infos(n)));
    for (size_t i = 0; ok && i < types.size(); ++i) {
      const bool tensor = types[i].is_tensor();
      ok = tensor
               ? types[i].info().complete() && numel_of(types[i].info().sizes) <= g_.most_elements
               : types[i].is(TypeKind::List);
      n->output(static_cast<int>(i))->set_type(types[i]);
    }
    const bool one = ok && types.size() == 1 && types[0].is_tensor();
    if (ok && !(one && may_raise(n))) return n;
    n->destroy();
    return nullptr;
  }

  // --- what is broken beside the pattern

  std::vector<Value*> known_values() {
    std::vector<Value*> out;
    for (const auto& [name, v] : values_)
      if (v->type().is_tensor()) out.push_back(v);
    for (const auto& [pattern, v] : made_)
      if (v->type().is_tensor()) out.push_back(v);
    return out;
  }

  void write_something() {
    const std::vector<Value*> all = known_values();
    if (!all.empty()) overwrite(g_, g_.choices.pick(all));
  }

  void finish(Value* result) {
    if (broken_ == Broken::Write && nodes_ <= write_at_) write_something();
    for (const auto& [name, v] : values_)
      if (v->type().is_tensor() && std::ranges::count(g_.tensors, v) == 0) add_result(g_, v);
    if (broken_ == Broken::Reuse && made_.size() > 1) {
      Value* within = made_[g_.choices.below(made_.size() - 1)].second;
      const Operator* over = drawable(g_, aten::neg());
      if (!over || g_.choices.chance(0.3) || !append(g_, *over, {within})) add_result(g_, within);
    }
    add_result(g_, result);
  }

  GraphState& g_;
  const PeerTree& tree_;
  Broken broken_;
  const Pattern* written_ = nullptr;
  Dims base_, leading_;
  DType dtype_ = DType::F32;
  std::string odd_;  // the operand that is not as the others are
  int write_at_ = 0, nodes_ = 0;
  std::map<char, int64_t> sizes_;
  std::map<std::string, Value*> values_;
  std::vector<std::pair<const Pattern*, Value*>> made_;
  std::vector<std::pair<const Pattern*, std::vector<Value*>>> pieces_;
};

// Has each of its operators an overload that may be drawn?
bool has_operators(const GraphState& g, const PeerTree& tree) {
  if (g.all_operators) return true;
  return std::ranges::all_of(tree.ops, [&](const std::string& name) {
    return std::ranges::any_of(overloads(name),
                               [&](const Operator* op) { return may_draw(g, *op); });
  });
}

// More of the patterns of those compilers that the program is for.
const PeerTree& pick_tree(GraphState& g) {
  if (!g.compilers.empty() && g.choices.chance(0.6)) {
    const std::vector<const PeerTree*>& own = peer_trees_of(g.choices.pick(g.compilers));
    if (!own.empty()) return *g.choices.pick(own);
  }
  return g.choices.pick(peer_trees());
}

void write_peer_pattern(GraphState& g, int) {
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    const PeerTree& tree = pick_tree(g);
    if (!has_operators(g, tree)) continue;
    const bool whole = g.choices.chance(0.4);
    const auto broken = whole ? Broken::None : static_cast<Broken>(g.choices.below(kBrokens));
    if (!draw_peer_pattern(g, tree, broken)) continue;
    g.patterns.push_back(tree.row->name +
                         (broken == Broken::None ? "" : std::string(":") + name_of(broken)));
    return;
  }
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 34,
    {{"peer_pattern", "what another compiler rewrites, whole or one condition broken", 0,
      write_peer_pattern}});

}  // namespace

Value* draw_peer_pattern(GraphState& g, const PeerTree& tree, Broken broken) {
  return PeerWriter(g, tree, broken).run();
}

std::unique_ptr<Graph> program_of_peer(Choices& choices, const PeerTree& tree, Broken broken) {
  GraphState g(choices, policy("peers"), 1);
  Value* result = draw_peer_pattern(g, tree, broken);
  if (!result) return nullptr;
  g.graph->add_output(result);
  return std::move(g.graph);
}

}  // namespace fusillade::fuzz
