// See device_calls.h.
#include "engine/run/device_calls.h"

#include <algorithm>
#include <unordered_set>

#include "engine/base/probe.h"
#include "engine/ir/composite.h"
#include "engine/ir/interpret.h"
#include "engine/ir/prims.h"
#include "engine/kernel/device_products.h"
#include "engine/ops/conversion.h"
#include "engine/ops/default_device.h"
#include "engine/ops/device_mode.h"
#include "engine/ops/leaves.h"
#include "engine/ops/pointwise.h"
#include "engine/run/device_kernels.h"
#include "engine/run/host_copies.h"
#include "engine/tensor/device_access.h"

namespace fusillade {
namespace {

using Args = std::span<const IValue>;
using Results = std::vector<IValue>;

Probe probe_read("device/read");
Probe probe_created("device/created");
Probe probe_on_cpu("device/on-cpu");
Probe probe_product("device/product");

bool is_beyond_reach(const std::optional<Device>& d) { return d && d->type != DeviceType::Cpu; }

bool reads_no_element(const Operator& op) {
  if (op.kind == OpKind::Prim || !takes_tensors(op)) return true;
  return op.metadata && op.kind == OpKind::Scalar;
}

// Where a call's tensors lie.
struct Devices {
  std::optional<Device> beyond;  // a device that the host does not reach
  bool several = false;          // of those
  Tensor here{};                 // one that the host reaches
  bool here_has_dims = false;    // or another

  void add(const IValue& v) {
    for_each_tensor_once(v, [&](const Tensor& t) {
      if (t.is_defined()) add(t);
    });
  }
  void add(const Tensor& t) {
    if (in_reach(t)) {
      here = t;
      here_has_dims = here_has_dims || t.rank() > 0;
      return;
    }
    several = several || (beyond && *beyond != t.device());
    beyond = t.device();
  }
};

Devices devices_of(Args args) {
  Devices out;
  for (const IValue& v : args) out.add(v);
  return out;
}

// The arguments, with the device that they ask for left out: the operator makes what it makes on
// the cpu.
Results without_device(const Operator& op, Args args) {
  Results out(args.begin(), args.end());
  const auto at = static_cast<size_t>(op.schema.device);
  if (op.schema.device >= 0 && at < out.size() && out[at].is_device()) out[at] = IValue();
  return out;
}

bool is_conversion(const Operator& op) {
  if (op.moves_to && op.kind == OpKind::Opaque) return true;  // cuda()
  return op.pointwise_def && op.pointwise_def->converts && !op.in_place;
}

// The tensor whose dtype, and device, a conversion takes.
Tensor dtype_source(const Operator& op, Args args) {
  const int at = op.pointwise_def ? op.pointwise_def->dtype_arg : -1;
  return at > 0 && args[static_cast<size_t>(at)].is_tensor()
             ? args[static_cast<size_t>(at)].as_tensor()
             : Tensor();
}

class DeviceCalls final : public Mode {
 public:
  void call(const Operator& op, const Site& site, Args args, Results& results) override {
    std::optional<Device> asked = device_asked(op, args);
    if (!asked && is_factory(op)) asked = default_device(op);
    if (!takes_tensors(op)) {
      if (!is_beyond_reach(asked)) return fusillade::call(op, site, args, results);
      return make(op, site, args, *asked, results);
    }
    if (reads_no_element(op) || asks_tape(op)) return fusillade::call(op, site, args, results);
    const Devices at = devices_of(args);
    if (!at.beyond && !is_beyond_reach(asked)) return fusillade::call(op, site, args, results);
    if (is_conversion(op)) return convert(op, site, args, asked, results);
    if (asked || op.kind == OpKind::Create)
      return make(op, site, args, asked ? *asked : *at.beyond, results);
    if (!at.here.is_defined() && !at.several) return compute(op, site, args, *at.beyond, results);
    if (takes_several_devices(op)) return by_host(op, site, args, *at.beyond, results);
    const bool numbers = op.kind == OpKind::Pointwise && !at.several && !at.here_has_dims;
    if (!numbers || (op.in_place && in_reach(args[0].as_tensor()))) fail_mixed_devices(op, args);
    Results there(args.begin(), args.end());
    for (IValue& v : there)
      if (v.is_tensor() && in_reach(v.as_tensor()))
        v = IValue(copied_to(v.as_tensor(), *at.beyond));
    compute(op, site, there, *at.beyond, results);
  }

