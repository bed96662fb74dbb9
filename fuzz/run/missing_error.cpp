// See missing_error.h. A walker like the eager engine's, over cells in place of values.
#include "fuzz/run/missing_error.h"

#include "engine/run/frame.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMaxSteps = 200000;

struct GiveUp {};
struct Raised {
  std::string message;
};

struct Cell {
  enum class Kind { Known, Lost, Unknown, Mixed };
  Kind kind = Kind::Unknown;
  IValue value{};             // Known
  std::string message{};      // Lost: of the error that is to blame
  std::vector<Cell> items{};  // Mixed: a tuple or list not all of whose items are known

  static Cell known(IValue v) { return {.kind = Kind::Known, .value = std::move(v)}; }
  static Cell lost(std::string message) {
    return {.kind = Kind::Lost, .message = std::move(message)};
  }
  bool is(Kind k) const { return kind == k; }
  const Cell* find_lost() const {
    if (is(Kind::Lost)) return this;
    for (const Cell& item : items) {
      if (const Cell* found = item.find_lost()) return found;
    }
    return nullptr;
  }
};
using Kind = Cell::Kind;

bool same(const IValue& a, const IValue& b) {
  if (a.is_tensor() && b.is_tensor()) {
    if (!a.as_tensor().defined() || !b.as_tensor().defined()) return false;
    return a.as_tensor().dtype() == b.as_tensor().dtype() &&
           bitwise_equal(a.as_tensor(), b.as_tensor());
  }
  return equal_values(a, b);
}

bool calls(const Node* n) { return n->is(prim::call_function()) || n->is(prim::fusion_group()); }

bool number_or_tensor(const Type& type) {
  return type.is_tensor() || type.is(TypeKind::Int) || type.is(TypeKind::Float) ||
         type.is(TypeKind::Bool);
}

// Numbers that decide a result on their own, whatever the other operand: 0 * n, 1 ** n, b and
// False, n % 1.
bool absorbs(const IValue& v) { return v.is_number() && std::abs(v.as_double()) <= 1; }

std::vector<Cell> walk(const Graph& graph, std::vector<Cell> inputs, int depth, int64_t& steps);

class Walker {
 public:
  Walker(const Graph& graph, int depth, int64_t& steps)
      : frame_(graph.id_limit()), depth_(depth), steps_(steps) {
    if (depth > max_call_depth()) throw GiveUp{};  // inlining makes calls shallower
  }

  Cell& at(const Value* v) { return frame_[static_cast<size_t>(v->id())]; }

  void run(const Block* block) {
    for (const Node* node : block->nodes()) {
      if (++steps_ > kMaxSteps) throw GiveUp{};
      if (node->is(prim::if_())) run_if(node);
      else if (node->is(prim::loop())) run_loop(node);
      else run_plain(node);
    }
  }

