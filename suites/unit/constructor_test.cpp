// What runs when a module is instantiated: Python over the syntax tree, its limits, and how its
// errors are reported.
#include "suites/unit/module_answer.h"

namespace fusillade {
namespace {

TEST(Constructors, ConstructorsRunPython) {
  const char* text = R"(
def double(n):
    return [2 * n, "x" * 2]

class Base(nn.Module):
    scale = 3

    def __init__(self, n):
        super().__init__()
        self.total = 0
        for i, name in enumerate(["a", "b", "c"]):
            if i == 1:
                continue
            setattr(self, name, i + n)
            self.total += i
        sizes = [1, 2] + [3] * 2
        while len(sizes) < 6:
            sizes.append(sizes[-1] + 1)
        self.sizes = sizes
        self.pair = (double(n)[0], 1.5)
        self.word = double(n)[1]
        self.table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

class M(Base):
    def __init__(self, n, *, extra=5):
        super().__init__(n)
        self.extra = extra

    def forward(self):
        s = self.a + self.c * 10 + self.total * 100 + self.extra * 1000 + self.scale
        for v in self.sizes:
            s += v
        return float(s) + self.pair[0] + self.pair[1] + float(self.table[1, 0])
)";
  EXPECT_EQ(answer(text, "M(4, extra=7)", {}),
            4 + 60 + 200 + 7000 + 3 + (1 + 2 + 3 + 3 + 4 + 5) + 8 + 1.5 + 3);
}

TEST(Constructors, ConstructorsAskWhatWantsGradients) {
  EXPECT_EQ(answer(R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 2), nn.Linear(2, 2)
        self.c = nn.Parameter(torch.ones(5), requires_grad=False)
        self.register_buffer("d", torch.ones(7))
        self.first = self.wanted()
        for p in self.b.parameters():
            p.requires_grad = False
        self.second = self.wanted()
        self.a.requires_grad_(False)
        self.a.bias.requires_grad_()
        self.third = self.wanted()
        self.others = int(self.d.requires_grad) + int(self.a.bias.detach().requires_grad)
    def wanted(self):
        return sum([p.numel() for p in self.parameters() if p.requires_grad])
    def forward(self):
        return float(self.first + 100 * self.second + 10000 * self.third + 1000000 * self.others)
)",
                   "Net()", {}),
            14 + 100 * 8 + 10000 * 2);
}

TEST(Constructors, DictsAreUnpackedAndValuesPrinted) {
  EXPECT_EQ(answer(R"(
DEFAULTS = {"width": 3, "scale": 2}
class Net(nn.Module):
    def __init__(self, **given):
        super().__init__()
        self.said = {**DEFAULTS, "scale": 5, **given}
        self.text = f"{self.said} {['a']} {1.5}"
    def forward(self):
        right = self.text == "{'width': 3, 'scale': 7} ['a'] 1.5"
        return float(self.said["width"] * self.said["scale"] + (100 if right else 0))
)",
                   "Net(scale=7)", {}),
            121);
}

TEST(Constructors, WhatIsSharedIsListedOnce) {
  EXPECT_EQ(answer(R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)
        self.b.weight = self.a.weight
        self.c = self.a
        self.parameters_ = sum(p.numel() for p in self.parameters())
        self.names = len(list(self.named_parameters())) + 10 * len(list(self.children()))
        self.names += 100 * len(list(self.modules()))
    def forward(self):
        return float(self.parameters_ + 1000 * self.names)
)",
                   "Net()", {}),
            9 + 1000 * (1 + 20 + 300));
}

TEST(Constructors, ListingsTakeAPrefixAndRecurse) {
  const std::string net = R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.BatchNorm1d(2)
        self.w = nn.Parameter(torch.ones(1))
        self.register_buffer("s", torch.ones(1))
        self.text = LISTING
    def forward(self):
        return float(1 if self.text == EXPECTED else 0)
)";
  // As PyTorch 1.13.1 gives them.
  const std::pair<const char*, const char*> listings[] = {
      {R"([n for n, p in self.named_parameters(prefix="z")])", "['z.w', 'z.a.weight', 'z.a.bias']"},
      {R"([n for n, p in self.named_parameters("z", False)])", "['z.w']"},
      {R"([n for n, p in self.named_parameters(recurse=False)])", "['w']"},
      {R"([n for n, b in self.named_buffers(recurse=False, prefix="z.y")])", "['z.y.s']"},
      {R"([n for n, b in self.named_buffers("z")])",
       "['z.s', 'z.a.running_mean', 'z.a.running_var', 'z.a.num_batches_tracked']"},
      {R"([n for n, m in self.named_modules(prefix="z")])", "['z', 'z.a']"},
      {R"([n for n, m in self.named_modules(None, "z", True)])", "['z', 'z.a']"},
      {"[len(list(self.parameters(False))), len(list(self.parameters())), "
       "len(list(self.buffers(recurse=False)))]",
       "[1, 3, 1]"}};
  auto with = [&](std::string listing, const std::string& expected) {
    std::string text = net;
    text.replace(text.find("LISTING"), 7, "str(" + listing + ")");
    return text.replace(text.find("EXPECTED"), 8, '"' + expected + '"');
  };
  for (const auto& [listing, expected] : listings)
    EXPECT_EQ(answer(with(listing, expected), "Net()", {}), 1) << listing;
  const std::pair<const char*, const char*> wrong[] = {
      {"self.named_parameters(prefx='z')", "'named_parameters' takes no 'prefx'"},
      {"self.named_buffers(3)", "the prefix of 'named_buffers' is a str"},
      {"self.children(False)", "'children' takes 0 arguments, given 1"},
      {"self.named_modules(remove_duplicate=False)", "lists each module once"}};
  for (const auto& [listing, why] : wrong)
    EXPECT_NE(error_of(with(listing, ""), "Net()").find(why), std::string::npos) << listing;
}

