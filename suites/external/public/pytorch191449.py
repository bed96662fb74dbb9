# pytorch#191449: resize_ of an alias resizes its base.
def f(x):
    base = x + 1
    alias = base.view(-1)
    alias.resize_(12)
    return base + 1
