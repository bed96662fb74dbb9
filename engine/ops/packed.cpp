// Recurrent layers over packed sequences. Modules of torch.nn that were saved hold a method that calls them, beside the
// one that is used; so that these modules load, their schemas are rows. Running them is declined.
#include "engine/ops/opaque_row.h"
#include "engine/ops/row.h"

namespace fusillade {
namespace {

void run_declined(const Row& row, std::span<const IValue>, std::vector<IValue>&) {
  decline("{}: packed sequences are not supported; give the sequences as one padded tensor", row.name);
}

void infer_tensors(const Row& row, std::span<const ArgInfo>, std::vector<Type>& results) {
  results.assign(row.schema.results.size(), TypeKind::Tensor);
}

bool add(const std::string& schema) {
  Row r = opaque_row(schema, "packed", &run_declined, &infer_tensors);
  r.nondeterministic = true;  // its dropout
  RowTable::instance().add(std::move(r));
  return true;
}

const std::string kRest = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> ";
[[maybe_unused]] const bool kLstm =
    add("aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, " + kRest + "(Tensor, Tensor, Tensor)");
const std::string kPlain = ".data(Tensor data, Tensor batch_sizes, Tensor hx, " + kRest + "(Tensor, Tensor)";
[[maybe_unused]] const bool kGru = add("aten::gru" + kPlain);
[[maybe_unused]] const bool kTanh = add("aten::rnn_tanh" + kPlain);
[[maybe_unused]] const bool kRelu = add("aten::rnn_relu" + kPlain);

}  // namespace
}  // namespace fusillade
