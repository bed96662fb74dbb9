// The tile fuser: which grids a group becomes, what is kept in registers and what is read again,
// and that every back end computes with them what eager mode does.
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "engine/base/probe.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/lowering.h"
#include "engine/ir/graph.h"
#include "engine/kernel/cuda.h"
#include "engine/kernel/nvrtc.h"
#include "engine/kernel/wide.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

constexpr const char* kHead =
    "  %no : bool = prim::Constant[value=0]()\n  %yes : bool = prim::Constant[value=1]()\n"
    "  %none : NoneType = prim::Constant()\n  %one : int = prim::Constant[value=1]()\n"
    "  %first : int[] = prim::Constant[value=[0]]()\n"
    "  %last : int[] = prim::Constant[value=[-1]]()\n"
    "  %end : int = prim::Constant[value=-1]()\n";

std::string program(const std::string& inputs, const std::string& body,
                    const std::string& results) {
  std::string given;
  for (char c : inputs) given += fmt::format("{}%{} : Tensor", given.empty() ? "" : ", ", c);
  return fmt::format("graph({}):\n{}{}  return ({})\n", given, kHead, body, results);
}

// Softmax along `dim`, of what is computed first.
std::string softmax(const char* dim) {
  return program("x",
                 fmt::format("  %a : Tensor = aten::mul(%x, %x)\n"
                             "  %b : Tensor = aten::softmax(%a, %{}, %none)\n",
                             dim),
                 "%b");
}

const std::string kSums = program("x",
                                  "  %a : Tensor = aten::mul(%x, %x)\n"
                                  "  %s : Tensor = aten::sum(%a, %last, %yes, %none)\n"
                                  "  %m : Tensor = aten::amax(%x, %last, %no)\n"
                                  "  %c : Tensor = aten::sub(%a, %s, %one)\n"
                                  "  %d : Tensor = aten::neg(%m)\n",
                                  "%c, %d, %s");
const std::string kDown = program("x",
                                  "  %a : Tensor = aten::neg(%x)\n"
                                  "  %s : Tensor = aten::sum(%a, %first, %yes, %none)\n"
                                  "  %l : Tensor = aten::amin(%a, %first, %no)\n"
                                  "  %c : Tensor = aten::sub(%x, %s, %one)\n",
                                  "%c, %l");
const std::string kBoth = program("x",
                                  "  %s : Tensor = aten::sum(%x, %last, %no, %none)\n"
                                  "  %a : Tensor = aten::mul(%s, %s)\n"
                                  "  %t : Tensor = aten::sum(%a, %none)\n",
                                  "%a, %t");
const std::string kAcross = program("xy",
                                    "  %t : Tensor = aten::t(%y)\n"
                                    "  %a : Tensor = aten::sub(%x, %t, %one)\n"
                                    "  %b : Tensor = aten::mul(%a, %a)\n",
                                    "%b, %a");

fuse::ArgSpec spec(const Dims& sizes, DType dtype = DType::F32) {
  return {true, dtype, sizes, contiguous_strides(sizes)};
}

fuse::Lowered lower(const std::string& text, const std::vector<fuse::ArgSpec>& args) {
  return fuse::fuser("tile").lower(*parse_graph(text), args, nullptr);
}

