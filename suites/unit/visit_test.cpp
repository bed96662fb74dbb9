// Visits of nodes: their order, what a visitor may destroy, and that a search stops where it found.
#include "engine/ir/visit.h"

#include <gtest/gtest.h>

namespace fusillade {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kNested = R"(graph(%x : Tensor, %c : bool):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %d : Tensor = aten::abs(%a)
      %n : int = prim::Constant[value=3]()
      %e : Tensor = prim::Loop(%n, %c, %d)
        block0(%i : int, %f : Tensor):
          %g : Tensor = aten::relu(%f)
          -> (%c, %g)
      -> (%e)
    block1():
      -> (%a)
  %h : Tensor = aten::exp(%b)
  return (%h)
)";

std::string name_of(const Node* n) { return n->op().schema.name; }

TEST(Visit, OuterNodesComeFirst) {
  const auto g = parse_graph(kNested);
  Names seen;
  each_node(g->block(), [&](const Node* n) { seen.push_back(name_of(n)); });
  EXPECT_EQ(seen, (Names{"aten::neg", "prim::If", "aten::abs", "prim::Constant", "prim::Loop",
                         "aten::relu", "aten::exp"}));
}

TEST(Visit, InsideOutANodeComesAfterItsBlocks) {
  const auto g = parse_graph(kNested);
  Names seen;
  each_node_inside_out(g->block(), [&](const Node* n) { seen.push_back(name_of(n)); });
  EXPECT_EQ(seen, (Names{"aten::neg", "aten::abs", "prim::Constant", "aten::relu", "prim::Loop",
                         "prim::If", "aten::exp"}));
}

TEST(Visit, SearchStopsWhereItFound) {
  const auto g = parse_graph(kNested);
  const auto search = [&](const std::string& name, bool inside_out) {
    Names asked;
    const auto test = [&](const Node* n) {
      return asked.push_back(name_of(n)), name_of(n) == name;
    };
    const bool found =
        inside_out ? any_node_inside_out(g->block(), test) : any_node(g->block(), test);
    return std::pair(found, asked.size());
  };
  EXPECT_EQ(search("prim::Loop", false), std::pair(true, size_t{5}));
  EXPECT_EQ(search("prim::Loop", true), std::pair(true, size_t{5}));
  EXPECT_EQ(search("prim::If", false), std::pair(true, size_t{2}));
  EXPECT_EQ(search("prim::If", true), std::pair(true, size_t{6}));
  EXPECT_EQ(search("aten::tan", false), std::pair(false, size_t{7}));
}

TEST(Visit, CountsWhatPasses) {
  const auto g = parse_graph(kNested);
  EXPECT_EQ(count_nodes(g->block(), [](const Node* n) { return n->blocks().empty(); }), 5u);
  EXPECT_EQ(count_nodes(g->block(), [](const Node*) { return false; }), 0u);
}

TEST(Visit, VisitorMayDestroyItsNode) {
  const auto g = parse_graph(kNested);
  const auto remove = [](Node* n) {
    if (n->kind() != OpKind::Pointwise) return;
    n->output()->replace_all_uses_with(n->input());
    n->destroy();
  };
  each_node_inside_out(g->block(), remove);
  verify(*g);
  EXPECT_EQ(g->node_count(), 2u) << print(*g);
}

TEST(Visit, BlocksOfADestroyedNodeAreNotVisited) {
  const auto g = parse_graph(kNested);
  Names seen;
  each_node(g->block(), [&](Node* n) {
    seen.push_back(name_of(n));
    if (!n->is(prim::if_())) return;
    n->output()->replace_all_uses_with(g->inputs()[0]);
    n->destroy();
  });
  verify(*g);
  EXPECT_EQ(seen, (Names{"aten::neg", "prim::If", "aten::exp"}));
}

TEST(Visit, NodesInsertedBeforeAreNotVisited) {
  const auto g = parse_graph(kNested);
  int visits = 0;
  each_node(g->block(), [&](Node* n) {
    ++visits;
    g->constant(IValue(1), n);
  });
  EXPECT_EQ(visits, 7);
}

TEST(Visit, CalleesAreVisitedWhereAsked) {
  Graph g;
  Value* x = g.add_input();
  Node* call = g.create(prim::call_function(), {x});
  call->set_attr("Subgraph", std::shared_ptr<Graph>(parse_graph(kNested)));
  g.block()->append(call);
  const auto all = [](const Node*) { return true; };
  EXPECT_EQ(count_nodes(g.block(), all), 1u);
  EXPECT_EQ(count_nodes<Within::Callees>(g.block(), all), 8u);
  int values = 0;
  each_value<Within::Callees>(g.block(), [&](Value*) { ++values; });
  EXPECT_EQ(values, 2 + 2 + 7 + 2);
  EXPECT_EQ(subgraph_of(call), &call->subgraph());
  EXPECT_EQ(subgraph_of(call->subgraph().block()->first()), nullptr);
}

TEST(Visit, ReadsAreThoseOfNodesAndOfWhatBlocksReturn) {
  const auto g = parse_graph(kNested);
  Names seen;
  each_read(g->block(), [&](const Value* v) { seen.push_back(v->name()); });
  EXPECT_EQ(seen, (Names{"x", "c", "a", "n", "c", "d", "f", "c", "g", "e", "a", "b", "h"}));
  Names values;
  each_value(g->block(), [&](const Value* v) { values.push_back(v->name()); });
  EXPECT_EQ(values, (Names{"x", "c", "a", "b", "d", "n", "e", "i", "f", "g", "h"}));
}

}  // namespace
}  // namespace fusillade
