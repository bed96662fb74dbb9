"""A compiler of one's own, with one bug, as Fusillade asks it: the example of docs/start.

fusillade fuzz --engine mine=mine.py --plan mine:fast --policy chains --max-findings=1
--max-total-time=60 --min-yield 0 --out out/mine
"""

import numpy as np
from fusillade_worker import Declined, Ops, Parts, Worker, serve


def of_floats(function):
    def check_and_call(*arrays):
        if any(a.dtype != np.float32 or a.size == 0 for a in arrays):
            raise Declined("float32 with elements is all that it takes")
        return np.asarray(function(*arrays))

    return check_and_call


OPS = {
    "abs.default": of_floats(np.abs),
    "neg.default": of_floats(np.negative),
    "mul.Tensor": of_floats(np.multiply),
    "maximum.default": of_floats(np.maximum),
}
FAST = OPS | {"maximum.default": of_floats(lambda a, b: np.where(a > b, a, b))}  # the bug


class Mine(Worker):
    name, version = "mine", "1"
    engines = {"eager": None, "fast": None}  # the reference, and the compiler under test
    ops = Ops(OPS)

    def run(self, engine, program, call):
        ops = Ops(OPS if engine == "eager" else FAST)
        # `timed` gives the results, and tells `fusillade bench` how long they took.
        return self.timed(program.function, ops, *call.arguments()), {}

    def memory(self, dtype, data):
        if dtype != "float32":
            raise Declined("float32 is all that it takes")
        return np.frombuffer(data, np.float32)

    def view(self, memory, sizes, strides, offset):
        inside = memory[min(offset, memory.size) :]
        return np.lib.stride_tricks.as_strided(inside, sizes, [4 * s for s in strides])

    def is_tensor(self, value):
        return isinstance(value, np.ndarray)

    def parts(self, t):
        whole = t.copy()
        strides = [s // 4 for s in whole.strides]
        return Parts("float32", t.shape, strides, 0, None, whole.tobytes)


np.seterr(all="ignore")
serve(Mine())