std::vector<std::string> schedules(const std::string& text,
                                   const std::vector<fuse::ArgSpec>& args) {
  std::vector<std::string> out;
  for (const fuse::Schedule& s : lower(text, args).launches) out.push_back(s.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(Tile, SegmentsAndTheirSchedules) {
  EXPECT_EQ(schedules(kSums, {spec({6, 40})}), Names{"rows"});
  EXPECT_EQ(schedules(kDown, {spec({6, 40})}), Names{"columns"});
  EXPECT_EQ(schedules(kBoth, {spec({6, 40})}), (Names{"rows", "rows"}))
      << "rows of the first are what the second goes over";
  EXPECT_EQ(schedules(kAcross, {spec({40, 30}), spec({30, 40})}), Names{"tiles"});
  EXPECT_EQ(schedules(kAcross, {spec({40, 30}), {true, DType::F32, {30, 40}, {1, 30}}}),
            Names{"flat"})
      << "turned in memory too";
  EXPECT_EQ(schedules(softmax("end"), {spec({6, 40})}), Names{"rows"});
  EXPECT_EQ(schedules(softmax("end"), {spec({0, 40})}), Names{}) << "no elements";
}

struct Counted {
  size_t loads = 0;  // different ones, of the buffer
  size_t temps = 0, registers = 0, meetings = 0;
};

Counted counts_of(const kernel::Kernel& k, int buffer) {
  Counted out;
  for (const kernel::Buffer& b : k.buffers) {
    out.temps += b.role == kernel::BufferRole::Temp;
    out.registers += b.role == kernel::BufferRole::Register;
  }
  const auto look = [&](auto& self, const kernel::Body& body) -> void {
    for (const kernel::Stmt& s : body) {
      out.meetings +=
          s.kind == kernel::Stmt::Kind::Barrier || s.kind == kernel::Stmt::Kind::Shuffle;
      fuse::for_each_node(s.value, [&](const ExprNode* e) {
        out.loads += e->op == ExprOp::Load && e->id == buffer;
      });
      self(self, s.body);
    }
  };
  look(look, k.body);
  return out;
}

// A row is read once and kept in registers, as is what its threads compute from it. Of a row too
// long for that, intermediates go through memory, and inputs are read again.
TEST(Tile, RowsAreCachedWhileTheyFit) {
  const std::string plain = program("x", "  %b : Tensor = aten::softmax(%x, %end, %none)\n", "%b");
  struct Wanted {
    int64_t columns;
    size_t temps, loads, registers;
  };
  for (const Wanted& w : {Wanted{40, 0, 1, 2}, Wanted{70, 0, 1, 2}, Wanted{256 * 16, 0, 1, 2},
                          Wanted{256 * 17, 0, 2, 1}, Wanted{256 * 40, 1, 2, 0}}) {
    const Counted c = counts_of(lower(plain, {spec({100, w.columns})}).kernel, 0);
    EXPECT_EQ(c.temps, w.temps) << w.columns;
    EXPECT_EQ(c.loads, w.loads) << w.columns;
    EXPECT_EQ(c.registers, w.registers) << w.columns;
  }
}

// Warps meet in shared memory where a row has more than one.
TEST(Tile, TwoLevels) {
  const auto text = [](int64_t columns) {
    return print(lower(kSums, {spec({3, columns})}).kernel);
  };
  EXPECT_NE(text(60).find("shuffle"), std::string::npos);
  EXPECT_EQ(text(60).find("shared"), std::string::npos);
  EXPECT_NE(text(70).find("shared"), std::string::npos);
  EXPECT_NE(text(70).find("barrier"), std::string::npos);
}

// Whole numbers, so that sums are the same in any order.
Tensor test_tensor(const Dims& sizes, DType dtype) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, static_cast<double>((i * 7 + i / 11) % 9 - 4));
  return t;
}

constexpr const char* kPlans[] = {"vm/fuse(tile,interp)", "vm/fuse(tile,cuda-emulated)"};
using Plans = std::span<const char* const>;
const Plans kInterp = Plans(kPlans).first(1);  // the other costs a run of a compiler

