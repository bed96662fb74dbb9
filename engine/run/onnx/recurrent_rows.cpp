// Recurrent layers of ONNX: gates in another order, directions in a dimension of their own.
// (law: rules name ops)
#include <cstring>

#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

using Ints = std::vector<int64_t>;

struct Kind {
  const char* op;
  Ints gates;  // ATen's order: which of ONNX's gates comes there
};

Kind kind_of(const std::string& op) {
  if (op == "LSTM") return {"aten::lstm.input", {0, 2, 3, 1}};  // iofc: i f c o
  if (op == "GRU") return {"aten::gru.input", {1, 0, 2}};       // zrh: r z h
  return {"aten::rnn_tanh.input", {0}};
}

struct Layer {
  int64_t directions, hidden;
  bool backwards;
};

Layer layer_of(Reading& r) {
  const std::string direction = r.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    fail("direction = '{}'", direction);
  r.only("layout", 0);
  if (r.has_attribute("clip") || r.integer("input_forget", 0)) fail("clip and input_forget");
  if (r.has(4)) fail("sequence_lens");
  if (r.has(7)) fail("peepholes (input P)");
  if (r.op() == "GRU" && r.integer("linear_before_reset", 0) == 0)
    fail("linear_before_reset = 0 is not supported (1 is)");
  if (const AttributeText* given = r.find("activations")) {
    const std::vector<std::string> each =
        r.op() == "LSTM"  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
        : r.op() == "GRU" ? std::vector<std::string>{"Sigmoid", "Tanh"}
                          : std::vector<std::string>{"Tanh"};
    for (size_t i = 0; i < given->strings.size(); ++i)
      if (given->strings[i] != each[i % each.size()])
        fail("activations of '{}'", given->strings[i]);
  }
  const int64_t hidden = r.integer("hidden_size", 0);
  constexpr int64_t kMost = int64_t{1} << 31;
  if (hidden < 1 || hidden > kMost) fail("hidden_size = {}", hidden);
  return {direction == "bidirectional" ? 2 : 1, hidden, direction == "reverse"};
}

// Rows of gates of one direction in ATen's order: of W and R, and of either half of B.
Term gates(Reading& r, const Term& of, int64_t direction, int64_t first, const Kind& kind,
           int64_t hidden) {
  const Term one = r.call("aten::select.int", {of, 0, direction});
  std::vector<Term> parts;
  for (const int64_t gate : kind.gates) {
    const int64_t begin = first + gate * hidden;
    parts.push_back(r.call("aten::slice.Tensor", {one, 0, begin, begin + hidden, 1}));
  }
  return parts.size() == 1 ? parts[0] : r.call("aten::cat", {parts, 0});
}

std::vector<Term> weights(Reading& r, const Kind& kind, const Layer& layer) {
  std::vector<Term> out;
  const auto rows = static_cast<int64_t>(kind.gates.size()) * layer.hidden;
  for (int64_t d = 0; d < layer.directions; ++d) {
    out.push_back(gates(r, r.tensor(1), d, 0, kind, layer.hidden));
    out.push_back(gates(r, r.tensor(2), d, 0, kind, layer.hidden));
    if (!r.has(3)) continue;
    out.push_back(gates(r, r.tensor(3), d, 0, kind, layer.hidden));
    out.push_back(gates(r, r.tensor(3), d, rows, kind, layer.hidden));
  }
  return out;
}

void recurrent(Reading& r) {
  const Kind kind = kind_of(r.op());
  const Layer layer = layer_of(r);
  Term x = r.tensor(0);
  if (x.rank() != 3) fail("an input of {} dimensions", x.rank());
  Builder& b = r.build();
  const Count steps = b.size(x, 0), batch = b.size(x, 1);
  if (layer.backwards) x = r.call("aten::flip", {x, Ints{0}});
  const auto state = [&](size_t i) {
    if (r.has(i)) return r.tensor(i);
    return r.call("aten::zeros", {Counts{layer.directions, batch, layer.hidden}, x.dtype()});
  };
  const bool lstm = r.op() == "LSTM";
  Args args{x};
  if (lstm) args.emplace_back(std::vector<Term>{state(5), state(6)});
  else args.emplace_back(state(5));
  args.emplace_back(weights(r, kind, layer));
  for (const Arg& arg : Args{r.has(3), 1, 0.0, false, layer.directions == 2, false})
    args.push_back(arg);
  const std::vector<Term> out = b.call_all(kind.op, std::move(args));
  Term y = r.call("aten::reshape", {out[0], Counts{steps, batch, layer.directions, layer.hidden}});
  y = r.call("aten::permute", {y, Ints{0, 2, 1, 3}});
  if (layer.backwards) y = r.call("aten::flip", {y, Ints{0}});
  r.give(y);
  r.give(out[1]);
  if (lstm) r.give(out[2]);
}

const Rows kRegistered{{"LSTM", 7, recurrent}, {"GRU", 7, recurrent}, {"RNN", 7, recurrent}};

}  // namespace
}  // namespace fusillade::onnx
