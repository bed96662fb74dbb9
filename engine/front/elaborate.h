// The elaborator: runs the Python of `__init__` once per instance of a module, over the syntax
// tree.
//
// A bounded interpreter of what people write in constructors: arithmetic, lists, loops, calls of
// functions and of methods of the program, tensors, submodules. Operations on numbers, strings and
// tensors are emitted as one-node graphs by the compiler and run at once, so they mean what they
// mean in methods. Random initial values come from Philox: (seed, position). Steps and sizes are
// limited, so every file ends; nothing outside the program is reached.
#pragma once

#include <variant>

#include "engine/front/class.h"

namespace fusillade::front {

struct Instance;
struct PySeq;
struct PyDict;
struct PyRef;

// A value while a constructor runs. Lists, tuples and dicts are separate from IValue, as they may
// contain modules.
struct Py {
  std::variant<IValue, std::shared_ptr<Instance>, std::shared_ptr<PySeq>, std::shared_ptr<PyDict>,
               std::shared_ptr<PyRef>>
      v;
  bool parameter = false;                  // an nn.Parameter
  std::shared_ptr<const Type> declared{};  // torch.jit.Attribute(value, type)
  Py() = default;
  Py(IValue value) : v(std::move(value)) {}  // NOLINT
  template <class T>
  Py(std::shared_ptr<T> p) : v(std::move(p)) {}  // NOLINT
  const IValue* value() const { return std::get_if<IValue>(&v); }
  Instance* instance() const { return get<Instance>(); }
  PySeq* seq() const { return get<PySeq>(); }
  PyDict* dict() const { return get<PyDict>(); }
  PyRef* ref() const { return get<PyRef>(); }
  bool is_none() const { return value() && value()->is_none(); }
  bool is_tensor() const { return value() && value()->is_tensor(); }
  bool is_str() const { return value() && value()->tag() == IValue::Tag::Str; }

 private:
  template <class T>
  T* get() const {
    auto* p = std::get_if<std::shared_ptr<T>>(&v);
    return p ? p->get() : nullptr;
  }
};

inline constexpr const char* kModuleInit = "torch.nn.Module.__init__";

struct PySeq {
  bool list = false;
  bool slice = false;          // slice(start, stop, step)
  ClassInfo* named = nullptr;  // a named tuple
  std::vector<Py> items;
};

struct PyDict {
  std::vector<std::pair<IValue, Py>> items;
  Py* find(const IValue& key);
};

std::shared_ptr<PySeq> sequence(std::vector<Py> items, bool list = true);
Py pair_of(Py a, Py b);

struct PyArgs {
  std::vector<Py> positional;
  std::vector<std::pair<std::string, Py>> keywords;
  const Py* find(size_t i, std::string_view name) const;  // the i-th, or the one of this name
  bool empty() const { return positional.empty() && keywords.empty(); }
};

// functools.partial: positional arguments follow each other, the later of two of one name counts.
PyArgs together(PyArgs first, const PyArgs& then);

// A class, a function of the program, a method of a value, or something of a module ("torch.relu").
struct PyRef {
  ClassPlace cls;
  MethodPlace function;
  Py self;           // of a method
  std::string path;  // dotted, or a built-in's or method's name
  PyArgs given;      // of functools.partial: they precede those of a call
};

// An object under construction: attributes in order of first assignment.
struct Instance {
  struct Attr {
    std::string name;
    Py value;
    Field::Kind kind = Field::Kind::Attribute;
    std::optional<Type> declared;
    bool by_constructor = false;  // it is a constructor that declared it
    bool constant = false;
    bool persistent = true;  // buffers: part of state_dict
  };
  ClassPlace place;
  bool module = false;
  Container container = Container::None;
  bool of_parameters = false;  // what the container holds
  bool holds(const Attr& a) const {
    return a.kind == (of_parameters ? Field::Kind::Parameter : Field::Kind::Module);
  }
  std::vector<Attr> attrs;
  bool initialised = false;   // nn.Module's constructor has run
  bool busy = false;          // its type is being created
  ClassInfo* info = nullptr;  // once it has a type
  IValue object;              // then
  Attr* find(const std::string& name);
  void erase(const std::string& name);
};

class Elaborator;

// An item of a container of modules or of parameters.
void set_item(Elaborator& in, Instance& self, const std::string& name, const Py& value,
              const Expr& at);
void append_item(Elaborator& in, Instance& self, const Py& value, const Expr& at);

class Elaborator {
 public:
  Elaborator(Program& program, uint64_t seed) : program_(program), seed_(seed) {}
  // The value of an expression of `unit`, with no local names.
  Py run(Unit& unit, const Expr& e);
  // The same as a value that needs no instances.
  IValue constant(Unit& unit, const Expr& e);
  Py construct(const ClassPlace& place, const std::vector<IValue>& args,
               const std::vector<std::pair<std::string, IValue>>& kwargs);
  // Lists, tuples and dicts included; throws Error at `at` for modules and functions.
  IValue value_of(const Py& value, const Expr& at);
  [[noreturn]] void wrong(const Expr& at, std::string_view message) const;
  Unit& unit() const { return *frame_->unit; }

