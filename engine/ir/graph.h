// The graph: SSA values, nodes and nested blocks in TorchScript's shape.
//
// A Graph owns everything. There is no node-kind enum: a node points to its operator. verify()
// checks that a use is dominated by its definition, use lists are exact, block results match the
// node's, types agree with schemas.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/ir/list.h"
#include "engine/ir/prims.h"

namespace fusillade {

class Block;
class Graph;
class Node;

// Where in a user's source a node came from; `text` shared by all nodes of one file.
struct Source {
  std::string file;
  std::string text;
  size_t lines_before = 0;  // of the file, where the text is a part of it
};
struct SourceRange {
  std::shared_ptr<const Source> source;
  uint32_t begin = 0;  // byte offsets
  uint32_t end = 0;
  bool valid() const { return source != nullptr; }
  std::string where() const;  // "file.py:12:4"
  // Message, file and line, three lines of context, "~~~~ <--- HERE".
  std::string highlight(std::string_view message) const;
};

struct Use {
  Node* user;
  int index;
};

class Value {
 public:
  const Type& type() const { return type_; }
  void set_type(Type type) { type_ = std::move(type); }
  Node* node() const { return node_; }  // the defining node (a block's param node for parameters)
  int index() const { return index_; }  // which result of it
  int id() const { return id_; }        // unique in the graph
  const std::string& name() const { return name_; }  // debug name, may be empty
  void set_name(std::string name) { name_ = std::move(name); }
  const List<Use>& uses() const { return uses_; }
  bool is_unused() const { return uses_.empty(); }
  void replace_all_uses_with(Value* other);

 private:
  friend class Node;
  friend class Graph;
  friend class Block;
  Type type_ = TypeKind::Tensor;
  Node* node_ = nullptr;
  int index_ = 0;
  int id_ = 0;
  std::string name_;
  List<Use> uses_;
  Value* created_before_ = nullptr;  // the graph's list of all its values
};

// An attribute of a node: prim::Constant's value, a subgraph, a name.
using Attribute = std::variant<IValue, std::shared_ptr<Graph>>;

class Node {
 public:
  const Operator& op() const { return *op_; }
  bool is(const Operator& op) const { return op_ == &op; }
  OpKind kind() const { return op_->kind; }
  const List<Value*>& inputs() const { return inputs_; }
  const List<Value*>& outputs() const { return outputs_; }
  const List<Block*>& blocks() const { return blocks_; }
  Value* input(int i = 0) const { return inputs_[i]; }
  Value* output(int i = 0) const { return outputs_[i]; }
  Graph& graph() const { return *graph_; }
  Block* block() const { return block_; }  // the block that holds it
  Node* next() const { return next_; }     // nullptr-terminated within the block
  Node* prev() const { return prev_; }
  SourceRange range;

  void add_input(Value* value);
  void set_input(int i, Value* value);
  void remove_input(int i);
  void remove_all_inputs();
  Value* add_output(Type type = TypeKind::Tensor);
  void remove_output(int i);  // must be unused
  Block* add_block();
  void remove_block(int i);
  void set_op(const Operator& op) { op_ = &op; }

  bool has_attr(std::string_view name) const;
  const Attribute* attr(std::string_view name) const;  // nullptr when absent
  void set_attr(std::string name, Attribute value);
  void remove_attr(std::string_view name);  // nothing when absent
  const List<std::pair<std::string, Attribute>>& attrs() const { return attrs_; }
  const IValue& constant() const;  // prim::Constant's value
  Graph& subgraph() const;         // attribute "Subgraph"

  void insert_before(Node* other);
  void move_before(Node* other);
  void destroy();                        // unlinks; outputs must be unused
  bool before(const Node* other) const;  // order in program text (walks up to the common block)

 private:
  friend class Graph;
  friend class Block;
  friend class Value;
  const Operator* op_ = nullptr;
  Graph* graph_ = nullptr;
  Block* block_ = nullptr;
  Node* next_ = nullptr;
  Node* prev_ = nullptr;
  int64_t order_ = 0;  // within the block; renumbered when gaps run out
  List<Value*> inputs_;
  List<Value*> outputs_;
  List<Block*> blocks_;
  List<std::pair<std::string, Attribute>> attrs_;
  Node* created_before_ = nullptr;  // the graph's list of all its nodes
};

class Block {
 public:
  Graph& graph() const { return *graph_; }
  Node* owner() const { return owner_; }  // nullptr for the graph's top block
  const List<Value*>& params() const { return param_->outputs(); }
  const List<Value*>& results() const { return return_->inputs(); }
  Value* add_param(Type type = TypeKind::Tensor) { return param_->add_output(std::move(type)); }
  void add_result(Value* value) { return_->add_input(value); }
  void set_result(int i, Value* value) { return_->set_input(i, value); }
  void remove_result(int i) { return_->remove_input(i); }
  void remove_param(int i) { param_->remove_output(i); }
  Node* first() const { return param_->next() == return_ ? nullptr : param_->next(); }
  Node* last() const { return return_->prev() == param_ ? nullptr : return_->prev(); }
  Node* param_node() const { return param_; }
  Node* return_node() const { return return_; }  // insert before it to append
  Node* append(Node* node) {
    node->insert_before(return_);
    return node;
  }

