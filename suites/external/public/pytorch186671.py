# pytorch#186671: a set equals a set class of its own __iter__ no more.
# https://github.com/pytorch/pytorch/issues/186671
# Eager mode gives x + 1, the compiled function x - 1. The report returns the comparison by itself.
class MySet(set):
    def __iter__(self):
        return iter([99])


s1 = {1, 2, 3}
s2 = MySet({1, 2, 3})


def f(x):
    return x + 1 if s1 == s2 else x - 1
