// The loopnest fuser (TensorExpr class): element-wise, broadcast, cast, view and reduction chains
// over any strides become one kernel of loop nests per group.
//
// A node may join when its row says how it computes (pointwise, reduce, view or composite of
// those), it has one tensor result, is pure, and every argument that shapes the computation (dims,
// sizes, flags) is constant. Scalars that are operands may vary between calls. Not joined: matrix
// products, concatenation, creation, random numbers, in-place writes.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "engine/fuse/lowering.h"
#include "engine/ir/composite.h"
#include "engine/ir/literal.h"
#include "engine/ops/pointwise.h"

namespace fusillade::fuse {
namespace {

bool is_constant(const Value* v) {
  const Node* n = v->node();
  if (n->is(prim::constant())) return true;
  if (!n->is(prim::list_construct())) return false;
  return std::all_of(n->inputs().begin(), n->inputs().end(), is_constant);
}

bool is_operand_type(const Type& t) {
  if (t.is(TypeKind::Optional)) return is_operand_type(t.element());
  return t.is_tensor() || t.is(TypeKind::Number);
}

bool is_plain_scalar(const Type& t) {
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

bool body_has_form(const Row& row);

bool has_form(const Row& row) {
  switch (row.kind) {
    case OpKind::Pointwise:
      return row.pointwise != nullptr && !row.pointwise_def->reads_nan_sign;
    case OpKind::Reduce:
      return row.reduce != nullptr;
    case OpKind::View:
      return row.view != nullptr;
    case OpKind::Composite:
      return body_has_form(row);
    default:
      return false;
  }
}

bool joins_inside(const Node* n) {
  if (n->is(prim::constant()) || n->is(prim::list_construct())) return true;
  const Row& row = n->row();
  bool pure = !row.in_place && !row.nondeterministic && !row.side_effect && !row.schema.writes();
  if (row.kind == OpKind::Scalar)
    return pure && row.run;  // a constant, once the group's types are known
  return pure && has_form(row) && n->outputs().size() == 1 && n->output()->type().is_tensor();
}

// Is everything in the body what a group may hold? Answered once per row.
bool body_has_form(const Row& row) {
  static std::mutex mutex;
  static auto* answers = new std::unordered_map<const Row*, bool>;
  {
    std::lock_guard lock(mutex);
    auto it = answers->find(&row);
    if (it != answers->end()) return it->second;
  }
  bool all = !row.body.empty();
  if (all) {
    for (const Node* n : composite_body(row).block()->nodes()) all = all && joins_inside(n);
  }
  std::lock_guard lock(mutex);
  return answers->emplace(&row, all).first->second;
}

bool can_join(const Node* node) {
  const Row& row = node->row();
  if (!has_form(row) || row.in_place || row.nondeterministic || row.side_effect) return false;
  if (node->outputs().size() != 1 || !node->output()->type().is_tensor()) return false;
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    const Value* v = node->input(static_cast<int>(i));
    const Type& formal = row.schema.args[i].type;
    if (v->type().is_tensor() || is_constant(v)) continue;
    bool varies = row.kind == OpKind::Pointwise && is_operand_type(formal);
    if (!varies || !is_plain_scalar(v->type())) return false;
  }
  return true;
}

void expand_composites(Graph& graph) {
  bool again = true;
  while (again) {
    again = false;
    for (Node* node : graph.block()->nodes()) {
      if (node->kind() != OpKind::Composite) continue;
      std::vector<Value*> args = node->inputs();
      const std::vector<SchemaArg>& formals = node->row().schema.args;
      for (size_t i = args.size(); i < formals.size(); ++i) {
        args.push_back(graph.constant(formals[i].default_value, node));
      }
      std::vector<Value*> results = inline_graph(composite_body(node->row()), node, args);
      node->output()->replace_all_uses_with(results[0]);
      node->destroy();
      again = true;
    }
  }
}

// What types gave for some sizes of the arguments, in the order of nodes.
struct Facts {
  std::vector<int64_t> numbers;      // sizes and strides
  std::vector<std::string> scalars;  // folded
};

// A scalar computed from constants and the shapes of tensors becomes a constant.
void fold_scalar(Graph& graph, Node* node, Facts& facts) {
  std::vector<ArgInfo> args = arg_infos(node);
  for (size_t i = args.size(); i < node->row().schema.args.size(); ++i) {
    args.push_back(
        {node->row().schema.args[i].type, node->row().schema.args[i].default_value, true, {}});
  }
  std::optional<std::vector<IValue>> values = known_scalars(node->row(), args);
  if (!values) decline("{} is not known before the run", node->row().name);
  for (size_t k = 0; k < values->size(); ++k) {
    facts.scalars.push_back(print_literal((*values)[k]));
    node->output(static_cast<int>(k))->replace_all_uses_with(graph.constant((*values)[k], node));
  }
  node->destroy();
}

Facts specialise_types(Graph& graph, const std::vector<ArgSpec>& args) {
  Facts facts;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_tensor) continue;
    TensorInfo info;
    info.has_dtype = info.rank_known = info.strides_known = true;
    info.dtype = args[i].dtype;
    info.sizes = args[i].sizes;
    info.strides = args[i].strides;
    info.device = args[i].device;
    info.requires_grad = false;
    graph.inputs()[i]->set_type(Type::tensor(info));
  }
  for (Node* node : graph.block()->nodes()) {
    if (node->is(prim::constant())) continue;
    if (node->kind() == OpKind::Scalar) {
      fold_scalar(graph, node, facts);
      continue;
    }
    infer_types(node);
    for (Value* v : node->outputs()) {
      if (v->type().is_tensor() && !v->type().info().complete()) {
        decline("the type of {}'s result is not fully known", node->row().name);
      }
      if (!v->type().is_tensor()) continue;
      const TensorInfo& info = v->type().info();
      facts.numbers.insert(facts.numbers.end(), info.sizes.begin(), info.sizes.end());
      facts.numbers.insert(facts.numbers.end(), info.strides.begin(), info.strides.end());
    }
  }
  return facts;
}

