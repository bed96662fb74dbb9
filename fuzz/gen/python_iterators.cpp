// Statements of whole Python (python.h): generators and iterators.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered =
    add_rows(200, {
                      {"generator", "a generator that yields tensors", 3, R"=(
def @f(x, n):
    for i in range(n):
        x = (x + i).clamp(-9, 9)
        $(yield x|yield x * 2 % 7|got = yield x)$
    return$(| n)$)=",
                       R"=(
@t = $T
for @e in @f($T, $N):
    @t = (@t - @e).clamp(-9, 9))="},

                      {"yield_from", "generators that delegate", 2, R"=(
def @g(n):
    yield from range(n)
    return n


def @f(n):
    got = yield from @g(n)
    yield got
    yield from (i * 2 for i in range(2)))=",
                       R"=(
@l = list(@f($N))
@t = ($T + sum(@l) % 5).clamp(-9, 9)
log.append(@l))="},

                      {"next", "next, with and without a default", 2, R"=(
def @f(n):
    try:
        for i in range(n):
            yield i
    finally:
        $(pass|n = 0)$)=",
                       R"=(
@i = @f($N)
@n = next(@i, 5)
try:
    @n = next(@i) + 1
except StopIteration:
    log.append("stop")
@t = ($T + sum(@i) % 7 + @n).clamp(-9, 9))="},

                      {"send", "a generator that is sent numbers", 1, R"=(
def @f(x):
    k = 0
    while k < 5:
        k += (yield (x + k) % 7) or 1)=",
                       R"=(
@i = @f($T)
@t = next(@i)
@t = (@t + @i.send($(1|2|None)$)).clamp(-9, 9)
@i.close())="},

                      {"expression", "generator expressions within any, all and sum", 2, "", R"=(
@n = sum(v * v for v in range($N) if v % $(2|3)$) % 7
log.append($(any(v > $N for v in (1, 4, 6))|all(v < $N for v in range(3)))$)
@t = sum((t_ * v for v, t_ in enumerate([$T, $T])), $T).clamp(-9, 9))="},

                      {"itertools", "chain, product, islice, accumulate and the like", 2, "", R"=(
@l = list(itertools.$(chain([$N], range(3))|islice(itertools.count($N), 3)\
|accumulate([1, $N, 2])|repeat($N, 3)|takewhile(lambda v: v < 5, [1, $N, 7]))$)
@t = $T
for @a, @b in itertools.$(product([1, 2], @l[:2])\
|zip_longest([1], @l[:2], fillvalue=3)|combinations([1, 2, 3], 2))$:
    @t = (@t * @a - @b).clamp(-9, 9)
log.append(@l))="},

                      {"zip", "zip, enumerate and reversed over tensors", 3, "", R"=(
@t = $T
for @i, (@a, @b) in enumerate(zip([$T, $T], $(reversed([$T, $T])|(1, $N, 3)|$T)$)$(|, start=2)$):
    @t = (@t + @a * @i - @b).clamp(-9, 9))="},

                      {"map", "map and filter", 2, "", R"=(
@l = list($(map(lambda v: v + 1, range($N))|filter(None, [0, $N, $N])|map(max, [1, $N], [2, 2]))$)
@t = functools.reduce(torch.maximum, map(lambda x: x $(+ 1|- $N)$, [$T, $T]), $T).clamp(-9, 9)
@n = len(@l))="},

                      {"rows", "a loop over the rows of a tensor", 2, "", R"=(
@l = []
for @r in $T:
    @l.append((@r * $N) % 7)
@t = torch.stack(@l))="},

                  });

}  // namespace
}  // namespace fusillade::fuzz::python
