// The texts of the nn library (nn.h), of all programs: which defines what is known from the start,
// and a text is parsed once something of it is wanted.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/front/text_unit.h"

namespace fusillade::front {

inline constexpr const char* kGradModes = "torch/autograd/grad_mode.py";

// "torch/nn/functional.py" as "torch.nn.functional.", "torch/__init__.py" as "torch."
std::string package(std::string file);

class Library {
 public:
  static Library& instance();

  std::shared_ptr<const ParsedText> text(const std::string& file);
  // Null when no text has it; a class by its name, a function by its path, as users spell it.
  const std::string* file_of_class(const std::string& name) const;
  const std::string* file_of_function(const std::string& path) const;

 private:
  struct Part {
    std::string file;
    std::string_view text;
    std::once_flag once;
    std::shared_ptr<const ParsedText> parsed;
  };
  using Index = std::map<std::string, Part*>;

  Library();
  void list(Part& part, const std::string& prefix);

  std::deque<Part> parts_;
  Index by_file_, classes_, functions_;
};

}  // namespace fusillade::front
