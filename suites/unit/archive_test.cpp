// Modules as archives: what is saved loads to the same bytes and runs to the same bits; sharing,
// views and attributes survive; running and optimising change nothing that is saved; damaged
// archives are errors within bounds.
#include "engine/run/archive/archive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/front/script.h"
#include "engine/run/archive/print_python.h"
#include "engine/run/archive/zip.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

std::string error_of(const std::string& bytes) {
  try {
    load_archive(bytes, "x");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

Tensor ramp(const Dims& sizes) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, static_cast<double>(i) - 1.5);
  return t;
}

// A module of two fields over one storage, a list that contains one of them again, an attribute
// that `forward` changes, a submodule owned twice, and a field whose name is no identifier.
Module sample() {
  auto inner = std::make_shared<ClassType>();
  inner->name = "__torch__.nn.Inner";
  inner->kind = ClassType::Kind::Module;
  inner->fields = {{"scale", TypeKind::Float}};
  auto cls = std::make_shared<ClassType>();
  cls->name = "__torch__.Net";
  cls->kind = ClassType::Kind::Module;
  cls->fields = {{"weight", TypeKind::Tensor, Field::Kind::Parameter},
                 {"turned", TypeKind::Tensor, Field::Kind::Buffer},
                 {"both", Type::list(TypeKind::Tensor)},
                 {"calls", TypeKind::Int},
                 {"names", Type::dict(TypeKind::Str, Type::list(TypeKind::Int))},
                 {"maybe", Type::optional(TypeKind::Int)},
                 {"0", Type::of(inner), Field::Kind::Module},
                 {"again", Type::of(inner), Field::Kind::Module}};
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(inner);
  unit->classes.add(cls);
  Function forward;
  forward.graph = parse_graph(
      "graph(%self : __torch__.Net, %x : Tensor):\n"
      "  %one : int = prim::Constant[value=1]()\n"
      "  %w : Tensor = prim::GetAttr[name=\"weight\"](%self)\n"
      "  %n : int = prim::GetAttr[name=\"calls\"](%self)\n"
      "  %m : int = aten::add(%n, %one)\n"
      "  prim::SetAttr[name=\"calls\"](%self, %m)\n"
      "  %inner : __torch__.nn.Inner = prim::GetAttr[name=\"0\"](%self)\n"
      "  %s : float = prim::GetAttr[name=\"scale\"](%inner)\n"
      "  %y : Tensor = aten::mul(%w, %s)\n"
      "  %z : Tensor = aten::add(%x, %y, %m)\n"
      "  return (%z)\n",
      "<test>", &unit->classes);
  unit->functions["__torch__.Net.forward"] = std::move(forward);
  Module m{IValue::object(cls), unit};
  std::vector<IValue>& slots = m.self.as_object().slots;
  Tensor weight = ramp({2, 3});
  slots[0] = weight;
  slots[1] = Tensor::view_of(weight, 1, {2, 2}, {1, 3});
  slots[2] = IValue::list({weight, ramp({1})}, TypeKind::Tensor);
  slots[3] = IValue(0);
  slots[4] = IValue::dict(TypeKind::Str, Type::list(TypeKind::Int));
  slots[4].as_dict().set(IValue::str("a\"b\n"),
                         IValue::list({IValue(1), IValue(INT64_MIN)}, TypeKind::Int));
  slots[6] = IValue::object(inner);
  slots[6].as_object().slots[0] = IValue(0.1);
  slots[7] = slots[6];
  return m;
}

IValue run(const Module& m, const std::string& plan, const Tensor& x) {
  return prepare(*method_of(m, "forward").graph, parse_plan(plan))->run({m.self, x})[0];
}

TEST(Archive, SharingViewsAndAttributesSurvive) {
  Module m = load_archive(save_archive(sample()), "x");
  const std::vector<IValue>& slots = m.self.as_object().slots;
  Tensor weight = slots[0].as_tensor();
  Tensor turned = slots[1].as_tensor();
  EXPECT_TRUE(weight.shares_storage(turned));
  EXPECT_EQ(turned.offset(), 1);
  EXPECT_EQ(turned.strides()[1], 3);
  EXPECT_TRUE(slots[2].items()[0].as_tensor().same(weight));
  EXPECT_EQ(&slots[6].as_object(), &slots[7].as_object());
  EXPECT_EQ(slots[4].as_dict().find(IValue::str("a\"b\n"))->items()[1].as_int(), INT64_MIN);
  EXPECT_TRUE(slots[5].is_none());
  EXPECT_EQ(m.type().fields[0].kind, Field::Kind::Parameter);
  EXPECT_EQ(m.type().fields[1].kind, Field::Kind::Buffer);
  EXPECT_EQ(m.type().fields[6].kind, Field::Kind::Module);
}

