// Traces: the same programs as script text and as C++ agree bit by bit and neither graph is larger;
// what a trace keeps symbolic, what it reports, what the check finds; calls between scripts and
// traces; ops of users.
#include <gtest/gtest.h>

#include "engine/run/embed.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

using namespace eager;  // NOLINT: the API under test reads as users write it
using Kind = TraceWarning::Kind;

Tensor random_tensor(const Dims& sizes, uint64_t seed) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  fill_normal(t, seed, 0);
  return t;
}

bool same(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_tensor()) return bitwise_equal(a.as_tensor(), b.as_tensor());
  if (!a.is_sequence()) return a.identical(b);
  if (a.items().size() != b.items().size()) return false;
  for (size_t i = 0; i < a.items().size(); ++i) {
    if (!same(a.items()[i], b.items()[i])) return false;
  }
  return true;
}

std::vector<Kind> kinds(const Traced& t) {
  std::vector<Kind> out;
  for (const TraceWarning& w : t.warnings) out.push_back(w.kind);
  return out;
}

size_t count(const Graph& graph, const std::string& name) {
  size_t n = 0;
  for (const Node* node : graph.block()->nodes()) n += node->op().name == name;
  return n;
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "(no error)";
}

// --- the same program twice

struct Pair {
  std::string name;
  std::string script;  // defines f
  TraceFunction traced;
  std::vector<IValue> inputs;  // traced on
  std::vector<IValue> others;  // then also run on: other shapes
};

Tensor iou(Tensor x1, Tensor y1, Tensor w1, Tensor h1, Tensor x2, Tensor y2, Tensor w2, Tensor h2) {
  Tensor xi = maximum(x1, x2), yi = maximum(y1, y2);
  Tensor wi = clamp(minimum(x1 + w1, x2 + w2) - xi, 0);
  Tensor hi = clamp(minimum(y1 + h1, y2 + h2) - yi, 0);
  Tensor inter = wi * hi;
  return inter / (w1 * h1 + w2 * h2 - inter);
}

Tensor attention(Tensor q, Tensor k, Tensor v) {
  Tensor scores = matmul(q, transpose(k, -2, -1)) / op("sqrt", {size(q, -1)});
  return matmul(softmax(scores, -1), v);
}

std::tuple<Tensor, Tensor> lstm_cell(Tensor x, std::tuple<Tensor, Tensor> state, Tensor w, Tensor u,
                                     Tensor b) {
  auto [h, c] = state;
  std::vector<Tensor> g = chunk(matmul(x, w) + matmul(h, u) + b, 4, 1);
  Tensor next = sigmoid(g[1]) * c + sigmoid(g[0]) * tanh(g[2]);
  return {sigmoid(g[3]) * tanh(next), next};
}

Tensor in_place_views(Tensor x) {
  Tensor y = clone(x);
  copy_(select(y, 1, 0), select(x, 1, -1));
  add_(slice(y, 0, 1), 2.0);
  Tensor row = select(y, 0, -1);
  mul_(y, 3);
  return y + row;
}

Tensor flatten_and_cat(Tensor x, Tensor y) {
  Int n = size(x, 0);
  Tensor a = reshape(x, {n, -1});
  Tensor b = reshape(y, {n, numel(y) / n});
  return cat({a, b * 2, expand(slice(a, 1, 0, 1), {n, 3})}, 1);
}

Tensor layer_norm_by_hand(Tensor x, Tensor g, Tensor b) {
  Tensor centred = x - mean(x, {-1}, true);
  Tensor var = mean(centred * centred, {-1}, true);
  return centred / sqrt(var + 1e-5) * g + b;
}

Tensor total(std::vector<Tensor> parts) {
  Tensor sum = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i] * 0.5;
  return sum;
}

Tensor numbers_first(Tensor x) { return 1 - 2 * x + where(x > 0, 3 / (x + 4), abs(x)); }

