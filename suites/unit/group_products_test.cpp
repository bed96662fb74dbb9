// Matrix products and convolutions in groups of loopnest: each program is one kernel, and gives
// what its operators give. What is large, or of dynamic sizes, runs as operators between groups.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/base/probe.h"
#include "engine/fuse/compile_log.h"
#include "engine/ir/graph.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"
#include "suites/unit/same_on_grids.h"

namespace fusillade {
namespace {

constexpr const char* kHead =
    "  %none : NoneType = prim::Constant()\n  %no : bool = prim::Constant[value=0]()\n"
    "  %zero : int = prim::Constant[value=0]()\n"
    "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
    "  %minus : int = prim::Constant[value=-1]()\n"
    "  %once : int[] = prim::Constant[value=[1]]()\n  %s2 : int[] = prim::Constant[value=[2]]()\n"
    "  %p0 : int[] = prim::Constant[value=[0]]()\n  %p21 : int[] = prim::Constant[value=[2, 1]]()\n"
    "  %s12 : int[] = prim::Constant[value=[1, 2]]()\n"
    "  %same : str = prim::Constant[value=\"same\"]()\n";

std::string text_of(const std::string& body) {
  std::string head = "graph(%x : Tensor, %y : Tensor, %z : Tensor):\n";
  return head + kHead + body + "  return (%r)\n";
}

// A product and what follows it.
std::string product(const std::string& call) {
  return text_of("  %a : Tensor = " + call + "\n  %r : Tensor = aten::relu(%a)\n");
}

Tensor test_tensor(const Dims& sizes, DType dtype, int64_t from = 0) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, static_cast<double>(((i + from) * 7 + i / 11) % 7 - 3));
  return t;
}

struct Of {
  std::string text;
  Dims x, y, z;
};

std::vector<IValue> inputs_of(const Of& p, DType dtype) {
  return {test_tensor(p.x, dtype), test_tensor(p.y, dtype, 3), test_tensor(p.z, dtype, 5)};
}

std::vector<std::string> backends() { return {"interp", "llvm"}; }

// One kernel, of the bits that operators give.
void expect_one_kernel(const std::string& text, const std::vector<IValue>& inputs,
                       const std::string& backend) {
  const auto graph = parse_graph(text);
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  fuse::CompileLog log;
  const auto given = prepare(*graph, parse_plan("vm/fuse(loopnest," + backend + ")"))->run(inputs);
  const std::string where = fmt::format(
      "{}{} {} {} on {}", text.substr(text.find("%same")), describe(inputs[0].as_tensor()),
      describe(inputs[1].as_tensor()), describe(inputs[2].as_tensor()), backend);
  ASSERT_EQ(log.compilations.size(), 1u) << where;
  EXPECT_EQ(log.compilations[0].why, "") << where;
  EXPECT_EQ(log.launches.size(), 1u) << where;
  ASSERT_EQ(given.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(bitwise_equal(wanted[i].as_tensor(), given[i].as_tensor()))
        << where << "\n"
        << (log.compilations[0].lowered.kernel.pool ? print(log.compilations[0].lowered.kernel)
                                                    : "");
}

void expect_kernels(const std::vector<Of>& programs, std::initializer_list<DType> dtypes) {
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const Of& p : programs)
      for (const DType dtype : dtypes)
        for (const std::string& backend : backends())
          expect_one_kernel(p.text, inputs_of(p, dtype), backend);
  }
}

