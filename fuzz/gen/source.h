// Builds the text of one script: functions of TorchScript's Python subset that Python itself can
// run as well.
//
// Types direct everything: a statement draws a type, an expression of that type is made of what is
// in scope. Precedence is kept as numbers, so that parentheses stand only where Python needs them
// (and now and then where it does not). Every loop is bounded, every name is defined where it is
// read; what may go wrong at run time goes wrong in the same way everywhere: a division by zero, an
// index out of range, a failed assertion. Ints and containers that a loop carries are cut down each
// turn, so that no program grows beyond bounds.
//
// Tensors have complete types: a variable keeps the sizes, strides and dtype of its first value, so
// that rows drawn by the graph generator (builder.h) fit wherever they are written. `Tensor` alone
// is any tensor: what main returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ops/type.h"
#include "fuzz/gen/builder.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/source_names.h"
#include "fuzz/gen/source_text.h"
#include "fuzz/gen/source_types.h"

namespace fusillade::fuzz {

class Source {
 public:
  Source(Choices& choices, const Policy& policy)
      : choices_(choices), policy_(policy), tensors_(policy.tensors) {}
  GeneratedScript build();

 private:
  using Var = source::Var;
  using Argument = source::Argument;
  using Callee = source::Callee;
  using Layers = source::Layers;
  using Class = source::Class;
  using Test = source::Test;
  using Narrowed = source::Narrowed;
  enum class End : uint8_t { Falls, Leaves };
  enum class Place : uint8_t {
    Helper,
    Main,
    Method,
    Forward
  };  // of a function; the program is Main or Forward

  // source.cpp: functions
  void start_function();
  void function(const std::string& name, Place place);
  std::string parameters(Callee& f, bool entry);
  std::string default_text(const Type& type);
  Type draw_result(bool entry);
  void line(const std::string& text);
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }
  void return_statement();
  std::string waited_for();

  // source_stmt.cpp
  End block(int statements, int depth);
  End statement(int depth);
  End exit_statement();
  void define();
  void define_record();
  void assign(const Var& v);
  void augment();
  void append();
  void swap();
  void unpack();
  void unpack_list();
  void store_item();
  void check();
  void call_statement();
  bool fork_statement();
  void write_behind(const std::string& given);
  void wait_for(size_t tasks);
  void branch(int depth);
  void loop(int depth, const std::string& head, int64_t turns, const std::vector<Var>& own,
            const std::string& first);
  void for_range(int depth);
  void for_items(int depth);
  void for_pairs(int depth);
  void while_loop(int depth);
  void bind(const std::string& name, const Type& type, const Text& value, bool annotate);
  Text bounded(const Type& type, Text value);
  Text plain(const Type& type);

  // source_expr.cpp
  Text expression(const Type& type, int depth);
  Text leaf(const Type& type);
  Text int_expression(int depth);
  Text float_expression(int depth);
  Text bool_expression(int depth);
  Text list_expression(const Type& type, int depth);
  Text tuple_expression(const Type& type, int depth);
  Text ternary(const Type& type, int depth);
  Text comparison(int depth);
  Text call(const Callee& f, int depth);
  std::string arguments(const Callee& f, int depth);
  bool forkable(const Callee& f) const;
  Text item_of(const Var& list);
  Text operand(const Type& type, int depth, Level least);
  Text infix(const char* op, Level level, const Type& left, const Type& right, int depth);
  Text condition(int depth);
  Text number(int depth);
  Text divisor(const Type& type, int depth);
  const Callee* callable(const Type& result);
  std::vector<const Var*> of_type(const Type& type, bool assignable = false) const;
  std::vector<const Var*> lists_of(const Type& element) const;

  // source_format.cpp
  std::string specification(const Type& type);
  std::string percent(const Type& type);
  Text formatted(int depth);
  Text padded(int depth);

  // source_containers.cpp: strings and lists
  Text str_expression(int depth);
  Text derived_list(const Type& type, int depth);
  Text comprehension(const Type& element, int depth);
  Text counted(int depth);  // an int
  Text asked(int depth);    // a bool
  Text asked_of_things(int depth);
  Text sliced(const Type& type, int depth);
  std::string bound();
  void change_list();  // a statement

  // source_dict.cpp
  std::vector<const Var*> dicts(const Type* mapped = nullptr) const;
  std::string key(const Type& dict);
  std::string entries(const Type& dict, int64_t count, int depth);
  Text dict_expression(const Type& type, int depth);
  Text dict_item(const Type& type);  // empty: there is no such dict
  Text keys_or_values(const Type& list);
  void define_dict();
  void change_dict();
  bool for_dict(int depth);

  // source_record.cpp: named tuples, enums, context managers
  void named_tuple(const std::string& name);
  void enumeration(const std::string& name);
  void manager_class(const std::string& name);
  Text record_literal(const Type& type);
  Text part_of_record(const Type& type);  // empty: there is none
  End with_statement(int depth);