void expect_eager(const std::string& text, const std::vector<IValue>& inputs, bool exact,
                  Plans plans = kPlans) {
  const auto graph = parse_graph(text);
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  for (const char* plan : plans) {
    const uint64_t launched = probe("fuse/launched").count();
    const uint64_t fallen_back = probe("fuse/fallback").count();
    const auto given = prepare(*graph, parse_plan(plan))->run(inputs);
    EXPECT_GT(probe("fuse/launched").count(), launched) << text;
    EXPECT_EQ(probe("fuse/fallback").count(), fallen_back) << text;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Tensor a = wanted[i].as_tensor(), b = given[i].as_tensor();
      const std::string where =
          fmt::format("{} result {} of {}", plan, i, describe(inputs[0].as_tensor()));
      if (exact) {
        EXPECT_TRUE(bitwise_equal(a, b)) << where << "\n" << text;
        continue;
      }
      for (int64_t e = 0; e < a.numel(); ++e)
        ASSERT_NEAR(element_as_double(a, e), element_as_double(b, e),
                    1e-5 * std::max(1.0, std::abs(element_as_double(a, e))))
            << where << "\n"
            << text;
    }
  }
}

TEST(Tile, EveryBackEndIsEager) {
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::I32}) {
      for (const Dims& x : std::vector<Dims>{{1, 1}, {3, 5}, {5, 33}, {33, 70}, {2, 300}}) {
        const bool all = dtype == (domain == Domain::Real ? DType::F16 : DType::F32);
        const Plans plans = all && x[0] > 2 ? kPlans : kInterp;
        for (const std::string& text : {kSums, kDown, kBoth})
          expect_eager(text, {test_tensor(x, dtype)}, true, plans);
        expect_eager(kAcross, {test_tensor(x, dtype), test_tensor({x[1], x[0]}, dtype)}, true,
                     plans);
      }
    }
  }
}

// Numbers of more than one dimension on either side, and dimensions of one element.
TEST(Tile, RowsAndColumnsOfManyDimensions) {
  const std::string middle = program(
      "x",
      "  %d : int[] = prim::Constant[value=[1, 2]]()\n"
      "  %s : Tensor = aten::sum(%x, %d, %yes, %none)\n  %c : Tensor = aten::sub(%x, %s, %one)\n",
      "%c, %s");
  for (const Dims& x : std::vector<Dims>{{3, 4, 5, 6}, {1, 7, 1, 9}, {4, 1, 1, 3}, {2, 9, 9, 1}})
    expect_eager(middle, {test_tensor(x, DType::F32)}, true);
}

// A block's shared memory holds what some reductions exchange, not all of a large group.
TEST(Tile, MoreReductionsThanABlockHolds) {
  std::string body = "  %a0 : Tensor = aten::neg(%x)\n", results = "%a0";
  for (int i = 0; i < 40; ++i) {
    body += fmt::format(
        "  %s{0} : Tensor = aten::sum(%a{0}, %first, %yes, %none)\n"
        "  %a{1} : Tensor = aten::sub(%x, %s{0}, %one)\n",
        i, i + 1);
    results += fmt::format(", %s{}", i);
  }
  const std::string text = program("x", body, results);
  EXPECT_EQ(schedules(text, {spec({40, 40}, DType::I64)}),
            (Names{"columns", "columns", "columns"}));
  expect_eager(text, {test_tensor({40, 40}, DType::I64)}, true, kInterp);
}

// Of few long rows each is many blocks' work, and another grid's to put together.
TEST(Tile, LongRowsAreShared) {
  const auto parts = [](const Dims& sizes) {
    const fuse::Lowered lowered = lower(kBoth, {spec(sizes)});
    return lowered.launches.size() == 3 ? lowered.launches[0].domain.substr(0, 26) : "";
  };
  EXPECT_EQ(parts({2, 1 << 14}), "roots a0[2] a1[64] a2[256]");
  EXPECT_EQ(parts({2, 8192}), "") << "one block's work";
  EXPECT_EQ(parts({100, 1 << 14}), "") << "rows enough";
  EXPECT_EQ(parts({2, 16411}), "") << "a prime";
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const DType dtype : {DType::F32, DType::F16, DType::I64}) {
      expect_eager(kSums, {test_tensor({2, 10000}, dtype)}, true, kInterp);
      expect_eager(kDown, {test_tensor({9216, 3}, dtype)}, true, kInterp);
    }
    expect_eager(kBoth, {test_tensor({3, 9000}, DType::F32)}, true);
  }
}

