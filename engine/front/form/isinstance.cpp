// isinstance, torch.jit.isinstance and type.
#include <algorithm>

#include "engine/front/emit_condition.h"
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

struct Named {
  std::string_view name;
  bool (*has)(const Py&);
};

bool is_real(const Py& p) { return p.value() && p.value()->is_float(); }
bool is_truth(const Py& p) { return p.value() && p.value()->is_bool(); }
bool is_whole(const Py& p) { return p.value() && (p.value()->is_int() || p.value()->is_bool()); }
bool is_number(const Py& p) { return p.value() && p.value()->is_number(); }

// What isinstance asks by name; type() gives the first that fits.
constexpr Named kNamed[] = {
    {"torch.nn.Parameter", [](const Py& p) { return p.parameter; }},
    {"bool", &is_truth},
    {"int", &is_whole},
    {"float", &is_real},
    {"str", [](const Py& p) { return p.is_str(); }},
    {"list", [](const Py& p) { return p.seq() && p.seq()->list; }},
    {"tuple", [](const Py& p) { return p.seq() && !p.seq()->list; }},
    {"dict", [](const Py& p) { return p.dict() != nullptr; }},
    {"torch.Tensor", [](const Py& p) { return p.is_tensor(); }},
    {"torch.nn.Module", [](const Py& p) { return p.instance() && p.instance()->module; }},
    {"numbers.Integral", &is_whole},
    {"numbers.Number", &is_number},
    {"numbers.Real", &is_number}};

bool is_instance(Elaborator& in, const Py& value, const Py& type, const Expr& e) {
  if (type.seq()) {
    return std::any_of(type.seq()->items.begin(), type.seq()->items.end(),
                       [&](const Py& t) { return is_instance(in, value, t, e); });
  }
  PyRef* ref = type.ref();
  if (!ref) in.wrong(e, "isinstance takes a value and a class");
  if (ref->cls) {
    if (!value.instance()) return false;
    for (const ClassPlace& p : in.program().ancestry(value.instance()->place)) {
      if (p.syntax == ref->cls.syntax) return true;
    }
    return false;
  }
  const auto known = std::ranges::find(kNamed, ref->path, &Named::name);
  if (known != std::end(kNamed)) return known->has(value);
  in.wrong(e, fmt::format("isinstance with '{}' is not supported in a constructor", ref->path));
}

Value* test_type(Emitter& to, const FormCall& call) { return to.conditions().is_instance(call.e); }

std::optional<bool> known_type(Emitter& to, const Expr& e) {
  return to.conditions().static_type_test(e);
}

std::optional<Py> value_test(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.size() != 2) return std::nullopt;
  return Py(IValue(is_instance(in, args.positional[0], args.positional[1], e)));
}

// type(value): what isinstance and '==' know by its name.
std::optional<Py> type_of(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.size() != 1) return std::nullopt;
  const Py& value = args.positional[0];
  auto ref = std::make_shared<PyRef>();
  if (Instance* self = value.instance()) {
    ref->cls = self->place;
    return ref;
  }
  const auto known = std::ranges::find_if(kNamed, [&](const Named& n) { return n.has(value); });
  if (known == std::end(kNamed)) in.wrong(e, "the type of this value has no name in a constructor");
  ref->path = known->name;
  return ref;
}

const bool kIsInstance =
    add_form({"isinstance"}, {.emit = &test_type, .evaluate = &value_test, .decide = &known_type});
const bool kJitIsInstance =
    add_form({"torch.jit.isinstance"}, {.emit = &test_type, .decide = &known_type});
const bool kType = add_form({"type"}, {.evaluate = &type_of, .instead = "use isinstance"});

}  // namespace
}  // namespace fusillade::front
