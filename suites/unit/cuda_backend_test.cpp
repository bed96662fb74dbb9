// Back end `cuda` on the driver of suites/stand_in: what it computes, what it keeps, and what it
// says where the driver will not do.
#include "engine/kernel/cuda_backend.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/base/options.h"
#include "engine/base/probe.h"
#include "engine/fuse/on_grids.h"
#include "engine/kernel/disk_cache.h"
#include "engine/kernel/nvrtc.h"
#include "suites/unit/drawn_grids.h"
#include "suites/unit/on_stand_in.h"

namespace fusillade::kernel::cuda {
namespace {

using namespace built;
namespace fs = std::filesystem;

// What differs from the interpreter; empty: nothing.
std::string difference(const Kernel& k, const Program& p, bool exact,
                       const std::vector<Cell>& scalars = {}) {
  expect_as_interpreted(k, p, exact, scalars);
  return testing::Test::HasFailure() ? "differs (said above)\n" : "";
}

std::string all_compared(const std::vector<Kernel>& kernels, bool exact = true) {
  std::string out;
  for (const Kernel& k : kernels) {
    check(k);
    out += difference(k, *compile_for(this_device(), k), exact);
    if (!out.empty()) break;
  }
  return out;
}

std::vector<Kernel> by_hand() {
  std::vector<Kernel> out{tree_sum(3, 32), tree_sum(1, 256), warp_sum(DType::F64, 2, 96),
                          warp_sum(DType::F16, 2, 32)};
  for (DType dtype : {DType::F32, DType::BF16, DType::Bool, DType::I64})
    out.push_back(transpose(dtype, 19, 13));
  return out;
}

fuse::Lowered golden(const fs::path& path) {
  std::ifstream in(path);
  std::string first;
  std::getline(in, first);
  const std::string rest{std::istreambuf_iterator<char>(in), {}};
  const auto graph = parse_graph(rest);
  std::vector<fuse::ArgSpec> args;
  for (const Value* v : graph->inputs())
    args.push_back(
        {true, v->type().info().dtype, v->type().info().sizes, v->type().info().strides});
  return fuse::on_grids(
      fuse::fuser(first.substr(first.rfind(' ') + 1)).lower(*graph, args, nullptr));
}

TEST(CudaBackend, GridsComputeWhatTheyMean) {
  EXPECT_EQ(in_child({}, [] { return all_compared(by_hand()); }), "");
}

TEST(CudaBackend, DrawnGridsComputeWhatTheyMean) {
  EXPECT_EQ(in_child({}, [] { return all_compared(draw_kernels(0, 40)); }), "");
}

TEST(CudaBackend, GoldenKernels) {
  size_t ran = 0;
  for (const auto& entry :
       fs::directory_iterator(std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/kernels")) {
    if (entry.path().extension() != ".ir") continue;
    const std::string said = in_child({}, [&]() -> std::string {
      const Kernel k = golden(entry.path()).kernel;
      return difference(k, *compile_for(this_device(), k), false);
    });
    EXPECT_EQ(said, "") << entry.path();
    ++ran;
  }
  EXPECT_GE(ran, 5u);
}

TEST(CudaBackend, ScalarsAndDynamicSizes) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       const Kernel k = affine_kernel(0);
                       const auto program = compile_for(this_device(), k);
                       for (int64_t n : {7, 0, 300}) {
                         std::vector<float> in(static_cast<size_t>(n), 3);
                         std::vector<double> out(4 * in.size());
                         const Cell scalars[] = {Cell::of(2.5), Cell::of(n), Cell::of(0.25f),
                                                 Cell::of(int64_t{-3})};
                         void* buffers[] = {in.data(), out.data()};
                         program->launch({buffers, reinterpret_cast<const uint64_t*>(scalars)});
                         for (double v : out)
                           if (v != 3 * 2.5 + 0.25 - 3) return fmt::format("{} of {}", v, n);
                       }
                       return "";
                     }),
            "");
}

