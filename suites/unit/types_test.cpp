// Types found for a graph's values before it runs: branches joined, loops taken until nothing
// changes, lists forgotten when written.
#include "engine/ir/types.h"

#include <gtest/gtest.h>

#include "engine/ir/visit.h"

namespace fusillade {
namespace {

// The type found for the value of this name, with what is known of its value.
std::string find_type(const char* program, const std::string& name,
                      const std::vector<ArgInfo>& inputs) {
  auto graph = parse_graph(program);
  std::vector<ArgInfo> types = types_of(*graph, inputs);
  std::string out = "no such value";
  each_value(graph->block(), [&](const Value* v) {
    const ArgInfo& info = types[static_cast<size_t>(v->id())];
    if (v->name() != name) return;
    Type type = info.type;
    if (type.is_tensor()) type.info().device.reset();
    if (type.is_tensor()) type.info().requires_grad.reset();
    out = type.text() + (info.known ? " = " + describe(info.value) : "");
  });
  return out;
}

ArgInfo f32(const Dims& sizes) { return {Type::tensor(DType::F32, sizes), {}, false, {}}; }
ArgInfo some(TypeKind kind) { return {kind, {}, false, {}}; }
ArgInfo number(int64_t v) { return {TypeKind::Int, IValue(v), true, {}}; }

constexpr const char* kBranch = R"(graph(%x : Tensor, %y : Tensor, %c : bool):
  %z : Tensor = prim::If(%c)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::neg(%y)
      -> (%b)
  %n : int = aten::dim(%z)
  return (%z, %n)
)";

TEST(Types, BranchesAreJoined) {
  std::vector<ArgInfo> inputs{f32({2, 3}), f32({2, 4}), some(TypeKind::Bool)};
  EXPECT_EQ(find_type(kBranch, "a", inputs), "Float(2, 3, strides=[3, 1])");
  EXPECT_EQ(find_type(kBranch, "z", inputs), "Float(2, *)");
  inputs[2] = {TypeKind::Bool, IValue(false), true, {}};
  EXPECT_EQ(find_type(kBranch, "z", inputs), "Float(2, 4, strides=[4, 1])");
  EXPECT_EQ(find_type(kBranch, "n", inputs), "int = 2");
  EXPECT_EQ(find_type(kBranch, "a", inputs), "Tensor");  // not reached
}

constexpr const char* kLoop = R"(graph(%x : Tensor, %n : int, %w : Tensor):
  %t : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %r : Tensor, %k : int, %s : int = prim::Loop(%n, %t, %x, %one, %one)
    block0(%i : int, %p : Tensor, %q : int, %s1 : int):
      %y : Tensor = aten::relu(%w)
      %j : int = aten::add(%q, %one)
      -> (%t, %y, %j, %s1)
  return (%r, %k, %s)
)";

TEST(Types, LoopsAreTakenUntilNothingChanges) {
  std::vector<ArgInfo> inputs{f32({1, 3}), some(TypeKind::Int), f32({4, 3})};
  EXPECT_EQ(find_type(kLoop, "p", inputs), "Float(*, 3)");
  EXPECT_EQ(find_type(kLoop, "r", inputs), "Float(*, 3)");
  EXPECT_EQ(find_type(kLoop, "k", inputs), "int");
  EXPECT_EQ(find_type(kLoop, "s", inputs), "int = 1");
  inputs[1] = number(2);
  EXPECT_EQ(find_type(kLoop, "r", inputs), "Float(4, 3, strides=[3, 1])");
  EXPECT_EQ(find_type(kLoop, "p", inputs), "Float(*, 3)");  // of all iterations
  EXPECT_EQ(find_type(kLoop, "k", inputs), "int = 3");
  inputs[1] = number(0);
  EXPECT_EQ(find_type(kLoop, "r", inputs), "Float(1, 3, strides=[3, 1])");
  inputs[1] = number(1000);  // more iterations than are taken one by one
  EXPECT_EQ(find_type(kLoop, "r", inputs), "Float(4, 3, strides=[3, 1])");
}

// One list under two names: what is appended through one is seen through the other.
constexpr const char* kLists = R"(graph(%c : bool):
  %one : int = prim::Constant[value=1]()
  %a : int[] = prim::ListConstruct(%one)
  %b : int[] = prim::ListConstruct(%one)
  %s : int[] = prim::If(%c)
    block0():
      -> (%a)
    block1():
      -> (%b)
  %w : int[] = aten::append(%s, %one)
  %n : int = aten::len(%a)
  %d : int[] = prim::ListConstruct(%one)
  %v : int[] = aten::append(%d, %one)
  %m : int = aten::len(%d)
  return (%n, %m)
)";

TEST(Types, AListWrittenUnderAnotherNameIsForgotten) {
  for (ArgInfo c : {some(TypeKind::Bool), ArgInfo{TypeKind::Bool, IValue(true), true, {}}}) {
    EXPECT_EQ(find_type(kLists, "n", {c}), "int");
    EXPECT_EQ(find_type(kLists, "m", {c}), "int = 2");
  }
}

TEST(Types, OfWhatComesAfterAnErrorNothingIsFound) {
  const char* program = R"(graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::mm(%a, %y)
  %c : Tensor = aten::relu(%b)
  return (%c)
)";
  std::vector<ArgInfo> inputs{f32({2, 3}), f32({2, 3})};
  EXPECT_EQ(find_type(program, "a", inputs), "Float(2, 3, strides=[3, 1])");
  EXPECT_EQ(find_type(program, "c", inputs), "Tensor");
}

}  // namespace
}  // namespace fusillade
