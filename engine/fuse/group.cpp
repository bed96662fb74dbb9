// See group.h.
#include "engine/fuse/group.h"

#include <algorithm>
#include <cstring>

#include "engine/aten/random/uniform.h"
#include "engine/base/event.h"
#include "engine/base/log.h"
#include "engine/base/probe.h"
#include "engine/fuse/compile_log.h"
#include "engine/fuse/on_grids.h"
#include "engine/fuse/products.h"
#include "engine/fuse/work_item_loops.h"
#include "engine/ops/device.h"
#include "engine/ops/device_mode.h"
#include "engine/scalar/ring.h"
#include "engine/tensor/random.h"
#include "engine/tensor/transfer.h"

namespace fusillade::fuse {
namespace {

Probe probe_compiled("fuse/specialised");
Probe probe_dynamic("fuse/dynamic-sizes");
Probe probe_not_dynamic("fuse/static-sizes");
Probe probe_beyond("fuse/beyond-range");
Probe probe_declined("fuse/declined");
Probe probe_launched("fuse/launched");
Probe probe_fallback("fuse/fallback");
Probe probe_drawn("fuse/drawn");

const std::string& text_attr(const Node& node, const char* name) {
  const Attribute* a = node.attr(name);
  FUS_CHECK(a && std::holds_alternative<IValue>(*a), "a fusion group has no attribute '{}'", name);
  return std::get<IValue>(*a).as_str();
}

bool is_aligned(const Tensor& t) {
  return reinterpret_cast<uintptr_t>(t.raw()) % kernel::kWideBytes == 0;
}

ArgSpec spec_of(const IValue& v) {
  ArgSpec spec;
  if (v.is_tensor()) {
    const Tensor tensor = v.as_tensor();
    const TensorImpl* t = tensor.impl();
    return {true, t->dtype, t->sizes, t->strides, t->device, is_aligned(tensor)};
  }
  spec.dtype = v.is_float() ? DType::F64 : v.is_bool() ? DType::Bool : DType::I64;
  return spec;
}

bool matches(const ArgSpec& spec, const IValue& v) {
  if (spec.is_tensor != v.is_tensor()) return false;
  if (!spec.is_tensor) return spec.dtype == spec_of(v).dtype;
  Tensor tensor = v.as_tensor();
  const TensorImpl* t = tensor.impl();
  return t->dtype == spec.dtype && t->sizes == spec.sizes && t->strides == spec.strides &&
         t->device == spec.device && (!spec.aligned || is_aligned(tensor));
}

uint64_t scalar_bits(const IValue& v, Model model) {
  if (model == Model::I64) return static_cast<uint64_t>(v.as_int());
  double d = v.as_double();
  if (current_domain() == Domain::Ring) return ring_literal(d);
  uint64_t bits;
  std::memcpy(&bits, &d, sizeof bits);
  return bits;
}

// A result at these values of the symbols.
ArgSpec at_values(ArgSpec spec, const std::vector<Product>& numbers,
                  const std::vector<int64_t>& values) {
  const int rank = spec.sizes.rank();
  for (int d = 0; d < rank; ++d) {
    spec.sizes[d] = numbers[static_cast<size_t>(d)].at(values);
    spec.strides[d] = numbers[static_cast<size_t>(rank + d)].at(values);
  }
  return spec;
}

bool asks_for_dynamic(const Node& node) {
  const Attribute* a = node.attr("sizes");
  if (!a) return false;
  const std::string& sizes = std::get<IValue>(*a).as_str();
  return sizes == "dynamic" || sizes == "open";  // files of earlier versions have the latter
}

Tensor allocate(const ArgSpec& spec, Device device) {
  Tensor t = Tensor::empty(spec.sizes, spec.dtype, device);
  if (t.strides() == spec.strides) return t;
  return Tensor::view_of(t, 0, spec.sizes, spec.strides);
}

// Of what lies where the host does not reach, red zones cost a wait: those of small results are
// looked at after each launch, those of larger ones when somebody reads them (transfer.h).
bool is_looked_at(const Tensor& t) {
  constexpr size_t kSmall = 1 << 16;
  return in_reach(t) || t.storage()->bytes() <= kSmall;
}

}  // namespace

struct Group::Specialisation {
  Domain domain = Domain::Real;
  Device device;  // of its tensors
  std::vector<ArgSpec> args;
  std::optional<DynamicSizes> dynamic = {};
  Lowered lowered;
  std::shared_ptr<const kernel::Program> program;  // null: declined

