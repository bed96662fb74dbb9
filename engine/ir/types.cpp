// The interpreter's domain of types: every node's own inference, in order, with what is known of
// the arguments. Types of a composite's results come from its body in this way.
//
// Scalars are computed where their arguments are known; operators that read only metadata get
// tensors without storage to read it from. An If whose condition is known is its taken block, any
// other what both have in common, or the one that does not raise on what is known. A Loop of a
// known, small number of iterations is run iteration by iteration. In any other, what is carried is
// what all iterations have in common: iterations are run on it until it no longer changes. A known
// list changes as it does; one of tensors grows by what is appended. After any other write nothing
// is known of it, nor of a list that may be the same one. Steps and iterations have a budget: time
// does not grow with the iterations of nested loops.
#include "engine/ir/types.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/ir/interpret.h"
#include "engine/ir/visit.h"
#include "engine/ops/composite.h"
#include "engine/ops/infer.h"

namespace fusillade {
namespace {

constexpr int kMaxRounds = 16;            // until a loop's types no longer change
constexpr int64_t kMostIterations = 512;  // of all loops together that are run one by one
// Nodes and values looked at: so many, and some more for each value of the graph.
constexpr int64_t kMostSteps = 200000;
constexpr int64_t kStepsPerValue = 100;

// Thrown where a graph takes too long to follow: then nothing is found.
struct TooLong {};

// Lists are followed as they change; what else may change is never known, nor what holds such.
bool stays(const IValue& v) {
  if (v.tag() == IValue::Tag::Dict || v.tag() == IValue::Tag::Object) return false;
  return !v.is_sequence() || std::none_of(v.items().begin(), v.items().end(), [](const IValue& i) {
    return i.tag() == IValue::Tag::List || !stays(i);
  });
}

ArgInfo value_info(const IValue& v, const Type& type) {
  return stays(v) ? ArgInfo{type, v, true, {}} : ArgInfo{type, {}, false, {}};
}
ArgInfo value_info(const IValue& v) { return value_info(v, v.type()); }
ArgInfo declared_info(const Value* v) { return {v->type(), {}, false, {}}; }

bool same_value(const IValue& a, const IValue& b) {
  if (a.tag() != IValue::Tag::List || b.tag() != a.tag()) return a.identical(b);
  return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                    same_value);
}

bool same(const ArgInfo& a, const ArgInfo& b) {
  return a.type == b.type && a.items == b.items && a.known == b.known &&
         (!a.known || same_value(a.value, b.value));
}

// What both have in common, of a value of this declared type.
ArgInfo join(const ArgInfo& a, const ArgInfo& b, const Type& type) {
  if (same(a, b)) return a;
  ArgInfo out{unify(a.type, b.type), {}, false, {}};
  if (!out.type.subtype_of(type)) out.type = type;
  if (a.known && b.known && same_value(a.value, b.value)) {
    out.value = a.value;
    out.known = true;
  } else if (!a.known && !b.known && a.items.size() == b.items.size()) {
    for (size_t i = 0; i < a.items.size(); ++i) out.items.push_back(unify(a.items[i], b.items[i]));
  }
  return out;
}

// The list that a node writes, or null.
const Value* written_list(const Node* n) {
  bool writes = !n->inputs().empty() && n->op().schema.writes();
  return writes && n->input()->type().is(TypeKind::List) ? n->input() : nullptr;
}

// Collects what a list may be: values it was handed on from, back to where it was created; null
// where that is unknown, the first input for all of them.
void collect_sources(const Value* v, std::set<const Value*>& seen) {
  if (!seen.insert(v).second) return;
  const Node* n = v->node();
  const Node* owner = n->block()->owner();
  const size_t k = static_cast<size_t>(v->index());
  if (n->is(prim::if_())) {
    for (const Block* b : n->blocks()) collect_sources(b->results()[k], seen);
  } else if (n->is(prim::loop())) {
    collect_sources(n->blocks()[0]->params()[k + 1], seen);
  } else if (n->is(prim::param()) && owner) {  // carried
    collect_sources(owner->inputs()[k + 1], seen);
    collect_sources(n->block()->results()[k], seen);
  } else if (n->is(prim::param())) {
    seen.insert(n->output());
  } else if (n->op().name == "prim::unchecked_cast") {
    collect_sources(n->input(), seen);
  } else if (!n->is(prim::list_construct()) && !n->is(prim::constant()) &&
             (n->kind() == OpKind::Prim || n->op().schema.aliases())) {
    seen.insert(nullptr);
  }
}

// Does a graph write a list that it did not make itself?
bool writes_lists(const Graph& graph) {
  bool found = false;
  each_node(graph.block(), [&](const Node* n) {
    if (n->has_attr("Subgraph")) found = found || writes_lists(n->subgraph());
    const Value* list = written_list(n);
    if (!list || found) return;
    std::set<const Value*> sources;
    collect_sources(list, sources);
    found = sources.count(nullptr) || (!graph.inputs().empty() && sources.count(graph.inputs()[0]));
  });
  return found;
}

class TypeDomain : public DomainOf<ArgInfo> {
 public:
  using In = Interpreter<TypeDomain>;
  static constexpr int64_t kMaxIterations = 64;

