// Tensors on "cuda", on the driver of suites/stand_in, whose memory is closed to the host: programs
// compute with them what the cpu computes, and probes count where each operator ran.
#include <map>
#include <thread>

#include "engine/base/probe.h"
#include "engine/front/autograd.h"
#include "engine/front/eager.h"
#include "engine/front/module.h"
#include "engine/kernel/cuda_device.h"
#include "engine/ops/tensor_text.h"
#include "engine/run/archive/archive.h"
#include "engine/run/plan.h"
#include "engine/tensor/transfer.h"
#include "suites/unit/on_stand_in.h"

namespace fusillade {
namespace {

constexpr Device kCuda{DeviceType::Cuda, 0};

Tensor pattern_tensor(const Dims& sizes, DType dtype = DType::F32) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element_int(t, i, dtype == DType::Bool ? i % 2 : i % 7 - (dtype == DType::U8 ? 0 : 3));
  return t;
}

Tensor square() { return pattern_tensor({3, 3}); }

std::vector<IValue> run(const std::string& body, const std::string& plan,
                        const std::vector<IValue>& inputs) {
  const Script script = compile_script(
      "import torch\nfrom typing import List\nfrom torch import Tensor\ndef f(x: Tensor, y: "
      "Tensor):\n" +
          body,
      "f.py");
  return prepare(*script.functions.at(0), parse_plan(plan))->run(inputs);
}

std::map<std::string, uint64_t> counts_before;

// Probes as the body counts them, whatever tests ran before in the process that it is a copy of.
uint64_t count(const std::string& name) { return probe(name).count() - counts_before[name]; }

std::string on_gpu(const Environment& environment, const std::function<std::string()>& body) {
  return in_child(environment, [&] {
    for (const Probe* p : probes()) counts_before[p->name()] = p->count();
    return body();
  });
}

std::string without(std::string text, const std::string& word) {
  for (size_t at; (at = text.find(word)) != std::string::npos;) text.erase(at, word.size());
  return text;
}

std::string difference(const IValue& got, const IValue& want, const std::string& where) {
  if (want.is_sequence()) {
    for (size_t i = 0; i < want.items().size(); ++i)
      if (std::string bad = difference(got.items().at(i), want.items()[i], where); !bad.empty())
        return bad;
    return "";
  }
  if (!want.is_tensor()) return equal_values(got, want) ? "" : where + ": " + describe(got) + "; ";
  const Tensor a = got.as_tensor(), b = want.as_tensor();
  if (a.dtype() != b.dtype() || !(a.sizes() == b.sizes()) || !(a.strides() == b.strides()))
    return fmt::format("{}: {} {}; ", where, describe(a), to_string(a.strides()));
  for (int64_t i = 0; i < b.numel(); ++i) {
    const double x = element_as_double(a, i), y = element_as_double(b, i);
    if (!(std::abs(x - y) <= 1e-5 * std::max(1.0, std::abs(y))) && !(x != x && y != y))
      return fmt::format("{}: element {} is {}, wanted {}; ", where, i, x, y);
  }
  return "";
}

// --- memory

TEST(DeviceTensors, WhatGoesThereComesBack) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     std::string bad;
                     for (int d = 0; d < kNumDTypes; ++d) {
                       const Tensor t = pattern_tensor({4, 5}, static_cast<DType>(d));
                       const Tensor layouts[] = {
                           t,
                           Tensor::view_of(t, 0, {5, 4}, {1, 5}),
                           Tensor::view_of(t, 3, {2, 2}, {10, 3}),
                           Tensor::view_of(t, 1, {3, 4}, {0, 1}),
                           Tensor::view_of(t, 7, {}, {}),
                           Tensor::empty({0, 3}, t.dtype()),
                       };
                       for (const Tensor& from : layouts) {
                         const Tensor there = copied_to(from, kCuda);
                         const Tensor back = to_host(there);
                         if (there.device() != kCuda || in_reach(there)) bad += "not there ";
                         if (!bitwise_equal(back, from) || back.shares_storage(from))
                           bad += describe(from) + " ";
                         if (!bitwise_equal(there, from) || !there.storage()->red_zones_intact())
                           bad += "compared " + describe(from) + " ";
                       }
                     }
                     return bad;
                   }),
            "");
}

