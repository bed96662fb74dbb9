// A compilation unit: the classes and functions of one program, by qualified name; a module: an
// instance and its unit.
//
// A method is a function whose first parameter is the object: "__torch__.Net.forward". Functions of
// a script file are named as in the file. Calls within graphs are prim::CallFunction nodes that
// hold the callee's graph and, as "name", its name here.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/ir/graph.h"
#include "engine/ops/class_type.h"

namespace fusillade {

struct Function {
  Schema schema;  // parameters with their defaults, `self` of a method included; one result
  std::shared_ptr<Graph> graph;
};

struct CompilationUnit {
  ClassTable classes;
  std::map<std::string, Function> functions;
  // The method of a class, or null.
  const Function* method(const ClassType& cls, const std::string& name) const {
    auto it = functions.find(cls.name + "." + name);
    return it == functions.end() ? nullptr : &it->second;
  }
};

// `self` is an object whose class is a module; its submodules are objects in its slots.
struct Module {
  IValue self;
  std::shared_ptr<const CompilationUnit> unit;
  std::vector<IValue> examples = {};  // inputs of `forward` that came with it; empty: none did
  const ClassType& type() const { return *self.as_object().cls; }
  const Function* method(const std::string& name) const { return unit->method(type(), name); }
};

// Tensors of a module in state_dict's order and names ("layers.0.weight"); a tensor or submodule
// that is referenced twice is listed once, under its first name.
struct NamedTensor {
  std::string name;
  Tensor tensor;
  Field::Kind kind = Field::Kind::Parameter;
};
std::vector<NamedTensor> named_parameters(const Module& module);
std::vector<NamedTensor> named_buffers(const Module& module);
// What state_dict lists: parameters and persistent buffers module by module, tensors referenced
// twice under both names.
std::vector<NamedTensor> state_of(const Module& module);
// Sets `training` of the module and of all below it.
void train(const Module& module, bool on = true);
// A module of copies: no tensor, list or object is shared with the original; what was referenced
// twice still is.
Module deepcopy(const Module& module);
IValue deepcopy(const IValue& value);

}  // namespace fusillade