 private:
  void run_if(const Node* node) {
    const Cell condition = at(node->input());
    if (condition.is(Kind::Known)) {
      const Block* taken = node->blocks()[condition.value.as_bool() ? 0 : 1];
      run(taken);
      for (size_t k = 0; k < node->outputs().size(); ++k)
        at(node->outputs()[k]) = at(taken->results()[k]);
      return;
    }
    bool raises = false;
    for (const Block* b : node->blocks()) raises = try_out(b, condition) || raises;
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      const Cell& a = at(node->blocks()[0]->results()[k]);
      const Cell& b = at(node->blocks()[1]->results()[k]);
      at(node->outputs()[k]) = raises ? Cell{} : chosen(condition, a, b);
    }
  }

  // Runs a block of which it is not known whether it runs. True when it raises; but when that hangs
  // on a lost value, the raise needs it, and with it its error.
  bool try_out(const Block* block, const Cell& whether) {
    try {
      run(block);
    } catch (const Raised&) {
      if (whether.is(Kind::Lost)) throw Raised{whether.message};
      return true;
    }
    return false;
  }

  // One of two, by a condition that is not known.
  static Cell chosen(const Cell& condition, const Cell& a, const Cell& b) {
    if (a.is(Kind::Known) && b.is(Kind::Known) && same(a.value, b.value)) return a;
    if (a.is(Kind::Lost) && b.is(Kind::Lost)) return a;
    bool told_apart = a.is(Kind::Known) || b.is(Kind::Known);
    bool guessable =
        a.is(Kind::Unknown) || b.is(Kind::Unknown) || a.is(Kind::Mixed) || b.is(Kind::Mixed);
    return condition.is(Kind::Lost) && told_apart && !guessable ? condition : Cell{};
  }

  void run_loop(const Node* node) {
    const Block* body = node->blocks()[0];
    const Cell trips = at(node->input(0));
    Cell go_on = at(node->input(1));
    std::vector<Cell> carried;
    for (size_t k = 2; k < node->inputs().size(); ++k) carried.push_back(at(node->inputs()[k]));
    bool no_trips = trips.is(Kind::Known) && trips.value.as_int() <= 0;
    bool no_turn = go_on.is(Kind::Known) && !go_on.value.as_bool();
    for (int64_t i = 0; !no_trips && !no_turn; ++i) {
      if (!trips.is(Kind::Known) || !go_on.is(Kind::Known)) {
        give_up_on_count(node, trips.find_lost() ? trips : go_on, carried);
        break;
      }
      if (i >= trips.value.as_int() || !go_on.value.as_bool()) break;
      if (++steps_ > kMaxSteps) throw GiveUp{};
      at(body->params()[0]) = Cell::known(IValue(i));
      for (size_t k = 0; k < carried.size(); ++k) at(body->params()[k + 1]) = carried[k];
      run(body);
      go_on = at(body->results()[0]);
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = at(body->results()[k + 1]);
    }
    for (size_t k = 0; k < carried.size(); ++k) at(node->outputs()[k]) = carried[k];
  }

  // The number of turns left hangs on a cell that is not known. A slot that each turn hands on as
  // it was keeps its value; one that each turn sets to something from outside, or that a turn
  // leaves with the value it had, may be told by a pass.
  void give_up_on_count(const Node* node, const Cell& count, std::vector<Cell>& carried) {
    const Block* body = node->blocks()[0];
    at(body->params()[0]) = {};
    for (size_t k = 0; k < carried.size(); ++k) at(body->params()[k + 1]) = carried[k];
    bool raises = try_out(body, count);
    for (size_t k = 0; k < carried.size(); ++k) {
      const Value* result = body->results()[k + 1];
      if (!raises && result == body->params()[k + 1]) continue;
      bool made_inside = result->node()->block() == body && !result->node()->is(prim::constant());
      const Cell& after = at(result);
      bool stays = !raises && carried[k].is(Kind::Known) && after.is(Kind::Known) &&
                   same(carried[k].value, after.value);
      carried[k] = made_inside && !stays && !raises && count.is(Kind::Lost) ? count : Cell{};
    }
  }

  void run_plain(const Node* node) {
    if (node->is(prim::constant())) {
      at(node->output()) = Cell::known(node->constant());
      return;
    }
    std::vector<Cell> args;
    bool all_known = true;
    for (const Value* in : node->inputs()) {
      args.push_back(at(in));
      all_known = all_known && args.back().is(Kind::Known);
    }
    if (node->is(prim::raise()))
      throw Raised{args[0].is(Kind::Known) ? args[0].value.as_str() : "raised"};
    std::vector<Cell> results;
    if (calls(node)) {
      results = walk(node->subgraph(), std::move(args), depth_ + 1, steps_);
    } else if (!node->row().run && !node->row().run_at && !node->row().body.empty()) {
      for (IValue& v : missing_arguments(node)) args.push_back(Cell::known(std::move(v)));
      results = walk_body(node, std::move(args));
    } else {
      results = all_known ? compute(node, args) : derive(node, args);
    }
    for (size_t k = 0; k < results.size(); ++k) at(node->outputs()[k]) = std::move(results[k]);
  }

  // Where a body raises, its op fails: the op is no statement of the program, and what nobody uses
  // may be removed.
  std::vector<Cell> walk_body(const Node* node, std::vector<Cell> args) {
    try {
      return walk(composite_body(node->row()), std::move(args), depth_ + 1, steps_);
    } catch (const Raised& r) {
      return std::vector<Cell>(node->outputs().size(), Cell::lost(r.message));
    }
  }

  // Every operand is known.
  static std::vector<Cell> compute(const Node* node, const std::vector<Cell>& args) {
    std::vector<IValue> values;
    for (const Cell& c : args) values.push_back(c.value);
    std::vector<IValue> results;
    try {
      results = computed(node, std::move(values));
      if (results.size() != node->outputs().size())
        fail("ValueError: unpacks another number of values");
    } catch (const Error& e) {
      return std::vector<Cell>(node->outputs().size(), Cell::lost(e.what()));
    }
    std::vector<Cell> cells;
    for (IValue& v : results) cells.push_back(Cell::known(std::move(v)));
    return cells;
  }

  static std::vector<IValue> computed(const Node* node, std::vector<IValue> values) {
    if (node->is(prim::list_construct()))
      return {IValue::list(std::move(values), node->output()->type().element())};
    if (node->is(prim::tuple_construct())) return {IValue::tuple(std::move(values))};
    if (node->is(prim::list_unpack()) || node->is(prim::tuple_unpack())) return values[0].items();
    if (node->row().run_at) {
      std::vector<IValue> results;
      node->row().run_at(node->row(), site_of(node), values, results);
      return results;
    }
    return call(node->row(), values);
  }

  // Some operand is not known.
  static std::vector<Cell> derive(const Node* node, const std::vector<Cell>& args) {
    size_t count = node->outputs().size();
    if (node->is(prim::list_construct()) || node->is(prim::tuple_construct()))
      return {Cell{.kind = Kind::Mixed, .items = args}};
    bool unpacks = node->is(prim::list_unpack()) || node->is(prim::tuple_unpack());
    if (unpacks && args[0].is(Kind::Mixed)) {
      if (args[0].items.size() == count) return args[0].items;
      return std::vector<Cell>(count, Cell::lost("ValueError: unpacks another number of values"));
    }
    static const Row& tuple_index = row("prim::TupleIndex");
    if (node->is(tuple_index) && args[0].is(Kind::Mixed) && args[1].is(Kind::Known)) {
      int64_t size = static_cast<int64_t>(args[0].items.size());
      int64_t i = args[1].value.as_int();
      if (i < 0) i += size;
      if (i >= 0 && i < size) return {args[0].items[static_cast<size_t>(i)]};
    }
    return std::vector<Cell>(count, depends(node, args));
  }

  static Cell depends(const Node* node, const std::vector<Cell>& args) {
    const Cell* lost = nullptr;
    for (const Cell& c : args) {
      if (const Cell* found = c.find_lost()) lost = found;
    }
    if (!lost || node->row().metadata) return {};
    bool of_tensors = false;
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      if (!number_or_tensor(node->outputs()[k]->type())) return {};
      of_tensors = of_tensors || node->outputs()[k]->type().is_tensor();
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (!of_tensors && !number_or_tensor(node->inputs()[i]->type())) return {};
      if (!of_tensors && &args[i] != lost && !(args[i].is(Kind::Known) && !absorbs(args[i].value)))
        return {};
      for (size_t j = 0; j < i; ++j) {
        bool both = args[i].is(Kind::Known) && args[j].is(Kind::Known);
        if (both && of_tensors == args[i].value.is_tensor() && same(args[i].value, args[j].value))
          return {};
      }
    }
    return *lost;
  }

  std::vector<Cell> frame_;
  int depth_;
  int64_t& steps_;
};

