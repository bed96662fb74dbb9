// The classes and functions of an archive, compiled when something asks for them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/unit.h"
#include "engine/run/archive/code_index.h"
#include "engine/run/archive/interfaces.h"
#include "engine/run/archive/type_text.h"

namespace fusillade::archive {

struct ImportedFunction {
  Function function;
  size_t weight = 0;  // nodes when all calls are inlined
};

class ImportUnit : public ClassResolver {
 public:
  ImportUnit(CodeIndex& code, int version, bool of_pytorch)
      : code_(code), version_(version), of_pytorch_(of_pytorch) {}
  ClassPtr resolve_class(const std::string& qualified) override;
  std::vector<std::string> behind(const std::string& qualified) override;
  bool has_class(const std::string& qualified) { return code_.find_class(qualified) != nullptr; }
  bool has_function(const std::string& qualified) { return definition(qualified) != nullptr; }
  bool is_hooked(const std::string& cls) {
    const ClassText* text = code_.find_class(cls);
    return text && text->hooked;
  }
  // A function or, as "Class.method", a method. Throws Error when there is none, for recursion, for
  // deep nesting.
  const ImportedFunction& function(const std::string& qualified);
  // The function that calls `method` of a value whose class is one of the union's; "" when no
  // interface that these classes have the methods of declares it.
  std::string dispatcher(const Type& type, const std::string& method);
  // The function that takes an item of a container of modules by an index (a key when `keyed`)
  // known when it runs.
  std::string chooser(const ClassType& container, bool keyed);
  // All methods of the classes seen so far, and of those that they lead to. The unit is complete
  // afterwards.
  std::shared_ptr<CompilationUnit> finish();

  void set_object_classes(ObjectClasses objects) { object_classes_ = std::move(objects); }
  void set_constants(std::vector<IValue> constants) { constants_ = std::move(constants); }
  const std::vector<IValue>& constants() const { return constants_; }
  int version() const {
    return version_;
  }  // of the archive: which meaning of operators its code has
  bool of_pytorch() const { return of_pytorch_; }  // PyTorch wrote it, not we

 private:
  std::shared_ptr<ClassType> declare(const std::string& qualified, const ClassText& text);
  std::string field_text(const ClassType& cls, const std::string& field, const std::string& type);
  void fill(ClassType& cls, const ClassText& text);
  const DefinitionText* definition(const std::string& qualified);
  CodeIndex& code_;
  int version_;
  bool of_pytorch_;
  int depth_ = 0;
  std::vector<IValue> constants_;
  std::vector<ClassPtr> classes_;  // in order of appearance
  std::map<std::string, ClassPtr> by_name_;
  std::set<std::string> pending_classes_;
  std::set<std::string> pending_functions_;
  std::map<std::string, ImportedFunction> functions_;
  ObjectClasses object_classes_;
  std::map<std::string, std::vector<std::string>> behind_;  // by interface
  std::map<std::pair<std::string, std::string>, std::string>
      dispatchers_;  // by method of an interface and union
};

}  // namespace fusillade::archive
