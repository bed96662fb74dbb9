// See missing_error.h. The interpreter's domain is cells in place of values.
#include "fuzz/run/missing_error.h"

#include <algorithm>

#include "engine/ir/interpret.h"
#include "fuzz/run/error_class.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMaxSteps = 200000;

struct GiveUp {};
// An error that ends the run. `nth` counts errors, the first is 0.
struct Raised {
  std::string message;
  int64_t nth;
  bool by_write;  // to what the caller holds
};

struct Cell {
  enum class Kind { Known, Lost, Unknown, Mixed };
  Kind kind = Kind::Unknown;
  IValue value{};             // Known
  std::string message{};      // Lost: of the error that is to blame
  std::vector<Cell> items{};  // Mixed: a tuple or list not all of whose items are known
  int64_t nth = 0;            // Lost: which error that is
  bool visible = false;       // Lost: a view of what the caller holds

  static Cell make_known(IValue v) { return {.kind = Kind::Known, .value = std::move(v)}; }
  static Cell make_lost(std::string message, int64_t nth, bool visible = false) {
    return {.kind = Kind::Lost, .message = std::move(message), .nth = nth, .visible = visible};
  }
  bool is(Kind k) const { return kind == k; }
  // By the earliest error.
  const Cell* find_lost() const { return is(Kind::Lost) ? this : earliest(items); }
  static const Cell* earliest(std::span<const Cell> cells) {
    const Cell* out = nullptr;
    for (const Cell& c : cells) {
      const Cell* found = c.find_lost();
      if (found && (!out || found->nth < out->nth)) out = found;
    }
    return out;
  }
};
using Kind = Cell::Kind;

