// See worker.h. The worker's own limits (worker.py) come first; a worker that does not answer at
// all is ended.
#include "fuzz/run/python/worker.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/text.h"
#include "fuzz/process/confine.h"
#include "fuzz/process/filter.h"
#include "fuzz/process/installed.h"
#include "fuzz/run/python/admission.h"

namespace fusillade::fuzz {
namespace {

constexpr double kSecondsPerCall = 3;  // of processor time

void append_string(std::string& out, const std::string& s) {
  out += '"';
  for (unsigned char c : s) {
    if (c >= 32 && c < 127 && c != '"' && c != '\\') out += static_cast<char>(c);
    else fmt::format_to(std::back_inserter(out), "\\x{:02x}", c);
  }
  out += '"';
}

void append(std::string& out, const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      out += "None";
      return;
    case IValue::Tag::Int:
      fmt::format_to(std::back_inserter(out), "{}", v.as_int());
      return;
    case IValue::Tag::Float:
      out += python_float_text(v.as_double());
      return;
    case IValue::Tag::Bool:
      out += v.as_bool() ? "True" : "False";
      return;
    case IValue::Tag::Device:
      return append_string(out, to_string(v.as_device()));
    case IValue::Tag::Str:
      return append_string(out, v.as_str());
    case IValue::Tag::List:
    case IValue::Tag::Tuple: {
      bool list = v.tag() == IValue::Tag::List;
      out += list ? '[' : '(';
      for (size_t i = 0; i < v.items().size(); ++i) {
        if (i) out += ", ";
        append(out, v.items()[i]);
      }
      if (!list && v.items().size() == 1) out += ',';
      out += list ? ']' : ')';
      return;
    }
    case IValue::Tag::Dict: {
      out += '{';
      for (const auto& [key, value] : v.as_dict().items()) {
        if (out.back() != '{') out += ", ";
        append(out, key);
        out += ": ";
        append(out, value);
      }
      out += '}';
      return;
    }
    default:
      out += "<" + describe(v) + ">";
  }
}

std::string request_of(const PythonWorker::Question& q) {
  std::string out = std::string("script") + '\0' + q.mode + '\0' + q.script;
  for (const std::string& c : q.calls) out += '\0' + c;
  return out;
}

std::string hexadecimal(const std::string& bytes) {
  std::string out;
  for (unsigned char byte : bytes) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  return out;
}

// Of a worker that gave no answer.
std::string limit_of(const Lost& lost) {
  if (lost.how == Lost::How::Late) return "limit time";
  if (lost.how == Lost::How::Babbled) return "limit the worker babbled";
  return lost.ending.signal ? fmt::format("limit the worker died of signal {}", lost.ending.signal)
                            : "limit the worker died";
}

std::string answer_of(Message& m) {
  if (m.kind == "error") return std::move(m.body);
  return (m.kind == "values" ? "value " : "limit ") + m.body;
}

}  // namespace

std::string python_text(const IValue& v) {
  std::string out;
  append(out, v);
  return out;
}

std::string python_string(const std::string& utf8) {
  std::string out = "\"";
  for (const char32_t c : decode_utf8(utf8)) {
    if (c >= 32 && c < 127 && c != '"' && c != '\\') out += static_cast<char>(c);
    else if (c < 256)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint32_t>(c));
    else fmt::format_to(std::back_inserter(out), "\\U{:08x}", static_cast<uint32_t>(c));
  }
  return out + '"';
}

PythonWorker& PythonWorker::instance() {
  thread_local PythonWorker worker;
  return worker;
}

PythonWorker::PythonWorker()
    : service_({python_interpreter(), "-I", "-S", "-c", kPythonWorkerText,
                hexadecimal(syscall_filter())},
               {.keep_log = true, .keeps_time = true, .give_up = &confine}) {}

void PythonWorker::report_unconfined() {
  static bool said = false;
  const std::string& unconfined = service_.hello().at("unconfined");
  if (said || unconfined.empty()) return;
  said = true;
  fmt::print(stderr, "note: CPython is given no script: {}\n", unconfined);
}

std::vector<std::string> PythonWorker::exchange(const std::string& requests, size_t calls,
                                                double seconds) {
  if (!service_.ready()) {
    problem_ = "no Python: " + python_interpreter() + " does not run the worker";
    return {};
  }
  report_unconfined();
  std::vector<std::string> out;
  if (auto answers = service_.exchange(requests, calls, seconds))
    for (Message& m : *answers) out.push_back(answer_of(m));
  return out;
}

std::vector<std::string> PythonWorker::ask(const std::string& script, const char* mode,
                                           const std::vector<std::string>& calls) {
  if (calls.empty()) return {};
  std::string request = request_of({script, mode, calls});
  auto known = std::find_if(ready_.begin(), ready_.end(),
                            [&](const Answered& a) { return a.request == request; });
  if (known != ready_.end()) return known->answers;
  if (std::string why = why_not_for_python(script); !why.empty()) throw Unsupported(why);
  std::string message;
  Channel::append(message, "run", request);
  std::vector<std::string> out =
      exchange(message, calls.size(), kSecondsPerCall * static_cast<double>(calls.size()));
  if (!problem_.empty()) throw Unsupported(problem_);
  return out.empty() ? std::vector<std::string>(calls.size(), limit_of(service_.failure())) : out;
}

void PythonWorker::ahead(const std::vector<Question>& questions) {
  ready_.clear();
  std::vector<std::string> single;
  std::string requests;
  size_t calls = 0;
  std::vector<size_t> lengths;  // of the answers to each
  for (const Question& q : questions) {
    if (!why_not_for_python(q.script).empty()) continue;
    single.push_back(request_of(q));
    Channel::append(requests, "run", single.back());
    lengths.push_back(q.calls.size());
    calls += q.calls.size();
  }
  if (calls == 0) return;
  std::vector<std::string> answers = exchange(requests, calls, kSecondsPerCall);
  if (answers.empty()) return;
  auto from = std::make_move_iterator(answers.begin());
  for (size_t i = 0; i < single.size(); ++i) {
    auto to = from + static_cast<std::ptrdiff_t>(lengths[i]);
    ready_.push_back({std::move(single[i]), {from, to}});
    from = to;
  }
}

}  // namespace fusillade::fuzz
