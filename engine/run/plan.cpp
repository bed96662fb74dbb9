// Plans: engine[(words)][@device]/pipeline[~fuel] as text, and making a graph ready under one.
#include "engine/run/plan.h"

#include <algorithm>
#include <cctype>

#include "engine/base/text.h"
#include "engine/run/gradients.h"
#include "engine/run/on_device.h"
#include "engine/tensor/device_access.h"

namespace fusillade {
namespace {

std::string legal_engines() {
  std::vector<std::string> names;
  for (const Engine* engine : Table<Engine>::instance().by_name()) names.push_back(engine->name);
  return join(names, ", ");
}

// "; --engine mine=WORKER declares those of 'mine'" where no engine is of this one's family.
std::string family_hint(const std::string& name, const std::vector<std::string>& names) {
  const size_t colon = name.find(':');
  if (colon == 0 || colon == std::string::npos) return "";
  const std::string family = name.substr(0, colon);
  for (const std::string& other : names)
    if (other.starts_with(family + ":")) return "";
  return fmt::format("; --engine {0}=WORKER declares those of '{0}'", family);
}

[[noreturn]] void unknown_engine(const std::string& name, const std::string& plan) {
  std::vector<std::string> names;
  for (const Engine* engine : Table<Engine>::instance().by_name()) names.push_back(engine->name);
  std::string hint = near_misses(name, names);
  if (hint.empty()) hint = family_hint(name, names);
  fail("plan '{}', column 1: unknown engine '{}'{} (legal: {})", plan, name, hint, legal_engines());
}

int64_t parse_fuel(const std::string& text, size_t tilde) {
  int64_t fuel = -1;
  std::string digits = text.substr(tilde + 1);
  if (!parse_int(digits, &fuel) || fuel < 0)
    fail("plan '{}', column {}: fuel '{}' is not a whole number >= 0", text, tilde + 2, digits);
  return fuel;
}

void require_taken(const Engine& engine, const ProgramView& program, const Plan& plan) {
  check_device(plan);
  const std::string device = name_of(plan.device.type);
  if (std::find(engine.devices.begin(), engine.devices.end(), device) == engine.devices.end())
    decline("engine '{}' has no device '{}' (it has {})", engine.name, device,
            join(engine.devices, ", "));
  unsigned given = Engine::kGraph;
  if (!program.script.empty()) given |= Engine::kScript;
  if (!program.self.is_none()) given |= Engine::kModule;
  if ((engine.takes & given) == 0)
    decline("engine '{}' takes no program in this form", engine.name);
}

Device device_named(const std::string& name, const std::string& plan, size_t at) {
  std::optional<Device> device = find_device(name);
  if (!device) fail("plan '{}', column {}: {}", plan, at + 2, no_device_text(name));
  return *device;
}

// The words of "jit(calls=2,static=1)".
std::vector<std::string> words_of(const Engine& engine, const std::string& called, size_t paren,
                                  const std::string& plan) {
  const size_t column = paren + 1;
  if (called.back() != ')') fail("plan '{}', column {}: '(' is never closed", plan, column);
  if (!engine.check_words)
    fail("plan '{}', column {}: engine '{}' takes no words in parentheses", plan, column,
         engine.name);
  std::vector<std::string> words;
  const std::string inside = called.substr(paren + 1, called.size() - paren - 2);
  for (const std::string& word : split_outside_brackets(inside, ','))
    if (!trim(word).empty()) words.emplace_back(trim(word));
  try {
    engine.check_words(words);
  } catch (const Error& e) {
    fail("plan '{}', column {}: {}", plan, column, e.what());
  }
  return words;
}

}  // namespace

Plan parse_plan(const std::string& text) {
  Plan plan;
  plan.text = text;
  size_t tilde = text.rfind('~');
  if (tilde != std::string::npos) plan.fuel = parse_fuel(text, tilde);
  std::string body = text.substr(0, tilde);
  size_t slash = body.find('/');
  std::string head = body.substr(0, slash);
  size_t at = head.find('@');
  const std::string called = head.substr(0, at);
  const bool whole = Table<Engine>::instance().find(called);  // names may have parentheses
  const size_t paren = whole ? std::string::npos : called.find('(');
  plan.engine = called.substr(0, paren);
  const Engine* engine = Table<Engine>::instance().find(plan.engine);
  if (!engine) unknown_engine(plan.engine, text);
  if (paren != std::string::npos) plan.words = words_of(*engine, called, paren, text);
  if (at != std::string::npos) plan.device = device_named(head.substr(at + 1), text, at);
  if (slash == std::string::npos) return plan;
  if (!engine->runs_passes)
    fail("plan '{}', column {}: engine '{}' runs no passes", text, slash + 2, plan.engine);
  try {
    plan.pipeline = parse_pipeline(body.substr(slash + 1), slash + 2);
  } catch (const Error& e) {
    fail("plan '{}', {}", text, e.what());
  }
  return plan;
}

bool is_plan_word(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || c == '_' || c == '.' || c == '-');
  });
}

