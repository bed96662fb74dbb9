// Syntax tree to graph: one Emitter per function, one Unit per file. Families of expressions that
// need none of its state are functions over it, each with a header of its own (emit_text.h).
//
// SSA is built directly: a frame of names per block; names that differ at the end of an If's
// branches, or that a loop's body assigns, become results of the node. Early exits: statements
// behind an `if` whose one branch leaves move into the other branch; where a branch only may leave,
// the rest is guarded by a flag. Flags are variables: "$skip<d>" (the rest of loop level d is
// skipped), "$stop<d>" (loop d ends); level 0 is the function. No value: false.
#pragma once

#include "engine/front/emit_parts.h"
#include "engine/front/iterable.h"
#include "engine/front/match.h"
#include "engine/front/problem.h"
#include "engine/front/scope.h"
#include "engine/front/script.h"
#include "engine/front/spelling.h"
#include "engine/front/text_unit.h"

namespace fusillade::front {

struct ClassInfo;
struct ClassPlace;
struct Form;
struct FormCall;
struct OutForm;

// An annotation as a type; `source` is its text (null: the unit's). Throws Error naming what is
// supported.
Type annotated_type(Unit& unit, const Expr& annotation, const SourcePtr& source = nullptr);
// Of how many items one item makes a list: 2 for BroadcastingList2[int] and Optional of it; else 0.
int broadcast_size(const Expr& annotation);
std::optional<IValue> literal_value(const Expr& expr);  // nothing when the expression is no literal

class Emitter {
 public:
  Emitter(Unit& unit, const Function& function, const Schema& schema, std::optional<Type> assumed,
          WideNames wide = {});
  // The function's graph, and result, weight and height of `compiled`; throws Failed with all
  // errors, ResultType or WiderLoop.
  std::unique_ptr<Graph> run(Compiled& compiled);
  // The graph of one expression over these values, with parameters in their order.
  std::unique_ptr<Graph> run_expression(const Expr& e,
                                        const std::vector<std::pair<std::string, Type>>& values);

  // What families of expressions, in files of their own, build with.
  Unit& unit() { return *unit_; }
  [[noreturn]] void wrong(const Expr& at, std::string_view message) const;
  [[noreturn]] void wrong(const Stmt& at, std::string_view message) const;
  const Expr& keep(ExprPtr expr);  // an expression that replaces another
  Value* emit(const Expr& e, const Type* hint = nullptr);
  std::vector<Argument> arguments(const Expr& e, const Type* container = nullptr);
  std::string module_path(const Expr& e) const;  // "torch.nn.functional"; empty for values

  Node* node(const Operator& op, const std::vector<Value*>& inputs, const Expr& at,
             int results = -1);
  Value* constant(IValue value, const Expr& at);
  Value* flag(bool value);
  // Of the overload of `base` that takes these.
  Value* call_operator(const std::string& base, const std::vector<Argument>& args, const Expr& at);
  Value* apply(const std::string& base, const std::vector<Value*>& values, const Expr& at);
  Value* library_call(const std::string& path, std::vector<Argument> args,
                      const Expr& e);  // null: not in the library
  Value* list_of(const std::vector<Value*>& items, const Type& element, const Expr& at);
  Value* dict_of(const std::vector<Value*>& items, const std::optional<Type>& type, const Expr& at);
  std::vector<Value*> items_of(Value* tuple, const Expr& at);
  Value* to_bool(Value* value, const Expr& at);
  Value* convert_to(Value* value, const Type& type,
                    const Expr& at);  // nullptr when it does not convert
  Value* known_as(Value* value, const Type& type, const Expr& at);
  Value* binary_op(const std::string& op, Value* left, Value* right, const Expr& at);
  Value* compare_pair(const std::string& op, Value* left, Value* right, const Expr& at);
  Value* numeric(const std::string& base, const std::vector<Value*>& values, const Expr& at);

