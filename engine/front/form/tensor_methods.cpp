// Methods of tensors in a constructor that fill the tensor or mean nothing; others are operations.
#include "engine/front/method.h"

namespace fusillade::front {
namespace {

Tensor tensor(const MethodCall& c) { return c.self.value()->as_tensor(); }

double number(const MethodCall& c, size_t i, const char* key, double otherwise) {
  const Py* p = c.args.find(i, key);
  if (!p) return otherwise;
  if (!p->value() || !p->value()->is_number())
    c.in.wrong(c.e, fmt::format("'{}' takes numbers", c.name));
  return p->value()->as_double();
}

Py fill_with(const MethodCall& c, double value) {
  const Tensor t = tensor(c);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, value);
  return c.self;
}

std::optional<Py> uniform(const MethodCall& c) {
  c.in.fill(tensor(c), false, number(c, 0, "from", 0), number(c, 1, "to", 1));
  return c.self;
}

std::optional<Py> normal(const MethodCall& c) {
  c.in.fill(tensor(c), true, number(c, 0, "mean", 0), number(c, 1, "std", 1));
  return c.self;
}

std::optional<Py> zero(const MethodCall& c) { return fill_with(c, 0); }
std::optional<Py> fill(const MethodCall& c) { return fill_with(c, number(c, 0, "value", 0)); }

std::optional<Py> copy(const MethodCall& c) {
  if (c.count() != 1 || !c.at(0).is_tensor()) return std::nullopt;
  copy_into(tensor(c), c.at(0).value()->as_tensor());
  return c.self;
}

std::optional<Py> requires_grad(const MethodCall& c) {
  const Py* wanted = c.args.find(0, "requires_grad");
  c.in.want_gradient(c.self, !wanted || c.in.truth(*wanted, c.e));
  return c.self;
}

std::optional<Py> itself(const MethodCall& c) { return c.self; }

std::optional<Py> detach(const MethodCall& c) {
  const Tensor t = tensor(c);
  return Py(IValue(Tensor::view_of(t, t.offset(), t.sizes(), t.strides())));
}

const bool kAdded = add_methods("Tensor", {{"uniform_", &uniform},
                                           {"normal_", &normal},
                                           {"zero_", &zero},
                                           {"fill_", &fill},
                                           {"copy_", &copy},
                                           {"requires_grad_", &requires_grad},
                                           {"cuda", &itself},
                                           {"cpu", &itself},
                                           {"detach", &detach}});

}  // namespace
}  // namespace fusillade::front
