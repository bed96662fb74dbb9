// Programs of torch.export: those of suites/golden/exported run to what PyTorch 2.13 gave, and a
// damaged text or archive is an error that names its place.
#include <gtest/gtest.h>

#include "engine/base/file.h"
#include "engine/run/archive/archive.h"
#include "engine/run/archive/zip.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

using archive::ZipReader;
using archive::ZipWriter;

const std::string kFolder = std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/exported/";

std::string golden(const std::string& name) { return read_file(kFolder + name + ".pt2"); }

// The outputs of `forward` on the inputs that came along, decomposed.
std::vector<IValue> outputs_of(const Module& m, const std::vector<IValue>& given,
                               const std::string& plan) {
  std::vector<IValue> inputs{m.self};
  for (const IValue& v : given) inputs.push_back(v);
  const Function& forward = method_of(m, "forward");
  std::vector<IValue> out = prepare({*forward.graph, "", m.self}, parse_plan(plan))->run(inputs);
  if (out.size() == 1 && out[0].tag() == IValue::Tag::Tuple)
    return {out[0].items().begin(), out[0].items().end()};
  return out;
}

std::vector<double> numbers(const IValue& v) {
  std::vector<double> out;
  for (int64_t i = 0; i < v.as_tensor().numel(); ++i)
    out.push_back(element_as_double(v.as_tensor(), i));
  return out;
}

// The archive with one word of its program's text replaced.
std::string with_word(const std::string& name, const std::string& from, const std::string& to) {
  const ZipReader zip(golden(name), name);
  ZipWriter out;
  for (const archive::ZipEntry& e : zip.entries()) {
    std::string bytes = zip.read(e.name);
    if (e.name.ends_with(".json"))
      if (const size_t at = bytes.find(from); at != std::string::npos)
        bytes.replace(at, from.size(), to);
    out.add(e.name, bytes);
  }
  return out.finish();
}

std::string error_of(const std::string& bytes) {
  try {
    load_archive(bytes, "x.pt2");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

void expect_error(const std::string& bytes, const std::string& message) {
  const std::string error = error_of(bytes);
  EXPECT_NE(error.find("x.pt2"), std::string::npos) << error;
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

TEST(Exported, ProgramsRunToWhatPyTorchGave) {
  for (const char* plan : {"eager", "vm/o2,fuse(loopnest,interp)"}) {
    Module m = load_archive(golden("branch"), "x");
    EXPECT_EQ(numbers(outputs_of(m, m.examples, plan)[0]),
              (std::vector<double>{2, 3, 0, 1.5, 0.5, 1}));
    m = load_archive(golden("loop"), "x");
    const std::vector<IValue> out = outputs_of(m, m.examples, plan);
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{8, 16, -8, 4, -4, 0}));
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{3}));
  }
}

TEST(Exported, ScanAndMapTakeSlices) {
  for (const char* plan : {"eager", "vm/o2,fuse(loopnest,interp)"}) {
    Module m = load_archive(golden("scan"), "x");
    const std::vector<IValue> out = outputs_of(m, m.examples, plan);
    EXPECT_EQ(numbers(out[0]), (std::vector<double>{1.125, 0.375, -0.5}));
    EXPECT_EQ(numbers(out[1]), (std::vector<double>{2.5, 3.5, -2, 2.25, 0.75, -1}));
    m = load_archive(golden("map"), "x");
    EXPECT_EQ(numbers(outputs_of(m, m.examples, plan)[0]),
              (std::vector<double>{1, 4, 1, 0.5, -1, 0}));
  }
}

TEST(Exported, BuffersKeepWhatIsWrittenIntoThem) {
  for (const char* name : {"mutation", "functional", "former"}) {
    const Module m = load_archive(golden(name), "x");
    ASSERT_EQ(m.examples.size(), 1u) << name;
    EXPECT_EQ(state_of(m).size(), 3u) << name;
    for (double call = 1; call < 3; ++call) {
      const std::vector<IValue> out = outputs_of(m, m.examples, "vm/o2");
      EXPECT_EQ(numbers(out[1]), std::vector<double>{2 * call}) << name;
      EXPECT_NEAR(numbers(out[0])[0], 0.148047198, 1e-6) << name;
    }
  }
}

TEST(Exported, SizesMayDifferWhereTheProgramSaysSo) {
  const Module m = load_archive(golden("dynamic"), "x");
  const auto run = [&](const Dims& x, const Dims& y) {
    return outputs_of(m, {Tensor::zeros(x, DType::F32), Tensor::zeros(y, DType::F32)}, "vm/o2");
  };
  EXPECT_EQ(run({4, 3}, {4, 3})[0].as_tensor().sizes(), (Dims{8, 3}));
  EXPECT_THROW(run({4, 3}, {5, 3}), Error);  // one symbol
  EXPECT_THROW(run({4, 2}, {4, 2}), Error);  // a size that is no symbol
  EXPECT_THROW(run({9, 3}, {9, 3}), Error);  // beyond its range
}