  bool takes(std::span<const IValue> given, Values& values) const {
    for (size_t i = 0; i < given.size() && !dynamic; ++i)
      if (!matches(args[i], given[i])) return false;
    return !dynamic || (takes_pattern(given, values.symbols) && in_ranges(values));
  }

 private:
  bool in_ranges(Values& values) const {
    values.scalars.assign(lowered.kernel.scalars.size(), 0);
    size_t at = values.scalars.size() - lowered.extents.size();
    for (const Extent& extent : lowered.extents) {
      int64_t n = 0;
      if (!extent.at(values.symbols, &n)) return false;
      values.scalars[at++] = static_cast<uint64_t>(n);
    }
    const bool inside = kernel::beyond_ranges(lowered.kernel, values.scalars.data()).empty();
    if (!inside) probe_beyond.hit();
    return inside;
  }

  bool takes_pattern(std::span<const IValue> given, std::vector<int64_t>& values) const {
    values.assign(dynamic->count(), 0);
    for (size_t i = 0; i < given.size(); ++i) {
      if (args[i].is_tensor != given[i].is_tensor()) return false;
      if (!args[i].is_tensor) {
        if (args[i].dtype != spec_of(given[i]).dtype) return false;
        continue;
      }
      const Tensor t = given[i].as_tensor();
      if (t.dtype() != args[i].dtype || t.impl()->device != args[i].device) return false;
      if (args[i].aligned && !is_aligned(t)) return false;
      if (!dynamic->match(i, t.sizes(), values)) return false;
    }
    for (size_t i = 0; i < given.size(); ++i)
      if (args[i].is_tensor && !dynamic->match_strides(i, given[i].as_tensor().strides(), values))
        return false;
    return true;
  }
};

Group::Group(const Node& node, ByNode by_node)
    : graph_(std::get<std::shared_ptr<Graph>>(*node.attr("Subgraph"))),
      by_node_(std::move(by_node)),
      fuser_(fuse::fuser(text_attr(node, "fuser"))),
      backend_(kernel::backend(text_attr(node, "backend"))),
      dynamic_(asks_for_dynamic(node)),
      multiplies_(holds_products(*graph_)) {}

Group::~Group() = default;

// Kernels record nothing: where a gradient may be asked for, the operators run.
void Group::run(std::span<const IValue> args, std::vector<IValue>& results) const {
  auto requires_grad = [](const IValue& v) {
    return v.is_tensor() && v.as_tensor().requires_grad();
  };
  if (std::any_of(args.begin(), args.end(), requires_grad))
    return fall_back(args, results, "a gradient may be asked for");
  if (!launch(args, results)) fall_back(args, results, "declined");
}

bool Group::launch(std::span<const IValue> args, std::vector<IValue>& results) const {
  thread_local Values values;  // it keeps its memory, so that a call allocates none
  const Specialisation& s = find(args, values);
  if (!s.program) return false;
  launch(s, values, args, results);
  return true;
}

bool Group::full() const {
  std::lock_guard lock(mutex_);
  return specialisations_.size() >= kMaxSpecialisations;
}

// Compiled without holding a lock; of two threads that compile for the same arguments one wins.
const Group::Specialisation& Group::find(std::span<const IValue> args, Values& values) const {
  static const Specialisation too_many{};
  auto lookup = [&]() -> const Specialisation* {
    for (const auto& s : specialisations_) {
      if (s->domain != current_domain()) continue;
      if (s->takes(args, values)) return s.get();
    }
    return specialisations_.size() >= kMaxSpecialisations ? &too_many : nullptr;
  };
  {
    std::lock_guard lock(mutex_);
    if (const Specialisation* s = lookup()) return *s;
  }
  std::unique_ptr<Specialisation> specialisation = make(args);
  std::lock_guard lock(mutex_);
  if (const Specialisation* s = lookup()) return *s;
  (specialisation->program ? probe_compiled : probe_declined).hit();
  FUS_CHECK(specialisation->takes(args, values),
            "a specialisation does not take what it was made for");
  specialisations_.push_back(std::move(specialisation));
  return *specialisations_.back();
}

std::unique_ptr<Group::Specialisation> Group::make(std::span<const IValue> args) const {
  const TimedEvent specialising("group specialised", fuser_.name);
  auto result = std::make_unique<Specialisation>();
  result->domain = current_domain();
  for (const IValue& v : args) result->args.push_back(spec_of(v));
  std::string why;
  try {
    make_program(*result);
  } catch (const Unsupported& e) {
    why = e.what();
    report_event("group declined", why);
  }
  if (CompileLog* log = CompileLog::current())
    log->compilations.push_back({fuser_.name, backend_.name, print(*graph_), result->args,
                                 result->lowered, result->program, why});
  return result;
}

// A factory's tensor lies where a mode says.
bool makes_by_size(const Node* n) {
  return draws_uniform(n->op()) && !n->input(0)->type().is_tensor();
}

// All tensors lie on one device, where the back end takes them; no node says where its result is.
void Group::check_devices(const Specialisation& s) const {
  for (const ArgSpec& spec : s.args)
    if (spec.is_tensor && spec.device != s.device) decline("tensors lie on several devices");
  const bool by_mode = s.device != Device() || DeviceScope::is_active();
  for (const Node* n : graph_->block()->nodes())
    if (by_mode && makes_by_size(n)) decline("where {} is made is not known", n->op().name);
  if (s.device == Device()) return;
  if (backend_.device != s.device.type)
    decline("back end {} runs on no '{}'", backend_.name, to_string(s.device));
  for (const Node* n : graph_->block()->nodes())
    if (n->kind() == OpKind::Create && !n->input(0)->type().is_tensor())
      decline("{} makes its result on the host", n->op().name);
    else if (const AskedDevice asked = asked_device(n->op(), arg_infos(n));
             asked.device || asked.dynamic)
      decline("{} says where its result is", n->op().name);
}

Lowered Group::lower(const Specialisation& s, const DynamicSizes* dynamic) const {
  const TimedEvent lowering("group lowered", fuser_.name);
  Lowered result = fuser_.lower(*graph_, s.args, dynamic);
  if (wants_work_item_loops(result.kernel, backend_)) result = work_item_loops(std::move(result));
  return wants_grids(result.kernel, backend_) ? on_grids(std::move(result)) : result;
}

void Group::make_program(Specialisation& s) const {
  constexpr int kMostRefusals = 3;
  const auto tensor = std::ranges::find_if(s.args, &ArgSpec::is_tensor);
  if (tensor != s.args.end()) s.device = tensor->device;
  check_devices(s);
  if (dynamic_ && multiplies_) decline("products are made for sizes that are known");
  if (dynamic_ && refused_ < kMostRefusals) {
    const Dynamic outcome = compile_dynamic(s);
    if (outcome == Dynamic::Compiled) return;
    if (outcome == Dynamic::Refused && ++refused_ == kMostRefusals) probe_not_dynamic.hit();
  }
  s.lowered = lower(s, nullptr);
  keep_alignment_needed(s);
  s.program = kernel::compile_cached(s.lowered.kernel, backend_);
}

// Of the arguments, only those whose addresses the kernel relies on need be aligned.
void Group::keep_alignment_needed(Specialisation& s) {
  for (ArgSpec& spec : s.args) spec.aligned = false;
  size_t in = 0;
  for (const kernel::Buffer& b : s.lowered.kernel.buffers)
    if (b.role == kernel::BufferRole::In)
      s.args[static_cast<size_t>(s.lowered.in_args[in++])].aligned = b.aligned;
}

// Tries the symbols of the inputs' types first; several may have one size in these arguments by
// chance. Where the group is illegal unless they are equal, tries symbols by the arguments' values.
Group::Dynamic Group::compile_dynamic(Specialisation& s) const {
  std::string why;
  for (bool by_value : {false, true}) {
    try {
      DynamicSizes dynamic(*graph_, s.args, by_value);
      if (!dynamic.any()) return Dynamic::NothingDynamic;
      s.lowered = lower(s, &dynamic);
      s.program = kernel::compile_cached(s.lowered.kernel, backend_);
      s.dynamic = std::move(dynamic);
      keep_alignment_needed(s);
      probe_dynamic.hit();
      return Dynamic::Compiled;
    } catch (const Unsupported& e) {
      why = e.what();
    }
  }
  if (log_level("fuse") > LogLevel::None)
    log_text(fmt::format("fuse: a group of {} nodes is compiled for these sizes alone: {}\n",
                         graph_->node_count(), why));
  return Dynamic::Refused;
}

void Group::launch(const Specialisation& s, const Values& values, std::span<const IValue> args,
                   std::vector<IValue>& results) const {
  constexpr size_t kInline = 32;
  size_t count = s.lowered.in_args.size() + s.lowered.outputs.size();
  void* inline_buffers[kInline];
  std::vector<void*> many;
  void** buffers = inline_buffers;
  if (count > kInline) {
    many.resize(count);
    buffers = many.data();
  }
  size_t n = 0;
  for (int i : s.lowered.in_args) buffers[n++] = args[i].as_tensor().raw();
  size_t first = results.size();
  for (size_t i = 0; i < s.lowered.outputs.size(); ++i) {
    const ArgSpec& spec = s.lowered.outputs[i];
    Tensor t = allocate(
        s.dynamic ? at_values(spec, s.lowered.dynamic_outputs[i], values.symbols) : spec, s.device);
    buffers[n++] = t.raw();
    results.emplace_back(std::move(t));
  }
  std::vector<uint64_t> scalars;
  for (size_t i = 0; i < s.lowered.scalar_args.size(); ++i) {
    scalars.push_back(
        scalar_bits(args[s.lowered.scalar_args[i]], s.lowered.kernel.scalars[i].model));
  }
  for (const Product& numbers : s.lowered.draws) {
    probe_drawn.hit();
    scalars.push_back(take_numbers(numbers.at(values.symbols)));
  }
  if (s.dynamic)
    scalars.insert(scalars.end(),
                   values.scalars.begin() + static_cast<std::ptrdiff_t>(scalars.size()),
                   values.scalars.end());
  s.program->launch({buffers, scalars.data()}, {s.device.type});
  probe_launched.hit();
  if (CompileLog* log = CompileLog::current()) log->launches.push_back({s.program.get(), scalars});
  for (size_t i = first; i < results.size(); ++i) {
    Tensor out = results[i].as_tensor();
    if (is_looked_at(out) && !out.storage()->red_zones_intact()) {
      FUS_BUG("a kernel of {} on {} wrote outside result {} ({})", fuser_.name, backend_.name,
              i - first, describe(out));
    }
  }
}

void Group::fall_back(std::span<const IValue> args, std::vector<IValue>& results,
                      const char* why) const {
  probe_fallback.hit();
  if (events_heard() && !reported_.exchange(true)) report_event("fallback", why);
  for (IValue& v : by_node_(args)) results.push_back(std::move(v));
}

}  // namespace fusillade::fuse
