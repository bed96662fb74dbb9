// What a fuser says of a group under construction: what may fuse with it, what may be fused
// horizontally, what it costs; and what costs more to recompute than to keep.
#include <gtest/gtest.h>

#include <optional>

#include "engine/base/probe.h"
#include "engine/fuse/compile_log.h"
#include "engine/fuse/cost.h"
#include "engine/ir/graph.h"
#include "engine/passes/pass.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

constexpr const char* kConstants =
    "  %none : NoneType = prim::Constant()\n  %no : bool = prim::Constant[value=0]()\n"
    "  %one : int = prim::Constant[value=1]()\n"
    "  %rows : int[] = prim::Constant[value=[0]]()\n"
    "  %columns : int[] = prim::Constant[value=[1]]()\n";

Tensor test_tensor(const Dims& sizes) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, 0.25 * static_cast<double>(i % 9) + 1);
  return t;
}

std::vector<Node*> members(const Graph& graph) {
  std::vector<Node*> out;
  for (Node* n : graph.block()->nodes())
    if (!n->is(prim::constant())) out.push_back(n);
  return out;
}

TEST(GroupCost, BytesAndCallsOfOperatorsAndOfAKernel) {
  const std::string body =
      "  %a : Float(4, 8, strides=[8, 1]) = aten::mul(%x, %w)\n"
      "  %b : Float(4, 8, strides=[8, 1]) = aten::relu(%a)\n"
      "  return (%b)\n";
  const auto graph =
      parse_graph("graph(%x : Float(4, 8, strides=[8, 1]), %w : Float(8, strides=[1])):\n" + body);
  const std::vector<Node*> nodes = members(*graph);
  const fuse::Cost operators = fuse::cost_by_operators(nodes), kernel = fuse::cost_as_kernel(nodes);
  EXPECT_EQ(operators.calls, 2);
  EXPECT_EQ(operators.bytes, 4 * (32 + 8 + 32 + 32 + 32));
  EXPECT_EQ(kernel.calls, 1);
  EXPECT_EQ(kernel.bytes, 4 * (32 + 8 + 32));
  EXPECT_TRUE(fuse::pays(kernel, operators));
  const fuse::Members alone(nodes.data(), 1);
  EXPECT_FALSE(fuse::pays(fuse::cost_as_kernel(alone), fuse::cost_by_operators(alone)));
  const auto untyped =
      parse_graph("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  return (%a)\n");
  EXPECT_EQ(fuse::cost_by_operators(members(*untyped)).bytes, -1);
}

TEST(GroupCost, CyclesTellCostlyFunctions) {
  ExprPool pool;
  ExprPool::Scope scope(pool);
  const Expr x = Expr::arg(0, Model::F32), y = Expr::arg(1, Model::F32);
  EXPECT_EQ(fuse::cycles_of(x), 0);
  EXPECT_EQ(fuse::cycles_of(x * y + y), 2);
  EXPECT_EQ(fuse::cycles_of(x / y), 6);
  EXPECT_GT(fuse::cycles_of(lgamma(x)), 10 * fuse::cycles_of(exp(x)));
}

// Each fusion group with its number of nodes.
std::vector<size_t> groups_of(const Graph& graph) {
  std::vector<size_t> out;
  for (const Node* n : graph.block()->nodes())
    if (n->is(prim::fusion_group())) out.push_back(n->subgraph().node_count());
  return out;
}

TEST(GroupCost, LongChainsAreSeveralGroups) {
  std::string text = "graph(%x : Tensor):\n";
  std::string at = "x";
  for (int i = 0; i < 1500; ++i) {
    text += fmt::format("  %v{} : Tensor = aten::{}(%{})\n", i, i % 2 ? "neg" : "relu", at);
    at = fmt::format("v{}", i);
  }
  text += "  return (%" + at + ")\n";
  const auto graph = parse_graph(text);
  const auto grouped = parse_graph(text);
  run_pipeline(*grouped, parse_pipeline("fuse(loopnest,interp)"));
  EXPECT_EQ(groups_of(*grouped), (std::vector<size_t>{500, 1000}));
  const std::vector<IValue> inputs{test_tensor({5})};
  const uint64_t before = probe("fuse/launched").count();
  const auto given = prepare(*graph, parse_plan("vm/fuse(loopnest,interp)"))->run(inputs);
  EXPECT_EQ(probe("fuse/launched").count() - before, 2u);
  EXPECT_TRUE(bitwise_equal(prepare(*graph, parse_plan("eager"))->run(inputs)[0].as_tensor(),
                            given[0].as_tensor()));
}

// A composite counts as what its body holds.
TEST(GroupCost, LoweredNodesOfABody) {
  const auto graph = parse_graph(std::string("graph(%x : Tensor):\n") + kConstants +
                                 "  %a : Tensor = aten::softmax(%x, %one, %none)\n"
                                 "  %b : Tensor = aten::relu(%a)\n  return (%b)\n");
  const std::vector<Node*> nodes = members(*graph);
  EXPECT_GT(fuse::lowered_nodes(nodes[0]), 3);
  EXPECT_EQ(fuse::lowered_nodes(nodes[1]), 1);
}

std::vector<size_t> group_sizes(const std::string& body, const std::string& words) {
  const auto graph =
      parse_graph("graph(%x : Tensor, %y : Tensor):\n" + std::string(kConstants) + body);
  run_pipeline(*graph, parse_pipeline("fuse(" + words + ")"));
  return groups_of(*graph);
}