  Value* condition(const Expr& e);
  Value* choose(Value* condition, const Expr& at, const std::function<Value*()>& then,
                const std::function<Value*()>& otherwise, const Type* hint = nullptr);
  void require(Value* condition, const std::string& message, const Expr& at);
  const Form* form_of_call(const Expr& e) const;
  bool is_iterated(const Value* container) const;  // by a loop around
  Iterable iterable(const Expr& over);
  Iterable items_from(Value* sequence, const Expr& over);
  void each(const Iterable& over, const Expr& at, const std::function<void(Value*)>& body);
  Value* collect(const Iterable& over, const Expr& at, const Type* hint = nullptr);
  void append(Value* list, std::optional<Type>& element, Value* item, const Expr& at);

  // Of classes and Unions; null when the value is of none, or the class has no such method.
  Value* is_instance(const Expr& e);
  std::optional<bool> static_type_test(const Expr& e);
  Type annotation_type(const Expr& annotation) const;  // as a type
  Value* get_field(Value* of, const std::string& name, const Type& type, const Expr& at);
  Value* by_option(Value* of, size_t at, const Expr& e, const std::function<Value*(Value*)>& use);
  Value* magic(const char* name, const std::vector<Value*>& values, const Expr& at);
  Value* class_builtin(const std::string& name, Value* of, const Expr& e);  // len(of), bool(of)

 private:
  enum class Flow : uint8_t { Falls, Might, Leaves, Throws };
  using List = std::vector<const Stmt*>;
  using Emit = std::function<Flow()>;

  // Nodes (emit_node.cpp).
  Value* dummy_value(const Type& type);  // a value of this type that is never looked at
  Value* named_tuple(const std::vector<Value*>& items, const Type& type, const Expr& at);
  void place(Node* node, const Expr& at);
  // `bools`: may a bool be a Scalar where nothing else fits? Operators (+) promote it in their way.
  Value* try_overloads(const std::string& base, const std::vector<Argument>& args, const Expr& at,
                       std::string* why, bool bools = true);
  Value* build(const Operator& op, const Fit& fit, const Expr& at);
  bool with_floats(const std::vector<const Operator*>& candidates, std::vector<Argument>& args,
                   const Expr& at);
  Value* with_ints(const std::vector<const Operator*>& candidates, std::vector<Argument> args,
                   const Expr& at);
  std::vector<Value*> realise(const Schema& schema, const Fit& fit, const Expr& at);
  Value* realise(const Step& step, const SchemaArg& formal, const Expr& at);

  // Errors, all of them (emit_recover.cpp).
  Flow statement(const Stmt& s);
  Flow all_statements(const Problems& known);
  bool attempt(
      const void* what,
      const std::function<void()>& run);  // false: an error, which is kept, once for `what`
  Value* part(const Expr& e, const Type* hint,
              bool* fine);  // null when it fails: once all parts are looked at, throw Unknown
  void look_behind(const List& rest);
  void make_unknown(const std::string& name);
  void forget(const Expr& target);
  bool too_large() const;

  // Statements (emit_stmt.cpp).
  Flow statements(const List& list);
  Flow guard_rest(const List& rest);
  Flow emit_statement(const Stmt& s);
  void assign(const Stmt& s);
  void augment(const Stmt& s);
  void remove(const Stmt& s);
  void bind_target(const Expr& target, Value* value, const Expr& from);
  void bind_name(const std::string& name, Value* value, const Expr& at,
                 std::optional<Type> declared = {});
  void bind_tuple(const Expr& target, Value* value, const Expr& from);
  void bind_starred(const Expr& target, Value* value, size_t star, const Expr& from);
  void store_subscript(const Expr& target, Value* value);
  Value* message_of(const std::string& name, const Expr* text, const Expr& at);
  Value* augment_value(const std::string& op, Value* left, Value* right, const Expr& at);
  Flow return_value(const Stmt& s);
  void note_result(const Type& type, const Stmt& at);
  Flow leave(int level, bool stop);
  Value* fall_through(Flow flow);
  Flow raise(const Stmt& s);
  Flow assert_true(const Stmt& s);