TEST(DeviceTensors, FreshMemoryIsPoisonedAndZerosAreZero) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const Tensor t = Tensor::empty({3}, DType::U8, kCuda);
                     const Tensor z = Tensor::zeros({3}, DType::U8, kCuda);
                     set_element_int(z, 1, 7);
                     return fmt::format("{} {} {} {}", element_as_int(t, 1), element_as_int(z, 0),
                                        element_as_int(z, 1), element_as_int(z, 2));
                   }),
            "251 0 7 0");
}

TEST(DeviceTensors, WhatIsWrittenOutsideIsABug) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const Tensor t = Tensor::zeros({4}, DType::F32, kCuda);
                     const float one = 1;
                     write_bytes(*t.storage(), 16, &one, 4);
                     try {
                       return tensor_text(t);
                     } catch (const Bug& e) {
                       const std::string said = e.what();
                       return said.substr(said.find(": something") + 2);
                     }
                   }),
            "something wrote outside f32[4] on 'cuda:0'");
}

TEST(DeviceTensors, MemoryGoesBackToThePool) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     {
                       const Tensor t = copied_to(square(), kCuda);
                     }
                     const Tensor again = copied_to(square(), kCuda);
                     const auto s = kernel::cuda::this_device().pool().stats();
                     return fmt::format("{} asked, {} reused, {} in use", s.asked, s.reused,
                                        s.in_use);
                   }),
            "2 asked, 1 reused, 640 in use");
}

TEST(DeviceTensors, MoreThanThereIsIsNoMemory) {
  EXPECT_EQ(on_gpu({{"CUDA_STAND_IN_MEMORY_MB", "1"}},
                   []() -> std::string {
                     try {
                       Tensor::empty({1 << 20}, DType::F32, kCuda);
                     } catch (const std::bad_alloc&) {
                       return "bad_alloc";
                     }
                     return "made";
                   }),
            "bad_alloc");
}

// --- where there is none

TEST(DeviceTensors, WithoutAGpuTheErrorSaysWhatIsMissing) {
  const auto move_to_gpu = [] {
    run("    return x.cuda()\n", "eager", {IValue(square()), IValue(square())});
    return std::string("moved");
  };
  const std::string none = on_gpu({{"CUDA_STAND_IN_DEVICES", "0"}}, move_to_gpu);
  EXPECT_NE(none.find("there is no device 'cuda': tensors are on 'cpu'; no GPU: no GPU can be "
                      "used: cuInit: CUDA_ERROR_NO_DEVICE"),
            std::string::npos)
      << none;
  const std::string other = on_gpu({}, [] {
    run("    return x.to('cuda:1')\n", "eager", {IValue(square()), IValue(square())});
    return std::string("moved");
  });
  EXPECT_NE(other.find("there is no device 'cuda:1': tensors are on 'cpu', 'cuda'; a process has "
                       "one GPU, 'cuda:0'"),
            std::string::npos)
      << other;
}

// --- programs

// Each is run with and without its words about the device.
constexpr const char* kPrograms[] = {
    "    a = x.to('cuda')\n    return (torch.relu(a * 2 + 1) - a).cpu()\n",
    "    a = x.cuda()\n    return a.sum(dim=1).cpu(), a.t().contiguous().cpu(), a.t().cpu()\n",
    "    a = x.cuda()\n    return torch.softmax(a, 1).cpu(), a.t().reshape(-1).cpu(), (a > "
    "0).cpu()\n",
    "    a = x.cuda()\n    a.add_(1)\n    a[0] = 5.0\n    a[:, 1].mul_(3)\n    a += a\n    return "
    "a.cpu(), a.sum().item()\n",
    "    a = torch.zeros(3, device='cuda')\n    return (a + torch.ones_like(a) + torch.arange(3, "
    "device='cuda')).cpu()\n",
    "    a = x.cuda()\n    b: List[Tensor] = [a, a + 1]\n    b.append(a * 3)\n    c = torch.cat(b, "
    "0)\n    d = [a[0, 0], a[0, 1]]\n    d.remove(a[0, 0])\n    return c.cpu(), torch.split(c, "
    "2)[1].cpu(), a[0, 1] in d, d.index(a[0, 1]), len(b)\n",
    "    a = x.cuda()\n    return a[torch.tensor([0, 2])].cpu(), a[y.cuda() > 0].cpu(), "
    "int(a[0, 0]), bool(a[0, 1] > 2)\n",
    "    a = x.cuda()\n    return (a * torch.tensor(2.0)).cpu(), a.to(torch.float64).cpu(), "
    "a.type_as(a).cpu(), a.half().cpu()\n",
    "    a = x.cuda()\n    b = a.clone()\n    b.copy_(y)\n    x.copy_(a + 1)\n    return b.cpu(), "
    "x\n",
    "    a = x.cuda()\n    a.resize_(2, 2)\n    return a.cpu()\n",
    "    a = x.cuda() > 0\n    return (a * 1.5).cpu(), (a * -1).cpu(), (a * True).cpu()\n",
    "    a = x.cuda()\n    v, i = torch.sort(a.reshape(-1))\n    return v.cpu(), torch.cumsum(a, "
    "0).cpu(), torch.layer_norm(a, [3]).cpu(), torch.nn.functional.gelu(a).cpu()\n",
};

