// See differentiable.h. Integers, flags and lists of them are distinguished by value, for sizes and
// branches follow from them; floats are not.
#include "engine/run/differentiable.h"

#include <algorithm>

#include "engine/base/event.h"
#include "engine/base/log.h"
#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/ir/interpret.h"
#include "engine/ir/literal.h"
#include "engine/passes/whole_function.h"
#include "engine/run/derivations.h"
#include "engine/run/group_step.h"

namespace fusillade {
namespace {

Probe probe_derived("autodiff/derived");
Probe probe_declined("autodiff/declined");
Probe probe_recorded("autodiff/recorded");
Probe probe_by_operators("autodiff/by-operators");
Probe probe_plain("autodiff/plain");

constexpr const char* kGroups = "groups";  // of a whole function: the pass that makes its groups

const std::string* text_of(const Node& node, const char* name) {
  const Attribute* a = node.attr(name);
  return a ? &std::get<IValue>(*a).as_str() : nullptr;
}

Keeps keeps_of(const Node& node) {
  const std::string* text = text_of(node, "keeps");
  if (!text || (*text != "mincut" && *text != "save"))
    fail("{}: keeps is mincut or save{}", node.op().name, text ? ", not '" + *text + "'" : "");
  return *text == "save" ? Keeps::Save : Keeps::MinCut;
}

std::vector<PassCall> passes_of(const Node& node) {
  const std::string* fuser = text_of(node, "fuser");
  const std::string* backend = text_of(node, "backend");
  std::string text = text_of(node, kGroups) ? "joined" : "";
  if (fuser && backend)
    text += (text.empty() ? "fuse(" : ",fuse(") + *fuser + "," + *backend + ",wide)";
  return parse_pipeline(text);
}

bool is_list_of_plain(const IValue& v) {
  return v.tag() == IValue::Tag::List &&
         std::ranges::all_of(v.items(), [](const IValue& i) { return i.is_number(); });
}

// Is the value itself a part of what a call is known by?
bool by_value(const IValue& v) {
  return (v.is_number() && !v.is_float()) || v.is_none() || v.tag() == IValue::Tag::Str ||
         is_list_of_plain(v);
}

bool equal(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag()) return false;
  if (a.tag() != IValue::Tag::List) return a.identical(b);
  return std::ranges::equal(a.items(), b.items(), equal);
}

ArgInfo info_of(const IValue& v) {
  if (by_value(v)) return {v.type(), v, true, {}};
  if (!v.is_tensor() && !v.is_float()) decline("an argument of {}", v.type().text());
  ArgInfo info{v.type(), {}, false, {}};
  if (v.is_tensor()) info.type.info().requires_grad = std::nullopt;
  return info;
}

void report_declined(const Exception& why) {
  if (log_level("autodiff") != LogLevel::None)
    log_text(fmt::format("autodiff: by operators: {}\n", why.what()));
}

bool holds_tensor(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (n->is(prim::constant()) && n->constant().is_tensor()) return true;
    if (n->has_attr("Subgraph") && holds_tensor(n->subgraph().block())) return true;
    if (std::ranges::any_of(n->blocks(), &holds_tensor)) return true;
  }
  return false;
}

// By which executors may take each other's (derivations.h).
std::string key_of(const Graph& graph, bool whole, Keeps keeps, const std::vector<ArgInfo>& infos,
                   const std::vector<bool>& require) {
  if (holds_tensor(graph.block())) return "";
  std::string out =
      fmt::format("{}{}{}\n", whole, static_cast<int>(keeps), static_cast<int>(current_domain()));
  for (size_t i = 0; i < infos.size(); ++i)
    out += fmt::format("{} {} {}\n", infos[i].type.text(), static_cast<bool>(require[i]),
                       infos[i].known ? print_literal(infos[i].value) : "?");
  return out + print(graph);
}

bool needs_grad(const IValue& v) { return v.is_tensor() && v.as_tensor().requires_grad(); }

}  // namespace

// What one derivation is for.
struct Differentiable::Known {
  struct Arg {
    IValue value{};  // kept where it counts
    bool tensor = false;
    bool wanted = false;
    IValue::Tag tag = IValue::Tag::None;
    front::Layout layout{};
  };

  explicit Known(std::span<const IValue> given) : domain(current_domain()) {
    for (const IValue& v : given) {
      Arg a{.tensor = v.is_tensor(), .wanted = fusillade::needs_grad(v), .tag = v.tag()};
      if (a.tensor) a.layout = front::layout_of(v.as_tensor());
      else if (by_value(v)) a.value = copy(v);
      args.push_back(std::move(a));
    }
  }

  // The program may write its own list.
  static IValue copy(const IValue& v) {
    return v.tag() == IValue::Tag::List ? IValue::list(v.items(), v.seq()->element) : v;
  }

