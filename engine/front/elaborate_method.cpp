// Calls of methods in a constructor: rows, see method.h.
#include "engine/front/method.h"
#include "engine/tensor/random.h"

namespace fusillade::front {
namespace {

std::optional<Py> call_method(const char* of, const MethodCall& call) {
  const Method* method = Table<Method>::instance().find(fmt::format("{}.{}", of, call.name));
  return method ? method->call(call) : std::nullopt;
}

std::optional<Py> of_module(const MethodCall& call) {
  const Instance& self = *call.self.instance();
  const char* container = self.container == Container::List   ? "ModuleList"
                          : self.container == Container::Dict ? "ModuleDict"
                                                              : nullptr;
  if (std::optional<Py> out = container ? call_method(container, call) : std::nullopt) return out;
  if (std::optional<Py> out = call_method("Module", call)) return out;
  if (call.name.starts_with("register_") && call.name.find("hook") != std::string::npos)
    call.in.wrong(call.e,
                  "hooks are not run from source: call the function within forward (hooks of an "
                  "archive are)");
  call.in.wrong(call.e, fmt::format("'{}' has no attribute or method '{}'", self.place.syntax->name,
                                    call.name));
}

}  // namespace

std::optional<Py> Elaborator::method(const Py& self, const std::string& name, const PyArgs& args,
                                     const Expr& e) {
  const MethodCall call{*this, self, args, e, name};
  if (PySeq* seq = self.seq()) {
    if (std::optional<Py> out = call_method(seq->list ? "list" : "tuple", call)) return out;
    if (!seq->list) wrong(e, fmt::format("a tuple has no method '{}'", name));
    wrong(e, fmt::format("the list method '{}' with {} arguments is not supported in a constructor",
                         name, call.count()));
  }
  if (self.dict()) {
    if (std::optional<Py> out = call_method("dict", call)) return out;
    wrong(e, fmt::format("the dict method '{}' is not supported in a constructor", name));
  }
  if (self.is_tensor()) return call_method("Tensor", call);
  if (Instance* object = self.instance(); object && object->module) return of_module(call);
  return std::nullopt;
}

void Elaborator::fill(const Tensor& t, bool normal, double a, double b) {
  int64_t n = t.numel();
  for (int64_t i = 0; i < n; ++i) {
    uint64_t at = position_ + static_cast<uint64_t>(i);
    set_element(t, i,
                normal ? a + b * random_normal(seed_, at) : a + (b - a) * random_unit(seed_, at));
  }
  position_ += static_cast<uint64_t>(n);
}

}  // namespace fusillade::front
