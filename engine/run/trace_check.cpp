// See trace_check.h.
#include "engine/run/trace_check.h"

#include <map>
#include <sstream>

#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "engine/run/plan.h"
#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

using eager::Any;

class Copier {
 public:
  IValue copy(const IValue& v) {
    if (v.is_tensor()) return copy(v.as_tensor());
    if (!v.is_sequence()) return v;
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(copy(item));
    return v.tag() == IValue::Tag::List ? IValue::list(std::move(items), v.seq()->element)
                                        : IValue::tuple(std::move(items));
  }

 private:
  Tensor copy(const Tensor& t) {
    Tensor& base = copies_[{t.storage(), t.dtype()}];
    if (!base.is_defined()) {
      size_t bytes = t.storage()->bytes();
      base = Tensor::empty({static_cast<int64_t>(bytes / size_of(t.dtype()))}, t.dtype());
      read_bytes(*t.storage(), 0, base.raw(), bytes / size_of(t.dtype()) * size_of(t.dtype()));
    }
    return Tensor::view_of(base, t.offset(), t.sizes(), t.strides());
  }

  std::map<std::pair<const Storage*, DType>, Tensor> copies_;
};

// What differs between two values, "" when nothing; `bits`: elements too.
std::string difference(const IValue& graph, const IValue& function, bool bits,
                       const std::string& where) {
  std::string both = fmt::format("{} is {} in the graph, {} in the function", where,
                                 describe(graph), describe(function));
  if (graph.tag() != function.tag()) return both;
  if (graph.is_sequence()) {
    if (graph.items().size() != function.items().size()) return both;
    for (size_t i = 0; i < graph.items().size(); ++i) {
      std::string at = fmt::format("{}[{}]", where, i);
      std::string d = difference(graph.items()[i], function.items()[i], bits, at);
      if (!d.empty()) return d;
    }
    return "";
  }
  if (!graph.is_tensor()) return graph.identical(function) || !bits ? "" : both;
  Tensor a = graph.as_tensor(), b = function.as_tensor();
  if (a.dtype() != b.dtype() || !(a.sizes() == b.sizes())) return both;
  if (!bits || bitwise_equal(a, b)) return "";
  for (int64_t i = 0; i < a.numel(); ++i) {
    double x = element_as_double(a, i), y = element_as_double(b, i);
    if (x == y || (x != x && y != y)) continue;
    return fmt::format("element {} of {} is {} in the graph, {} in the function", i, where, x, y);
  }
  return both + " with other bits";
}

void forget_ranges(const Block* block) {
  each_node<Within::Callees>(block, [&](Node* n) { n->range = {}; });
}

// The text of what the graph does, wherever it was written.
std::string canonical(const Graph& graph) {
  std::unique_ptr<Graph> copy = graph.clone();
  forget_ranges(copy->block());
  return print(*copy);
}

class Checker {
 public:
  Checker(const TraceFunction& fn, const Traced& traced, const TraceOptions& options)
      : fn_(fn),
        traced_(traced),
        options_(options),
        graph_(prepare(*traced.graph, reference_plan())) {
    for (const Node* n : traced.graph->block()->nodes()) bits_ = bits_ && !is_nondeterministic(n);
  }

  void again(const std::vector<IValue>& inputs) {
    Traced second = record(fn_, fresh_copies(inputs), options_.name, options_.training);
    std::istringstream first_text(canonical(*traced_.graph)), second_text(canonical(*second.graph));
    std::string a, b;
    while (true) {
      bool more = static_cast<bool>(std::getline(first_text, a));
      bool again = static_cast<bool>(std::getline(second_text, b));
      if (!more && !again) return;
      if (more && again && a == b) continue;
      wrong(
          fmt::format("traced again, the function gave another graph; the first difference:\n  "
                      "first: {}\n  again: {}",
                      more ? a : "(end)", again ? b : "(end)"));
    }
  }

  void compare(const std::vector<IValue>& inputs, const std::string& which) {
    std::vector<IValue> for_graph = fresh_copies(inputs), for_function = fresh_copies(inputs);
    std::vector<Any> args(for_function.begin(), for_function.end());
    IValue of_function;
    {
      eager::TrainingScope mode(options_.training);
      of_function = fn_(args).value();
    }
    IValue of_graph;
    try {
      of_graph = graph_->run(for_graph)[0];
    } catch (const Error& e) {
      wrong(fmt::format("{}: the graph fails where the function does not: {}", which, e.what()));
    }
    std::string d = difference(of_graph, of_function, bits_, "the output");
    for (size_t i = 0; d.empty() && i < inputs.size(); ++i) {
      d = difference(for_graph[i], for_function[i], bits_,
                     fmt::format("input {} after the call", i));
    }
    if (!d.empty()) wrong(fmt::format("{}: {}", which, d));
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    std::string message =
        fmt::format("the trace of '{}' does not stand for the function: {}", options_.name, what);
    for (const TraceWarning& w : traced_.warnings) message += "\n  warning: " + w.text();
    throw TraceCheckError(message);
  }

  const TraceFunction& fn_;
  const Traced& traced_;
  const TraceOptions& options_;
  std::unique_ptr<Executable> graph_;
  bool bits_ = true;
};

void warn_of_chance(Traced& traced) {
  for (const Node* n : traced.graph->block()->nodes()) {
    if (!is_nondeterministic(n)) continue;
    traced.warnings.push_back({TraceWarning::Kind::Nondeterministic,
                               fmt::format("{} gives other values in each run", n->op().name),
                               n->range.valid() ? n->range.source->file : "", n->range.begin});
  }
}

}  // namespace

std::vector<IValue> fresh_copies(const std::vector<IValue>& values) {
  Copier copier;
  std::vector<IValue> out;
  for (const IValue& v : values) out.push_back(copier.copy(v));
  return out;
}

Traced trace_function(const TraceFunction& fn, const std::vector<IValue>& inputs,
                      const TraceOptions& options) {
  Traced traced = record(fn, fresh_copies(inputs), options.name, options.training);
  warn_of_chance(traced);
  if (!options.check) return traced;
  Checker checker(fn, traced, options);
  checker.again(inputs);
  checker.compare(inputs, "on the traced inputs");
  for (size_t i = 0; i < options.check_inputs.size(); ++i) {
    checker.compare(options.check_inputs[i], fmt::format("on check_inputs {}", i));
  }
  return traced;
}

}  // namespace fusillade
