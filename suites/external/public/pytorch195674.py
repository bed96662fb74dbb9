# pytorch#195674: subtraction from a bool tensor is taken.
# https://github.com/pytorch/pytorch/issues/195674
# Eager mode raises RuntimeError; the compiled function returns integers.
def f(x):
    return 1 - (x < 0)
