// Signals that are no crash: of people, of terminals, and of the limits that a shell sets (ulimit).
#pragma once

namespace fusillade::fuzz {

// For every command, first of all: a standard stream that is closed is opened on /dev/null, and
// writes to it fail. Else a database or a log that is opened next would be what people read and
// write.
void hold_standard_streams();

// For every command: a write beyond a limit of file sizes fails with an error that is reported
// (SIGXFSZ would end the process without a word). A limit of processor time is reported, too.
void report_limits();

// For what runs long and keeps state: `handler` gets SIGINT, SIGTERM, SIGHUP (a terminal that is
// closed; not under nohup), SIGXCPU, and SIGUSR1, by which schedulers warn of an end. A reader of
// our output that is gone ends nothing (SIGPIPE), and no core file is left.
void on_stop_signals(void (*handler)(int), int flags);

// Until on_stop_signals is called, by a command that will: these signals end it with kInterrupted,
// for nothing has started.
void end_on_stop_signals();

}  // namespace fusillade::fuzz