// out[2 * i] = -in[2 * i]
TEST(CudaBackend, WhatLiesBetweenElementsIsLeft) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       Kernel k = empty_kernel();
                       ExprPool::Scope scope(*k.pool);
                       for (BufferRole role : {BufferRole::In, BufferRole::Out})
                         k.buffers.push_back({role, DType::F32, Dims{64}, Dims{2}});
                       k.body.push_back(grid(
                           2, 32,
                           several(set(Stmt::Kind::Let, 2, at(0) * whole(32) + at(1)),
                                   store_to(1, {at(2)}, -Expr::load(0, DType::F32, {at(2)})))));
                       return all_compared({k});
                     }),
            "");
}

// Twice as much, on a stream of the caller's.
TEST(CudaBackend, BuffersOfTheDeviceOnAStream) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       Kernel k = empty_kernel();
                       ExprPool::Scope scope(*k.pool);
                       for (BufferRole role : {BufferRole::In, BufferRole::Out})
                         add_buffer(k, role, DType::F32, Dims{64});
                       const Expr x = Expr::load(0, DType::F32, {at(1)});
                       k.body.push_back(grid(1, 64, several(store_to(1, {at(1)}, x + x))));
                       const kernel::cuda::Device& d = this_device();
                       const auto program = compile_for(d, k);
                       const StreamLease lease(d);
                       Block in(d.pool(), 256, lease.get()), out(d.pool(), 256, lease.get());
                       std::vector<float> host(64, 3);
                       d.ask(d.driver().to_device, "test", in.address(),
                             static_cast<const void*>(host.data()), size_t{256}, lease.get());
                       void* buffers[] = {reinterpret_cast<void*>(in.address()),
                                          reinterpret_cast<void*>(out.address())};
                       program->launch({buffers, nullptr}, {DeviceType::Cuda, lease.get()});
                       d.ask(d.driver().to_host, "test", static_cast<void*>(host.data()),
                             out.address(), size_t{256}, lease.get());
                       d.ask(d.driver().wait_stream, "test", lease.get());
                       return std::ranges::count(host, 6.0f) == 64 ? "" : "other numbers";
                     }),
            "");
}

TEST(CudaBackend, KernelsOfTheHostTakeNoStreamOfADevice) {
  const Kernel k = tree_sum(3, 64);
  const auto program = backend("interp").compile(k);
  EXPECT_THROW(program->launch({nullptr, nullptr}, {DeviceType::Cuda}), Bug);
}

// Writes one element further than b1 has.
Kernel beyond() {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  const int in = add_buffer(k, BufferRole::In, DType::F32, Dims{64});
  const int out = add_buffer(k, BufferRole::Out, DType::F32, Dims{63});
  k.body.push_back(
      grid(1, 64, several(store_to(out, {at(1)}, Expr::load(in, DType::F32, {at(1)})))));
  return k;
}

TEST(CudaBackend, WhatIsWrittenOutsideIsABug) {
  const std::string said = in_child({}, [] {
    const Kernel k = beyond();
    Memory m = memory_of(k, 1);
    launch(*compile_for(this_device(), k), k, m);
    return std::string();
  });
  EXPECT_NE(said.find("the GPU wrote outside b1 in kernel_0"), std::string::npos) << said;
}

// --- what is kept

TEST(CudaBackend, OnePoolServesAllLaunches) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       const Kernel k = tree_sum(3, 64);
                       const auto program = compile_for(this_device(), k);
                       Memory m = memory_of(k, 1);
                       for (int i = 0; i < 10; ++i) launch(*program, k, m);
                       const PoolStats s = this_device().pool().stats();
                       return fmt::format("{} asked, {} reused, {} in use", s.asked, s.reused,
                                          s.in_use);
                     }),
            "20 asked, 18 reused, 0 in use");
}