TEST(Archive, SavingWhatWasLoadedGivesTheSameBytes) {
  std::string bytes = save_archive(sample());
  EXPECT_EQ(save_archive(load_archive(bytes, "x")), bytes);
}

// Text resolves to the operator of ints; graphs in memory may have that of numbers of any kind.
TEST(Archive, AnIntOfAnIntIsItselfByWhicheverOperator) {
  for (const char* name : {"aten::Int.int", "aten::Int.Scalar"}) {
    Graph graph;
    Value* x = graph.add_input(Type(TypeKind::Int));
    graph.add_output(graph.append(operator_named(name), {x})->output());
    const std::string bytes = save_archive(module_of_function(graph));
    EXPECT_EQ(save_archive(load_archive(bytes, "saved")), bytes) << name;
  }
}

TEST(Archive, ListsAndDictsStoredTwiceAreOne) {
  auto cls = std::make_shared<ClassType>();
  cls->name = "__torch__.Net";
  cls->kind = ClassType::Kind::Module;
  Type list = Type::list(TypeKind::Int);
  Type dict = Type::dict(TypeKind::Str, list);
  cls->fields = {{"a", list}, {"b", list}, {"c", list}, {"d", dict}, {"e", dict}};
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(cls);
  Module m{IValue::object(cls), unit};
  IValue shared = IValue::list({IValue(1)}, TypeKind::Int);
  IValue table = IValue::dict(TypeKind::Str, list);
  table.as_dict().set(IValue::str("k"), shared);
  m.self.as_object().slots = {shared, shared, IValue::list({IValue(1)}, TypeKind::Int), table,
                              table};
  std::vector<IValue> slots = load_archive(save_archive(m), "x").self.as_object().slots;
  EXPECT_EQ(slots[0].seq(), slots[1].seq());
  EXPECT_NE(slots[0].seq(), slots[2].seq());
  EXPECT_EQ(&slots[3].as_dict(), &slots[4].as_dict());
  EXPECT_EQ(slots[3].as_dict().find(IValue::str("k"))->seq(), slots[0].seq());
}

TEST(Archive, RunningChangesNoByteBeyondTheAttributesItSets) {
  for (const char* plan : {"eager", "vm", "vm/o2"}) {
    Module m = sample();
    std::string before = save_archive(m);
    Tensor x = ramp({2, 3});
    Tensor once = run(m, plan, x).as_tensor();
    EXPECT_EQ(m.self.as_object().slots[3].as_int(), 1) << plan;
    m.self.as_object().slots[3] = IValue(0);
    EXPECT_EQ(save_archive(m), before) << plan;
    Module loaded = load_archive(before, "x");
    EXPECT_TRUE(bitwise_equal(run(loaded, plan, x).as_tensor(), once)) << plan;
  }
}

std::string code_of(const std::string& source, const std::string& function) {
  Script script = compile_script(source, "<test>");
  return archive::ZipReader(save_archive(module_of_function(*script.find(function))), "x")
      .read("archive/code/__torch__.py");
}

// What runs first is written first, also where a long line is split.
TEST(Archive, EvaluationOrderSurvives) {
  std::string code = code_of(
      "def f(x):\n"
      "    a = x.relu()\n"
      "    return a.exp_(), a.add(1).mul(2).sub(3).div(4).add(5).mul(6)\n",
      "f");
  size_t first = code.find("torch.exp_(");
  size_t then = code.find("torch.add(");
  ASSERT_NE(first, std::string::npos) << code;
  EXPECT_LT(first, then) << code;
}

TEST(Archive, LiteralsAreWrittenAsPythonReadsThem) {
  EXPECT_EQ(archive::literal_text(IValue(0.1)), "0.10000000000000001");
  EXPECT_EQ(archive::literal_text(IValue(1e100)), "1e+100");
  EXPECT_EQ(archive::literal_text(IValue(3.0)), "3.");
  EXPECT_EQ(archive::literal_text(IValue(-INFINITY)), "-inf");
  EXPECT_EQ(archive::literal_text(IValue::str("a\"\\\n")), "\"a\\\"\\\\\\n\"");
  EXPECT_EQ(archive::literal_text(IValue::tuple({IValue(1)})), "(1,)");
  EXPECT_EQ(archive::literal_text(IValue::list({}, TypeKind::Int)), "annotate(List[int], [])");
  EXPECT_THROW(archive::literal_text(IValue::str("\x01")), Error);
}

