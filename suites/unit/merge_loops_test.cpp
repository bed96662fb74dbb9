// Loops of the loopnest fuser that become one: which do and which do not, and that nothing of the
// results changes.
#include <gtest/gtest.h>

#include "engine/fuse/fuser.h"
#include "engine/ir/graph.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

using kernel::Stmt;

void gather_extents(const kernel::Body& body, std::vector<int64_t>& to) {
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::For) to.push_back(s.extent);
    gather_extents(s.body, to);
  }
}

// Extents of all loops, outer ones and earlier ones first.
std::vector<int64_t> loops_of(const std::string& text) {
  const auto graph = parse_graph(text);
  std::vector<fuse::ArgSpec> args;
  for (const Value* v : graph->inputs()) {
    const TensorInfo& info = v->type().info();
    args.push_back({true, info.dtype, info.sizes, info.strides});
  }
  std::vector<int64_t> all;
  gather_extents(fuse::fuser("loopnest").lower(*graph, args, nullptr).kernel.body, all);
  return all;
}

// x is centred: it is summed over `dims`, and the sum subtracted from each of its elements.
std::string centred_program(const std::string& x, const std::string& dims,
                            const std::string& of = "%x") {
  return "graph(%x : " + x +
         "):\n  %n : NoneType = prim::Constant()\n  %one : int = prim::Constant[value=1]()\n"
         "  %zero : int = prim::Constant[value=0]()\n  %four : int = prim::Constant[value=4]()\n"
         "  %three : int = prim::Constant[value=3]()\n"
         "  %two : int = prim::Constant[value=2]()\n  %yes : bool = prim::Constant[value=1]()\n"
         "  %d : int[] = prim::Constant[value=" +
         dims +
         "]()\n  %t : Tensor = aten::transpose(%x, %two, %three)\n"
         "  %part : Tensor = aten::slice(%x, %three, %zero, %four, %one)\n"
         "  %s : Tensor = aten::sum(" +
         of + ", %d, %yes, %n)\n  %y : Tensor = aten::sub(" + of +
         ", %s, %one)\n  %z : Tensor = aten::mul(%y, %y)\n  return (%z)\n";
}

constexpr const char* kDense = "Long(4, 3, 5, 6, strides=[90, 30, 6, 1])";

using Loops = std::vector<int64_t>;

TEST(MergeLoops, PlacesOfAnImageAreOneLoop) {
  EXPECT_EQ(loops_of(centred_program(kDense, "[0, 2, 3]")), (Loops{3, 4, 30, 4, 3, 30}));
  EXPECT_EQ(loops_of(centred_program(kDense, "[2, 3]")), (Loops{12, 30, 30}));
  EXPECT_EQ(loops_of(centred_program(kDense, "[3]")), (Loops{60, 6, 6}));
  EXPECT_EQ(loops_of(centred_program(kDense, "[0, 1]")), (Loops{30, 12, 12, 30}));
}

TEST(MergeLoops, NotWhereSomethingWalksOneOfThemAlone) {
  EXPECT_EQ(loops_of(centred_program(kDense, "[2]")), (Loops{12, 6, 5, 5, 6}));
  EXPECT_EQ(loops_of(centred_program(kDense, "[0, 2]")), (Loops{3, 6, 4, 5, 4, 3, 5, 6}));
}

TEST(MergeLoops, NotOverGapsOrPartsOfDimensions) {
  const auto has = [](const Loops& loops, int64_t n) { return std::ranges::count(loops, n) > 0; };
  const Loops part = loops_of(centred_program(kDense, "[0, 2, 3]", "%part"));
  EXPECT_TRUE(has(part, 4) && has(part, 5)) << "four of six columns";
  const Loops turned = loops_of(centred_program(kDense, "[0, 2, 3]", "%t"));
  EXPECT_TRUE(has(turned, 5) && has(turned, 6)) << "columns of the input";
}

TEST(MergeLoops, ChangesNoResult) {
  const Tensor dense = Tensor::empty({4, 3, 5, 6}, DType::I64);
  const Tensor wide = Tensor::empty({4, 3, 5, 9}, DType::I64);
  for (const Tensor& t : {dense, wide})
    for (int64_t i = 0; i < t.numel(); ++i) t.data<int64_t>()[i] = i * 7919 % 1009;
  const std::vector<Tensor> inputs{dense, Tensor::view_of(wide, 2, {4, 3, 5, 6}, {135, 45, 9, 1}),
                                   Tensor::view_of(dense, 0, {4, 3, 5, 6}, {90, 1, 18, 3}),
                                   Tensor::view_of(dense, 0, {4, 3, 5, 6}, {90, 0, 6, 1})};
  for (const char* dims : {"[0, 2, 3]", "[2, 3]", "[3]", "[0, 1]", "[2]", "[1, 2]", "[0, 3]"}) {
    for (const char* of : {"%x", "%t", "%part"}) {
      const auto graph = parse_graph(centred_program("Tensor", dims, of));
      for (const Tensor& x : inputs) {
        const Tensor wanted = prepare(*graph, parse_plan("vm"))->run({x})[0].as_tensor();
        for (const char* plan : {"vm/fuse(loopnest,interp)", "vm/fuse(loopnest,llvm)"}) {
          const Tensor got = prepare(*graph, parse_plan(plan))->run({x})[0].as_tensor();
          EXPECT_TRUE(bitwise_equal(got, wanted)) << plan << dims << of << to_string(x.strides());
        }
      }
    }
  }
}

}  // namespace
}  // namespace fusillade
