// freeze: what cannot change becomes constants over the same tensors, what may change stays an
// attribute; results stay.
#include "engine/run/freeze.h"

#include <gtest/gtest.h>

#include "engine/run/archive/archive.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// Two objects of one class, `first` and `second`; the body of `forward` and of `other` are the
// test's.
Module pair_of(const std::string& forward, const std::string& other = "") {
  auto part = std::make_shared<ClassType>();
  part->name = "__torch__.Part";
  part->kind = ClassType::Kind::Module;
  part->fields = {{"w", TypeKind::Tensor}, {"n", TypeKind::Int}, {"training", TypeKind::Bool}};
  auto cls = std::make_shared<ClassType>();
  cls->name = "__torch__.Pair";
  cls->kind = ClassType::Kind::Module;
  cls->fields = {{"training", TypeKind::Bool},
                 {"first", Type::of(part), Field::Kind::Module},
                 {"second", Type::of(part), Field::Kind::Module},
                 {"w", TypeKind::Tensor},
                 {"view", TypeKind::Tensor},
                 {"list", Type::list(TypeKind::Tensor)}};
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(part);
  unit->classes.add(cls);
  auto add = [&](const char* name, const std::string& body) {
    Function f;
    f.graph = parse_graph("graph(%self : __torch__.Pair, %x : Tensor):\n" + body, "<test>",
                          &unit->classes);
    f.schema.args.resize(2);
    f.schema.args[0].name = "self";
    f.schema.args[0].type = Type::of(cls);
    f.schema.args[1].name = "x";
    f.schema.args[1].type = TypeKind::Tensor;
    f.schema.results.resize(1);
    f.schema.results[0].type = f.graph->outputs()[0]->type();
    unit->functions[std::string("__torch__.Pair.") + name] = std::move(f);
  };
  add("forward", forward);
  if (!other.empty()) add("other", other);
  Module m{IValue::object(cls), unit};
  auto tensor = [](double v) {
    Tensor t = Tensor::zeros({4}, DType::F32);
    set_element(t, 0, v);
    return t;
  };
  auto object = [&](double v) {
    IValue o = IValue::object(part);
    o.as_object().slots = {tensor(v), IValue(2), IValue(false)};
    return o;
  };
  Tensor w = tensor(3);
  m.self.as_object().slots = {IValue(false),
                              object(1),
                              object(2),
                              w,
                              Tensor::view_of(w, 1, {2}, {1}),
                              IValue::list({tensor(5)}, TypeKind::Tensor)};
  return m;
}

const std::string kRead =
    "  %a : __torch__.Part = prim::GetAttr[name=\"first\"](%self)\n"
    "  %b : __torch__.Part = prim::GetAttr[name=\"second\"](%self)\n"
    "  %u : Tensor = prim::GetAttr[name=\"w\"](%a)\n"
    "  %v : Tensor = prim::GetAttr[name=\"w\"](%b)\n"
    "  %n : int = prim::GetAttr[name=\"n\"](%b)\n";
const std::string kSum =
    "  %p : Tensor = aten::add(%x, %u, %n)\n"
    "  %q : Tensor = aten::add(%p, %v, %n)\n"
    "  return (%q)\n";

size_t attributes_read(const Module& m, const std::string& method = "forward") {
  std::string text = print(*method_of(m, method).graph);
  size_t count = 0;
  for (size_t at = text.find("prim::GetAttr"); at != std::string::npos;
       at = text.find("prim::GetAttr", at + 1))
    ++count;
  return count;
}

IValue run(const Module& m, const Tensor& x) {
  return prepare(*method_of(m, "forward").graph, parse_plan("eager"))->run({m.self, x})[0];
}

void expect_same_results(const Module& before, const Module& after) {
  Tensor x = Tensor::zeros({4}, DType::F32);
  for (int call = 0; call < 3; ++call)
    EXPECT_TRUE(bitwise_equal(run(before, x).as_tensor(), run(after, x).as_tensor())) << call;
}

