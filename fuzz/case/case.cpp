// Cases in memory: copies that keep aliasing, and the printed form.
#include "fuzz/case/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "engine/front/module.h"
#include "engine/ir/literal.h"
#include "fuzz/case/label.h"
#include "fuzz/case/packed.h"
#include "fuzz/case/training.h"

namespace fusillade::fuzz {
namespace {

using Copied = std::map<const Storage*, Ref<Storage>>;

Tensor copy_tensor(const Tensor& t, Copied& copied) {
  Ref<Storage>& storage = copied[t.storage()];
  if (!storage) {
    storage = Storage::allocate(t.storage()->bytes(), t.device());
    std::memcpy(storage->data(), t.storage()->data(), t.storage()->bytes());
  }
  auto* impl = new TensorImpl;
  impl->storage = storage;
  impl->offset = t.offset();
  impl->sizes = t.sizes();
  impl->strides = t.strides();
  impl->dtype = t.dtype();
  impl->device = t.device();
  return Tensor::from_impl(impl);
}

IValue copy_value(const IValue& v, Copied& copied) {
  if (v.is_tensor()) return copy_tensor(v.as_tensor(), copied);
  if (v.tag() == IValue::Tag::Dict) {
    IValue out = IValue::dict(v.as_dict().key, v.as_dict().value);
    for (const auto& [key, value] : v.as_dict().items()) {
      out.as_dict().set(copy_value(key, copied), copy_value(value, copied));
    }
    return out;
  }
  if (v.tag() == IValue::Tag::Object) {
    IValue out = IValue::object(v.as_object().cls);
    for (size_t i = 0; i < out.as_object().slots.size(); ++i) {
      out.as_object().slots[i] = copy_value(v.as_object().slots[i], copied);
    }
    return out;
  }
  if (!v.is_sequence()) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(copy_value(item, copied));
  if (v.tag() == IValue::Tag::Tuple) return IValue::named_tuple(std::move(items), v.seq()->element);
  return IValue::list(std::move(items), v.seq()->element);
}

constexpr int64_t kMostListed = 1024;

// Does a NaN of it carry more than its sign, which text says?
bool has_payload(const Tensor& t) {
  if (!is_float(t.dtype())) return false;
  const Tensor whole = contiguous(t);
  const size_t size = size_of(t.dtype());
  const int mantissa = t.dtype() == DType::F64    ? 52
                       : t.dtype() == DType::F32  ? 23
                       : t.dtype() == DType::BF16 ? 7
                                                  : 10;
  const uint64_t quiet = uint64_t{1} << (mantissa - 1);
  for (int64_t i = 0; i < t.numel(); ++i) {
    if (!std::isnan(element_as_double(whole, i))) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, whole.raw() + static_cast<size_t>(i) * size, size);
    if ((bits & (2 * quiet - 1)) != quiet) return true;
  }
  return false;
}

std::string element_text(double v) {
  return std::isnan(v) && std::signbit(v) ? "-nan" : hexadecimal_float_text(v);
}

std::string elements(const Tensor& t) {
  std::string out = "{";
  int64_t n = t.numel();
  for (int64_t i = 0; i < n; ++i) {
    if (i) out += ", ";
    if (is_float(t.dtype())) out += element_text(element_as_double(t, i));
    else fmt::format_to(std::back_inserter(out), "{}", element_as_int(t, i));
  }
  return out + "}";
}

std::string header(const Tensor& t) {
  return std::string(name_of(t.dtype())) + to_string(t.sizes());
}

void collect(const IValue& v, std::map<const Storage*, int>& users) {
  if (v.is_tensor()) ++users[v.as_tensor().storage()];
  if (v.tag() == IValue::Tag::Dict)
    for (const auto& [key, mapped] : v.as_dict().items()) collect(mapped, users);
  if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return;
  for (const IValue& item : v.items()) collect(item, users);
}

// Whether the address of its first element shows that it lies within a larger tensor: the start of
// a storage is aligned, and kernels may ask for that.
bool begins_unaligned(const Tensor& t) {
  return t.numel() > 0 && t.offset() * size_of(t.dtype()) % Storage::kRedZone != 0;
}

// Prints one call. Storage with several users is written once, as a base of its own, and so is that
// of a tensor which begins where none of its own would.
class CallPrinter {
 public:
  CallPrinter(const Case& c, const Call& call, bool packs, std::string& out)
      : self_(c.self), packs_(packs), out_(out) {
    const Graph& graph = *c.program;
    for (size_t i = 0; i < graph.inputs().size(); ++i) taken_.insert(input_label(graph, i));
    std::map<const Storage*, int> users;
    for (const IValue& v : call.inputs) collect(v, users);
    for (const IValue& v : call.inputs) find_bases(v, users);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      out_ += "    " + input_label(graph, i) + " = " + value(call.inputs[i]) + "\n";
    }
  }