 private:
  [[noreturn]] static void fail_mixed_devices(const Operator& op, Args args) {
    std::vector<std::string> seen;
    for (const IValue& v : args) {
      Devices at;
      at.add(v);
      for (const std::optional<Device>& d :
           {at.beyond, at.here.is_defined() ? std::optional(Device()) : std::nullopt})
        if (d && std::ranges::find(seen, to_string(*d)) == seen.end())
          seen.push_back(to_string(*d));
    }
    fail(
        "{}: Expected all tensors to be on the same device, but found at least two devices, {} and "
        "{}!",
        op.schema.name, seen.at(0), seen.at(1));
  }

  // A factory: the host runs it, and the result is copied to the device.
  static void make(const Operator& op, const Site& site, Args args, Device to, Results& results) {
    device_row(to, op.schema.name);
    Results given = without_device(op, args);
    const bool reads = !(op.metadata && op.kind == OpKind::Create);
    for (IValue& v : given)
      if (reads && v.is_tensor() && v.as_tensor().is_defined()) v = IValue(to_host(v.as_tensor()));
    const size_t first = results.size();
    fusillade::call(op, site, given, results);
    for (size_t i = first; i < results.size(); ++i)
      if (results[i].is_tensor() && is_beyond_reach(to))
        results[i] = IValue(copied_to(results[i].as_tensor(), to));
    probe_created.hit();
  }

  // to, cpu, cuda, type_as and their like: the dtype changes where the elements are.
  void convert(const Operator& op, const Site& site, Args args, std::optional<Device> asked,
               Results& results) {
    const Tensor self = args[0].as_tensor(), other = dtype_source(op, args);
    Device to = self.device();
    if (asked) to = placed_on(*asked);
    else if (other.is_defined()) to = other.device();
    device_row(asked ? *asked : to, op.schema.name);
    Results given = without_device(op, args);
    if (other.is_defined()) {  // only its dtype is read: an empty tensor suffices
      const auto at = static_cast<size_t>(op.pointwise_def->dtype_arg);
      given[at] = IValue(Tensor::empty({0}, other.dtype(), self.device()));
    }
    const size_t first = results.size();
    if (op.kind == OpKind::Opaque) results.push_back(args[0]);  // cuda()
    else if (in_reach(self)) fusillade::call(op, site, given, results);
    else if (returns_self(op, infos_of(given))) results.push_back(args[0]);
    else compute(op, site, given, self.device(), results);
    if (to == self.device()) return;
    results[first] = IValue(copied_to(results[first].as_tensor(), to));
    probe_created.hit();
  }

  // All tensors lie on `device`.
  void compute(const Operator& op, const Site& site, Args args, Device device, Results& results) {
    if (op.kind == OpKind::Scalar) return by_host(op, site, args, device, results);
    if (op.kind == OpKind::View && is_view(op, args))
      return fusillade::call(op, site, args, results);
    if (op.in_place && op.functional && write(op, args, device, results)) return;
    if (multiply(op, args, device, results) || run_as_kernel(op, args, results)) {
      if (operator_runs) count_run(op);
      return;
    }
    if (!is_composite(op)) return by_host(op, site, args, device, results);
    if (operator_runs) count_run(op);
    ModeScope again(ModeKind::Device, *this);
    for (IValue& v : interpret(composite_body(op), args)) results.push_back(std::move(v));
  }

  // Is the result geometry over the operand's memory?
  static bool is_view(const Operator& op, Args args) {
    const Tensor self = args[0].as_tensor();
    if (!op.view) return false;
    const std::vector<ViewGeometry> all = op.view(op, infos_of(args), self.sizes(), self.strides());
    return std::ranges::none_of(all, &ViewGeometry::copy);
  }

