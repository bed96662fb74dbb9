// See one_op.h.
#include "fuzz/gen/one_op.h"

#include <algorithm>

#include "engine/aten/named.h"
#include "engine/ir/interpret.h"
#include "engine/ir/prims.h"
#include "engine/ops/call.h"
#include "engine/ops/infer.h"
#include "engine/ops/traits.h"
#include "fuzz/gen/drawn_call.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/tried.h"
#include "fuzz/gen/undrawn.h"

namespace fusillade::fuzz {
namespace {

constexpr int kRows = 16;   // tried, until one takes what is drawn for it
constexpr int kTries = 40;  // of arguments for an operator

std::vector<const Operator*> drawable(const std::function<bool(const Operator&)>& operators) {
  std::vector<const Operator*> out;
  for (const Operator* r : OperatorTable::instance().by_name()) {
    if (why_undrawn(*r).empty() && (!operators || operators(*r))) out.push_back(r);
  }
  return out;
}

bool of_tensors(const Type& type) {
  if (type.is_tensor()) return true;
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) || type.is(TypeKind::Dict) ||
                type.is(TypeKind::Tuple);
  return nested && std::any_of(type.elements().begin(), type.elements().end(), &of_tensors);
}

// `types`: those of the results.
bool takes(const Operator& op, const std::vector<IValue>& args, std::vector<Type>& types) {
  types.clear();
  return runs([&] {
    std::vector<IValue> results;
    call(op, Site{}, copy_call({args}).inputs, results);
    for (const IValue& v : results) types.push_back(v.type().without_shapes());
    return results;
  });
}

// A graph of one node.
class OneOp {
 public:
  OneOp(Choices& choices, const Operator& op) : choices_(choices), op_(op), drawn_(choices, op) {}

  bool draw(bool plain, Case& c);
  void more_calls(int calls, Case& c);

 private:
  void assemble(const std::vector<IValue>& args, Graph& graph);
  Value* lower(const IValue& v, bool constant);
  Value* input(const IValue& v);
  bool stays(const SchemaArg& formal, const IValue& v);
  std::vector<IValue> again(const Case& c);