TEST(DeviceTensors, ProgramsComputeWhatTheyDoOnTheCpu) {
  for (const char* plan :
       {"eager", "vm/o2,fuse(tile,cuda)", "jit(calls=1)/o2,fuse(loopnest,llvm)"}) {
    EXPECT_EQ(on_gpu({},
                     [&]() -> std::string {
                       std::string bad;
                       for (const std::string program : kPrograms) {
                         std::string here = program;
                         for (const char* word : {".to('cuda')", ".cuda()", ", device='cuda'"})
                           here = without(here, word);
                         const auto inputs = [] {
                           return std::vector<IValue>{IValue(square()), IValue(square())};
                         };
                         const auto want = run(here, "eager", inputs());
                         for (int call = 0; call < 2; ++call)
                           bad += difference(run(program, plan, inputs())[0], want[0],
                                             program + " under " + plan);
                       }
                       return bad;
                     }),
              "");
  }
}

TEST(DeviceTensors, OperatorsRunAsKernelsWithoutCopies) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     run("    a = x.cuda()\n    b = torch.relu(a * 2 + 1)\n    return "
                         "torch.softmax(b, 1).sum(dim=0)\n",
                         "vm", {IValue(square()), IValue(square())});
                     const uint64_t kernels = count("device/kernel");
                     const uint64_t launched = count("kernel/cuda-launched");
                     run("    a = x.cuda()\n    return torch.sort(a, 0)[0]\n", "vm",
                         {IValue(square()), IValue(square())});
                     return fmt::format("{} kernels, {} launched, {} on the cpu: {} sort",
                                        kernels > 4, launched == kernels, count("device/on-cpu"),
                                        count("device/cpu-aten::sort"));
                   }),
            "true kernels, true launched, 1 on the cpu: 1 sort");
}

// Of several tensors and of several results, what goes along lines, small products.
TEST(DeviceTensors, OperatorsThatLoopnestTakes) {
  const std::string body =
      "    a = x.cuda()\n    i = (y * 2).long().cuda()\n    u = torch.max(a, 1)\n"
      "    v = torch.min(a, 0, keepdim=True)\n    k = a.reshape(1, 1, 3, 3)\n"
      "    return torch.cat([a, a * 2], 1).cpu(), torch.stack([a, a, i.float()], 1).cpu(), "
      "torch.cumsum(a, 0).cpu(), torch.cumprod(a, 1).cpu(), a.argmax(1).cpu(), a.argmin().cpu(), "
      "u[0].cpu(), u[1].cpu(), v[0].cpu(), v[1].cpu(), torch.mm(i, i).cpu(), "
      "torch.addmm(i[0], i, i).cpu(), torch.nn.functional.conv2d(k, k, padding=1).cpu()\n";
  EXPECT_EQ(on_gpu({},
                   [&]() -> std::string {
                     const std::vector<IValue> inputs{IValue(square()), IValue(square())};
                     const auto want = run(without(body, ".cuda()"), "eager", inputs);
                     std::string bad;
                     for (int call = 0; call < 2; ++call)
                       bad += difference(run(body, "eager", inputs)[0], want[0], "loopnest");
                     return bad + fmt::format("{} on the cpu", count("device/on-cpu"));
                   }),
            "0 on the cpu");
}