  bool has_packed() const { return packed_; }

 private:
  std::string elements_of(const Tensor& t) {
    if (!packs_ || (t.numel() <= kMostListed && !has_payload(t))) return elements(t);
    packed_ = true;
    return "zlib {" + pack_elements(t) + "}";
  }

  void find_bases(const IValue& v, const std::map<const Storage*, int>& users) {
    if (v.is_tensor()) {
      Tensor t = v.as_tensor();
      if ((users.at(t.storage()) < 2 && !begins_unaligned(t)) || bases_.count(t.storage())) return;
      Tensor whole = Tensor::from_impl(
          new TensorImpl{{}, t.storage_ref(), 0, {}, {}, t.dtype(), t.device(), {}});
      int64_t n = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
      Tensor base = Tensor::view_of(whole, 0, {n}, {1});
      std::string name = fresh_name();
      out_ += "    " + name + " = " + header(base) + " " + elements_of(base) + "\n";
      bases_[t.storage()] = name;
      return;
    }
    if (v.tag() == IValue::Tag::Dict)
      for (const auto& [key, mapped] : v.as_dict().items()) find_bases(mapped, users);
    if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return;
    for (const IValue& item : v.items()) find_bases(item, users);
  }

  // "base0", "base1", ... but for what inputs are called.
  std::string fresh_name() {
    std::string name;
    do name = fmt::format("base{}", next_base_++);
    while (taken_.count(name));
    return name;
  }

  std::string tensor(const Tensor& t) {
    // The stride of a dimension of one element is part of the type, so it is kept.
    std::string strides =
        t.strides() == contiguous_strides(t.sizes()) ? "" : " strides=" + to_string(t.strides());
    auto it = bases_.find(t.storage());
    if (it == bases_.end()) return header(t) + strides + " " + elements_of(t);
    return fmt::format("view of {} offset={} {} strides={}", it->second, t.offset(), header(t),
                       to_string(t.strides()));
  }

  std::string value(const IValue& v) {
    if (v.is_tensor()) return tensor(v.as_tensor());
    if (v.is_float()) return hexadecimal_float_text(v.as_double());
    if (v.is_bool()) return v.as_bool() ? "True" : "False";
    if (v.tag() == IValue::Tag::Object) {
      const std::string& name = v.as_object().cls->name;
      return name.substr(name.rfind('.') + 1) + "()" + mode_text(self_, v);
    }
    std::string out;
    if (v.tag() == IValue::Tag::Dict) {
      for (const auto& [key, mapped] : v.as_dict().items())
        out += (out.empty() ? "" : ", ") + value(key) + ": " + value(mapped);
      return "{" + out + "}";
    }
    bool list = v.tag() == IValue::Tag::List;
    if (!list && v.tag() != IValue::Tag::Tuple) return print_literal(v);
    out = list ? "[" : "(";
    for (size_t i = 0; i < v.items().size(); ++i) out += (i ? ", " : "") + value(v.items()[i]);
    return out + (list ? "]" : ")");
  }

  const IValue& self_;
  const bool packs_;
  bool packed_ = false;
  std::string& out_;
  std::map<const Storage*, std::string> bases_;
  std::set<std::string> taken_;
  int next_base_ = 0;
};

void field(std::string& out, const char* key, const std::string& value) {
  if (!value.empty()) out += fmt::format("{}: {}\n", key, visible_line(value));
}

}  // namespace

std::string input_label(const Graph& graph, size_t i) {
  const std::string& name = graph.inputs()[i]->name();
  return name.empty() ? fmt::format("input{}", i) : name;
}

Call copy_call(const Call& call) {
  Copied copied;
  Call out;
  out.inputs.reserve(call.inputs.size());
  for (const IValue& v : call.inputs) out.inputs.push_back(copy_value(v, copied));
  return out;
}

bool has_form(const Case& c, Form form) {
  bool plain =
      c.script.find("torch") == std::string::npos && c.script.find("Tensor") == std::string::npos;
  if (form == Form::PlainScript) return !c.script.empty() && plain && !c.python;
  return form == Form::Any || (form == Form::Script) == !c.script.empty();
}

