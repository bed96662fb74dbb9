// Patterns of other compilers: each is drawn, whole and broken, verifies and runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/ir/verify.h"
#include "engine/run/plan.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/peer_patterns.h"

namespace fusillade::fuzz {
namespace {

// Runs in eager mode on inputs drawn for it; what it says otherwise.
std::string fault_of(Choices& choices, const Graph& graph) {
  try {
    verify(graph);
    std::vector<std::pair<std::string, Type>> inputs;
    for (const Value* v : graph.inputs()) inputs.emplace_back(v->name(), v->type());
    Call call = generate_call(choices, inputs);
    prepare(graph, reference_plan())->run(call.inputs);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(PeerPattern, EachIsDrawnAndRuns) {
  for (const PeerTree& tree : peer_trees()) {
    int drawn = 0;
    for (uint64_t i = 0; i < 60 && drawn < 4; ++i) {
      Choices choices(1, i);
      const std::unique_ptr<Graph> graph = program_of_peer(choices, tree, Broken::None);
      if (!graph) continue;
      ++drawn;
      EXPECT_EQ(fault_of(choices, *graph), "") << tree.row->name << "\n" << print(*graph);
    }
    EXPECT_GT(drawn, 0) << tree.row->name << " " << tree.row->text;
  }
}

// Of the same stream, one that is broken is another program.
TEST(PeerPattern, ABrokenOneDiffersAndRuns) {
  std::map<Broken, int> drawn, differ;
  for (const PeerTree& tree : peer_trees()) {
    int of_tree = 0;
    for (int kind = 1; kind < kBrokens; ++kind) {
      const auto broken = static_cast<Broken>(kind);
      for (uint64_t i = 0; i < 6; ++i) {
        Choices choices(2, i), same(2, i);
        const std::unique_ptr<Graph> graph = program_of_peer(choices, tree, broken);
        if (!graph) continue;
        const std::unique_ptr<Graph> whole = program_of_peer(same, tree, Broken::None);
        ++drawn[broken];
        const bool differs = !whole || print(*whole) != print(*graph);
        differ[broken] += differs;
        of_tree += differs;
        EXPECT_EQ(fault_of(choices, *graph), "") << tree.row->name << ":" << name_of(broken) << "\n"
                                                 << print(*graph);
      }
    }
    EXPECT_GT(of_tree, 0) << tree.row->name;
  }
  for (int kind = 1; kind < kBrokens; ++kind) {
    const auto broken = static_cast<Broken>(kind);
    EXPECT_GT(drawn[broken], 200) << name_of(broken);
    EXPECT_GT(2 * differ[broken], drawn[broken]) << name_of(broken);
  }
}

TEST(PeerPattern, EachCompilerHasMany) {
  std::map<std::string, size_t> counts;
  for (const PeerPattern* p : peer_patterns())
    for (const std::string& compiler : p->compilers) ++counts[compiler];
  const std::map<std::string, size_t> least = {
      {"inductor", 60},   {"ort", 60}, {"openvino", 60}, {"xla", 120},
      {"tensorflow", 50}, {"tvm", 20}, {"tinygrad", 20}};
  for (const auto& [compiler, count] : counts) {
    ASSERT_TRUE(least.contains(compiler)) << compiler;
    EXPECT_GE(count, least.at(compiler)) << compiler;
  }
  EXPECT_EQ(counts.size(), least.size());
}

TEST(PeerPattern, IsNamedInTheOriginOfItsProgram) {
  size_t named = 0;
  for (uint64_t i = 0; i < 40; ++i) {
    Choices choices(3, i);
    GenerateOptions options;
    options.policy = "peers";
    const std::string origin = generate_case(choices, options).origin;
    named += origin.find(" pattern=") != std::string::npos;
  }
  EXPECT_GE(named, 25u);
}

// An engine that has no products is given no pattern with one.
TEST(PeerPattern, KeepsToTheOperatorsThatThereAre) {
  size_t nodes = 0;
  for (uint64_t i = 0; i < 60; ++i) {
    Choices choices(4, i);
    GenerateOptions options;
    options.policy = "peers";
    options.operators = [](const Operator& op) { return op.kind != OpKind::Contract; };
    const Case c = generate_case(choices, options);
    for (const Node* n : c.program->block()->nodes()) {
      EXPECT_NE(n->kind(), OpKind::Contract) << print(*c.program);
      ++nodes;
    }
  }
  EXPECT_GT(nodes, 100u);
}

}  // namespace
}  // namespace fusillade::fuzz