TEST(DeviceTensors, GroupsLaunchWhereTheirInputsAre) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const Script script = compile_script(
                         "import torch\ndef f(x):\n    return torch.relu(x * 2 + 1) - x\n", "f.py");
                     const auto executable =
                         prepare(*script.functions.at(0), parse_plan("vm/o2,fuse(tile,cuda)"));
                     const Tensor there = copied_to(square(), kCuda);
                     const Tensor out = executable->run({IValue(there)})[0].as_tensor();
                     const std::string where = to_string(out.device());
                     const Tensor want = executable->run({IValue(square())})[0].as_tensor();
                     return fmt::format("{} {} {} {}", where, bitwise_equal(out, want),
                                        count("fuse/launched"), count("device/kernel"));
                   }),
            "cuda:0 true 2 0");
}

TEST(DeviceTensors, OtherBackEndsLeaveThemToOperators) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const auto out =
                         run("    return torch.relu(x * 2 + 1) - x\n", "vm/o2,fuse(loopnest,llvm)",
                             {IValue(copied_to(square(), kCuda)), IValue()});
                     return to_string(out[0].as_tensor().device());
                   }),
            "error: input 1 (y) of f is None of type NoneType; declared is Tensor");
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const Tensor x = copied_to(square(), kCuda);
                     const auto out = run("    return torch.relu(x * 2 + 1) - y\n",
                                          "vm/o2,fuse(loopnest,llvm)", {IValue(x), IValue(x)});
                     return fmt::format("{} {}", to_string(out[0].as_tensor().device()),
                                        count("device/kernel"));
                   }),
            "cuda:0 4");
}

TEST(DeviceTensors, TextsSayWhereTheyAre) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const auto out =
                         run("    a = x.cuda()\n    return str(a[0]), f'{a[0, 0]}', "
                             "str(a.device), a.is_cuda, str([a[0, 0]])\n",
                             "eager", {IValue(square()), IValue(square())});
                     std::string all;
                     for (const IValue& v : out[0].items()) all += describe(v) + "\n";
                     return all;
                   }),
            "\"tensor([-3., -2., -1.], device='cuda:0')\"\n\"-3.0\"\n\"cuda:0\"\nTrue\n"
            "\"[tensor(-3., device='cuda:0')]\"\n");
}

TEST(DeviceTensors, TwoDevicesInOneCallAreAnError) {
  const auto error = [](const std::string& body) {
    return on_gpu({}, [&]() -> std::string {
      run(body, "eager", {IValue(square()), IValue(square())});
      return "ran";
    });
  };
  const std::string says =
      "Expected all tensors to be on the same device, but found at least two devices, ";
  EXPECT_NE(error("    return x.cuda() + x\n").find("aten::add: " + says + "cuda:0 and cpu!"),
            std::string::npos);
  EXPECT_NE(error("    return x + x.cuda()\n").find(says + "cpu and cuda:0!"), std::string::npos);
  EXPECT_NE(error("    return torch.cat([x, x.cuda()])\n").find(says), std::string::npos);
  EXPECT_NE(error("    return x.mm(x.cuda())\n").find(says), std::string::npos);
  EXPECT_NE(error("    return x[0, 0].add_(x[0, 0].cuda())\n").find(says), std::string::npos);
  EXPECT_EQ(error("    return x.cuda() + x[0, 0]\n"), "ran");
}

// --- products

std::string products(const std::string& dtype) {
  const std::string cast = "." + dtype + "()";
  const std::string body =
      "    a = x.cuda()" + cast + "\n    b = y.cuda()" + cast +
      "\n    s = torch.stack([a, b])\n    return torch.mm(a, b).cpu(), torch.mm(a.t(), b).cpu(), "
      "torch.mm(a, b.t()).cpu(), torch.mm(a.t(), b.t()).cpu(), torch.addmm(a[0], a, b, beta=2.0, "
      "alpha=0.5).cpu(), torch.bmm(s, s).cpu(), torch.matmul(s, a).cpu(), torch.matmul(a, "
      "b[0]).cpu(), torch.mv(a, b[1]).cpu(), torch.nn.functional.linear(a[:, 1:], b[:, 1:], "
      "a[0]).cpu(), torch.matmul(s.reshape(2, 1, 3, 3), s).cpu(), torch.baddbmm(s, s, s).cpu()\n";
  const std::vector<IValue> inputs{IValue(square()), IValue(pattern_tensor({3, 3}))};
  const auto want = run(without(body, ".cuda()"), "eager", inputs);
  return difference(run(body, "eager", inputs)[0], want[0], dtype);
}