std::vector<Of> products() {
  const std::string linear = product("aten::linear(%x, %y, %z)");
  const std::string mm = product("aten::mm(%x, %y)"), matmul = product("aten::matmul(%x, %y)");
  return {{linear, {3, 5}, {4, 5}, {4}},
          {linear, {12, 8}, {20, 8}, {20}},  // the weight is copied
          {linear, {2, 3, 40}, {6, 40}, {6}},
          {linear, {5}, {4, 5}, {4}},
          {linear, {3, 1}, {1, 1}, {1}},
          {mm, {3, 5}, {5, 4}, {1}},
          {mm, {2, 24}, {24, 17}, {1}},
          {mm, {2, 200}, {200, 2}, {1}},  // too many iterations to unroll
          {mm, {3, 0}, {0, 4}, {1}},
          {mm, {0, 3}, {3, 4}, {1}},
          {mm, {1, 7}, {7, 1}, {1}},
          {product("aten::addmm(%z, %x, %y, %two, %minus)"), {3, 5}, {5, 4}, {3, 1}},
          {product("aten::addmm(%z, %x, %y, %zero, %two)"), {3, 5}, {5, 4}, {4}},
          {product("aten::addmm(%z, %x, %y)"), {3, 0}, {0, 4}, {4}},
          {product("aten::bmm(%x, %y)"), {2, 3, 5}, {2, 5, 9}, {1}},
          {product("aten::baddbmm(%z, %x, %y, %two, %one)"), {2, 3, 5}, {2, 5, 4}, {1, 1, 4}},
          {matmul, {2, 1, 3, 5}, {4, 5, 2}, {1}},
          {matmul, {3, 5}, {2, 5, 4}, {1}},
          {matmul, {5}, {2, 5, 4}, {1}},
          {matmul, {2, 3, 5}, {5}, {1}},
          {matmul, {5}, {5}, {1}},
          {product("aten::mv(%x, %y)"), {3, 5}, {5}, {1}},
          {product("aten::dot(%x, %y)"), {9}, {9}, {1}},
          {text_of("  %a : Tensor = aten::mul(%x, %x)\n  %t : Tensor = aten::t(%a)\n"
                   "  %b : Tensor = aten::mm(%t, %y)\n  %c : Tensor = aten::relu(%b)\n"
                   "  %d : Tensor = aten::mm(%x, %c)\n"
                   "  %r : Tensor = aten::add(%d, %z, %one)\n"),
           {4, 4},
           {4, 4},
           {4}}};
}

std::vector<Of> convolutions() {
  const auto conv = [](const std::string& words) { return product("aten::conv" + words); };
  const std::string plain = conv("2d(%x, %y, %z, %once, %p0, %once, %one)");
  const std::string padded = conv("2d(%x, %y, %z, %once, %p21, %once, %one)");
  const std::string traced =
      "_convolution(%x, %y, %z, %once, %p21, %once, %no, %p0, %one, %no, %no, %no, %no)";
  return {{product("aten::" + traced), {1, 2, 4, 5}, {3, 2, 3, 3}, {3}},
          {plain, {2, 3, 5, 6}, {4, 3, 2, 3}, {4}},
          {plain, {3, 5, 6}, {4, 3, 1, 1}, {4}},
          {padded, {1, 2, 4, 5}, {3, 2, 3, 3}, {3}},
          {padded, {2, 1, 1, 1}, {1, 1, 3, 1}, {1}},
          {padded, {0, 2, 4, 5}, {3, 2, 3, 3}, {3}},
          {conv("2d(%x, %y, %none, %s12, %p21, %s2, %two)"), {1, 4, 5, 6}, {6, 2, 2, 3}, {1}},
          {conv("2d(%x, %y, %z, %once, %once, %once, %two)"), {1, 2, 9, 17}, {2, 1, 3, 3}, {2}},
          {conv("2d(%x, %y, %z, %once, %same, %once, %one)"), {1, 2, 4, 5}, {3, 2, 2, 3}, {3}},
          {conv("1d(%x, %y, %z, %s2, %once, %once, %one)"), {2, 3, 9}, {4, 3, 3}, {4}},
          {conv("1d(%x, %y, %none, %once, %s2, %s2, %one)"), {3, 9}, {4, 3, 2}, {1}}};
}

TEST(GroupProducts, GiveWhatTheirOperatorsGive) {
  expect_kernels(products(), {DType::F32, DType::F64, DType::I64, DType::F16, DType::BF16});
  expect_kernels(products(), {DType::I32, DType::U8});
}

TEST(GroupConvolutions, GiveWhatTheirOperatorsGive) {
  expect_kernels(convolutions(), {DType::F32, DType::F64, DType::I64, DType::F16, DType::BF16});
}

