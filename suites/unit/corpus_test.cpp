// A corpus: words of features, which of them are new, shapes of kernels, the smallest cover, and a
// folder in which strangers left things.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "engine/base/file.h"
#include "engine/ir/graph.h"
#include "fuzz/campaign/judgement.h"
#include "fuzz/case/failing.h"
#include "fuzz/corpus/folder.h"
#include "fuzz/corpus/kernel_shape.h"
#include "fuzz/corpus/minimise.h"
#include "fuzz/corpus/seen.h"
#include "fuzz/corpus/watch.h"
#include "fuzz/given/from_case.h"
#include "fuzz/given/mutate.h"
#include "fuzz/judge/judge.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCase = R"(fusillade case 1
oracle: differential
plan: vm/o2,fuse(loopnest,interp)
origin: seed=1 index=2 policy=large
program:
  graph(%x : Tensor):
    %a : Tensor = aten::exp(%x)
    %b : Tensor = aten::tanh(%a)
    return (%b)
call:
  x = f32[2, 3] {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}
end
)";

struct Scratch {
  Scratch() {
    std::string name = fs::temp_directory_path() / "corpus_test_XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path); }
  std::string path;
};

TEST(Features, AreOneWordEach) {
  EXPECT_EQ(feature(FeatureKind::Decline, "tile/op of\n2 \x1b[1m"), "decline:tile/op_of_2___1m");
  EXPECT_EQ(kind_of(feature(FeatureKind::Kernel, std::string(500, 'x'))), FeatureKind::Kernel);
  for (const char* none : {"", "rule", "rule:", "rules:x", "rule:a b", ":x", "rule:\x1b"})
    EXPECT_FALSE(kind_of(none)) << none;
}

TEST(Features, ReadBackAsTheyWereNoted) {
  const Features some{"rule:peephole/mul-one", "kernel:tile/llvm/s1d2a0/f32"};
  EXPECT_EQ(features_in(note_of(some)), some);
  EXPECT_EQ(features_in("features: rule:a  nonsense\trule:b rule:a guard:c"),
            (Features{"rule:a", "guard:c"}));
  EXPECT_TRUE(features_in("reason: rule:a").empty());
  std::string many = std::string(kFeatureNote);
  for (int i = 0; i < 9000; ++i) many += fmt::format("rule:{} ", i);
  EXPECT_EQ(features_in(many).size(), kMostFeatures);
}

TEST(Seen, KnowsWhatWasAddedAndHowMuchOfEachKind) {
  Seen& seen = *map_seen();
  EXPECT_FALSE(seen.has("rule:a"));
  seen.add(Features{"rule:a", "rule:b", "guard:a"});
  seen.add("rule:a");
  seen.add("no feature");
  EXPECT_TRUE(seen.has_all({"rule:a", "guard:a"}));
  EXPECT_FALSE(seen.has_all({"rule:a", "guard:b"}));
  EXPECT_EQ(seen.count(), 3u);
  EXPECT_EQ(seen.by_kind[static_cast<int>(FeatureKind::Rule)], 2u);
}

// Nothing is kept for what finds no room, and nothing hangs.
TEST(Seen, IsFullAtSomeTime) {
  Seen& seen = *map_seen();
  for (size_t i = 0; i < kMostSeen + 100; ++i) seen.add(fmt::format("rule:{}", i));
  EXPECT_EQ(seen.count(), kMostSeen);
  EXPECT_TRUE(seen.has("guard:never"));
}

std::vector<Candidate> random_cases(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Candidate> out;
  for (int i = 0; i < 40; ++i) {
    Candidate c{fmt::format("{}.case", i), 10 + random() % 50, {}};
    for (uint64_t n = random() % 6; n > 0; --n)
      c.features.insert(fmt::format("rule:{}", random() % 30));
    out.push_back(std::move(c));
  }
  return out;
}

Features reached_by(const std::vector<Candidate>& cases, const std::vector<size_t>& some) {
  Features out;
  for (const size_t i : some) out.insert(cases[i].features.begin(), cases[i].features.end());
  return out;
}

TEST(Minimise, CoversAllAndHasNoNeedlessCase) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Candidate> cases = random_cases(seed);
    std::vector<size_t> all(cases.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::vector<size_t> some = smallest_cover(cases);
    EXPECT_EQ(reached_by(cases, some), reached_by(cases, all));
    for (const size_t left_out : some) {
      std::vector<size_t> others = some;
      std::erase(others, left_out);
      EXPECT_NE(reached_by(cases, others), reached_by(cases, all)) << seed << " " << left_out;
    }
    // Whatever order the folder was read in.
    std::set<std::string> names, shuffled;
    for (const size_t i : some) names.insert(cases[i].name);
    std::reverse(cases.begin(), cases.end());
    for (const size_t i : smallest_cover(cases)) shuffled.insert(cases[i].name);
    EXPECT_EQ(names, shuffled);
  }
}

