// See profiled.h.
#include "engine/run/profiled.h"

#include "engine/base/event.h"
#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/ir/interpret.h"
#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/run/bytecode.h"
#include "engine/run/frame.h"
#include "engine/run/gradients.h"
#include "engine/run/insert_guards.h"

namespace fusillade {
namespace {

Probe probe_profiled("guard/profiled");
Probe probe_specialised("guard/specialised");
Probe probe_implied("guard/implied");
Probe probe_failed("guard/failed");
Probe probe_generic("guard/generic");

// Values, seen as they are computed.
struct Recorder : ValueDomain {
  explicit Recorder(const Graph& g) : graph(&g) {}
  void on_value(const Value* v, const IValue& x) {
    if (x.is_tensor() && &v->node()->graph() == graph) record.see(v, x.as_tensor());
  }
  [[noreturn]] void on_error(const Error& e, const Node* place) {
    while (place && !place->range.valid()) place = place->block()->owner();
    rethrow_at(e, place);
  }
  const Graph* graph;
  TypeRecord record;
};

// Of tensors that require a gradient the guard knows it, and inference need not.
Type for_inference(Type type) {
  if (type.is_tensor()) {
    if (type.info().requires_grad.value_or(true)) type.info().requires_grad = std::nullopt;
  } else if (type.is(TypeKind::Tuple) && !type.class_type()) {
    std::vector<Type> items;
    for (const Type& t : type.elements()) items.push_back(for_inference(t));
    return Type::tuple(std::move(items));
  }
  return type;
}

// Groups whose kernels shall serve many sizes say so.
void make_groups_dynamic(const Block& block) {
  each_node(&block, [&](Node* n) {
    if (n->is(prim::fusion_group())) n->set_attr("sizes", IValue::str("dynamic"));
  });
}

std::vector<Type> declared_types(const Graph& graph) {
  std::vector<Type> out;
  for (const Value* v : graph.inputs()) out.push_back(v->type());
  return out;
}

}  // namespace

// The graph compiled for some types of its arguments.
struct Profiled::Version {
  CallKind kind;
  std::vector<Type> guard;
  bool specialised = false;
  bool never = false;
  mutable std::atomic<bool> found = false;  // by what its arguments look like
  std::unique_ptr<Graph> graph;
  std::unique_ptr<Code> code;

