// See missing_error.h. The interpreter's domain is cells in place of values.
#include "fuzz/run/missing_error.h"

#include <algorithm>

#include "engine/ir/interpret.h"

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

bool number_or_tensor(const Type& type) {
  return type.is_tensor() || type.is(TypeKind::Int) || type.is(TypeKind::Float) ||
         type.is(TypeKind::Bool);
}

// Numbers that decide a result on their own, whatever the other operand: 0 * n, 1 ** n, b and
// False, n % 1.
bool absorbs(const IValue& v) { return v.is_number() && std::abs(v.as_double()) <= 1; }

class Lenient : public DomainOf<Cell> {
 public:
  using In = Interpreter<Lenient>;

  Cell constant(const IValue& v, const Type&) { return Cell::known(v); }
  std::optional<bool> truth(const Cell& c) {
    return c.is(Kind::Known) ? std::optional(c.value.as_bool()) : std::nullopt;
  }
  std::optional<int64_t> count(const Cell& c) {
    return c.is(Kind::Known) ? std::optional(c.value.as_int()) : std::nullopt;
  }
  void on_node(const Node*) {
    if (++steps_ > kMaxSteps) throw GiveUp{};
  }
  [[noreturn]] void too_deep() { throw GiveUp{}; }  // inlining makes calls shallower

  // Where a body raises, its op fails: the op is no statement of the program, and what nobody uses
  // may be removed.
  void enter(In& in, const Node* node, const Graph& callee, std::vector<Cell>& args,
             std::vector<Cell>& results) {
    try {
      results = in.run(callee, std::move(args));
    } catch (const Raised& r) {
      if (!is_composite(node->row())) throw;
      results.assign(node->outputs().size(), Cell::lost(r.message));
    }
  }

  void apply(In&, const Node* node, std::vector<Cell>& args, std::vector<Cell>& results) {
    if (node->is(prim::raise()))
      throw Raised{args[0].is(Kind::Known) ? args[0].value.as_str() : "raised"};
    bool all_known =
        std::all_of(args.begin(), args.end(), [](const Cell& c) { return c.is(Kind::Known); });
    results = all_known ? compute(node, args) : derive(node, args);
  }

  void open_branch(In& in, const Node* node) {
    const Cell condition = in.at(node->input());
    bool raises = false;
    for (const Block* b : node->blocks())
      raises = try_out(condition, [&] { in.block(b); }) || raises;
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      const Cell& a = in.at(node->blocks()[0]->results()[k]);
      const Cell& b = in.at(node->blocks()[1]->results()[k]);
      in.set(node->outputs()[k], raises ? Cell{} : chosen(condition, a, b));
    }
  }

  // The number of turns left hangs on a cell that is not known. A slot that each turn hands on as
  // it was keeps its value; one that each turn sets to something from outside, or that a turn
  // leaves with the value it had, may be told by a pass.
  void open_loop(In& in, const Node* node, Cell& more, std::vector<Cell>& carried) {
    const Block* body = node->blocks()[0];
    const Cell trips = in.at(node->input());
    const Cell count = trips.find_lost() ? trips : more;
    std::vector<Cell> after = carried;
    bool raises = try_out(count, [&] { in.turn(node, {}, more, after); });
    for (size_t k = 0; k < carried.size(); ++k) {
      const Value* result = body->results()[k + 1];
      if (!raises && result == body->params()[k + 1]) continue;
      bool made_inside = result->node()->block() == body && !result->node()->is(prim::constant());
      bool stays = !raises && carried[k].is(Kind::Known) && after[k].is(Kind::Known) &&
                   same(carried[k].value, after[k].value);
      carried[k] = made_inside && !stays && !raises && count.is(Kind::Lost) ? count : Cell{};
    }
  }

 private:
  // Runs something of which it is not known whether it runs. True when it raises; but when that
  // hangs on a lost value, the raise needs it, and with it its error.
  template <class F>
  static bool try_out(const Cell& whether, const F& run) {
    try {
      run();
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

  // Every operand is known.
  static std::vector<Cell> compute(const Node* node, const std::vector<Cell>& args) {
    std::vector<IValue> values, results;
    for (const Cell& c : args) values.push_back(c.value);
    try {
      call(node->row(), site_of(node), values, results);
    } catch (const Error& e) {
      return std::vector<Cell>(node->outputs().size(), Cell::lost(e.what()));
    }
    std::vector<Cell> cells;
    for (IValue& v : results) cells.push_back(Cell::known(std::move(v)));
    return cells;
  }

  // Some operand is not known.
  static std::vector<Cell> derive(const Node* node, std::vector<Cell>& args) {
    size_t count = node->outputs().size();
    args.resize(node->inputs().size());  // defaults decide nothing
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

  int64_t steps_ = 0;
};

bool has_effects(const Graph& graph);

bool has_effects(const Block* block) {
  for (const Node* n : block->nodes()) {
    const Row& r = n->row();
    if (r.nondeterministic || r.schema.writes() || (r.side_effect && !n->is(prim::raise())))
      return true;
    const Graph* callee = callee_of(n);
    if (callee && has_effects(*callee)) return true;
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
  Lenient cells;
  try {
    for (const Cell& result : Interpreter(cells).run(program, std::move(inputs))) {
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
