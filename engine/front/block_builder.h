// Blocks of a function's graph and the variables in them: branches whose names are merged, loops
// over items, types that tests narrow, errors behind which emission goes on.
//
// SSA is built directly: a frame of names per block; names that differ at the end of an If's
// branches become results of the node.
#pragma once

#include <functional>
#include <set>

#include "engine/front/graph_builder.h"
#include "engine/front/iterable.h"
#include "engine/front/scope.h"

namespace fusillade::front {

// How control leaves what was emitted.
enum class Flow : uint8_t { Falls, Might, Leaves, Throws };

// Emission has been given up: the function is too large, or has too many errors.
struct GivenUp {};

class BlockBuilder : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;
  using Emit = std::function<Flow()>;

  // While it lives, the cursor is in this block, one deeper. Throws at `at` below the last level.
  class Deeper {
   public:
    Deeper(BlockBuilder& of, Block* block, const Expr& at);
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper();

   private:
    BlockBuilder& of_;
    Block* outside_;
  };

  Scopes& scopes() { return scopes_; }
  const Scopes& scopes() const { return scopes_; }
  void make_unknown(const std::string& name);
  // `name` is of this narrower type from here on.
  void narrow(const std::string& name, const Type& type, const Expr& at);

  Flow branch(Value* condition, const Expr& at, const Emit& then, const Emit& otherwise);
  Value* choose(Value* condition, const Expr& at, const std::function<Value*()>& then,
                const std::function<Value*()>& otherwise, const Type* hint = nullptr);
  void require(Value* condition, const std::string& message, const Expr& at);
  Flow raise(Value* message, const Expr& at);
  // What `use` gives for a value of a union, the first `at` of its options excluded, as the type
  // that it is of.
  Value* by_option(Value* of, size_t at, const Expr& e, const std::function<Value*(Value*)>& use);
  Value* is_option(Value* of, const std::string& options, const Expr& e);

  // Loops over items (emit_iterate.cpp).
  Iterable items_from(Value* sequence, const Expr& over);
  void each(const Iterable& over, const Expr& at, const std::function<void(Value*)>& body);
  Value* collect(const Iterable& over, const Expr& at, const Type* hint = nullptr);
  void append(Value* list, std::optional<Type>& element, Value* item, const Expr& at);
  void check_sizes(const Iterable& over, const Expr& at);
  bool is_iterated(const Value* container) const;  // by a loop around
  void watch(const Iterable& over);
  void unwatch(const Iterable& over);
  int loops() const { return loops_; }  // levels of loops around
  int enter_loop() { return ++loops_; }
  void leave_loop() { --loops_; }

  // Errors (emit_recover.cpp). False: an error, which is kept, once for `what`.
  bool attempt(const void* what, const std::function<void()>& run);
  // Emits what is thrown away, with its errors.
  void aside(const std::function<void()>& run);
  const Problems& problems() const { return problems_; }
  void start_with(Problems problems) { problems_ = std::move(problems); }

 protected:
  Scopes scopes_;
  const Type* choice_hint_ = nullptr;  // the type that choose() may widen to

 private:
  Flow merge(Node* node, Frame frames[2], const Flow flows[2]);
  void merge_name(Node* node, const std::string& name, Binding sides[2], const Flow flows[2]);
  void bind_merged(Node* node, const std::string& name, const Binding sides[2], const Type& type,
                   int narrower);
  Value* only_from(Node* node, int side, Value* value);
  Value* dummy_in(Block* block, const Type& type);

  int loops_ = 0, blocks_ = 0;    // levels of loops and of blocks
  std::vector<Value*> iterated_;  // lists and dicts that enclosing loops run over
  Problems problems_;
  std::set<const void*> failed_;
};

}  // namespace fusillade::front
