// What groups contain besides element-wise nodes, views and sums: concatenations, parts of a chunk,
// indices of greatest elements, running sums, norms. Each program is one group of each fuser named
// with it, is lowered by it, and gives what eager mode gives on every back end.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/fuse/compile_log.h"
#include "engine/ir/graph.h"
#include "engine/passes/pass.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"
#include "suites/unit/same_on_grids.h"

namespace fusillade {
namespace {

constexpr const char* kHead =
    "  %no : bool = prim::Constant[value=0]()\n  %yes : bool = prim::Constant[value=1]()\n"
    "  %none : NoneType = prim::Constant()\n  %zero : int = prim::Constant[value=0]()\n"
    "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
    "  %end : int = prim::Constant[value=-1]()\n  %all : int[] = prim::Constant[value=[0, 1]]()\n"
    "  %last : int[] = prim::Constant[value=[-1]]()\n"
    "  %three : int = prim::Constant[value=3]()\n"
    "  %six : int = prim::Constant[value=6]()\n  %eleven : int = prim::Constant[value=11]()\n"
    "  %columns : int[] = prim::Constant[value=[5]]()\n"
    "  %eps : float = prim::Constant[value=1.]()\n"
    "  %p : float = prim::Constant[value=3.]()\n"
    "  %inf : float = prim::Constant[value=inf]()\n";

struct Program {
  std::string name, inputs, body, results;
  std::string text() const {
    std::string given;
    for (char c : inputs) given += fmt::format("{}%{} : Tensor", given.empty() ? "" : ", ", c);
    return fmt::format("graph({}):\n{}{}  return ({})\n", given, kHead, body, results);
  }
};

Tensor test_tensor(const Dims& sizes, DType dtype, int64_t from = 0) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, static_cast<double>(((i + from) * 7 + i / 11) % 9 - 4));
  return t;
}

const std::string kLoops[] = {"loopnest,interp", "loopnest,llvm"};
const std::string kTiles[] = {"tile,interp", "tile,llvm"};
const std::string kPoints[] = {"pointwise,interp", "pointwise,llvm"};

void expect_one_group(const Program& p, const std::string& fuser,
                      const std::vector<IValue>& inputs) {
  const auto graph = parse_graph(p.text());
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  fuse::CompileLog log;
  const auto given = prepare(*graph, parse_plan("vm/fuse(" + fuser + ")"))->run(inputs);
  const std::string where =
      fmt::format("{} by {} of {}", p.name, fuser, describe(inputs[0].as_tensor()));
  ASSERT_EQ(log.compilations.size(), 1u) << where;
  if (fuser != "tile,llvm") EXPECT_EQ(log.compilations[0].why, "") << where;
  ASSERT_EQ(given.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(bitwise_equal(wanted[i].as_tensor(), given[i].as_tensor()))
        << where << ", result " << i << "\n"
        << (log.compilations[0].lowered.kernel.pool ? print(log.compilations[0].lowered.kernel)
                                                    : "");
}

template <class Inputs>
void expect_groups(const std::vector<Program>& programs, std::span<const std::string> fusers,
                   Inputs inputs) {
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const Program& p : programs)
      for (const std::string& fuser : fusers)
        if (domain == Domain::Real || fuser.ends_with("interp"))  // machine code takes its time
          for (const std::vector<IValue>& args : inputs(p)) expect_one_group(p, fuser, args);
  }
}

// One dtype has two readers, the other is of what the group computes.
const std::vector<Program> kDtypes = {
    {"of an input, twice", "xy",
     "  %t : int = prim::dtype(%y)\n  %m : Tensor = aten::gt(%x, %zero)\n"
     "  %k : Tensor = aten::to(%m, %t, %no, %no, %none)\n  %a : Tensor = aten::mul(%k, %y)\n"
     "  %l : Tensor = aten::lt(%x, %one)\n  %n : Tensor = aten::to(%l, %t, %no, %no, %none)\n"
     "  %b : Tensor = aten::sub(%a, %n, %one)\n",
     "%b"},
    {"of what is computed", "xy",
     "  %a : Tensor = aten::add(%x, %y, %one)\n  %t : int = prim::dtype(%a)\n"
     "  %m : Tensor = aten::gt(%x, %zero)\n  %k : Tensor = aten::to(%m, %t, %no, %no, %none)\n"
     "  %b : Tensor = aten::mul(%k, %a)\n",
     "%b"},
};

