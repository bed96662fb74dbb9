// The code/ files of an archive, decomposed into definitions by their indentation; nothing is
// parsed before it is asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/front/lexer.h"
#include "engine/run/archive/zip.h"

namespace fusillade::archive {

// One `def`: its text, without the class's indentation, behind as many empty lines as put it on its
// line of the file.
struct DefinitionText {
  std::string name;
  front::SourcePtr source;
};

struct ClassText {
  std::string base;  // "Module", "NamedTuple", "Enum", or empty
  std::vector<std::pair<std::string, std::string>> fields;  // name, type
  std::vector<std::pair<std::string, std::string>> values;  // of an Enum: name, literal
  std::vector<std::string> parameters;
  std::vector<std::string> buffers;
  std::vector<DefinitionText> methods;
  bool hooked = false;  // something runs around `forward`; code that calls it calls that as well
};

class CodeIndex {
 public:
  // `root`: the archive's top folder, with its slash.
  CodeIndex(const ZipReader& zip, std::string root) : zip_(zip), root_(std::move(root)) {}
  // By qualified name; null when no file defines it. Throws Error for a line that is no part of a
  // class.
  const ClassText* find_class(const std::string& qualified);
  const DefinitionText* find_function(const std::string& qualified);
  // Qualified, of all files, sorted.
  std::vector<std::string> class_names();
  // Adds a function to the file of its module, unless there is one of the name.
  void define(const std::string& qualified, std::string text);

 private:
  struct File {
    std::map<std::string, ClassText> classes;
    std::map<std::string, DefinitionText> functions;
  };
  File& file_of(const std::string& qualified);
  const ZipReader& zip_;
  std::string root_;
  std::map<std::string, File> files_;
};

}  // namespace fusillade::archive