// Exact in the ring, whatever they are computed from; close in floats.
TEST(Tile, Normalisations) {
  const std::string norm = program("xwb",
                                   "  %n : int[] = prim::Constant[value=[70]]()\n"
                                   "  %e : float = prim::Constant[value=0.125]()\n"
                                   "  %a : Tensor = aten::add(%x, %x, %one)\n"
                                   "  %y : Tensor = aten::layer_norm(%a, %n, %w, %b, %e, %no)\n",
                                   "%y");
  const std::string variance = program("x",
                                       "  %a : Tensor = aten::neg(%x)\n"
                                       "  %v : Tensor = aten::var(%a, %last, %yes, %no)\n"
                                       "  %m : Tensor = aten::mean(%a, %last, %no, %none)\n",
                                       "%v, %m");
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    const bool exact = domain == Domain::Ring;
    for (int64_t rows : {1, 5}) {
      const IValue x = test_tensor({rows, 70}, DType::F32);
      for (const char* dim : {"end", "one"}) expect_eager(softmax(dim), {x}, exact);
      expect_eager(norm, {x, test_tensor({70}, DType::F32), test_tensor({70}, DType::F32)}, exact);
      expect_eager(variance, {x}, exact);
    }
    expect_eager(softmax("end"), {test_tensor({2, 256 * 17 + 5}, DType::F32)}, exact);
  }
}

// The neighbours of a thread are one access where extents, strides, offsets and addresses allow it.
namespace wide {

const std::string kChain = program("xy",
                                   "  %a : Tensor = aten::mul(%x, %y)\n"
                                   "  %b : Tensor = aten::add(%a, %x, %one)\n",
                                   "%b");
const std::string kRows = program("x",
                                  "  %a : Tensor = aten::neg(%x)\n"
                                  "  %s : Tensor = aten::sum(%a, %last, %yes, %none)\n"
                                  "  %c : Tensor = aten::sub(%a, %s, %one)\n",
                                  "%c");

fuse::ArgSpec arg_spec(const Dims& sizes, DType dtype = DType::F32, bool aligned = true) {
  return {true, dtype, sizes, contiguous_strides(sizes), {}, aligned};
}

// Those of the buffers' kernel that are wide, by buffer, "b0*4 b2*4".
std::string accesses(const fuse::Lowered& lowered) {
  std::map<int, int64_t> found;
  const auto look = [&](auto& self, const kernel::Body& body) -> void {
    for (const kernel::Stmt& s : body) {
      if (s.loop == kernel::LoopKind::Vector && s.kind == kernel::Stmt::Kind::For) {
        const kernel::WideAccesses w = wide_accesses(lowered.kernel, s);
        for (const ExprNode* e : w.loads) found[e->id] = w.lanes;
        for (const kernel::Stmt* store : w.stores) found[store->buffer] = w.lanes;
      }
      self(self, s.body);
    }
  };
  look(look, lowered.kernel.body);
  std::string out;
  for (const auto& [b, n] : found) out += fmt::format("{}b{}*{}", out.empty() ? "" : " ", b, n);
  return out;
}

std::string chain(const fuse::ArgSpec& x, const fuse::ArgSpec& y) {
  const fuse::Lowered lowered = lower(kChain, {x, y});
  check(lowered.kernel);
  return accesses(lowered);
}

}  // namespace wide