TEST(Archive, WhatCannotBeSavedIsAnError) {
  Module m = sample();
  IValue list = IValue::list({}, Type::list(TypeKind::Any));
  list.mutable_items().push_back(list);
  m.self.as_object().slots[2] = list;
  EXPECT_THROW(save_archive(m), Error);
  list.mutable_items().clear();
  auto g = parse_graph(
      "graph(%x : Tensor):\n  %y : Tensor = prim::TensorExprGroup_0(%x)\n  return (%y)\n"
      "with prim::TensorExprGroup_0 = graph(%x : Tensor):\n  return (%x)\n");
  EXPECT_THROW(save_archive(module_of_function(*g)), Error);
}

// The sample's archive with one entry replaced.
std::string with_entry(const std::string& bytes, const std::string& name, const std::string& text) {
  archive::ZipReader old(bytes, "x");
  archive::ZipWriter out;
  for (const archive::ZipEntry& e : old.entries())
    out.add(e.name, e.name == "archive/" + name ? text : old.read(e.name));
  return out.finish();
}

TEST(Archive, CodeThatIsWrongNamesItsPlace) {
  std::string bytes = save_archive(sample());
  std::string code = archive::ZipReader(bytes, "x").read("archive/code/__torch__.py");
  auto error_after_edit = [&](const std::string& from, const std::string& to) {
    std::string text = code;
    text.replace(text.find(from), from.size(), to);
    return error_of(with_entry(bytes, "code/__torch__.py", text));
  };
  // An operator that nobody knows raises where it is reached
  // (suites/python/test_archive_missing.py).
  EXPECT_EQ(error_after_edit("torch.add(n, 1)", "torch.none(n, 1)"), "no error");
  EXPECT_NE(error_after_edit("self.calls = ", "self.none = ").find("no attribute 'none'"),
            std::string::npos);
  EXPECT_NE(error_after_edit("calls : int", "calls : str").find("where str is declared"),
            std::string::npos);
  EXPECT_NE(error_after_edit("return ", "pass #").find("does not end with a return"),
            std::string::npos);
  EXPECT_NE(
      error_after_edit("calls : int", "calls : __torch__.Gone").find("no class '__torch__.Gone'"),
      std::string::npos);
  EXPECT_NE(error_after_edit("(Module)", "(Interface)").find("is an interface"), std::string::npos);
  EXPECT_NE(error_after_edit("(Module)", "(Other)").find("derived from 'Other'"),
            std::string::npos);
  EXPECT_NE(error_after_edit("return ", "return CONSTANTS.c0 #").find("has 0 constants"),
            std::string::npos);
  EXPECT_NE(error_of(with_entry(bytes, "version", "11\n")).find("version '11'"), std::string::npos);
  EXPECT_NE(error_of(with_entry(bytes, "data/0", "short")).find("has 5 bytes, not 6 f32 values"),
            std::string::npos);
}

TEST(Archive, RecursionOfCodeIsRefused) {
  std::string bytes = save_archive(sample());
  std::string itself =
      "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
      "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    return (self).forward(x, "
      ")\n";
  EXPECT_NE(error_of(with_entry(with_entry(bytes, "code/__torch__.py", itself), "data.pkl",
                                std::string("\x80\x02"
                                            "c__torch__\nNet\n)\x81}b.")))
                .find("calls itself"),
            std::string::npos);
}

// Doubling calls would unfold to 2^60 nodes.
TEST(Archive, CallsThatUnfoldWithoutEndAreRefused) {
  std::string code = "def f0(x: Tensor) -> Tensor:\n  return torch.relu(x)\n";
  for (int i = 1; i < 60; ++i) {
    code += fmt::format(
        "def f{0}(x: Tensor) -> Tensor:\n  y = __torch__.f{1}(x, )\n  return __torch__.f{1}(y, )\n",
        i, i - 1);
  }
  code +=
      "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
      "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n    return __torch__.f59(x, "
      ")\n";
  std::string bytes = with_entry(save_archive(sample()), "code/__torch__.py", code);
  bytes = with_entry(bytes, "data.pkl",
                     std::string("\x80\x02"
                                 "c__torch__\nNet\n)\x81}b."));
  EXPECT_NE(error_of(bytes).find("needs more than"), std::string::npos);
}

TEST(Archive, CutOffOrFlippedAnywhere) {
  std::string bytes = save_archive(sample());
  for (size_t n = 0; n < bytes.size(); n += 7)
    EXPECT_NE(error_of(bytes.substr(0, n)), "no error") << n;
  archive::ZipReader zip(bytes, "x");
  for (const char* name : {"archive/data.pkl", "archive/code/__torch__.py"}) {
    std::string entry = zip.read(name);
    for (size_t at = 0; at < entry.size(); ++at) {
      for (char c : {'\0', '(', '.', ' ', 'Q', '\xff'}) {
        std::string flipped = entry;
        flipped[at] = c;
        error_of(with_entry(bytes, std::string(name).substr(8), flipped));
      }
    }
  }
}

}  // namespace
}  // namespace fusillade
