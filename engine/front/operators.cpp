// See operators.h.
#include "engine/front/operators.h"

#include <map>
#include <mutex>

#include "engine/front/class.h"

namespace fusillade::front {
namespace {

constexpr std::string_view kSpace = "aten::";

// "eye__m" as "aten::eye.m"; "__word", which is no operator, as one without a name
std::string operator_name(const std::string& function) {
  size_t overload = function.find("__");
  if (overload == std::string::npos) return std::string(kSpace) + function;
  return std::string(kSpace) + function.substr(0, overload) + "." + function.substr(overload + 2);
}

std::string base_of(const std::string& name) { return name.substr(0, name.find('.')); }

class Operators {
 public:
  const std::vector<TextOperator>& overloads(const std::string& base) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = made_.find(base);
    if (known != made_.end()) return known->second;
    static const std::vector<TextOperator> kNone;
    std::vector<TextOperator> found;
    for (const std::string& function : unit_.function_names()) {
      std::string name = operator_name(function);
      if (base_of(name) != base) continue;
      const Compiled& c = unit_.callee(function, unit_.source(), Expr());
      found.push_back({name, c.schema, c.graph, c.weight});
    }
    return found.empty() ? kNone : made_.emplace(base, std::move(found)).first->second;
  }

 private:
  std::mutex mutex_;
  Program program_{"", "<operators>"};
  Unit& unit_ = program_.operators();
  std::map<std::string, std::vector<TextOperator>> made_;
};

}  // namespace

const std::vector<TextOperator>& text_operators(const std::string& base) {
  static Operators operators;
  return operators.overloads(base);
}

const TextOperator* text_operator(const std::string& name) {
  for (const TextOperator& o : text_operators(base_of(name)))
    if (o.name == name) return &o;
  return nullptr;
}

}  // namespace fusillade::front