TEST(Minimise, PrefersSmallCases) {
  const std::vector<Candidate> cases{{"large.case", 900, {"rule:a", "rule:b"}},
                                     {"a.case", 20, {"rule:a"}},
                                     {"b.case", 10, {"rule:b"}},
                                     {"none.case", 1, {}}};
  EXPECT_EQ(smallest_cover(cases), (std::vector<size_t>{1, 2}));
}

TEST(Watch, SeesWhatAJudgementReaches) {
  const Case c = parse_case(kCase, "here");
  const Watch watch;
  const Features reached = watch.reached_features(judge_here(c));
  for (const char* word : {"operator:aten::exp", "operator:aten::tanh", "fused:loopnest/aten::exp",
                           "kernel:loopnest/interp/s1d1a0/f32", "event:fuse/specialised"})
    EXPECT_TRUE(reached.count(word))
        << word << " of " << fmt::format("{}", fmt::join(reached, " "));
  EXPECT_FALSE(reached.count("operator:aten::sin"));
}

// What ran before in the process changes nothing of what a program is said to reach.
TEST(Watch, SaysTheSameEachTime) {
  const Case c = parse_case(kCase, "here");
  Features first;
  for (int i = 0; i < 3; ++i) {
    const Watch watch;
    const Features reached = watch.reached_features(judge_here(c));
    if (i == 0) first = reached;
    EXPECT_EQ(reached, first);
  }
}

TEST(CorpusFolder, NamesAreOfContentAlone) {
  Case c = parse_case(kCase, "here");
  const std::string name = corpus_name(c);
  c.origin = "seed=7 index=9 policy=chains";
  c.notes = {"something"};
  EXPECT_EQ(corpus_name(c), name);
  c.plans[0] = parse_plan("vm/o1");
  EXPECT_NE(corpus_name(c), name);
  const std::string text = corpus_text(c, {"rule:a"});
  EXPECT_EQ(content_of(text), content_of(corpus_text(c, {"rule:b", "rule:c"})));
  c.oracle = "ring";
  EXPECT_NE(content_of(text), content_of(corpus_text(c, {"rule:a"})));
}

TEST(CorpusFolder, PassesOverWhatIsNoCase) {
  const Scratch scratch;
  const std::string folder = scratch.path + "/kept";
  open_corpus_folder(folder);
  const Case c = parse_case(kCase, "here");
  EXPECT_TRUE(add_to_corpus(folder, corpus_name(c), corpus_text(c, {"rule:a"})));
  EXPECT_FALSE(add_to_corpus(folder, corpus_name(c), "another"));
  write_atomically(folder + "/garbage.case", "no case\x1b[31m");
  write_atomically(folder + "/half.case", std::string(kCase).substr(0, 200));
  write_atomically(folder + "/empty.case", "");
  write_atomically(folder + "/other.txt", "it is for nobody");
  write_atomically(folder + "/large.case", std::string(kMostCaseBytes + 1, 'x'));
  write_atomically(scratch.path + "/outside.case", kCase);
  fs::create_symlink(scratch.path + "/outside.case", folder + "/link.case");
  fs::create_directory(folder + "/folder.case");
  write_atomically(folder + "/regression/mismatch-x.case", kCase);
  const Corpus corpus = read_corpus(folder, Limits{});
  ASSERT_EQ(corpus.cases.size(), 2u);
  EXPECT_EQ(corpus.cases[0].name, "regression/mismatch-x.case");
  EXPECT_TRUE(corpus.cases[0].is_regression());
  EXPECT_EQ(corpus.cases[1].name, corpus_name(c));
  EXPECT_EQ(corpus.cases[1].features, Features{"rule:a"});
  std::set<std::string> names;
  for (const std::string& line : corpus.passed_over) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    names.insert(line.substr(0, line.find(':')));
  }
  EXPECT_EQ(names, (std::set<std::string>{"empty.case", "folder.case", "garbage.case", "half.case",
                                          "large.case", "link.case"}));
}

TEST(CorpusFolder, WritesThroughNoLink) {
  const Scratch scratch;
  const std::string folder = scratch.path + "/kept", outside = scratch.path + "/outside";
  open_corpus_folder(folder);
  write_atomically(outside, "mine");
  const Case c = parse_case(kCase, "here");
  fs::create_symlink(outside, folder + "/" + corpus_name(c));
  EXPECT_TRUE(add_to_corpus(folder, corpus_name(c), "a case"));
  EXPECT_EQ(read_file(outside), "mine");
  EXPECT_EQ(read_file(folder + "/" + corpus_name(c)), "a case");
  EXPECT_FALSE(add_regression(folder, "../outside", outside));
  fs::remove_all(folder + "/regression");
  fs::create_directory_symlink(scratch.path, folder + "/regression");
  EXPECT_THROW(open_corpus_folder(folder), Error);
}

CampaignOptions with_corpus(std::vector<CorpusCase> cases) {
  CampaignOptions options;
  options.corpus = "somewhere";
  options.kept = std::make_shared<const Corpus>(Corpus{"somewhere", std::move(cases), {}});
  return options;
}