TEST(Tile, NeighboursAreOneAccess) {
  using wide::chain, wide::arg_spec;
  EXPECT_EQ(chain(arg_spec({64}), arg_spec({64})), "b0*4 b1*4 b2*4");
  EXPECT_EQ(chain(arg_spec({67}), arg_spec({67})), "b0*4 b1*4 b2*4")
      << "three elements by themselves";
  EXPECT_EQ(chain(arg_spec({3}), arg_spec({3})), "") << "fewer than one access";
  EXPECT_EQ(chain(arg_spec({64}, DType::F16), arg_spec({64}, DType::F16)), "b0*8 b1*8 b2*8");
  EXPECT_EQ(chain(arg_spec({64}, DType::F64), arg_spec({64}, DType::F64)), "b0*2 b1*2 b2*2");
  EXPECT_EQ(chain(arg_spec({64}, DType::F16), arg_spec({64})), "b0*4 b1*4 b2*4")
      << "the wider decides";
  EXPECT_EQ(chain(arg_spec({64}), arg_spec({64}, DType::F32, false)), "b0*4 b2*4")
      << "begins anywhere: its elements are loaded one by one";
  EXPECT_EQ(chain(arg_spec({64}, DType::F32, false), arg_spec({64}, DType::F32, false)), "");
  EXPECT_EQ(chain(arg_spec({6, 8}), arg_spec({6, 8})), "b0*4 b1*4 b2*4")
      << "rows that are one line";
  EXPECT_EQ(chain(arg_spec({6, 8}), arg_spec({8})), "") << "of two axes";
  const fuse::ArgSpec strided{true, DType::F32, {64}, {2}, {}, true};
  EXPECT_EQ(chain(arg_spec({64}), strided), "b0*4 b2*4");
}

// Parts of a row that begin in the middle of an access.
TEST(Tile, OffsetsDecideToo) {
  const auto from = [](int start) {
    const std::string text =
        program("xy",
                fmt::format("  %from : int = prim::Constant[value={}]()\n"
                            "  %to : int = prim::Constant[value={}]()\n"
                            "  %p : Tensor = aten::slice(%x, %end, %from, %to, %one)\n"
                            "  %a : Tensor = aten::mul(%p, %y)\n"
                            "  %s : Tensor = aten::sum(%a, %last, %yes, %none)\n"
                            "  %c : Tensor = aten::sub(%a, %s, %one)\n",
                            start, start + 16),
                "%c");
    return wide::accesses(lower(text, {wide::arg_spec({6, 24}), wide::arg_spec({6, 16})}));
  };
  EXPECT_EQ(from(4), "b0*4 b1*4 b2*4");
  EXPECT_EQ(from(3), "b1*4 b2*4");
}

TEST(Tile, RowsGoThroughRegisters) {
  using wide::accesses, wide::arg_spec;
  const auto rows = [](const Dims& sizes) {
    const fuse::Lowered lowered = lower(wide::kRows, {arg_spec(sizes)});
    check(lowered.kernel);
    return accesses(lowered);
  };
  EXPECT_EQ(rows({5, 64}), "b0*4 b1*4");
  EXPECT_EQ(rows({5, 63}), "");
  EXPECT_EQ(rows({64}), "b0*4 b1*4");
  const fuse::ArgSpec gaps{true, DType::F32, {6, 8}, {9, 1}, {}, true};
  EXPECT_EQ(accesses(lower(wide::kRows, {gaps})), "") << "its rows are 9 apart";
  const Counted counts = counts_of(lower(wide::kRows, {arg_spec({5, 4096})}).kernel, 0);
  EXPECT_EQ(counts.loads, 1u) << "read once, held";
  EXPECT_EQ(counts_of(lower(wide::kRows, {arg_spec({100, 1 << 14})}).kernel, 0).loads, 1u)
      << "what it made is read back";
}

TEST(Tile, WideAccessesAreEager) {
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const DType dtype : {DType::F32, DType::F16, DType::F64, DType::I32, DType::U8}) {
      const bool all = dtype == (domain == Domain::Real ? DType::F16 : DType::F32);
      for (const Dims& x : std::vector<Dims>{{4, 16}, {5, 33}, {9, 128}, {3, 2064}}) {
        const Plans plans = all && x[1] != 33 ? kPlans : kInterp;
        expect_eager(wide::kChain, {test_tensor(x, dtype), test_tensor(x, dtype)}, true, plans);
        expect_eager(wide::kChain, {test_tensor(x, dtype), test_tensor({x[1]}, dtype)}, true,
                     kInterp);
        if (dtype != DType::U8) expect_eager(wide::kRows, {test_tensor(x, dtype)}, true, plans);
      }
    }
  }
}