// Sizes for which primes stand in are multiplied; past int64 they tell nothing.
void refuse_overflow(const Graph& graph) {
  for (const Node* node : graph.block()->nodes()) {
    for (const Value* v : node->outputs()) {
      int64_t count = 1;
      for (int64_t n : v->type().is_tensor() ? v->type().info().sizes : Dims())
        if (n > 0 && __builtin_mul_overflow(count, n, &count))
          decline("too many open dimensions in one tensor");
    }
  }
}

// Ready to be lowered, every type complete.
std::unique_ptr<Graph> specialised(const Graph& group, const std::vector<ArgSpec>& args,
                                   Facts& facts) {
  std::unique_ptr<Graph> graph = group.clone();
  expand_composites(*graph);
  // Lowering and back ends recurse over expressions as deep as the group is long.
  constexpr size_t kLongest = 1000;
  if (graph->node_count() > kLongest)
    decline("a group of {} nodes; {} are lowered", graph->node_count(), kLongest);
  try {
    facts = specialise_types(*graph, args);
  } catch (const Error& e) {
    decline("the group is illegal for these arguments: {}", e.what());
  }
  return graph;
}

// One nest of loops holds the whole group; what does not fit it is run node by node.
Lowered lowered(const Graph& group, const std::vector<ArgSpec>& args,
                const Lowering::Reader& reader) {
  try {
    return Lowering(group, args, reader).run();
  } catch (const Error& e) {
    decline("no one nest of loops: {}", e.what());
  }
}

// Lowered for primes, then for others; and typed for the least sizes. What differs in more than
// the products that those are decides something by what a size is.
Lowered lower_open(const Graph& group, const std::vector<ArgSpec>& args, const OpenSizes& open) {
  Facts facts, others, least;
  const auto with = [&](const std::vector<int64_t>& primes, Facts& to) {
    const auto graph = specialised(group, open.at(args, primes), to);
    refuse_overflow(*graph);
    const std::vector<ArgSpec> specs = open.at(args, primes);
    return lowered(*graph, specs, [&](int64_t n) { return read_product(n, primes); });
  };
  Lowered made = with(open.primes(), facts);
  const Lowered other = with(open.other_primes(), others);
  specialised(group, open.at(args, open.least()), least);
  bool same = made.extents == other.extents && made.open_outputs == other.open_outputs &&
              made.in_args == other.in_args && print(made.kernel) == print(other.kernel) &&
              facts.scalars == others.scalars && facts.scalars == least.scalars &&
              facts.numbers.size() == others.numbers.size() &&
              facts.numbers.size() == least.numbers.size();
  for (size_t i = 0; same && i < facts.numbers.size(); ++i) {
    const Product product = read_product(facts.numbers[i], open.primes());
    same = product == read_product(others.numbers[i], open.other_primes()) &&
           product.at(open.least()) == least.numbers[i];
  }
  if (!same) decline("the kernel depends on what sizes are");
  return made;
}

Lowered lower(const Graph& group, const std::vector<ArgSpec>& args, const OpenSizes* open) {
  if (open) return lower_open(group, args, *open);
  Facts facts;
  return lowered(*specialised(group, args, facts), args, nullptr);
}

const Fuser& registered = Table<Fuser>::instance().add(
    {"loopnest", "loop nests per group: element-wise, views and reductions (TensorExpr class)",
     &can_join, &lower, 2});

}  // namespace
}  // namespace fusillade::fuse