// Of one number: as an operand, as a result, of another dtype, broadcast.
const std::vector<Program> kFills = {
    {"zeros and a number", "xy",
     "  %z : Tensor = aten::zeros_like(%x, %none, %none, %none, %none, %none)\n"
     "  %f : Tensor = aten::full_like(%x, %p, %six, %none, %none, %none, %none)\n"
     "  %a : Tensor = aten::sub(%z, %y, %one)\n  %b : Tensor = aten::mul(%f, %a)\n",
     "%b, %f"},
    {"of a size", "xy",
     "  %o : Tensor = aten::ones(%columns, %eleven, %none, %none, %none)\n"
     "  %a : Tensor = aten::mul(%x, %o)\n  %b : Tensor = aten::add(%a, %y, %one)\n",
     "%b"},
};

// Statistics given, or those of the batch and none to keep.
const std::vector<Program> kNorms = {
    {"batch_norm of statistics", "xwm",
     "  %v : Tensor = aten::mul(%m, %m)\n"
     "  %b : Tensor = aten::batch_norm(%x, %w, %none, %m, %v, %no, %p, %eps, %no)\n",
     "%b"},
    {"batch_norm of a batch", "xwm",
     "  %b : Tensor = aten::batch_norm(%x, %none, %m, %none, %none, %yes, %p, %eps, %no)\n"
     "  %r : Tensor = aten::mul(%b, %two)\n",
     "%r"},
    {"instance_norm", "xwm",
     "  %b : Tensor = aten::instance_norm(%x, %w, %m, %none, %none, %yes, %p, %eps, %no)\n"
     "  %r : Tensor = aten::mul(%b, %two)\n",
     "%r"},
};

const std::vector<Program> kConcatenations = {
    {"output", "xy",
     "  %a : Tensor = aten::mul(%x, %x)\n  %l : Tensor[] = prim::ListConstruct(%a, %y, %x)\n"
     "  %c : Tensor = aten::cat(%l, %one)\n",
     "%c"},
    {"read again", "xy",
     "  %a : Tensor = aten::neg(%y)\n  %l : Tensor[] = prim::ListConstruct(%x, %a)\n"
     "  %c : Tensor = aten::cat(%l, %end)\n  %d : Tensor = aten::add(%c, %c, %one)\n",
     "%d, %c"},
    {"the same twice, of cats", "xy",
     "  %l : Tensor[] = prim::ListConstruct(%x, %x)\n  %c : Tensor = aten::cat(%l, %zero)\n"
     "  %m : Tensor[] = prim::ListConstruct(%c, %x, %c)\n  %d : Tensor = aten::cat(%m, %zero)\n"
     "  %e : Tensor = aten::neg(%d)\n",
     "%e, %d"},
    {"a stack in front", "xy",
     "  %a : Tensor = aten::neg(%x)\n  %l : Tensor[] = prim::ListConstruct(%a, %x)\n"
     "  %c : Tensor = aten::stack(%l, %zero)\n",
     "%c"},
    {"a stack at the end", "xy",
     "  %a : Tensor = aten::neg(%x)\n  %l : Tensor[] = prim::ListConstruct(%x, %a, %x)\n"
     "  %c : Tensor = aten::stack(%l, %end)\n  %d : Tensor = aten::mul(%c, %c)\n",
     "%d"}};

const std::vector<Program> kParts = {
    {"halves of an input", "x",
     "  %l : Tensor[] = aten::chunk(%x, %two, %end)\n"
     "  %a : Tensor, %b : Tensor = prim::ListUnpack(%l)\n  %c : Tensor = aten::neg(%b)\n"
     "  %d : Tensor = aten::mul(%c, %c)\n  %e : Tensor = aten::mul(%a, %a)\n"
     "  %m : Tensor[] = prim::ListConstruct(%d, %e)\n  %f : Tensor = aten::cat(%m, %one)\n",
     "%f"},
    {"parts of what is computed", "x",
     "  %y : Tensor = aten::mul(%x, %x)\n  %l : Tensor[] = aten::split(%y, %three, %zero)\n"
     "  %a : Tensor, %b : Tensor = prim::ListUnpack(%l)\n  %c : Tensor = aten::sub(%x, %b, %one)\n",
     "%c"}};

