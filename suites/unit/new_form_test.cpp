// A special form is one file with one row: programs call it in methods and in constructors, and a
// message that lists functions names it. So is a method of tensors, and one of a list in a
// constructor.
#include "engine/front/emit_operator.h"
#include "engine/front/form.h"
#include "engine/front/method.h"
#include "suites/unit/module_answer.h"

namespace fusillade {
namespace {

using front::FormCall;

Value* sum_of_three(front::Emitter& to, Value* of, const front::Expr& at) {
  Value* twice = to.operators().binary_op(front::Sign::Add, of, of, at);
  return to.operators().binary_op(front::Sign::Add, twice, of, at);
}

Value* triple(front::Emitter& to, const FormCall& call) {
  return sum_of_three(to, to.arguments(call.e).at(0).value, call.e);
}

std::optional<front::Py> triple_value(front::Elaborator& in, const front::PyArgs& args,
                                      const front::Expr& e) {
  return front::Py(IValue(3 * in.integer(args.positional.at(0), e)));
}

const bool kAdded = front::add_form({"tripled", "torch.test.tripled"},
                                    {.emit = &triple, .evaluate = &triple_value});

Value* triple_tensor(front::Emitter& to, const FormCall& call) {
  return sum_of_three(to, call.self, call.e);
}

std::optional<front::Py> last_item(const front::MethodCall& call) {
  return call.self.seq()->items.back();
}

const bool kMethod = front::add_form({"Tensor.tripled"}, {.emit = &triple_tensor});
const bool kListMethod = front::add_methods("list", {{"last_item", &last_item}});

constexpr const char* kNet = R"(
class Net(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.n = tripled(n)
        self.m = torch.test.tripled(n + 1)

    def forward(self, x: int) -> int:
        return tripled(x) + torch.test.tripled(self.n) * 100 + self.m * 100000
)";

TEST(NewForm, IsCalledInMethodsAndConstructors) {
  EXPECT_EQ(answer(kNet, "Net(2)", {IValue(5)}), 15 + 18 * 100 + 9 * 100000);
}

TEST(NewForm, MethodsAreRowsAsWell) {
  EXPECT_EQ(answer(R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = [1, 2, 7].last_item()

    def forward(self, x: Tensor) -> Tensor:
        return x.tripled() * self.n
)",
                   "Net()", {IValue(ones({2}))}),
            21);
}

TEST(NewForm, MessagesNameIt) {
  try {
    compile_script("def f(x: int) -> int:\n    return tripledd(x)\n", "f.py");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean tripled?"), std::string::npos) << e.what();
  }
}

TEST(NewForm, AFunctionOfTheProgramGoesFirst) {
  EXPECT_EQ(answer(std::string("def tripled(n: int) -> int:\n    return n\n") + R"(
class Own(nn.Module):
    def forward(self, x: int) -> int:
        return tripled(x)
)",
                   "Own()", {IValue(5)}),
            5);
}

}  // namespace
}  // namespace fusillade
