// Statements of whole Python (python.h): dicts, sets, lists and tuples, and comprehensions of them.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered =
    add_rows(300, {
                      {"dict", "a comprehension of a dict, and loops over it", 3, "", R"=(
@d = {$(i|f"k{i}"|(i, i % 2))$: ($T + i) % 7 for i in range($N)$(| if i != $L)$}
@t = $T
for @k, @v in @d.items():
    @t = (@t + @v).clamp(-9, 9)
log.append($(list(@d)|len(@d)|sorted(@d, reverse=True))$))="},

                      {"dict_methods", "setdefault, pop, update, get and union", 3, "", R"=(
@d = {"a": $T, "b": $N}
@d.setdefault($("a"|"c")$, $T)
$(@d.update(b=$N, e=2)|@d \|= {"e": 1}|@d = {**@d, "b": 4}|@d["z"] = @d.pop("b"))$
@t = (@d["a"] + @d.get($("b"|"z"|"q")$, $N)).clamp(-9, 9)
log.append($(list(@d)|"b" in @d|@d.pop("q", None)|@d.popitem()[0])$))="},

                      {"missing_key", "a key that may not be there", 2, "", R"=(
@d = dict(zip("abc", range($N)))
try:
    @n = @d[$("a"|"b"|"z")$]
except KeyError as @e:
    @n = 6
    log.append(f"no {@e}"))="},

                      {"set", "sets and what they have in common", 2, "", R"=(
@u = {v % 4 for v in range($N)}
@w = $({1, $N}|set((2, $N))|frozenset([0, $N]))$
@n = len(@u $(\||&|-|^)$ @w)
@t = ($T + sum(@u $(\||&|-)$ @w)).clamp(-9, 9)
log.append($(sorted(@u)|@u <= @w|$N in @u|@u.isdisjoint(@w))$))="},

                      {"list", "lists that grow, shrink and are cut", 3, "", R"=(
@l = [$T, $T]
@l.$(append($T)|insert(0, $T)|extend([$T, $T])|reverse())$
@l[$(0|-1)$] = $Q
$(@l += [$T]|del @l[0]|@l[1:] = [$T]|@l = @l * 2|@l.pop())$
@t = torch.stack(@l).sum(0).clamp(-9, 9)
@n = len(@l))="},

                      {"nested", "comprehensions within comprehensions", 2, "", R"=(
@l = [[$(i * j|(i, j)|i - j)$ for j in range(i$(|, $N)$)] for i in range($N)$(| if i % 2)$]
log.append(@l)
@t = ($T + sum(len(row) for row in @l) % 5).clamp(-9, 9))="},

                      {"unpack", "unpacking with a star, and swaps", 2, "", R"=(
@a, *@b, @c = $([$T, $N, $N, $T]|($T, $T)|[$T, 1, $T])$
@t, @y = (@a, @c) if $C else (@c, @a)
@t, @y = @y, @t
@t = (@t + @y * len(@b)).clamp(-9, 9)
log.append(@b))="},

                      {"counter", "Counter, defaultdict, OrderedDict and deque", 2, "", R"=(
@c = collections.$(Counter("aab" * $N)|OrderedDict([("b", $N), ("a", 2)]))$
@e = collections.defaultdict($(list|lambda: [$N])$)
@e["x"].append($N)
@q = collections.deque([$T, $T]$(|, maxlen=2)$)
@q.$(append|appendleft)$($T)
@t = (@q$([0]|.pop())$ + sum(@c.values()) + len(@e$(["x"]|["y"])$)).clamp(-9, 9)
log.append(sorted(@c.items())))="},

                      {"slices", "slices of lists, tuples and strings", 2, "", R"=(
@l = list(range($N + 2))
@n = sum(@l[$(1:|::2|::-1|:-1|-2:)$]) % 7
log.append("abcdef"[$($N:|:$N|::-2)$])
@t = ($T + @l.index(1) + @l.count(0)).clamp(-9, 9))="},

                      {"tensors_in_tuple", "tuples of tensors compared by identity", 2, "", R"=(
@p = ($T, $T, $T)
@n = sum(1 for a in @p if a is @p[0])
@t = @p[@n % 3].clamp(-9, 9)
log.append(@p[0] is $T))="},

                      {"alias", "one list under two names", 2, "", R"=(
@a = [$N]
@b = $(@a|@a[:]|list(@a))$
@b.append($N)
@n = len(@a)
@t = ($T + @a[-1]).clamp(-9, 9)
log.append(@a is @b))="},

                      {"in_place", "a tensor written in place, under another name", 3, "", R"=(
@v = $T
@t = $(@v|@v.view(@v.shape)|@v.clone())$
$(@t.add_($N)|@t[0] = $L|@t[:, 0] += $N|@t.mul_(2)|@t.copy_($T))$
@t.clamp_(-9, 9))="},

                  });

}  // namespace
}  // namespace fusillade::fuzz::python
