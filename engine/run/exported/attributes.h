// The tensors of an exported program as attributes of modules within modules, by the parts of their
// names: "layers.0.weight" is attribute "weight" of module "0" of module "layers".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/ops/class_type.h"
#include "engine/run/exported/graph_reader.h"

namespace fusillade::exported {

class Attributes {
 public:
  Attributes();
  ~Attributes();
  // Throws Error for a name that is taken, or no name.
  void add(const std::string& name, const Tensor& tensor, Field::Kind kind, bool persistent);
  // All are there: makes classes named after this one, and the object.
  void finish(const std::string& name);
  const ClassPtr& root() const { return root_; }
  const IValue& object() const { return object_; }
  void declare(ClassTable& classes) const;

  // The value of an attribute of `self`, read where `reader` stands.
  Value* read(const std::string& name, Value* self, GraphReader& reader);
  Value* value(const std::string& name) const;  // that was read; null: none

 private:
  struct Part;
  IValue make(Part& part, const std::string& name);
  Value* get(Value* from, const std::string& field, GraphReader& reader);
  std::unique_ptr<Part> tree_;
  ClassPtr root_;
  IValue object_;
  std::vector<ClassPtr> classes_;  // those within before those that hold them
  size_t numbered_ = 0;            // classes that have a number
  std::map<std::string, Value*> values_;
};

}  // namespace fusillade::exported
