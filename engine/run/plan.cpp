// Plans: engine[@device]/pipeline[~fuel] as text, and making a graph ready under one.
#include "engine/run/plan.h"

#include "engine/base/text.h"

namespace fusillade {
namespace {

std::string legal_engines() {
  std::vector<std::string> names;
  for (const Engine* engine : Table<Engine>::instance().sorted()) names.push_back(engine->name);
  return join(names, ", ");
}

[[noreturn]] void unknown_engine(const std::string& name, const std::string& plan) {
  std::vector<std::string> names;
  for (const Engine* engine : Table<Engine>::instance().sorted()) names.push_back(engine->name);
  fail("plan '{}', column 1: unknown engine '{}'{} (legal: {})", plan, name,
       near_misses(name, names), legal_engines());
}

int64_t parse_fuel(const std::string& text, size_t tilde) {
  int64_t fuel = -1;
  std::string digits = text.substr(tilde + 1);
  if (!parse_int(digits, &fuel) || fuel < 0)
    fail("plan '{}', column {}: fuel '{}' is not a whole number >= 0", text, tilde + 2, digits);
  return fuel;
}

Device device_named(const std::string& name, const std::string& plan, size_t at) {
  std::optional<Device> device = find_device(name);
  if (!device) fail("plan '{}', column {}: {}", plan, at + 2, no_device_text(name));
  return *device;
}

}  // namespace

Plan parse_plan(const std::string& text) {
  Plan plan;
  size_t tilde = text.rfind('~');
  if (tilde != std::string::npos) plan.fuel = parse_fuel(text, tilde);
  std::string body = text.substr(0, tilde);
  size_t slash = body.find('/');
  std::string head = body.substr(0, slash);
  size_t at = head.find('@');
  plan.engine = head.substr(0, at);
  if (!Table<Engine>::instance().find(plan.engine)) unknown_engine(plan.engine, text);
  if (at != std::string::npos) plan.device = device_named(head.substr(at + 1), text, at);
  if (slash == std::string::npos) return plan;
  try {
    plan.pipeline = parse_pipeline(body.substr(slash + 1), slash + 2);
  } catch (const Error& e) {
    fail("plan '{}', {}", text, e.what());
  }
  return plan;
}

void check_device(const Plan& plan) {
  if (find_device_row(plan.device.type)) return;
  decline("no such device: '{}' (tensors are on {})", to_string(plan.device), registered_devices());
}

std::string to_string(const Plan& plan) {
  std::string out = plan.engine;
  if (plan.device != Device()) out += "@" + to_string(plan.device);
  if (!plan.pipeline.empty()) out += "/" + to_string(plan.pipeline);
  if (plan.fuel >= 0) out += fmt::format("~{}", plan.fuel);
  return out;
}

std::unique_ptr<Executable> prepare(const Graph& graph, const Plan& plan,
                                    const PipelineOptions& options) {
  const Engine* engine = Table<Engine>::instance().find(plan.engine);
  if (!engine) unknown_engine(plan.engine, to_string(plan));
  check_device(plan);
  PipelineOptions pipeline_options = options;
  if (plan.fuel >= 0) pipeline_options.fuel = plan.fuel;
  std::unique_ptr<Graph> copy = graph.clone();
  PipelineResult compiled = run_pipeline(*copy, plan.pipeline, pipeline_options);
  std::unique_ptr<Executable> executable = engine->prepare(std::move(copy));
  executable->set_compiled(std::move(compiled));
  return executable;
}

}  // namespace fusillade