// There threads and their lanes are one loop, with a mask or not, and the rest another.
TEST(Tile, LanesOnTheHost) {
  constexpr const char* kHost[] = {"vm/fuse(tile,llvm)"};
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const DType dtype : {DType::F32, DType::F64, DType::U8})
      for (int64_t n : {3, 4, 5, 67, 128, 1024, 5003})
        expect_eager(wide::kChain, {test_tensor({n}, dtype), test_tensor({n}, dtype)}, true, kHost);
  }
}

// A view that begins anywhere has a kernel of its own, whichever comes first.
TEST(Tile, AlignmentIsPartOfWhatAKernelIsFor) {
  const auto graph = parse_graph(wide::kChain);
  const auto plan = prepare(*graph, parse_plan("vm/fuse(tile,interp)"));
  const auto wanted = prepare(*graph, parse_plan("eager"));
  const Tensor base = test_tensor({101}, DType::F32);
  const uint64_t fallen_back = probe("fuse/fallback").count();
  for (const int64_t offset : {0, 1, 4, 3, 0}) {
    const IValue x = Tensor::view_of(base, offset, {96}, {1});
    const auto given = plan->run({x, x}), want = wanted->run({x, x});
    EXPECT_TRUE(bitwise_equal(given[0].as_tensor(), want[0].as_tensor())) << offset;
  }
  EXPECT_EQ(probe("fuse/fallback").count(), fallen_back);
}

const std::string kVariance = program("x",
                                      "  %v : Tensor = aten::var(%x, %last, %no, %no)\n"
                                      "  %r : Tensor = aten::neg(%v)\n",
                                      "%r");

// How many means and variances became pairs.
size_t welford_pairs(const std::string& text, const Dims& sizes) {
  const uint64_t before = probe("fuse/welford").count();
  const fuse::Lowered lowered = lower(text, {spec(sizes)});
  check(lowered.kernel);
  return probe("fuse/welford").count() - before;
}

// One pass over rows too long for registers, two over others.
TEST(Tile, LongVariancesAreOnePass) {
  EXPECT_EQ(welford_pairs(kVariance, {100, 8192}), 0u) << "held";
  EXPECT_EQ(welford_pairs(kVariance, {100, 8200}), 1u);
  EXPECT_EQ(counts_of(lower(kVariance, {spec({100, 8200})}).kernel, 0).loads, 1u);
  EXPECT_EQ(welford_pairs(kVariance, {2, 1 << 14}), 1u) << "parts of rows by many blocks";
  EXPECT_EQ(lower(kVariance, {spec({2, 1 << 14})}).launches.size(), 2u);
  {
    DomainScope scope(Domain::Ring);
    EXPECT_EQ(welford_pairs(kVariance, {100, 8200}), 0u) << "quotients of residues are others";
  }
  // Squares of what is left without something else than the mean of the same elements.
  const auto squares = [](const std::string& mean, const std::string& of) {
    return program("x",
                   fmt::format("  %two : float = prim::Constant[value=2.]()\n"
                               "  %b : Tensor = aten::neg(%x)\n"
                               "  %m : Tensor = aten::{}\n"
                               "  %c : Tensor = aten::sub({}, %m, %one)\n"
                               "  %d : Tensor = aten::mul(%c, %c)\n"
                               "  %s : Tensor = aten::sum(%d, %last, %no, %none)\n",
                               mean, of),
                   "%s");
  };
  const Dims sizes{100, 8200};
  EXPECT_EQ(welford_pairs(squares("mean(%x, %last, %yes, %none)", "%x"), sizes), 1u);
  EXPECT_EQ(welford_pairs(squares("mean(%b, %last, %yes, %none)", "%x"), sizes), 0u);
  EXPECT_EQ(welford_pairs(squares("sum(%x, %last, %yes, %none)", "%x"), sizes), 0u);
}

