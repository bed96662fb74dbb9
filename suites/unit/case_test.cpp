// Case files: the printed form reads back to itself, aliasing between inputs survives copies and
// text, and broken text is an Error that names the line and the column and never crashes.
#include "fuzz/case/case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <regex>

#include "engine/base/text.h"
#include "engine/tensor/random.h"
#include "fuzz/case/packed.h"

namespace fusillade::fuzz {
namespace {

// A case of `program` (lines without indentation) with one call of these lines.
std::string text_of(const std::string& program, const std::string& call) {
  return "fusillade case 1\noracle: exact\nprogram:\n" + program + "call:\n" + call + "end\n";
}

constexpr const char* kOne = "  graph(%x : Tensor):\n    return (%x)\n";

std::string one_tensor(const std::string& value) {
  return text_of(kOne, "    x = " + value + "\n");
}

std::string error_of(const std::string& text) {
  try {
    parse_case(text, "f.case");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

void expect_fixpoint(const std::string& text) {
  std::string once = print(parse_case(text, "f.case"));
  EXPECT_EQ(print(parse_case(once, "f.case")), once);
}

TEST(Case, EveryFieldReadsBack) {
  std::string text =
      "fusillade case 1\noracle: differential\nverdict: mismatch\nplan: vm/o2\nplan: eager\n"
      "blame: cse/merge\norigin: seed=1 index=2\nnote: one\nnote: two: with colon\nprogram:\n"
      "  graph(%x : Tensor,\n        %n : int):\n    %0 : Tensor = aten::neg(%x)\n    return "
      "(%0)\ncall:\n"
      "    x = f32[2] {0x1p+0, -0x1.8p+1}\n    n = 3\ncall:\n    x = f32[] {nan}\n    n = "
      "-4\nend\n";
  Case c = parse_case(text, "f.case");
  EXPECT_EQ(print(c), text);
  EXPECT_EQ(print(c.clone()), text);
  EXPECT_EQ(c.plans.size(), 2u);
  EXPECT_EQ(c.notes[1], "two: with colon");
  EXPECT_EQ(c.calls.size(), 2u);
  EXPECT_EQ(c.calls[1].inputs[1].as_int(), -4);
}

TEST(Case, EveryDtypeAndSpecialValueReadsBack) {
  struct Row {
    const char* text;
    DType dtype;
  };
  for (const Row& r :
       {Row{"bool[3] {0, 1, 1}", DType::Bool}, Row{"u8[2] {0, 255}", DType::U8},
        Row{"i8[2] {-128, 127}", DType::I8}, Row{"i16[2] {-32768, 32767}", DType::I16},
        Row{"i32[2] {-2147483648, 2147483647}", DType::I32},
        Row{"i64[2] {-9223372036854775808, 9223372036854775807}", DType::I64},
        Row{"f16[3] {0x1.ffcp+15, 0x1p-24, -inf}", DType::F16},
        Row{"bf16[2] {0x1.fep+127, -0x0p+0}", DType::BF16},
        Row{"f32[4] {0x1.fffffep+127, 0x1p-149, nan, -0x0p+0}", DType::F32},
        Row{"f64[3] {0x1.fffffffffffffp+1023, 0x0.0000000000001p-1022, inf}", DType::F64}}) {
    Case c = parse_case(one_tensor(r.text), "f.case");
    Tensor t = c.calls[0].inputs[0].as_tensor();
    EXPECT_EQ(t.dtype(), r.dtype);
    EXPECT_NE(print(c).find(std::string("x = ") + r.text + "\n"), std::string::npos) << print(c);
    Case back = parse_case(print(c), "f.case");
    EXPECT_TRUE(bitwise_equal(t, back.calls[0].inputs[0].as_tensor()));
  }
}

TEST(Case, SignOfZeroSurvives) {
  Tensor t = parse_case(one_tensor("f32[2] {-0x0p+0, 0x0p+0}"), "f").calls[0].inputs[0].as_tensor();
  EXPECT_TRUE(std::signbit(t.data<float>()[0]));
  EXPECT_FALSE(std::signbit(t.data<float>()[1]));
}

TEST(Case, EveryKindOfScalarReadsBack) {
  std::string program =
      "  graph(%a : int, %b : float, %c : bool, %d : str, %e : int[], %f : (int, float), %g : "
      "Tensor[],\n"
      "        %h : float):\n    return (%a)\n";
  std::string call =
      "    a = -9223372036854775808\n    b = -0x1.8p-3\n    c = True\n    d = \"a\\\"b\\\\c\\n\"\n "
      "   e = [1, -2, 3]\n"
      "    f = (1, nan)\n    g = [f32[1] {0x1p+0}, i64[] {5}]\n    h = -inf\n";
  std::string text = text_of(program, call);
  Case c = parse_case(text, "f.case");
  const std::vector<IValue>& in = c.calls[0].inputs;
  EXPECT_EQ(in[0].as_int(), INT64_MIN);
  EXPECT_EQ(in[1].as_double(), -0.1875);
  EXPECT_TRUE(in[2].as_bool());
  EXPECT_EQ(in[3].as_str(), "a\"b\\c\n");
  EXPECT_EQ(in[4].items()[1].as_int(), -2);
  EXPECT_TRUE(std::isnan(in[5].items()[1].as_double()));
  EXPECT_EQ(in[6].items()[1].as_tensor().dtype(), DType::I64);
  EXPECT_EQ(in[7].as_double(), -INFINITY);
  expect_fixpoint(text);
}

// As PyTorch takes Python's numbers where the function says another type.
TEST(Case, NumbersAreTakenAsTheProgramDeclaresThem) {
  const Case c =
      parse_case(text_of("  graph(%a : bool, %b : bool, %c : float, %d : float, %e : int, "
                         "%f : bool?, %g : bool[]):\n    return (%a)\n",
                         "    a = 1\n    b = 0.0\n    c = 2\n    d = True\n    e = True\n"
                         "    f = 2\n    g = [1, False]\n"),
                 "t");
  const std::vector<IValue>& in = c.calls[0].inputs;
  EXPECT_TRUE(in[0].is_bool() && in[0].as_bool());
  EXPECT_TRUE(in[1].is_bool() && !in[1].as_bool());
  EXPECT_TRUE(in[2].is_float() && in[2].as_double() == 2);
  EXPECT_TRUE(in[3].is_float() && in[3].as_double() == 1);
  EXPECT_TRUE(in[4].is_int() && in[4].as_int() == 1);
  EXPECT_TRUE(in[5].is_bool() && in[5].as_bool());
  EXPECT_TRUE(in[6].items()[0].is_bool() && in[6].items()[0].as_bool());
  EXPECT_EQ(error_of(text_of("  graph(%a : int):\n    return (%a)\n", "    a = 1.5\n")),
            "f.case:7:12: 1.5 where the program takes an int");
}

TEST(Case, LayoutsReadBack) {
  expect_fixpoint(one_tensor("f32[2, 3] strides=[1, 2] {1, 2, 3, 4, 5, 6}"));
  expect_fixpoint(one_tensor("f32[0, 3] {}"));
  expect_fixpoint(one_tensor("f32[2, 0, 3] strides=[7, 5, 1] {}"));
  expect_fixpoint(one_tensor("i8[1, 1, 1, 1, 1, 1, 1, 1] {7}"));
  Case c = parse_case(one_tensor("f32[2, 3] strides=[0, 1] {1, 2, 3, 1, 2, 3}"), "f");
  EXPECT_EQ(c.calls[0].inputs[0].as_tensor().strides()[0], 0);
  EXPECT_EQ(element_as_double(c.calls[0].inputs[0].as_tensor(), 4), 2);
}

// The stride of a dimension of one element is never used, but types and guards name it.
TEST(Case, UnusedStridesReadBack) {
  Case c = parse_case(one_tensor("f32[1] strides=[2] {1}"), "f");
  EXPECT_EQ(c.calls[0].inputs[0].as_tensor().strides()[0], 2);
  EXPECT_EQ(parse_case(print(c), "f").calls[0].inputs[0].as_tensor().strides()[0], 2);
}

constexpr const char* kTwo = "  graph(%x : Tensor, %y : Tensor):\n    return (%x)\n";
constexpr const char* kShared =
    "    base0 = f32[4] {1, 2, 3, 4}\n    x = view of base0 offset=0 f32[2, 2] strides=[2, 1]\n"
    "    y = view of base0 offset=1 f32[2] strides=[2]\n";

TEST(Case, AliasingSurvivesCopiesAndText) {
  Case c = parse_case(text_of(kTwo, kShared), "f.case");
  Case back = parse_case(print(c), "f.case");
  Call copy = copy_call(c.calls[0]);
  for (const Call* call : {&c.calls[0], &copy, &back.calls[0]}) {
    Tensor x = call->inputs[0].as_tensor();
    Tensor y = call->inputs[1].as_tensor();
    EXPECT_TRUE(x.shares_storage(y));
    set_element(x, 3, 42);
    EXPECT_EQ(element_as_double(y, 1), 42);
  }
  EXPECT_FALSE(copy.inputs[0].as_tensor().shares_storage(c.calls[0].inputs[0].as_tensor()));
}

// A kernel may read 16 bytes at once where a tensor is aligned: one that was cut out of a larger
// one begins where that one had it, after copies and in text.
TEST(Case, WhereATensorBeginsSurvivesCopiesAndText) {
  const Tensor whole = Tensor::zeros({2, 16}, DType::F32);
  for (int64_t i = 0; i < 32; ++i) set_element(whole, i, static_cast<double>(i));
  for (int64_t first : {0, 7, 16}) {
    Case c = parse_case(one_tensor("f32[1] {1}"), "t");
    c.calls[0].inputs[0] = Tensor::view_of(whole, first, {7}, {1});
    for (const Case& again : {c.clone(), parse_case(print(c), "t")}) {
      const Tensor t = again.calls[0].inputs[0].as_tensor();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(t.raw()) % Storage::kRedZone, first == 7 ? 28u : 0u);
      EXPECT_EQ(element_as_double(t, 2), static_cast<double>(first + 2));
      EXPECT_EQ(print(again), print(c));
    }
  }
}

TEST(Case, AliasingInsideListsSurvives) {
  std::string program = "  graph(%l : Tensor[], %x : Tensor):\n    return (%x)\n";
  std::string call =
      "    base0 = i32[3] {1, 2, 3}\n    l = [view of base0 offset=0 i32[3] strides=[1], f32[] "
      "{1}]\n"
      "    x = view of base0 offset=2 i32[] strides=[]\n";
  Case c = parse_case(print(parse_case(text_of(program, call), "f")), "f");
  Call copy = copy_call(c.calls[0]);
  EXPECT_TRUE(copy.inputs[0].items()[0].as_tensor().shares_storage(copy.inputs[1].as_tensor()));
}

// An input may be called as bases are.
TEST(Case, BaseNamesDoNotMeetInputNames) {
  std::string program = "  graph(%base0 : Tensor, %base1 : Tensor):\n    return (%base0)\n";
  std::string call =
      "    base2 = f32[2] {1, 2}\n    base0 = view of base2 offset=0 f32[2] strides=[1]\n"
      "    base1 = view of base2 offset=1 f32[1] strides=[1]\n";
  expect_fixpoint(text_of(program, call));
}

TEST(Case, PhiloxIsAFormula) {
  Case c = parse_case(one_tensor("f32[1000] philox(seed=7, offset=3, kind=normal)"), "f");
  Tensor wanted = Tensor::empty({1000}, DType::F32);
  fill_normal(wanted, 7, 3);
  EXPECT_TRUE(bitwise_equal(c.calls[0].inputs[0].as_tensor(), wanted));
  fill_uniform(wanted, 1, 0);
  c = parse_case(one_tensor("f32[1000] philox(seed=1, offset=0, kind=uniform)"), "f");
  EXPECT_TRUE(bitwise_equal(c.calls[0].inputs[0].as_tensor(), wanted));
  expect_fixpoint(one_tensor("i16[3, 2] strides=[1, 3] philox(seed=-1, offset=0, kind=uniform)"));
}

Tensor read_back(const Tensor& t, int version) {
  Case c = parse_case(one_tensor("f32[1] {1}"), "t");
  c.calls[0].inputs[0] = t;
  const std::string text = print(c);
  EXPECT_TRUE(text.starts_with(fmt::format("fusillade case {}\n", version))) << text.substr(0, 80);
  const Case back = parse_case(text, "f.case");
  EXPECT_EQ(print(back), text);
  return back.calls[0].inputs[0].as_tensor();
}

// Large tensors are packed: quick to write, small, and the same bit for bit.
TEST(Case, LargeTensorsArePackedAndReadBack) {
  for (int d = 0; d < kNumDTypes; ++d) {
    const Tensor base = Tensor::empty({40000}, static_cast<DType>(d));
    fill_normal(base, 3, static_cast<uint64_t>(d));
    for (const Tensor& t : {base, Tensor::view_of(base, 0, {100, 300}, {1, 100}),
                            Tensor::view_of(base, 0, {2, 1000, 3}, {0, 7, 2}),
                            Tensor::view_of(base, 5, {2000}, {3})}) {
      const Tensor back = read_back(t, 4);
      EXPECT_TRUE(bitwise_equal(t, back, false)) << describe(t);
      EXPECT_EQ(back.strides(), t.strides());
    }
  }
  EXPECT_EQ(read_back(Tensor::zeros({3, 1}, DType::F32), 1).numel(), 3);
}

TEST(Case, ALargeTensorOfFewValuesIsASmallCase) {
  Case c = parse_case(one_tensor("f32[1] {1}"), "t");
  const Tensor t = Tensor::zeros({16, 1 << 20}, DType::F32);
  for (int64_t i = 0; i < t.numel(); i += 1021) set_element(t, i, 1.5);
  c.calls[0].inputs[0] = t;
  const std::string text = print(c);
  EXPECT_LT(text.size(), size_t{1} << 20);
  EXPECT_TRUE(bitwise_equal(t, parse_case(text, "t").calls[0].inputs[0].as_tensor()));
  EXPECT_TRUE(print_unpacked(c.clone()).starts_with("fusillade case 1\n"));
}

TEST(Case, NansReadBackWithSignAndPayload) {
  for (uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fc12345u, 0x7f800001u, 0xffffffffu}) {
    const Tensor t = Tensor::zeros({3}, DType::F32);
    std::memcpy(t.raw() + 4, &bits, 4);
    const bool listed = (bits & 0x7fffffff) == 0x7fc00000;
    const Tensor back = read_back(t, listed ? 1 : 4);
    EXPECT_EQ(std::memcmp(back.raw(), t.raw(), 12), 0) << bits;
  }
  const uint16_t half = 0xfe01, brain = 0x7f81;
  for (DType dtype : {DType::F16, DType::BF16}) {
    const Tensor t = Tensor::zeros({1}, dtype);
    std::memcpy(t.raw(), dtype == DType::F16 ? &half : &brain, 2);
    EXPECT_EQ(std::memcmp(read_back(t, 4).raw(), t.raw(), 2), 0);
  }
}

TEST(Case, AliasesOfALargeBufferReadBack) {
  const Tensor base = Tensor::empty({40000}, DType::BF16);
  fill_normal(base, 1, 0);
  Case c = parse_case(text_of(kTwo, kShared), "t");
  c.calls[0].inputs = {Tensor::view_of(base, 1, {200, 150}, {200, 1}),
                       Tensor::view_of(base, 7, {33000}, {1})};
  const Case back = parse_case(print(c), "t");
  const Tensor x = back.calls[0].inputs[0].as_tensor(), y = back.calls[0].inputs[1].as_tensor();
  EXPECT_TRUE(x.shares_storage(y));
  EXPECT_EQ(x.offset(), 1);
  EXPECT_TRUE(bitwise_equal(y, c.calls[0].inputs[1].as_tensor(), false));
}

struct Broken {
  std::string text;
  int line;
  const char* says;
};

std::vector<Broken> broken_values() {
  std::vector<Broken> out;
  auto value = [&](const char* v, const char* says) { out.push_back({one_tensor(v), 7, says}); };
  value("f33[2] {1, 2}", "f33");
  value("f32[2] {1}", "','");
  value("f32[2] {1, 2, 3}", "'}'");
  value("f32[2] {1, two}", "'two'");
  value("f32[-1] {}", "negative");
  value("f32[2 {1, 2}", "','");
  value("f32[2] strides=[1, 1] {1, 2}", "one stride per size");
  value("f32[2] strides=[-1] {1, 2}", "negative");
  value("f32[1, 1, 1, 1, 1, 1, 1, 1, 1] {1}", "dimensions");
  value("f32[9223372036854775807, 9223372036854775807] {}", "");
  value("f32[4294967296, 4294967296] philox(seed=1, offset=0, kind=normal)", "");
  value("f32[1000000000000] philox(seed=1, offset=0, kind=normal)", "large");
  value("f32[2] strides=[4611686018427387904] {1, 2}", "large");
  value("f32[3] strides=[9223372036854775807] {1, 2, 3}", "large");
  value("f32[1000000] {1}", "fewer elements");
  value("f32[2] philox(seed=1, kind=normal)", "'offset'");
  value("f32[2] philox(seed=1, offset=0, kind=gauss)", "gauss");
  value("f32[2] {1, 2} trailing", "nothing more");
  value("f32[2]", "'{'");
  value("i32[1] {1.5}", "'1.5'");
  value("i64[1] {9223372036854775808}", "integer");
  value("view of base9 offset=0 f32[1] strides=[1]", "base9");
  // "AAAA": no stream; "eAEDAAAAAAE=": an empty one; the third: one byte, 2.
  value("f32[2] zlib", "'{'");
  value("f32[2] zlib {AAAA}", "4 digits hold fewer");
  value("f32[2] zlib {AAAAAAAAAAAA}", "wrong");
  value("f32[2] zlib {eAEDAAAAAAE=}", "more or fewer");
  value("f32[2] zlib {eAEDAAAAAA*=}", "0x2a");
  value("f32[2] zlib {eAEDAAAAAAEAA}", "groups of four");
  value("f32[2] zlib {eAEDAAAAAAE=", "'}'");
  value("f32[100000000] zlib {eAEDAAAAAAE=}", "digits hold fewer");
  value("u8[1000000000000] zlib {eAEDAAAAAAE=}", "large");
  value("bool[1] zlib {eJxjAgAAAwAD}", "neither 0 nor 1");
  value("\"open", "'\"'");
  value(std::string(40, '[').c_str(), "nested");
  value("three", "'three'");
  value("", "''");
  return out;
}

std::vector<Broken> broken_files() {
  std::string good = one_tensor("f32[1] {1}");
  auto with_replacement = [&](const std::string& from, const std::string& to) {
    std::string t = good;
    return t.replace(t.find(from), from.size(), to);
  };
  return {
      {"", 1, "ends here"},
      {"fusillade case 7\n", 1, "version 7"},
      {"fusillade case one\n", 1, "not a case file"},
      {"fusillade case 1\n", 2, ""},
      {"fusillade case 2\n", 2, "ends here"},
      {"fusillade case 2\nscript:\n\nend\n", 4, "the script is empty"},
      {"fusillade case 2\nscript: def f():\n", 2, "stands alone"},
      {with_replacement("oracle: exact", "orcale: exact"), 2, "oracle"},
      {with_replacement("oracle: exact", "oracle:"), 2, "no value"},
      {with_replacement("program:\n", "program: here\n"), 3, "stands alone"},
      {good.substr(0, good.find("call:")), 6, "ends here"},
      {good.substr(0, good.find("end\n")), 8, "'end'"},
      {good + "more\n", 9, "after 'end'"},
      {with_replacement("    x =", "    y ="), 7, "input 'x'"},
      {with_replacement("    x = f32[1] {1}\n", ""), 7, "1 inputs"},
      {with_replacement("{1}\n", "{1}\n    z = 3\n"), 8, "no input after"},
      {with_replacement("return (%x)", "return (%nowhere)"), 5, "nowhere"},
      {with_replacement("    return (%x)\n",
                        "    %2 : Tensor = aten::nosuch(%x)\n    return (%2)\n"),
       5, "nosuch"},
      {text_of(kTwo, "    base0 = 3\n"), 7, "tensor"},
      {text_of(kTwo, "    base0 = f32[1] {1}\n    base0 = f32[1] {1}\n"), 8, "already"},
      {text_of(kTwo, "    base0 = f32[1] {1}\n    x = view of base0 offset=1 f32[1] strides=[1]\n"),
       8, ""},
      {text_of(kTwo, "    base0 = f32[1] {1}\n    x = view of base0 offset=0 i32[1] strides=[1]\n"),
       8, "f32"},
      {text_of(
           kTwo,
           "    base0 = f32[4] {1, 2, 3, 4}\n    x = view of base0 offset=-1 f32[1] strides=[1]\n"),
       8, ""},
  };
}

TEST(Case, BrokenTextNamesItsPlace) {
  std::vector<Broken> all = broken_values();
  for (const Broken& b : broken_files()) all.push_back(b);
  EXPECT_GE(all.size(), 40u);
  for (const Broken& b : all) {
    std::string message = error_of(b.text);
    std::smatch m;
    ASSERT_TRUE(std::regex_search(message, m, std::regex("f\\.case:(\\d+):(\\d+)")))
        << message << "\n"
        << b.text;
    EXPECT_EQ(std::stoi(m[1]), b.line) << message << "\n" << b.text;
    EXPECT_NE(message.find(b.says), std::string::npos) << message << "\n" << b.text;
  }
}

// What a stranger's graph claims is checked when it is read: later it would be a broken invariant.
TEST(Case, GraphsThatContradictThemselvesAreErrors) {
  auto program = [](const char* lines) {
    return text_of(lines, "    x = f32[2] {1, 2}\n    n = 1\n    b = True\n");
  };
  const char* head = "  graph(%x : Tensor, %n : int, %b : bool):\n";
  for (const char* body : {
           "    %s : int[] = prim::Constant[vluae=[6]]()\n    %r : Tensor = aten::reshape(%x, "
           "%s)\n    return (%r)\n",
           "    %s : int[] = prim::Constant()\n    %r : Tensor = aten::reshape(%x, %s)\n    return "
           "(%r)\n",
           "    %s : int = prim::Constant[value=\"a\"]()\n    return (%s)\n",
           "    %s : int[] = prim::Constant[value=[\"a\"]]()\n    %r : Tensor = aten::reshape(%x, "
           "%s)\n    return (%r)\n",
           "    %l : int[] = prim::ListConstruct(%x)\n    %r : Tensor = aten::reshape(%x, %l)\n    "
           "return (%r)\n",
           "    %r : int = aten::neg(%x)\n    return (%r)\n",
           "    %r : Tensor = prim::If(%x)\n      block0():\n        -> (%x)\n      block1():\n    "
           "    -> (%x)\n    return (%r)\n",
           "    %r : Tensor = prim::If(%b)\n      block0():\n        -> (%x)\n      block1():\n    "
           "    -> (%n)\n    return (%r)\n",
           "    %r : Tensor = prim::If(%b)\n      block0():\n        -> (%x)\n    return (%r)\n",
           "    %r : Tensor = prim::If(%b)\n      block0():\n        -> ()\n      block1():\n      "
           "  -> (%x)\n    return (%r)\n",
           "    %r : Tensor = prim::Loop(%n, %b, %x)\n      block0(%i : int):\n        -> (%b)\n   "
           " return (%r)\n",
           "    %r : Tensor = prim::Loop(%b, %n, %x)\n      block0(%i : int, %y : Tensor):\n       "
           " -> (%b, %y)\n    return (%r)\n",
           "    %r : Tensor = prim::Loop(%n, %b, %x)\n      block0(%i : int, %y : int):\n        "
           "-> (%b, %y)\n    return (%r)\n",
           "    %r : Tensor = prim::CallFunction[name=\"f\"](%x)\n    return (%r)\n",
           "    %r : Tensor = prim::TensorExprGroup(%x)\n    return (%r)\n",
           "    %r : Tensor = prim::Return(%x)\n    return (%r)\n",
       }) {
    std::string text = program((std::string(head) + body).c_str());
    EXPECT_NE(error_of(text), "no error") << body;
  }
}

TEST(Case, EveryTruncationIsAnError) {
  Case c = parse_case(text_of(kTwo, kShared), "f.case");
  std::string text = print(c);
  for (size_t n = 0; n + 1 < text.size(); ++n) {
    if (text.substr(0, n).find("\nend") != std::string::npos) continue;
    EXPECT_NE(error_of(text.substr(0, n)), "no error") << text.substr(0, n);
  }
}

// Mutations may parse; they must not crash, and what parses prints to a fixpoint.
TEST(Case, MutatedTextNeverCrashes) {
  std::string good = print(parse_case(text_of(kTwo, kShared), "f.case"));
  int parsed = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    std::string t = good;
    auto r = random_bits(11, i);
    for (uint32_t k = 0; k <= r[0] % 3; ++k) {
      auto s = random_bits(12, 4 * i + k);
      size_t at = s[0] % t.size();
      if (s[1] % 3 == 0) t.erase(at, 1 + s[2] % 5);
      else if (s[1] % 3 == 1) t.insert(at, t.substr(s[2] % t.size(), s[3] % 9));
      else t[at] = static_cast<char>(s[3] % 96 + 32);
    }
    try {
      Case c = parse_case(t, "f.case");
      std::string once = print(c);
      EXPECT_EQ(print(parse_case(once, "f.case")), once) << t;
      ++parsed;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(parsed, 50);
}

TEST(Case, MissingFilesAndFoldersAreErrors) {
  EXPECT_THROW(read_case("/nonexistent/x.case"), Error);
  EXPECT_THROW(read_case("/tmp"), Error);
}

}  // namespace
}  // namespace fusillade::fuzz
