// See source_form.h.
#include "fuzz/run/foreign/source_form.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engine/base/error.h"
#include "engine/ops/class_type.h"
#include "fuzz/run/foreign/engine.h"
#include "fuzz/run/guarded.h"
#include "fuzz/run/python/admission.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

// Tensors and modes of a module and of those within it, by their paths.
void add_state(const IValue& module, const std::string& path, std::vector<std::string>& names,
               std::vector<IValue>& values) {
  const ObjectBox& object = module.as_object();
  for (size_t i = 0; i < object.slots.size(); ++i) {
    const std::string& field = object.cls->fields[i].name;
    const IValue& v = object.slots[i];
    if (v.tag() == IValue::Tag::Object) add_state(v, path + field + ".", names, values);
    if (!v.is_tensor() && !(v.is_bool() && field == "training")) continue;
    names.push_back(path + field);
    values.push_back(v);
  }
}

IValue state_of(const IValue& module, std::vector<std::string>* names = nullptr) {
  std::vector<std::string> paths;
  std::vector<IValue> values;
  add_state(module, "", paths, values);
  if (names) *names = paths;
  return IValue::list(std::move(values), TypeKind::Any);
}

IValue as_source_tells_value(const IValue& v) {
  if (v.tag() == IValue::Tag::Object) return state_of(v);
  if (v.tag() == IValue::Tag::Enum)
    return IValue::tuple({IValue::str("enum"), IValue::str(v.as_enum().name())});
  if (v.is_device())
    return IValue::tuple({IValue::str("device"), IValue::str(to_string(v.as_device()))});
  if (v.tag() == IValue::Tag::Dict) {
    std::vector<IValue> items = {IValue::str("dict")};
    for (const auto& [key, value] : v.as_dict().items())
      items.push_back(IValue::tuple({as_source_tells_value(key), as_source_tells_value(value)}));
    return IValue::tuple(std::move(items));
  }
  if (!v.is_sequence()) return v;
  std::vector<IValue> items = as_source_tells(v.items());
  if (v.tag() == IValue::Tag::Tuple) return IValue::tuple(std::move(items));
  return IValue::list(std::move(items), TypeKind::Any);
}

ForeignProgram program_of(const Case& c) {
  static std::atomic<uint64_t> number = 0;
  if (!c.refused.empty()) decline("the front end refuses the script");
  if (std::string why = c.python ? "" : why_not_for_python(c.script); !why.empty())
    decline("{}", why);
  json source = {{"text", c.script}, {"entry", entry_of(c)}};
  if (c.plain) source["plain"] = true;
  if (c.plain && are_texts_trusted()) source["trusted"] = true;
  if (!c.self.is_none()) {
    std::vector<std::string> names;
    state_of(c.self, &names);
    source["state"] = names;
  }
  const std::string id = fmt::format("{}.s{}", getpid(), ++number);
  return {id,
          json{{"programs", json::array({{{"id", id}, {"source", source}}})}}.dump(
              -1, ' ', true, json::error_handler_t::replace),
          true};
}

constexpr const char* kRoles[] = {"", "again", "exact", "changed", "shaken"};

Tensor narrow(const Tensor& t, int64_t size) {
  Dims sizes = t.sizes();
  for (int d = 0; d < sizes.rank(); ++d)
    if (sizes[d] == size) sizes[d] = size - 1;
  return Tensor::view_of(t, t.offset(), sizes, t.strides());
}

// Of what may be indices, the last row of `size` becomes the one before: it is there no more.
Tensor keep_indices(const Tensor& t, int64_t size) {
  if (!is_int(t.dtype())) return t;
  for (int64_t i = 0; i < t.numel(); ++i) {
    const int64_t element = element_as_int(t, i);
    if (element == size - 1) set_element_int(t, i, element - 1);
    if (element == -size) set_element_int(t, i, element + 1);
  }
  return t;
}

IValue alter(const IValue& v, int64_t size) {
  if (v.is_tensor()) return keep_indices(narrow(v.as_tensor(), size), size);
  if (v.is_int()) return v.as_int() == 7 ? 2 : v.as_int() + 1;
  if (v.is_float()) return v.as_double() + 0.5;
  if (v.is_bool()) return !v.as_bool();
  return v;
}

}  // namespace

std::string entry_of(const Case& c) {
  const char* const head = c.self.is_none() ? "def " : "class ";
  const size_t last = c.script.rfind(std::string("\n") + head);
  const size_t at = (last == std::string::npos ? 0 : last + 1) + std::strlen(head);
  return c.script.substr(at, c.script.find_first_of("(: \n", at) - at);
}

Call other_call(const Call& call) {
  int64_t size = -1;
  for (const IValue& v : call.inputs) {
    if (!v.is_tensor() || size >= 0) continue;
    for (int64_t n : v.as_tensor().sizes()) size = std::max(size, n > 2 ? n : -1);
  }
  Call out = copy_call(call);
  for (IValue& v : out.inputs) v = alter(v, size);
  return out;
}

std::vector<IValue> as_source_tells(const std::vector<IValue>& values) {
  std::vector<IValue> out;
  for (const IValue& v : values) out.push_back(as_source_tells_value(v));
  return out;
}

IValue as_one_result(const std::vector<IValue>& outputs) {
  return outputs.size() == 1 ? as_source_tells_value(outputs[0])
                             : IValue::tuple(as_source_tells(outputs));
}

SourceProgram::SourceProgram(const Case& c, const Plan& plan, Asked asked)
    : case_(c), plan_(plan), family_(family_of(plan.engine)), engine_(name_in_family(plan.engine)) {
  failure_ = run_guarded([&](Outcome&) {
    ForeignWorker& worker = ForeignWorker::of(family_);
    if (!worker.takes_source()) decline("its worker takes no source");
    worker.require(engine_);
    options_ = options_of(plan);
    program_ = program_of(c);
    if (asked == Asked::Gradients) engine_ = "grad:" + engine_;
  });
}

SourceProgram::~SourceProgram() {
  if (!program_.id.empty()) ForeignWorker::forget(family_, program_.id);
}

SourceOutcome SourceProgram::run(const Call& call, Role role) const {
  SourceOutcome out;
  if (failure_.kind != Outcome::Kind::Values) {
    static_cast<Outcome&>(out) = failure_;
    return out;
  }
  Call copy = copy_call(call);
  if (!case_.self.is_none() && !copy.inputs.empty()) copy.inputs[0] = state_of(copy.inputs[0]);
  ForeignWorker& worker = ForeignWorker::of(family_);
  bool asked = false;
  static_cast<Outcome&>(out) = run_guarded([&](Outcome& o) {
    asked = true;
    json options = options_;
    if (role != Role::First) options["role"] = kRoles[static_cast<size_t>(role)];
    o.outputs = worker.run(program_, engine_, copy.inputs, options);
  });
  const bool answered = out.kind == Outcome::Kind::Values || out.kind == Outcome::Kind::Error;
  if (asked && answered) {
    out.printed = worker.output_text();
    out.for_result = worker.raised_for_result();
  }
  out.inputs = copy.inputs;
  return out;
}

}  // namespace fusillade::fuzz