// Elements at distance 1e4 from 0 and 1 from each other: a sum of squares loses their digits.
Tensor far_from_zero(int64_t rows, int64_t columns) {
  Tensor t = Tensor::empty({rows, columns}, DType::F32);
  uint64_t state = 7;
  for (int64_t i = 0; i < t.numel(); ++i) {
    double sum = 0;  // of twelve even deviates: nearly normal, of deviation 1
    for (int k = 0; k < 12; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
    set_element(t, i, 1e4 + sum);
  }
  return t;
}

struct LongRow {  // rows of more elements are long
  explicit LongRow(const char* elements) { setenv("FUSILLADE_TILE_LONG_ROW", elements, 1); }
  ~LongRow() { unsetenv("FUSILLADE_TILE_LONG_ROW"); }
};

// The variance of rows in double.
std::vector<double> variances_of(const Tensor& x) {
  const int64_t rows = x.sizes()[0], columns = x.sizes()[1];
  std::vector<double> out;
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, squares = 0;
    for (int64_t c = 0; c < columns; ++c) mean += element_as_double(x, r * columns + c);
    mean /= static_cast<double>(columns);
    for (int64_t c = 0; c < columns; ++c) {
      const double deviation = element_as_double(x, r * columns + c) - mean;
      squares += deviation * deviation;
    }
    out.push_back(squares / static_cast<double>(columns));
  }
  return out;
}

// The worst of rows, in ulps of the result.
double worst_ulps(const std::string& text, const Tensor& x) {
  const auto results = prepare(*parse_graph(text), parse_plan("vm/fuse(tile,interp)"))->run({x});
  const std::vector<double> wanted = variances_of(x);
  double worst = 0;
  for (size_t r = 0; r < wanted.size(); ++r) {
    const double got = std::abs(element_as_double(results[0].as_tensor(), static_cast<int64_t>(r)));
    worst = std::max(worst, std::abs(got - wanted[r]) / (wanted[r] * 0x1p-23));
  }
  return worst;
}

// In float32 as exact as two passes are, within few ulps, and far more exact than a sum of squares;
// by one block a row and by several.
TEST(Tile, WelfordKeepsDigits) {
  const std::string squares = program("x",
                                      "  %a : Tensor = aten::mul(%x, %x)\n"
                                      "  %q : Tensor = aten::mean(%a, %last, %no, %none)\n"
                                      "  %m : Tensor = aten::mean(%x, %last, %no, %none)\n"
                                      "  %n : Tensor = aten::mul(%m, %m)\n"
                                      "  %v : Tensor = aten::sub(%q, %n, %one)\n",
                                      "%v");
  for (const Dims& sizes : std::vector<Dims>{{66, 1000}, {3, 4000}}) {
    const Tensor x = far_from_zero(sizes[0], sizes[1]);
    const double two_passes = worst_ulps(kVariance, x);
    const double of_squares = worst_ulps(squares, x);
    const LongRow every("8");
    const uint64_t pairs = probe("fuse/welford").count();
    const double welford = worst_ulps(kVariance, x);
    EXPECT_EQ(probe("fuse/welford").count(), pairs + 1);
    EXPECT_LE(welford, two_passes + 16) << sizes[0];
    EXPECT_LT(welford * 100, of_squares) << sizes[0];
  }
}