  // Control flow (emit_control.cpp).
  Flow if_statement(const Stmt& s, const List& then, const List& otherwise);
  Flow branch(Value* condition, const Expr& at, const Emit& then, const Emit& otherwise);
  Flow merge(Node* node, Frame frames[2], const Flow flows[2]);
  void merge_name(Node* node, const std::string& name, Binding sides[2], const Flow flows[2]);
  void bind_merged(Node* node, const std::string& name, const Binding sides[2], const Type& type,
                   int narrower);
  Value* only_from(Node* node, int side, Value* value);
  Flow while_loop(const Stmt& s);
  Flow loop(const Stmt& s, Value* trips, Value* condition, const std::function<void(Value*)>& start,
            const std::function<Value*()>& condition_after);
  using Carried = std::vector<std::pair<std::string, Binding>>;  // as they were before the loop
  Value* unknown_loop(Node* n, const Carried& carried);
  void close_loop(Node* n, const Stmt& s, const Carried& carried, Block* outside);
  std::vector<std::string> carried_names(const Stmt& s);

  // Loops over things and comprehensions (emit_iterate.cpp).
  void check_sizes(const Iterable& over, const Expr& at);
  Flow for_loop(const Stmt& s);
  Flow for_items(const Stmt& s, const std::vector<Value*>& items);
  Flow for_items_left(const Stmt& s, const std::vector<Value*>& items);
  void keep_known(const Frame& inner, const std::set<std::string>& dropped);
  void bind_fresh(const Expr& target, Value* value, const Expr& from);
  Value* comprehension(const Expr& e, const Type* hint);

  // Conditions: what types decide, and what they show (emit_refine.cpp).
  std::optional<bool> static_condition(const Expr& e);
  std::optional<bool> static_call(const Expr& e);
  void refine(const Expr& condition, bool truth);
  void narrow(const std::string& name, const Type& type, const Expr& at);
  std::optional<TypeTest> type_test(const Expr& e);

  // Expressions (emit_expr.cpp).
  Value* name(const Expr& e);
  Value* attribute(const Expr& e);
  Value* list(const Expr& e, const Type* hint);
  Value* tuple(const Expr& e, const Type* hint);
  Value* dict(const Expr& e, const Type* hint);
  Type dict_type(const Type& key, const Type& mapped, const Expr& at);
  Value* unary(const Expr& e);
  Value* binary(const Expr& e);
  Value* boolean(const Expr& e);
  Value* compare(const Expr& e);
  void keep_walrus(const Expr& e);
  Value* compare_tuples(const std::string& op, Value* left, Value* right, const Expr& at);
  Value* contains_item(Value* item, Value* in, const Expr& at);
  Value* as_int(Value* value, const Expr& at);
  Value* bool_tensor(Value* value, const Expr& at);
  Value* ternary(const Expr& e, const Type* hint);
  Value* walrus(const Expr& e, const Type* hint);

  // Subscripts (emit_index.cpp).
  TensorPlace tensor_place(Value* of, const Expr& e);
  Value* subscript(const Expr& e);
  Value* tensor_index(Value* of, const Expr& e);
  Value* tensor_slice(Value* of, const Expr& slice, int64_t dim, const Expr& e);
  void tensor_store(Value* of, const Expr& target, Value* value);
  const Expr& index_part(const Expr& p);
  Value* sequence_index(Value* of, const Expr& e);
  Value* tuple_index(Value* of, const Expr& e);

  // Calls (emit_call.cpp).
  Value* call(const Expr& e, const Type* hint = nullptr);
  Value* method(const Expr& e, const Type* hint);
  Value* form_call(const std::string& name, const FormCall& call);
  Value* whole(const Expr& e, const Type* hint = nullptr);
  Value* module_call(const std::string& path, const Expr& e, const Type* hint = nullptr);
  Value* module_op_call(const std::string& path, const std::string& base,
                        std::vector<Argument> args, const Expr& e);
  Value* out_call(const std::string& path, const std::string& base, const OutForm& form,
                  const Expr& e);
  Value* as_floats(Value* value, const Type& wanted, const Expr& at);
  Value* user_call(const std::string& name, const Expr& e);

