# pytorch#198190: a generator that is returned is another object.
# https://github.com/pytorch/pytorch/issues/198190
# Eager mode returns a generator, the compiled function a tuple iterator.
def f(x):
    def gen():
        yield x * 1
        yield x * 2
        return "done"

    return gen()
