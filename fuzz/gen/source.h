// Builds the text of one script: functions of TorchScript's Python subset that Python itself can
// run as well.
//
// Types direct everything: a statement draws a type, then builds an expression of that type from
// what is in scope. Precedence is kept as numbers, so that parentheses appear only where Python
// needs them (and now and then where it does not). Every loop is bounded, every name is defined
// where it is read; what may go wrong at run time goes wrong in the same way everywhere: a division
// by zero, an index out of range, a failed assertion. Ints and containers that a loop carries are
// cut down in each iteration, so that no program grows beyond bounds.
//
// Tensors have complete types: a variable keeps the sizes, strides and dtype of its first value, so
// that operators drawn by the graph generator (graph_state.h) fit wherever they are written.
// `Tensor` alone is any tensor: what main returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ops/type.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/source_names.h"
#include "fuzz/gen/source_text.h"
#include "fuzz/gen/source_types.h"

namespace fusillade::fuzz::source {

// How deep blocks nest, by which productions have blocks of their own.
inline constexpr int kMostNesting = 2;

enum class Place : uint8_t {
  Helper,
  Main,
  Method,
  Forward
};  // of a function; the program is Main or Forward

// What a script under construction has: its text, what is in scope, and where in it we are.
struct Writer {
  Writer(Choices& choices, const Policy& policy)
      : choices(choices), policy(policy), tensors(policy.tensors) {}

