// FUSILLADE_LOG: which pass logs what.
#include "engine/base/log.h"

#include <gtest/gtest.h>

#include "engine/passes/pass.h"

namespace fusillade {
namespace {

std::string log_output(const std::string& setting) {
  auto graph = parse_graph(R"(graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%x)
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
)");
  set_log(setting);
  testing::internal::CaptureStderr();
  run_pipeline(*graph, parse_pipeline("cse,dce"));
  set_log("");
  return testing::internal::GetCapturedStderr();
}

TEST(Log, LevelsByPass) {
  EXPECT_EQ(log_output(""), "");
  EXPECT_EQ(log_output("dce"), "");  // which had nothing to do
  const std::string graphs = log_output("cse");
  EXPECT_TRUE(graphs.starts_with("before cse:\ngraph(%x")) << graphs;
  EXPECT_NE(graphs.find("after cse, 1 rewrites:\ngraph("), std::string::npos) << graphs;
  EXPECT_EQ(graphs.find("cse/"), std::string::npos) << graphs;
  const std::string rewrites = log_output("dce,>cse");
  EXPECT_TRUE(rewrites.starts_with("[1] cse/merge: %b : Tensor")) << rewrites;
  const std::string debug = log_output(">>*");
  EXPECT_NE(debug.find("aten::relu(%x)\ngraph("), std::string::npos) << debug;
}

TEST(Log, UnknownPassesAreErrors) {
  for (const char* bad : {"csf", ">", ">>>cse", "cse,>what"}) EXPECT_THROW(parse_log(bad), Error);
  EXPECT_EQ(parse_log(" cse , >>dce,").size(), 2u);
}

}  // namespace
}  // namespace fusillade
