// See mutate.h.
#include "fuzz/given/mutate.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/ops/infer.h"
#include "fuzz/case/failing.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/policy.h"
#include "fuzz/given/decided.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTries = 8;      // mutants drawn until one has types
constexpr int kEditTries = 6;  // positions tried for one edit
constexpr int kMostEdits = 4;
constexpr int64_t kMostIterations = 16;  // of each loop: what ended a loop may have been changed

// Without steps that repeat a node: nodes of a program may come after the insertion point.
Policy insertion_policy(Choices& choices) {
  const Policy* drawn = nullptr;
  do drawn = &draw_policy(choices);
  while (drawn->source);
  Policy out = *drawn;
  out.productions += ", repeat 0";
  resolve(out);
  return out;
}

bool is_within(const Node* n, const Block* block) {
  for (; n; n = n->block()->owner())
    if (n->block() == block) return true;
  return false;
}

// Operators that take each other's arguments, by what they take and give.
const std::vector<const Operator*>& exchangeable(const Operator& op) {
  auto key_of = [](const Operator& r) {
    std::string key = fmt::format("{}|{}|", static_cast<int>(r.kind), r.in_place);
    for (const SchemaArg& a : r.schema.args) key += a.type.text() + (a.written ? "!," : ",");
    for (const SchemaArg& a : r.schema.results) key += a.type.text() + ";";
    for (Role role : r.roles) key += fmt::format("{},", static_cast<int>(role));
    return key;
  };
  static const std::map<std::string, std::vector<const Operator*>> by_key = [&] {
    std::map<std::string, std::vector<const Operator*>> out;
    for (const Operator* r : OperatorTable::instance().by_name())
      if (r->generate && !r->nondeterministic && !r->side_effect) out[key_of(*r)].push_back(r);
    return out;
  }();
  static const std::vector<const Operator*> none;
  auto it = by_key.find(key_of(op));
  return it == by_key.end() ? none : it->second;
}

bool alike(const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor()) return a == b;
  return a.info().complete() && b.info().complete() && a.info().dtype == b.info().dtype &&
         a.info().sizes == b.info().sizes;
}

// One program while it is changed: its inputs' types decide all others.
class Mutant {
 public:
  Mutant(Choices& choices, const Given& given, const MutateOptions& options)
      : choices_(choices),
        options_(options),
        types_(draw_input_types(choices, given, choices.below(kNumDTypes), true)) {
    graph_ = given.program.program->clone();
    // What is drawn unlike its type has none, and what may be None in another call stays so.
    for (size_t i = 0; i < types_.size(); ++i)
      if (types_[i].second.is_tensor() && graph_->inputs()[i]->type().is_tensor() &&
          graph_->inputs()[i]->name() != kUnlike)
        graph_->inputs()[i]->set_type(types_[i].second);
    for (size_t i = 0; i < types_.size(); ++i)
      if (is_range_name(types_[i].first) && types_[i].first.find('-') == std::string::npos)
        graph_->inputs()[i]->set_name(types_[i].first);  // no name has a minus
  }

  // States every type; false when some op refuses its arguments.
  bool retype() {
    std::vector<ArgInfo> inputs;
    for (const Value* v : graph_->inputs()) inputs.push_back({v->type(), {}, false, {}});
    each_node(graph_->block(), [](Node* n) {
      for (Value* v : n->outputs()) v->set_type(v->type().without_shapes());
      for (const Block* b : n->blocks())
        for (Value* v : b->params()) v->set_type(v->type().without_shapes());
    });
    found_ = types_of(*graph_, inputs);
    deciding_ = deciding_nodes(*graph_);
    state(graph_->block());
    bool legal = true;
    each_node(graph_->block(), [&](const Node* n) { legal = legal && takes(n); });
    return legal;
  }

  void edit() {
    switch (choices_.below(8)) {
      case 0:
      case 1:
      case 2:
        return insert();
      case 3:
        return drop();
      case 4:
        return exchange_operator();
      case 5:
        return exchange_operand();
      case 6:
        return resize();
      default:
        return change_dtype();
    }
  }

  // Whatever decides when a loop ends, it does.
  void bound_loops() {
    each_node(graph_->block(), [&](Node* n) {
      if (!n->is(prim::loop()) || n->input()->name() == "trips") return;
      Value* most = graph_->constant(IValue(kMostIterations), n);
      if (!n->input()->node()->is(prim::constant())) {
        Node* least = graph_->create(operator_named("prim::min.int"), {n->input(), most});
        least->output()->set_type(TypeKind::Int);
        least->insert_before(n);
        most = least->output();
      } else if (n->input()->node()->constant().as_int() <= kMostIterations) {
        return;
      }
      n->set_input(0, most);
    });
  }

  // Are its tensors small? Asked before inputs are drawn: one whose empty dimension is another now
  // may have grown beyond all that memory holds.
  bool within_bounds() const {
    constexpr int64_t kMostElements = 20000;
    const auto small = [](const std::vector<Value*>& values) {
      return std::ranges::all_of(values, [](const Value* v) {
        return !v->type().is_tensor() || !v->type().info().complete() ||
               numel_of(v->type().info().sizes) <= kMostElements;
      });
    };
    bool all = small(graph_->inputs());
    each_node(graph_->block(), [&](const Node* n) { all = all && small(n->outputs()); });
    return all;
  }

