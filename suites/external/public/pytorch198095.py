def f(base, part):
    base.add_(100)
    return part[0]