  // What forms build with.
  Program& program() { return program_; }
  Py eval(const Expr& e);
  bool truth(const Py& value, const Expr& at);
  int64_t integer(const Py& value, const Expr& at);
  std::vector<Py> iterate(const Py& value, const Expr& at);
  Py binary_of(Sign sign, const Py& a, const Py& b, const Expr& at);
  bool compare_pair(Sign sign, const Py& a, const Py& b, const Expr& at);
  Py at_path(const std::string& path);
  Py get_attr(Instance& self, const Py& of, const std::string& name, const Expr& at);
  void set_attr(Instance& self, const std::string& name, const Py& value, const Expr& at);
  void base_init(Instance& self, const PyArgs& args, const Expr& e);
  void want_gradient(const Py& tensor, bool wanted);
  void fill(const Tensor& t, bool normal, double a, double b);  // with random numbers
  void charge(int64_t elements, const Expr& at);
  Py call_value(const Py& callee, const PyArgs& args, const Expr& e);
  bool equal(const Py& a, const Py& b) const;
  void count_item(const Expr& at);  // of a list that is made

 private:
  enum class Flow : uint8_t { Falls, Returns, Breaks, Continues };
  struct Frame {
    Unit* unit = nullptr;
    MethodPlace method;
    std::map<std::string, Py> locals;
    Py result;
  };
  struct Enter;
  void add_caller(Problem& problem, const Function& called, const Frame& by, const Expr& at) const;
  void step(const Expr& at);

  // Statements (elaborate.cpp).
  Flow run(const StmtList& list);
  Flow run(const Stmt& s);
  Flow run_loop(const Stmt& s);
  void run_assignment(const Stmt& s);
  void run_augmented(const Stmt& s);
  void assign(const Expr& target, const Py& value);
  void assign_item(const Expr& target, const Py& value);
  [[noreturn]] void run_raise(const Stmt& s);

  // Expressions (elaborate_expr.cpp).
  Py comprehension(const Expr& e);
  Py format(const Expr& e);
  void put(PyDict& dict, const Py& key, const Py& value, const Expr& at);
  Py name(const Expr& e);
  Py attribute(const Expr& e);
  Py attribute_of(const Py& of, const std::string& name, const Expr& at);
  Py subscript(const Expr& e);
  Py item_of(PySeq& seq, const Expr& index, const Expr& e);
  Py part_of(Instance& self, const Expr& slice, const Expr& e);
  Py binary(const Expr& e);
  Py compare(const Expr& e);
  Py wrap(const IValue& value) const;
  // The operation of `e` with its operands, the first `operands.size()` kids from `first` on,
  // replaced by values.
  Py operate(const Expr& e, const std::vector<const Py*>& operands, size_t first);
  ExprPtr with_operands(const Expr& e, const std::vector<const Py*>& operands, size_t first,
                        std::vector<std::pair<std::string, Type>>& types,
                        std::vector<IValue>& values);

  void charge_result(const IValue& result, const Expr& at);
  ExprPtr index_of(const Expr& e, std::vector<std::pair<std::string, Type>>& types,
                   std::vector<IValue>& values);
  Py evaluate(const Expr& over, const std::vector<std::pair<std::string, Type>>& types,
              const std::vector<IValue>& values, const Expr& e);

  // Calls (elaborate_call.cpp).
  Py call(const Expr& e);
  Py construct(const ClassPlace& place, const PyArgs& args, const Expr& at);
  PyArgs arguments(const Expr& e);
  Py call_function(const MethodPlace& f, const Py* self, const PyArgs& args, const Expr& at);
  Py call_path(const std::string& path, const PyArgs& args, const Expr& e);
  Py call_operation(const Expr& callee, const Py* self, const PyArgs& args, const Expr& e);
  Py super_call(const Expr& e);
  std::vector<std::pair<std::string, Py>> fields_from(ClassInfo& info, const PyArgs& args,
                                                      const Expr& at);
  Py named_tuple(const ClassPlace& place, const PyArgs& args, const Expr& at);
  void fill_fields(Instance& self, const PyArgs& args, const Expr& at);
  void bind(const Function& f, Frame& frame, size_t first, const PyArgs& args, const Expr& at);

  // Methods (elaborate_method.cpp): nothing when the name is not one of these.
  std::optional<Py> method(const Py& self, const std::string& name, const PyArgs& args,
                           const Expr& e);

  // Attributes of instances (elaborate_attr.cpp).
  void class_level(Instance& self);
  bool wants_gradient(const Py& tensor) const;

  Program& program_;
  uint64_t seed_;
  uint64_t position_ = 0;  // of the random numbers
  int64_t steps_ = 0;
  int64_t list_items_ = 0;  // list items created so far
  int64_t elements_ = 0;    // of tensors and strings created
  int depth_ = 0;
  Frame* frame_ = nullptr;
  std::map<const TensorImpl*, std::pair<Tensor, bool>>
      gradients_;  // what was said of requires_grad
};

}  // namespace fusillade::front
