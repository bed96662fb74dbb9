"""golden.py FOLDER: writes small whole models, each NAME.onnx with NAME.x0.npy and NAME.y0.npy:
what ONNX Runtime gives. suites/golden/onnx is such a folder."""

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper, parser

HEAD = '<ir_version: 10, opset_import: ["" : 18]>\n'
MODELS = {
    "conv": (
        """conv (float[batch, 2, 6, 6] x) => (y) {
        a = Conv <pads = [1, 1, 1, 1]> (x, w, b)
        n = BatchNormalization (a, scale, b, b, variance)
        r = Relu (n)
        p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)
        s = Shape <start = 0, end = 1> (p)
        rest = Constant <value_ints = [-1]> ()
        to = Concat <axis = 0> (s, rest)
        flat = Reshape (p, to)
        y = Gemm <transB = 1> (flat, head, last) }""",
        {"w": (3, 2, 3, 3), "b": (3,), "scale": (3,), "variance": (3,), "head": (4, 27), "last": 4},
        (2, 2, 6, 6),
    ),
    "attention": (
        """attention (float[batch, 5, 8] x) => (y) {
        n = LayerNormalization (x, scale, shift)
        q = MatMul (n, wq)
        k = MatMul (n, wk)
        v = MatMul (n, wv)
        shape = Constant <value_ints = [0, 5, 2, 4]> ()
        qh0 = Reshape (q, shape)
        kh0 = Reshape (k, shape)
        vh0 = Reshape (v, shape)
        qh = Transpose <perm = [0, 2, 1, 3]> (qh0)
        kh = Transpose <perm = [0, 2, 3, 1]> (kh0)
        vh = Transpose <perm = [0, 2, 1, 3]> (vh0)
        raw = MatMul (qh, kh)
        half = Constant <value_float = 0.5> ()
        scaled = Mul (raw, half)
        weights = Softmax <axis = -1> (scaled)
        mixed = MatMul (weights, vh)
        back = Transpose <perm = [0, 2, 1, 3]> (mixed)
        size = Shape (x)
        joined = Reshape (back, size)
        y = Add (joined, x) }""",
        {"scale": 8, "shift": 8, "wq": (8, 8), "wk": (8, 8), "wv": (8, 8)},
        (2, 5, 8),
    ),
    "lstm": (
        """lstm (float[4, batch, 3] x) => (y) {
        all, h, c = LSTM <hidden_size = 5, direction = "bidirectional"> (x, w, r, b)
        swapped = Transpose <perm = [0, 2, 1, 3]> (all)
        shape = Constant <value_ints = [0, 0, -1]> ()
        y = Reshape (swapped, shape) }""",
        {"w": (2, 20, 3), "r": (2, 20, 5), "b": (2, 40)},
        (4, 2, 3),
    ),
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder
    random = np.random.default_rng(3)
    for name, (text, tensors, size) in MODELS.items():
        model = parser.parse_model(HEAD + text)
        for key, sizes in tensors.items():
            array = random.uniform(0.1, 1, sizes) * (
                1 if key == "variance" else random.choice([-1, 1])
            )
            model.graph.initializer.append(numpy_helper.from_array(array.astype("float32"), key))
        onnx.save(model, folder / f"{name}.onnx")
        session = onnxruntime.InferenceSession(model.SerializeToString())
        x = random.standard_normal(size).astype("float32")
        np.save(folder / f"{name}.x0.npy", x)
        np.save(folder / f"{name}.y0.npy", session.run(None, {"x": x})[0])


if __name__ == "__main__":
    main()