const std::vector<Program> kExtremes = {
    {"of lines", "x",
     "  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::argmax(%a, %one, %yes)\n"
     "  %c : Tensor = aten::argmin(%x, %zero, %yes)\n  %d : Tensor = aten::neg(%b)\n"
     "  %e : Tensor = aten::mul(%c, %d)\n",
     "%e, %a"},
    {"elements and places", "x",
     "  %y : Tensor = aten::mul(%x, %x)\n"
     "  %a : Tensor, %b : Tensor = aten::max(%y, %one, %yes)\n"
     "  %c : Tensor, %d : Tensor = aten::min(%x, %one, %yes)\n"
     "  %e : Tensor = aten::add(%b, %d, %one)\n  %f : Tensor = aten::mul(%a, %c)\n",
     "%e, %f"},
    {"of all", "x",
     "  %t : Tensor = aten::t(%x)\n  %a : Tensor = aten::argmax(%t, %none, %no)\n"
     "  %b : Tensor = aten::argmin(%x, %none, %yes)\n  %c : Tensor = aten::add(%a, %b, %one)\n",
     "%c"}};

const std::vector<Program> kScans = {
    {"sums", "x",
     "  %a : Tensor = aten::neg(%x)\n  %b : Tensor = aten::cumsum(%a, %one, %none)\n"
     "  %c : Tensor = aten::mul(%b, %b)\n  %d : Tensor = aten::cumsum(%x, %zero, %none)\n"
     "  %e : Tensor = aten::add(%c, %d, %one)\n",
     "%e, %d"},
    {"products", "x",
     "  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::cumprod(%a, %end, %none)\n"
     "  %c : Tensor = aten::cumprod(%b, %zero, %none)\n",
     "%c, %b"}};

Program norm_of(const std::string& power, const std::string& dims) {
  return {"norm " + power, "x",
          fmt::format("  %a : Tensor = aten::add(%x, %x, %one)\n"
                      "  %b : Tensor = aten::norm(%a, %{}, %{}, %yes)\n"
                      "  %c : Tensor = aten::mul(%b, %x)\n",
                      power, dims),
          "%c, %b"};
}

// Parts of one place, of none, of shape [0], of other dtypes.
TEST(GroupForms, DtypesOfTensors) {
  for (const auto& fusers : {kLoops, kTiles, kPoints})
    expect_groups(kDtypes, std::span(fusers, 2), [](const Program&) {
      std::vector<std::vector<IValue>> out;
      for (const DType x : {DType::F32, DType::F16, DType::I32})
        for (const DType y : {DType::F64, DType::BF16, DType::I64})
          out.push_back({test_tensor({3, 5}, x), test_tensor({3, 5}, y, 3)});
      return out;
    });
}

TEST(GroupForms, Fills) {
  for (const auto& fusers : {kLoops, kTiles, kPoints})
    expect_groups(kFills, std::span(fusers, 2), [](const Program&) {
      std::vector<std::vector<IValue>> out;
      for (const DType dtype : {DType::F32, DType::F16, DType::I32})
        out.push_back({test_tensor({3, 5}, dtype), test_tensor({3, 5}, dtype, 3)});
      return out;
    });
}

// Variances are exact: of each channel as many -1 as 1, and the mean 0.
TEST(GroupForms, NormsThatKeepNoStatistics) {
  for (const auto& fusers : {kLoops, kTiles})
    expect_groups(kNorms, std::span(fusers, 2), [](const Program&) {
      std::vector<std::vector<IValue>> out;
      for (const DType dtype : {DType::F32, DType::F64, DType::F16}) {
        const Tensor x = Tensor::empty({2, 3, 4, 2}, dtype);
        for (int64_t i = 0; i < x.numel(); ++i) set_element(x, i, i % 2 ? 1 : -1);
        out.push_back({x, test_tensor({3}, dtype), test_tensor({3}, dtype, 3)});
      }
      return out;
    });
}