namespace {

// Types in quotes, as Python takes them, without the quotes.
std::string without_quotes(std::string parameters) {
  for (size_t at = 0; (at = parameters.find(": \"", at)) != std::string::npos;) {
    const size_t end = parameters.find('"', at + 3);
    if (end == std::string::npos) break;
    parameters.erase(end, 1);
    parameters.erase(at += 2, 1);
  }
  return parameters;
}

// What the last function of a text of whole Python takes, as a program that computes nothing.
std::unique_ptr<Graph> inputs_of_python(const std::string& text, const std::string& file) {
  const size_t last = text.rfind("\ndef ");
  if (last == std::string::npos && !text.starts_with("def "))
    fail("{}: the text defines no function", file);
  const size_t at = last == std::string::npos ? 0 : last + 1;
  const size_t close = text.find(')', at), end = text.find('\n', at);
  if (close >= end) fail("{}: the parameters of the last function stand in one line", file);
  const Script stub = compile_script(
      "from typing import Dict, List, Optional, Tuple\nimport torch\nfrom torch import Tensor\n" +
          without_quotes(text.substr(at, close + 1 - at)) + ":\n    return 0\n",
      file);
  if (!stub.failed.empty()) throw Error(stub.errors());
  return stub.functions.back()->clone();
}

}  // namespace

void set_script(Case& c, const std::string& text, const std::string& file, size_t line) {
  const IValue before = c.self;
  c.script = text;
  c.refused.clear();
  c.self = IValue();
  try {
    if (c.python) {
      c.program = inputs_of_python(text, file);
      return;
    }
    Script script = compile_script(std::string(line - 1, '\n') + text, file);
    if (!script.failed.empty()) throw Error(script.errors());
    size_t last_class = c.script.rfind("\nclass ");
    size_t last_function = c.script.rfind("\ndef ");
    std::vector<std::string> modules = module_names(script);
    bool module = last_class != std::string::npos && !modules.empty() &&
                  (last_function == std::string::npos || last_function < last_class);
    if (module) {
      Module net = instantiate(script, modules.back() + "()");
      c.self = net.self;
      c.program = method_of(script, net, "forward").graph->clone();
    } else {
      if (script.functions.empty()) fail("{}:{}: the script defines no function", file, line);
      c.program = script.functions.back()->clone();
    }
    for (Call& call : c.calls) {
      if (!module || call.inputs.empty()) continue;
      const std::string mode = mode_text(before, call.inputs[0]);
      const bool kept = !mode.empty() && has_training(c.self);
      call.inputs[0] = kept ? in_mode(c.self, mode == ".train()") : c.self;
    }
  } catch (const Exception& e) {
    c.refused = e.what();
    c.program = std::make_unique<Graph>();
  }
}

Case Case::clone() const {
  Case c;
  c.oracle = oracle;
  c.verdict = verdict;
  c.plans = plans;
  c.blame = blame;
  c.origin = origin;
  c.notes = notes;
  c.script = script;
  c.python = python;
  c.plain = plain;
  c.refused = refused;
  c.self = self;
  if (program) c.program = program->clone();
  for (const Call& call : calls) c.calls.push_back(copy_call(call));
  return c;
}

static std::string print_case(const Case& c, bool packs) {
  const bool modes = std::ranges::any_of(c.calls, [&](const Call& call) {
    return !c.self.is_none() && !call.inputs.empty() && !mode_text(c.self, call.inputs[0]).empty();
  });
  std::string calls;
  bool packed = false;
  for (const Call& call : c.calls) {
    calls += "call:\n";
    packed = CallPrinter(c, call, packs, calls).has_packed() || packed;
  }
  const int of_script = modes ? 3 : 2;
  const int version = c.plain ? 6 : c.python ? 5 : packed ? 4 : c.script.empty() ? 1 : of_script;
  std::string out = fmt::format("fusillade case {}\n", version);
  field(out, "oracle", c.oracle);
  field(out, "verdict", c.verdict);
  for (const Plan& p : c.plans) field(out, "plan", p.text);
  field(out, "blame", c.blame);
  field(out, "origin", c.origin);
  for (const std::string& n : c.notes) field(out, "note", n);
  out += c.script.empty() ? "program:\n"
         : c.plain        ? "plain python:\n"
         : c.python       ? "python:\n"
                          : "script:\n";
  std::string text = c.script.empty() ? print(*c.program) : c.script;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out += end == at ? "\n" : "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out + calls + "end\n";
}

std::string print(const Case& c) { return print_case(c, true); }
std::string print_unpacked(const Case& c) { return print_case(c, false); }

Case read_case(const std::string& path) { return parse_case(read_text_file(path), path); }

}  // namespace fusillade::fuzz
