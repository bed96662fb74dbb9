// Modules that a test instantiates from text, and what their forward returns.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/front/module.h"
#include "engine/run/plan.h"

namespace fusillade {

inline constexpr const char* kPlans[] = {"eager",      "vm",
                                         "vm/cse,dce", "vm/inline,constant_propagation,cse,dce",
                                         "vm/o2",      "vm/o2,fuse(loopnest,llvm)"};

inline Tensor ones(const Dims& sizes) {
  Tensor t = Tensor::zeros(sizes, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, 1);
  return t;
}

inline std::vector<IValue> call(const Module& m, const std::string& method,
                                std::vector<IValue> inputs, const char* plan) {
  inputs.insert(inputs.begin(), m.self);
  return prepare(*m.method(method)->graph, parse_plan(plan))->run(inputs);
}

// The first output as a number, equal under every plan; each plan gets an instance of its own.
inline double answer(const std::string& text, const std::string& make, std::vector<IValue> inputs) {
  Script script = compile_script(
      "import torch\nimport torch.nn as nn\nfrom typing import *\nfrom enum import Enum\n" + text,
      "m.py");
  std::vector<double> all;
  for (const char* plan : kPlans) {
    Module m = instantiate(script, make);
    IValue out = call(m, "forward", inputs, plan)[0];
    all.push_back(out.is_tensor() ? element_as_double(out.as_tensor(), 0) : out.as_double());
  }
  for (double v : all) EXPECT_EQ(v, all[0]) << text;
  return all[0];
}

inline std::string error_of(const std::string& text, const std::string& make) {
  try {
    Script script = compile_script("import torch\nimport torch.nn as nn\n" + text, "m.py");
    instantiate(script, make);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace fusillade
