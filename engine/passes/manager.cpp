// The pass manager: pipeline text to passes, and the one loop that runs them.
//
// A pipeline is words between commas; a word is a pass, a pass with words in parentheses (which may
// hold commas and parentheses of their own), or a named pipeline. Fuel is counted over the whole
// pipeline: once it is spent every further edit is refused, so a failure bisects to one rewrite. A
// pass that throws, or leaves a graph that does not verify, is named in the message.
#include <algorithm>
#include <unordered_map>

#include "engine/base/event.h"
#include "engine/base/log.h"
#include "engine/base/options.h"
#include "engine/base/probe.h"
#include "engine/base/text.h"
#include "engine/base/thread_time.h"
#include "engine/ir/composite.h"
#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"
#include "engine/passes/pass_times.h"
#include "engine/passes/switch_off.h"

namespace fusillade {
namespace {

const bool kLogNames = set_log_names([] {
  std::vector<std::string> names;
  for (const Pass* pass : Table<Pass>::instance().by_name()) names.push_back(pass->name);
  return names;
});

#ifdef NDEBUG
constexpr bool kVerifyByDefault = false;
#else
constexpr bool kVerifyByDefault = true;
#endif

const Option<bool> kVerify("verify", kVerifyByDefault, "verify the graph after every pass");

std::vector<std::string> legal_words() {
  std::vector<std::string> out;
  for (const Pass* pass : Table<Pass>::instance().by_name()) out.push_back(pass->name);
  for (const NamedPipeline* named : Table<NamedPipeline>::instance().by_name())
    out.push_back(named->name);
  return out;
}

struct Word {
  std::string name;
  bool called = false;  // has parentheses
  std::vector<std::string> args;
};

Word parse_word(const std::string& text, size_t column) {
  Word word;
  size_t open = text.find('(');
  word.name = trim(text.substr(0, open));
  if (open == std::string::npos) {
    if (text.find(')') != std::string::npos)
      fail("column {}: ')' without '(' in '{}'", column, text);
    return word;
  }
  word.called = true;
  size_t close = text.size() - 1;
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0 && i != close) fail("column {}: text after ')' in '{}'", column + i + 1, text);
  }
  if (depth != 0) fail("column {}: '(' is never closed in '{}'", column + open, text);
  std::string inside = text.substr(open + 1, close - open - 1);
  if (trim(inside).empty()) return word;
  for (const std::string& arg : split_outside_brackets(inside, ','))
    word.args.emplace_back(trim(arg));
  return word;
}

void parse_word_into(const std::string& text, size_t column, std::vector<PassCall>& out) {
  Word word = parse_word(text, column);
  if (const auto* named = Table<NamedPipeline>::instance().find(word.name)) {
    if (word.called) fail("column {}: pipeline '{}' takes no words", column, word.name);
    // Each is read once: campaigns read the names of plans a hundred times a second.
    static thread_local std::unordered_map<const NamedPipeline*, std::vector<PassCall>> read;
    auto known = read.find(named);
    if (known == read.end()) known = read.emplace(named, parse_pipeline(named->passes)).first;
    out.insert(out.end(), known->second.begin(), known->second.end());
    return;
  }
  const Pass* pass = Table<Pass>::instance().find(word.name);
  if (!pass) {
    std::vector<std::string> legal = legal_words();
    fail("column {}: unknown pass '{}'{} (legal: {})", column, word.name,
         near_misses(word.name, legal), join(legal, ", "));
  }
  if (!pass->check_words && word.called)
    fail("column {}: pass '{}' takes no words in parentheses", column, word.name);
  if (pass->check_words) {
    try {
      pass->check_words(word.args);
    } catch (const Error& e) {
      fail("column {}: {}: {}", column, word.name, e.what());
    }
  }
  out.push_back({pass, std::move(word.args)});
}

size_t leading_spaces(const std::string& text) {
  size_t at = text.find_first_not_of(" \t");
  return at == std::string::npos ? text.size() : at;
}

// Runs `step`; an exception leaves with the pass's name in its message, its class kept.
template <class F>
void naming(const std::string& pass, F step) {
  try {
    step();
  } catch (const Bug& e) {
    throw Bug(fmt::format("pass {}: {}", pass, e.what()));
  } catch (const Error& e) {
    throw Error(fmt::format("pass {}: {}", pass, e.what()));
  }
}

void narrow_inputs(Graph& graph, const std::vector<Type>& types) {
  if (types.size() > graph.inputs().size())
    fail("{} takes {} inputs, types are given for {}",
         graph.name.empty() ? "the program" : graph.name, graph.inputs().size(), types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    Value* input = graph.inputs()[i];
    if (!types[i].subtype_of(input->type().without_symbols()))
      fail("input {}{} is declared as {}, which {} is not", i,
           input->name().empty() ? "" : " (" + input->name() + ")", input->type().text(),
           types[i].text());
    input->set_type(types[i]);
  }
}

void run_passes(Graph& graph, const std::vector<PassCall>& pipeline, const PipelineOptions& options,
                Rewriter& rewriter, PipelineResult& result);

bool saves(const PassCall& call) { return (call.pass->flags & kSaves) != 0; }

