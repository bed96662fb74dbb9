// A wrong kernel is the fault of the fuser, or of the back end that compiles what the fuser
// lowered. Other back ends distinguish the two, and only those that take the same groups. The
// tests' own fuser and back ends are registered in a child process alone.
#include <gtest/gtest.h>

#include "engine/base/table.h"
#include "engine/fuse/fuser.h"
#include "engine/kernel/int_range.h"
#include "engine/kernel/kernel.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {
namespace {

// Groups as loopnest lowers them, but that the first input is read in the place of the second.
fuse::Lowered lower_wrong(const Graph& group, const std::vector<fuse::ArgSpec>& args,
                          const fuse::DynamicSizes* dynamic) {
  fuse::Lowered lowered = fuse::fuser("loopnest").lower(group, args, dynamic);
  if (lowered.in_args.size() > 1) lowered.in_args[1] = lowered.in_args[0];
  return lowered;
}

bool reads_two(const kernel::Kernel& kernel) {
  return std::ranges::count_if(kernel.buffers, [](const kernel::Buffer& b) {
           return b.role == kernel::BufferRole::In;
         }) > 1;
}

// As `interp`, of kernels that read one tensor alone.
std::unique_ptr<kernel::Program> compile_some(const kernel::Kernel& kernel) {
  if (reads_two(kernel)) throw Unsupported("two tensors");
  return kernel::backend("interp").compile(kernel);
}

// As `interp`, of the first tensor in the place of the second.
class ReadsTheFirst : public kernel::Program {
 public:
  explicit ReadsTheFirst(const kernel::Kernel& kernel)
      : inner_(kernel::backend("interp").compile(kernel)), count_(kernel.buffers.size()) {}
  void launch(const kernel::LaunchArgs& args, const kernel::Stream& stream) const override {
    std::vector<void*> buffers(args.buffers, args.buffers + count_);
    buffers[1] = buffers[0];
    inner_->launch({buffers.data(), args.scalars}, stream);
  }

 private:
  std::unique_ptr<kernel::Program> inner_;
  size_t count_;
};

std::unique_ptr<kernel::Program> compile_wrong(const kernel::Kernel& kernel) {
  if (!reads_two(kernel)) return kernel::backend("interp").compile(kernel);
  return std::make_unique<ReadsTheFirst>(kernel);
}

// A checking back end that objects to what it runs.
class Objects : public kernel::Program {
 public:
  explicit Objects(std::string why) : why_(std::move(why)) {}
  void launch(const kernel::LaunchArgs&, const kernel::Stream&) const override { throw Bug(why_); }

 private:
  std::string why_;
};

template <class Why>
void add_checking(const char* name, Why) {
  Table<kernel::Backend>::instance().add(
      {.name = name,
       .summary = "for a test",
       .exact = true,
       .drawn = false,
       .compile = [](const kernel::Kernel&) -> std::unique_ptr<kernel::Program> {
         return std::make_unique<Objects>(Why()());
       }});
}

void add_rows() {
  add_checking("test_races", [] { return std::string("race: element 3 of b1"); });
  add_checking("test_miscounts",
               [] { return fmt::format("an integer is 9 and {} [0, 8]", kernel::kNotForetold); });
  fuse::Fuser wrong = fuse::fuser("loopnest");
  wrong.name = "test_wrong_fuser";
  wrong.lower = &lower_wrong;
  Table<fuse::Fuser>::instance().add(wrong);
  // By its name it is asked before all others.
  Table<kernel::Backend>::instance().add(
      {.name = "a_test_of_one", .summary = "for a test", .drawn = false, .compile = &compile_some});
  Table<kernel::Backend>::instance().add({.name = "test_wrong_backend",
                                          .summary = "for a test",
                                          .drawn = false,
                                          .compile = &compile_wrong});
}

std::string culprit_of(const std::string& oracle, const std::string& plan,
                       const std::string& body) {
  Case c = parse_case("fusillade case 1\nprogram:\n  graph(%x : Tensor, %y : Tensor):\n" + body +
                          "call:\n    x = f32[3] {1, 2, 3}\n    y = f32[3] {5, 7, 11}\nend\n",
                      "t");
  c.oracle = oracle;
  const ChildResult r = run_isolated(
      [&] {
        add_rows();
        c.plans = parse_plans({plan});
        return print(bisect(c, {}, 900).who);
      },
      {});
  return r.output;
}

constexpr const char* kProduct =
    "    %a : Tensor = aten::exp(%x)\n    %b : Tensor = aten::mul(%a, %y)\n    return (%b)\n";
// Forwards each group reads one tensor; the gradient's reads two.
constexpr const char* kPower =
    "    %a : Tensor = aten::sin(%x)\n    %b : Tensor = aten::exp(%a)\n    return (%b)\n";

TEST(FuserBlame, ABackEndThatDeclinesTheGroupDoesNotClearTheFuser) {
  EXPECT_EQ(culprit_of("differential", "vm/fuse(test_wrong_fuser,interp)", kProduct),
            "fuse(test_wrong_fuser)");
}

TEST(FuserBlame, NorDoesOneThatDeclinesAGroupOfTheGradientAlone) {
  EXPECT_EQ(culprit_of("gradient", "vm/fuse(test_wrong_fuser,interp)", kPower),
            "fuse(test_wrong_fuser)");
}

TEST(FuserBlame, WhatAnotherBackEndRunsRightIsTheBackEnds) {
  EXPECT_EQ(culprit_of("differential", "vm/fuse(loopnest,test_wrong_backend)", kProduct),
            "backend test_wrong_backend");
  EXPECT_EQ(culprit_of("gradient", "vm/fuse(loopnest,test_wrong_backend)", kPower),
            "backend test_wrong_backend");
}

TEST(FuserBlame, WhatACheckingBackEndObjectsToIsTheFusers) {
  EXPECT_EQ(culprit_of("differential", "vm/fuse(loopnest,test_races)", kProduct), "fuse(loopnest)");
}

TEST(FuserBlame, ButWhereItsOwnNumbersAreNotWhatTheyShouldBe) {
  EXPECT_EQ(culprit_of("differential", "vm/fuse(loopnest,test_miscounts)", kProduct),
            "backend test_miscounts");
}

}  // namespace
}  // namespace fusillade::fuzz
