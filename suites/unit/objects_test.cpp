// Objects, dicts, enums and named tuples as values and types, and the prims on them in every
// executor.
#include <gtest/gtest.h>

#include "engine/front/script.h"
#include "engine/ir/graph.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/class_type.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

ClassPtr counter() {
  auto c = std::make_shared<ClassType>();
  c->name = "__torch__.Counter";
  c->fields = {{"n", TypeKind::Int}, {"names", Type::dict(TypeKind::Str, TypeKind::Int)}};
  return c;
}

TEST(Objects, TypesReadBack) {
  ClassTable classes;
  ClassPtr c = counter();
  classes.add(c);
  for (const char* text :
       {"__torch__.Counter", "Dict(str, Tensor[])", "Union(float, int)", "__torch__.Counter[]",
        "Dict(int, __torch__.Counter?)", "(Dict(str, int), Union(NoneType, int, str))"}) {
    EXPECT_EQ(parse_type(text, &classes).text(), text);
  }
  EXPECT_THROW(parse_type("__torch__.Counter"), Error);
  EXPECT_THROW(parse_type("Dict(str)", &classes), Error);
  for (const char* text :
       {"Union()", "Union[]", "Union(int, str", "Union(int]", "Union[int)", "Union", "Union int"}) {
    EXPECT_THROW(parse_type(text), Error) << text;
  }
  EXPECT_EQ(parse_type("Union[float, List[int]]").text(), "Union(float, int[])");
  EXPECT_EQ(annotation_text(parse_type("Union(float, (int, str?)[])")),
            "Union[List[Tuple[int, Optional[str]]], float]");
  EXPECT_EQ(annotation_text(parse_type("Dict(str, ())")), "Dict[str, Tuple[()]]");
  EXPECT_EQ(parse_type("Union[int, NoneType]").text(), "int?");
  EXPECT_TRUE(Type(TypeKind::Int).subtype_of(parse_type("Union[str, int]")));
  EXPECT_FALSE(Type(TypeKind::Float).subtype_of(parse_type("Union[str, int]")));
  EXPECT_FALSE(Type::of(c).subtype_of(Type::of(counter())));
}

TEST(Objects, DictsKeepOrderAndFindKeys) {
  IValue d = IValue::dict(TypeKind::Str, TypeKind::Int);
  DictBox& box = d.as_dict();
  for (int i = 0; i < 100; ++i) box.set(IValue::str("k" + std::to_string(i)), IValue(i));
  EXPECT_TRUE(box.erase(IValue::str("k7")));
  EXPECT_FALSE(box.erase(IValue::str("k7")));
  box.set(IValue::str("k3"), IValue(-3));
  ASSERT_EQ(box.items().size(), 99u);
  EXPECT_EQ(box.items()[3].second.as_int(), -3);
  EXPECT_EQ(box.find(IValue::str("k7")), nullptr);
  EXPECT_EQ(box.find(IValue::str("k99"))->as_int(), 99);
  EXPECT_THROW(box.set(IValue::list({}, TypeKind::Int), IValue(1)), Error);
  IValue n = IValue::dict(TypeKind::Float, TypeKind::Int);
  n.as_dict().set(IValue(0.0), IValue(1));
  n.as_dict().set(IValue(-0.0), IValue(2));
  EXPECT_EQ(n.as_dict().items().size(), 1u);
}

// Every operator on dicts, distinguished from its overloads by the types in the text alone.
TEST(Objects, TextOfDictOperatorsReadsBack) {
  Script script = compile_script(
      "from typing import Dict, List, Tuple\n"
      "def f(a: Dict[int, List[int]], b: Dict[str, Tensor], c: Dict[float, str], d: Dict[bool, "
      "int]) -> int:\n"
      "    del a[3]\n"
      "    a[4] = [1]\n"
      "    b['x'] = b['y'] + b.pop('z')\n"
      "    c.update(c.copy())\n"
      "    n = len(a) + len(b) + len(d) + a.setdefault(1, [2])[0]\n"
      "    if 1 in a and 'x' in b and 0.5 in c and True in d and a == a.copy() and d != d.copy():\n"
      "        n += a.pop(7, [3])[0] + d.get(False, 5)\n"
      "    for k, v in a.items():\n"
      "        n += k + v[0]\n"
      "    for x in c.keys():\n"
      "        n += int(x)\n"
      "    n += len(list(d.values())) + len(dict([(1, 2.5)])) + c.popitem()[1].find('a')\n"
      "    b.clear()\n"
      "    d.clear()\n"
      "    return n\n",
      "dicts.py");
  const Graph& g = *script.find("f");
  auto back = parse_graph(print(g));
  EXPECT_EQ(print(*back), print(g));
  std::vector<const Operator*> operators[2];
  for (int i = 0; i < 2; ++i)
    for (const Node* n : (i ? back.get() : &g)->block()->nodes()) operators[i].push_back(&n->op());
  EXPECT_EQ(operators[0], operators[1]);
  EXPECT_THROW(parse_graph("graph(%d : Dict(int, str), %k : str):\n  %v : str = "
                           "aten::__getitem__(%d, %k)\n  return (%v)\n"),
               Error);
}

TEST(Objects, EveryExecutorReadsAndWritesAttributes) {
  ClassTable classes;
  classes.add(counter());
  auto g = parse_graph(
      "graph(%self : __torch__.Counter, %k : str):\n"
      "  %one : int = prim::Constant[value=1]()\n"
      "  %n : int = prim::GetAttr[name=\"n\"](%self)\n"
      "  %m : int = aten::add(%n, %one)\n"
      "  prim::SetAttr[name=\"n\"](%self, %m)\n"
      "  %d : Dict(str, int) = prim::DictConstruct(%k, %m)\n"
      "  prim::SetAttr[name=\"names\"](%self, %d)\n"
      "  %again : int = prim::GetAttr[name=\"n\"](%self)\n"
      "  %e : Dict(str, int) = prim::GetAttr[name=\"names\"](%self)\n"
      "  return (%again, %e)\n",
      "counter", &classes);
  for (const char* plan : {"eager", "vm", "vm/o2", "vm/o2,fuse(loopnest,interp)"}) {
    IValue self = IValue::object(classes.find("__torch__.Counter"));
    self.as_object().slots[0] = IValue(41);
    self.as_object().slots[1] = IValue::dict(TypeKind::Str, TypeKind::Int);
    std::vector<IValue> out = prepare(*g, parse_plan(plan))->run({self, IValue::str("x")});
    EXPECT_EQ(out[0].as_int(), 42) << plan;
    EXPECT_EQ(describe(out[1]), "{\"x\": 42}") << plan;
    EXPECT_EQ(self.as_object().slots[0].as_int(), 42) << plan;
    EXPECT_THROW(prepare(*g, parse_plan(plan))->run({IValue::object(counter()), IValue::str("x")}),
                 Error)
        << plan;
  }
}

}  // namespace
}  // namespace fusillade