TEST(DeviceTensors, ProductsAreTheLibrarys) {
  for (const char* dtype : {"float", "double", "half", "bfloat16"})
    EXPECT_EQ(on_gpu({},
                     [&]() -> std::string {
                       return products(dtype) + fmt::format("{} products, {} on the cpu",
                                                            count("device/product"),
                                                            count("device/on-cpu"));
                     }),
              "12 products, 0 on the cpu")
        << dtype;
}

// Small ones are loops, others the cpu's.
TEST(DeviceTensors, ProductsWithoutTheLibrary) {
  EXPECT_EQ(on_gpu({{"FUSILLADE_CUBLAS", ""}},
                   [&]() -> std::string {
                     return products("float") + fmt::format("{} products, mm {}",
                                                            count("device/product"),
                                                            count("device/cpu-aten::mm"));
                   }),
            "0 products, mm 0");
  EXPECT_EQ(on_gpu({{"FUSILLADE_CUBLAS", ""}},
                   [&]() -> std::string {
                     const Tensor x = pattern_tensor({64, 64});
                     run("    return torch.mm(x.cuda(), x.cuda()).cpu()\n", "eager", {x, x});
                     return fmt::format("mm {}", count("device/cpu-aten::mm"));
                   }),
            "mm 1");
  EXPECT_EQ(on_gpu({}, [&]() -> std::string { return products("long"); }), "");
}

// --- gradients, threads, faults

TEST(DeviceTensors, GradientsFlow) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const std::string body =
                         "    x.requires_grad_(True)\n    a = x.cuda()\n    "
                         "(torch.tanh(a @ y.cuda()) * a).sum().backward()\n    return x.grad\n";
                     const auto inputs = [] {
                       return std::vector<IValue>{IValue(square()), IValue(pattern_tensor({3, 3}))};
                     };
                     const auto want = run(without(body, ".cuda()"), "eager", inputs());
                     return difference(run(body, "eager", inputs())[0], want[0], "eager") +
                            difference(run(body, "vm/o2", inputs())[0], want[0], "vm");
                   }),
            "");
}

TEST(DeviceTensors, SeveralThreadsShareOneStream) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const Tensor x = copied_to(square(), kCuda);
                     const std::string body =
                         "    a = x\n    for i in range(20):\n        a = torch.relu(a * 1.5 - "
                         "y)\n    return a.cpu()\n";
                     const auto want = run(body, "vm", {IValue(x), IValue(x)});
                     std::atomic<int> wrong{0};
                     std::vector<std::thread> threads;
                     for (int t = 0; t < 4; ++t)
                       threads.emplace_back([&] {
                         const auto got = run(body, "vm", {IValue(x), IValue(x)});
                         wrong += !bitwise_equal(got[0].as_tensor(), want[0].as_tensor());
                       });
                     for (std::thread& t : threads) t.join();
                     return fmt::format("{} wrong", wrong.load());
                   }),
            "0 wrong");
}

TEST(DeviceTensors, AFaultLosesTheGpu) {
  const std::string said = on_gpu({{"CUDA_STAND_IN_FAULT_AT", "1"}}, [] {
    run("    return (x.cuda() + 1).cpu()\n", "eager", {IValue(square()), IValue(square())});
    return std::string("ran");
  });
  EXPECT_EQ(said.find("lost: CUDA: cuStreamSynchronize"), 0u) << said;
  EXPECT_NE(said.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << said;
}

TEST(DeviceTensors, FunctionsOfCppFindThem) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const eager::Any x = eager::op("to", {square(), kCuda});
                     const eager::Any y = eager::op("add", {x, x});
                     const eager::Any z = eager::op("zeros", {eager::Any(eager::Ints{2})});
                     return fmt::format("{} {} {}", to_string(y.tensor().device()),
                                        element_as_double(y.tensor(), 0),
                                        to_string(z.tensor().device()));
                   }),
            "cuda:0 -6 cpu");
}