  // `found`: receives what is known of each value of `graph`, by id.
  TypeDomain() = default;
  TypeDomain(const Graph& graph, std::vector<ArgInfo>& found)
      : steps_left_(kMostSteps + kStepsPerValue * graph.id_limit()),
        graph_(&graph),
        found_(&found),
        reached_(found.size()) {}

  ArgInfo constant(const IValue& v, const Type& type) { return value_info(v, type); }
  std::optional<bool> truth(const ArgInfo& x) {
    return x.known ? std::optional(x.value.as_bool()) : std::nullopt;
  }
  // A count above the iterations left is treated as unknown.
  std::optional<int64_t> count(const ArgInfo& x) {
    const bool few = x.known && std::min(x.value.as_int(), kMaxIterations) <= iterations_left_;
    return few ? std::optional(x.value.as_int()) : std::nullopt;
  }
  void on_node(const Node* node) {
    spend(1);
    if (node->is(prim::loop()) && iterations_left_ > 0) --iterations_left_;
  }

  const Graph* callee(const Node* node) {
    const Operator& r = node->op();
    return is_composite(r) && !infers_by_body(r) ? nullptr : callee_of(node);
  }

  void enter(In& in, const Node* node, const Graph& callee, std::vector<ArgInfo>& args,
             std::vector<ArgInfo>& results) {
    {
      const OwnChanges own(changed_);  // the callee's values are others
      results = in.run(callee, std::move(args));
    }
    for (size_t k = 0; k < results.size(); ++k)
      if (!node->outputs()[k]->type().is_tensor()) results[k].type = node->outputs()[k]->type();
    if (writes_lists(callee)) forget(in, node->graph());
  }

  void on_value(const Value* v, const ArgInfo& x) {
    if (!found_ || &v->node()->graph() != graph_) return;
    ArgInfo now = x;
    if (!now.type.subtype_of(v->type())) now.type = v->type();
    if (!now.items.empty() || now.value.is_sequence()) now = {now.type, {}, false, {}};
    const size_t id = static_cast<size_t>(v->id());
    ArgInfo& out = (*found_)[id];
    out = reached_[id] ? join(out, now, v->type()) : now;
    reached_[id] = true;
  }

  void apply(In& in, const Node* n, std::vector<ArgInfo>& args, std::vector<ArgInfo>& results) {
    for (const Value* v : n->outputs()) {
      results.push_back(declared_info(v));
      if (graph_ && &n->graph() != graph_) results.back().type = v->type().without_symbols();
    }
    try {
      if (structure(n, args, results) || of_items(n, args, results)) return;
      if (written_list(n)) return write(in, n, args, results);
      if (std::optional<std::vector<IValue>> out = known_scalars(n->op(), args)) {
        std::transform(out->begin(), out->end(), results.begin(),
                       [](const IValue& v) { return value_info(v); });
        for (const IValue& v : *out)
          if (v.is_sequence()) spend(static_cast<int64_t>(v.items().size()));
      } else {
        infer(n, args, results);
      }
    } catch (const Unsupported&) {
    }
  }