// Their loops as grids, on the interpreter and as CUDA text.
TEST(GroupProducts, OnGrids) {
  kernel::built::OnGrids grids;
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const auto& programs : {products(), convolutions()})
      for (const Of& p : programs)
        for (const DType dtype : {DType::F32, DType::BF16, DType::I64}) {
          fuse::CompileLog log;
          prepare(*parse_graph(p.text), parse_plan("vm/fuse(loopnest,interp)"))
              ->run(inputs_of(p, dtype));
          ASSERT_EQ(log.compilations.size(), 1u) << p.text;
          grids.add(log.compilations[0].lowered, domain == Domain::Real && dtype == DType::F32);
          ASSERT_FALSE(HasFatalFailure()) << p.text << " of " << name_of(dtype);
        }
  }
  grids.expect_same_text();
  expect_one_kernel(products()[1].text, inputs_of(products()[1], DType::F32), "cuda-emulated");
  expect_one_kernel(convolutions()[0].text, inputs_of(convolutions()[0], DType::F32),
                    "cuda-emulated");
}

// Operands that are transposed, strided, or one element for all.
TEST(GroupProducts, ReadAnyStrides) {
  const std::string mm = product("aten::mm(%x, %y)");
  const Tensor base = test_tensor({12, 30}, DType::F32);
  const Tensor turned = Tensor::view_of(base, 2, {9, 10}, {1, 30});
  const Tensor strided = Tensor::view_of(base, 1, {10, 10}, {30, 2});
  const Tensor one = Tensor::view_of(base, 4, {10, 10}, {0, 0});
  const Tensor row = Tensor::view_of(base, 4, {10, 10}, {0, 1});
  for (const std::string& backend : backends())
    for (const Tensor& x : {turned, strided, one, row})
      for (const Tensor& y : {Tensor::view_of(base, 2, {10, 10}, {1, 30}), strided, one, row}) {
        expect_one_kernel(mm, {x, y, one}, backend);
        expect_one_kernel(product("aten::linear(%x, %y, %none)"), {x, y, one}, backend);
      }
}

// What is not finite, and signs of zeros.
TEST(GroupProducts, KeepWhatIsNotFiniteAndSigns) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (const float odd : {inf, nan, -0.0f}) {
    const Tensor x = test_tensor({2, 3}, DType::F32), y = test_tensor({3, 4}, DType::F32, 2);
    const Tensor z = Tensor::empty({4}, DType::F32);
    for (int64_t i = 0; i < 4; ++i) set_element(z, i, -0.0);
    for (int64_t i = 0; i < 3; ++i) set_element(x, i, static_cast<double>(odd));
    for (int64_t i = 0; i < 3; ++i) set_element(y, 4 * i, 1.0);
    const std::string text =
        text_of("  %a : Tensor = aten::addmm(%z, %x, %y)\n  %r : Tensor = aten::neg(%a)\n");
    for (const std::string& backend : backends()) {
      const auto graph = parse_graph(text);
      const auto wanted = prepare(*graph, parse_plan("eager"))->run({x, y, z})[0].as_tensor();
      fuse::CompileLog log;
      const auto plan = prepare(*graph, parse_plan("vm/fuse(loopnest," + backend + ")"));
      const auto given = plan->run({x, y, z})[0].as_tensor();
      ASSERT_EQ(log.launches.size(), 1u);
      for (int64_t i = 0; i < wanted.numel(); ++i) {
        const double a = element_as_double(wanted, i), b = element_as_double(given, i);
        EXPECT_TRUE(std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b))
            << backend << " " << odd << " at " << i << ": " << a << " and " << b;
      }
    }
  }
}

// A factor of 0 leaves the bias unread.
TEST(GroupProducts, DoNotReadABiasTimesZero) {
  const std::string text = product("aten::addmm(%z, %x, %y, %zero, %one)");
  const Tensor z = Tensor::empty({4}, DType::F32);
  for (int64_t i = 0; i < 4; ++i) set_element(z, i, std::nan(""));
  for (const std::string& backend : backends())
    expect_one_kernel(text, {test_tensor({3, 5}, DType::F32), test_tensor({5, 4}, DType::F32), z},
                      backend);
}