bool same(const IValue& a, const IValue& b) {
  if (a.is_tensor() && b.is_tensor()) {
    if (!a.as_tensor().is_defined() || !b.as_tensor().is_defined()) return false;
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

// What the caller holds: memory of tensors, and containers.
class CallerMemory {
 public:
  explicit CallerMemory(std::span<const IValue> inputs) {
    for (const IValue& v : inputs) add(v);
  }
  bool holds(const IValue& v) const {
    if (v.is_tensor()) return v.as_tensor().is_defined() && memory_.count(v.as_tensor().storage());
    return std::ranges::any_of(containers_, [&](const IValue& c) { return c.identical(v); });
  }

 private:
  void add(const IValue& v) {
    if (v.is_tensor()) {
      if (v.as_tensor().is_defined()) memory_.insert(v.as_tensor().storage());
      return;
    }
    switch (v.tag()) {
      case IValue::Tag::Tuple:
        for (const IValue& item : v.items()) add(item);
        return;
      case IValue::Tag::List:
        if (holds(v)) return;
        containers_.push_back(v);
        for (const IValue& item : v.items()) add(item);
        return;
      case IValue::Tag::Dict:
        if (holds(v)) return;
        containers_.push_back(v);
        for (const auto& [key, value] : v.as_dict().items()) add(key), add(value);
        return;
      case IValue::Tag::Object:
        if (holds(v)) return;
        containers_.push_back(v);
        for (const IValue& slot : v.as_object().slots) add(slot);
        return;
      default:
        return;
    }
  }

  std::set<const Storage*> memory_;
  std::vector<IValue> containers_;
};

// Counts while it lives.
class Counted {
 public:
  Counted(int& count, bool counts) : count_(count), by_(counts ? 1 : 0) { count_ += by_; }
  ~Counted() { count_ -= by_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  int& count_;
  int by_;
};

class Lenient : public DomainOf<Cell> {
 public:
  using In = Interpreter<Lenient>;
  explicit Lenient(std::span<const IValue> inputs) : caller_memory_(inputs) {}
  // Of the errors that came before any effect behind the first of them.
  const std::set<std::string>& classes() const { return classes_; }
  // Do errors surface in the order in which they are raised? A task's error surfaces where the task
  // is waited for, after other errors and what these delay.
  bool in_order() const { return !of_a_task_ || errors_ == 1; }

  Cell constant(const IValue& v, const Type&) { return Cell::make_known(v); }
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
      const Counted inside(within_, is_composite(node->op()) && !node->op().schema.writes());
      results = in.run(callee, std::move(args));
    } catch (const Raised& r) {
      if (is_task(node)) {  // is raised where its result is wanted
        if (r.by_write || trying_ > 0) throw GiveUp{};
        of_a_task_ = true;
        results.assign(1, Cell::make_lost(r.message, r.nth));
        return;
      }
      if (!is_composite(node->op()) || r.by_write) throw;
      if (node->op().schema.writes()) {
        if (within_ > 0) throw;  // the body of an op that fails as a whole
        throw GiveUp{};
      }
      results.assign(node->outputs().size(), Cell::make_lost(r.message, r.nth));
    }
  }

  void apply(In&, const Node* node, std::vector<Cell>& args, std::vector<Cell>& results) {
    if (node->is(prim::raise())) {
      const bool known = args[0].is(Kind::Known);
      const std::string message = known ? args[0].value.as_str() : "raised";
      throw Raised{message, next_error(message), false};
    }
    const bool all_known = all_of_known(args);
    const Operator& op = node->op();
    if (op.schema.writes()) return write(node, args, all_known, results);
    if (op.side_effect) {
      if (!all_known || trying_ > 0 || !node->outputs().empty()) throw GiveUp{};
      closed_ = closed_ || errors_ > 0;
      return;
    }
    if (op.nondeterministic) results.assign(node->outputs().size(), Cell{});
    else results = all_known ? compute(node, args) : derive(node, args);
  }

  void unknown_branch(In& in, const Node* node) {
    const Cell condition = in.at(node->input());
    bool raises = false;
    for (const Block* b : node->blocks())
      raises = try_out(condition, [&] { in.block(b); }) || raises;
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      const Cell& a = in.at(node->blocks()[0]->results()[k]);
      const Cell& b = in.at(node->blocks()[1]->results()[k]);
      in.set(node->outputs()[k], raises ? Cell{} : select_cell(condition, a, b));
    }
  }

  // The remaining trip count depends on an unknown cell. A slot that each iteration passes on
  // unchanged keeps its value. A pass may know a slot that each iteration sets to an outside value,
  // or that an iteration leaves with its old value.
  void unknown_loop(In& in, const Node* node, int64_t, Cell& more, std::vector<Cell>& carried) {
    const Block* body = node->blocks()[0];
    const Cell trips = in.at(node->input());
    const Cell count = trips.find_lost() ? trips : more;
    std::vector<Cell> after = carried;
    bool raises = try_out(count, [&] { in.iteration(node, {}, more, after); });
    for (size_t k = 0; k < carried.size(); ++k) {
      const Value* result = body->results()[k + 1];
      if (!raises && result == body->params()[k + 1]) continue;
      bool computed_inside =
          result->node()->block() == body && !result->node()->is(prim::constant());
      bool stays = !raises && carried[k].is(Kind::Known) && after[k].is(Kind::Known) &&
                   same(carried[k].value, after[k].value);
      carried[k] = computed_inside && !stays && !raises && count.is(Kind::Lost) ? count : Cell{};
    }
  }

 private:
  // Runs something of which it is not known whether it runs. True when it raises; but when that
  // hangs on a lost value, the raise needs it, and with it its error.
  template <class F>
  bool try_out(const Cell& whether, const F& run) {
    const Counted trying(trying_, true);
    try {
      run();
    } catch (const Raised&) {
      if (whether.is(Kind::Lost)) throw Raised{whether.message, whether.nth, false};
      return true;
    }
    return false;
  }

  static bool all_of_known(std::span<const Cell> cells) {
    return std::ranges::all_of(cells, [](const Cell& c) { return c.is(Kind::Known); });
  }

  int64_t next_error(const std::string& message) {
    if (!closed_) classes_.insert(raised_class(message));
    return errors_++;
  }

  bool visible(const Cell& c) const {
    return c.is(Kind::Lost) ? c.visible : c.is(Kind::Known) && caller_memory_.holds(c.value);
  }

  void write(const Node* node, const std::vector<Cell>& args, bool all_known,
             std::vector<Cell>& results) {
    bool to_visible = false;
    const std::vector<SchemaArg>& named = node->op().schema.args;
    for (size_t i = 0; i < args.size() && i < named.size(); ++i)
      to_visible = to_visible || (named[i].written && visible(args[i]));
    if (trying_ > 0) throw GiveUp{};
    const Cell* lost = Cell::earliest(args);
    if (lost && to_visible) throw Raised{lost->message, lost->nth, true};
    if (!all_known) throw GiveUp{};
    const int64_t before = errors_;
    results = compute(node, args);
    if (errors_ > before) {
      if (to_visible) throw Raised{failed_with_, before, true};
      // What a body writes is its own where its op writes nothing.
      if (within_ > 0) throw Raised{failed_with_, before, false};
      throw GiveUp{};
    }
    if (to_visible) closed_ = closed_ || errors_ > 0;
  }

  // One of two, by a condition that is not known.
  static Cell select_cell(const Cell& condition, const Cell& a, const Cell& b) {
    if (a.is(Kind::Known) && b.is(Kind::Known) && same(a.value, b.value)) return a;
    if (a.is(Kind::Lost) && b.is(Kind::Lost)) return a;
    bool are_distinguished = a.is(Kind::Known) || b.is(Kind::Known);
    bool guessable =
        a.is(Kind::Unknown) || b.is(Kind::Unknown) || a.is(Kind::Mixed) || b.is(Kind::Mixed);
    return condition.is(Kind::Lost) && are_distinguished && !guessable ? condition : Cell{};
  }

  // Every operand is known.
  std::vector<Cell> compute(const Node* node, const std::vector<Cell>& args) {
    std::vector<IValue> values, results;
    for (const Cell& c : args) values.push_back(c.value);
    try {
      call(node->op(), site_of(node), values, results);
    } catch (const Error& e) {
      failed_with_ = e.what();
      const bool view = node->kind() == OpKind::View && !args.empty() && visible(args[0]);
      return std::vector<Cell>(node->outputs().size(),
                               Cell::make_lost(failed_with_, next_error(failed_with_), view));
    }
    std::vector<Cell> cells;
    for (IValue& v : results) cells.push_back(Cell::make_known(std::move(v)));
    return cells;
  }

  // Some operand is not known.
  std::vector<Cell> derive(const Node* node, std::vector<Cell>& args) {
    size_t count = node->outputs().size();
    args.resize(node->inputs().size());  // defaults decide nothing
    if (node->is(prim::list_construct()) || node->is(prim::tuple_construct()))
      return {Cell{.kind = Kind::Mixed, .items = args}};
    bool unpacks = node->is(prim::list_unpack()) || node->is(prim::tuple_unpack());
    if (unpacks && args[0].is(Kind::Mixed)) {
      if (args[0].items.size() == count) return args[0].items;
      const std::string message = "ValueError: unpacks another number of values";
      return std::vector<Cell>(count, Cell::make_lost(message, next_error(message)));
    }
    static const Operator& tuple_index = operator_named("prim::TupleIndex");
    if (node->is(tuple_index) && args[0].is(Kind::Mixed) && args[1].is(Kind::Known)) {
      int64_t size = static_cast<int64_t>(args[0].items.size());
      int64_t i = args[1].value.as_int();
      if (i < 0) i += size;
      if (i >= 0 && i < size) return {args[0].items[static_cast<size_t>(i)]};
    }
    Cell result = depends(node, args);
    result.visible = node->kind() == OpKind::View && !args.empty() && visible(args[0]);
    return std::vector<Cell>(count, result);
  }

  static Cell depends(const Node* node, const std::vector<Cell>& args) {
    const Cell* lost = Cell::earliest(args);
    if (!lost || node->op().metadata) return {};
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

  CallerMemory caller_memory_;
  std::set<std::string> classes_;
  std::string failed_with_;
  int64_t errors_ = 0;
  bool closed_ = false;     // an effect came behind the first error
  bool of_a_task_ = false;  // one of the errors
  int trying_ = 0;          // blocks that may not run, around this one
  int within_ = 0;          // bodies of ops that write nothing, around this one
  int64_t steps_ = 0;
};

}  // namespace

ErrorFacts errors_of(const Graph& program, const Call& call) {
  const Call copy = copy_call(call);
  std::vector<Cell> inputs;
  for (const IValue& v : copy.inputs) inputs.push_back(Cell::make_known(v));
  Lenient cells(copy.inputs);
  ErrorFacts out;
  auto needs = [&](const std::string& message, int64_t nth) {
    out.needed = message;
    out.certain = nth == 0 && cells.in_order();
    out.classes = cells.classes();
  };
  try {
    const std::vector<Cell> results = Interpreter(cells).run(program, std::move(inputs));
    if (const Cell* lost = Cell::earliest(results)) needs(lost->message, lost->nth);
  } catch (const Raised& r) {
    needs(r.message, r.nth);
  } catch (const GiveUp&) {
  } catch (const Exception&) {
  } catch (const std::bad_alloc&) {
  }
  return out;
}

}  // namespace fusillade::fuzz
