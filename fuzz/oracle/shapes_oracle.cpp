// Claim: what inference promised is what ran. Every value's dtype, sizes and strides, as far as its
// static type or types_of knows them, hold at run time, in the program and in each plan's optimised
// graph; and
// plans keep which outputs and inputs share memory.
#include "engine/ir/types.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/run/walk.h"

namespace fusillade::fuzz {
namespace {

std::string broken_promise(const Type& type, const IValue& v) {
  if (type.is(TypeKind::Optional)) return v.is_none() ? "" : broken_promise(type.element(), v);
  if (type.is_tensor()) {
    if (!v.is_tensor()) return "no tensor";
    Tensor t = v.as_tensor();
    const TensorInfo& info = type.info();
    if (info.has_dtype && info.dtype != t.dtype()) return "dtype";
    if (!info.rank_known) return "";
    if (info.sizes.rank() != t.rank()) return "rank";
    for (int d = 0; d < t.rank(); ++d) {
      if (info.sizes[d] >= 0 && info.sizes[d] != t.sizes()[d]) return "size";
      // The stride of a dimension of one element, or of no elements at all, is never used.
      bool used = t.sizes()[d] > 1 && t.numel() > 0;
      if (used && info.strides_known && info.strides[d] >= 0 && info.strides[d] != t.strides()[d])
        return "stride";
    }
    return "";
  }
  if (type.is(TypeKind::Int) && !v.is_int()) return "no int";
  if (type.is(TypeKind::Float) && !v.is_float()) return "no float";
  if (type.is(TypeKind::Bool) && !v.is_bool()) return "no bool";
  if (type.is(TypeKind::List) && v.tag() != IValue::Tag::List) return "no list";
  if (type.is(TypeKind::Tuple) && v.tag() != IValue::Tag::Tuple) return "no tuple";
  return "";
}

// What is found of the graph's values from the types of these inputs, and from their values too.
std::vector<ArgInfo> found_in(const Graph& graph, const std::vector<IValue>& inputs, bool values) {
  std::vector<ArgInfo> infos = infos_of(inputs);
  for (ArgInfo& info : infos)
    if (!values) info = {info.type, {}, false, {}};
  return types_of(graph, infos);
}

// Runs the graph eagerly and looks at every value: at its declared type, and at what is found of it
// before the run.
class Promises : public Walk {
 public:
  Promises(const Graph& graph, const std::vector<IValue>& inputs)
      : graph_(graph), found_{found_in(graph, inputs, false), found_in(graph, inputs, true)} {}
  Verdict verdict;
  void produced(const Value* value, const IValue& v) override {
    check(value, value->type(), v);
    if (&value->node()->graph() != &graph_) return;
    for (const std::vector<ArgInfo>& values : found_) {
      const ArgInfo& found = values[static_cast<size_t>(value->id())];
      check(value, found.type, v);
      if (found.known && !found.value.identical(v)) wrong(value, describe(found.value), "value", v);
    }
  }

 private:
  void check(const Value* value, const Type& type, const IValue& v) {
    ++verdict.elements.compared;
    ++verdict.elements.tight;
    std::string broken = broken_promise(type, v);
    if (!broken.empty()) wrong(value, type.text(), broken, v);
  }

  void wrong(const Value* value, const std::string& promise, const std::string& reason,
             const IValue& v) {
    if (is_finding(verdict.kind)) return;
    verdict.kind = VerdictKind::Mismatch;
    verdict.reason = reason;
    verdict.detail =
        fmt::format("{} promised {}, got {} with strides {}", value->node()->row().name, promise,
                    describe(v), v.is_tensor() ? to_string(v.as_tensor().strides()) : "-");
  }

  const Graph& graph_;
  const std::vector<ArgInfo> found_[2];
};

Verdict promises_of(const Graph& graph, const Call& call) {
  const std::vector<IValue> inputs = copy_call(call).inputs;
  Promises walk(graph, inputs);
  try {
    walk.run(graph, inputs);
  } catch (const Error& e) {
    if (is_finding(walk.verdict.kind)) return walk.verdict;
    walk.verdict.kind = VerdictKind::Skip;
    walk.verdict.reason = "the program raises an error";
  } catch (const std::exception& e) {
    walk.verdict.kind = VerdictKind::Bug;
    walk.verdict.reason = stable_phrase(e.what());
    walk.verdict.detail = e.what();
  }
  return walk.verdict;
}

void storages(const IValue& v, std::vector<const Storage*>& out) {
  if (v.is_tensor()) out.push_back(v.as_tensor().numel() ? v.as_tensor().storage() : nullptr);
  if (v.tag() == IValue::Tag::Dict) {
    for (const auto& [key, value] : v.as_dict().items()) storages(value, out);
  }
  if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return;
  for (const IValue& item : v.items()) storages(item, out);
}

Verdict same_sharing(const Outcome& reference, const Outcome& observed) {
  Verdict v;
  if (settle(reference, observed, v)) return v;
  std::vector<const Storage*> a, b;
  for (const auto* values : {&reference.outputs, &reference.inputs}) {
    for (const IValue& x : *values) storages(x, a);
  }
  for (const auto* values : {&observed.outputs, &observed.inputs}) {
    for (const IValue& x : *values) storages(x, b);
  }
  if (a.size() != b.size()) return v;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      bool empty = !a[i] || !b[i] || !a[k] || !b[k];
      if (empty || (a[i] == a[k]) == (b[i] == b[k])) continue;
      v.kind = VerdictKind::Mismatch;
      v.reason = "aliasing";
      v.detail =
          fmt::format("results {} and {} {} memory, in eager mode they {}", k, i,
                      b[i] == b[k] ? "share" : "do not share", a[i] == a[k] ? "do" : "do not");
      return v;
    }
  }
  v.elements.compared = v.elements.tight = a.size();
  return v;
}

Verdict judge(const Case& c) {
  Judging judging;
  Prepared eager(*c.program, "eager");
  for (size_t i = 0; i < c.calls.size(); ++i) {
    judging.executed();
    if (judging.add(promises_of(*c.program, c.calls[i]), "eager", static_cast<int>(i)))
      return judging.verdict();
  }
  for (const std::string& plan : c.plans) {
    Prepared candidate(*c.program, plan);
    if (!candidate.executable()) continue;
    for (size_t i = 0; i < c.calls.size(); ++i) {
      judging.executed(3);
      Verdict step = promises_of(candidate.executable()->graph(), c.calls[i]);
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
      step = same_sharing(eager.run(c.calls[i]), candidate.run(c.calls[i]));
      if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"shapes", "inferred dtypes, sizes, strides and aliasing are what ran", &judge});

}  // namespace
}  // namespace fusillade::fuzz
