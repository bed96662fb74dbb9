// Plans and pipelines as text: parsing, printing, and messages that name column and legal words.
#include "engine/run/plan.h"

#include <gtest/gtest.h>

namespace fusillade {
namespace {

std::string error_of(const char* plan) {
  try {
    parse_plan(plan);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

void expect_error(const char* plan, const char* part) {
  EXPECT_NE(error_of(plan).find(part), std::string::npos) << error_of(plan);
}

TEST(Plan, RoundTrip) {
  for (const char* text : {"eager", "vm", "vm/inline,cse", "vm/inline,cse~17", "eager/dce~0",
                           "vm~3", "vm/cse,fuse(loopnest,interp),dce", "vm@cuda/cse~3",
                           "eager@cuda:1", "vm@cpu:0/dce", "vm@meta"})
    EXPECT_EQ(to_string(parse_plan(text)), text);
}

TEST(Plan, NamedPipelinesExpandInPlace) {
  std::string o1 = to_string(parse_plan("vm/o1"));
  EXPECT_EQ(o1, "vm/" + Table<NamedPipeline>::instance().find("o1")->passes);
  EXPECT_EQ(to_string(parse_plan(o1)), o1);
  EXPECT_EQ(to_string(parse_plan("vm/cse,o1~2")), "vm/cse," + o1.substr(3) + "~2");
}

TEST(Plan, KeepsTheTextThatItWasGivenAs) {
  const Plan plan = parse_plan("vm/ o1");
  EXPECT_EQ(plan.text, "vm/ o1");
  EXPECT_EQ(respell(plan).text, to_string(plan));
  EXPECT_NE(plan, respell(plan)) << "plans are compared by their text";
  EXPECT_EQ(parse_plans({"vm", "eager"}),
            (std::vector<Plan>{plan_of_engine("vm"), reference_plan()}));
  EXPECT_EQ(texts_of({plan}), std::vector<std::string>{"vm/ o1"});
  EXPECT_TRUE(Plan().empty());
  EXPECT_FALSE(plan.empty());
}

TEST(Plan, OfAFileMayBeNoneHere) {
  for (const char* text : {"vm/nosuch", "nosuch@cpu/cse", "vm~x", "jit(nosuch)/o2"}) {
    const Plan read = read_plan(text);
    EXPECT_EQ(read.text, text);
    try {
      engine_of(read);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), error_of(text));
    }
  }
  EXPECT_TRUE(read_plan("").empty());
  EXPECT_EQ(read_plan("nosuch@cpu/cse").engine, "nosuch");
  EXPECT_EQ(read_plan("vm/cse").pipeline.size(), 1u);
}

TEST(Plan, SpacesAndDevice) {
  EXPECT_EQ(to_string(parse_plan("vm/ inline , cse")), "vm/inline,cse");
  EXPECT_EQ(to_string(parse_plan("vm@cpu/cse")), "vm/cse");
  EXPECT_EQ(to_string(parse_plan("vm/")), "vm");
}

TEST(Plan, ErrorsNameColumnAndLegalWords) {
  // Between them are the engines that other tests add.
  expect_error("vn/cse",
               "column 1: unknown engine 'vn'; did you mean vm? (legal: eager, iree:eager, "
               "iree:whole, jax:eager, jax:jit, jax:remat, jax:vmap, jit, ");
  expect_error("vn/cse",
               ", mlx:compile, mlx:eager, mnn:eager, mnn:graph, onnxref:eager, openvino:eager, "
               "openvino:graph, ort:all, "
               "ort:basic, ort:eager, ");
  expect_error(
      "vn/cse",
      ", text_only, tf:eager, tf:graph, tf:xla, tflite:builtin, tflite:eager, tflite:ref, "
      "tflite:xnnpack, tinygrad:eager, tinygrad:lazy, torch:aot, torch:compile, "
      "torch:compile(dynamic), torch:dynamo, torch:eager, torch:export, torch:functionalize, "
      "torch:jvp, torch:script, torch:script(nnc), torch:trace, torch:vjp, "
      "torch:vmap, ");
  expect_error("vn/cse", ", tvm:eager, tvm:whole, twice, vm)");
  expect_error("", "unknown engine ''");
  expect_error("vm@gpu/cse", "column 4: 'gpu' is no device: 'cpu' or 'cuda' are");
  expect_error("eager@cuda:9999", "column 7: 'cuda:9999' is no device: an index is");
  expect_error("vm@", "column 4: '' is no device");
  expect_error("vm/inline,csf", "column 11: unknown pass 'csf'; did you mean cse");
  expect_error("vm/inline,csf", "legal: ");
  expect_error("vm/inline,,cse", "column 11: a pass name is missing");
  expect_error("vm/cse~x", "column 8: fuel 'x' is not a whole number");
  expect_error("vm/cse~-1", "is not a whole number");
  expect_error("vm/dce(3)", "column 4: pass 'dce' takes no words");
  expect_error("vm/cse(3)", "column 4: cse: cse takes no word, or views; got '3'");
  expect_error("vm/o1(3)", "takes no words");
  expect_error("vm/fuse(loopnest", "column 8: '(' is never closed");
  expect_error("vm/fuse)", "')' without '('");
  expect_error("vm/fuse(loopnest,interp)x", "text after ')'");
  expect_error("vm/fuse(loopnest)", "column 4: fuse:");
  expect_error("vm/fuse(nosuch,interp)", "loopnest");
  expect_error("vm/fuse(loopnest,nosuch)", "interp");
}

TEST(Plan, ADeviceWithoutARowIsDeclined) {
  auto graph = parse_graph("graph(%x : Tensor):\n  return (%x)\n");
  for (const char* plan : {"vm@cuda/cse", "eager@cuda:1"}) {
    EXPECT_THROW(check_device(parse_plan(plan)), Unsupported);
    try {
      prepare(*graph, parse_plan(plan));
      ADD_FAILURE() << plan;
    } catch (const Unsupported& e) {
      EXPECT_EQ(std::string(e.what()).find("no such device: 'cuda"), 0u) << e.what();
    }
  }
  IValue x = Tensor::zeros({2}, DType::F32);
  EXPECT_TRUE(prepare(*graph, parse_plan("vm@cpu:0/cse"))->run({x})[0].identical(x));
}

constexpr const char* kProgram = R"(graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::exp(%x)
  %c : Tensor = aten::exp(%x)
  %d : Tensor = aten::mul(%b, %c)
  return (%d)
)";

TEST(Pipeline, FuelStopsAtEveryRewrite) {
  std::vector<PassCall> pipeline = parse_pipeline("dce,cse,dce");
  auto graph = parse_graph(kProgram);
  PipelineResult all = run_pipeline(*graph, pipeline);
  EXPECT_EQ(all.rewrites, 2);
  EXPECT_EQ(graph->node_count(), 2u);
  for (int64_t fuel = 0; fuel < all.rewrites; ++fuel) {
    auto copy = parse_graph(kProgram);
    PipelineOptions options;
    options.fuel = fuel;
    options.verify = true;
    EXPECT_EQ(run_pipeline(*copy, pipeline, options).rewrites, fuel);
    EXPECT_EQ(copy->node_count(), 4u - static_cast<size_t>(fuel));
  }
}

TEST(Pipeline, LogAndStatistics) {
  auto graph = parse_graph(kProgram);
  PipelineOptions options;
  options.keep_log = true;
  PipelineResult result = run_pipeline(*graph, parse_pipeline("dce,cse"), options);
  ASSERT_EQ(result.log.size(), 2u);
  EXPECT_EQ(result.log[0].pass + "/" + result.log[0].rule, "dce/dead-node");
  EXPECT_NE(result.log[0].node.find("aten::neg"), std::string::npos);
  EXPECT_EQ(result.log[1].pass, "cse");
  ASSERT_EQ(result.stats.size(), 2u);
  EXPECT_EQ(result.stats[0].nodes_before, 4u);
  EXPECT_EQ(result.stats[1].nodes_after, 2u);
}

TEST(Plan, PrepareLeavesTheGraphAlone) {
  auto graph = parse_graph(kProgram);
  std::string before = print(*graph);
  auto executable = prepare(*graph, parse_plan("vm/o1"));
  EXPECT_EQ(print(*graph), before);
  EXPECT_EQ(executable->graph()->node_count(), 2u);
  EXPECT_EQ(executable->pipeline_result().rewrites, 2);
}

}  // namespace
}  // namespace fusillade
