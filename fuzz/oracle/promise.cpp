// See promise.h.
#include "fuzz/oracle/promise.h"

#include <map>
#include <new>

#include "engine/run/on_device.h"
#include "engine/tensor/device_access.h"
#include "fuzz/run/walk.h"

namespace fusillade::fuzz {
namespace {

class Promises : public Walk {
 public:
  Promises(const Graph& graph, const std::vector<ArgInfo>& found) : graph_(graph), found_(found) {}
  Verdict verdict;

  void on_value(const Value* value, const IValue& v) override {
    if (value->node()->is(prim::type_check())) return;  // holds where its answer is true
    ++verdict.elements.compared;
    ++verdict.elements.tight;
    hold(value, value->type().text(), broken_promise(value, value->type(), v), v);
    if (found_.empty() || &value->node()->graph() != &graph_) return;
    const ArgInfo& found = found_[static_cast<size_t>(value->id())];
    hold(value, found.type.text(), broken_promise(value, found.type, v), v);
    const bool other = found.known && !found.value.identical(v);
    if (other) hold(value, describe(found.value), "value", v);
  }

 private:
  void hold(const Value* of, const std::string& promise, const std::string& broken,
            const IValue& v) {
    if (broken.empty() || is_finding(verdict.kind)) return;
    verdict.kind = VerdictKind::Mismatch;
    verdict.reason = broken;
    verdict.detail =
        fmt::format("{} promised {}, got {} with strides {}", of->node()->op().name, promise,
                    describe(v), v.is_tensor() ? to_string(v.as_tensor().strides()) : "-");
  }

  // The fact that does not hold; empty: all do.
  std::string broken_promise(const Value* of, const Type& type, const IValue& v) {
    if (type.is(TypeKind::Optional))
      return v.is_none() ? "" : broken_promise(of, type.element(), v);
    if (type.is_tensor())
      return v.is_tensor() ? broken_facts(of, type.info(), v.as_tensor()) : "no tensor";
    if (type.is(TypeKind::Int) && !v.is_int()) return "no int";
    if (type.is(TypeKind::Float) && !v.is_float()) return "no float";
    if (type.is(TypeKind::Bool) && !v.is_bool()) return "no bool";
    if (type.is(TypeKind::List) && v.tag() != IValue::Tag::List) return "no list";
    if (type.is(TypeKind::Tuple) && v.tag() != IValue::Tag::Tuple) return "no tuple";
    return "";
  }

  std::string broken_facts(const Value* of, const TensorInfo& info, const Tensor& t) {
    if (info.has_dtype && info.dtype != t.dtype()) return "dtype";
    if (info.device && *info.device != t.device()) return "device";
    if (info.requires_grad.value_or(false)) return "requires_grad";  // no value does
    if (!info.rank_known) return "";
    if (info.sizes.rank() != t.rank()) return "rank";
    for (int d = 0; d < t.rank(); ++d) {
      if (info.sizes[d] >= 0 && info.sizes[d] != t.sizes()[d]) return "size";
      if (info.sizes[d] < -1 && &of->node()->graph() == &graph_ &&
          symbols_.emplace(info.sizes[d], t.sizes()[d]).first->second != t.sizes()[d])
        return "symbol";
      // The stride of a dimension of one element, or of no elements at all, is never used.
      bool used = t.sizes()[d] > 1 && t.numel() > 0;
      if (used && info.strides_known && info.strides[d] >= 0 && info.strides[d] != t.strides()[d])
        return "stride";
    }
    return "";
  }

  const Graph& graph_;
  const std::vector<ArgInfo>& found_;
  std::map<int64_t, int64_t> symbols_;  // sizes, of this run
};

}  // namespace

Verdict promises_of(const Graph& graph, const Call& call, const std::vector<ArgInfo>& found,
                    Device device) {
  Promises walk(graph, found);
  const std::vector<IValue> inputs = copy_call(call).inputs;
  const auto run = [&]() -> std::vector<IValue> {
    walk.run(graph, inputs);
    return {};
  };
  try {
    if (find_device_access(device.type)) run_on(device, inputs, run);
    else run();
  } catch (const Error& e) {
    if (is_finding(walk.verdict.kind)) return walk.verdict;
    walk.verdict.kind = VerdictKind::Skip;
    walk.verdict.reason = "the program raises an error";
  } catch (const std::bad_alloc&) {
    walk.verdict.kind = VerdictKind::Memory;
    walk.verdict.reason = "memory";
  } catch (const std::exception& e) {
    walk.verdict.kind = VerdictKind::Bug;
    walk.verdict.reason = stable_phrase(e.what());
    walk.verdict.detail = e.what();
  }
  return walk.verdict;
}

}  // namespace fusillade::fuzz