std::vector<Plan> parse_plans(const std::vector<std::string>& texts) {
  std::vector<Plan> out;
  for (const std::string& text : texts) out.push_back(parse_plan(text));
  return out;
}

Plan read_plan(const std::string& text) {
  if (text.empty()) return {};
  try {
    return parse_plan(text);
  } catch (const Error& e) {
    return {.engine = text.substr(0, text.find_first_of("/@(~")), .text = text, .error = e.what()};
  }
}

Plan plan_of_engine(const std::string& engine) { return {.engine = engine, .text = engine}; }

Plan respell(Plan plan) {
  plan.text = to_string(plan);
  return plan;
}

std::vector<std::string> texts_of(const std::vector<Plan>& plans) {
  std::vector<std::string> out;
  for (const Plan& plan : plans) out.push_back(plan.text);
  return out;
}

void check_device(const Plan& plan) {
  const std::string why = why_no_device(plan.device);
  if (why.empty()) return;
  decline("no such device: '{}' (tensors are on {}): {}", to_string(plan.device),
          registered_devices(), why);
}

std::string to_string(const Plan& plan) {
  std::string out = plan.engine;
  if (!plan.words.empty()) out += "(" + join(plan.words, ",") + ")";
  if (plan.device != Device()) out += "@" + to_string(plan.device);
  if (!plan.pipeline.empty()) out += "/" + to_string(plan.pipeline);
  if (plan.fuel >= 0) out += fmt::format("~{}", plan.fuel);
  return out;
}

std::vector<const Engine*> engines() {
  std::vector<const Engine*> out = Table<Engine>::instance().by_name();
  auto reference = std::find_if(out.begin(), out.end(), [](auto* e) { return e->reference; });
  if (reference != out.end()) std::rotate(out.begin(), reference, reference + 1);
  return out;
}

const Engine& engine_of(const Plan& plan) {
  if (!plan.error.empty()) fail("{}", plan.error);
  const Engine* engine = Table<Engine>::instance().find(plan.engine);
  if (!engine) unknown_engine(plan.engine, to_string(plan));
  return *engine;
}

const Plan& reference_plan() {
  static const Plan plan = [] {
    std::vector<const Engine*> all = engines();
    FUS_CHECK(!all.empty() && all[0]->reference, "no engine is the reference");
    for (const Engine* other : all)
      FUS_CHECK(other == all[0] || !other->reference,
                "engines '{}' and '{}' are both the reference", all[0]->name, other->name);
    return plan_of_engine(all[0]->name);
  }();
  return plan;
}

std::unique_ptr<Executable> prepare(const ProgramView& program, const Plan& plan,
                                    const PipelineOptions& options) {
  const Engine& engine = engine_of(plan);
  require_taken(engine, program, plan);
  if (!engine.runs_passes) return engine.prepare(program, plan, nullptr);
  if (engine.passes_later) {
    Plan later = plan;
    if (later.fuel < 0) later.fuel = options.fuel;
    return engine.prepare(program, later, program.graph.clone());
  }
  PipelineOptions pipeline_options = options;
  if (plan.fuel >= 0) pipeline_options.fuel = plan.fuel;
  std::unique_ptr<Graph> copy = program.graph.clone();
  const bool elsewhere = find_device_access(plan.device.type);
  std::optional<PlanOnDevice> there;
  if (elsewhere) there.emplace(*copy, plan.device);
  std::vector<PassCall> pipeline = plan.pipeline;
  if (options.recorded || asks_gradients(*copy))
    std::erase_if(pipeline, [](const PassCall& p) { return !(p.pass->flags & kKeepsTape); });
  PipelineResult compiled = run_pipeline(*copy, pipeline, pipeline_options);
  std::unique_ptr<Executable> executable = engine.prepare(program, plan, std::move(copy));
  executable->set_pipeline_result(std::move(compiled));
  return there ? there->run_there(std::move(executable)) : std::move(executable);
}

std::unique_ptr<Executable> prepare(const Graph& graph, const Plan& plan,
                                    const PipelineOptions& options) {
  return prepare(ProgramView{graph}, plan, options);
}

}  // namespace fusillade