std::vector<Pair> pairs() {
  std::vector<IValue> eight, more;
  for (uint64_t i = 0; i < 8; ++i) {
    eight.emplace_back(random_tensor({7}, i));
    more.emplace_back(random_tensor({3, 5}, 20 + i));
  }
  auto state = [](int64_t batch, uint64_t seed) {
    return IValue::tuple({random_tensor({batch, 3}, seed), random_tensor({batch, 3}, seed + 1)});
  };
  auto t = [](const Dims& sizes, uint64_t seed) { return IValue(random_tensor(sizes, seed)); };
  auto list = [&](int64_t n, uint64_t seed) {
    return IValue::list({t({n, 2}, seed), t({2}, seed + 1), t({n, 1}, seed + 2)}, TypeKind::Tensor);
  };
  return {
      {"ratio_iou",
       "def f(x1, y1, w1, h1, x2, y2, w2, h2):\n"
       "    xi = torch.max(x1, x2)\n"
       "    yi = torch.max(y1, y2)\n"
       "    wi = torch.clamp(torch.min(x1 + w1, x2 + w2) - xi, min=0)\n"
       "    hi = torch.clamp(torch.min(y1 + h1, y2 + h2) - yi, min=0)\n"
       "    inter = wi * hi\n"
       "    return inter / (w1 * h1 + w2 * h2 - inter)\n",
       as_trace_function(&iou), eight, more},
      {"attention",
       "def f(q, k, v):\n"
       "    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))\n"
       "    return torch.matmul(torch.softmax(scores, -1), v)\n",
       as_trace_function(&attention),
       {t({2, 4, 8}, 1), t({2, 5, 8}, 2), t({2, 5, 3}, 3)},
       {t({1, 3, 2}, 4), t({1, 2, 2}, 5), t({1, 2, 6}, 6)}},
      {"lstm_cell",
       "def f(x, state: Tuple[Tensor, Tensor], w, u, b):\n"
       "    h, c = state\n"
       "    i, g, z, o = (torch.matmul(x, w) + torch.matmul(h, u) + b).chunk(4, 1)\n"
       "    n = torch.sigmoid(g) * c + torch.sigmoid(i) * torch.tanh(z)\n"
       "    return torch.sigmoid(o) * torch.tanh(n), n\n",
       as_trace_function(&lstm_cell),
       {t({4, 5}, 1), state(4, 2), t({5, 12}, 4), t({3, 12}, 5), t({12}, 6)},
       {t({1, 2}, 7), state(1, 8), t({2, 12}, 10), t({3, 12}, 11), t({12}, 12)}},
      {"in_place_views",
       "def f(x):\n"
       "    y = x.clone()\n"
       "    y[:, 0] = x[:, -1]\n"
       "    y[1:] += 2.0\n"
       "    row = y[-1]\n"
       "    y *= 3\n"
       "    return y + row\n",
       as_trace_function(&in_place_views),
       {t({3, 4}, 1)},
       {t({6, 2}, 2)}},
      {"flattened",
       "def f(x, y):\n"
       "    n = x.size(0)\n"
       "    a = x.reshape(n, -1)\n"
       "    b = y.reshape(n, y.numel() // n)\n"
       "    return torch.cat([a, b * 2, a[:, 0:1].expand(n, 3)], 1)\n",
       as_trace_function(&flatten_and_cat),
       {t({2, 3, 4}, 1), t({6, 5}, 2)},
       {t({5, 2}, 3), t({1, 5, 2}, 4)}},
      {"layer_norm",
       "def f(x, g, b):\n"
       "    centred = x - x.mean([-1], True)\n"
       "    var = (centred * centred).mean([-1], True)\n"
       "    return centred / torch.sqrt(var + 1e-5) * g + b\n",
       as_trace_function(&layer_norm_by_hand),
       {t({3, 6}, 1), t({6}, 2), t({6}, 3)},
       {t({2, 2, 4}, 4), t({4}, 5), t({4}, 6)}},
      {"list",
       "def f(parts: List[Tensor]):\n"
       "    a, b, c = parts\n"
       "    return a + b * 0.5 + c * 0.5\n",
       as_trace_function(&total),
       {list(3, 1)},
       {list(1, 5)}},
      {"numbers_first",
       "def f(x):\n"
       "    return 1 - 2 * x + torch.where(x > 0, 3 / (x + 4), torch.abs(x))\n",
       as_trace_function(&numbers_first),
       {t({9}, 1)},
       {t({2, 3}, 2)}},
  };
}

class TwoWays : public ::testing::TestWithParam<Pair> {};

