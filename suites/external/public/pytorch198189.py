# pytorch#198189: OrderedDict.move_to_end is lost.
# https://github.com/pytorch/pytorch/issues/198189
# Eager mode leaves the keys b, c, a in the cache, the compiled function a, b, c.
# The report's cache is an argument, or an object's attribute.
import collections

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = collections.OrderedDict(a=1, b=2, c=3)

    def forward(self, x):
        self.cache.move_to_end("a")
        return x + 1