  // for (Node* n : block->nodes()): the current node may be destroyed or moved while iterating.
  class Iterator {
   public:
    Iterator(Node* at, const Node* stop)
        : at_(at), stop_(stop), next_(at == stop ? nullptr : at->next()) {}
    Node* operator*() const { return at_; }
    Iterator& operator++() {
      at_ = next_;
      next_ = at_ == stop_ ? nullptr : at_->next();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    Node* at_;
    const Node* stop_;
    Node* next_;
  };
  struct Range {
    Node* first;
    Node* stop;
    Iterator begin() const { return {first, stop}; }
    Iterator end() const { return {stop, stop}; }
  };
  Range nodes() const { return {param_->next(), return_}; }

 private:
  friend class Graph;
  friend class Node;
  Graph* graph_ = nullptr;
  Node* owner_ = nullptr;
  Node* param_ = nullptr;
  Node* return_ = nullptr;
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Block* block() const { return top_; }
  const List<Value*>& inputs() const { return top_->params(); }
  const List<Value*>& outputs() const { return top_->results(); }
  Value* add_input(Type type = TypeKind::Tensor) { return top_->add_param(std::move(type)); }
  void add_output(Value* value) { top_->add_result(value); }

  // A node that is in no block yet, with `results` outputs of unknown type.
  Node* create(const Operator& op, std::span<Value* const> inputs, int results = 1);
  Node* create(const Operator& op, std::initializer_list<Value*> inputs, int results = 1) {
    return create(op, std::span<Value* const>(inputs.begin(), inputs.size()), results);
  }
  // Created and appended to `block` (the top one when null); result types by the operator's infer.
  Node* append(const Operator& op, std::span<Value* const> inputs, Block* block = nullptr);
  Node* append(const Operator& op, std::initializer_list<Value*> inputs, Block* block = nullptr) {
    return append(op, std::span<Value* const>(inputs.begin(), inputs.size()), block);
  }
  // prim::Constant, placed before `before` (at the end of the top block when null).
  Value* constant(IValue value, Node* before = nullptr);

  std::string name;           // function name, for messages and serialisation
  size_t node_count() const;  // nodes in blocks, nested ones included, constants excluded
  std::unique_ptr<Graph> clone() const;
  int id_limit() const { return next_id_; }  // every value's id is below this

 private:
  friend class Node;
  friend class Block;
  Block* make_block(Node* owner);
  Node* make_node(const Operator& op);
  Value* make_value(Node* node, int index, Type type);
  Arena arena_;  // nodes, values, blocks and their lists
  Node* last_node_ = nullptr;
  Value* last_value_ = nullptr;
  Block* top_ = nullptr;
  int next_id_ = 0;
};

// Result types of a node from its inputs' types and constants (ops/infer.h). Throws Error
// with the node's source range.
void infer_types(Node* node);
// ArgInfo of a node's inputs; constants are known.
std::vector<ArgInfo> arg_infos(const Node* node);
// Old value to new value.
using ValueMap = std::unordered_map<const Value*, Value*>;
// Copies `node` (with its blocks) into `into` before `before`; `map` gives the new inputs, receives
// the new outputs.
Node* clone_node(const Node* node, Graph& into, Node* before, ValueMap& map);
// Inlines `source`'s top block before `before` with these arguments; returns its results.
std::vector<Value*> inline_graph(const Graph& source, Node* before,
                                 std::span<Value* const> arguments);

std::string print(const Graph& graph);  // TorchScript's text; ends in newline
std::string print(const Node* node);    // one line
// Parses one graph; `file` names it in errors, types may name `classes`. Throws Error with line,
// column, what is legal.
std::unique_ptr<Graph> parse_graph(const std::string& text, const std::string& file = "<ir>",
                                   const ClassTable* classes = {});
// Throws Bug describing the first violated invariant and printing the node.
void verify(const Graph& graph);

}  // namespace fusillade
