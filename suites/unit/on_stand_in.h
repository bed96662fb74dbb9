// Bodies of tests that have a GPU, the stand-in's, and an environment to themselves, in a child: a
// process opens one GPU, and one that is lost stays lost.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "engine/kernel/cuda_driver.h"
#include "fuzz/process/isolate.h"

namespace fusillade {

using Environment = std::vector<std::pair<std::string, std::string>>;

// What the body returns, in a child. An exception of ours is its text.
inline std::string in_child(const Environment& environment,
                            const std::function<std::string()>& body) {
  const auto job = [&]() -> std::string {
    for (const char* library : {"FUSILLADE_CUDA_DRIVER", "FUSILLADE_NVRTC", "FUSILLADE_CUBLAS"})
      setenv(library, FUSILLADE_CUDA_STAND_IN, 1);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    try {
      return body();
    } catch (const kernel::cuda::DeviceLost& e) {
      return std::string("lost: ") + e.what();
    } catch (const Unsupported& e) {
      return std::string("declined: ") + e.what();
    } catch (const Bug& e) {
      return std::string("bug: ") + e.what();
    } catch (const Error& e) {
      return std::string("error: ") + e.what();
    }
  };
  const fuzz::ChildResult r = fuzz::run_isolated(job, {.seconds = 300});
  if (r.kind != fuzz::ChildResult::Kind::Done)
    return fmt::format("died: signal {} status {}: {}", r.signal, r.status, r.log);
  return r.output;
}

}  // namespace fusillade
