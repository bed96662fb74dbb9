// How Python is asked for one operator: by the front end's own spellings.
#include "fuzz/bisect/operator_alone.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fusillade::fuzz {
namespace {

bool is_spelled_as(const char* name, std::vector<IValue> args, const std::string& expected) {
  const std::vector<std::string> all = python_of(operator_named(name), args);
  return std::ranges::count(all, expected) == 1;
}

TEST(OperatorAlone, OperatorsAndFunctionsAreSpelled) {
  EXPECT_TRUE(is_spelled_as("aten::add.int", {IValue(1), IValue(2)}, "a + b"));
  EXPECT_TRUE(is_spelled_as("aten::floordiv.int", {IValue(1), IValue(2)}, "a // b"));
  EXPECT_TRUE(is_spelled_as("aten::ne.float", {IValue(1.0), IValue(2.0)}, "a != b"));
  EXPECT_TRUE(is_spelled_as("aten::neg.int", {IValue(1)}, "-a"));
  EXPECT_TRUE(is_spelled_as("aten::Float.int", {IValue(1)}, "float(a)"));
  EXPECT_TRUE(is_spelled_as("prim::min.int", {IValue(1), IValue(2)}, "min(a, b)"));
  EXPECT_TRUE(is_spelled_as("aten::len.str", {IValue::str("x")}, "len(a)"));
  EXPECT_TRUE(python_of(operator_named("prim::RaiseException"), {}).empty());
}

TEST(OperatorAlone, MethodsAreSpelledWithoutDefaults) {
  const IValue text = IValue::str("a b"), part = IValue::str("b");
  const IValue list = IValue::int_list({3, 1});
  EXPECT_TRUE(is_spelled_as("aten::upper", {text}, "a.upper()"));
  EXPECT_TRUE(is_spelled_as("aten::find", {text, part, IValue(0), IValue(-1)}, "a.find(b)"));
  EXPECT_TRUE(is_spelled_as("aten::find", {text, part, IValue(1), IValue(-1)}, "a.find(b, c)"));
  EXPECT_TRUE(is_spelled_as("aten::pop.t", {list, IValue(0)}, "a.pop(b)"));
  EXPECT_TRUE(is_spelled_as("aten::append.t", {list, IValue(4)}, "a.append(b)\n"));
  EXPECT_TRUE(is_spelled_as("aten::insert.t", {list, IValue(0), IValue(4)}, "a.insert(b, c)\n"));
  EXPECT_TRUE(is_spelled_as("aten::_set_item.t", {list, IValue(0), IValue(4)}, "a[b] = c\n"));
}

}  // namespace
}  // namespace fusillade::fuzz
