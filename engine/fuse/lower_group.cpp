// See lower_group.h.
#include "engine/fuse/lower_group.h"

#include "engine/fuse/specialise.h"

namespace fusillade::fuse {
namespace {

// Counts multiply the primes that replace sizes; past int64 their factors are lost.
void refuse_overflow(const Graph& graph) {
  for (const Node* node : graph.block()->nodes()) {
    for (const Value* v : node->outputs()) {
      int64_t count = 1;
      for (int64_t n : v->type().is_tensor() ? v->type().info().sizes : Dims())
        if (n > 0 && __builtin_mul_overflow(count, n, &count))
          decline("too many dynamic dimensions in one tensor");
    }
  }
}

class Lowerer {
 public:
  Lowerer(const Graph& group, const std::vector<ArgSpec>& args, const LoweredBy& by)
      : group_(group), args_(args), by_(by) {}

  Lowered for_these() const {
    TypeFacts facts;
    return lower(*specialise(group_, args_, facts), args_, nullptr);
  }

  // Lowered for primes, then for others; and typed for the least sizes. What differs in more than
  // the products that those are decides something by what a size is.
  Lowered for_all(const DynamicSizes& dynamic) const {
    const StandIns primes = dynamic.primes(), other_primes = dynamic.other_primes();
    TypeFacts facts, others, least;
    Lowered result = with(dynamic, primes, facts);
    const Lowered other = with(dynamic, other_primes, others);
    (void)specialise(group_, dynamic.at(args_, dynamic.least()), least);
    bool same = result.extents == other.extents &&
                result.dynamic_outputs == other.dynamic_outputs &&
                result.in_args == other.in_args && result.draws == other.draws &&
                print(result.kernel) == print(other.kernel) && facts.scalars == others.scalars &&
                facts.scalars == least.scalars && facts.numbers.size() == others.numbers.size() &&
                facts.numbers.size() == least.numbers.size();
    for (size_t i = 0; same && i < facts.numbers.size(); ++i) {
      const Product product = read_product(facts.numbers[i], primes.primes);
      same = product == read_product(others.numbers[i], other_primes.primes) &&
             product.at(dynamic.least()) == least.numbers[i];
    }
    if (!same) decline("the kernel depends on what sizes are");
    return result;
  }

 private:
  Lowered with(const DynamicSizes& dynamic, const StandIns& stand_ins, TypeFacts& facts) const {
    const std::vector<ArgSpec> args = dynamic.at(args_, stand_ins.primes);
    const auto graph = specialise(group_, args, facts);
    refuse_overflow(*graph);
    return lower(*graph, args, &stand_ins);
  }

  Lowered lower(const Graph& graph, const std::vector<ArgSpec>& args,
                const StandIns* stand_ins) const {
    try {
      return Lowering(graph, args, stand_ins, by_.mapping, by_.launches).run();
    } catch (const Error& e) {
      decline("{}: {}", by_.wanted, e.what());
    }
  }

  const Graph& group_;
  const std::vector<ArgSpec>& args_;
  const LoweredBy by_;
};

}  // namespace

Lowered lower_group(const Graph& group, const std::vector<ArgSpec>& args,
                    const DynamicSizes* dynamic, const LoweredBy& by) {
  const Lowerer lowerer(group, args, by);
  return dynamic ? lowerer.for_all(*dynamic) : lowerer.for_these();
}

}  // namespace fusillade::fuse