  void unknown_branch(In& in, const Node* n) {
    const size_t before = changed_.size();
    std::vector<ArgInfo> ends[2];
    auto take = [&](int i) {
      undo(in, before);  // what the other one wrote
      in.block(n->blocks()[i]);
      ends[i] = in.all(n->blocks()[i]->results());
    };
    bool first = lives([&] { take(0); });
    bool second = true;
    if (first) second = lives([&] { take(1); });
    else take(1);
    undo(in, before);
    forget_written(in, n);
    for (size_t k = 0; k < n->outputs().size(); ++k) {
      const Value* out = n->outputs()[k];
      if (first && second) in.set(out, join(ends[0][k], ends[1][k], out->type()));
      else in.set(out, ends[first ? 0 : 1][k]);
    }
  }

  void unknown_loop(In& in, const Node* n, int64_t, ArgInfo&, std::vector<ArgInfo>& carried) {
    forget_written(in, n);
    for (size_t k = 0; k < carried.size(); ++k)
      if (carried[k].type.is(TypeKind::List)) carried[k] = declared_info(n->outputs()[k]);
    for (int round = 0;; ++round) {
      std::vector<ArgInfo> after = carried;
      ArgInfo more;
      bool good = lives([&] { in.iteration(n, {TypeKind::Int, {}, false, {}}, more, after); });
      bool stays = good;
      for (size_t k = 0; k < carried.size(); ++k) {
        const Value* out = n->outputs()[k];
        ArgInfo now = good && round < kMaxRounds ? join(carried[k], after[k], out->type())
                                                 : declared_info(out);
        stays = stays && same(now, carried[k]);
        carried[k] = std::move(now);
      }
      if (stays || !good) break;
    }
    forget_written(in, n);
  }

 private:
  static void infer(const Node* n, const std::vector<ArgInfo>& args,
                    std::vector<ArgInfo>& results) {
    const Operator& r = n->op();
    std::vector<Type> types;
    if (r.infer) infer_results(r, args, types);
    if (r.view && n->output()->type().is(TypeKind::List)) views(r, args, results[0]);
    for (size_t k = 0; k < types.size() && k < results.size(); ++k) results[k].type = types[k];
  }

