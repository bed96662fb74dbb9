// Statements of whole Python (python.h): classes: inheritance, properties, operators, dataclasses.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered =
    add_rows(100, {
                      {"inherits", "a class with a base, super and a class attribute", 3, R"=(
class @A:
    scale = $L

    def __init__(self, n):
        self.n = n

    def f(self, x):
        return (x * self.scale + self.n).clamp(-9, 9)

    def __repr__(self):
        return f"{type(self).__name__}({self.n})"


class @B(@A):
    scale = $(2|@A.scale + 1)$

    def __init__(self, n, k=1):
        super().__init__(n + k)
        self.k = k

    def f(self, x):
        return (super().f(x) - self.k) % 7)=",
                       R"=(
@o = $(@B($N)|@B($N, k=$N)|@A($N))$
@t = @o.f($T)
log.append($(repr(@o)|isinstance(@o, @B)|@o.n)$))="},

                      {"property", "properties, with a setter that counts", 2, R"=(
class @A:
    def __init__(self, x):
        self._x = x
        self.sets = 0

    @!property
    def x(self):
        return self._x

    @!x.setter
    def x(self, value):
        self.sets += 1
        self._x = value.clamp(-9, 9))=",
                       R"=(
@o = @A($T)
@o.x = @o.x + $E
@o.x $(+=|*=|-=)$ $N
@t = @o.x
@n = @o.sets)="},

                      {"methods", "class methods and static methods", 2, R"=(
class @A:
    made = 0

    def __init__(self, n):
        self.n = n

    @!classmethod
    def of(cls, *numbers):
        return cls(sum(numbers) % 7)

    @!staticmethod
    def cut(x):
        return x.clamp(-9, 9)

    def __call__(self, x):
        return self.cut(x + self.n))=",
                       R"=(
@o = @A.of($N, $N)
@t = @o($E % 7)
@n = @o.n)="},

                      {"operators", "operators that a class defines", 3, R"=(
class @A:
    def __init__(self, x, k):
        self.x = x
        self.k = k

    def __add__(self, other):
        if isinstance(other, @A):
            return @A((self.x + other.x).clamp(-9, 9), self.k + other.k)
        return @A((self.x + other).clamp(-9, 9), self.k)

    __radd__ = __add__

    def __neg__(self):
        return @A(-self.x, -self.k)

    def __eq__(self, other):
        return isinstance(other, @A) and self.k == other.k

    def __hash__(self):
        return hash(self.k)

    def __len__(self):
        return abs(self.k)

    def __bool__(self):
        return self.k > 0

    def __getitem__(self, i):
        return self.x[i]

    def __contains__(self, k):
        return k == self.k)=",
                       R"=(
@o = $(@A($T, $N) + $T|$N + @A($T, 1)|-@A($T, $N)|@A($T, 2) + @A($T, $N))$
@t = @o.x + @o[$(0|-1|:1)$] * $(len(@o) % 3|(1 if @o else 2)|($N in @o))$
@t = @t % 7
log.append($(@o == @A($T, 3)|len({@o, @A($T, 1), @A($T, 1)})|bool(@o))$))="},

                      {"iterates", "a class with __iter__ and __next__", 2, R"=(
class @A:
    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return (self.x + self.i) % 5)=",
                       R"=(
@t = $T
for @e in @A(@t, $N):
    @t = (@t + @e).clamp(-9, 9)
@n = len(list(@A($T, $N))))="},

                      {"dataclass", "a dataclass with defaults", 2, R"=(
@!dataclass$(|(frozen=True)|(order=True))$
class @A:
    n: int
    k: int = $L
    s: str = "d"

    def f(self, x):
        return (x * self.n + self.k).clamp(-9, 9))=",
                       R"=(
@o = @A($N$(|, $N|, s="e")$)
@t = @o.f($T)
log.append($(repr(@o)|@o == @A($N)|str(@o))$))="},

                      {"named_tuple", "a named tuple, unpacked and replaced", 2, R"=(
class @A(NamedTuple):
    x: Tensor
    n: int = $L)=",
                       R"=(
@o = @A($T$(|, $N|, n=$N)$)
@x, @k = @o
@o = @o._replace(n=@k + 1)
@t = (@x * @o.n + @o[1]).clamp(-9, 9)
log.append(@o._fields))="},

                      {"enum", "members of an enum as keys and conditions", 2, R"=(
class @E(Enum):
    RED = 1
    BLUE = $(2|"b"|3)$


def @f(x, e):
    return x + 1 if e is @E.RED else x - e.name.count("B"))=",
                       R"=(
@d = {e: i for i, e in enumerate(@E)}
@t = @f($T, $(@E.RED|@E.BLUE|(@E.RED if $C else @E.BLUE)|@E["BLUE"]|@E(1))$).clamp(-9, 9)
@n = @d[@E.BLUE])="},

                      {"slots", "attributes added, looked for and removed", 2, R"=(
class @A:
    k = 4

    def __getattr__(self, name):
        if name.startswith("far"):
            return len(name)
        raise AttributeError(name))=",
                       R"=(
@o = @A()
@o.k = $N
@o.y = $T
@n = @o.$(far|farther|k)$ % 7
del @o.k
try:
    log.append(@o.$(near|k|y.dim())$)
except AttributeError as @e:
    log.append(str(@e))
@t = (@o.y + @o.k) % 7)="},

                      {"module", "a module of layers without randomness", 2, R"=(
class @M(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.parts = torch.nn.ModuleList([torch.nn.ReLU() for _ in range(2)])
        self.calls = 0

    def forward(self, x, *, twice=False):
        self.calls += 1
        for i, part in enumerate(self.parts):
            x = (part(x) - i * self.n).clamp(-9, 9)
        return x * 2 % 7 if twice else x)=",
                       R"=(
@m = @M($N)
@t = @m($T)
@t = @m(@t$(|, twice=$C)$)
@n = @m.calls)="},

                  });

}  // namespace
}  // namespace fusillade::fuzz::python