TEST(CudaBackend, CodeIsKeptOnDisk) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("fusillade-cuda-{}", getpid());
  const auto run = [&](const char* compiler) {
    return in_child({{"FUSILLADE_CUDA_SHIM_COMPILER", compiler}}, [&]() -> std::string {
      set_disk_cache(folder);
      const std::string wrong = all_compared({tree_sum(2, 64)});
      return wrong + fmt::format("{} compiled", probe("kernel/cuda-compiled").count());
    });
  };
  EXPECT_EQ(run("clang++-19"), "1 compiled");
  EXPECT_EQ(run("no-compiler"), "0 compiled");
  for (const auto& entry : fs::directory_iterator(folder)) fs::resize_file(entry.path(), 300);
  EXPECT_EQ(run("clang++-19"), "1 compiled");
  fs::remove_all(folder);
}

TEST(CudaBackend, InMemoryByContent) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       const auto one = compile_cached(tree_sum(2, 64), backend("cuda"));
                       const auto two = compile_cached(tree_sum(2, 64), backend("cuda"));
                       return fmt::format("{} {}", one == two,
                                          probe("kernel/cuda-compiled").count());
                     }),
            "true 1");
}

TEST(CudaBackend, SeveralThreadsAtOnce) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       const Kernel k = tree_sum(3, 64);
                       const auto program = compile_for(this_device(), k);
                       Memory want = memory_of(k, 1);
                       launch(*program, k, want);
                       std::atomic<int> wrong{0};
                       std::vector<std::thread> threads;
                       for (int t = 0; t < 4; ++t)
                         threads.emplace_back([&] {
                           for (int i = 0; i < 20; ++i) {
                             Memory m = memory_of(k, 1);
                             launch(*program, k, m);
                             wrong += m != want;
                           }
                         });
                       for (std::thread& t : threads) t.join();
                       return fmt::format("{} wrong", wrong.load());
                     }),
            "0 wrong");
}

TEST(CudaBackend, TimesOfKernels) {
  EXPECT_EQ(in_child({},
                     []() -> std::string {
                       const Kernel k = tree_sum(3, 64);
                       const auto program = compile_for(this_device(), k);
                       Memory m = memory_of(k, 1);
                       launch(*program, k, m);
                       Times times;
                       launch(*program, k, m);
                       launch(*program, k, m);
                       for (const Times::Launch& l : times.launches)
                         if (l.milliseconds <= 0 || l.bytes != 4 * (3 * 64 + 3)) return "not so";
                       return fmt::format("{} launches", times.launches.size());
                     }),
            "2 launches");
}

// --- when there is no more

std::string launch_once(const Kernel& k) {
  Memory m = memory_of(k, 1);
  launch(*compile_for(this_device(), k), k, m);
  return "";
}

// Blocks of one size are kept; for one of another there is room only when they go back.
TEST(CudaBackend, MemoryThatIsKeptGoesBackWhereThereIsNoMore) {
  EXPECT_EQ(in_child({{"CUDA_STAND_IN_MEMORY_MB", "1"}},
                     []() -> std::string {
                       for (int64_t rows : {300, 500, 300, 700})
                         (void)launch_once(tree_sum(rows, 256));
                       return fmt::format("{}, {}", this_device().pool().stats().emptied,
                                          all_compared({tree_sum(7, 32)}));
                     }),
            "1, ");
}

// Code takes memory too.
TEST(CudaBackend, WhatIsKeptGoesBackForCode) {
  EXPECT_EQ(in_child({{"CUDA_STAND_IN_MEMORY_MB", "1"}},
                     []() -> std::string {
                       Pool& pool = this_device().pool();
                       {
                         const StreamLease stream(this_device());
                         std::vector<Block> blocks;
                         for (size_t bytes : {3u << 18, 3u << 16, 1u << 16})
                           blocks.emplace_back(pool, bytes, stream.get());
                       }
                       const uint64_t before = pool.stats().kept;
                       const std::string wrong = launch_once(tree_sum(2, 64));
                       return fmt::format("{} kept, {}{}", before, pool.stats().emptied, wrong);
                     }),
            "1048576 kept, 1");
}

