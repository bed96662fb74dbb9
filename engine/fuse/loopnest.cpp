// The loopnest fuser (TensorExpr class): element-wise, broadcast, cast, view, join, scan and
// reduction chains over any strides, and small products and convolutions, become one kernel of
// loop nests per group.
#include "engine/fuse/joins.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/specialise.h"

namespace fusillade::fuse {
namespace {

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

// One nest of loops holds the whole group; what does not fit it is run node by node.
Lowered lowered(const Graph& group, const std::vector<ArgSpec>& args,
                const Lowering::Reader& reader) {
  try {
    return Lowering(group, args, reader, &build_nest, true).run();
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
              made.in_args == other.in_args && made.draws == other.draws &&
              print(made.kernel) == print(other.kernel) && facts.scalars == others.scalars &&
              facts.scalars == least.scalars && facts.numbers.size() == others.numbers.size() &&
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
     [](const Node* node) { return joins(node, kAllForms); }, &lower, 2});

}  // namespace
}  // namespace fusillade::fuse