  bool accepts(const CallKind& of, std::span<const IValue> args) const {
    if (never || !(of == kind)) return false;
    SymbolSizes bound;
    for (size_t i = 0; i < args.size(); ++i)
      if (!fits(args[i], guard[i], bound)) return false;
    return true;
  }
};

// Profiled calls towards one version.
struct Profiled::Round {
  CallKind kind;
  std::vector<std::vector<Type>> calls;
  TypeRecord record;
  bool dynamic_sizes = false;
};

Profiled::Profiled(std::shared_ptr<const Graph> graph, const JitSetting& setting, int64_t statics,
                   int64_t dynamics)
    : graph_(std::move(graph)),
      setting_(setting),
      statics_(statics),
      dynamics_(dynamics),
      asks_gradients_(asks_gradients(*graph_)) {}

Profiled::~Profiled() = default;

CallKind Profiled::kind_of(std::span<const IValue> args) const {
  const bool tape = modes_in_force && first_mode(ModeKind::Autograd);
  return {current_domain(), tape && (asks_gradients_ || may_record(args))};
}

std::vector<IValue> Profiled::run(std::span<const IValue> args) const {
  const CallKind kind = kind_of(args);
  if (holds_failed_task(args)) return run_bytecode(*generic(kind)->code, args);
  thread_local std::vector<uint64_t> words;
  describe_call(kind, args, words);
  if (const void* known = cache_.find(words)) {
    const auto* version = static_cast<const Version*>(known);
    if (events_heard() && !version->found.exchange(true)) report_event("cache hit");
    return run_bytecode(*version->code, args);
  }
  if (const Version* version = taker(kind, args)) {
    cache_.add(words, version);
    report_event("plan added");
    return run_bytecode(*version->code, args);
  }
  bool used_up = false;
  {
    std::lock_guard lock(mutex_);
    used_up = specialised_ >= statics_ + dynamics_;
  }
  if (!used_up) return profile(kind, args);
  setting_.generic.fetch_add(1);
  probe_generic.hit();
  report_event("generic call");
  const std::vector<uint64_t> key = words;  // compiling may run calls of others on this thread
  const Version* version = generic(kind);
  cache_.add(key, version);
  report_event("plan added");
  return run_bytecode(*version->code, args);
}

const Graph& Profiled::graph_for(std::span<const IValue> args) const {
  const CallKind kind = kind_of(args);
  if (holds_failed_task(args)) return *graph_;
  std::vector<uint64_t> words;
  describe_call(kind, args, words);
  const void* known = cache_.find(words);
  const Version* version = known ? static_cast<const Version*>(known) : taker(kind, args);
  return version ? *version->graph : *graph_;
}

// The first version whose guard holds.
const Profiled::Version* Profiled::taker(const CallKind& kind, std::span<const IValue> args) const {
  std::lock_guard lock(mutex_);
  for (const auto& version : versions_) {
    if (!version->specialised) continue;
    if (version->accepts(kind, args)) return version.get();
    setting_.failed.fetch_add(1);
    probe_failed.hit();
    report_event("guard failed");
  }
  return nullptr;
}

std::vector<IValue> Profiled::profile(const CallKind& kind, std::span<const IValue> args) const {
  setting_.profiled.fetch_add(1);
  probe_profiled.hit();
  report_event("call profiled");
  std::vector<Type> types = types_of_arguments(*graph_, args);
  Recorder values(*graph_);
  std::vector<IValue> results =
      Interpreter(values).run(*graph_, std::vector<IValue>(args.begin(), args.end()));
  Round ready;
  {
    std::lock_guard lock(mutex_);
    if (compiling_ || specialised_ >= statics_ + dynamics_) return results;
    if (!round_ || !(round_->kind == kind)) {
      round_ = std::make_unique<Round>();
      round_->kind = kind;
    }
    round_->calls.push_back(types);
    round_->record.merge(values.record);
    history_.push_back(std::move(types));
    record_.merge(values.record);
    if (static_cast<int64_t>(round_->calls.size()) < setting_.calls) return results;
    ready = std::move(*round_);
    round_.reset();
    ready.dynamic_sizes = specialised_ >= statics_;
    if (ready.dynamic_sizes) {
      ready.calls = {symbolic_types(history_)};
      ready.record = record_;
    }
    compiling_ = true;
  }
  finish(std::move(ready));
  return results;
}

// Compiles what a round of profiled calls asks for.
void Profiled::finish(Round round) const {
  struct Done {
    const Profiled& of;
    ~Done() {
      std::lock_guard lock(of.mutex_);
      of.compiling_ = false;
    }
  } done{*this};
  publish(
      compile(round.kind, common_types(*graph_, round.calls), &round.record, round.dynamic_sizes));
}

const Profiled::Version* Profiled::generic(const CallKind& kind) const {
  {
    std::lock_guard lock(mutex_);
    for (const auto& version : versions_)
      if (!version->specialised && version->kind == kind) return version.get();
  }
  return publish(compile(kind, declared_types(*graph_), nullptr, true));
}

std::unique_ptr<Profiled::Version> Profiled::compile(const CallKind& kind,
                                                     const std::vector<Type>& types,
                                                     const TypeRecord* record,
                                                     bool dynamic_sizes) const {
  const TimedEvent event("version compiled", !record         ? "for no types"
                                             : dynamic_sizes ? "dynamic sizes"
                                                             : "");
  LiftModes compiling(ModeKind::Device);
  setting_.compiled.fetch_add(1);
  auto version = std::make_unique<Version>();
  version->kind = kind;
  version->guard = types;
  version->specialised = record != nullptr;
  version->never = record && setting_.next_guard_fails();
  version->graph = graph_->clone();
  for (size_t i = 0; record && i < types.size(); ++i)
    version->graph->inputs()[i]->set_type(for_inference(types[i]));
  std::vector<PassCall> pipeline = setting_.pipeline;
  if (kind.recorded)
    std::erase_if(pipeline, [](const PassCall& p) { return !(p.pass->flags & kKeepsTape); });
  const int64_t depth = statics_ + dynamics_ - 1;
  if (record && !kind.recorded && depth > 0 && !changes_sizes(*graph_)) {
    const int64_t statics = std::max<int64_t>(statics_ - 1, 0);
    const GuardCount guards =
        insert_guards(*version->graph, *graph_, *record,
                      {.statics = statics, .dynamics = depth - statics, .fails = [&] {
                         return setting_.next_guard_fails();
                       }});
    setting_.implied.fetch_add(guards.implied);
    probe_implied.hit(static_cast<uint64_t>(guards.implied));
  }
  PipelineOptions options;
  options.fuel = setting_.fuel;
  run_pipeline(*version->graph, pipeline, options);
  if (dynamic_sizes) make_groups_dynamic(*version->graph->block());
  version->code = compile_bytecode(*version->graph, &setting_);
  return version;
}

const Profiled::Version* Profiled::publish(std::unique_ptr<Version> version) const {
  std::lock_guard lock(mutex_);
  if (version->specialised) {
    ++specialised_;
    setting_.versions.fetch_add(1);
    probe_specialised.hit();
  }
  versions_.push_back(std::move(version));
  return versions_.back().get();
}

}  // namespace fusillade