  // The graph with its calls; inputs that came in have what their types say.
  Case finish(const Given& given) {
    Case c;
    InputTypes types = types_;
    Given now{given.file, {}, given.inputs};
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
      const Value* v = graph_->inputs()[i];
      if (i < types.size()) {
        if (!v->type().is_tensor() || v->type() == types[i].second) continue;
        types[i].second = v->type();
        now.inputs[i].fixed.reset();
        now.inputs[i].default_value.reset();
      } else {
        types.emplace_back(v->name(), v->type());
        now.inputs.push_back({v->name(), v->type(), {}, {}});
      }
    }
    for (int i = 0; i < options_.calls; ++i) c.calls.push_back(draw_call(choices_, now, types));
    c.program = std::move(graph_);
    return c;
  }

 private:
  // A declared type stays where inference knows no more. What control flow gives has what all of
  // its ways have in common, also of those that inference knows are not taken.
  void state(Block* block) {
    for (Node* n : block->nodes()) {
      for (Block* b : n->blocks()) {
        for (Value* v : b->params()) state(v);
        state(b);
      }
      for (Value* v : n->outputs()) state(v);
      if (n->is(prim::if_()))
        for (Value* v : n->outputs()) join(v, result(n, 0, v->index()), result(n, 1, v->index()));
      if (n->is(prim::loop()))
        for (Value* v : n->outputs()) {
          join(v, n->input(v->index() + 2), result(n, 0, v->index() + 1));
          n->blocks()[0]->params()[static_cast<size_t>(v->index()) + 1]->set_type(v->type());
        }
    }
  }
  void state(Value* v) {
    const Type& found = found_[static_cast<size_t>(v->id())].type;
    if (v->type().is_tensor() && found.is_tensor()) v->set_type(found.without_symbols());
  }
  static const Value* result(const Node* n, size_t block, int at) {
    return n->blocks()[block]->results()[static_cast<size_t>(at)];
  }
  static void join(Value* v, const Value* a, const Value* b) {
    if (v->type().is_tensor()) v->set_type(unify(a->type(), b->type()));
  }

  bool takes(const Node* n) const {
    const Operator& op = n->op();
    if (op.kind == OpKind::Prim || !op.infer) return true;
    std::vector<ArgInfo> infos = arg_infos(n);  // constants are known also behind what raises
    for (size_t i = 0; i < infos.size(); ++i)
      if (!infos[i].known)
        infos[i] = found_[static_cast<size_t>(n->input(static_cast<int>(i))->id())];
    for (size_t i = infos.size(); i < op.schema.args.size(); ++i)
      infos.push_back({op.schema.args[i].type, op.schema.args[i].default_value, true, {}});
    std::vector<Type> results;
    try {
      infer_results(op, infos, results);
    } catch (const Error&) {
      return false;
    } catch (const Unsupported&) {
      return false;
    }
    return results.size() == n->outputs().size();
  }

  Node* pick_node() {
    std::vector<Node*> nodes;
    each_node(graph_->block(), [&](Node* n) {
      if (!n->is(prim::constant()) && deciding_.count(n) == 0) nodes.push_back(n);
    });
    return nodes.empty() ? nullptr : choices_.pick(nodes);
  }

  // Values in scope in front of `before` that are like `v`, but for it. No constant that an op
  // could write to.
  std::vector<Value*> others_like(const Value* v, const Node* before) const {
    std::vector<Value*> out;
    for (const Node* n = before; n; n = n->block()->owner()) {
      auto add = [&](Value* w) {
        bool frozen = w->node()->is(prim::constant()) && !w->node()->constant().is_number();
        if (w != v && !frozen && alike(w->type(), v->type()) && !is_range_name(w->name()))
          out.push_back(w);
      };
      for (Value* w : n->block()->params()) add(w);
      for (const Node* m : n->block()->nodes()) {
        if (m == n) break;
        for (Value* w : m->outputs()) add(w);
      }
    }
    return out;
  }

  void insert() {
    Node* place = choices_.chance(0.3) ? nullptr : pick_node();
    Node* before = place ? place : graph_->block()->return_node();
    const Policy policy = insertion_policy(choices_);
    GraphState g(choices_, policy, std::move(graph_), options_.operators);
    std::vector<Value*> inserted =
        insert_steps(g, static_cast<int>(choices_.between(1, 4)), before);
    graph_ = std::move(g.graph);
    for (Value* v : inserted) {
      if (!v->is_unused()) continue;
      if (!weave(v, before) && v->node()->block() == graph_->block()) graph_->add_output(v);
    }
  }

  // Some use of a value like it, behind it, becomes one of it.
  bool weave(Value* v, const Node* before) {
    std::vector<Use> uses;
    for (Value* like : others_like(v, before))
      for (const Use& use : like->uses())
        if (is_within(use.user, v->node()->block()) && !use.user->before(before) &&
            deciding_.count(use.user) == 0)
          uses.push_back(use);
    if (uses.empty() || choices_.chance(0.3)) return false;
    const Use use = choices_.pick(uses);
    use.user->set_input(use.index, v);
    return true;
  }

  // Replaces a node's result by a value like it, or by a fresh input.
  void drop() {
    for (int i = 0; i < kEditTries; ++i) {
      Node* n = pick_node();
      if (!n || !n->blocks().empty() || n->outputs().size() != 1) continue;
      Value* result = n->output();
      std::vector<Value*> others = others_like(result, n);
      bool fresh = result->type().is_tensor() && result->type().info().complete();
      if (others.empty() && !fresh) continue;
      Value* instead = others.empty() || (fresh && choices_.chance(0.3))
                           ? graph_->add_input(plain(result->type()))
                           : choices_.pick(others);
      result->replace_all_uses_with(instead);
      n->destroy();
      return;
    }
  }

  static Type plain(const Type& type) {
    TensorInfo info = type.info();
    info.strides = contiguous_strides(info.sizes);
    info.device = Device();
    info.requires_grad = false;
    return Type::tensor(info);
  }

  void exchange_operator() {
    for (int i = 0; i < kEditTries; ++i) {
      Node* n = pick_node();
      if (!n) return;
      const std::vector<const Operator*>& operators = exchangeable(n->op());
      if (operators.size() < 2) continue;
      const Operator* other = choices_.pick(operators);
      if (options_.operators && !options_.operators(*other)) continue;
      if (n->inputs().size() == other->schema.args.size()) n->set_op(*other);
      return;
    }
  }

  void exchange_operand() {
    for (int i = 0; i < kEditTries; ++i) {
      Node* n = pick_node();
      if (!n || n->inputs().empty()) continue;
      int at = static_cast<int>(choices_.below(n->inputs().size()));
      if (is_range_name(n->input(at)->name())) continue;
      std::vector<Value*> others = others_like(n->input(at), n);
      if (others.empty()) continue;
      n->set_input(at, choices_.pick(others));
      return;
    }
  }

  std::vector<Value*> tensor_inputs() {
    std::vector<Value*> out;
    for (Value* v : graph_->inputs())
      if (v->type().is_tensor() && v->type().info().complete() && !is_range_name(v->name()))
        out.push_back(v);
    return out;
  }

  // One size becomes another, in all inputs or in one.
  void resize() {
    std::vector<Value*> inputs = tensor_inputs();
    if (inputs.empty()) return;
    const Dims& some = choices_.pick(inputs)->type().info().sizes;
    if (some.rank() == 0) return;
    const int64_t from = some[static_cast<int>(choices_.below(static_cast<uint64_t>(some.rank())))];
    static constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33};
    const int64_t to = kSizes[choices_.below(std::size(kSizes))];
    if (choices_.chance(0.3)) inputs = {choices_.pick(inputs)};
    for (Value* v : inputs) {
      TensorInfo info = v->type().info();
      for (int64_t& size : info.sizes)
        if (size == from) size = to;
      if (info.sizes == v->type().info().sizes) continue;
      bool strided = choices_.chance(0.2);
      info.strides = draw_strides(choices_, info.sizes, !strided);
      v->set_type(Type::tensor(info));
    }
  }

  // The dtype of one input, or of all that have the same.
  void change_dtype() {
    std::vector<Value*> inputs = tensor_inputs();
    if (inputs.empty()) return;
    const Value* one = choices_.pick(inputs);
    const DType from = one->type().info().dtype;
    const DType to = static_cast<DType>(choices_.below(uint64_t{kNumDTypes}));
    const bool all = choices_.chance(0.6);
    for (Value* v : inputs) {
      TensorInfo info = v->type().info();
      if (all ? info.dtype != from : v != one) continue;
      info.dtype = to;
      v->set_type(Type::tensor(info));
    }
  }

  Choices& choices_;
  const MutateOptions& options_;
  InputTypes types_;
  std::unique_ptr<Graph> graph_;
  std::vector<ArgInfo> found_;
  std::set<const Node*> deciding_;
};

}  // namespace

Case mutant(Choices& choices, const Given& given, const MutateOptions& options) {
  for (int i = 0; i < kTries; ++i) {
    Mutant m(choices, given, options);
    bool legal = m.retype();
    for (int64_t edits = choices.between(1, kMostEdits); legal && edits > 0; --edits) {
      m.edit();
      legal = m.retype();
    }
    m.bound_loops();
    if (legal && m.retype() && m.within_bounds()) return m.finish(given);
  }
  Case c;
  c.program = given.program.program->clone();
  const InputTypes types = draw_input_types(choices, given, choices.below(kNumDTypes), true);
  for (int i = 0; i < options.calls; ++i) c.calls.push_back(draw_call(choices, given, types));
  return c;
}

std::string unfit(const Given& given) {
  try {
    const Graph& graph = *given.program.program;
    const std::string text = print(graph);
    if (print(*parse_graph(text)) != text) return "its graph reads back as another";
  } catch (const Error& e) {
    return fmt::format("its graph does not stand alone: {}", e.what());
  }
  return "";
}

}  // namespace fusillade::fuzz
