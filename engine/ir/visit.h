// Visits the nodes of a block and of the blocks within it, in program order: outer nodes first, or
// inside out, the nodes of a node's blocks before the node.
//
// A visitor may destroy or move the node it is given, and insert nodes before it, which are not
// visited; of a node that was destroyed the blocks are gone too. It may not destroy the next one.
#pragma once

#include "engine/ir/graph.h"

namespace fusillade {

// What lies within a node: its blocks, or also the graph that a call or a group runs.
enum class Within { Blocks, Callees };

// The graph of attribute "Subgraph", or null.
inline const Graph* subgraph_of(const Node* node) {
  const Attribute* attr = node->attr("Subgraph");
  const auto* graph = attr ? std::get_if<std::shared_ptr<Graph>>(attr) : nullptr;
  return graph ? graph->get() : nullptr;
}

// Is `test` true of a block within the node? Asks until it is.
template <Within kWithin = Within::Blocks, class F>
bool any_block_of(const Node* node, F&& test) {
  for (Block* inner : node->blocks())
    if (test(inner)) return true;
  const Graph* callee = kWithin == Within::Callees ? subgraph_of(node) : nullptr;
  return callee && test(callee->block());
}

// Is `test` true of a node? Asks until it is.
template <Within kWithin = Within::Blocks, class F>
bool any_node(const Block* block, F&& test) {
  for (Node* node : block->nodes()) {
    if (test(node)) return true;
    if (any_block_of<kWithin>(node, [&](Block* inner) { return any_node<kWithin>(inner, test); }))
      return true;
  }
  return false;
}

// The same, inside out.
template <Within kWithin = Within::Blocks, class F>
bool any_node_inside_out(const Block* block, F&& test) {
  for (Node* node : block->nodes()) {
    const auto within = [&](Block* inner) { return any_node_inside_out<kWithin>(inner, test); };
    if (any_block_of<kWithin>(node, within) || test(node)) return true;
  }
  return false;
}

template <Within kWithin = Within::Blocks, class F>
void each_node(const Block* block, F&& visit) {
  any_node<kWithin>(block, [&](Node* node) { return visit(node), false; });
}

template <Within kWithin = Within::Blocks, class F>
void each_node_inside_out(const Block* block, F&& visit) {
  any_node_inside_out<kWithin>(block, [&](Node* node) { return visit(node), false; });
}

template <Within kWithin = Within::Blocks, class F>
size_t count_nodes(const Block* block, F&& test) {
  size_t count = 0;
  each_node<kWithin>(block, [&](Node* node) { count += test(node) ? 1 : 0; });
  return count;
}

// Parameters of blocks and results of nodes.
template <Within kWithin = Within::Blocks, class F>
void each_value(const Block* block, F&& visit) {
  for (Value* v : block->params()) visit(v);
  for (Node* node : block->nodes()) {
    for (Value* v : node->outputs()) visit(v);
    any_block_of<kWithin>(node,
                          [&](Block* inner) { return each_value<kWithin>(inner, visit), false; });
  }
}

// What a node reads, and what its blocks read and return.
template <class F>
void each_read(const Node* node, F&& visit) {
  for (Value* v : node->inputs()) visit(v);
  for (const Block* inner : node->blocks()) each_read(inner, visit);
}

template <class F>
void each_read(const Block* block, F&& visit) {
  for (const Node* node : block->nodes()) each_read(node, visit);
  for (Value* v : block->results()) visit(v);
}

}  // namespace fusillade
