// Types of tensors: their text reads back, whatever is known of them, and subtyping and joining
// keep the laws of an order.
#include "engine/ops/type.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

// Random knowledge; few sizes and dtypes, so that two often agree.
class Drawer {
 public:
  explicit Drawer(uint64_t seed) : seed_(seed) {}

  uint64_t below(uint64_t n) { return random_bits(seed_, at_++)[0] % n; }
  bool half() { return below(2) == 0; }

  TensorInfo info() {
    TensorInfo out;
    out.has_dtype = half();
    if (out.has_dtype) out.dtype = half() ? DType::F32 : DType::I64;
    if (below(3)) out.device = half() ? Device() : Device{DeviceType::Cuda, int8_t(below(2))};
    if (below(3)) out.requires_grad = half();
    out.rank_known = half();
    if (!out.rank_known) return out;
    int rank = static_cast<int>(below(3));
    for (int d = 0; d < rank; ++d) out.sizes.push_back(static_cast<int64_t>(below(3)) - 1);
    out.strides_known = half();
    for (int d = 0; out.strides_known && d < rank; ++d)
      out.strides.push_back(static_cast<int64_t>(below(3)) - 1);
    return out;
  }

  // Of tensors, or a list, an option or a pair of them.
  Type type() {
    switch (below(6)) {
      case 0:
        return Type::list(TypeKind::Tensor);
      case 1:
        return Type::optional(Type::tensor(info()));
      case 2:
        return Type::tuple({Type::tensor(info()), Type::tensor(info())});
      default:
        return Type::tensor(info());
    }
  }

 private:
  uint64_t seed_;
  uint64_t at_ = 0;
};

constexpr int kDraws = 3000;

TEST(Type, TextReadsBack) {
  Drawer draw(1);
  for (int i = 0; i < kDraws; ++i) {
    Type t = draw.type();
    EXPECT_EQ(parse_type(t.text()), t) << t.text();
    EXPECT_EQ(parse_type(t.text()).text(), t.text());
  }
}

TEST(Type, UnknownPartsAreNotPrinted) {
  for (const char* text :
       {"Float(2, 3)", "Float()", "Tensor", "FloatTensor", "Float(2, 3, strides=[3, 1])",
        "Float(*, 3, requires_grad=1)", "Long(2, device=cuda:1)", "Float(strides=[])",
        "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)", "Float(device=cpu)",
        "FloatTensor(device=cpu)", "Tensor(requires_grad=0)", "Tensor(2, *)",
        "Tensor(sizes=[], device=meta)"})
    EXPECT_EQ(parse_type(text).text(), text);
  EXPECT_EQ(parse_type("Float(strides=[1], device=cpu, 2, requires_grad=0)").text(),
            "Float(2, strides=[1], requires_grad=0, device=cpu)");
}

TEST(Type, BadPartsAreErrorsWithTheirColumn) {
  auto error_of = [](const char* text) -> std::string {
    try {
      return parse_type(text).text();
    } catch (const Error& e) {
      return e.what();
    }
  };
  EXPECT_NE(error_of("Float(2, device=gpu)").find("column 17: expected a device, but 'gpu' is no"),
            std::string::npos)
      << error_of("Float(2, device=gpu)");
  for (const char* device : {"cuda:9999", "cpu:-1", "cuda:", ""})
    EXPECT_NE(
        error_of(("Float(2, device=" + std::string(device) + ")").c_str()).find("is no device"),
        std::string::npos)
        << device;
  EXPECT_NE(error_of("Float(requires_grad=2)").find("expected 0 or 1"), std::string::npos);
  EXPECT_NE(error_of("Float(device=cpu, device=cpu)").find("device once"), std::string::npos);
  EXPECT_NE(error_of("Float(2, strides=[1], strides=[1])").find("strides once"), std::string::npos);
  EXPECT_NE(error_of("FloatTensor(2)").find("no sizes behind 'Tensor'"), std::string::npos);
  EXPECT_NE(error_of("Float(2, device=cpu").find("',' or ')'"), std::string::npos);
}

TEST(Type, JoinsAreLeastBoundsThatCommute) {
  Drawer draw(2);
  for (int i = 0; i < kDraws; ++i) {
    Type a = draw.type(), b = draw.type();
    const std::string both = a.text() + " and " + b.text();
    Type joined = unify(a, b);
    EXPECT_EQ(joined, unify(b, a)) << both;
    EXPECT_EQ(unify(a, a), a) << a.text();
    EXPECT_TRUE(a.subtype_of(joined) && b.subtype_of(joined)) << both << ": " << joined.text();
    EXPECT_TRUE(a.subtype_of(a)) << a.text();
    if (a.is_tensor() && b.is_tensor() && a.subtype_of(b) && b.subtype_of(a)) EXPECT_EQ(a, b);
    Type c = draw.type();
    if (a.subtype_of(b) && b.subtype_of(c)) EXPECT_TRUE(a.subtype_of(c)) << both << c.text();
    EXPECT_TRUE(a.subtype_of(a.without_shapes())) << a.text();
    EXPECT_EQ(a.without_shapes().without_shapes(), a.without_shapes());
  }
}

TEST(Type, WhatDiffersIsUnknownInTheJoin) {
  auto join = [](const char* a, const char* b) {
    return unify(parse_type(a), parse_type(b)).text();
  };
  EXPECT_EQ(join("Float(2, device=cpu)", "Float(2, device=cuda:0)"), "Float(2)");
  EXPECT_EQ(join("Float(2, device=cpu)", "Float(2)"), "Float(2)");
  EXPECT_EQ(join("Float(2, requires_grad=0, device=cpu)", "Float(3, requires_grad=1, device=cpu)"),
            "Float(*, device=cpu)");
  EXPECT_EQ(parse_type("Float(2, requires_grad=0, device=cpu)").without_shapes().text(), "Tensor");
  EXPECT_FALSE(parse_type("Float(2)").subtype_of(parse_type("Float(2, device=cpu)")));
  EXPECT_TRUE(parse_type("Float(2, device=cpu)").subtype_of(parse_type("Float(2)")));
}

}  // namespace
}  // namespace fusillade