  Choices& choices_;
  const Operator& op_;
  DrawnCall drawn_;
  Graph* graph_ = nullptr;
  std::vector<Type> seen_;                        // of the results, when it was tried
  bool plain_ = false;                            // inputs are tensors and numbers alone
  bool dynamic_ = false;                          // sizes of inputs are dynamic
  bool flat_ = true;                              // each input is an argument
  std::vector<std::string> names_;                // of the ranges that inputs lie in, or empty
  std::vector<std::pair<IValue, Value*>> known_;  // inputs
  std::vector<std::optional<IValue>> settled_;    // arguments that are constants
  std::vector<size_t> position_;                  // of the argument that an input is
};

// Is the argument a constant of the program?
bool OneOp::stays(const SchemaArg& formal, const IValue& v) {
  if (v.is_none() || v.is_device()) return true;
  if (of_tensors(v.type()) || formal.written) return false;
  bool container = !v.is_number() && v.tag() != IValue::Tag::Str;
  if (v.tag() == IValue::Tag::Dict || v.tag() == IValue::Tag::Tuple) return false;
  bool of_numbers = !container || v.items().empty() || v.items()[0].is_number();
  if (container && (!of_numbers || v.items().empty())) return false;
  return plain_ && !v.is_number() ? true : choices_.chance(op_.kind == OpKind::Scalar ? 0.3 : 0.75);
}

Value* OneOp::input(const IValue& v) {
  for (const auto& [value, at] : known_) {
    if (v.is_tensor() && value.is_tensor() && value.identical(v)) return at;
  }
  Type type = v.type();
  if (type.is_tensor()) {
    type.info().device = Device();
    type.info().requires_grad = false;
    if (dynamic_) type = type.without_shapes();
  }
  Value* graph_input = graph_->add_input(type);
  names_.emplace_back();
  for (const DrawnCall::Range& r : drawn_.ranges()) {
    if (!v.is_tensor() || !r.tensor.identical(v)) continue;
    names_.back() = fmt::format("from_{}_to_{}_n{}", -r.lo, r.hi, names_.size());
    if (r.lo <= 0) graph_input->set_name(names_.back());
  }
  known_.emplace_back(v, graph_input);
  return graph_input;
}

Value* OneOp::lower(const IValue& v, bool constant) {
  if (constant) return graph_->constant(v, graph_->block()->return_node());
  if (v.is_tensor() || !of_tensors(v.type())) return input(v);
  flat_ = false;
  std::vector<Value*> items;
  auto add = [&](const IValue& item) { items.push_back(lower(item, item.is_none())); };
  const Operator* maker = &prim::dict_construct();
  if (v.tag() == IValue::Tag::Dict) {
    for (const auto& [key, value] : v.as_dict().items()) {
      add(key);
      add(value);
    }
  } else {
    for (const IValue& item : v.items()) add(item);
    maker = v.tag() == IValue::Tag::List ? &prim::list_construct() : &prim::tuple_construct();
  }
  Node* n = graph_->block()->append(graph_->create(*maker, items));
  n->output()->set_type(v.type().without_shapes());
  return n->output();
}

void OneOp::assemble(const std::vector<IValue>& args, Graph& graph) {
  graph_ = &graph;
  std::vector<Value*> values;
  std::vector<ArgInfo> infos;
  for (size_t i = 0; i < args.size(); ++i) {
    const SchemaArg& formal = op_.schema.args[i];
    bool constant = stays(formal, args[i]);
    settled_.push_back(constant ? std::optional(args[i]) : std::nullopt);
    size_t inputs = graph.inputs().size();
    values.push_back(lower(args[i], constant));
    if (graph.inputs().size() > inputs) position_.push_back(i);
    ArgInfo info{.type = values.back()->type(), .value = {}, .known = false, .items = {}};
    if (constant) info.value = args[i];
    info.known = constant;
    if (args[i].tag() == IValue::Tag::List && of_tensors(args[i].type())) {
      for (const Value* item : values.back()->node()->inputs()) info.items.push_back(item->type());
    }
    infos.push_back(std::move(info));
  }
  std::vector<Type> types;
  try {
    infer_results(op_, infos, types);
  } catch (const Error&) {  // a fault, but not of the program: passes will meet it
    types = seen_;
  } catch (const Unsupported&) {
    types = seen_;
  }
  Node* n = graph.block()->append(graph.create(op_, values, static_cast<int>(types.size())));
  for (size_t i = 0; i < types.size(); ++i) {
    n->output(static_cast<int>(i))->set_type(types[i]);
    graph.add_output(n->output(static_cast<int>(i)));
  }
  if (types.empty() && !values.empty()) graph.add_output(values[0]);
  if (!has_trait(op_, Trait::Unwritten) || types.empty() || !types[0].is_tensor()) return;
  Node* zero = graph.create(aten::zero_(), {n->output(0)}, 1);
  graph.block()->append(zero)->output()->set_type(n->output(0)->type());
}

bool OneOp::draw(bool plain, Case& c) {
  plain_ = plain;
  for (int i = 0; i < kTries; ++i) {
    std::vector<IValue> args = drawn_.draw();
    if (!takes(op_, args, seen_)) continue;
    auto graph = std::make_unique<Graph>();
    dynamic_ = choices_.chance(0.2);
    assemble(args, *graph);
    Call call;
    for (const auto& [value, at] : known_) call.inputs.push_back(value);
    c.program = std::move(graph);
    c.calls.push_back(std::move(call));
    return true;
  }
  return false;
}

// Inputs of one more call: of the same types; of other sizes where those are dynamic.
std::vector<IValue> OneOp::again(const Case& c) {
  std::vector<IValue> inputs = copy_call(c.calls[0]).inputs;
  std::vector<std::pair<std::string, Type>> types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_tensor()) types.emplace_back(names_[i], inputs[i].type());
  }
  std::vector<IValue> tensors = generate_call(choices_, types).inputs;
  size_t at = 0;
  for (IValue& v : inputs)
    if (v.is_tensor()) v = tensors[at++];
  if (!flat_ || position_.size() != inputs.size()) return inputs;
  std::vector<std::optional<IValue>> given = settled_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!dynamic_ && inputs[i].is_tensor()) given[position_[i]] = inputs[i];
  }
  std::vector<IValue> args = drawn_.draw(given);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const IValue& v = args[position_[i]];
    if (v.type().subtype_of(c.program->inputs()[i]->type())) inputs[i] = v;
  }
  return inputs;
}

void OneOp::more_calls(int calls, Case& c) {
  for (int i = 1; i < calls; ++i) {
    for (int tries = 0; tries < 4; ++tries) {
      Call next{again(c)};
      bool valid = runs([&] { return interpret(*c.program, copy_call(next).inputs); });
      if (!valid) continue;
      c.calls.push_back(std::move(next));
      break;
    }
  }
}

}  // namespace

void generate_one_op(Choices& choices, const GenerateOptions& options, const Policy& policy,
                     Case& c) {
  static const std::vector<const Operator*> all = drawable({});
  const std::vector<const Operator*> some = options.operators ? drawable(options.operators) : all;
  for (int i = 0; i < kRows && !some.empty(); ++i) {
    const Operator& op = *choices.pick(some);
    bool by_roles =
        op.generate && (!op.roles.empty() || op.draw) && choices.chance(op.draw ? 0.8 : 0.5);
    if (by_roles) {
      GraphState g(choices, policy, 1);
      c.program = build_of_operator(g, op);
      if (!c.program) continue;
      std::vector<std::pair<std::string, Type>> inputs;
      for (const Value* v : c.program->inputs()) inputs.emplace_back(v->name(), v->type());
      for (int k = 0; k < options.calls; ++k) c.calls.push_back(generate_call(choices, inputs));
      return;
    }
    OneOp one(choices, op);
    if (!one.draw(options.operators != nullptr, c)) continue;
    one.more_calls(options.calls, c);
    c.calls.resize(std::min(c.calls.size(), static_cast<size_t>(std::max(options.calls, 0))));
    return;
  }
  GraphState g(choices, policy, 1, options.operators);
  c.program = build_graph(g, Sizes::Small);
  std::vector<std::pair<std::string, Type>> inputs;
  for (const Value* v : c.program->inputs()) inputs.emplace_back(v->name(), v->type());
  for (int k = 0; k < options.calls; ++k) c.calls.push_back(generate_call(choices, inputs));
}

}  // namespace fusillade::fuzz
