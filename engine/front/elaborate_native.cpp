// What Python and torch bring to a constructor: built-in functions, tensors with values, methods of
// lists and dicts.
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/front/elaborate.h"
#include "engine/front/spelling.h"
#include "engine/tensor/random.h"

namespace fusillade::front {
namespace {

constexpr int64_t kMaxRange = 1000000;

DType dtype_of(const PyArgs& args, DType otherwise) {
  const Py* p = args.find(SIZE_MAX, "dtype");
  if (!p || !p->value() || !p->value()->is_int()) return otherwise;
  for (int d = 0; d < kNumDTypes; ++d) {
    if (row_of(static_cast<DType>(d)).aten_code == p->value()->as_int())
      return static_cast<DType>(d);
  }
  return otherwise;
}

}  // namespace

Py Elaborator::range(const PyArgs& args, const Expr& e) {
  int64_t part[3] = {0, 0, 1};
  size_t n = args.positional.size();
  if (n < 1 || n > 3) wrong(e, "range takes 1 to 3 arguments");
  for (size_t i = 0; i < n; ++i) part[n == 1 ? 1 : i] = integer(args.positional[i], e);
  if (part[2] == 0) wrong(e, "range's step is not zero");
  std::vector<Py> items;
  for (int64_t i = part[0]; part[2] > 0 ? i < part[1] : i > part[1]; i += part[2]) {
    if (++list_items_ > kMaxRange)
      wrong(e, fmt::format("the constructor makes more than {} items", kMaxRange));
    items.emplace_back(IValue(i));
  }
  return sequence(std::move(items));
}

std::optional<Py> Elaborator::sequence_builtin(const std::string& name, const PyArgs& args,
                                               const Expr& e) {
  if (name == "range") return range(args, e);
  if (name == "OrderedDict" || name == "dict") {
    auto dict = std::make_shared<PyDict>();
    const Py* from = args.positional.empty() ? nullptr : &args.positional[0];
    if (from && from->dict()) dict->items = from->dict()->items;
    else if (from)
      for (Py& item : iterate(*from, e)) {
        std::vector<Py> kv = iterate(item, e);
        if (kv.size() != 2) wrong(e, "a dict is made of pairs");
        dict->items.emplace_back(value_of(kv[0], e), kv[1]);
      }
    for (const auto& [key, value] : args.keywords)
      dict->items.emplace_back(IValue::str(key), value);
    return dict;
  }
  if (name == "slice" && !args.positional.empty() && args.positional.size() <= 3) {
    std::vector<Py> parts(3, Py(IValue()));
    for (size_t i = 0; i < args.positional.size(); ++i)
      parts[args.positional.size() == 1 ? 1 : i] = args.positional[i];
    auto out = sequence(std::move(parts), false);
    out->slice = true;
    return out;
  }
  bool makes = name == "list" || name == "tuple";
  if (makes && args.positional.empty()) return sequence({}, name == "list");
  if (args.positional.empty()) return std::nullopt;
  if (name == "zip") {
    std::vector<std::vector<Py>> columns;
    size_t count = SIZE_MAX;
    for (const Py& p : args.positional) {
      columns.push_back(iterate(p, e));
      count = std::min(count, columns.back().size());
    }
    std::vector<Py> rows;
    for (size_t i = 0; i < count; ++i) {
      std::vector<Py> row;
      for (auto& c : columns) row.push_back(c[i]);
      rows.emplace_back(sequence(std::move(row), false));
    }
    return sequence(std::move(rows));
  }
  if (!makes && name != "enumerate" && name != "reversed" && name != "len" && name != "sum")
    return std::nullopt;
  if (name == "len" && !args.positional[0].seq() && !args.positional[0].dict() &&
      !args.positional[0].instance())
    return std::nullopt;
  std::vector<Py> items = iterate(args.positional[0], e);
  if (makes) return sequence(std::move(items), name == "list");
  if (name == "len") return Py(IValue(static_cast<int64_t>(items.size())));
  if (name == "reversed") {
    std::reverse(items.begin(), items.end());
    return sequence(std::move(items));
  }
  if (name == "sum") {
    Py total(IValue(0));
    for (Py& item : items) total = binary_of("+", total, item, e);
    return total;
  }
  int64_t first = args.positional.size() > 1 ? integer(args.positional[1], e) : 0;
  for (Py& item : items) item = pair_of(Py(IValue(first++)), item);
  return sequence(std::move(items));
}

bool Elaborator::is_instance(const Py& value, const Py& type, const Expr& e) {
  if (type.seq()) {
    return std::any_of(type.seq()->items.begin(), type.seq()->items.end(),
                       [&](const Py& t) { return is_instance(value, t, e); });
  }
  PyRef* ref = type.ref();
  if (!ref) wrong(e, "isinstance takes a value and a class");
  if (ref->cls) {
    if (!value.instance()) return false;
    for (const ClassPlace& p : program_.ancestry(value.instance()->place)) {
      if (p.syntax == ref->cls.syntax) return true;
    }
    return false;
  }
  const IValue* v = value.value();
  const std::string& name = ref->path;
  if (name == "int" || name == "numbers.Integral") return v && (v->is_int() || v->is_bool());
  if (name == "float") return v && v->is_float();
  if (name == "numbers.Number" || name == "numbers.Real") return v && v->is_number();
  if (name == "bool") return v && v->is_bool();
  if (name == "str") return value.is_str();
  if (name == "list") return value.seq() && value.seq()->list;
  if (name == "tuple") return value.seq() && !value.seq()->list;
  if (name == "dict") return value.dict() != nullptr;
  if (name == "torch.Tensor") return value.is_tensor();
  if (name == "torch.nn.Module") return value.instance() && value.instance()->module;
  if (name == "torch.nn.Parameter") return value.parameter;
  wrong(e, fmt::format("isinstance with '{}' is not supported in a constructor", name));
}

// type(value): what isinstance and '==' know by its name.
Py Elaborator::type_of(const Py& value, const Expr& e) {
  auto ref = std::make_shared<PyRef>();
  if (Instance* self = value.instance()) {
    ref->cls = self->place;
    return ref;
  }
  if (value.parameter) ref->path = "torch.nn.Parameter";
  for (const char* name :
       {"bool", "int", "float", "str", "list", "tuple", "dict", "torch.Tensor"}) {
    auto named = std::make_shared<PyRef>();
    named->path = name;
    if (ref->path.empty() && is_instance(value, Py(named), e)) ref = named;
  }
  if (ref->path.empty()) wrong(e, "the type of this value has no name in a constructor");
  return ref;
}

std::optional<Py> Elaborator::builtin(const std::string& name, const PyArgs& args, const Expr& e) {
  if (name == "print") return Py(IValue());
  if (std::optional<Py> out = sequence_builtin(name, args, e)) return out;
  if (name == "super") wrong(e, "super() is used as super().f(...)");
  size_t n = args.positional.size();
  if (name == "isinstance" && n == 2)
    return Py(IValue(is_instance(args.positional[0], args.positional[1], e)));
  if (name == "type" && n == 1) return type_of(args.positional[0], e);
  PyRef* module = name == "getattr" && n == 2 && args.positional[1].is_str()
                      ? args.positional[0].ref()
                      : nullptr;
  if (module && !module->cls && !module->function)
    return at_path(module->path + "." + args.positional[1].value()->as_str());
  bool by_name = n >= 2 && args.positional[0].instance() && args.positional[1].is_str();
  if (by_name && (name == "getattr" || name == "hasattr" || name == "setattr")) {
    Instance& self = *args.positional[0].instance();
    const std::string& attr = args.positional[1].value()->as_str();
    bool has = self.find(attr) || program_.find_method(self.place, attr);
    if (name == "hasattr") return Py(IValue(has));
    if (name == "getattr")
      return !has && n == 3 ? args.positional[2] : get_attr(self, args.positional[0], attr, e);
    if (n == 3) set_attr(self, attr, args.positional[2], e);
    return Py(IValue());
  }
  if (n == 1 && name == "str") {
    if (args.positional[0].is_str()) return args.positional[0];
    if (args.positional[0].value()) return Py(IValue::str(describe(*args.positional[0].value())));
  }
  if (n == 1 && name == "bool") return Py(IValue(truth(args.positional[0], e)));
  if (name == "min" || name == "max") {
    std::vector<Py> items = n == 1 ? iterate(args.positional[0], e) : args.positional;
    if (items.empty()) wrong(e, fmt::format("{} of nothing", name));
    Py best = items[0];
    for (const Py& item : items) {
      if (compare_pair(name == "min" ? "<" : ">", item, best, e)) best = item;
    }
    return best;
  }
  if (!e.kids[0]->is(ExprKind::Name)) return std::nullopt;
  std::vector<const Py*> operands;
  for (const Py& p : args.positional) operands.push_back(&p);
  return operate(e, operands, 1);
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

// torch.zeros and its kind: sizes as ints or as one sequence.
Tensor Elaborator::make_tensor(const std::string& what, const PyArgs& args, const Expr& e) {
  std::vector<Py> sizes = args.positional;
  if (const Py* size = args.find(SIZE_MAX, "size")) sizes = {*size};
  if (sizes.size() == 1 && sizes[0].seq()) sizes = sizes[0].seq()->items;
  Dims dims;
  int64_t numel = 1;
  for (const Py& s : sizes) {
    dims.push_back(integer(s, e));
    if (dims[dims.rank() - 1] < 0) wrong(e, "a size is not negative");
    if (__builtin_mul_overflow(numel, dims[dims.rank() - 1], &numel))
      wrong(e, "a tensor of too many elements");
  }
  charge(numel, e);
  Tensor t = Tensor::zeros(dims, dtype_of(args, DType::F32));
  if (what == "ones")
    for (int64_t i = 0; i < numel; ++i) set_element(t, i, 1);
  if (what == "rand") fill(t, false, 0, 1);
  if (what == "randn") fill(t, true, 0, 1);
  return t;
}

// torch.tensor(nested lists of numbers)
Tensor Elaborator::tensor_from(const Py& data, const PyArgs& args, const Expr& e) {
  Dims dims;
  std::vector<IValue> numbers;
  bool real = false, whole = false;
  std::function<void(const Py&, int)> walk = [&](const Py& p, int depth) {
    if (PySeq* seq = p.seq()) {
      int64_t count = static_cast<int64_t>(seq->items.size());
      if (depth == dims.rank() && numbers.empty()) dims.push_back(count);
      else if (depth >= dims.rank() || dims[depth] != count)
        wrong(e, "the lists are of different lengths");
      for (const Py& item : seq->items) walk(item, depth + 1);
      return;
    }
    IValue v = value_of(p, e);
    if (v.is_tensor() && v.as_tensor().numel() == 1) {
      Tensor t = v.as_tensor();
      v = is_float(t.dtype()) ? IValue(element_as_double(t, 0)) : IValue(element_as_int(t, 0));
    }
    if (!v.is_number() || depth != dims.rank())
      wrong(e, "torch.tensor takes numbers in lists of equal lengths");
    real = real || v.is_float();
    whole = whole || v.is_int();
    numbers.push_back(v);
  };
  if (data.is_tensor()) return contiguous(data.value()->as_tensor(), true);
  walk(data, 0);
  DType guess = real || numbers.empty() ? DType::F32 : whole ? DType::I64 : DType::Bool;
  Tensor t = Tensor::zeros(dims, dtype_of(args, guess));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (is_float(t.dtype())) set_element(t, static_cast<int64_t>(i), numbers[i].as_double());
    else set_element_int(t, static_cast<int64_t>(i), numbers[i].as_int());
  }
  return t;
}

std::optional<Py> Elaborator::native(const std::string& path, const PyArgs& args, const Expr& e) {
  if (path == "collections.OrderedDict" || path == "typing.OrderedDict")
    return sequence_builtin("OrderedDict", args, e);
  if (path == "torch.nn.Parameter" || path == "torch.nn.parameter.Parameter") {
    const Py* data = args.find(0, "data");
    if (!data || !data->is_tensor()) wrong(e, "nn.Parameter takes a tensor");
    Tensor t = data->value()->as_tensor();
    Py out(IValue(Tensor::view_of(t, t.offset(), t.sizes(), t.strides())));
    out.parameter = true;
    if (const Py* wanted = args.find(1, "requires_grad")) want_gradient(out, truth(*wanted, e));
    return out;
  }
  if (path == "functools.partial") return partial(args, e);
  if (machine_answer(path)) return Py(IValue(false));  // nor is a constructor scripted
  if (path == "torch.finfo" || path == "torch.iinfo") {
    auto limits = std::make_shared<PyRef>();
    limits->path = path;
    limits->given = args;
    return Py(limits);
  }
  if (path == kModuleInit) {
    Instance* self = args.positional.empty() ? nullptr : args.positional[0].instance();
    if (!self || !self->module) wrong(e, "Module.__init__ takes the module");
    base_init(*self, {{args.positional.begin() + 1, args.positional.end()}, args.keywords}, e);
    return Py(IValue());
  }
  if (path == "torch.nn.Module") {
    wrong(e, "nn.Module itself has no forward: make a subclass");
  }
  for (const char* what : {"zeros", "ones", "rand", "randn", "empty", "Tensor", "FloatTensor"}) {
    if (path != std::string("torch.") + what) continue;
    bool data = std::string_view(what).find("Tensor") != std::string_view::npos &&
                args.positional.size() == 1 && args.positional[0].seq();
    return Py(IValue(data ? to_dtype(tensor_from(args.positional[0], args, e), DType::F32)
                          : make_tensor(what, args, e)));
  }
  if (path == "torch.tensor" || path == "torch.as_tensor") {
    const Py* data = args.find(0, "data");
    if (!data) wrong(e, "torch.tensor takes data");
    return Py(IValue(tensor_from(*data, args, e)));
  }
  if (path == "torch.manual_seed" || path == "torch.set_grad_enabled" || path == "torch.no_grad")
    return Py(IValue());
  if (path == "torch.get_default_dtype") return Py(IValue());
  if (path == "torch.device") {
    const Py* type = args.find(0, "type");
    if (!type || !type->is_str()) wrong(e, "torch.device takes the name of a device");
    const Py* index = args.find(1, "index");
    std::string name =
        type->value()->as_str() + (index ? fmt::format(":{}", integer(*index, e)) : "");
    std::optional<Device> device = find_device(name);
    if (!device) wrong(e, no_device_text(name));
    return Py(IValue(*device));
  }
  Instance* plain =
      path == "copy.copy" && args.positional.size() == 1 ? args.positional[0].instance() : nullptr;
  if (plain && !plain->module) return Py(std::make_shared<Instance>(*plain));
  if (path == "torch.jit.script" || path == "torch.jit.script_if_tracing" ||
      path == "copy.deepcopy") {
    if (args.positional.size() == 1 && path != "copy.deepcopy") return args.positional[0];
    if (args.positional.size() == 1) return deep_copy(args.positional[0]);
  }
  return std::nullopt;
}

Py Elaborator::partial(const PyArgs& args, const Expr& e) {
  if (args.positional.empty() || !args.positional[0].ref())
    wrong(e, "partial takes a class or a function, then arguments");
  auto out = std::make_shared<PyRef>(*args.positional[0].ref());
  PyArgs more = args;
  more.positional.erase(more.positional.begin());
  out->given = together(out->given, more);
  return out;
}

Py Elaborator::deep_copy(const Py& of) {
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

}  // namespace fusillade::front