  bool fits(std::span<const IValue> given) const {
    if (domain != current_domain()) return false;
    for (size_t i = 0; i < args.size(); ++i) {
      const Arg& a = args[i];
      const IValue& v = given[i];
      if (a.tag != v.tag() || a.wanted != fusillade::needs_grad(v)) return false;
      if (a.tensor ? !same_layout(a.layout, v.as_tensor()) : by_value(v) && !equal(a.value, v))
        return false;
    }
    return true;
  }

  static bool same_layout(const front::Layout& l, const Tensor& t) {
    return l.dtype == t.dtype() && l.sizes == t.sizes() && l.strides == t.strides() &&
           l.device == t.device();
  }

  Domain domain;
  std::vector<Arg> args;
  std::shared_ptr<const Derived> derived;  // null: declined
};

Differentiable::Differentiable(const Node& node)
    : graph_(std::get<std::shared_ptr<Graph>>(*node.attr("Subgraph"))),
      keeps_(keeps_of(node)),
      whole_(text_of(node, kGroups) != nullptr),
      passes_(passes_of(node)),
      plain_graph_(graph_->clone()) {
  run_pipeline(*plain_graph_, passes_);
  plain_ = compile_bytecode(*plain_graph_);
  if (!whole_) return;
  groups_graph_ = graph_->clone();
  run_pipeline(*groups_graph_, parse_pipeline(*text_of(node, kGroups)));
  groups_ = compile_bytecode(*groups_graph_);
}

Differentiable::~Differentiable() = default;

void Differentiable::run(std::span<const IValue> args, std::vector<IValue>& results) const {
  auto append = [&](std::vector<IValue> values) {
    for (IValue& v : values) results.push_back(std::move(v));
  };
  if (!modes_in_force || !eager::records() || std::ranges::none_of(args, needs_grad)) {
    probe_plain.hit();
    return append(run_bytecode(*plain_, args));
  }
  const std::shared_ptr<const Derived> derived = find(args);
  if (!derived) {
    probe_by_operators.hit();
    return append(whole_ ? run_bytecode(*groups_, args) : interpret(*graph_, args));
  }
  probe_recorded.hit();
  auto* step = new GroupStep(graph_, derived, args);
  const Ref<front::Step> kept(step);
  std::vector<IValue> given;
  for (const IValue& v : args)
    given.push_back(v.is_tensor() ? IValue(front::without_history(v.as_tensor())) : v);
  LiftModes lifted(ModeKind::Autograd);
  std::vector<IValue> outputs = run_bytecode(*derived->forward, given);
  const std::span<const IValue> all(outputs);
  step->note_results(all.first(derived->joint.results), all.subspan(derived->joint.results));
  outputs.resize(derived->joint.results);
  append(std::move(outputs));
}

// Derived while no lock is held; of two threads that derive for the same arguments one wins.
std::shared_ptr<const Derived> Differentiable::find(std::span<const IValue> args) const {
  bool full = false;
  auto find_known = [&]() -> const Known* {
    for (const auto& k : known_)
      if (k->fits(args)) return k.get();
    full = known_.size() >= kMaxDerived;
    return nullptr;
  };
  {
    std::lock_guard lock(mutex_);
    if (const Known* k = find_known()) return k->derived;
    if (full) return nullptr;
  }
  auto entry = std::make_unique<Known>(args);
  try {
    const TimedEvent deriving("gradients derived");
    entry->derived = derive(args);
  } catch (const Unsupported& e) {
    report_declined(e);
  } catch (const Error& e) {  // of the call: running the operators will report it
    report_declined(e);
  }
  std::lock_guard lock(mutex_);
  if (const Known* k = find_known()) return k->derived;
  if (full) return nullptr;
  (entry->derived ? probe_derived : probe_declined).hit();
  known_.push_back(std::move(entry));
  return known_.back()->derived;
}

std::shared_ptr<const Derived> Differentiable::derive(std::span<const IValue> args) const {
  LiftModes compiling(ModeKind::Device);
  std::vector<ArgInfo> infos;
  std::vector<bool> require;
  for (const IValue& v : args) {
    infos.push_back(info_of(Known::copy(v)));
    require.push_back(needs_grad(v));
  }
  Derivation derivation =
      derivation_of([&] { return key_of(*graph_, whole_, keeps_, infos, require); },
                    [&] {
                      Derivation d;
                      if (whole_) {
                        const std::unique_ptr<Graph> straight = straight_line_graph(*graph_, infos);
                        d.joint = differentiate(*straight, infos, require, Seeds::Contiguous);
                      } else {
                        d.joint = differentiate(*graph_, infos, require);
                      }
                      d.partition = partition(d.joint, keeps_);
                      d.joint.graph.reset();
                      return d;
                    });
  auto out = std::make_shared<Derived>();
  out->joint = std::move(derivation.joint);
  out->partition = std::move(derivation.partition);
  for (Graph* graph : {out->partition.forward.get(), out->partition.backward.get()})
    run_pipeline(*graph, passes_);
  out->forward = compile_bytecode(*out->partition.forward);
  out->backward = compile_bytecode(*out->partition.backward);
  return out;
}

}  // namespace fusillade