TEST(GroupCost, SiblingsFuseHorizontally) {
  const std::string of_one =
      "  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::exp(%x)\n  return (%a, %b)\n";
  const std::string of_two =
      "  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::exp(%y)\n  return (%a, %b)\n";
  const std::string sums =
      "  %a : Tensor = aten::amax(%x, %columns, %no)\n"
      "  %b : Tensor = aten::amin(%x, %columns, %no)\n  return (%a, %b)\n";
  for (const char* fuser : {"loopnest", "tile"}) {
    const std::string wide = std::string(fuser) + ",interp,wide";
    EXPECT_EQ(group_sizes(of_one, wide), std::vector<size_t>{2}) << fuser;
    EXPECT_EQ(group_sizes(of_two, wide), std::vector<size_t>{}) << fuser << ": sizes are not known";
    EXPECT_EQ(group_sizes(sums, wide), std::vector<size_t>{2}) << fuser;
    EXPECT_EQ(group_sizes(sums, std::string(fuser) + ",interp"), std::vector<size_t>{}) << fuser;
  }
  EXPECT_EQ(group_sizes(of_one, "pointwise,interp,wide"), std::vector<size_t>{2});
  EXPECT_EQ(group_sizes(sums, "pointwise,interp,wide"), std::vector<size_t>{});
}

// A draw whose numbers nobody reads is no group, and takes its numbers all the same.
TEST(GroupCost, ADeadDrawTakesItsNumbers) {
  for (const char* more : {"", "  %e : Tensor = aten::relu(%d)\n"}) {
    const auto graph =
        parse_graph("graph(%x : Tensor):\n" + std::string(kConstants) +
                    "  %half : float = prim::Constant[value=0.5]()\n"
                    "  %yes : bool = prim::Constant[value=1]()\n"
                    "  %d : Tensor = aten::dropout(%x, %half, %yes)\n" +
                    more +
                    "  %r : Tensor = aten::rand_like(%x, %none, %none, %none, %none, %none)\n"
                    "  return (%r)\n");
    const std::vector<IValue> inputs{test_tensor({6, 8})};
    std::optional<NumbersScope> numbers(std::in_place);
    const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
    numbers.reset();
    numbers.emplace();
    const auto given = prepare(*graph, parse_plan("vm/fuse(loopnest,interp,wide)"))->run(inputs);
    EXPECT_TRUE(bitwise_equal(wanted[0].as_tensor(), given[0].as_tensor())) << more;
  }
}

// Siblings that reduce are one launch of a grid, and give what their operators give.
TEST(GroupCost, SiblingsThatReduceAreOneGrid) {
  const auto graph = parse_graph("graph(%x : Tensor):\n" + std::string(kConstants) +
                                 "  %a : Tensor = aten::amax(%x, %columns, %no)\n"
                                 "  %b : Tensor = aten::amin(%x, %columns, %no)\n"
                                 "  return (%a, %b)\n");
  const std::vector<IValue> inputs{test_tensor({6, 40})};
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  fuse::CompileLog log;
  const auto given = prepare(*graph, parse_plan("vm/fuse(tile,interp,wide)"))->run(inputs);
  ASSERT_EQ(log.compilations.size(), 1u);
  ASSERT_EQ(log.compilations[0].lowered.launches.size(), 1u);
  const std::string schedule_text = to_string(log.compilations[0].lowered.launches[0]);
  EXPECT_TRUE(schedule_text.starts_with("rows: ")) << schedule_text;
  EXPECT_NE(schedule_text.find(", threads "), std::string::npos) << schedule_text;
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(bitwise_equal(wanted[i].as_tensor(), given[i].as_tensor()));
}

// How many loops `%x * %v + %x` becomes, where v is computed from w.
size_t loops(const std::string& body, const Dims& w) {
  const auto graph =
      parse_graph("graph(%x : Tensor, %w : Tensor):\n" + std::string(kConstants) + body +
                  "  %p : Tensor = aten::mul(%x, %v)\n"
                  "  %r : Tensor = aten::add(%p, %x, %one)\n  return (%r)\n");
  const std::vector<IValue> inputs{test_tensor({6, 8}), test_tensor(w)};
  fuse::CompileLog log;
  const auto given = prepare(*graph, parse_plan("vm/fuse(loopnest,interp)"))->run(inputs);
  EXPECT_TRUE(bitwise_equal(prepare(*graph, parse_plan("eager"))->run(inputs)[0].as_tensor(),
                            given[0].as_tensor()))
      << body;
  return log.compilations.size() == 1 ? log.compilations[0].lowered.launches.size() : 0;
}

TEST(GroupCost, ACostlyRowAgainstAMatrixIsComputedOnce) {
  const std::string exp = "  %v : Tensor = aten::exp(%w)\n";
  const std::string lgamma = "  %u : Tensor = aten::lgamma(%w)\n  %v : Tensor = aten::relu(%u)\n";
  const std::string cheap = "  %v : Tensor = aten::relu(%w)\n";
  const std::string view =
      "  %u : Tensor = aten::exp(%w)\n  %v : Tensor = aten::expand(%u, %sizes, %no)\n";
  const std::string sizes = "  %sizes : int[] = prim::Constant[value=[6, 8]]()\n";
  EXPECT_EQ(loops(exp, {8}), 2u);
  EXPECT_EQ(loops(exp, {1, 8}), 2u);
  EXPECT_EQ(loops(lgamma, {8}), 2u);
  EXPECT_EQ(loops(sizes + view, {8}), 2u);
  EXPECT_EQ(loops(cheap, {8}), 1u);
  EXPECT_EQ(loops(exp, {6, 1}), 1u) << "the loop inside keeps it";
  EXPECT_EQ(loops(exp, {6, 8}), 1u) << "each is read once";
}

}  // namespace
}  // namespace fusillade
