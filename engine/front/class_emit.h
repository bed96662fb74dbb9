// Objects and classes in a graph: construction, methods, fields, constants of modules and enums,
// containers of modules.
//
//   C(1, 2)         prim::CreateObject, then prim::CallFunction of C.__init__
//   P(1, 2)         prim::NamedTupleConstruct
//   self.weight     prim::GetAttr[name="weight"](%self)
//   x.f(1)          of an x of several classes, as of an interface: a chain of isinstance
//   self.linear(x)  prim::CallFunction of Linear.forward with the submodule first
#pragma once

#include "engine/front/class.h"
#include "engine/front/emit.h"

namespace fusillade::front {

inline bool is_object(const Type& type) { return type.is(TypeKind::Class); }
inline bool is_object(const Value* v) { return is_object(v->type()); }

class ClassEmitter {
 public:
  explicit ClassEmitter(Emitter& to) : to_(to) {}

  // Each null when the expression is nothing of the kind.
  Value* class_call(const Expr& e);       // C(...), object(...), super().f(...), C.static(...)
  Value* class_attribute(const Expr& e);  // Color.RED
  Value* union_call(Value* of, const std::string& name, const Expr& e);
  Value* object_call(Value* of, const std::string& name, const Expr& e);
  Value* make_object(const ClassPlace& place, const Expr& e);

  Value* field(Value* of, const Expr& e);  // of an object or a named tuple
  Value* get_field(Value* of, const std::string& name, const Type& type, const Expr& at);
  void set_field(const Expr& target, Value* value);  // target: an Attribute
  void define_field(const Expr& target, const Type& type, const Expr& value);

  bool names_class(const Expr& e);
  bool names_interface(const Expr& e);
  std::optional<Type> static_type(const Expr& e);  // of a name or a path of attributes
  // What a loop over a container of modules, or over an enum, visits.
  std::optional<std::vector<Value*>> items_visited(const Expr& over);
  Value* class_item(Value* of, const Expr& e);  // of[index] of a container or by __getitem__

 private:
  ClassInfo& info_of(const Type& type) { return to_.program().info(*type.class_type()); }
  Value* make_from_fields(ClassInfo& info, const Type& type, const Expr& e);
  Value* super_call(const Expr& e, const ClassPlace* from = nullptr);
  Value* class_constant(const ClassPlace& place, const Expr& e);
  void add_field(Value* of, const Expr& target, const Type& type);
  void store_field(Value* of, const Expr& target, Value* value);
  void write_field(Value* of, const std::string& name, Value* value, const Expr& at);
  std::optional<std::vector<Value*>> container_items(const Expr& over);
  std::optional<std::vector<Value*>> enum_members(const Expr& over);
  std::vector<Value*> children(Value* container, const Expr& at);
  Value* container_item(Value* container, const Expr& e);
  Value* chosen_item(Value* container, const std::vector<const Field*>& items, bool keyed,
                     const Expr& e);

  Emitter& to_;
};

}  // namespace fusillade::front
