// What the `fusillade` command exits with, whatever the verb (shown by --help).
#pragma once

namespace fusillade::fuzz {

enum ExitCode : int {
  kOk = 0,             // ran, nothing new found
  kUsage = 1,          // usage, configuration or infrastructure error
  kFindings = 2,       // new findings, or a gated regression
  kInconclusive = 3,   // too little data, or yield below the gate
  kTimeout = 70,       // one case: timeout
  kMemory = 71,        // one case: out of memory
  kInterrupted = 72,   // interrupted; all state is saved, and --resume continues
  kReproduced = 77,    // one case: failure reproduced
  kCannotJudge = 125,  // bisect step: cannot judge
};

}  // namespace fusillade::fuzz
