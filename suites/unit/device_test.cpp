// Devices: their names, the values and tensors that carry them, and what asking for one without a
// operator says.
#include "engine/ops/device.h"

#include <gtest/gtest.h>

#include "engine/ir/graph.h"
#include "engine/ops/text.h"

namespace fusillade {
namespace {

std::string error_of(const std::string& name) {
  try {
    return to_string(parse_device(name)) + " is one";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(Device, EveryTypeAndIndexReadsBack) {
  for (int t = 0; t < kNumDeviceTypes; ++t) {
    for (int index = -1; index <= 127; ++index) {
      Device device{static_cast<DeviceType>(t), static_cast<int8_t>(index)};
      EXPECT_EQ(find_device(to_string(device)), device) << to_string(device);
      IValue value = device;
      EXPECT_EQ(value.as_device(), device);
      EXPECT_EQ(value.type(), Type(TypeKind::Device));
      EXPECT_TRUE(value.identical(IValue(device)));
      EXPECT_FALSE(value.identical(IValue::str(to_string(device))));
    }
  }
  EXPECT_EQ(to_string(Device()), "cpu");
  EXPECT_EQ(to_string(Device{DeviceType::PrivateUse1, 3}), "privateuseone:3");
}

TEST(Device, OtherNamesAreErrorsThatSayWhy) {
  for (const char* name : {"cuda:", "cpu:-1", "cuda:01", "cuda:128", "cuda:9999", "cuda:+1",
                           "cuda:1 ", "cuda:1x", "cuda:99999999999999999999", "cuda:1:2"}) {
    EXPECT_NE(error_of(name).find("is no device: an index is a whole number from 0 to 127"),
              std::string::npos)
        << error_of(name);
  }
  for (const char* name : {"", "gpu", "CPU", " cpu", "gpu:0", ":0"})
    EXPECT_NE(error_of(name).find("is no device: 'cpu' or 'cuda' are"), std::string::npos)
        << error_of(name);
}

TEST(Device, TextsArePythons) {
  IValue one = Device{DeviceType::Cuda, 1};
  EXPECT_EQ(python_str(one), "cuda:1");
  EXPECT_EQ(python_repr(one), "device(type='cuda', index=1)");
  EXPECT_EQ(python_repr(IValue(Device())), "device(type='cpu')");
  EXPECT_EQ(describe(one), "\"cuda:1\"");
}

TEST(Device, TensorsLieOnTheCpu) {
  Device first{DeviceType::Cpu, 0};
  Tensor t = Tensor::zeros({2, 3}, DType::F32, first);
  EXPECT_EQ(t.device(), Device());
  EXPECT_EQ(t.storage()->device(), Device());
  EXPECT_EQ(Tensor::view_of(t, 1, {2}, {1}).device(), Device());
  EXPECT_EQ(IValue(t).type().text(), "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)");
  EXPECT_TRUE(t.storage()->red_zones_intact());
}

TEST(Device, OthersAreNotThere) {
  EXPECT_EQ(find_device_row(DeviceType::Mps), nullptr);
  EXPECT_NE(find_device_row(DeviceType::Cpu), nullptr);
  Device cuda{DeviceType::Cuda, 1};
  EXPECT_THROW(Tensor::empty({2}, DType::F32, cuda), Error);
  EXPECT_THROW(Storage::allocate(8, cuda), Error);
  IValue x = Tensor::zeros({2}, DType::F32);
  for (const char* name : {"aten::cuda", "aten::to.prim_Device"}) {
    const Operator& r = operator_named(name);
    std::vector<IValue> args{x};
    if (r.schema.args.size() > 1) args.push_back(cuda);
    try {
      call(r, args);
      ADD_FAILURE() << name;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("there is no device 'cuda"), std::string::npos)
          << e.what();
      EXPECT_NE(std::string(e.what()).find("tensors are on 'cpu'"), std::string::npos) << e.what();
    }
  }
}

TEST(Device, ConstantsReadBackAndBadOnesAreErrors) {
  const std::string text =
      "graph():\n  %0 : Device = prim::Constant[value=\"cuda:1\"]()\n  return (%0)\n";
  auto graph = parse_graph(text);
  EXPECT_EQ(print(*graph), text);
  EXPECT_EQ(graph->outputs()[0]->node()->constant().as_device(), (Device{DeviceType::Cuda, 1}));
  for (const char* name : {"gpu", "cuda:9999", "cpu:-1"}) {
    std::string bad = text;
    bad.replace(bad.find("cuda:1"), 6, name);
    EXPECT_THROW(parse_graph(bad), Error) << name;
  }
  EXPECT_THROW(parse_graph("graph():\n  %0 : Device = prim::Constant[value=1]()\n  return (%0)\n"),
               Error);
}

// The type inferred for %r.
std::string result_type(const std::string& head, const std::string& nodes) {
  auto graph = parse_graph("graph(" + head + "):\n" + nodes + "  return (%r)\n");
  Node* n = graph->outputs()[0]->node();
  infer_types(n);
  return n->output()->type().text();
}

TEST(Device, ResultsAreWhereTheirArgumentsAre) {
  const std::string add =
      "  %1 : int = prim::Constant[value=1]()\n  %r : Tensor = aten::add(%x, %y, %1)\n";
  auto sum = [&](const std::string& x, const std::string& y) {
    return result_type("%x : Float(2, strides=[1]" + x + "), %y : Float(2, strides=[1]" + y + ")",
                       add);
  };
  const std::string known = ", requires_grad=0, device=cpu", cuda = ", device=cuda:0";
  EXPECT_EQ(sum(known, known), "Float(2, strides=[1]" + known + ")");
  EXPECT_EQ(sum("", ""), "Float(2, strides=[1])");
  EXPECT_EQ(sum(known, ""), "Float(2, strides=[1])");
  EXPECT_EQ(sum(cuda, cuda), "Float(2, strides=[1], device=cuda:0)");
  EXPECT_EQ(sum(cuda, known), "Float(2, strides=[1])");
  EXPECT_EQ(sum(", requires_grad=1", known), "Float(2, strides=[1])");
}

TEST(Device, IntegersNeedNoGradientAndFactoriesAreOnTheCpu) {
  EXPECT_EQ(result_type("%x : Float(2, strides=[1])", "  %r : Tensor = aten::isnan(%x)\n"),
            "Bool(2, strides=[1], requires_grad=0)");
  const std::string sizes =
      "  %2 : int = prim::Constant[value=2]()\n  %s : int[] = prim::ListConstruct(%2)\n"
      "  %n : NoneType = prim::Constant()\n";
  EXPECT_EQ(result_type("", sizes + "  %r : Tensor = aten::zeros(%s, %n, %n, %n, %n)\n"),
            "Float(2, strides=[1], requires_grad=0, device=cpu)");
  EXPECT_EQ(result_type("%d : Device", sizes + "  %r : Tensor = aten::zeros(%s, %n, %n, %d, %n)\n"),
            "Float(2, strides=[1], requires_grad=0)");
  EXPECT_EQ(
      result_type("%x : Float(2, strides=[1], device=cuda:0)", "  %r : Tensor = aten::cpu(%x)\n"),
      "Float(2, strides=[1], device=cpu)");
  EXPECT_EQ(result_type("%x : Float(2, strides=[1], requires_grad=0, device=cpu)",
                        "  %r : Tensor = aten::cuda(%x)\n"),
            "Float(2, strides=[1], requires_grad=0, device=cuda:0)");
}

}  // namespace
}  // namespace fusillade
