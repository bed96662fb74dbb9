// See foreign_worker.h.
#include "fuzz/run/foreign/foreign_worker.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "engine/base/text.h"
#include "fuzz/process/confine.h"
#include "fuzz/process/unstartable.h"
#include "fuzz/run/foreign/contract.h"
#include "fuzz/run/foreign/wire.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr size_t kMegabytes = 8192;
constexpr int kAlone = 3;  // asks of one call, where what ends the worker is no program's fault
constexpr int kOutsideEnds = 8;  // such ends without an answer between them: nothing is compared

// Is this last line Python's about text that is no Python?
bool is_syntax_error(const std::string& line) {
  return line.starts_with("SyntaxError") || line.starts_with("IndentationError") ||
         line.starts_with("TabError");
}

// Is it about a module that is not there, or not whole? What the machine lacks for a moment may be
// there later.
bool is_missing_module(const std::string& line) {
  constexpr const char* kForAMoment[] = {"Cannot allocate memory", "Too many open files",
                                         "failed to map segment", "out of memory"};
  return line.starts_with("ModuleNotFoundError") ||
         (line.starts_with("ImportError") &&
          std::ranges::none_of(kForAMoment,
                               [&](const char* text) { return line.find(text) != line.npos; }));
}

// The last line of what a worker wrote; of text that is no Python, where, too.
std::string last_line(const std::string& log) {
  size_t end = log.find_last_not_of(" \n");
  if (end == std::string::npos) return "it says nothing";
  size_t from = log.rfind('\n', end);
  std::string line = log.substr(from == std::string::npos ? 0 : from + 1, end - from);
  const size_t place = is_syntax_error(line) ? log.rfind("  File \"", end) : std::string::npos;
  if (place != std::string::npos)
    line += ", " + std::string(trim(log.substr(place, log.find('\n', place) - place)));
  return line;
}

std::string why_hopeless(const Family& family, const std::string& log) {
  const std::string line = last_line(log);
  return is_syntax_error(line) || is_missing_module(line) ? line : lacking_of(family);
}

ServiceOptions options_of(const Family& family) {
  return {.seconds_to_start = 60,
          .megabytes = kMegabytes,
          .keep_log = true,
          .name = "the worker of '" + family.name + ":'",
          .hopeless = [&family](const std::string& log) { return why_hopeless(family, log); },
          .give_up = is_sandboxed() ? +[] { confine_engine(); } : nullptr};
}

// Of what a worker greets with; a form that is not legal is its author's mistake.
json parse_word(const std::string& family, const Service& service, const char* key,
                json::value_t type, const char* legal) {
  auto it = service.hello().find(key);
  if (it == service.hello().end()) return json(type);
  json out = json::parse(it->second, nullptr, false);
  if (out.type() != type)
    fail("the worker of '{}' says {} '{}'; legal is {}", family, key, it->second, legal);
  return out;
}

}  // namespace

ForeignWorker::ForeignWorker(const Family& family)
    : family_(family), service_(family.command(), options_of(family)) {}

std::map<std::string, std::unique_ptr<ForeignWorker>>& ForeignWorker::of_thread() {
  thread_local std::map<std::string, std::unique_ptr<ForeignWorker>> workers;
  return workers;
}

ForeignWorker& ForeignWorker::of(const Family& family) {
  std::unique_ptr<ForeignWorker>& worker = of_thread()[family.name];
  if (!worker) worker = std::make_unique<ForeignWorker>(family);
  if (!worker->service_.ready()) {
    const Service& service = worker->service_;
    const bool babbled = service.failure().how == Lost::How::Babbled;
    throw Unstartable{fmt::format(
        "the engines of '{}' cannot run: {} does not run their worker ({}{}", family.name,
        family.command()[0], service.why_lost(),
        babbled ? "; its stdout is for messages to Fusillade alone: print to stderr)"
                : ": " + last_line(service.failure().log) + ")" + start_advice(family))};
  }
  worker->learn();
  return *worker;
}

std::map<std::string, std::string> ForeignWorker::greeting(const Family& family) {
  auto it = of_thread().find(family.name);
  if (it == of_thread().end()) return {};
  return it->second->service_.hello();
}

void ForeignWorker::nurse(const Family& family, const std::vector<std::string>& engines) {
  std::unique_ptr<ForeignWorker>& worker = of_thread()[family.name];
  if (!worker) worker = std::make_unique<ForeignWorker>(family);
  worker->service_.nurse(engines);
}