// Floats that round: as close to the exact sums as operators are.
TEST(GroupProducts, RoundAsLittleAsOperators) {
  const Tensor x = test_tensor({4, 64}, DType::F32), y = test_tensor({64, 16}, DType::F32, 3);
  for (int64_t i = 0; i < x.numel(); ++i) set_element(x, i, 1.0 / static_cast<double>(i + 3));
  for (int64_t i = 0; i < y.numel(); ++i) set_element(y, i, std::sin(static_cast<double>(i)));
  const auto graph = parse_graph(product("aten::mm(%x, %y)"));
  for (const std::string& backend : backends()) {
    const auto plan = prepare(*graph, parse_plan("vm/fuse(loopnest," + backend + ")"));
    const Tensor r = plan->run({x, y, x})[0].as_tensor();
    for (int64_t i = 0; i < r.numel(); ++i) {
      double sum = 0, most = 0;
      for (int64_t l = 0; l < 64; ++l) {
        const double term =
            element_as_double(x, i / 16 * 64 + l) * element_as_double(y, l * 16 + i % 16);
        sum += term;
        most += std::abs(term);
      }
      EXPECT_NEAR(element_as_double(r, i), std::max(sum, 0.0), 64 * 0x1p-24 * most);
    }
  }
}

// Made for small ones; a large one runs as its operator, and what is around it in groups of its
// own.
TEST(GroupProducts, LargeOnesRunBetweenGroups) {
  const std::string text = text_of(
      "  %a : Tensor = aten::neg(%x)\n  %b : Tensor = aten::mul(%a, %x)\n"
      "  %m : Tensor = aten::mm(%b, %y)\n  %c : Tensor = aten::add(%m, %z, %one)\n"
      "  %r : Tensor = aten::relu(%c)\n");
  const auto graph = parse_graph(text);
  const auto plan = prepare(*graph, parse_plan("vm/fuse(loopnest,llvm)"));
  for (const int64_t n : {8, 64, 8, 64}) {
    const std::vector<IValue> inputs{test_tensor({n, n}, DType::F32),
                                     test_tensor({n, n}, DType::F32), test_tensor({n}, DType::F32)};
    const Tensor wanted = prepare(*graph, parse_plan("eager"))->run(inputs)[0].as_tensor();
    fuse::CompileLog log;
    EXPECT_TRUE(bitwise_equal(wanted, plan->run(inputs)[0].as_tensor()));
    EXPECT_EQ(log.launches.size(), n == 8 ? 1u : 2u);
  }
}

// Where types say that it is large it is not even in the group.
TEST(GroupProducts, KnownToBeLargeStayOutside) {
  for (const int64_t n : {8, 64}) {
    const auto graph = parse_graph(fmt::format(
        "graph(%x : Float({0}, {0}, strides=[{0}, 1]), %y : Float({0}, {0}, strides=[{0}, 1])):\n"
        "  %a : Float({0}, {0}, strides=[{0}, 1]) = aten::mm(%x, %y)\n"
        "  %b : Float({0}, {0}, strides=[{0}, 1]) = aten::relu(%a)\n"
        "  %r : Float({0}, {0}, strides=[{0}, 1]) = aten::neg(%b)\n  return (%r)\n",
        n));
    fuse::CompileLog log;
    const Tensor x = test_tensor({n, n}, DType::F32);
    prepare(*graph, parse_plan("vm/fuse(loopnest,llvm)"))->run({x, x});
    ASSERT_EQ(log.compilations.size(), 1u);
    EXPECT_EQ(log.compilations[0].group.find("aten::mm") != std::string::npos, n == 8);
    EXPECT_EQ(log.compilations[0].why, "");
  }
}

TEST(GroupProducts, SeparateOnesStayOutside) {
  const auto graph =
      parse_graph(text_of("  %a : Tensor = aten::mm(%x, %y)\n  %b : Tensor = aten::relu(%a)\n"
                          "  %r : Tensor = aten::neg(%b)\n"));
  fuse::CompileLog log;
  const Tensor x = test_tensor({4, 4}, DType::F32);
  prepare(*graph, parse_plan("vm/fuse(loopnest,llvm,apart)"))->run({x, x, x});
  ASSERT_EQ(log.compilations.size(), 1u);
  EXPECT_EQ(log.compilations[0].group.find("aten::mm"), std::string::npos);
}

}  // namespace
}  // namespace fusillade
