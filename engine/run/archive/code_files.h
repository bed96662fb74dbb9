// The code/ part of an archive: the classes and functions that a module needs, as Python files by
// qualified name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/run/archive/print_python.h"

namespace fusillade::archive {

class CodeFiles {
 public:
  CodeFiles(const CompilationUnit& unit, ConstantTable& constants)
      : unit_(unit), constants_(constants) {}
  // This class and all it refers to. Throws Error for what cannot be written.
  void add(const ClassPtr& cls);
  // Path ("__torch__/nn.py") to text. Within a file: in order of discovery.
  std::map<std::string, std::string> files() const { return files_; }
  // On what PyTorch will refuse, each once.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Names = std::vector<std::string>;
  // What PyTorch must know before it has a class, and for its methods or for a function.
  struct Needs {
    Names fields, code;
  };
  void add_class(const ClassPtr& cls);
  void discover(const Type& type, Names& needs);
  void discover(const Callee& callee, Names& needs);
  void import_as_pytorch(const std::string& name, Names& pending, std::set<std::string>& known);
  void note_circle(const std::string& name);
  std::string class_text(const ClassType& cls);
  std::string module_fields(const ClassType& cls);
  std::string methods(const ClassType& cls);
  std::string function_text(const std::string& name, const Schema& schema, const Graph& graph,
                            int level, Names& needs);
  void append(const std::string& qualified, const std::string& text);
  const CompilationUnit& unit_;
  ConstantTable& constants_;
  std::map<std::string, std::string> files_;
  std::set<std::string> seen_;
  std::map<std::string, Needs> needs_;  // of classes and functions, by qualified name
  std::vector<std::string> notes_;
};

}  // namespace fusillade::archive