void ForeignWorker::learn() {
  if (known_generation_ == service_.generation()) return;
  known_generation_ = service_.generation();
  prepared_.clear();
  forgotten_.clear();
  const std::string& name = family_.name;
  engines_ = parse_word(name, service_, "engines", json::value_t::object,
                        "an object of names, each true or why there is none");
  json contracts = parse_word(name, service_, "contract", json::value_t::object,
                              "an object of engines' contracts");
  contracts_.clear();
  for (const auto& [engine, contract] : contracts.items()) {
    if (!engines_.contains(engine))
      fail("the worker of '{}' has a contract of the engine '{}'{} (its engines: {})", name, engine,
           near_misses(engine, engines()), join(engines(), ", "));
    contracts_[engine] = contract_of(name + ":" + engine, contract);
  }
  options_ = EngineOptions(
      name,
      parse_word(name, service_, "options", json::value_t::object, "an object of engines' options"),
      engines());
  auto names = service_.hello().find("names");
  const bool of_torch = names != service_.hello().end();
  if (of_torch && names->second != "torch")
    fail("the worker of '{}' says names '{}'; legal is torch, or nothing", name, names->second);
  names_ = of_torch ? PythonOf::TorchWorker : PythonOf::Workers;
  declined_.clear();
  for (const auto& [engine, contract] : contracts_) {
    if (contract.declines.empty()) continue;
    for (const Operator& op : OperatorTable::instance())
      if (contract.declines.count(python_op(op)) != 0) declined_[engine].insert(&op);
  }
  ops_.clear();
  for (const json& op :
       parse_word(name, service_, "ops", json::value_t::array, "a list of ops' names"))
    ops_.insert(op_of(fmt::format("the worker of '{}' lists the op", name), op));
}

bool ForeignWorker::takes_source() const {
  const auto forms = service_.hello().find("forms");
  if (forms == service_.hello().end()) return false;
  return (" " + forms->second + " ").find(" source ") != std::string::npos;
}

std::string ForeignWorker::identity(const std::map<std::string, std::string>& hello) {
  std::vector<std::string> words;
  const auto word = [&](const char* key) {
    const auto it = hello.find(key);
    return it == hello.end() ? "" : it->second;
  };
  const json build = json::parse(word("build"), nullptr, false);
  if (build.is_object())
    for (const auto& [key, text] : build.items())
      if (key != "python" && text.is_string()) words.push_back(key + " " + text.get<std::string>());
  if (hello.count("python") != 0) words.push_back("Python " + word("python"));
  return fmt::format("{} {}{}", word("name"), word("version"),
                     words.empty() ? "" : " (" + join(words, ", ") + ")");
}

std::vector<std::string> ForeignWorker::engines() const {
  std::vector<std::string> out;
  for (const auto& [name, reason] : engines_.items()) out.push_back(name);
  return out;
}

bool ForeignWorker::may_have(const Operator& op, const std::string& engine) const {
  auto it = declined_.find(engine);
  if (it != declined_.end() && it->second.count(&op) != 0) return false;
  return ops_.empty() || ops_.count(python_op(op)) != 0;
}

void ForeignWorker::require(const std::string& engine) const {
  auto it = engines_.find(engine);
  const auto& hello = service_.hello();
  if (it == engines_.end())
    decline("{} {} has no engine '{}' (it has {})", hello.at("name"), hello.at("version"), engine,
            join(engines(), ", "));
  if (it->is_string())
    decline("{} {} cannot run '{}': {}", hello.at("name"), hello.at("version"), engine,
            it->get<std::string>());
}

Contract ForeignWorker::contract(const std::string& engine) const {
  auto it = contracts_.find(engine);
  return it == contracts_.end() ? Contract() : it->second;
}

void ForeignWorker::stop(const Family& family) {
  auto it = of_thread().find(family.name);
  if (it != of_thread().end()) it->second->service_.stop();
}

void ForeignWorker::forget(const Family& family, const std::string& program) {
  auto it = of_thread().find(family.name);
  if (it == of_thread().end()) return;
  ForeignWorker& worker = *it->second;
  bool prepared = std::find(worker.prepared_.begin(), worker.prepared_.end(), program) !=
                  worker.prepared_.end();
  if (prepared) worker.forgotten_.push_back(program);
}

std::string ForeignWorker::requests_for(const ForeignProgram& program, const std::string& run) {
  if (run.size() > Channel::kMost)
    decline("its arguments are more than {} MiB", Channel::kMost >> 20);
  std::string out;
  if (!forgotten_.empty()) {
    Channel::append(out, "forget", json(forgotten_).dump());
    for (const std::string& id : forgotten_) std::erase(prepared_, id);
    forgotten_.clear();
  }
  if (std::find(prepared_.begin(), prepared_.end(), program.id) == prepared_.end()) {
    Channel::append(out, "prepare", program.prepare);
    prepared_.push_back(program.id);
  }
  Channel::append(out, "run", run);
  return out;
}

void ForeignWorker::throw_lost(double seconds) {
  const Lost& l = service_.failure();
  switch (l.how) {
    case Lost::How::Died:
      if (l.ending.from_outside() && ++outside_ends_ == kOutsideEnds)
        throw Unstartable{fmt::format(
            "the worker of '{}:' is ended from outside (signal {}) on each call: {} calls went by "
            "without an answer",
            family_.name, l.ending.signal, kOutsideEnds)};
      if (l.ending.from_outside())
        decline("its worker was ended from outside, by signal {}", l.ending.signal);
      throw WorkerLost(l.how, (l.lives           ? "it closed its stdout"
                               : l.ending.signal ? fmt::format("signal {}", l.ending.signal)
                                                 : fmt::format("exit code {}", l.ending.status)) +
                                  "\n" + l.log);
    case Lost::How::Babbled:
      throw WorkerLost(l.how, "it sends what is no message of the protocol\n" + l.log);
    case Lost::How::Late:
      throw WorkerLost(l.how, fmt::format("more than {} s", seconds));
    case Lost::How::Memory:
      throw WorkerLost(l.how, fmt::format("more than {} MB", kMegabytes));
  }
  FUS_BUG("a worker was lost in a way that is none");
}