TEST(Freeze, ConstantsAreTheSameTensors) {
  Module m = pair_of(kRead + kSum);
  Module frozen = freeze(m);
  EXPECT_EQ(attributes_read(frozen), 0u);
  EXPECT_EQ(frozen.type().slot("first"), -1);
  set_element(m.self.as_object().slots[1].as_object().slots[0].as_tensor(), 0, 50);
  expect_same_results(m, frozen);
}

TEST(Freeze, TensorsOfEqualElementsStayTwo) {
  Module m = pair_of(kRead +
                     "  %t : Tensor = prim::GetAttr[name=\"w\"](%b)\n"
                     "  %q : Tensor = aten::add(%x, %t, %n)\n"
                     "  %r : (Tensor, Tensor, Tensor) = prim::TupleConstruct(%u, %v, %q)\n"
                     "  return (%r)\n");
  const std::vector<IValue>& slots = m.self.as_object().slots;
  set_element(slots[1].as_object().slots[0].as_tensor(), 0, 2);
  Module frozen = freeze(m);
  for (const char* plan : {"eager", "vm/o2"}) {
    auto ready = prepare(*method_of(frozen, "forward").graph, parse_plan(plan));
    IValue first = ready->run({frozen.self, Tensor::zeros({4}, DType::F32)})[0];
    set_element(first.items()[0].as_tensor(), 0, 100);
    IValue second = ready->run({frozen.self, Tensor::zeros({4}, DType::F32)})[0];
    EXPECT_TRUE(bitwise_equal(first.items()[2].as_tensor(), second.items()[2].as_tensor())) << plan;
    set_element(first.items()[0].as_tensor(), 0, 2);
  }
}

TEST(Freeze, WhatIsSetOnOneObjectStaysOnAllOfItsClass) {
  std::string set = "  prim::SetAttr[name=\"n\"](%a, %n)\n";
  Module m = pair_of(kRead + set + kSum);
  Module frozen = freeze(m);
  EXPECT_NE(print(*method_of(frozen, "forward").graph).find("prim::GetAttr[name=\"n\"]"),
            std::string::npos);
  EXPECT_GE(frozen.type().slot("second"), 0);
  EXPECT_EQ(frozen.self.as_object()
                .slots[static_cast<size_t>(frozen.type().slot("second"))]
                .as_object()
                .cls->slot("w"),
            -1);
  expect_same_results(pair_of(kRead + set + kSum), frozen);
}

TEST(Freeze, WhatIsWrittenInPlaceStaysWithAllOfItsStorage) {
  std::string body =
      "  %one : int = prim::Constant[value=1]()\n"
      "  %zero : int = prim::Constant[value=0]()\n"
      "  %w : Tensor = prim::GetAttr[name=\"w\"](%self)\n"
      "  %item : Tensor = aten::select(%w, %zero, %one)\n"
      "  %changed : Tensor = aten::add_(%item, %one, %one)\n"
      "  %view : Tensor = prim::GetAttr[name=\"view\"](%self)\n"
      "  %s : Tensor = aten::sum(%view)\n"
      "  %r : Tensor = aten::add(%x, %s, %one)\n"
      "  return (%r)\n";
  body.replace(body.find("aten::sum(%view)"), 16, "aten::neg(%item)");
  body.insert(body.find("  %r :"), "  %seen : Tensor = aten::select(%view, %zero, %zero)\n");
  Module frozen = freeze(pair_of(body));
  EXPECT_EQ(attributes_read(frozen), 1u) << print(*method_of(frozen, "forward").graph);
  expect_same_results(pair_of(body), frozen);
  std::string both = body;
  both.replace(both.find("aten::neg(%item)"), 16, "aten::neg(%seen)");
  std::string line = "  %seen : Tensor = aten::select(%view, %zero, %zero)\n";
  both.erase(both.find(line), line.size());
  both.insert(both.find("  %s :"), line);
  Module two = freeze(pair_of(both));
  EXPECT_EQ(attributes_read(two), 2u) << print(*method_of(two, "forward").graph);
  expect_same_results(pair_of(both), two);
}