  // In place: what the functional operator gives, copied over self. False, and nothing done, where
  // more is to be done than that.
  static bool write(const Operator& op, Args args, Device device, Results& results) {
    const Tensor self = args[0].as_tensor();
    if (!self.is_contiguous() || args.size() != op.functional->schema.args.size()) return false;
    Results outputs;
    if (!run_as_kernel(*op.functional, args, outputs)) return false;
    const Tensor value = outputs.at(0).as_tensor();
    if (value.dtype() != self.dtype() || !(value.sizes() == self.sizes()) || !value.is_contiguous())
      return false;
    const DeviceAccess* memory = find_device_access(device.type);
    const size_t bytes = static_cast<size_t>(self.numel()) * size_of(self.dtype());
    if (bytes > 0) memory->within(self.raw(), value.raw(), bytes);
    if (operator_runs) count_run(op);
    results.push_back(args[0]);
    return true;
  }

  // A matrix product by the device's library; false, and nothing done, where that does not do it.
  static bool multiply(const Operator& op, Args args, Device device, Results& results) {
    const auto* library = Table<kernel::DeviceProducts>::instance().find(name_of(device.type));
    if (!op.contract || !library) return false;
    const ContractPlan plan = op.contract(op, args);
    Tensor out;
    if (plan.bias.is_defined() && plan.beta != 0) {
      Results spread;
      const Tensor bias =
          Tensor::view_of(plan.bias, plan.bias.offset(), plan.sizes,
                          broadcast_strides(plan.bias.sizes(), plan.bias.strides(), plan.sizes));
      const Operator& copy = fusillade::operator_named("aten::mul.Scalar");
      const IValue given[] = {IValue(bias), IValue(1.0)};
      if (!is_float(bias.dtype()) || !run_as_kernel(copy, given, spread)) return false;
      out = spread.at(0).as_tensor();
      if (!out.is_contiguous()) return false;
    } else {
      out = Tensor::empty(plan.sizes, plan.a.dtype(), device);
    }
    if (!library->multiply(plan, out)) return false;
    probe_product.hit();
    results.emplace_back(std::move(out));
    return true;
  }

  static void by_host(const Operator& op, const Site& site, Args args, Device device,
                      Results& results) {
    const bool reads = op.kind == OpKind::Scalar;
    if (reads) probe_read.hit();
    else report_on_cpu(op);
    const auto writes_list = [](const SchemaArg& a) { return a.written && !a.type.is_tensor(); };
    if (std::ranges::any_of(op.schema.args, writes_list))
      fail("{}: the list holds tensors that lie on '{}'", op.schema.name, to_string(device));
    HostCopies copies(device);
    Results given, outputs;
    for (const IValue& v : args) given.push_back(copies.of(v));
    fusillade::call(op, site, given, outputs);
    copies.put_back(op.schema.writes() || op.side_effect);
    for (const IValue& v : outputs) results.push_back(copies.back(v));
  }

  static void report_on_cpu(const Operator& op) {
    probe_on_cpu.hit();
    probe("device/cpu-" + op.name).hit();
  }
};

[[maybe_unused]] const bool kProvided = [] {
  static DeviceCalls mode;
  provide_device_mode(mode);
  return true;
}();

bool may_ask(const Node* node) {
  const Operator& op = node->op();
  if (op.moves_to) return op.moves_to->type != DeviceType::Cpu;
  const auto at = static_cast<size_t>(op.schema.device);
  if (op.schema.device < 0 || at >= node->inputs().size()) return false;
  const Node* from = node->input(static_cast<int>(at))->node();
  if (!from->is(prim::constant())) return true;
  const IValue& v = from->constant();
  return v.is_device() ? v.as_device().type != DeviceType::Cpu : !v.is_none();
}

bool asks(const Block* block, std::unordered_set<const Graph*>& seen) {
  for (const Node* node : block->nodes()) {
    if (may_ask(node)) return true;
    if (std::ranges::any_of(node->blocks(), [&](const Block* b) { return asks(b, seen); }))
      return true;
    const Graph* callee = callee_of(node);
    if (callee && seen.insert(callee).second && asks(callee->block(), seen)) return true;
  }
  return false;
}

}  // namespace

bool asks_devices(const Graph& graph) {
  std::unordered_set<const Graph*> seen;
  return asks(graph.block(), seen);
}

}  // namespace fusillade
