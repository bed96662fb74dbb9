// Messages between a process and its workers, over a stream socket; and what a worker in any
// language has to do to be asked. Its socket is its stdin and its stdout.
//
//   message    LENGTH KIND newline BODY      LENGTH: bytes of BODY, in digits; KIND: a-z
//
//   worker     hello       the first, unasked. Lines "KEY: VALUE" with `protocol: 1`, the worker's
//                          `name` and `version`, and its contract: `forms`, the forms of programs
//                          that it takes (script, graph), and `values`, how it reads and writes
//                          values (python: literals as fuzz/run/python/worker.py's; tensors: as
//                          docs/reference/workers.md says, with further messages: prepare and
//                          forget to the worker, begin and outcome from it)
//   harness    run         a program and its calls, with NULs between: the form, a word that says
//                          how to run it, the program's text, and each call's arguments
//   worker     one answer for each call, in their order:
//              values      the results, a blank, and the arguments as they are afterwards
//              error       the program fails: who says so, the error's class, its message
//              declined    why the worker does not run such a program or call: nothing is known
//              limit       what there was too much of, time or memory: nothing is known
//
// Several requests may come before the first is answered, and answers may wait for each other: a
// worker writes what it has before it waits for more. At the end of its input it exits. A worker
// that dies, babbles (sends what is no message, or one beyond the cap) or takes too long is ended
// and started again: for the harness that is an answer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace fusillade::fuzz {

struct Message {
  std::string kind;
  std::string body;
};

class Channel {
 public:
  static constexpr size_t kMost = size_t{512} << 20;  // bytes of a body
  static constexpr size_t kMostHead = 40;             // bytes before it

  Channel() = default;
  explicit Channel(int fd, size_t most = kMost);
  Channel(Channel&& other) noexcept { *this = std::move(other); }
  Channel& operator=(Channel&& other) noexcept;
  ~Channel() { close(); }
  // The two ends of a new one. Throws Error when there is none to be had.
  static std::pair<Channel, Channel> make(size_t most = kMost);

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close();
  // Has something come that was not received?
  bool has_more() const { return at_ < inbox_.size(); }

  // Sends messages put together by `append`; takes in what comes meanwhile. False when the peer is
  // gone, or when `give_up` says so, which is asked from time to time (empty: never).
  bool send(std::string_view messages, const std::function<bool()>& give_up = {});
  static void append(std::string& messages, std::string_view kind, std::string_view body);

  enum class Got { Whole, Nothing, Gone, Babble };
  // The next message; Nothing when it is not there whole after so many milliseconds.
  Got receive(Message& message, int milliseconds);

 private:
  Got take(Message& message);  // from the inbox
  bool fill();                 // what is there, without waiting; false: the peer is gone
  int fd_ = -1;
  size_t most_ = kMost;
  std::string inbox_;
  size_t at_ = 0;  // what is before it was received
};

}  // namespace fusillade::fuzz
