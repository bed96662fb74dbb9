// Python itself, as a worker process that runs scripts (fuzz/python/worker.py, whose text is part
// of the binary).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "engine/ops/ivalue.h"

namespace fusillade::fuzz {

// A value as worker.py writes and reads it: Python's literals, floats in 17 digits, strings in
// ASCII.
std::string python_text(const IValue& v);

class PythonWorker {
 public:
  // One per thread, started at the first request and again after it died. A forked child starts its
  // own.
  static PythonWorker& instance();
  ~PythonWorker();
  // One answer per call, see worker.py; "limit ..." when the worker had to be killed. `calls` are
  // tuples of arguments, `mode` is "plain" or "int64". Throws Unsupported, saying why, when there
  // is no interpreter: that of FUSILLADE_PYTHON, else /usr/bin/python3.
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

 private:
  struct Answered {
    std::string request;
    std::vector<std::string> answers;
  };
  bool begin();  // false: there is no interpreter
  // The answers to some requests that make `calls` calls together; none when the worker had to be
  // killed.
  std::vector<std::string> exchange(const std::string& requests, size_t calls, double seconds);
  void start();
  void stop();
  bool send_all(const std::string& bytes);
  bool receive(std::string& bytes, double seconds);
  bool receive_frame(std::string& answer, double seconds);
  double seconds_used() const;
  pid_t pid_ = 0;
  pid_t owner_ = 0;  // the process that started it
  int socket_ = -1;
  bool answered_ = false;
  std::string problem_;          // why there is none
  std::vector<Answered> ready_;  // what ahead() was told
};

// The text of worker.py, put here by the build (cmake/embed_text.cmake).
extern const char* const kPythonWorkerText;

}  // namespace fusillade::fuzz
