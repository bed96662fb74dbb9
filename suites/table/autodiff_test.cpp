// AutoDiff against the tape: every call of gradients/*.txt and gradient_calls/*.txt as a program of
// one operator, whose gradients must be those that the tape gives of the operator, bit for bit.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/probe.h"
#include "engine/run/plan.h"
#include "suites/table/gradient_harness.h"

namespace fusillade {
namespace {

using table::Called;
using table::Sample;

// A graph that calls the operator; tensors are its inputs, everything else constants.
class OneCall {
 public:
  OneCall(const Operator& op, const std::vector<IValue>& args) {
    std::vector<Value*> given;
    for (size_t i = 0; i < args.size(); ++i) given.push_back(value(args[i]));
    if (!args.empty() && op.schema.args[0].written)
      given[0] = graph_.append(fusillade::operator_named("aten::clone"), {given[0]})->output();
    Node* n = graph_.create(op, given, static_cast<int>(op.schema.results.size()));
    graph_.block()->append(n);
    for (size_t i = 0; i < op.schema.results.size(); ++i) {
      n->output(static_cast<int>(i))->set_type(op.schema.results[i].type);
      graph_.add_output(n->output(static_cast<int>(i)));
    }
  }

  Called under(const char* plan) const {
    PipelineOptions options;
    options.recorded = true;
    std::shared_ptr<Executable> ready = prepare(graph_, parse_plan(plan), options);
    return [ready](const std::vector<IValue>& args) {
      std::vector<IValue> inputs;
      for (const Tensor& t : table::tensors_of(args)) inputs.emplace_back(t);
      return ready->run(inputs);
    };
  }

 private:
  Value* value(const IValue& v) {
    if (v.is_tensor()) return graph_.add_input();
    if (table::tensors_of({v}).empty()) return graph_.constant(v);
    std::vector<Value*> items;
    for (const IValue& item : v.items()) items.push_back(value(item));
    Node* list = graph_.create(prim::list_construct(), items);
    graph_.block()->append(list);
    list->output()->set_type(Type::list(v.seq()->element));
    return list->output();
  }

  Graph graph_;
};

struct Answer {
  std::vector<Tensor> grads{};
  std::string error{};
};

Answer answer(const Called& call, const std::vector<IValue>& given) {
  Answer out;
  const std::vector<IValue> args = table::copies_of(given, false);
  try {
    out.grads = table::gradients_of(call, args, table::floats_of(args));
  } catch (const Exception& e) {
    out.error = e.what();
  }
  return out;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Empty where both say the same.
std::string difference(const Answer& a, const Answer& b) {
  if (a.error.empty() != b.error.empty()) return "'" + a.error + "' and '" + b.error + "'";
  if (a.grads.size() != b.grads.size()) return "another number of gradients";
  for (size_t k = 0; k < a.grads.size(); ++k) {
    const Tensor &x = a.grads[k], &y = b.grads[k];
    if (x.is_defined() != y.is_defined()) return fmt::format("gradient {}: one is undefined", k);
    if (!x.is_defined()) continue;
    if (describe(x) != describe(y))
      return fmt::format("gradient {}: {} and {}", k, describe(x), describe(y));
    for (int64_t i = 0; i < x.numel(); ++i)
      if (!same(table::at(x, i), table::at(y, i)))
        return fmt::format("gradient {}, element {}: {} and {}", k, i, table::at(x, i),
                           table::at(y, i));
  }
  return "";
}

void expect_same(const char* plan) {
  const uint64_t before = probe("autodiff/recorded").count();
  int calls = 0;
  for (const char* folder : {"gradients", "gradient_calls"}) {
    table::for_each_line(folder, [&](const std::string& line) {
      const Sample s = table::parse_sample(line);
      const Operator& r = operator_named(s.op);
      if (r.nondeterministic || table::floats_of(s.args).empty()) return;
      ++calls;
      const Answer by_row = answer(table::calling(r), s.args);
      Answer derived;
      try {
        derived = answer(OneCall(r, s.args).under(plan), s.args);
      } catch (const Exception& e) {
        derived.error = e.what();
      }
      const std::string problem = difference(by_row, derived);
      EXPECT_TRUE(problem.empty()) << line.substr(0, 400) << "\n  " << problem;
    });
  }
  EXPECT_GT(calls, 1400);
  const uint64_t recorded = probe("autodiff/recorded").count() - before;
  EXPECT_GT(recorded, 800u) << "of " << calls << " calls";  // views never leave a group
  ::testing::Test::RecordProperty("calls", calls);
  ::testing::Test::RecordProperty("recorded", static_cast<int>(recorded));
}

TEST(AutodiffTable, EveryCallGivesTheTapesGradients) { expect_same("vm/autodiff(1)"); }

TEST(AutodiffTable, EveryCallGivesTheTapesGradientsWhenAllIsSaved) {
  expect_same("vm/autodiff(1,save)");
}

}  // namespace
}  // namespace fusillade
