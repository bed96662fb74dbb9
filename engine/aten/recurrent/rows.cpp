// How recurrent cells are drawn, and what the types of layers are.
//
// A layer's parameters come in the order ATen takes them: for each layer and direction w_ih, w_hh,
// with biases b_ih, b_hh, and of an LSTM whose h is narrower than its c w_hr, which projects h.
// Packed sequences have operators of their own (ops.py).
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

// Of the second of an LSTM's states.
Type memory_type(const std::vector<Type>& states) {
  bool known = states.size() == 2 && states[1].is_tensor() && states[1].info().complete();
  return known ? Type::tensor(states[1].info().dtype, states[1].info().sizes)
               : Type(TypeKind::Tensor);
}

// The loops of the body hide sizes that the arguments determine: input, hx, params, has_biases,
// num_layers, dropout, train, bidirectional, batch_first.
void infer_layers(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  bool listed = args[1].type.is(TypeKind::List);
  Type state = !listed                 ? args[1].type
               : args[1].items.empty() ? Type(TypeKind::Tensor)
                                       : args[1].items[0];
  bool known = args[0].type.info().complete() && state.is_tensor() && state.info().complete() &&
               args[7].known && args[8].known;
  if (known) {
    const Dims& in = args[0].type.info().sizes;
    const Dims& h = state.info().sizes;
    if (in.rank() != 3 || h.rank() != 3) {
      fail("{}: input and state must have 3 dimensions, got {} and {}", op.schema.name,
           to_string(in), to_string(h));
    }
    bool first = args[8].value.as_bool();
    int64_t width = h[2] * (args[7].value.as_bool() ? 2 : 1);
    TensorInfo out =
        Type::tensor(state.info().dtype, Dims{in[first ? 1 : 0], in[first ? 0 : 1], width}).info();
    if (first) {
      std::swap(out.sizes[0], out.sizes[1]);
      std::swap(out.strides[0], out.strides[1]);
    }
    results.push_back(Type::tensor(out));
    results.push_back(Type::tensor(state.info().dtype, h));
    if (listed) results.push_back(memory_type(args[1].items));
    return;
  }
  for (int i = 0; i < 2 + listed; ++i) results.push_back(TypeKind::Tensor);
}

// ---------------------------------------------------------------------------- drawing

// input [n, k], state(s) [n, m], w_ih [gates * m, k], w_hh [gates * m, m], perhaps biases
std::vector<ArgRequest> draw_cell(const Operator& op, Chooser& chooser, const TensorInfo* offered) {
  bool lstm = op.schema.name == "aten::lstm_cell";
  int64_t gates = lstm ? 4 : op.schema.name == "aten::gru_cell" ? 3 : 1;
  if (offered &&
      (offered->sizes.rank() != 2 || !is_float(offered->dtype) || numel_of(offered->sizes) > 60))
    return {};
  DType dtype = offered ? offered->dtype : DType::F32;
  int64_t n = offered ? offered->sizes[0] : chooser.between(1, 3);
  int64_t k = offered ? offered->sizes[1] : chooser.between(1, 4);
  int64_t m = chooser.between(1, 4);
  auto state = [&] { return ArgRequest::tensor(dtype, Dims{n, m}); };
  std::vector<ArgRequest> out{
      offered ? ArgRequest::offered_value() : ArgRequest::tensor(dtype, Dims{n, k}),
      lstm ? ArgRequest::list({state(), state()}) : state(),
      ArgRequest::tensor(dtype, Dims{gates * m, k}), ArgRequest::tensor(dtype, Dims{gates * m, m})};
  bool biased = chooser.percent(60);
  for (int i = 0; i < 2; ++i)
    out.push_back(biased ? ArgRequest::tensor(dtype, Dims{gates * m}) : ArgRequest::of(IValue()));
  return out;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (std::string_view name :
       {"aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell"})
    add_composite({.name = name, .draw = &draw_cell});
  for (std::string_view name :
       {"aten::lstm.input", "aten::gru.input", "aten::rnn_tanh.input", "aten::rnn_relu.input"})
    add_composite({.name = name, .infer = &infer_layers});
  return true;
}();

}  // namespace
}  // namespace fusillade
