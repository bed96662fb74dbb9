# pytorch#198095: a view of an input that is a part of a written one raises.
def f(base, part):
    base.add_(100)
    return part[0]
