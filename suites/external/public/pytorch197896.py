# pytorch#197896: what a method appends to a list of its closure is lost.
def make():
    calls = []

    class Helper:
        def touch(self):
            calls.append(1)

    return calls, Helper


calls, Helper = make()


def f(x):
    Helper().touch()
    return x + len(calls)