TEST(Replay, JudgesACaseAsItWasKept) {
  CampaignOptions options = with_corpus({{"a.case", kCase}, {"gone.case", ""}});
  Trial trial = make_trial(options, kReplays);
  EXPECT_FALSE(trial.generated);
  EXPECT_EQ(trial.program.origin, "corpus a.case");
  ASSERT_EQ(trial.judgements.size(), 1u);
  EXPECT_EQ(trial.judgements[0].oracle->name, "differential");
  EXPECT_EQ(trial.judgements[0].plans, parse_plans({"vm/o2,fuse(loopnest,interp)"}));
  EXPECT_TRUE(make_trial(options, kReplays + 1).judgements.empty());
  // The plans and oracles that are asked for are those of all programs.
  options.plans = parse_plans({"vm/o1"});
  options.oracles = {"exact"};
  trial = make_trial(options, kReplays);
  ASSERT_EQ(trial.judgements.size(), 1u);
  EXPECT_EQ(trial.judgements[0].oracle->name, "exact");
  EXPECT_EQ(trial.judgements[0].plans, options.plans);
}

// Claims about generated programs, and those that are not asked for, are nobody's in a folder.
TEST(Replay, TakesNoClaimThatTheCampaignDoesNotMake) {
  for (const char* oracle : {"valid", "speed", "nonsense", "conformance"}) {
    std::string text = kCase;
    text.replace(text.find("differential"), std::string("differential").size(), oracle);
    for (const Judgement& j : make_trial(with_corpus({{"a.case", text}}), kReplays).judgements)
      EXPECT_NE(j.oracle->name, oracle);
  }
}

TEST(Replay, MakesMutantsOfATenthAndLeavesTheOthersAsTheyAre) {
  const CampaignOptions with = with_corpus({{"a.case", kCase}});
  const CampaignOptions without;
  int mutants = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    const Trial trial = make_trial(with, i);
    if (trial.program.origin.find(" mutant of corpus a.case") != std::string::npos) {
      ++mutants;
      EXPECT_EQ(print(make_trial(with, i).program), print(trial.program));
      EXPECT_FALSE(trial.generated);
    } else {
      EXPECT_EQ(print(make_trial(without, i).program), print(trial.program));
    }
  }
  EXPECT_GT(mutants, 20);
  EXPECT_LT(mutants, 60);
}

// An input that is drawn unlike all others on purpose has no type in a mutant, or it would be
// refused.
TEST(MutantsOfCases, TakeInputsThatMakeThemRaise) {
  const Given given = [] {
    Given out = given_of(parse_case(R"(fusillade case 1
oracle: differential
plan: vm/o2
program:
  graph(%x : Float(4, strides=[1]), %unlike : Tensor):
    %a : Tensor = aten::sin(%unlike)
    %b : Tensor = aten::mul(%x, %a)
    %c : Float(4, strides=[1]) = aten::neg_(%x)
    return (%b)
call:
  x = f32[4] {1.0, 2.0, 3.0, 4.0}
  unlike = f32[] {2.0}
end
)",
                                    "here"),
                         "here");
    as_one_graph(out);
    return out;
  }();
  size_t unlike = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(1, i);
    Case c = mutant(choices, given, {});
    c.oracle = "differential";
    c.plans = parse_plans({"vm/o2"});
    for (const Call& call : c.calls)
      for (const IValue& v : call.inputs)
        unlike += v.is_tensor() && v.as_tensor().sizes() == Dims{kUnlikeSize};
    const Verdict verdict = judge_here(c);
    EXPECT_FALSE(is_finding(verdict.kind)) << verdict.reason << "\n" << print(c);
  }
  EXPECT_GT(unlike, 50u);
}

// A task whose calls are inlined is nothing that an archive can say.
TEST(MutantsOfCases, DoNotComeFromWhatStartsTasks) {
  Given given = given_of(parse_case(R"(fusillade case 2
oracle: differential
plan: vm/o2
script:
  def f(x):
      return x + 1

  def g(x):
      t = torch.jit.fork(f, x)
      return torch.jit.wait(t)
call:
  x = f32[2] {1.0, 2.0}
end
)",
                                    "here"),
                         "here");
  EXPECT_THROW(as_one_graph(given), Error);
}

TEST(KernelShape, IsOfStructureAndNotOfSizes) {
  Case c = parse_case(kCase, "here");
  const auto shapes = [](const Case& some) {
    const Watch watch;
    Features out;
    for (const std::string& word : watch.reached_features(judge_here(some)))
      if (kind_of(word) == FeatureKind::Kernel) out.insert(word);
    return out;
  };
  const Features small = shapes(c);
  std::string larger = kCase;
  larger.replace(larger.find("f32[2, 3] {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}"),
                 std::string("f32[2, 3] {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}").size(),
                 "f32[30, 40] philox(seed=7, offset=0, kind=normal)");
  EXPECT_EQ(shapes(parse_case(larger, "here")), small);
  std::string other = kCase;
  for (size_t at; (at = other.find("f32[")) != std::string::npos;) other.replace(at, 4, "f64[");
  EXPECT_NE(shapes(parse_case(other, "here")), small);
  EXPECT_FALSE(small.empty());
}

}  // namespace
}  // namespace fusillade::fuzz
