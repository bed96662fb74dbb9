// The code/ part of an archive: the classes and functions that a module needs, as Python files by qualified name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/run/archive/print_python.h"

namespace fusillade::archive {

class CodeFiles {
 public:
  CodeFiles(const CompilationUnit& unit, ConstantTable& constants) : unit_(unit), constants_(constants) {}
  // This class and all it refers to. Throws Error for what cannot be written.
  void add(const ClassPtr& cls);
  // Path ("__torch__/nn.py") to text. Within a file: in order of discovery.
  std::map<std::string, std::string> files() const { return files_; }
  // On what PyTorch will refuse, each once.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void discover(const Type& type);
  void discover(const Callee& callee);
  std::string class_text(const ClassType& cls);
  std::string module_fields(const ClassType& cls);
  std::string methods(const ClassType& cls);
  std::string function_text(const std::string& name, const Schema& schema, const Graph& graph, int level);
  void append(const std::string& qualified, const std::string& text);
  const CompilationUnit& unit_;
  ConstantTable& constants_;
  std::map<std::string, std::string> files_;
  std::set<std::string> seen_;
  std::vector<std::string> notes_;
};

}  // namespace fusillade::archive