  // Functions of the library (emit_library.cpp).
  class Inside;
  Value* library_call(Unit& unit, const Function& f, std::vector<Argument> args, const Expr& e);
  Value* write_out(Unit& unit, const Function& f, const Schema& schema,
                   const std::vector<Argument>& args, const Expr& e);
  Value* compute(const Compiled& callee, const std::vector<Value*>& inputs, const Expr& e);
  std::optional<IValue> known_value(const Expr& e) const;
  std::optional<bool> known_condition(const Expr& e) const;
  const Expr& site(const Expr& at) const { return site_ ? *site_ : at; }

  // Classes and modules (class_emit.cpp, class_call.cpp). Each null when the expression is nothing
  // of the kind.
  Value* class_attribute(const Expr& e);             // Color.RED
  Value* field(Value* of, const Expr& e);            // of an object or a named tuple
  void set_field(const Expr& target, Value* value);  // target: an Attribute
  void add_field(Value* of, const Expr& target, const Type& type);
  void store_field(Value* of, const Expr& target, Value* value);
  Value* class_call(const Expr& e);  // C(...), object(...), super().f(...), C.static(...)
  Value* object_call(Value* of, const std::string& name, const Expr& e);
  Value* union_call(Value* of, const std::string& name, const Expr& e);
  Value* make_from_fields(ClassInfo& info, const Type& type, const Expr& e);
  Value* super_call(const Expr& e, const ClassPlace* from = nullptr);
  Value* object_constant(const IValue& value, const Expr& at);
  Value* compiled_call(const Compiled& callee, const std::string& name, std::vector<Argument> args,
                       const Expr& e);
  std::vector<Argument> arguments(const Expr& e, const Schema& schema, size_t skip);
  Value* magic_in_place(const std::string& op, Value* left, Value* right, const Expr& at);
  Value* magic_binary(const std::string& op, Value* left, Value* right, const Expr& at);
  Value* compare_fields(const std::string& op, Value* left, Value* right, const Expr& at);
  Value* magic_compare(const std::string& op, Value* left, Value* right, const Expr& at);
  std::optional<Type> static_type(const Expr& e);  // of a name or a path of attributes
  std::optional<bool> class_condition(const Expr& e);
  std::optional<std::vector<Value*>> container_items(
      const Expr& over);  // what a loop over one visits
  std::optional<std::vector<Value*>> enum_members(const Expr& over);
  Value* class_constant(const ClassPlace& place, const Expr& e);
  Value* make_object(const ClassPlace& place, const Expr& e);
  bool names_class(const Expr& e);
  bool names_interface(const Expr& e);
  std::vector<Value*> children(Value* container, const Expr& at);
  Value* item_key(const Expr& e);
  Value* class_item(Value* of, const Expr& e);  // of[index] of a container or by __getitem__
  Value* container_item(Value* container, const Expr& e);
  Value* chosen_item(Value* container, const std::vector<const Field*>& items, bool keyed,
                     const Expr& e);
  void define_field(const Expr& target, const Type& type, const Expr& value);
  Flow with_statement(const Stmt& s);
  Flow raise_unused();
  void begin(const std::vector<std::pair<std::string, Type>>& values);

  Unit* unit_;  // the library's within its functions
  const Function& function_;
  const Schema& schema_;
  std::unique_ptr<Graph> graph_;
  Block* block_ = nullptr;
  Scopes scopes_;
  std::optional<Type> declared_;            // the annotated result
  std::optional<Type> assumed_;             // the result's type that loops carry
  std::optional<Type> result_, unreached_;  // of the returns seen, and of one that is never reached
  int loops_ = 0, blocks_ = 0;              // levels of loops and of blocks
  WideNames wide_;  // what loops carry under a wider type than tests gave it
  size_t weight_ = 0;
  int height_ = 0;
  const Type* choice_hint_ = nullptr;  // the type that choose() may widen to
  std::vector<Value*> iterated_;       // lists and dicts that enclosing loops run over
  bool fresh_ = false;                 // names are bound anew, whatever they were outside
  const Expr* site_ = nullptr;  // the call of a function of the library that is being written out
  Problems problems_;
  std::set<const void*> failed_;
  std::vector<ExprPtr> kept_exprs_;  // expressions that replace others
};

}  // namespace fusillade::front
