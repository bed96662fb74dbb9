// Python itself, as a worker that runs scripts (fuzz/run/python/worker.py, whose text is part of
// the binary; process/channel.h has the protocol).
#pragma once

#include <string>
#include <vector>

#include "engine/ops/ivalue.h"
#include "fuzz/process/service.h"

namespace fusillade::fuzz {

// A value as worker.py writes and reads it: Python's literals, floats in 17 digits, strings in
// ASCII.
std::string python_text(const IValue& v);
// A literal of Python, in ASCII, for UTF-8. Text within python_text is bytes, of which worker.py
// makes text again.
std::string python_string(const std::string& utf8);

class PythonWorker {
 public:
  // One per thread.
  static PythonWorker& instance();
  PythonWorker();
  // One answer per call: "value RESULT ARGUMENTS", "limit REASON", or what failed as worker.py says
  // it. `calls` are tuples of arguments, `mode` is "plain" or "int64". Throws Unsupported, saying
  // why, for a script that is not given to CPython (admission.h), and when there is no interpreter:
  // that of FUSILLADE_PYTHON, else /usr/bin/python3.
  std::vector<std::string> ask(const std::string& script, const char* mode,
                               const std::vector<std::string>& calls);
  // Asks what ask() will be asked soon, in one go, which spares switching between the processes.
  // Only when all of it is answered within a call's time is it kept. Throws as ask().
  struct Question {
    std::string script;
    const char* mode;
    std::vector<std::string> calls;
  };
  void ahead(const std::vector<Question>& questions);
  // Starts it where it does not run, so that forked children may be lent it; asks nothing.
  void start() { service_.ready(); }
  // Ends it: a child that was lent it may have left an answer for nobody.
  void stop() { service_.stop(); }

 private:
  struct Answered {
    std::string request;
    std::vector<std::string> answers;
  };
  // The answers to some requests that make `calls` calls together; none when the worker had to be
  // ended.
  std::vector<std::string> exchange(const std::string& requests, size_t calls, double seconds);
  // On stderr, once: what the system leaves to scripts, where it cannot confine the worker.
  void report_unconfined();
  Service service_;
  std::string problem_;          // why there is none
  std::vector<Answered> ready_;  // the answers that ahead() received
};

// The text of worker.py, put here by the build (cmake/embed_text.cmake).
extern const char* const kPythonWorkerText;

}  // namespace fusillade::fuzz