  // source_union.cpp: Unions and Optionals, and what tests tell of them
  Type draw_wide();
  Type draw_option();
  void define_wide();
  std::vector<const Var*> wide_vars() const;
  Text wide_expression(const Type& type, int depth);
  Text wide_items(const Type& list, int depth);
  Test test_of(const Var& v, const Type* wanted = nullptr);
  Text narrowed(const Type& type);  // empty: there is no variable that may be it
  Text asked_of_wide(int depth);
  Text told_apart(const Type& type, int depth);
  Text told_apart(const Var& v, const Type& type, int depth);
  void know(const std::string& name, const Type& type);
  void learn(const std::string& name, const Type& type);
  void forget(const std::vector<Var>& before);
  void refine();
  void widen();
  void settle(const Var& tested);

  // source_certain.cpp: assertions that hold
  void question_function();
  void certain(int number, const std::string& text);
  void certain_of_any();
  void certain_of_number(const Var& v);
  void certain_of_list(const Var& v);
  std::string element_of(const Var& v);
  bool certainty();  // a statement

  // source_tensor.cpp
  Value* known(const std::string& name, const Type& type);
  Node* draft(const Type* like);
  void declare_inputs();
  void use_added();
  Text tensor_expression(const Type& type, int depth);
  Text tensor_leaf(const Type& type);
  Text tensor_literal(const Type& type);
  std::vector<const Var*> tensor_vars() const;
  Type draw_item();
  void tensor_statement();
  bool tensor_node();
  bool augmented_statement(const Node* n);
  bool slice_statement();
  void write_part(const std::string& part, const Type& type);
  std::string part_of(const Var& v, Type* part);
  bool for_rows(int depth);

  // source_class.cpp
  Type draw_field();
  void plain_class(const std::string& name);
  void constructor(const Class& c);
  void data_fields(const Class& c);
  void static_method(Class& c);
  Text asked_of_objects();  // empty: there are no two to compare
  void methods_of(Class& c, int count);
  void make_object();
  void name_object(const Class& c, const std::string& name);
  std::string state_text(const TensorInfo& info);
  void module_field(Class& c, const std::vector<Class>& parts, size_t place);
  void interface_class(const std::string& name);
  void module_class(const std::string& name, bool last);

  // source_module.cpp
  std::string keeping_layer(const Dims& sizes);
  std::string layer(Dims& sizes);
  void layer_field(Class& c);
  void embedding_field(const std::string& name);
  bool layer_loop();  // a statement

  // source_spell.cpp
  Text spelled(const Node* n, int depth);
  Text argument_text(const Node* n, size_t i, int depth);
  Text call_text(const Node* n, const std::vector<Text>& args);
  bool operator_text(const Node* n, const std::vector<Text>& args, Text* out);
  bool subscript_text(const Node* n, const std::vector<Text>& args, Text* out);
  std::string subscript(int rank, int64_t dim, const std::string& inner);
  bool defaults_from(const Node* n, size_t first) const;

  // source_types.cpp
  Type draw_type(int depth);
  Type draw_plain(int depth);  // no class in it
  Type draw_parameter();       // of the program
  Type draw_scalar();
  Type draw_state();  // of a field, without tensors
  Text literal(const Type& type);

  Choices& choices_;
  const Policy& policy_;
  bool tensors_;
  bool data_ = false;                 // is the class one of data?
  bool pure_ = false;                 // does the function being written write nothing?
  std::unique_ptr<Builder> builder_;  // of the function being written
  std::unordered_map<std::string, Value*> values_;
  std::unordered_map<const Value*, std::string> value_names_;
  std::vector<std::pair<std::string, Type>> parameters_;  // of the function being written
  std::optional<Dims> base_;  // sizes that the tensors of all functions are relatives of
  std::vector<Var> added_;    // parameters that the next statement will know
  std::string out_;
  std::vector<Var> vars_;
  std::vector<Narrowed> narrowed_;
  std::vector<Var> fields_;     // of the class being written
  std::vector<Layers> layers_;  // of the module being written
  std::vector<Type> wanted_;    // parameters for the forward being written
  std::vector<Callee> callees_;
  std::vector<Class> classes_;
  std::vector<Class> parts_;   // modules
  std::string interface_;      // of the part; may be empty
  std::vector<Type> records_;  // named tuples and enums
  std::vector<std::string> managers_;
  std::vector<uint8_t>
      questions_;           // that the function `told` asks; none: there is no such function
  std::vector<Var> tasks_;  // forked and not waited for, in this block and those around it
  std::vector<std::string> waited_;  // what tasks gave, where programs of tasks are drawn
  Type result_;
  int indent_ = 0;
  int outer_ = 0;  // indentation of the function's head
  int names_ = 0;
  int loops_ = 0;      // around this statement, in this function
  int frozen_ = 0;     // loops over lists that must not change
  int64_t turns_ = 1;  // of all the loops around
  int64_t cost_ = 0;   // statements that may run
};

}  // namespace fusillade::fuzz
