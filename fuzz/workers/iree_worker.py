"""IREE on the processor as a worker of ONNX (onnx_worker.py), by its own importer of ONNX.

    eager     each node compiled as a model of its own
    whole     the model as a whole, as iree-compile makes it

Both are machine code of the back end llvm-cpu for this processor, run in one thread (local-sync).
By default IREE computes float64 in float32, and most functions of float64 have no lowering: it is
not taken. Nor are bytes without a sign, whose results come as bytes with one. What the importer
does not know, and what has no lowering, is declined.
"""

import os
import re
import sys
import tempfile
from importlib.metadata import version
from types import MappingProxyType

import iree.runtime
import numpy as np
import onnx
from fusillade_worker import Declined, serve, vectors
from iree.compiler.api import Output, Session, Source
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from onnx_worker import OnnxOps, OnnxWorker, alone

FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-input-type=onnx",
)
# Flags of iree-compile, away from their defaults, that may not change results.
SWITCHES = {
    "iree-llvmcpu-enable-ukernels": ["all", "none"],
    "iree-llvmcpu-loop-interleaving": [True],
    "iree-llvmcpu-loop-unrolling": [True],
    "iree-llvmcpu-loop-vectorization": [True],
    "iree-llvmcpu-slp-vectorization": [True],
    "iree-llvmcpu-target-cpu": ["generic"],
    "iree-llvmcpu-target-vector-width-in-bytes": [16, 32],
    "iree-opt-const-eval": [False],
    "iree-opt-generalize-matmul": [True],
    "iree-opt-level": ["O0", "O1", "O2", "O3"],
    "iree-opt-outer-dim-concat": [True],
    "iree-opt-strip-assertions": [True],
    "iree-scheduling-optimize-bindings": [False],
}
# Its runtime lets the processor take subnormal numbers for zero.
CONTRACT = {
    "ulp": {"tanh": 16, "exp": 8, "log": 8, "log2": 8, "log10": 8},
    "flushes_subnormals": True,
}


def capture_stderr(function):
    """What `function` returns, and what it writes to stderr."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            returned = function()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return returned, file.read().decode(errors="replace")


class Iree(OnnxWorker):
    name, version = "IREE", version("iree-base-compiler")
    build = {"python": sys.executable, "isa": vectors(), "threads": "1", "llvm": "yes"}
    engines = {"eager": None, "whole": None}
    contract = {"eager": CONTRACT, "whole": {**CONTRACT, "packs": 16, "recompiles": True}}
    ops = OnnxOps(
        dtypes=("bool", "int8", "int16", "int32", "int64", "float16", "float32"), keeps_nan=False
    )
    options = {"whole": SWITCHES}
    sessions: dict = {}
    device = None

    def load(self, engine, model, switches=MappingProxyType({})):
        if engine == "eager":
            return self.separately(model)
        return self.compile([self.import_model(model, "whole")], switches)[0]

    def session(self, switches):
        """A compiler with these flags."""
        said = {True: "true", False: "false"}
        words = (
            f"--{name}={said[v] if isinstance(v, bool) else v}"
            for name, v in sorted(switches.items())
        )
        flags = (*FLAGS, *words)
        if flags not in self.sessions:
            self.sessions[flags] = Session()
            self.sessions[flags].set_flags(*flags)
        return self.sessions[flags]

    def separately(self, model):
        """Each node is a function of its own in one module, which is compiled once."""
        texts, functions = [], []

        def later(one):
            index = len(texts)
            texts.append(self.import_model(one, f"node{index}"))
            return lambda inputs: functions[index](inputs)

        run = alone(later, model)
        functions += self.compile(texts)
        return run

    def import_model(self, model, name):
        """A function called `name` in MLIR, the constants that it names, the graph."""
        read = onnx.load_model_from_string(model)
        read.graph.name = name
        read = onnx.shape_inference.infer_shapes(read, data_prop=True)
        info = onnx_importer.ModelInfo(read)
        module = info.create_module(context=Context()).operation
        try:
            onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
        except onnx_importer.OnnxImportError as e:
            raise Declined("not taken by the importer\n" + str(e)) from None
        text, _, constants = str(module).partition("{-#")
        body = text.strip().removeprefix("module {").removesuffix("}")
        body = re.sub(r"dense_resource<(\w+)>", rf"dense_resource<{name}\1>", body)
        found = re.findall(r'^ *(\w+): ("0x[0-9A-F]*")', constants, re.MULTILINE)
        return body, [f"{name}{key}: {value}" for key, value in found], read.graph

    def compile(self, parts, switches=MappingProxyType({})):
        """These functions, compiled as one module."""
        session = self.session(switches)
        if self.device is None:
            Iree.device = iree.runtime.get_device("local-sync")
        text = "module {\n" + "\n".join(body for body, _, _ in parts) + "}\n"
        constants = ",\n".join(c for _, named, _ in parts for c in named)
        if constants:
            text += "{-# dialect_resources: { builtin: {\n" + constants + "\n} } #-}\n"
        call = session.invocation()
        source, out = Source.wrap_buffer(session, text.encode()), Output.open_membuffer()
        call.enable_console_diagnostics()
        compiled, said = capture_stderr(lambda: call.parse_source(source) and call.execute())
        if not compiled:
            why = next((line for line in said.splitlines() if "error: " in line), said)
            if "failed to legalize operation 'torch." in said:
                raise Declined("no lowering\n" + why)
            raise RuntimeError("does not compile: " + why[why.find("error: ") + 7 :][:300])
        call.output_vm_bytecode(out)
        context = iree.runtime.SystemContext(config=iree.runtime.Config(device=self.device))
        code = iree.runtime.VmModule.copy_buffer(context.instance, bytes(out.map_memory()))
        out.close(), source.close(), call.close()
        context.add_vm_module(code)
        module = context.modules[code.name]
        return [self.runner(module[graph.name], graph) for _, _, graph in parts]

    def runner(self, function, graph):
        names = [v.name for v in graph.input]

        def run(inputs):
            found = function(*[inputs[name] for name in names])
            found = found if isinstance(found, tuple) else (found,)
            return [np.array(v.to_host()) for v in found]

        return run


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(Iree())