// What writes its statistics stays outside.
TEST(GroupForms, ANormThatLearnsStaysOutside) {
  const Program p{"learning", "xwm",
                  "  %b : Tensor = aten::batch_norm(%x, %w, %m, %w, %m, %yes, %p, %eps, %no)\n"
                  "  %r : Tensor = aten::mul(%b, %two)\n  %s : Tensor = aten::neg(%r)\n",
                  "%s"};
  const auto graph = parse_graph(p.text());
  run_pipeline(*graph, parse_pipeline("fuse(loopnest,interp)"));
  const std::string text = print(*graph);
  EXPECT_NE(text.find("= aten::batch_norm("), std::string::npos) << text;
}

TEST(GroupForms, MayFuse) {
  for (const auto& fusers : {kLoops, kTiles, kPoints}) {
    expect_groups(kConcatenations, std::span(fusers, 2), [](const Program& p) {
      std::vector<std::vector<IValue>> out;
      for (const Dims& x : std::vector<Dims>{{3, 5}, {4, 1}, {40, 33}})
        for (const DType dtype : {DType::F32, DType::F16, DType::I32})
          out.push_back({test_tensor(x, dtype), test_tensor(x, dtype, 3)});
      if (p.name != "output") return out;
      out.push_back({test_tensor({3, 5}, DType::F32), test_tensor({3, 0}, DType::F32)});
      out.push_back({test_tensor({3, 5}, DType::F32), test_tensor({0}, DType::F32)});
      out.push_back({test_tensor({3, 5}, DType::BF16), test_tensor({3, 2}, DType::F16)});
      if (current_domain() == Domain::Real)
        out.push_back({test_tensor({3, 5}, DType::Bool), test_tensor({3, 2}, DType::I64)});
      return out;
    });
  }
}

TEST(GroupForms, PartsOfAChunk) {
  for (const auto& fusers : {kLoops, kTiles, kPoints}) {
    expect_groups(kParts, std::span(fusers, 2), [](const Program& p) {
      std::vector<std::vector<IValue>> out;
      for (const DType dtype : {DType::F32, DType::BF16, DType::I64}) {
        if (p.name == "halves of an input") {
          out.push_back({test_tensor({3, 7}, dtype)});
          out.push_back({test_tensor({5, 66}, dtype)});
        } else {
          out.push_back({test_tensor({4, 6}, dtype)});
        }
      }
      return out;
    });
  }
}

std::vector<std::vector<IValue>> of_many_sizes(std::initializer_list<DType> dtypes) {
  std::vector<std::vector<IValue>> out;
  for (const Dims& x : std::vector<Dims>{{3, 5}, {6, 1}, {2, 300}})
    for (const DType dtype : dtypes) out.push_back({test_tensor(x, dtype)});
  return out;
}

// Of equal elements the first, of NaNs too; -0 and 0 are equal.
TEST(GroupForms, PlacesOfExtremes) {
  for (const auto& fusers : {kLoops, kTiles}) {
    expect_groups(kExtremes, std::span(fusers, 2), [](const Program&) {
      auto out = of_many_sizes({DType::F32, DType::F64, DType::F16, DType::I32});
      if (current_domain() == Domain::Ring) return out;
      for (int64_t at : {3, 17, 38}) {
        const Tensor t = test_tensor({5, 8}, DType::F32);
        set_element(t, at, NAN);
        set_element(t, at + 1, NAN);
        set_element(t, 0, -0.0);
        out.push_back({t});
      }
      out.push_back({Tensor::zeros({4, 3}, DType::F32)});
      set_element(out.back()[0].as_tensor(), 1, -0.0);
      set_element(out.back()[0].as_tensor(), 3, -0.0);
      return out;
    });
  }
}

TEST(GroupForms, SumsAndProductsSoFar) {
  expect_groups(kScans, kLoops, [](const Program& p) {
    auto out = of_many_sizes({DType::F32, DType::F64, DType::BF16, DType::I64, DType::I32});
    if (p.name == "sums") {
      out.push_back({Tensor::zeros({2, 3}, DType::F32)});  // negated: a sum of -0 is -0
      out.push_back({Tensor::zeros({0, 3}, DType::F32)});
    }
    // Sums that round in float, products close to 1 that do: accumulated wider they do not.
    for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
      if (current_domain() == Domain::Ring) continue;
      const Tensor t = test_tensor({3, 200}, dtype);
      for (int64_t i = 0; i < t.numel(); ++i)
        set_element(t, i, (i % 2 ? 1 : 1.001) + static_cast<double>(i % 7) / 700);
      out.push_back({t});
    }
    return out;
  });
}

