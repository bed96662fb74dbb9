// Samples of roundings: what eager mode gives is as they are, what is off by more than roundings is
// not, and of what they cannot follow nothing is said.
#include "fuzz/oracle/sampled.h"

#include <gtest/gtest.h>

#include "engine/front/script.h"
#include "engine/run/plan.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kLayers = R"(
def f(x: Tensor):
    y = x
    for i in range(12):
        y = torch.tanh(torch.matmul(y, x) * 0.3)
        y = (y - y.mean()) / torch.sqrt(y.var() + 1e-5)
    return y, y > 0
)";

Tensor input_of_layers() {
  const Tensor x = Tensor::empty({6, 6}, DType::F32);
  for (int64_t i = 0; i < x.numel(); ++i)
    x.data<float>()[i] = static_cast<float>((i * 37) % 29) / 16 - 0.9f;
  return x;
}

TEST(Samples, TellWhatRoundingsMayNotDo) {
  const Script script = compile_script(kLayers, "f.py");
  const Graph& graph = *script.functions.at(0);
  const Call call{{input_of_layers()}};
  const Samples samples(graph, call);
  const std::vector<Tensor> out =
      tensors_in(prepare({graph}, reference_plan())->run(copy_call(call).inputs));
  ASSERT_EQ(out.size(), 2u);
  Verdict step;
  EXPECT_TRUE(samples.admits(0, out[0], "it", step)) << step.detail;
  EXPECT_EQ(step.elements.compared, 36u);
  const Tensor off = Tensor::zeros(out[0].sizes(), DType::F32);
  for (int64_t i = 0; i < off.numel(); ++i)
    set_element(off, i, element_as_double(out[0], i) * (i == 7 ? 1.01 : 1));
  EXPECT_FALSE(samples.admits(0, off, "it", step));
  EXPECT_NE(step.detail.find("it: element 7 is"), std::string::npos) << step.detail;
}

TEST(Samples, SayNothingOfBoolsAndOtherSizes) {
  const Script script = compile_script(kLayers, "f.py");
  const Samples samples(*script.functions.at(0), {{input_of_layers()}});
  Verdict step;
  EXPECT_TRUE(samples.admits(1, Tensor::zeros({6, 6}, DType::Bool), "it", step));
  EXPECT_TRUE(samples.admits(0, Tensor::zeros({6, 5}, DType::F32), "it", step));
  EXPECT_EQ(step.elements.compared, 0u);
  EXPECT_EQ(step.elements.untrusted, 66u);
}

}  // namespace
}  // namespace fusillade::fuzz
