// See other_build.h. A request is what is wanted (`counts`, or `rewrites` with them), NUL, and the
// case; its answer is the counts of each of the case's plans, or why there are none.
#include "fuzz/run/other_build.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/shell.h"
#include "engine/run/plan.h"
#include "fuzz/process/tool.h"

namespace fusillade::fuzz {
namespace {

constexpr double kSeconds = 10;  // of processor time, for one case
constexpr size_t kMegabytes = 4096;
constexpr std::chrono::seconds kWait{10};  // for a word about itself

std::string& trusted_binary() {
  static std::string binary;
  return binary;
}

// What it calls the verb: builds before version 0.3 have another word.
const char* verb_of(const std::string& binary) {
  const auto until = std::chrono::steady_clock::now() + kWait;
  try {
    output_of({.words = {binary, "help", OtherBuild::kVerb},
               .stopped = [&] { return std::chrono::steady_clock::now() > until; }});
    return OtherBuild::kVerb;
  } catch (const Error&) {
    return OtherBuild::kFormerVerb;
  }
}

// Of a plan that this build does not have, why.
StaticCost under(const Case& c, const Plan& plan, bool rewrites) {
  try {
    engine_of(plan);
  } catch (const Error& e) {
    StaticCost none;
    none.why_not = std::string("declined: ") + e.what();
    return none;
  }
  return static_cost(c, plan, rewrites);
}

Message answer_to(const std::string& body) {
  const size_t nul = body.find('\0');
  const std::string wanted = body.substr(0, nul);
  try {
    if (nul == std::string::npos || (wanted != "counts" && wanted != "rewrites"))
      fail("'{}' is asked for; counts and rewrites are legal", wanted);
    const Case c = parse_case(body.substr(nul + 1), "<asked>");
    if (!c.refused.empty()) fail("{}", c.refused);
    std::vector<StaticCost> all;
    for (const Plan& plan : c.plans) all.push_back(under(c, plan, wanted == "rewrites"));
    return {"values", to_text(all)};
  } catch (const Exception& e) {
    return {"declined", e.what()};
  }
}

}  // namespace

void OtherBuild::trust(const std::string& binary) { trusted_binary() = binary; }

bool OtherBuild::is_trusted(const std::string& binary) {
  return !binary.empty() && trusted_binary() == binary;
}

std::string OtherBuild::flags() {
  return trusted_binary().empty() ? "" : " --against " + shell_word(trusted_binary());
}

OtherBuild& OtherBuild::of(const std::string& binary) {
  if (!is_trusted(binary)) throw Unsupported("another build than the command line names");
  thread_local std::map<std::string, std::unique_ptr<OtherBuild>> all;
  std::unique_ptr<OtherBuild>& one = all[binary];
  if (!one) one = std::make_unique<OtherBuild>(binary);
  return *one;
}

OtherBuild::OtherBuild(std::string binary)
    : binary_(std::move(binary)),
      service_({binary_, verb_of(binary_)}, {.megabytes = kMegabytes, .keep_log = true}) {}

void OtherBuild::require() {
  struct stat s;
  if (stat(binary_.c_str(), &s) != 0) fail("there is no other build at {}", binary_);
  if (!S_ISREG(s.st_mode) || access(binary_.c_str(), X_OK) != 0)
    fail("{} is no program: another build's fusillade is wanted", binary_);
  if (!service_.ready()) {
    const std::string& log = service_.failure().log;
    fail("{} does not answer to `{}` as builds of fusillade since version {} of that protocol do{}",
         binary_, kVerb, kVersion,
         log.empty() ? "" : "; it says: " + log.substr(0, log.find('\n')));
  }
  const std::string version = service_.hello().at("version");
  if (version != kVersion)
    fail("{} speaks version {} of `{}`, this build version {}: build both from commits that agree",
         binary_, version, kVerb, kVersion);
}

std::vector<StaticCost> OtherBuild::ask(const std::string& text, bool rewrites) {
  if (!service_.ready()) throw Unsupported("the other build does not start");
  std::string request;
  Channel::append(request, "run", (rewrites ? "rewrites" : "counts") + std::string(1, '\0') + text);
  const auto answers = service_.exchange(request, 1, kSeconds);
  if (!answers) throw Unsupported("the other build was lost");
  const Message& m = answers->front();
  if (m.kind != "values") throw Unsupported("the other build: " + m.body);
  return static_cost_of_text(m.body);
}

// What a program prints goes nowhere: stdout is the harness's.
void answer_as_other_build() {
  Channel channel(dup(STDIN_FILENO));
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
  std::string hello;
  Channel::append(hello, "hello",
                  std::string("protocol: 1\nname: fusillade\nversion: ") + OtherBuild::kVersion +
                      "\nforms: case\nvalues: counts\n");
  bool goes_on = channel.send(hello);
  while (goes_on) {
    Message m;
    const Channel::Got got = channel.receive(m, -1);
    if (got == Channel::Got::Nothing) continue;
    if (got != Channel::Got::Whole || m.kind != "run") return;
    const Message answer = answer_to(m.body);
    std::string out;
    Channel::append(out, answer.kind, answer.body);
    goes_on = channel.send(out);
  }
}

}  // namespace fusillade::fuzz