// Rounding is the same where sums are exact and no power is taken.
TEST(GroupForms, Norms) {
  std::vector<Program> programs;
  for (const char* power : {"one", "two", "zero", "inf"})
    for (const char* dims : {"last", "all"}) programs.push_back(norm_of(power, dims));
  for (const auto& fusers : {kLoops, kTiles})
    expect_groups(programs, std::span(fusers, 2),
                  [](const Program&) { return of_many_sizes({DType::F32, DType::F64}); });
  expect_groups({norm_of("p", "last")}, std::span(kLoops, 1),
                [](const Program&) { return of_many_sizes({DType::F32}); });
}

// Loops of loopnest as grids, on the interpreter and as CUDA text.
TEST(GroupForms, LoopsOnGrids) {
  std::vector<Program> all{norm_of("two", "last"), norm_of("zero", "all"), norm_of("inf", "last")};
  for (const auto& programs : {kDtypes, kFills, kConcatenations, kParts, kExtremes, kScans, kNorms})
    all.insert(all.end(), programs.begin(), programs.end());
  kernel::built::OnGrids grids;
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const Program& p : all)
      for (const DType dtype : {DType::F32, DType::F16, DType::F64, DType::I32}) {
        if (!is_float(dtype) && (p.inputs == "xwm" || p.name.starts_with("norm"))) continue;
        std::vector<IValue> inputs;
        for (const char name : p.inputs)
          inputs.push_back(test_tensor(p.name == "of a size" ? Dims{3, 5}
                                       : p.inputs != "xwm"   ? Dims{4, 6}
                                       : name == 'x'         ? Dims{2, 3, 4, 2}
                                                             : Dims{3},
                                       dtype, name == 'x' ? 0 : 3));
        fuse::CompileLog log;
        prepare(*parse_graph(p.text()), parse_plan("vm/fuse(loopnest,interp)"))->run(inputs);
        ASSERT_EQ(log.compilations.size(), 1u) << p.name;
        ASSERT_EQ(log.compilations[0].why, "") << p.name;
        const bool text = domain == Domain::Real && (dtype == DType::F32 || dtype == DType::I32);
        grids.add(log.compilations[0].lowered, text);
        ASSERT_FALSE(HasFatalFailure()) << p.name << " of " << name_of(dtype);
      }
  }
  grids.expect_same_text();
}

// The CUDA text of each, run by the host's compiler.
TEST(GroupForms, CudaText) {
  const Tensor x = test_tensor({5, 7}, DType::F32), y = test_tensor({5, 7}, DType::F32, 3);
  for (const char* fuser :
       {"pointwise,cuda-emulated", "tile,cuda-emulated", "loopnest,cuda-emulated"})
    expect_one_group(kConcatenations[2], fuser, {x, y});
  for (const auto& programs : {kParts, kExtremes, kScans})
    for (const Program& p : programs)
      if (p.name != "parts of what is computed") expect_one_group(p, "loopnest,cuda-emulated", {x});
  expect_one_group(kConcatenations[4], "tile,cuda-emulated", {x, y});
  expect_one_group(kParts[0], "pointwise,cuda-emulated", {x});
  expect_one_group(kParts[0], "tile,cuda-emulated", {x});
  for (const Program& p : kExtremes) expect_one_group(p, "tile,cuda-emulated", {x});
  expect_one_group(norm_of("two", "last"), "tile,cuda-emulated", {x});
}