TEST(Exported, AreSavedAsTorchScript) {
  for (const char* name :
       {"mutation", "functional", "dynamic", "branch", "loop", "former", "scan", "map"}) {
    const Module m = load_archive(golden(name), "x");
    const Module again = load_archive(save_archive(m), "saved");
    const std::vector<IValue> examples = m.examples;
    EXPECT_EQ(numbers(outputs_of(again, examples, "eager")[0]),
              numbers(outputs_of(m, examples, "eager")[0]))
        << name;
  }
}

TEST(Exported, MessagesShowTheNode) {
  const Module m =
      load_archive(with_word("dynamic", "\"as_ints\": [1", "\"as_ints\": [7"), "x.pt2");
  SUCCEED();
  const std::string text = print(*method_of(m, "forward").graph);
  EXPECT_NE(text.find("# x.pt2:1:0"), std::string::npos) << text;
}

TEST(Exported, WhatIsLackingNamesOperatorAndPlace) {
  expect_error(with_word("branch", "torch.ops.aten.sum.default", "torch.ops.mylib.bar.default"),
               "node 1 'sum_1' calls torch.ops.mylib.bar.default, which Fusillade does not have");
  expect_error(with_word("branch", "torch.ops.higher_order.cond", "torch.ops.higher_order.flex"),
               "calls torch.ops.higher_order.flex, which Fusillade does not have");
  expect_error(with_word("mutation", "torch.ops.aten.add_.Tensor", "os.system"),
               "calls os.system, which Fusillade does not have");
  expect_error(with_word("branch", "torch.ops.aten.sum.default", "torch.ops.prim.If.default"),
               "calls torch.ops.prim.If.default, which Fusillade does not have");
}

TEST(Exported, WrongTextsAreErrors) {
  expect_error(with_word("branch", "\"major\": 8", "\"major\": 7"), "version 7 of the schema");
  expect_error(with_word("branch", "{\"graph_module\"", "{\"graph\""), "'graph_module' is missing");
  expect_error(with_word("branch", "{\"as_tensor\": {\"name\": \"x\"}}, \"kind\"",
                         "{\"as_tensor\": {\"name\": \"y\"}}, \"kind\""),
               "nothing is named 'y' here");
  expect_error(with_word("branch", "\"as_graph\"", "\"as_string\""), "'as_graph' is missing");
  expect_error(with_word("loop", "\"as_int\": 3", "\"as_float\": []"), "expected");
  expect_error(with_word("dynamic", "\"dtype\": 7", "\"dtype\": 29"), "float8_e4m3fn");
  expect_error(
      with_word("mutation", "\"buffer_name\": \"calls\"", "\"buffer_name\": \"fc.weight.a\""),
      "no tensor 'fc.weight.a'");
}

TEST(Exported, WrongLoopsAreErrors) {
  const std::string scan = "torch.ops.higher_order.scan", map = "torch.ops.higher_order.map_impl";
  expect_error(with_word("branch", "torch.ops.higher_order.cond", scan),
               "an argument 'as_graph' is not supported");
  expect_error(with_word("loop", "torch.ops.higher_order.while_loop", map),
               "an argument 'as_graph' is not supported");
  expect_error(with_word("scan", "{\"as_tensors\": [{\"name\": \"xs\"}]}", "{\"as_tensors\": []}"),
               "there is no tensor whose slices are taken");
  expect_error(
      with_word("scan", "\"outputs\": [{\"as_tensor\": {\"name\": \"add\"}}, ", "\"x\": ["),
      "'outputs' is missing");
  expect_error(with_word("map", "{\"as_tensors\": [{\"name\": \"y\"}]}", "{\"as_tensors\": []}"),
               "the graph takes 2 values, and is given 1");
  expect_error(with_word("map", map, scan), "argument 3 is missing");
}

TEST(Exported, TrainingGraphsAreErrors) {
  for (const char* key : {"loss_output", "gradient_to_parameter", "gradient_to_user_input"})
    expect_error(with_word("branch", "\"user_output\"", "\"" + std::string(key) + "\""),
                 "this is a training graph");
}

TEST(Exported, WrongTensorsAreErrors) {
  expect_error(
      with_word("mutation", "\"path_name\": \"weight_0\"", "\"path_name\": \"../weight_0\""),
      "has no entry");
  expect_error(with_word("mutation", "\"use_pickle\": false", "\"use_pickle\": true"),
               "is a pickle, which is not read");
  expect_error(with_word("mutation", "\"config\"", "\"other\""), "'config' is missing");
  for (const char* size : {"-1", "1099511627777", "1000", "9223372036854775807"})
    expect_error(with_word("mutation", "\"sizes\": [{\"as_int\": 2}",
                           std::string("\"sizes\": [{\"as_int\": ") + size + "}"),
                 "config.json");
}

}  // namespace
}  // namespace fusillade