TEST(CudaBackend, MemoryThatIsNotThere) {
  const auto run = [](const Environment& environment) {
    return in_child(environment, [] { return launch_once(tree_sum(2000, 256)); });
  };
  EXPECT_EQ(run({{"CUDA_STAND_IN_MEMORY_MB", "1"}}),
            "error: no more memory on the GPU: 2048512 bytes are asked for, 0 are in use here");
  const std::string limited = run({{"FUSILLADE_CUDA_MEMORY_MB", "1"}});
  EXPECT_NE(limited.find("the limit is 1048576 (FUSILLADE_CUDA_MEMORY_MB)"), std::string::npos)
      << limited;
  EXPECT_EQ(run({{"FUSILLADE_CUDA_KEPT_MB", "0"}}), "");
  EXPECT_NE(run({{"FUSILLADE_CUDA_KEPT_MB", "-1"}}).find("FUSILLADE_CUDA_KEPT_MB='-1'"),
            std::string::npos);
}

// --- what the driver says

TEST(CudaBackend, AGpuThatIsLostStaysLost) {
  const auto run = [](const char* code) {
    return in_child({{"CUDA_STAND_IN_FAULT_AT", "2"}, {"CUDA_STAND_IN_FAULT", code}},
                    []() -> std::string {
                      const Kernel k = tree_sum(3, 64);
                      const auto program = compile_for(this_device(), k);
                      Memory m = memory_of(k, 1);
                      launch(*program, k, m);
                      std::string said = device_lost() ? "lost before; " : "";
                      for (int i = 0; i < 2; ++i) {
                        try {
                          launch(*program, k, m);
                          said += "launched; ";
                        } catch (const DeviceLost& e) {
                          said += std::string(e.what()) + "; ";
                        }
                      }
                      return said + (device_lost() ? "lost" : "not lost");
                    });
  };
  EXPECT_EQ(run("700"),
            "CUDA: cuStreamSynchronize (kernel_0): CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal "
            "memory access was encountered; this process can use the GPU no more; CUDA: the GPU is "
            "lost to this process: a kernel before failed; lost");
  EXPECT_NE(run("719").find("CUDA_ERROR_LAUNCH_FAILED (719)"), std::string::npos);
  EXPECT_NE(run("12345").find("error 12345"), std::string::npos);
}

TEST(CudaBackend, AThreadThatDoesNotComeIsALostGpu) {
  const std::string said = in_child({}, [] {
    Kernel k = tree_sum(1, 64);
    ExprPool::Scope scope(*k.pool);
    k.body[0].body[0].body.push_back(when(at(1) < whole(7), several(barrier())));
    Memory m = memory_of(k, 1);
    launch(*compile_for(this_device(), k), k, m);
    return std::string();
  });
  EXPECT_NE(said.find("lost: CUDA: cuStreamSynchronize (kernel_0)"), std::string::npos) << said;
}

TEST(CudaBackend, ACopyOfTheProcessCannotUseIt) {
  const std::string said = in_child({}, []() -> std::string {
    const Kernel k = tree_sum(1, 64);
    const auto program = compile_for(this_device(), k);
    return in_child({}, [&]() -> std::string {
      Memory m = memory_of(k, 1);
      launch(*program, k, m);
      return "";
    });
  });
  EXPECT_NE(said.find("CUDA cannot be used in a copy of a process"), std::string::npos) << said;
}

// What the stand-in is for: the host does not read what is the device's.
TEST(CudaBackend, TheHostCannotTouchDeviceMemory) {
  const std::string said = in_child({}, []() -> std::string {
    const StreamLease stream(this_device());
    const Block block(this_device().pool(), 64, stream.get());
    return fmt::format("{}", *reinterpret_cast<volatile char*>(block.address()));
  });
  EXPECT_TRUE(said.starts_with("died: signal 11") || said.find("SEGV") != std::string::npos)
      << said;
}