TEST(Constructors, FunctionsOfTheFileMakeModules) {
  const std::string text = R"(
import numbers
class Net(nn.Module):
    def __init__(self, shape, scale=1.0):
        super().__init__()
        if isinstance(shape, numbers.Integral):
            shape = (shape,)
        self.w = nn.Parameter(torch.ones(shape))
        self.scale = scale
    def forward(self):
        return self.w.sum() * self.scale

def net(shape, **kwargs):
    return Net(shape, **kwargs)

def number(n):
    return n
)";
  EXPECT_EQ(answer(text, "net(3, scale=2.5)", {}), 7.5);
  EXPECT_EQ(answer(text, "net((2, 2))", {}), 4);
  EXPECT_NE(error_of(text, "number(3)").find("makes no module"), std::string::npos);
}

TEST(Constructors, AttributesWithATypeOfTheirOwn) {
  EXPECT_EQ(answer(R"(
class Net(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.list = torch.jit.Attribute([], List[float])
        self.number = torch.jit.Attribute(3, type=int)
        self.maybe = torch.jit.Attribute(None, Optional[int])
        self.words = torch.jit.annotate(Dict[str, int], {})
    @torch.jit.script_method
    def forward(self):
        self.list.append(1.5)
        self.words["a"] = 4
        if self.maybe is None:
            self.maybe = 5
        maybe = self.maybe
        assert maybe is not None
        return self.list[0] + self.number + self.words["a"] + maybe
)",
                   "Net()", {}),
            13.5);
  EXPECT_NE(error_of("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                     "        self.a = torch.jit.Attribute(3)\n",
                     "Net()")
                .find("takes a value and its type"),
            std::string::npos);
}

TEST(Constructors, ErrorsOfConstructorsNameTheirCallers) {
  const std::string error = error_of(R"(
def pick(n):
    return [1, 2][n]

class Part(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = pick(n)

class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part(n=3)
    def forward(self):
        return 1
)",
                                     "Whole()");
  size_t inner = error.find("m.py:10:17: 'pick' was called here"),
         outer = error.find("m.py:15:20: 'Part.__init__' was called here");
  EXPECT_NE(inner, std::string::npos) << error;
  EXPECT_NE(outer, std::string::npos) << error;
  EXPECT_LT(inner, outer);
}

// A configuration whose class is none of the language: constructors read it; the error in methods
// says why they cannot.
TEST(Constructors, ConfigurationsServeConstructors) {
  const std::string text = R"(
class Config:
    def __init__(self, width=3, names=None):
        self.width = width
        self.names = names

class Part(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.n = config.width
    def forward(self):
        return READ

class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = Config(width=5)
        self.a, self.b = Part(self.config), Part(self.config)
    def forward(self):
        return self.a() + self.b()
)";
  auto reading = [&](const char* what) {
    std::string out = text;
    return out.replace(out.find("READ"), 4, what);
  };
  EXPECT_EQ(answer(reading("float(self.n)"), "Whole()", {}), 10);
  EXPECT_NE(error_of(reading("self.config.width"), "Part(Config())")
                .find("'config' of 'Part' cannot be used here"),
            std::string::npos);
}

TEST(Constructors, HostileConstructorsEnd) {
  auto with_init = [](const std::string& body) {
    return "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n" + body +
           "    def forward(self, x):\n        return x\n";
  };
  for (const char* body : {
           "        while True:\n            pass\n",
           "        x = [0]\n        while True:\n            x = x + x\n",
           "        x = [0] * 1000000000000\n",
           "        x = torch.zeros(1000000, 1000000)\n",
           "        x = torch.zeros(1 << 62, 4)\n",
           "        for i in range(10 ** 18):\n            pass\n",
           "        self.m = self\n",
           "        x = []\n        x.append(x)\n",
           "        x = 'ab' * 1000000000000\n",
           "        self.__init__()\n",
           "        raise ValueError(\"no\")\n",
           "        self.y = undefined_name(3)\n",
           "        x = 1 // 0\n",
           "        super().nothing()\n",
       }) {
    std::string error = error_of(with_init(body), "M()");
    EXPECT_NE(error.find("<--- HERE"), std::string::npos) << body << error;
  }
  EXPECT_NE(error_of("class M(nn.Module):\n    pass\n", "N()").find("N"), std::string::npos);
  EXPECT_NE(error_of("class M(nn.Module):\n    pass\n", "M(").find("<call>:1"), std::string::npos);
  EXPECT_NE(error_of("class M(M):\n    pass\n", "M()").find("its own base"), std::string::npos);
}

}  // namespace
}  // namespace fusillade