// May what a task is given be written, before the task is waited for or after?
bool operands_written(const Node* task) {
  const Effects effects(task->graph());
  return std::ranges::any_of(effects.writers(), [&](const Node* writer) {
    return std::ranges::any_of(effects.written_classes(writer), [&](int c) {
      return std::ranges::any_of(task->inputs(),
                                 [&](const Value* v) { return effects.class_of(v) == c; });
    });
  });
}

// The graphs of tasks, which no pass decomposes, each for itself and for what it is given.
void run_in_tasks(Block* block, const std::vector<PassCall>& pipeline,
                  const PipelineOptions& options, Rewriter& rewriter, PipelineResult& result) {
  each_node_inside_out(block, [&](Node* node) {
    if (!is_task(node)) return;
    std::shared_ptr<Graph> own = node->subgraph().clone();
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Type given = node->inputs()[i]->type().without_symbols();
      if (given.subtype_of(own->inputs()[i]->type())) own->inputs()[i]->set_type(given);
    }
    std::vector<PassCall> passes = pipeline;
    if (std::ranges::any_of(passes, saves) && operands_written(node)) std::erase_if(passes, saves);
    run_passes(*own, passes, options, rewriter, result);
    node->set_attr("Subgraph", own);
  });
}

void run_passes(Graph& graph, const std::vector<PassCall>& pipeline, const PipelineOptions& options,
                Rewriter& rewriter, PipelineResult& result) {
  static const bool kAlwaysVerify = kVerify.get();
  auto merges = [](const PassCall& call) { return (call.pass->flags & kMerges) != 0; };
  const bool are_distinguished =
      std::any_of(pipeline.begin(), pipeline.end(), merges) && tests_identity(graph.block());
  bool reshapes = changes_sizes(graph);
  size_t nodes = graph.node_count();
  for (const PassCall& call : pipeline) {
    if ((are_distinguished && merges(call)) || is_switched_off(call.pass->name)) continue;
    if (reshapes && !(call.pass->flags & kReshapes)) continue;
    PassStat stat;
    stat.pass = call.text();
    stat.nodes_before = nodes;
    int64_t before = rewriter.rewrite_count();
    rewriter.enter_pass(call.pass->name);
    const bool logs = log_level(call.pass->name) != LogLevel::None;
    const std::string graph_before = logs ? print(graph) : "";
    const bool timed = PassTimes::is_asked();
    const double start = timed ? thread_seconds() : 0;
    naming(stat.pass, [&] { call.pass->run(graph, rewriter, call.args); });
    if (timed) stat.seconds = thread_seconds() - start;
    if (options.verify || kAlwaysVerify) naming(stat.pass, [&] { verify(graph); });
    stat.rewrites = rewriter.rewrite_count() - before;
    if (logs && stat.rewrites > 0)
      log_text(fmt::format("before {}:\n{}after {}, {} rewrites:\n{}", stat.pass, graph_before,
                           stat.pass, stat.rewrites, print(graph)));
    if (reshapes) reshapes = changes_sizes(graph);
    stat.nodes_after = nodes = graph.node_count();
    result.stats.push_back(std::move(stat));
  }
  if (!reshapes) run_in_tasks(graph.block(), pipeline, options, rewriter, result);
}

}  // namespace

bool Rewriter::allow(const char* rule, const Node* node) {
  if (fuel_ >= 0 && spent_ >= fuel_) return false;
  if (is_switched_off(pass_ + "/" + rule)) return false;
  ++spent_;
  if (const LogLevel level = log_level(pass_); level >= LogLevel::Rewrites) {
    const std::string at = node ? print(node) : "";
    log_text(fmt::format("[{}] {}/{}: {}\n", spent_, pass_, rule, at.substr(0, at.find('\n'))));
    if (level == LogLevel::Debug && node) log_text(print(node->graph()));
  }
  probe(pass_ + "/" + rule).hit();
  if (keep_log_) log_.push_back({pass_, rule, node ? print(node) : ""});
  return true;
}

std::string PassCall::text() const {
  return args.empty() ? pass->name : pass->name + "(" + join(args, ",") + ")";
}

std::vector<PassCall> parse_pipeline(const std::string& text, size_t column) {
  std::vector<PassCall> out;
  if (trim(text).empty()) return out;
  std::vector<size_t> offsets;
  std::vector<std::string> words = split_outside_brackets(text, ',', &offsets);
  for (size_t i = 0; i < words.size(); ++i) {
    size_t at = column + offsets[i] + leading_spaces(words[i]);
    std::string word(trim(words[i]));
    if (word.empty())
      fail("column {}: a pass name is missing (legal: {})", at, join(legal_words(), ", "));
    parse_word_into(word, at, out);
  }
  return out;
}

std::string to_string(const std::vector<PassCall>& pipeline) {
  std::vector<std::string> words;
  for (const PassCall& call : pipeline) words.push_back(call.text());
  return join(words, ",");
}

PipelineResult run_pipeline(Graph& graph, const std::vector<PassCall>& pipeline,
                            const PipelineOptions& options) {
  const TimedEvent running("passes run");
  narrow_inputs(graph, options.inputs);
  Rewriter rewriter(options.fuel);
  rewriter.keep_log(options.keep_log);
  PipelineResult result;
  run_passes(graph, pipeline, options, rewriter, result);
  result.rewrites = rewriter.rewrite_count();
  result.log = rewriter.log();
  return result;
}

}  // namespace fusillade
