// Named types of a program: classes, modules, named tuples, enums. A Type refers to one; equality
// is identity.
//
// A class that mentions itself (a list node) holds itself without owning: build such a field's type
// with Type::of(borrow(cls)), so that no cycle of owners arises.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade {

struct Field {
  enum class Kind : uint8_t { Attribute, Parameter, Buffer, Module };
  std::string name;
  Type type;
  Kind kind = Kind::Attribute;
  bool persistent = true;  // buffers: part of state_dict
  bool operator==(const Field&) const = default;
};

struct EnumMember {
  std::string name;
  IValue value;
};

struct ClassType {
  enum class Kind : uint8_t { Object, Module, NamedTuple, Enum };
  std::string name;  // qualified: "__torch__.Net"
  Kind kind = Kind::Object;
  std::vector<Field> fields;        // slots, in order; of a named tuple: its items
  std::vector<EnumMember> members;  // Enum
  Type value_type;                  // Enum: of its members' values

  int slot(std::string_view field) const;  // -1 when absent
};

inline ClassPtr borrow(const ClassPtr& cls) {
  return ClassPtr(std::shared_ptr<const void>(), cls.get());
}

// Classes by qualified name; what the text form of a type may refer to.
class ClassTable {
 public:
  // Throws Error when the name is taken by another class.
  void add(ClassPtr cls);
  ClassPtr find(std::string_view name) const;  // null when absent
  const std::vector<ClassPtr>& all() const { return all_; }

 private:
  std::vector<ClassPtr> all_;  // in order of addition
};

}  // namespace fusillade