// --- archives

// A module whose tensors lie on the device, as an archive.
std::string archive_from_there() {
  const Script script = compile_script(
      "import torch\nfrom torch import nn\nclass M(nn.Module):\n    def __init__(self):\n        "
      "super().__init__()\n        self.register_buffer('b', torch.arange(6.0))\n    def "
      "forward(self, x):\n        return x.to(self.b.device) + self.b\n",
      "m.py");
  const Module module = instantiate(script, "M()");
  for (IValue& slot : module.self.as_object().slots)
    if (slot.is_tensor()) slot = IValue(copied_to(slot.as_tensor(), kCuda));
  (void)method_of(script, module, "forward");
  return save_archive(module);
}

TEST(DeviceTensors, ArchivesSayWhereTensorsLie) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const std::string bytes = archive_from_there();
                     const Module read = load_archive(bytes, "m.pt");
                     const Tensor out = prepare(*read.method("forward")->graph, parse_plan("vm/o2"))
                                            ->run({read.self, IValue(pattern_tensor({6}))})[0]
                                            .as_tensor();
                     return fmt::format(
                         "{} {} {} {}", to_string(out.device()), element_as_double(out, 5),
                         bytes.find("cuda:0") != std::string::npos, save_archive(read) == bytes);
                   }),
            "cuda:0 7 true true");
}

TEST(DeviceTensors, ArchivesOfADeviceThatIsNotThere) {
  const std::string bytes = on_gpu({}, &archive_from_there);
  const std::string said = on_gpu({{"CUDA_STAND_IN_DEVICES", "0"}}, [&]() -> std::string {
    load_archive(bytes, "m.pt");
    return "read";
  });
  EXPECT_NE(said.find("a tensor lies on device 'cuda:0' (legal: 'cpu'); no GPU: "),
            std::string::npos)
      << said;
}

// --- plans

TEST(DeviceTensors, PlansOnADeviceGiveBackWhatTheyWrote) {
  const std::string body =
      "    z = torch.zeros(3) + torch.tensor([1.0, 2.0, 3.0])\n    x.add_(1)\n    v = x[0]\n    "
      "v.mul_(2)\n    return x, v, x + z, y, [x, torch.cumsum(y, 0)]\n";
  for (const char* plan : {"eager@cuda", "vm@cuda/o2", "vm@cuda:0/o2,fuse(tile,cuda)"}) {
    EXPECT_EQ(on_gpu({},
                     [&]() -> std::string {
                       const IValue x(square()), y(square()), w(square()), v(square());
                       const auto want = run(body, "eager", {w, v});
                       const auto got = run(body, plan, {x, y});
                       std::string bad = difference(got[0], want[0], plan);
                       const std::vector<IValue>& out = got[0].items();
                       if (!out[0].identical(x) || !out[3].identical(y)) bad += "other handles ";
                       if (!out[1].as_tensor().shares_storage(x.as_tensor())) bad += "no view ";
                       for (const IValue& t : {x, y, out[1], out[2], out[4].items()[1]})
                         if (!in_reach(t.as_tensor())) bad += "left there ";
                       if (!bitwise_equal(x.as_tensor(), w.as_tensor())) bad += "not written ";
                       if (count("device/kernel") + count("fuse/launched") == 0) bad += "not run ";
                       return bad;
                     }),
              "")
        << plan;
  }
}

TEST(DeviceTensors, APlanThatRaisesLeavesWhatWasWritten) {
  EXPECT_EQ(on_gpu({},
                   []() -> std::string {
                     const IValue x(square());
                     std::string said = "nothing";
                     try {
                       run("    x.add_(1)\n    return x.reshape(2, 2)\n", "eager@cuda", {x, x});
                     } catch (const Error&) {
                       said = "raised";
                     }
                     const Tensor t = x.as_tensor();
                     return fmt::format("{} {} {}", said, to_string(t.device()),
                                        element_as_double(t, 0));
                   }),
            "raised cpu -2");
}

}  // namespace
}  // namespace fusillade
