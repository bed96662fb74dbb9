// Statements of whole Python (python.h): functions: closures, defaults, keywords, decorators,
// recursion.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered =
    add_rows(0, {
                    {"plain", "a tensor from an expression", 6, "", R"=(
@t = $Q)="},

                    {"again", "a variable gets another value", 4, "", R"=(
$T = $Q)="},

                    {"number", "an int from an expression", 3, "", R"=(
@n = $N)="},

                    {"text", "a string from an expression", 2, "", R"=(
@s = $S
log.append(@s))="},

                    {"closure", "a closure over a number that it changes", 3, R"=(
def @f(start):
    count = start
    def step(x):
        nonlocal count
        count $(+= 1|= count * 2 % 5|-= 1)$
        return (x + count).clamp(-9, 9)
    return step, lambda: count)=",
                     R"=(
@g, @h = @f($L)
@t = @g($T)
@t = @g(@t + $N)
@n = @h() % 7)="},

                    {"defaults", "default and keyword arguments", 3, R"=(
def @f(x, by=$L, /, plus=1, *, scale=$L, flip=False):
    y = (x * by + plus * scale).clamp(-9, 9)
    return y.flip(0) if flip else y)=",
                     R"=(
@t = @f($T$(|, $N)$$(|, scale=$N)$$(|, flip=$C)$))="},

                    {"stars", "arguments in a tuple and a dict", 3, R"=(
def @f(first, *rest, **named):
    total = first
    for r in rest:
        total = (total + r).clamp(-9, 9)
    for key in $(sorted(named)|named)$:
        total = (total * 2 + named[key]).clamp(-9, 9)
        if key == "b":
            total = -total
    return total, len(rest))=",
                     R"=(
@d = {"b": $N, "a": $T}
@t, @n = @f($T$(|, $T)$$(|, *[$T, $N])$, $(**@d|c=$T, **@d|c=$N)$))="},

                    {"mutable_default", "a default that calls share", 2, R"=(
def @f(x, seen=None, $(keep=()|keep=(1, 2))$):
    seen = [] if seen is None else seen
    seen.append(len(seen) + len(keep))
    return (x + sum(seen)).clamp(-9, 9))=",
                     R"=(
@l = []
@t = @f($T, @l)
@t = @f(@t, @l)
@t = @f(@t)
log.extend(@l))="},

                    {"partial", "functools.partial and reduce", 2, R"=(
def @f(a, b, *, c=1):
    return (a * c - b).clamp(-9, 9))=",
                     R"=(
@g = functools.partial(@f, $(c=$N|b=$N, c=2)$)
@t = functools.reduce(lambda a, b: (a + b) % 7, [@g($T, b=$T), $T$(|, $T)$]))="},

                    {"decorator", "a decorator that wraps", 2, R"=(
def @d(times=$L):
    def wrap(f):
        @!functools.wraps(f)
        def inner(*args, **kwargs):
            out = f(*args, **kwargs)
            for _ in range(times):
                out = f(out, **kwargs)
            return out
        return inner
    return wrap


@@d($(|times=2|3)$)
def @f(x, k=1):
    return (x * 2 - k).clamp(-9, 9))=",
                     R"=(
@t = @f($T$(|, k=$N)$)
log.append(@f.__name__))="},

                    {"recursion", "a function that calls itself", 2, R"=(
def @f(x, n):
    if n <= 0:
        return x
    return @f((x + n).clamp(-9, 9), n - $(1|2)$)$( |.neg())$)=",
                     R"=(
@t = @f($T, $N))="},

                    {"lambdas", "a list of lambdas, with what they close over", 2, "", R"=(
@l = [$(lambda x, k=k: (x + k) % 7|lambda x: (x + k) % 7)$ for k in range($N)]
@t = $T
for @g in @l:
    @t = @g(@t))="},

                    {"sorted_key", "sorted, max and min by a key", 2, "", R"=(
@l = sorted([$N, $N, $N, $N], key=lambda v: $(-v|(v % 3, v)|v * v - 4 * v)$$(|, reverse=True)$)
@n = $(max(@l, key=lambda v: v % 4)|min(@l)|@l[-1])$
@t = ($T * @l[0] + @l[$(1|2)$]).clamp(-9, 9))="},

                    {"globals", "a number of the module, read and set", 1, R"=(
@K = $L


def @f(x):
    global @K
    @K = (@K + 1) % 5
    return (x + @K).clamp(-9, 9)


def @r():
    global @K
    @K = 2)=",
                     R"=(
@r()
@t = @f($T)
@n = @K)="},

                });

}  // namespace
}  // namespace fusillade::fuzz::python