TEST(CudaBackend, WhatIsMissingIsSaid) {
  const auto needs = [](const Environment& environment) {
    return in_child(environment, [] { return backend("cuda").needs(); });
  };
  const auto compile_error = [](const Environment& environment) {
    return in_child(environment, [] {
      (void)compile_cached(tree_sum(1, 64), backend("cuda"));
      return std::string();
    });
  };
  EXPECT_EQ(needs({}),
            "a GPU: stand-in for a GPU (sm_90), driver for CUDA 13.0; NVRTC: 13.0; "
            "cuBLAS: " FUSILLADE_CUDA_STAND_IN);
  const Environment old{{"CUDA_STAND_IN_VERSION", "12040"}};
  EXPECT_NE(needs(old).find("is for CUDA 12.4; what NVRTC makes needs one for 13.0 or newer"),
            std::string::npos)
      << needs(old);
  EXPECT_TRUE(compile_error(old).starts_with("declined: the CUDA driver (")) << compile_error(old);
  const Environment none{{"CUDA_STAND_IN_DEVICES", "0"}};
  EXPECT_EQ(compile_error(none),
            "declined: no GPU can be used: cuInit: CUDA_ERROR_NO_DEVICE (100): no "
            "CUDA-capable device is detected");
  EXPECT_NE(compile_error({{"FUSILLADE_CUDA_DEVICE", "3"}}).find("declined: there is no GPU 3"),
            std::string::npos);
  const Environment no_library{{"FUSILLADE_CUDA_DRIVER", "/nowhere/libcuda.so"}};
  EXPECT_TRUE(compile_error(no_library)
                  .starts_with("error: option cuda_driver: /nowhere/libcuda.so: cannot open"))
      << compile_error(no_library);
  EXPECT_EQ(
      compile_error({{"FUSILLADE_CUDA_DRIVER", "libm.so.6"}}),
      "error: option cuda_driver: libm.so.6 is no CUDA driver that will do: it has no cuInit");
}

TEST(CudaBackend, WithoutADriverItIsAbsentWithoutComplaint) {
  if (dlopen("libcuda.so.1", RTLD_NOW)) GTEST_SKIP() << "there is one here";
  const Environment absent{{"FUSILLADE_CUDA_DRIVER", ""}};
  const std::string said = in_child(absent, [] {
    (void)compile_cached(tree_sum(1, 64), backend("cuda"));
    return std::string();
  });
  EXPECT_TRUE(said.starts_with("declined: no CUDA driver is here: libcuda.so.1: cannot open"))
      << said;
}

TEST(CudaBackend, WhatIsNoGridIsDeclined) {
  EXPECT_EQ(in_child({},
                     [] {
                       const Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32,
                                                    [](Exprs& in) { return in[0]; });
                       (void)compile_for(this_device(), k);
                       return std::string();
                     }),
            "declined: a statement that is in no grid");
}

TEST(CudaBackend, CodeThatTheDriverRefuses) {
  const auto run = [](const Environment& environment) {
    return in_child(environment, [] {
      (void)compile_for(this_device(), tree_sum(2, 64));
      return nvrtc_identity();
    });
  };
  const std::string none = run({{"CUDA_STAND_IN_CAPABILITY", "70"}});
  EXPECT_EQ(none, "declined: NVRTC 13.0 makes no code for stand-in for a GPU (sm_70)");
  const std::string nvidias = run({{"FUSILLADE_NVRTC", ""}});
  if (nvidias.starts_with("declined: NVRTC is not here")) GTEST_SKIP() << "ci/setup.sh --cuda";
  EXPECT_EQ(nvidias,
            "bug: CUDA: cuModuleLoadData (what NVRTC made of a kernel): CUDA_ERROR_INVALID_IMAGE "
            "(200): device kernel image is invalid");
}

}  // namespace
}  // namespace fusillade::kernel::cuda
