"""write.py FOLDER: writes each case as FOLDER/N.onnx with its inputs (N.x0.npy...) and what ONNX
Runtime gives, or where it has no kernel, or one that approximates, onnx's reference (N.y0.npy...),
and FOLDER/cases.json."""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from cases import CASES
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

IR_VERSION = 10


def model_of(c):
    arrays = [np.asarray(a) for a in c["inputs"]]
    names = [f"x{k}" for k in range(len(arrays))]
    constants = {f"c{k}": np.asarray(a) for k, a in enumerate(c["constants"]) if a is not None}
    more = ["" if a is None else f"c{k}" for k, a in enumerate(c["constants"])]
    outputs = [f"y{k}" for k in range(c["outputs"])]
    node = helper.make_node(c["op"], names + more, outputs, name="it", **c["attributes"])
    graph = helper.make_graph(
        [node],
        "case",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in zip(names, arrays)
        ],
        [onnx.ValueInfoProto(name=n) for n in outputs],
        initializer=[numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", c["opset"])], ir_version=IR_VERSION
    )
    return onnx.shape_inference.infer_shapes(model), dict(zip(names, arrays))


def answers(model, inputs, approximate):
    if approximate:
        return ReferenceEvaluator(model).run(None, inputs), "onnx"
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, inputs), "onnxruntime"
    except Exception:  # no kernel for this dtype, or this opset
        return ReferenceEvaluator(model).run(None, inputs), "onnx"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    said = []
    for number, c in enumerate(CASES):
        model, inputs = model_of(c)
        results, by = answers(model, inputs, c["approximate"])
        onnx.save(model, folder / f"{number}.onnx")
        for k, array in enumerate(inputs.values()):
            np.save(folder / f"{number}.x{k}.npy", array)
        for k, array in enumerate(results):
            np.save(folder / f"{number}.y{k}.npy", np.asarray(array))
        said.append(
            {
                "op": c["op"],
                "inputs": len(inputs),
                "outputs": len(results),
                "by": by,
            }
        )
    (folder / "cases.json").write_text(json.dumps(said))


if __name__ == "__main__":
    main()
