"""A worker whose engine has twelve bugs, one in each operator (results/many_findings.md):

fusillade fuzz --engine toy=suites/python/twelve_bugs.py --plan toy:fast --policy chains --seed 3
--min-yield 0 --jobs 1 --max-total-time 90 --out out/twelve
"""

import sys
from pathlib import Path

import fusillade_worker
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/start"))
serve, fusillade_worker.serve = fusillade_worker.serve, lambda worker: None
from mine import OPS, Mine, Ops, of_floats

BUGS = {
    "abs.default": of_floats(lambda a: np.where(a < -1, a, abs(a))),
    "neg.default": of_floats(lambda a: np.where(a > 1, a, -a)),
    "mul.Tensor": of_floats(lambda a, b: np.where(a > 1, a, a * b)),
    "exp.default": of_floats(lambda a: np.where(a > 1, a, np.exp(a))),
    "relu.default": of_floats(lambda a: np.where(a > 1, -a, np.maximum(a, 0))),
    "sub.Tensor": of_floats(lambda a, b: np.where(a > 1, a, a - b)),
    "add.Tensor": of_floats(lambda a, b: np.where(a > 1, a, a + b)),
    "sigmoid.default": of_floats(lambda a: np.where(a > 1, a, 1 / (1 + np.exp(-a)))),
    "tanh.default": of_floats(lambda a: np.where(a > 1, a, np.tanh(a))),
    "sqrt.default": of_floats(lambda a: np.where(a > 1, a, np.sqrt(a))),
    "sin.default": of_floats(lambda a: np.where(a > 1, a, np.sin(a))),
    "cos.default": of_floats(lambda a: np.where(a > 1, a, np.cos(a))),
}
RIGHT = OPS | {
    "exp.default": of_floats(np.exp),
    "relu.default": of_floats(lambda a: np.maximum(a, 0)),
    "sub.Tensor": of_floats(lambda a, b: a - b),
    "add.Tensor": of_floats(lambda a, b: a + b),
    "sigmoid.default": of_floats(lambda a: 1 / (1 + np.exp(-a))),
    "tanh.default": of_floats(np.tanh),
    "sqrt.default": of_floats(np.sqrt),
    "sin.default": of_floats(np.sin),
    "cos.default": of_floats(np.cos),
}
np.seterr(all="ignore")


class Bad(Mine):
    ops = Ops(RIGHT)

    def run(self, engine, program, call):
        ops = RIGHT if engine == "eager" else RIGHT | BUGS
        return self.timed(program.function, Ops(ops), *call.arguments()), {}


serve(Bad())