  Choices& choices;
  const Policy& policy;
  bool tensors;
  bool data = false;                  // is the class one of data?
  bool pure = false;                  // does the function being written write nothing?
  std::unique_ptr<GraphState> graph;  // of the function being written
  std::unordered_map<std::string, Value*> values;
  std::unordered_map<const Value*, std::string> value_names;
  std::vector<std::pair<std::string, Type>> parameters;  // of the function being written
  std::optional<Dims> base;  // sizes that the tensors of all functions are relatives of
  std::vector<Var> added;    // parameters that the next statement will know
  std::string out;
  std::vector<Var> vars;
  std::vector<Narrowed> narrowed;
  std::vector<Var> fields;     // of the class being written
  std::vector<Layers> layers;  // of the module being written
  std::vector<Type> wanted;    // parameters for the forward being written
  std::vector<Callee> callees;
  std::vector<Class> classes;
  std::vector<Class> parts;   // modules
  std::string interface;      // of the part; may be empty
  std::vector<Type> records;  // named tuples and enums
  std::vector<std::string> managers;
  std::vector<uint8_t> questions;   // of the script's function `kind_of`; empty: it has none
  std::vector<Task> tasks;          // in this block and those around it
  std::vector<std::string> waited;  // what tasks gave, where programs of tasks are drawn
  Type result;
  int indent = 0;
  int outer = 0;  // indentation of the function's head
  int names = 0;
  int loops = 0;           // around this statement, in this function
  int frozen = 0;          // loops over lists that must not change
  int64_t iterations = 1;  // of all the loops around
  int64_t cost = 0;        // statements that may run
};

// Productions of functions that always write a statement, or say whether they did.
template <void (*write)(Writer&)>
End always(Writer& w, int) {
  write(w);
  return End::Falls;
}
template <bool (*write)(Writer&)>
End where_it_fits(Writer& w, int) {
  return write(w) ? End::Falls : End::None;
}

// source.cpp: functions
void line(Writer& w, const std::string& text);
std::string fresh(Writer& w, const char* prefix);  // a name
void return_statement(Writer& w);
std::string default_text(Writer& w, const Type& type);
void start_function(Writer& w);
void function(Writer& w, const std::string& name, Place place);
GeneratedScript write_script(Writer& w);

// source_certain.cpp: assertions that hold
void question_function(Writer& w);

// source_class.cpp: classes and modules
void plain_class(Writer& w, const std::string& name);
// Names of objects of a class of data, which has ==.
std::vector<std::string> comparable_objects(const Writer& w);
void make_object(Writer& w);
void interface_class(Writer& w, const std::string& name);
void module_class(Writer& w, const std::string& name, bool last);

// source_containers.cpp: strings and lists
std::string bound(Writer& w);
Text derived_list(Writer& w, const Type& type, int depth);

// source_dict.cpp: dicts
std::string key(Writer& w, const Type& dict);
std::vector<const Var*> dicts(const Writer& w, const Type* mapped = nullptr);
std::string entries(Writer& w, const Type& dict, int64_t count, int depth);
Text dict_expression(Writer& w, const Type& type, int depth);
Text dict_item(Writer& w, const Type& type);
Text keys_or_values(Writer& w, const Type& list);
bool for_dict(Writer& w, int depth);

// source_expr.cpp: expressions
std::vector<const Var*> of_type(const Writer& w, const Type& type, bool assignable = false);
std::vector<const Var*> lists_of(const Writer& w, const Type& element);
Text operand(Writer& w, const Type& type, int depth, Level least);
Text infix(Writer& w, const char* op, Level level, const Type& left, const Type& right, int depth);
Text leaf(Writer& w, const Type& type);
Text item_of(Writer& w, const Var& list);
Text expression(Writer& w, const Type& type, int depth);
// Empty where nothing fits what is drawn.
Text draw_expression(Writer& w, Grammar grammar, int depth);
Text draw_expression(Writer& w, Grammar grammar, const Type& type, int depth);
Text condition(Writer& w, int depth);
Text divisor(Writer& w, const Type& type, int depth);
Text comparison(Writer& w, int depth);
const Callee* callable(Writer& w, const Type& result);
std::string arguments(Writer& w, const Callee& f, int depth);
bool forkable(const Writer& w, const Callee& f);
Text call(Writer& w, const Callee& f, int depth);

// source_module.cpp: layers
void layer_field(Writer& w, Class& c);

// source_record.cpp: named tuples, enums, context managers
void named_tuple(Writer& w, const std::string& name);
void enumeration(Writer& w, const std::string& name);
void manager_class(Writer& w, const std::string& name);
Text record_literal(Writer& w, const Type& type);
Text part_of_record(Writer& w, const Type& type);

// source_spell.cpp: nodes as text
bool defaults_from(const Node* n, size_t first);
Text argument_text(Writer& w, const Node* n, size_t i, int depth);
Text node_text(Writer& w, const Node* n, int depth);

// source_stmt.cpp: statements
Text plain(Writer& w, const Type& type);
Text limit_growth(Writer& w, const Type& type, Text value);
void bind_name(Writer& w, const std::string& name, const Type& type, const Text& value,
               bool annotate);
void define(Writer& w);
End exit_statement(Writer& w);
void loop(Writer& w, int depth, const std::string& head, int64_t iterations,
          const std::vector<Var>& own, const std::string& first);
End draw_statement(Writer& w, Grammar grammar, int depth);
End block(Writer& w, int statements, int depth);

// source_tensor.cpp: tensors
std::vector<const Var*> tensor_vars(const Writer& w);
void declare_inputs(Writer& w);
void use_added(Writer& w);
Text tensor_leaf(Writer& w, const Type& type);
Text tensor_literal(const Type& type);
Text tensor_expression(Writer& w, const Type& type, int depth);
Type draw_item(Writer& w);
std::string part_of(Writer& w, const Var& v, Type* part);
void write_part(Writer& w, const std::string& part, const Type& type);

// source_types.cpp: types and literals
Type draw_scalar(Writer& w);
Type draw_state(Writer& w);
Type draw_plain(Writer& w, int depth);
Type draw_parameter(Writer& w);
Type draw_type(Writer& w, int depth);
Text literal(Writer& w, const Type& type);

// source_union.cpp: several types
Type draw_wide(Writer& w);
std::vector<const Var*> wide_vars(const Writer& w);
Text wide_expression(Writer& w, const Type& type, int depth);
Text wide_items(Writer& w, const Type& list, int depth);
Test test_of(Writer& w, const Var& v, const Type* wanted = nullptr);
Text narrowed_var(Writer& w, const Type& type);
Text are_distinguished(Writer& w, const Type& type, int depth);
Text are_distinguished(Writer& w, const Var& v, const Type& type, int depth);
void learn(Writer& w, const std::string& name, const Type& type);
void forget(Writer& w, const std::vector<Var>& before);

}  // namespace fusillade::fuzz::source
