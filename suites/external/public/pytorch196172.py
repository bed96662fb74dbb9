# pytorch#196172: a slice does not take an object that has __index__.
# https://github.com/pytorch/pytorch/issues/196172
# Eager mode returns two elements; the compiled function raises TypeError.
# The report passes stop as an argument.
class StaticIndex:
    def __init__(self, index):
        self.index = index

    def __index__(self):
        return self.index


stop = StaticIndex(2)


def f(x):
    return x[:stop]
