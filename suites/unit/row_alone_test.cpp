// How Python is asked for one operator: by the front end's own spellings.
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/bisect/operator_alone.h"

namespace fusillade::fuzz {
namespace {

bool spelled(const char* name, std::vector<IValue> args, const std::string& expected) {
  const std::vector<std::string> all = python_of(operator_named(name), args);
  return std::ranges::count(all, expected) == 1;
}

TEST(OperatorAlone, OperatorsAndFunctionsAreSpelled) {
  EXPECT_TRUE(spelled("aten::add.int", {IValue(1), IValue(2)}, "a + b"));
  EXPECT_TRUE(spelled("aten::floordiv.int", {IValue(1), IValue(2)}, "a // b"));
  EXPECT_TRUE(spelled("aten::ne.float", {IValue(1.0), IValue(2.0)}, "a != b"));
  EXPECT_TRUE(spelled("aten::neg.int", {IValue(1)}, "-a"));
  EXPECT_TRUE(spelled("aten::Float.int", {IValue(1)}, "float(a)"));
  EXPECT_TRUE(spelled("prim::min.int", {IValue(1), IValue(2)}, "min(a, b)"));
  EXPECT_TRUE(spelled("aten::len.str", {IValue::str("x")}, "len(a)"));
  EXPECT_TRUE(python_of(operator_named("prim::RaiseException"), {}).empty());
}

TEST(OperatorAlone, MethodsAreSpelledWithoutDefaults) {
  const IValue text = IValue::str("a b"), part = IValue::str("b");
  const IValue list = IValue::int_list({3, 1});
  EXPECT_TRUE(spelled("aten::upper", {text}, "a.upper()"));
  EXPECT_TRUE(spelled("aten::find", {text, part, IValue(0), IValue(-1)}, "a.find(b)"));
  EXPECT_TRUE(spelled("aten::find", {text, part, IValue(1), IValue(-1)}, "a.find(b, c)"));
  EXPECT_TRUE(spelled("aten::pop.t", {list, IValue(0)}, "a.pop(b)"));
  EXPECT_TRUE(spelled("aten::append.t", {list, IValue(4)}, "a.append(b)\n"));
  EXPECT_TRUE(spelled("aten::insert.t", {list, IValue(0), IValue(4)}, "a.insert(b, c)\n"));
  EXPECT_TRUE(spelled("aten::_set_item.t", {list, IValue(0), IValue(4)}, "a[b] = c\n"));
}

}  // namespace
}  // namespace fusillade::fuzz
