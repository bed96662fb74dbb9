// Another build of fusillade, asked what its plans achieve on a case: `fusillade cost`, kept
// running as a service (process/channel.h). A program goes there as the text of its case. A case
// may name any program there is, so only what the command line names, too, is ever started.
#pragma once

#include <string>
#include <vector>

#include "fuzz/process/service.h"
#include "fuzz/run/static_cost.h"

namespace fusillade::fuzz {

class OtherBuild {
 public:
  static constexpr const char* kVerb = "cost";
  static constexpr const char* kFormerVerb = "achieved";  // of builds that have no `cost`
  static constexpr const char* kVersion = "1";            // of what is asked and answered

  // The command line names it: cases about it are judged, in this process and those forked of it.
  static void trust(const std::string& binary);
  static bool is_trusted(const std::string& binary);
  static std::string flags();  // " --against BINARY" of a command that is to judge them, or ""
  // One of each binary per thread. Throws Unsupported where it is not trusted.
  static OtherBuild& of(const std::string& binary);
  explicit OtherBuild(std::string binary);

  // Starts it where it does not run. Throws Error saying why it cannot be asked.
  void require();
  // What each plan of the case achieves, given as its text. Throws Unsupported, saying why, where
  // that build does not take the case, or was lost.
  std::vector<StaticCost> ask(const std::string& text, bool rewrites = false);
  // Starts it, so that forked children may be lent it; says nothing where it cannot be.
  void start() { service_.ready(); }
  void stop() { service_.stop(); }

 private:
  std::string binary_;
  Service service_;
};

// The other side of it: answers over stdin and stdout until they end.
void answer_as_other_build();

}  // namespace fusillade::fuzz