std::vector<Cell> walk(const Graph& graph, std::vector<Cell> inputs, int depth, int64_t& steps) {
  Walker walker(graph, depth, steps);
  for (size_t i = 0; i < inputs.size(); ++i) walker.at(graph.inputs()[i]) = std::move(inputs[i]);
  walker.run(graph.block());
  std::vector<Cell> results;
  for (const Value* v : graph.outputs()) results.push_back(walker.at(v));
  return results;
}

bool has_effects(const Graph& graph);

bool has_effects(const Block* block) {
  for (const Node* n : block->nodes()) {
    const Row& r = n->row();
    if (r.nondeterministic || r.schema.writes() || (r.side_effect && !n->is(prim::raise())))
      return true;
    if (calls(n) && has_effects(n->subgraph())) return true;
    if (!r.body.empty() && has_effects(composite_body(r))) return true;
    for (const Block* inner : n->blocks()) {
      if (has_effects(inner)) return true;
    }
  }
  return false;
}

bool has_effects(const Graph& graph) { return has_effects(graph.block()); }

}  // namespace

std::string needed_error(const Graph& program, const Call& call) {
  if (has_effects(program)) return "";
  std::vector<Cell> inputs;
  for (IValue& v : copy_call(call).inputs) inputs.push_back(Cell::known(std::move(v)));
  int64_t steps = 0;
  try {
    for (const Cell& result : walk(program, std::move(inputs), 0, steps)) {
      if (const Cell* lost = result.find_lost()) return lost->message;
    }
  } catch (const Raised& r) {
    return r.message;
  } catch (const GiveUp&) {
  } catch (const Exception&) {
  } catch (const std::bad_alloc&) {
  }
  return "";
}

void judge_missing_error(const Graph& program, const Call& call, const Outcome& observed,
                         Verdict& verdict) {
  if (!verdict.raises || observed.kind != Outcome::Kind::Values) return;
  std::string message = needed_error(program, call);
  if (message.empty()) return;
  verdict.kind = VerdictKind::Mismatch;
  verdict.raises = false;
  verdict.reason = "missing error: " + stable_phrase(message);
  verdict.detail = "eager raises: " + message;
}

}  // namespace fusillade::fuzz