Message ForeignWorker::ask(const ForeignProgram& program, const std::string& run, double seconds) {
  for (int asked_alone = 0;;) {
    asked_alone += service_.fresh();
    auto answers = service_.exchange(requests_for(program, run), 1, seconds);
    if (answers) {
      outside_ends_ = 0;
      return std::move((*answers)[0]);
    }
    const Lost& l = service_.failure();
    const bool outside = l.how == Lost::How::Died && l.ending.from_outside();
    if (asked_alone >= (outside ? kAlone : 1)) throw_lost(seconds);
    of(family_);  // starts the next
  }
}

namespace {

// The lists among the inputs, as the program left them.
void write_lists(WireReader& reader, const std::vector<IValue>& inputs) {
  if (!reader.head().contains("lists")) return;
  const json& lists = reader.head()["lists"];
  if (!lists.is_object()) throw Babble{"lists"};
  for (const auto& [place, said] : lists.items()) {
    const bool digits = !place.empty() && place.size() < 9 &&
                        place.find_first_not_of("0123456789") == std::string::npos;
    const size_t i = digits ? std::stoul(place) : inputs.size();
    if (i >= inputs.size() || inputs[i].tag() != IValue::Tag::List)
      throw Babble{"a list that it was not given"};
    const IValue now = reader.value(said);
    if (now.tag() != IValue::Tag::List) throw Babble{"a list that is none"};
    inputs[i].seq()->items = now.items();
  }
}

// Whole numbers alone, and few: a stranger's worker may say what it likes.
std::map<std::string, int64_t> counters_in(const json& head) {
  constexpr size_t kMost = 64, kLongest = 64;
  std::map<std::string, int64_t> out;
  const auto said = head.find("counters");
  if (said == head.end() || !said->is_object()) return out;
  for (const auto& [name, value] : said->items())
    if (value.is_number_integer() && name.size() <= kLongest && out.size() < kMost)
      out[name] = value.get<int64_t>();
  return out;
}

}  // namespace

std::vector<IValue> ForeignWorker::results_of(WireReader& reader,
                                              const std::vector<IValue>& inputs) {
  const json& head = reader.head();
  interpreted_ = head.contains("counters") && head["counters"].value("graph_breaks", 0) > 0;
  took_.reset();
  if (head.contains("counters") && head["counters"].contains("took")) {
    const json& took = head["counters"]["took"];
    took_ = Took{took.at(0).get<double>(), took.at(1).get<double>()};
  }
  counters_ = counters_in(head);
  printed_ = head.value("printed", "");
  raised_for_result_ = head.contains("error") && head["error"].value("for_result", false);
  if (head.contains("declined")) decline("{}", head["declined"].get<std::string>());
  if (head.contains("limit")) throw WorkerLost(Lost::How::Memory, head["limit"].get<std::string>());
  reader.write_back();
  if (head.contains("error")) {
    const json& error = head["error"];
    const std::string text =
        fmt::format("{}: {}", error.value("class", "Error"), error.value("text", ""));
    if (error.value("by_operator", false)) throw OperatorError(text);
    throw Error(text);
  }
  if (!head.contains("results") || !head["results"].is_array()) throw Babble{"no results"};
  write_lists(reader, inputs);
  std::vector<IValue> out;
  for (const json& v : head["results"]) out.push_back(reader.value(v));
  return out;
}

std::vector<IValue> ForeignWorker::run(const ForeignProgram& program, const std::string& engine,
                                       const std::vector<IValue>& inputs, const json& options) {
  static std::atomic<uint64_t> number = 0;
  of(family_);
  std::string id = fmt::format("{}.{}", getpid(), ++number);
  WireWriter writer(program.source);
  json args = json::array();
  for (const IValue& v : inputs) args.push_back(writer.value(v));
  json head = {{"id", id}, {"program", program.id}, {"engine", engine}, {"args", args}};
  if (!options.empty()) head["options"] = options;
  std::string question = writer.body(head);
  std::string babble;
  try {
    for (int attempt = 0; attempt < 2; ++attempt) {
      Message m = ask(program, question, contract(engine).seconds);
      WireReader reader(m.body, writer.storages());
      if (reader.head().value("id", "") == id) return results_of(reader, inputs);
      // What somebody asked before and did not wait for.
      service_.stop();
      of(family_);
    }
    babble = "answers to other questions";
  } catch (const Babble& b) {
    babble = b.what;
  } catch (const json::exception& e) {
    babble = e.what();
  }
  service_.stop();
  throw WorkerLost(Lost::How::Babbled, "it answers with " + babble);
}

}  // namespace fusillade::fuzz
