// Statements of whole Python (python.h): control flow: branches, loops, exceptions, context
// managers, prints.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered = add_rows(
    400, {
             {"if", "a branch", 4, "", R"=(
if $C:
    $B
    $T = $Q
elif $C:
    $B
else:
    $B)="},

             {"for", "a loop over a range", 4, "", R"=(
for @i in range($N):
    $T = ($T + @i).clamp(-9, 9)
    $B
    $(pass|if @i > $L: break|if @i == $L: continue)$)="},

             {"while", "a loop with a condition, and its else", 3, "", R"=(
@n = $N
while @n > 0:
    @n -= $(1|2)$
    $B
    if $C:
        $(break|continue|log.append(@n))$
else:
    log.append("else"))="},

             {"for_else", "a search, with an else", 2, "", R"=(
for @i in $(range($N)|[3, $N, 1]|"abc")$:
    if @i == $($N|2|"b")$:
        log.append(f"found {@i}")
        break
else:
    $B)="},

             {"try", "an exception of one of several classes", 4, R"=(
class @E(ValueError):
    def __init__(self, text, k):
        super().__init__(text)
        self.k = k


def @f(x, n):
    if n % 3 == 0:
        raise @E(f"bad {n}", n)
    if n % 3 == 1:
        raise $(KeyError("one")|IndexError(n)|ZeroDivisionError)$
    return (x + n) % 7)=",
              R"=(
@t = $T
try:
    @t = @f($T, $N)
    $B
except @E as @e:
    log.append((@e.k, str(@e)))
except (KeyError, IndexError)$(| as @e)$:
    @t = @t * 2 % 7
except Exception as @e:
    log.append(type(@e).__name__)
else:
    log.append("no error")
finally:
    $(log.append("finally")|@t = @t.neg()|pass)$)="},

             {"finally", "a return that passes a finally", 2, R"=(
def @f(x, n, log):
    for i in range(3):
        try:
            if i == n:
                return (x + i) % 7
            if i > n:
                $(continue|break)$
        finally:
            log.append(i)
            x = (x * 2).clamp(-9, 9)
    return x)=",
              R"=(
@t = @f($T, $N, log))="},

             {"reraise", "an exception that is raised again, with its cause", 2, R"=(
def @f(n):
    try:
        return 6 // (n % $(2|3)$)
    except ZeroDivisionError as e:
        raise $(ValueError("none") from e|RuntimeError(str(e))|KeyError(n) from None)$)=",
              R"=(
try:
    @n = @f($N)
except (ValueError, KeyError) as @e:
    @n = 1
    log.append($(str(@e)|type(@e).__name__|@e.args)$)
except RuntimeError:
    @n = 2)="},

             {"uncaught", "an error that main does not catch, under a condition", 1, "", R"=(
if $C and $C and $C:
    raise $(ValueError("end")|KeyError($N)\
|AssertionError|IndexError("far")|TypeError(f"{$N}"))$)="},

             {"assert", "an assertion that mostly holds", 1, "", R"=(
assert $N < $(9|8|12)$, f"too large {$N}")="},

             {"contextmanager", "a context manager made of a generator", 3, R"=(
@!contextmanager
def @f(log, k):
    log.append(("in", k))
    try:
        yield k + 1
    $(finally:|except ValueError:)$
        log.append(("out", k)))=",
              R"=(
with @f(log, $N) as @n:
    $B
    $T = ($T + @n).clamp(-9, 9))="},

             {"with", "a class that is a context manager, and may suppress", 3, R"=(
class @A:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append("exit" if kind is None else kind.__name__)
        return $(kind is ValueError|kind is not None|True)$)=",
              R"=(
@t = $T
with @A(log)$(| as @a|, @A(log))$:
    @t = @t + 1
    if $C:
        raise ValueError("within")
    @t = (@t * 2).clamp(-9, 9)
@t = @t.clamp(-9, 9))="},

             {"no_grad", "modes of PyTorch around statements", 1, "", R"=(
with torch.$(no_grad()|enable_grad())$:
    @t = $Q
    $B)="},

             {"print", "prints, also within a loop", 3, "", R"=(
for @i in range($N):
    print(f"{@i} {$N}"$(|, end=";"|, $S)$)
    $T = ($T + @i).clamp(-9, 9))="},

             {"break_in_loop", "a graph break within a loop", 3, "", R"=(
@n = 0
for @i in range($N):
    $T = ($T + @n).clamp(-9, 9)
    $(@n = int($T.sum().item()) % 5|print(@i)\
|@n += int($T.max().item()) > 2|@n = int($T.tolist()[0][0]) % 3)$
@n = int(@n))="},

             {"conditional", "conditional expressions and chained comparisons", 2, "", R"=(
@t = $T if $C else $Q
@n = ($N if $C else $N) if $N $(<|<=|!=)$ $N < 6 else $L)="},

             {"walrus", "assignments within expressions", 2, "", R"=(
if (@n := $N) > $L:
    $B
@t = ($T + (@k := @n * 2)) % 7
log.append(@k))="},

             {"match", "a match statement", 2, "", R"=(
match $(($N, $N)|[$N, 1]|{"k": $N}|$N)$:
    case (0, @y) | [@y, 1]:
        @n = @y + 1
    case {"k": @y}:
        @n = @y
    case int() as @y if @y > 2:
        @n = 2
    case _:
        @n = 0
log.append(@n))="},

             {"early", "returns out of nested loops", 2, R"=(
def @f(x, n):
    for i in range(n):
        for j in range(i):
            if (i + j) % 4 == 3:
                return x + i, j
            x = (x + j) % 7
    return x, -1)=",
              R"=(
@t, @k = @f($T, $N)
@t = @t.clamp(-9, 9)
log.append(@k))="},

             {"data_dependent", "a branch on what a tensor holds", 3, "", R"=(
if $($T.sum() > $L|($T > 2).any()|$T[0, 0] == $L|$T.max() > $T.min() + $N)$:
    $T = $Q
    $B
else:
    log.append("small"))="},

         });

}  // namespace
}  // namespace fusillade::fuzz::python
