// Which oracles and plans one program of a campaign meets: a pure function of the decision stream,
// so that (seed, index) names program, inputs and judgements alike.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuzz/corpus/folder.h"
#include "fuzz/given/given.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {

enum class Use : uint8_t {
  Seeds,  // some of the programs are mutants of those given
  Check   // those given are the programs: each meets every oracle that takes its form, one at a
          // time, under every plan
};

struct CampaignOptions {
  uint64_t seed = 1;
  std::vector<Plan> plans;           // empty: the default set
  std::vector<std::string> oracles;  // empty: all
  std::string against;               // another build's binary, for the oracle of that name
  std::string policy;                // empty: drawn per program
  int calls = 4;
  Givens given;
  Use use = Use::Seeds;
  std::string corpus;                    // folder that keeps cases between campaigns; empty: none
  std::shared_ptr<const Corpus> kept{};  // its cases as of the campaign's start, in the order in
                                         // which they are judged again
  std::set<size_t> left_out;             // of `given`, in a check: not judged
  std::set<size_t> refused;  // in a check: eager mode always raises, which is all that is judged
};

// Throws Error on an unknown plan, oracle or policy word.
void validate(const CampaignOptions& options);

// The default plans: all that the engines have campaigns draw.
std::vector<Plan> default_plans();

struct Judgement {
  const Oracle* oracle;
  std::vector<Plan> plans;
};

struct Trial {
  Case program;  // oracle and plans filled in per judgement
  std::vector<Judgement> judgements;
  bool generated = true;                // by us: a graph is valid then, by construction
  bool every_plan = false;              // those behind one that fails are judged as well
  std::vector<uint32_t> productions{};  // that it is built from (Choices::productions)
};

// Indices from here on are cases of the corpus, judged again: kReplays is the first of them.
inline constexpr uint64_t kReplays = uint64_t{1} << 62;
inline bool is_replay(uint64_t index) { return index >= kReplays; }

// What judges a program, drawn: of claims that hold of each program, and of the others. `costly`:
// of programs, the share that meets a plan of those that engines call so.
Trial with_judgements(const CampaignOptions& options, uint64_t index, Trial trial, Choices& choices,
                      double costly);

// Bytes of the tensors that the calls have for inputs.
size_t input_bytes(const Case& c);

// How many programs a check takes whose every program gets so many draws of inputs.
uint64_t trials_of_check(const CampaignOptions& options, uint64_t inputs);

// Would a check of this program judge the errors of what is compiled outside?
bool judges_errors(const CampaignOptions& options, const Given& given);

// Which of the given programs index `index` of a check is about.
size_t program_of_check(const CampaignOptions& options, uint64_t index);

// The oracles that were asked for, or all that judge unasked.
std::vector<const Oracle*> chosen_oracles(const CampaignOptions& options);

// Program `index` of the campaign; that of a check has no judgements where it is left out.
Trial make_trial(const CampaignOptions& options, uint64_t index);

}  // namespace fusillade::fuzz
