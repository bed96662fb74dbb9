// What constructors alone call: parameters, copies, devices, functools.partial, what switches
// PyTorch.
#include "engine/base/text.h"
#include "engine/front/form.h"
#include "engine/ops/device.h"

namespace fusillade::front {
namespace {

std::optional<Py> partial(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty() || !args.positional[0].ref())
    in.wrong(e, "partial takes a class or a function, then arguments");
  auto out = std::make_shared<PyRef>(*args.positional[0].ref());
  PyArgs more = args;
  more.positional.erase(more.positional.begin());
  out->given = together(out->given, more);
  return out;
}

Py deep_copy(const Py& of) {
  std::map<const void*, Py> known;
  std::function<Py(const Py&)> copy = [&](const Py& p) -> Py {
    if (p.is_tensor()) {
      const void* key = p.value()->as_tensor().impl();
      if (!known.count(key)) known[key] = Py(IValue(contiguous(p.value()->as_tensor(), true)));
      Py out = known[key];
      out.parameter = p.parameter;
      return out;
    }
    if (PySeq* seq = p.seq()) {
      auto out = std::make_shared<PySeq>(*seq);
      for (Py& item : out->items) item = copy(item);
      return out;
    }
    if (PyDict* dict = p.dict()) {
      auto out = std::make_shared<PyDict>(*dict);
      for (auto& [key, item] : out->items) item = copy(item);
      return out;
    }
    Instance* object = p.instance();
    if (!object) return p;
    if (known.count(object)) return known[object];
    auto out = std::make_shared<Instance>(*object);
    known[object] = Py(out);
    for (Instance::Attr& a : out->attrs) a.value = copy(a.value);
    return out;
  };
  return copy(of);
}

std::optional<Py> parameter(Elaborator& in, const PyArgs& args, const Expr& e) {
  const Py* data = args.find(0, "data");
  if (!data || !data->is_tensor()) in.wrong(e, "nn.Parameter takes a tensor");
  Tensor t = data->value()->as_tensor();
  Py out(IValue(Tensor::view_of(t, t.offset(), t.sizes(), t.strides())));
  out.parameter = true;
  if (const Py* wanted = args.find(1, "requires_grad")) in.want_gradient(out, in.truth(*wanted, e));
  return out;
}

std::optional<Py> module_init(Elaborator& in, const PyArgs& args, const Expr& e) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].instance();
  if (!self || !self->module) in.wrong(e, "Module.__init__ takes the module");
  in.base_init(*self, {{args.positional.begin() + 1, args.positional.end()}, args.keywords}, e);
  return Py(IValue());
}

std::optional<Py> bare_module(Elaborator& in, const PyArgs&, const Expr& e) {
  in.wrong(e, "nn.Module itself has no forward: make a subclass");
}

std::optional<Py> nothing(Elaborator&, const PyArgs&, const Expr&) { return Py(IValue()); }

std::optional<Py> device(Elaborator& in, const PyArgs& args, const Expr& e) {
  const Py* type = args.find(0, "type");
  if (!type || !type->is_str()) in.wrong(e, "torch.device takes the name of a device");
  const Py* index = args.find(1, "index");
  std::string name =
      type->value()->as_str() + (index ? fmt::format(":{}", in.integer(*index, e)) : "");
  std::optional<Device> device = find_device(name);
  if (!device) in.wrong(e, no_device_text(name));
  return Py(IValue(*device));
}

std::optional<Py> shallow(Elaborator&, const PyArgs& args, const Expr&) {
  Instance* plain = args.positional.size() == 1 ? args.positional[0].instance() : nullptr;
  if (!plain || plain->module) return std::nullopt;
  return Py(std::make_shared<Instance>(*plain));
}

std::optional<Py> deep(Elaborator&, const PyArgs& args, const Expr&) {
  if (args.positional.size() != 1) return std::nullopt;
  return deep_copy(args.positional[0]);
}

std::optional<Py> itself(Elaborator&, const PyArgs& args, const Expr&) {
  return args.positional.size() == 1 ? std::optional<Py>(args.positional[0]) : std::nullopt;
}

const bool kParameter =
    add_form({"torch.nn.Parameter", "torch.nn.parameter.Parameter"}, {.evaluate = &parameter});
const bool kInit = add_form({kModuleInit}, {.evaluate = &module_init});
const bool kModule = add_form({"torch.nn.Module"}, {.evaluate = &bare_module});
const bool kNothing = add_form(
    {"torch.manual_seed", "torch.set_grad_enabled", "torch.no_grad", "torch.get_default_dtype"},
    {.evaluate = &nothing});
const bool kDevice = add_form({"torch.device"}, {.evaluate = &device});
const bool kCopy = add_form({"copy.copy"}, {.evaluate = &shallow});
const bool kDeepCopy = add_form({"copy.deepcopy"}, {.evaluate = &deep});
const bool kScript =
    add_form({"torch.jit.script", "torch.jit.script_if_tracing"}, {.evaluate = &itself});
const bool kPartial = add_form({"functools.partial"}, {.evaluate = &partial});

}  // namespace
}  // namespace fusillade::front