TEST(Freeze, ItemsOfListsThatAreWrittenStay) {
  std::string body =
      "  %one : int = prim::Constant[value=1]()\n"
      "  %zero : int = prim::Constant[value=0]()\n"
      "  %l : Tensor[] = prim::GetAttr[name=\"list\"](%self)\n"
      "  %t : Tensor = aten::__getitem__(%l, %zero)\n"
      "  %c : Tensor = aten::add_(%t, %one, %one)\n"
      "  %r : Tensor = aten::add(%x, %t, %one)\n"
      "  return (%r)\n";
  Module frozen = freeze(pair_of(body));
  EXPECT_EQ(attributes_read(frozen), 1u);
  expect_same_results(pair_of(body), frozen);
}

TEST(Freeze, PreservedNamesStay) {
  std::string body =
      "  %one : int = prim::Constant[value=1]()\n"
      "  %w : Tensor = prim::GetAttr[name=\"w\"](%self)\n"
      "  %r : Tensor = aten::add(%x, %w, %one)\n"
      "  return (%r)\n";
  Module m = pair_of(body, kRead + kSum);
  Module frozen = freeze(m, {{"w", "other"}});
  EXPECT_EQ(attributes_read(frozen), 1u);
  EXPECT_EQ(attributes_read(frozen, "other"), 0u);
  EXPECT_FALSE(freeze(m).method("other"));
  EXPECT_THROW(freeze(m, {{"v"}}), Error);
}

TEST(Freeze, TrainingModulesAreRefused) {
  Module m = pair_of(kRead + kSum);
  m.self.as_object().slots[2].as_object().slots[2] = IValue(true);
  try {
    freeze(m);
    ADD_FAILURE() << "was frozen";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("'second' is in training mode"), std::string::npos);
  }
  train(m, false);
  EXPECT_EQ(attributes_read(freeze(m)), 0u);
}

// A Pair whose parts are also in lists, a tuple and a dict; `forward` reads a list and the tuple
// instead of the attributes.
Module pair_in_containers(const std::string& set = "") {
  Module m = pair_of(kRead + kSum);
  auto cls = std::make_shared<ClassType>(m.type());
  Type part = cls->fields[1].type;
  cls->fields.push_back({"parts", Type::list(part)});
  cls->fields.push_back({"again", Type::list(part)});
  cls->fields.push_back({"both", Type::tuple({part, TypeKind::Int})});
  cls->fields.push_back({"named", Type::dict(TypeKind::Str, part)});
  auto unit = std::make_shared<CompilationUnit>();
  unit->classes.add(part.class_type());
  unit->classes.add(cls);
  Function f = m.unit->functions.at("__torch__.Pair.forward");
  f.graph = parse_graph(
      "graph(%self : __torch__.Pair, %x : Tensor):\n"
      "  %zero : int = prim::Constant[value=0]()\n"
      "  %one : int = prim::Constant[value=1]()\n"
      "  %parts : __torch__.Part[] = prim::GetAttr[name=\"parts\"](%self)\n"
      "  %a : __torch__.Part = aten::__getitem__(%parts, %zero)\n" +
          set +
          "  %b : __torch__.Part = aten::__getitem__(%parts, %one)\n"
          "  %both : (__torch__.Part, int) = prim::GetAttr[name=\"both\"](%self)\n"
          "  %c : __torch__.Part, %n : int = prim::TupleUnpack(%both)\n"
          "  %u : Tensor = prim::GetAttr[name=\"w\"](%a)\n"
          "  %v : Tensor = prim::GetAttr[name=\"w\"](%b)\n"
          "  %k : int = prim::GetAttr[name=\"n\"](%c)\n"
          "  %p : Tensor = aten::add(%x, %u, %n)\n"
          "  %q : Tensor = aten::add(%p, %v, %k)\n"
          "  return (%q)\n",
      "<test>", &unit->classes);
  f.schema.args[0].type = Type::of(cls);
  unit->functions["__torch__.Pair.forward"] = std::move(f);
  std::vector<IValue> slots = m.self.as_object().slots;
  IValue parts = IValue::list({slots[1], slots[2]}, part);
  IValue named = IValue::dict(TypeKind::Str, part);
  named.as_dict().set(IValue::str("second"), slots[2]);
  for (const IValue& v : {parts, parts, IValue::tuple({slots[1], IValue(2)}), named})
    slots.push_back(v);
  Module out{IValue::object(cls), unit};
  out.self.as_object().slots = std::move(slots);
  return out;
}

