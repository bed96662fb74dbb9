"""What the peers are made of: version, instruction set, threads and BLAS, stated in results;
a crippled compiler is refused.

    builds.of(python, "torch", "compile", threads=1)
        ->  "PyTorch 2.13.0+cpu: blas mkl, isa AVX512, ..."

It asks in a process of the peer's own interpreter. bench/peers prints it above its tables: a ratio
against a compiler that lost its vector code says nothing.
"""

import json
import os
import re
import subprocess
import sys

WORKERS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "fuzz/workers"
)


def environment(**more):
    """Of a peer's process: without what makes an old OpenBLAS choose another kernel than the
    processor's."""
    env = {
        k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    }
    return {**env, **more}


def of(python, kind, way, threads=1, env=None):
    """One line of text; ends the program where the peer is not whole."""
    asked = [python, os.path.abspath(__file__), kind, way, str(threads)]
    run = subprocess.run(asked, capture_output=True, text=True, env=env or environment())
    if run.returncode:
        why = (run.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise SystemExit(f"{kind} ({way}) of {python} is not whole, and is not measured: {why}")
    said = json.loads(run.stdout.strip().splitlines()[-1])
    words = ", ".join(
        f"{key} {value}" for key, value in said.items() if key not in ("name", "version", "python")
    )
    return f"{said['name']} {said['version']}: {words}"


def torch_build_of(way, threads):
    import torch
    import torch_build

    torch_build.link_own()
    torch.set_num_threads(threads)
    said = {"name": "PyTorch", "version": torch.__version__, **torch_build.description()}
    if way == "script" and said["llvm"] == "no":
        raise SystemExit(
            "its TensorExpr fuser was built without LLVM and fuses nothing on a CPU; "
            "ci/setup.sh --torchscript installs PyTorch 1.13.1's own wheel, which has it"
        )
    if way == "compile":
        why = torch_build.why_crippled()
        if why:
            raise SystemExit(why)
        said["vector code"] = torch_build.vector_code()[0]
    return said


def jax_build_of():
    import jax
    from fusillade_worker import vectors

    return {
        "name": "JAX",
        "version": jax.__version__,
        "jaxlib": jax.lib.__version__,
        "isa": vectors(),
        "cores": len(os.sched_getaffinity(0)),
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", "none"),
    }


if __name__ == "__main__":
    sys.path.insert(0, WORKERS)
    kind, way, threads = sys.argv[1:]
    print(json.dumps(jax_build_of() if kind == "jax" else torch_build_of(way, int(threads))))


def processor_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return re.search(r"model name\s*: (.*)", file.read())[1]