TEST(Tile, WelfordOnEveryBackEnd) {
  const LongRow every("8");
  const std::string norm =
      program("x",
              "  %n : int[] = prim::Constant[value=[72]]()\n"
              "  %e : float = prim::Constant[value=0.125]()\n"
              "  %a : Tensor = aten::add(%x, %x, %one)\n"
              "  %y : Tensor = aten::layer_norm(%a, %n, %none, %none, %e, %no)\n",
              "%y");
  const std::string down = program("x",
                                   "  %a : Tensor = aten::neg(%x)\n"
                                   "  %v : Tensor = aten::std(%a, %first, %yes, %no)\n"
                                   "  %m : Tensor = aten::mean(%a, %first, %no, %none)\n",
                                   "%v, %m");
  for (const DType dtype : {DType::F32, DType::F64})
    for (int64_t rows : {5, 70})
      for (const std::string& text : {norm, down, kVariance}) {
        const uint64_t pairs = probe("fuse/welford").count();
        expect_eager(text, {test_tensor({rows, 72}, dtype)}, false,
                     dtype == DType::F32 ? Plans(kPlans) : kInterp);
        const bool is_long = text != down || rows > 8;
        EXPECT_EQ(probe("fuse/welford").count() > pairs, is_long) << text;
      }
}

// Whatever it meets, a mean is infinite, or NaN, where a sum is.
TEST(Tile, WelfordOfInfinities) {
  const LongRow every("8");
  const std::string text = program("x",
                                   "  %m : Tensor = aten::mean(%x, %last, %yes, %none)\n"
                                   "  %c : Tensor = aten::sub(%x, %m, %one)\n"
                                   "  %q : Tensor = aten::mul(%c, %c)\n"
                                   "  %v : Tensor = aten::mean(%q, %last, %yes, %none)\n",
                                   "%m, %v");
  const auto graph = parse_graph(text);
  const Tensor far = test_tensor({2, 40}, DType::F64);  // whose squares overflow
  set_element(far, 3, 1e160);
  const auto beyond = prepare(*graph, parse_plan("vm/fuse(tile,interp)"))->run({far});
  EXPECT_EQ(element_as_double(beyond[1].as_tensor(), 0), INFINITY);
  const Tensor x = test_tensor({4, 40}, DType::F32);
  set_element(x, 1, INFINITY);
  set_element(x, 79, -INFINITY);
  set_element(x, 82, INFINITY);
  set_element(x, 90, -INFINITY);
  set_element(x, 120, NAN);
  const auto wanted = prepare(*graph, parse_plan("eager"))->run({x});
  for (const char* plan : kPlans) {
    const auto given = prepare(*graph, parse_plan(plan))->run({x});
    for (size_t i = 0; i < wanted.size(); ++i)
      for (int64_t e = 0; e < 4; ++e) {
        const double a = element_as_double(wanted[i].as_tensor(), e);
        const double b = element_as_double(given[i].as_tensor(), e);
        EXPECT_TRUE(a == b || (a != a && b != b)) << plan << ": " << a << " and " << b;
      }
  }
}

TEST(Tile, CompilesForAGpu) {
  if (kernel::nvrtc_version().empty()) GTEST_SKIP() << "no NVRTC: ci/setup.sh --cuda";
  std::string text = kernel::kCudaPrelude;
  int n = 0;
  for (const DType dtype : {DType::F16, DType::F64}) {
    for (const Dims& x : std::vector<Dims>{{33, 70}, {2, 9000}}) {
      for (const std::string& program : {kSums, kDown, kBoth, softmax("end"), softmax("one")})
        text +=
            kernel::cuda_text(lower(program, {spec(x, dtype)}).kernel, fmt::format("kernel{}", n++))
                .functions;
      for (const std::string& program : {kSums, softmax("end"), wide::kRows})
        text += kernel::cuda_text(lower(program, {wide::arg_spec(x, dtype)}).kernel,
                                  fmt::format("kernel{}", n++))
                    .functions;
      text += kernel::cuda_text(lower(kAcross, {spec(x, dtype), spec({x[1], x[0]}, dtype)}).kernel,
                                fmt::format("kernel{}", n++))
                  .functions;
    }
  }
  for (const Dims& x : std::vector<Dims>{{100, 9000}, {2, 1 << 14}})
    text += kernel::cuda_text(lower(kVariance, {wide::arg_spec(x)}).kernel,
                              fmt::format("kernel{}", n++))
                .functions;
  EXPECT_FALSE(kernel::nvrtc_compile(text).empty());
}

}  // namespace
}  // namespace fusillade