// What kernels of concatenations, of indices and of running sums look like.
TEST(GroupForms, Kernels) {
  const auto text = [](const Program& p, const char* fuser, size_t inputs) {
    const fuse::ArgSpec x{true, DType::F32, {4, 3}, {3, 1}};
    return print(fuse::fuser(fuser)
                     .lower(*parse_graph(p.text()), std::vector<fuse::ArgSpec>(inputs, x), nullptr)
                     .kernel);
  };
  EXPECT_EQ(text(kConcatenations[0], "loopnest", 2),
            "kernel\n"
            "b0: in f32[4, 3] strides=[3, 1]\n"
            "b1: in f32[4, 3] strides=[3, 1]\n"
            "b2: out f32[4, 9] strides=[9, 1]\n"
            "  parallel v0 in 4\n"
            "    for v1 in 3\n"
            "      e0 = load.f32:f32 b0 v0 v1\n"
            "      e1 = mul.f32 e0 e0\n"
            "      b2[v0, v1] = e1\n"
            "      e2 = add.i64 v1 i64:3\n"
            "      e3 = load.f32:f32 b1 v0 v1\n"
            "      b2[v0, e2] = e3\n"
            "      e4 = add.i64 v1 i64:6\n"
            "      e5 = load.f32:f32 b0 v0 v1\n"
            "      b2[v0, e4] = e5\n");
  const std::string halves = text(kParts[0], "pointwise", 1);
  EXPECT_EQ(halves.find("temp"), std::string::npos) << "parts are read where the input lies";
  const Program sums = {"", "x",
                        "  %a : Tensor = aten::neg(%x)\n"
                        "  %b : Tensor = aten::cumsum(%a, %one, %none)\n",
                        "%b"};
  EXPECT_EQ(text(sums, "loopnest", 1),
            "kernel\n"
            "b0: in f32[4, 3] strides=[3, 1]\n"
            "b1: out f32[4, 3] strides=[3, 1]\n"
            "  parallel v0 in 4\n"
            "    accumulate v16 = f64:8000000000000000\n"
            "    for v1 in 3\n"
            "      e0 = load.f32:f32 b0 v0 v1\n"
            "      e1 = neg.f32 e0\n"
            "      e2 = convert.f64 e1\n"
            "      e3 = add.f64 v16 e2\n"
            "      v16 = e3\n"
            "      e4 = convert.f32 v16\n"
            "      b1[v0, v1] = e4\n");
}

// Of large tensors, lines across memory are left to the operators.
TEST(GroupForms, LinesAcrossMemory) {
  const auto why = [](const char* dim, const Dims& sizes) -> std::string {
    const Program p = {"", "x",
                       fmt::format("  %a : Tensor = aten::neg(%x)\n"
                                   "  %b : Tensor = aten::cumsum(%a, %{0}, %none)\n"
                                   "  %c : Tensor = aten::argmax(%b, %{0}, %no)\n",
                                   dim),
                       "%c"};
    const fuse::ArgSpec x{true, DType::F32, sizes, contiguous_strides(sizes)};
    try {
      fuse::fuser("loopnest").lower(*parse_graph(p.text()), {x}, nullptr);
    } catch (const Unsupported& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(why("zero", {300, 200}), "");
  EXPECT_EQ(why("one", {300, 200}), "");
  EXPECT_EQ(why("zero", {300, 20}), "");
  EXPECT_EQ(why("zero", {40000, 1}), "");
}

// A list that is read twice, or created elsewhere, is no part of a group, and its reader stays
// outside.
TEST(GroupForms, ListsThatBelongToNoOneStayOutside) {
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n  %d : int = prim::Constant[value=0]()\n"
      "  %a : Tensor = aten::mul(%x, %x)\n  %l : Tensor[] = prim::ListConstruct(%a, %x)\n"
      "  %c : Tensor = aten::cat(%l, %d)\n  %s : Tensor = aten::stack(%l, %d)\n"
      "  %e : Tensor = aten::neg(%c)\n  %f : Tensor = aten::neg(%s)\n  return (%e, %f)\n");
  for (const Node* node : graph->block()->nodes())
    EXPECT_EQ(fuse::fuser("loopnest").may_fuse_with(node, {}), node->kind() == OpKind::Pointwise)
        << node->op().name;
  const std::vector<IValue> inputs = {test_tensor({2, 3}, DType::F32)};
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  const auto given = prepare(*graph, parse_plan("vm/fuse(loopnest,interp)"))->run(inputs);
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(bitwise_equal(wanted[i].as_tensor(), given[i].as_tensor()));
}

}  // namespace
}  // namespace fusillade