  template <class F>
  static bool lives(const F& run) {
    try {
      run();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void spend(int64_t steps) {
    if ((steps_left_ -= steps) < 0) throw TooLong{};
  }

  // --- what is known of a value afterwards is no longer so

  using Changes = std::vector<std::pair<const Value*, ArgInfo>>;  // with what was known before
  class OwnChanges {
   public:
    explicit OwnChanges(Changes& changes) : changes_(changes) { changes_.swap(saved_); }
    ~OwnChanges() { changes_.swap(saved_); }
    OwnChanges(const OwnChanges&) = delete;
    OwnChanges& operator=(const OwnChanges&) = delete;

   private:
    Changes& changes_;
    Changes saved_;
  };

  void change(In& in, const Value* v, ArgInfo now) {
    changed_.emplace_back(v, std::exchange(in.at(v), std::move(now)));
  }
  // Back to where so many had changed.
  void undo(In& in, size_t count) {
    for (; changed_.size() > count; changed_.pop_back())
      in.at(changed_.back().first) = std::move(changed_.back().second);
  }

  // --- lists

  void forget_written(In& in, const Node* n) {
    for (const Block* b : n->blocks())
      each_node(b, [&](const Node* inner) {
        if (const Value* list = written_list(inner)) forget(in, inner->graph(), list);
        if (inner->has_attr("Subgraph") && writes_lists(inner->subgraph()))
          forget(in, inner->graph());
      });
  }

  // Lists of any type: an Optional or a Union may hold one.
  static bool knows_list(const ArgInfo& x) {
    return !x.items.empty() || (x.known && x.value.is_sequence());
  }
  static bool may_hold_list(const Type& type) {
    return !type.is_tensor() && !type.is(TypeKind::Int) && !type.is(TypeKind::Float) &&
           !type.is(TypeKind::Bool) && !type.is(TypeKind::Str) && !type.is(TypeKind::None);
  }

  // Whatever may be this list; without one, every list.
  void forget(In& in, const Graph& graph, const Value* list = nullptr) {
    const Lists& lists = lists_of(graph);
    const auto forget_all = [&](const std::vector<const Value*>& values) {
      spend(static_cast<int64_t>(values.size()));
      for (const Value* v : values)
        if (knows_list(in.at(v))) change(in, v, declared_info(v));
    };
    std::set<const Value*> sources;
    if (list) collect_sources(list, sources);
    if (!list || sources.count(nullptr)) return forget_all(lists.all);
    sources.insert(nullptr);  // those that may be anybody's
    for (const Value* source : sources)
      if (const auto at = lists.by_source.find(source); at != lists.by_source.end())
        forget_all(at->second);
  }

  // The values of a graph that may hold a list, and from where each may have it.
  struct Lists {
    std::vector<const Value*> all;
    std::map<const Value*, std::vector<const Value*>> by_source;
  };
  const Lists& lists_of(const Graph& graph) {
    const auto [at, added] = lists_.try_emplace(&graph);
    if (!added) return at->second;
    Lists& lists = at->second;
    each_value(graph.block(), [&](const Value* v) {
      spend(1);
      if (!may_hold_list(v->type())) return;
      lists.all.push_back(v);
      std::set<const Value*> sources;
      collect_sources(v, sources);
      for (const Value* source : sources) lists.by_source[source].push_back(v);
    });
    return lists;
  }

  // A known list changes as it will; of one of tensors it is known what types are appended.
  void write(In& in, const Node* n, std::vector<ArgInfo>& args, std::vector<ArgInfo>& results) {
    static const Operator& append = operator_named("aten::append.t");
    ArgInfo list = args[0];
    forget(in, n->graph(), n->input());
    if (std::all_of(args.begin(), args.end(), [](const ArgInfo& a) { return a.known; })) {
      std::vector<IValue> values{IValue::list(list.value.items(), n->input()->type().element())};
      for (size_t i = 1; i < args.size(); ++i) values.push_back(args[i].value);
      std::vector<IValue> out;
      call(n->op(), site_of(n), values, out);
      change(in, n->input(), value_info(values[0]));
      for (size_t k = 0; k < out.size() && k < results.size(); ++k) results[k] = value_info(out[k]);
      return;
    }
    bool empty = list.known && list.value.items().empty();
    if (!n->is(append) || (!empty && list.items.empty())) return;
    spend(static_cast<int64_t>(list.items.size()));
    list.items.push_back(args[1].type);
    list.known = false;
    change(in, n->input(), std::move(list));
  }

  // --- operators of which more is known than their types

  // Lists built and unpacked; casts; tensors are never None.
  static bool structure(const Node* n, const std::vector<ArgInfo>& args,
                        std::vector<ArgInfo>& results) {
    static const Operator& is = operator_named("aten::__is__");
    static const Operator& is_not = operator_named("aten::__isnot__");
    static const Operator& cast = operator_named("prim::unchecked_cast");
    if (n->is(prim::list_construct())) {
      list(args, results[0]);
    } else if (n->is(prim::list_unpack())) {
      for (size_t k = 0; k < results.size(); ++k) {
        if (k < args[0].items.size()) results[k].type = args[0].items[k];
        if (args[0].known && k < args[0].value.items().size())
          results[k] = value_info(args[0].value.items()[k]);
      }
    } else if ((n->is(is) || n->is(is_not)) && args[1].known && args[1].value.is_none() &&
               (args[0].type.is_tensor() || args[0].type.is(TypeKind::None))) {
      results[0] = value_info(IValue(n->is(is_not) == args[0].type.is_tensor()));
    } else if (n->is(cast)) {
      const Type type = results[0].type;
      const IValue& v = args[0].value;
      if (args[0].known && !v.type().without_shapes().subtype_of(type.without_shapes()))
        return true;  // in a branch that is never taken
      results[0] = args[0];
      if (!type.is_tensor()) results[0].type = type;
    } else {
      return false;
    }
    return true;
  }

  static void list(const std::vector<ArgInfo>& args, ArgInfo& out) {
    std::vector<IValue> values;
    for (const ArgInfo& a : args) {
      out.items.push_back(a.type);
      if (a.known) values.push_back(a.value);
    }
    if (values.size() != args.size()) return;
    ArgInfo info = value_info(IValue::list(std::move(values), out.type.element()), out.type);
    out.known = info.known;
    out.value = std::move(info.value);
  }

  // The length and the items of a list of tensors, of which only the types are known.
  static bool of_items(const Node* n, const std::vector<ArgInfo>& args,
                       std::vector<ArgInfo>& results) {
    static const Operator& length = operator_named("aten::len.t");
    static const Operator& item = operator_named("aten::__getitem__.t");
    if ((!n->is(length) && !n->is(item)) || args[0].known || args[0].items.empty()) return false;
    int64_t count = static_cast<int64_t>(args[0].items.size());
    if (n->is(length)) {
      results[0] = value_info(IValue(count));
      return true;
    }
    if (!args[1].known) return false;
    int64_t i = args[1].value.as_int();
    if (i < 0) i += count;
    if (i < 0 || i >= count) return false;
    results[0] = {args[0].items[static_cast<size_t>(i)], {}, false, {}};
    return true;
  }

  static void views(const Operator& r, const std::vector<ArgInfo>& args, ArgInfo& out) {
    TensorInfo info = args[0].type.info();
    if (!info.complete()) return;
    for (const ViewGeometry& g : r.view(r, args, info.sizes, info.strides)) {
      info.sizes = g.sizes;
      info.strides = g.strides;
      out.items.push_back(Type::tensor(info));
    }
  }

  int64_t iterations_left_ = kMostIterations;
  int64_t steps_left_ = kMostSteps;
  const Graph* graph_ = nullptr;
  std::vector<ArgInfo>* found_ = nullptr;
  std::vector<bool> reached_;  // by value id of graph_
  std::map<const Graph*, Lists> lists_;
  Changes changed_;
};

// Inputs of which nothing is known that may change.
std::vector<ArgInfo> stable_inputs(std::span<const ArgInfo> inputs) {
  std::vector<ArgInfo> out(inputs.begin(), inputs.end());
  for (ArgInfo& a : out)
    if (a.known) a = value_info(a.value, a.type);
  return out;
}

void infer(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  TypeDomain types;
  const Graph& body = composite_body(op);
  std::vector<ArgInfo> all = stable_inputs(args);
  for (size_t i = all.size(); i < op.schema.args.size(); ++i)
    all.push_back({op.schema.args[i].type, op.schema.args[i].default_value, true, {}});
  std::vector<ArgInfo> found;
  try {
    found = Interpreter(types).run(body, std::move(all));
  } catch (const TooLong&) {
    for (const SchemaArg& r : op.schema.results) results.push_back(r.type);
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const Type& wanted = op.schema.results[i].type;
    results.push_back(wanted.is_tensor() ? found[i].type : wanted);
  }
}

[[maybe_unused]] const bool kProvided = [] {
  provide_body_inference(&infer);
  return true;
}();

}  // namespace

bool changes_sizes(const Graph& graph) {
  return any_node<Within::Callees>(graph.block(),
                                   [](const Node* n) { return reshapes_in_place(n->op()); });
}

namespace {

std::vector<ArgInfo> followed_types(const Graph& graph, const std::vector<ArgInfo>& inputs,
                                    bool sizes_stay) {
  std::vector<ArgInfo> found(static_cast<size_t>(graph.id_limit()));
  auto declare_all = [&] {
    each_value(graph.block(),
               [&](const Value* v) { found[static_cast<size_t>(v->id())] = declared_info(v); });
  };
  declare_all();
  if (!sizes_stay) return found;
  TypeDomain types(graph, found);
  try {
    Interpreter(types).run(graph, stable_inputs(inputs));
  } catch (const Error&) {
  } catch (const TooLong&) {
    declare_all();
  }
  return found;
}

}  // namespace

std::vector<ArgInfo> types_of(const Graph& graph, const std::vector<ArgInfo>& inputs) {
  return followed_types(graph, inputs, !changes_sizes(graph));
}

std::vector<ArgInfo> types_if_outs_fit(const Graph& graph) {
  std::vector<ArgInfo> inputs;
  for (const Value* v : graph.inputs()) inputs.push_back(declared_info(v));
  return followed_types(graph, inputs, true);
}

}  // namespace fusillade