TEST_P(TwoWays, TraceAndScriptAgreeBitByBitAndTheTraceIsNoLarger) {
  const Pair& p = GetParam();
  Program program = script(p.script, p.name + ".py");
  TraceOptions options;
  options.check_inputs = {p.others};
  Traced traced = trace_function(p.traced, p.inputs, options);
  EXPECT_TRUE(traced.warnings.empty()) << traced.warnings[0].text();
  for (const char* plan : {"eager", "vm", "vm/o2"}) {
    Callable a = program.function("f", plan);
    Callable b(traced, plan);
    for (const auto* inputs : {&p.inputs, &p.others}) {
      IValue scripted = a.run(fresh_copies(*inputs))[0];
      std::vector<IValue> own = fresh_copies(*inputs);
      IValue direct = p.traced({own.begin(), own.end()}).value();
      EXPECT_TRUE(same(scripted, direct)) << p.name << " under " << plan;
      EXPECT_TRUE(same(b.run(fresh_copies(*inputs))[0], direct)) << p.name << " under " << plan;
    }
    if (std::string(plan) != "vm/o2") continue;
    EXPECT_LE(b.optimised_graph().node_count(), a.optimised_graph().node_count())
        << p.name << "\n"
        << print(a.optimised_graph()) << print(b.optimised_graph());
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, TwoWays, ::testing::ValuesIn(pairs()),
                         [](const auto& info) { return info.param.name; });

// --- what a trace keeps

TEST(Trace, NodesCarryTheCallersLine) {
  uint32_t line = __LINE__ + 1;
  Traced t = trace([](Tensor x) { return relu(x) + x; }, {random_tensor({2}, 1)});
  int located = 0;
  for (const Node* n : t.graph->block()->nodes()) {
    if (n->is(prim::constant())) continue;
    EXPECT_NE(n->range.where().find(fmt::format("trace_test.cpp:{}:", line)), std::string::npos)
        << n->range.where();
    ++located;
  }
  EXPECT_EQ(located, 2);
}

TEST(Trace, ErrorsOfTheGraphShowTheCallersLine) {
  uint32_t line = __LINE__ + 1;
  Traced t = trace([](Tensor x, Tensor y) { return x + y; },
                   {random_tensor({2}, 1), random_tensor({2}, 2)});
  std::string m =
      message_of([&] { Callable(t).run({random_tensor({2}, 1), random_tensor({3}, 1)}); });
  EXPECT_NE(m.find(fmt::format("trace_test.cpp:{}:", line)), std::string::npos) << m;
}

TEST(Trace, SizesAndIndicesStayWhatTheyWere) {
  auto fn = [](Tensor x, Tensor mask) {
    Tensor y = clone(x);
    copy_(select(y, 1, -1), slice(mask, 0, 0, size(x, 0)));
    Tensor all = slice(y, 0, 0);  // of the full range: a view all the same
    add_(all, 1);
    return reshape(y, {size(y, 0) * size(y, 1)});
  };
  Traced t = trace(fn, {random_tensor({3, 2}, 1), random_tensor({4}, 2)});
  std::vector<IValue> longer = {random_tensor({5, 4}, 3), random_tensor({6}, 4)};
  EXPECT_TRUE(
      same(Callable(t, "vm/o2").run(longer)[0], fn(longer[0].as_tensor(), longer[1].as_tensor())));
  EXPECT_TRUE(t.warnings.empty());
}

TEST(Trace, OneTensorTwiceIsTwoInputs) {
  Tensor x = random_tensor({3}, 1);
  Traced t = trace([](Tensor a, Tensor b) { return a - b * 2; }, {x, x});
  ASSERT_EQ(t.graph->inputs().size(), 2u);
  Tensor y = random_tensor({3}, 2);
  EXPECT_TRUE(same(Callable(t).run({x, y})[0], x - y * 2));
}

TEST(Trace, AHandleThatContiguousReturnsIsNotTheInput) {
  auto fn = [](Tensor x) {
    Tensor y = eager::contiguous(x);
    add_(y, 1);
    return x * 2;  // x was written only if y is x
  };
  Traced t = trace(fn, {random_tensor({2, 3}, 1)}, {.check = false});
  Tensor turned = transpose(random_tensor({3, 2}, 2), 0, 1);
  Tensor expected = fn(fresh_copies({turned})[0].as_tensor());
  EXPECT_TRUE(same(Callable(t).run(fresh_copies({turned}))[0], expected));
}

TEST(Trace, UnknownTensorsAreConstantsAndInputsOutputsAndModesAreKept) {
  Tensor bias = random_tensor({2}, 7);
  Traced t = trace([&](Tensor x) { return std::pair(x, x + bias); }, {random_tensor({2}, 1)},
                   {.training = true});
  EXPECT_TRUE(t.training);
  EXPECT_FALSE(training());
  Tensor x = random_tensor({2}, 2);
  IValue out = Callable(t).run({x})[0];
  EXPECT_TRUE(same(out, IValue::tuple({x, x + bias})));
  Traced mode = trace([](Tensor y) { return training() ? y * 2 : y; }, {x}, {.training = true});
  EXPECT_TRUE(same(Callable(mode).run({x})[0], x * 2));
}

TEST(Trace, TensorsMadeFromDataAreNewInEachRun) {
  auto fn = [](Tensor x) { return add_(tensor({1, 2}), x); };
  Traced t = trace(fn, {random_tensor({2}, 1)});
  EXPECT_EQ(kinds(t), std::vector{Kind::ConstantData});
  Callable c(t, "vm/o2");
  Tensor x = random_tensor({2}, 2);
  c.run({x});
  EXPECT_TRUE(same(c.run({x})[0], fn(x)));
}

TEST(Trace, ATraceWithinATraceIsAnError) {
  auto outer = [](Tensor x) {
    trace([](Tensor y) { return y; }, {x});
    return x;
  };
  EXPECT_NE(message_of([&] { trace(outer, {random_tensor({2}, 1)}); }).find("within a trace"),
            std::string::npos);
  EXPECT_EQ(Tracer::current(), nullptr);
  trace([](Tensor y) { return y; }, {random_tensor({2}, 1)});  // the failed one left nothing behind
}

TEST(Trace, InputsAreTensorsTuplesAndListsOfTensors) {
  auto fn = [](Tensor x) { return x; };
  EXPECT_NE(message_of([&] { trace(fn, {IValue(3)}); }).find("given 3"), std::string::npos);
  EXPECT_NE(message_of([&] { trace(fn, {}); }).find("takes 1 inputs, given 0"), std::string::npos);
  EXPECT_NE(message_of([&] { trace(fn, {IValue::int_list({1, 2})}); }).find("tensors only"),
            std::string::npos);
}

// --- what it reports

TEST(TraceWarnings, EachKind) {
  Tensor x = random_tensor({3}, 1), one = random_tensor({1}, 2), outside = random_tensor({3}, 3);
  TraceOptions unchecked{.check = false};
  auto kinds_of = [&](auto fn, std::vector<IValue> inputs) {
    return kinds(trace(fn, inputs, unchecked));
  };
  EXPECT_EQ(kinds_of([](Tensor t) { return truth(t) ? t : -t; }, {one}), std::vector{Kind::ToBool});
  EXPECT_EQ(kinds_of([](Tensor t) { return size(t, 0) > 2 ? t : -t; }, {x}),
            std::vector{Kind::ToBool});
  EXPECT_EQ(kinds_of([](Tensor t) { return t + integer(t); }, {one}), std::vector{Kind::ToInt});
  EXPECT_EQ(kinds_of([](Tensor t) { return t + size(t, 0).read(); }, {x}),
            std::vector{Kind::ToInt});
  EXPECT_EQ(kinds_of([](Tensor t) { return t * number(t); }, {one}), std::vector{Kind::ToFloat});
  EXPECT_EQ(kinds_of([](Tensor t) { return stack(iterate(t)); }, {x}),
            std::vector{Kind::Iterating});
  EXPECT_EQ(kinds_of([](Tensor t) { return t + tensor({1, 2, 3}); }, {x}),
            std::vector{Kind::ConstantData});
  EXPECT_EQ(kinds_of([&](Tensor t) { return add_(outside, t); }, {x}),
            std::vector{Kind::AliasedInPlace});
  EXPECT_EQ(kinds_of([](Tensor a, Tensor b) { return add_(a, 1) + b; }, {x, x}),
            std::vector{Kind::AliasedInPlace});
  EXPECT_EQ(kinds_of([](Tensor a) { return add_(select(a, 0, 0), 1) + a; }, {x}),
            std::vector<Kind>{});
  EXPECT_EQ(kinds_of([](Tensor t) { return t + op("rand_like", {t}).tensor(); }, {x}),
            std::vector{Kind::Nondeterministic});
}

TEST(TraceWarnings, APlaceIsReportedOnceWithItsLine) {
  uint32_t line = 0;
  auto fn = [&](Tensor x) {
    Tensor y = x;
    line = __LINE__ + 1;
    for (Int i = 0; i < size(x, 0); i = i + 1) y = y + 1;
    return y;
  };
  Traced t = trace(fn, {random_tensor({4}, 1)});
  ASSERT_EQ(t.warnings.size(), 1u);
  EXPECT_EQ(t.warnings[0].line, line);
  EXPECT_NE(t.warnings[0].text().find("[to bool]"), std::string::npos);
}

// --- what the check finds

TEST(TraceCheck, InPlaceOnInputsHappensOnceAndTheInputsAreLeftAlone) {
  Tensor x = random_tensor({4}, 1);
  Tensor before = clone(x);
  Traced t = trace([](Tensor a) { return add_(a, 1) * 2; }, {x});
  EXPECT_TRUE(bitwise_equal(x, before));
  EXPECT_EQ(count(*t.graph, "aten::add_.Scalar"), 1u);
  Tensor y = clone(before);
  Callable(t, "vm/o2").run({y});
  EXPECT_TRUE(bitwise_equal(y, before + 1));
}

TEST(TraceCheck, ABranchThatOtherInputsWouldTake) {
  auto fn = [](Tensor x) { return truth(sum(x) > 0) ? x : -x; };
  Tensor x = tensor({1, 2});
  trace(fn, {x});
  TraceOptions options;
  options.check_inputs = {{tensor({-1, -2})}};
  std::string m = message_of([&] { trace(fn, {x}, options); });
  EXPECT_NE(
      m.find("on check_inputs 0: element 0 of the output is -1 in the graph, 1 in the function"),
      std::string::npos)
      << m;
  EXPECT_NE(m.find("[to bool]"), std::string::npos) << m;
  EXPECT_THROW(trace(fn, {x}, options), TraceCheckError);
}

TEST(TraceCheck, AFunctionThatDoesSomethingElseEachTime) {
  int calls = 0;
  auto fn = [&](Tensor x) { return ++calls % 2 ? relu(x) : tanh(x); };
  std::string m = message_of([&] { trace(fn, {random_tensor({2}, 1)}); });
  EXPECT_NE(m.find("first: "), std::string::npos) << m;
  EXPECT_NE(m.find("aten::relu"), std::string::npos) << m;
  EXPECT_NE(m.find("aten::tanh"), std::string::npos) << m;
}

TEST(TraceCheck, TheSameGraphFromAnotherPlaceIsTheSame) {
  int calls = 0;
  auto fn = [&](Tensor x) {
    if (++calls % 2) return relu(x);
    return relu(x);
  };
  EXPECT_NO_THROW(trace(fn, {random_tensor({2}, 1)}));
}

TEST(TraceCheck, ValuesThatGoAroundTheTrace) {
  auto fn = [](Tensor x) { return x * static_cast<double>(x.sizes()[0]); };
  TraceOptions options;
  options.check_inputs = {{random_tensor({5}, 2)}};
  EXPECT_THROW(trace(fn, {random_tensor({3}, 1)}, options), TraceCheckError);
  auto counter = [n = 0](Tensor x) mutable { return x + n++; };
  EXPECT_THROW(trace(counter, {random_tensor({3}, 1)}), TraceCheckError);
}

TEST(TraceCheck, ADropoutThatDrawsNothingHidesNoBranch) {
  auto fn = [](Tensor x) {
    Tensor y = op("aten::dropout", {x, 0.5, false}).tensor();
    return truth(sum(y) > 0) ? y : -y;
  };
  TraceOptions options;
  options.check_inputs = {{tensor({-1, -2})}};
  EXPECT_THROW(trace(fn, {tensor({1, 2})}, options), TraceCheckError);
}

TEST(TraceCheck, NondeterministicGraphsAreComparedByShape) {
  Traced t =
      trace([](Tensor x) { return x + op("rand_like", {x}).tensor(); }, {random_tensor({3}, 1)});
  EXPECT_EQ(kinds(t), std::vector{Kind::Nondeterministic});
}

// --- scripts and traces call each other

constexpr const char* kLoop =
    "def g(x):\n    while bool(x.sum() < 10):\n        x = x + 1\n    return x\n";

TEST(TraceCalls, AScriptedFunctionKeepsItsControlFlow) {
  Callable g = script(kLoop).function("g", "vm/o2");
  TraceOptions options;
  options.check_inputs = {{tensor({-9, 3, 1})}};
  Traced t = trace([&](Tensor x) { return g({x * 2}).tensor() + 1; }, {tensor({1, 2, 3})}, options);
  EXPECT_TRUE(t.warnings.empty());
  EXPECT_EQ(count(*t.graph, "prim::CallFunction"), 1u);
  EXPECT_TRUE(same(Callable(t, "vm/o2").run({tensor({-5, 0, 0})})[0], tensor({-2, 8, 8})));
}

TEST(TraceCalls, AFunctionWithTwoOutputsReturnsATuple) {
  Callable g(
      *parse_graph("graph(%x : Tensor):\n  %y : Tensor = aten::neg(%x)\n  return (%x, %y)\n"));
  Traced t = trace([&](Tensor x) { return g({x}).tensors()[1] * 2; }, {tensor({1, 2})});
  EXPECT_TRUE(same(Callable(t, "vm/o2").run({tensor({3, 4})})[0], tensor({-6, -8})));
}

TEST(TraceCalls, AScriptCallsTracedFunctions) {
  Traced pair =
      trace([](Tensor x, Tensor y) { return std::pair(x + y, x * y); }, {tensor({1}), tensor({2})});
  Program p = script(
      "def f(x):\n    for i in range(2):\n        a, b = helper(x, x)\n        x = a + b\n    "
      "return x\n",
      "calls.py", {{"helper", Callable(pair)}});
  EXPECT_EQ(p.names(), std::vector<std::string>{"f"});
  for (const char* plan : {"eager", "vm/o2"}) {
    EXPECT_TRUE(same(p.function("f", plan).run({tensor({1})})[0], tensor({15}))) << plan;
  }
  EXPECT_NE(message_of([&] { p.function("g"); }).find("no function 'g'"), std::string::npos);
  std::string m = message_of(
      [&] { script("def f(x):\n    return helper(x)\n", "f.py", {{"helper", Callable(pair)}}); });
  EXPECT_NE(m.find("f.py:2"), std::string::npos) << m;
  Program half = script("def f(x):\n    return helper(x, x)\ndef g(x):\n    return helper(x)\n",
                        "f.py", {{"helper", Callable(pair)}});
  half.graph("f");
  EXPECT_NE(message_of([&] { half.graph("g"); }).find("f.py:4"), std::string::npos);
}

// A module whose method multiplies by its weight and counts its calls.
Module counting_module() {
  auto cls = std::make_shared<ClassType>();
  cls->name = "__torch__.Counting";
  cls->kind = ClassType::Kind::Module;
  cls->fields = {{"weight", TypeKind::Tensor, Field::Kind::Parameter}, {"calls", TypeKind::Int}};
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(cls);
  unit->functions["__torch__.Counting.forward"].graph = parse_graph(
      "graph(%self : __torch__.Counting, %x : Tensor, %k : float):\n"
      "  %one : int = prim::Constant[value=1]()\n"
      "  %n : int = prim::GetAttr[name=\"calls\"](%self)\n"
      "  %m : int = aten::add(%n, %one)\n"
      "  prim::SetAttr[name=\"calls\"](%self, %m)\n"
      "  %w : Tensor = prim::GetAttr[name=\"weight\"](%self)\n"
      "  %y : Tensor = aten::mul(%x, %w)\n"
      "  %z : Tensor = aten::add(%y, %k, %m)\n"
      "  return (%z)\n",
      "counting.ir", &unit->classes);
  IValue self = IValue::object(cls);
  self.as_object().slots = {IValue(tensor({2, 3})), IValue(0)};
  return {self, unit};
}

TEST(Embedding, ACallableForInputsOfOneType) {
  Callable f =
      script("def f(x, k: int = 1):\n    return (x * k * 1).relu()\n").function("f", "vm/o2");
  Callable g = f.specialise("vm/o2", {tensor({-1, 1})});
  EXPECT_LT(g.optimised_graph().node_count(), f.optimised_graph().node_count());
  EXPECT_TRUE(same(g({tensor({-2, 2}), 3}).value(), f({tensor({-2, 2}), 3}).value()));
  EXPECT_NE(message_of([&] { g({tensor({1, 2, 3})}); }).find("declared is Float(2"),
            std::string::npos);
  EXPECT_NE(message_of([&] { f.specialise("vm/o2", {IValue(1)}); }).find("declared is Tensor"),
            std::string::npos);
}

TEST(Embedding, AMethodIsCalledWithoutItsModule) {
  Callable f(counting_module(), "forward", "vm/o2");
  EXPECT_TRUE(same(f({tensor({1, 1}), 1}).value(), tensor({3, 4})));
  EXPECT_TRUE(same(f.under("eager")({tensor({1, 1}), 1}).value(),
                   tensor({4, 5})));  // the module's state is shared
  EXPECT_NE(message_of([] { Callable(counting_module(), "none"); }).find("no method 'none'"),
            std::string::npos);
  EXPECT_THROW(trace([&](Tensor x) { return f({x, 1}).tensor(); }, {tensor({1, 1})}), Unsupported);
}

TEST(Embedding, ModulesOfAScriptCallTracedFunctions) {
  Traced halved = trace([](Tensor x) { return x * 0.5; }, {tensor({1})});
  Program p = script(
      "import torch\nfrom torch import nn\n\n"
      "class Scale(nn.Module):\n"
      "    def __init__(self, k: float):\n"
      "        super().__init__()\n"
      "        self.register_buffer('k', torch.full([1], k))\n"
      "    def forward(self, x):\n"
      "        return half(x) * self.k\n",
      "scale.py", {{"half", Callable(halved)}});
  Callable f(p.module("Scale(6.0)"), "forward", "vm/o2");
  EXPECT_TRUE(same(f({tensor({1, 2})}).value(), tensor({3, 6})));
}

TEST(Embedding, TracesAndModulesAreSavedAndLoaded) {
  auto fn = [](Tensor x, Tensor y) { return std::pair(reshape(x, {size(y, 0), -1}), add_(y, 1)); };
  Traced t = trace(fn, {random_tensor({6}, 1), random_tensor({3}, 2)});
  std::string bytes = save_archive(module_of_function(*t.graph));
  Callable loaded(load_archive(bytes, "traced.pt"), "forward", "vm/o2");
  std::vector<IValue> inputs = {random_tensor({4, 2}, 3), random_tensor({4}, 4)},
                      same_inputs = fresh_copies(inputs);
  auto [a, b] = fn(same_inputs[0].as_tensor(), same_inputs[1].as_tensor());
  EXPECT_TRUE(same(loaded.run(inputs)[0], IValue::tuple({a, b})));
  EXPECT_EQ(save_archive(load_archive(bytes, "traced.pt")), bytes);
}

// --- ops of users

const Operator& kScale = register_op(
    "test_ops::scale(Tensor self, float k=2.) -> Tensor",
    [](const Tensor& self, double k) { return self * k; }, OpEffects::FromSchema);
const Operator& kBump = register_op("test_ops::bump_(Tensor(a!) self, int by) -> Tensor(a!)",
                                    [](const Tensor& self, int64_t by) {
                                      copy_into(self, self + by);
                                      return self;
                                    });
const Operator& kUnmarked = register_op("test_ops::unmarked(Tensor self) -> Tensor",
                                        [](const Tensor& self) { return self; });
const Operator& kLiar = register_op(
    "test_ops::liar(Tensor self) -> Tensor", [](const Tensor& self) { return self; },
    OpEffects::FromSchema);
const Operator& kFails =
    register_op("test_ops::fails() -> ()", [] { throw std::runtime_error("no luck"); });
const Operator& kWrong = register_op("test_ops::wrong() -> int", [](std::span<const IValue>) {
  return std::vector<IValue>{IValue(1.5)};
});

TEST(CustomOps, ScriptsTracesAndTextCallThem) {
  Callable f =
      script(
          "def f(x):\n    return torch.ops.test_ops.scale(x, 3.0) + torch.ops.test_ops.scale(x)\n")
          .function("f", "vm/o2");
  EXPECT_TRUE(same(f.run({tensor({1, 2})})[0], tensor({5, 10})));
  Traced t = trace([](Tensor x) { return op("test_ops::scale", {x, 4}).tensor(); }, {tensor({1})});
  EXPECT_TRUE(same(Callable(t, "vm/o2").run({tensor({2})})[0], tensor({8})));
  auto g = parse_graph(print(*t.graph));
  EXPECT_EQ(print(*g), print(*t.graph));
}

TEST(CustomOps, PassesKnowThemByTheirMarks) {
  Program p = script(
      "def pure(x):\n    a = torch.ops.test_ops.scale(x, 3.0)\n    b = torch.ops.test_ops.scale(x, "
      "3.0)\n"
      "    c = torch.ops.test_ops.scale(x, 4.0)\n    return a + b\n"
      "def writes(x):\n    y = x + 1\n    a = y * 2\n    z = torch.ops.test_ops.bump_(y, 5)\n    "
      "return a + y * 2\n"
      "def careful(x):\n    torch.ops.test_ops.unmarked(x)\n    a = x * 2\n    "
      "torch.ops.test_ops.unmarked(x)\n"
      "    return a + x * 2\n");
  EXPECT_EQ(count(p.function("pure", "vm/o2").optimised_graph(), "test_ops::scale"), 1u);
  Callable writes = p.function("writes", "vm/o2");
  EXPECT_EQ(count(writes.optimised_graph(), "test_ops::bump_"), 1u);
  EXPECT_TRUE(same(writes.run({tensor({1})})[0], tensor({18})));
  Callable careful = p.function("careful", "vm/o2");
  EXPECT_EQ(count(careful.optimised_graph(), "test_ops::unmarked"), 2u);
  EXPECT_EQ(count(careful.optimised_graph(), "aten::mul.Scalar"), 2u)
      << print(careful.optimised_graph());
}

TEST(CustomOps, WhatTheirFunctionsCallIsNoPartOfATrace) {
  Traced t = trace(
      [](Tensor x) { return op("test_ops::scale", {op("test_ops::bump_", {x, 1}), 4}).tensor(); },
      {tensor({1})});
  EXPECT_EQ(t.graph->node_count(), 2u) << print(*t.graph);
}

TEST(CustomOps, MistakesAreErrors) {
  auto one = [](const Tensor& x) { return x; };
  auto registration_error = [&](const std::string& schema, auto fn) {
    return message_of([&] { register_op(schema, fn); });
  };
  EXPECT_NE(registration_error("test_ops::scale(Tensor self, float k=2.) -> Tensor",
                               [](Tensor x, double) { return x; })
                .find("already"),
            std::string::npos);
  EXPECT_NE(registration_error("test_ops::x(Tensor self -> Tensor", one).find("column"),
            std::string::npos);
  EXPECT_NE(registration_error("scale(Tensor self) -> Tensor", one).find("'::'"),
            std::string::npos);
  EXPECT_NE(registration_error("aten::mine(Tensor self) -> Tensor", one).find("namespace"),
            std::string::npos);
  EXPECT_NE(registration_error("test_ops::x(int self) -> Tensor", one).find("does not fit"),
            std::string::npos);
  EXPECT_NE(
      registration_error("test_ops::x(Tensor self) -> (Tensor, Tensor)", one).find("does not fit"),
      std::string::npos);
  op("relu", {tensor({1})});
  EXPECT_NE(registration_error("test_ops::late(Tensor self) -> Tensor", one).find("too late"),
            std::string::npos);
  EXPECT_NE(message_of([] { op("test_ops::liar", {tensor({1})}); }).find("shares memory"),
            std::string::npos);
  EXPECT_NE(message_of([] { op("test_ops::fails", {}); }).find("test_ops::fails: no luck"),
            std::string::npos);
  EXPECT_NE(message_of([] { op("test_ops::wrong", {}); }).find("the schema says int"),
            std::string::npos);
}

TEST(Eager, WrongArgumentsAreErrors) {
  EXPECT_NE(message_of([] { op("no_such_op", {}); }).find("no_such_op"), std::string::npos);
  EXPECT_NE(message_of([] { op("relu", {3}); }).find("no overload"), std::string::npos);
  EXPECT_NE(message_of([] { relu(Tensor()); }).find("undefined tensor"), std::string::npos);
  EXPECT_NE(message_of([] { truth(tensor({1, 2})); }).find("one element"), std::string::npos);
  EXPECT_NE(message_of([] { op("size", {tensor({1}), 0}).tensor(); }).find("a tensor is wanted"),
            std::string::npos);
}

}  // namespace
}  // namespace fusillade