TEST(Freeze, ContainersOfModulesStay) {
  Module frozen = freeze(pair_in_containers(), {{"first", "again", "named"}});
  const std::vector<IValue>& slots = frozen.self.as_object().slots;
  auto slot = [&](const char* name) {
    return slots[static_cast<size_t>(frozen.type().slot(name))];
  };
  EXPECT_EQ(slot("parts").seq(), slot("again").seq());
  EXPECT_EQ(&slot("parts").items()[0].as_object(), &slot("first").as_object());
  EXPECT_EQ(&slot("parts").items()[1].as_object(),
            &slot("named").as_dict().find(IValue::str("second"))->as_object());
  EXPECT_EQ(frozen.type().slot("second"), -1);
  EXPECT_EQ(slot("first").as_object().cls->slot("training"), -1);
  expect_same_results(pair_in_containers(), frozen);
  std::string bytes = save_archive(frozen);
  Module loaded = load_archive(bytes, "x");
  EXPECT_EQ(save_archive(loaded), bytes);
  expect_same_results(pair_in_containers(), loaded);
}

TEST(Freeze, WhatIsSetThroughAContainerStays) {
  std::string set =
      "  %more : int = prim::Constant[value=3]()\n"
      "  prim::SetAttr[name=\"n\"](%a, %more)\n";
  Module frozen = freeze(pair_in_containers(set));
  EXPECT_NE(print(*method_of(frozen, "forward").graph).find("prim::GetAttr[name=\"n\"]"),
            std::string::npos);
  expect_same_results(pair_in_containers(set), frozen);
}

TEST(Freeze, ModulesInContainersMustBeInEvaluationMode) {
  Module m = pair_in_containers();
  IValue own = IValue::object(m.self.as_object().slots[1].as_object().cls);
  own.as_object().slots = m.self.as_object().slots[1].as_object().slots;
  own.as_object().slots[2] = IValue(true);
  m.self.as_object().slots[6] = IValue::list({own}, m.type().fields[6].type.element());
  try {
    freeze(m);
    ADD_FAILURE() << "was frozen";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("'parts.0' is in training mode"), std::string::npos)
        << e.what();
  }
}

// Parts of split are its result: only what is written through one of them changes the attribute.
TEST(Freeze, PartsOfAnAttributeFold) {
  auto body = [](const char* op) {
    return std::string(
               "  %one : int = prim::Constant[value=1]()\n"
               "  %two : int = prim::Constant[value=2]()\n"
               "  %zero : int = prim::Constant[value=0]()\n"
               "  %w : Tensor = prim::GetAttr[name=\"w\"](%self)\n"
               "  %parts : Tensor[] = aten::split(%w, %two, %zero)\n"
               "  %a : Tensor, %b : Tensor = prim::ListUnpack(%parts)\n"
               "  %c : Tensor = ") +
           op +
           "(%a, %b, %one)\n  %s : Tensor = aten::select(%c, %zero, %zero)\n"
           "  %r : Tensor = aten::add(%x, %s, %one)\n  return (%r)\n";
  };
  EXPECT_EQ(attributes_read(freeze(pair_of(body("aten::add")))), 0u);
  EXPECT_EQ(attributes_read(freeze(pair_of(body("aten::add_")))), 1u);
  expect_same_results(pair_of(body("aten::add_")), freeze(pair_of(body("aten::add_"))));
}

TEST(Freeze, FrozenModulesSaveAndLoad) {
  Module frozen = freeze(pair_of(kRead + kSum));
  std::string bytes = save_archive(frozen);
  Module loaded = load_archive(bytes, "x");
  EXPECT_EQ(save_archive(loaded), bytes);
  expect_same_results(frozen, loaded);
}

}  // namespace
}  // namespace fusillade
