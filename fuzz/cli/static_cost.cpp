// fusillade cost: what `fuzz --against` of another build asks, which starts it as a worker.
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "engine/base/error.h"
#include "fuzz/cli/verb.h"
#include "fuzz/run/other_build.h"

namespace fusillade::cli {

VERB(cost,
     "serve static costs to another build's fuzz --against, over a socket on stdin and stdout") {
  return []() -> int {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
      fail("cost: stdin is no socket; `fusillade fuzz --against BINARY` starts this verb");
    fuzz::answer_as_other_build();
    return kOk;
  };
}

[[maybe_unused]] static const bool kFormerName =
    Table<Verb>::instance().add_former_name(fuzz::OtherBuild::kFormerVerb, fuzz::OtherBuild::kVerb);

}  // namespace fusillade::cli
