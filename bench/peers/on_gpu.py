#!/usr/bin/env python3
"""PyTorch on the GPU, on the programs and sizes that `fusillade gpu` timed:  bench/peers/on_gpu.py
DEVICE_JSON OUT_JSON

Each program of bench/programs, the same text, runs in eager mode, as TorchScript and by
torch.compile on inputs that lie on the device, timed by its events; fusillade's medians are
next to them. Exit code 3, and why: there is no such PyTorch.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def make_input(torch, spec):
    dtype, sizes = re.fullmatch(r"(f32|f64|f16|bf16)\[(.*)\]", spec).groups()
    of = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}[
        dtype
    ]
    return torch.randn([int(s) for s in sizes.split(",") if s], device="cuda").to(of)


def milliseconds(torch, function, inputs, rounds):
    for _ in range(5):  # compiles, and warms up
        function(*inputs)
    took = []
    for _ in range(rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function(*inputs)
        end.record()
        end.synchronize()
        took.append(begin.elapsed_time(end))
    return {"milliseconds": took, "median_milliseconds": statistics.median(took)}


def function_of(stem, folder):
    """The last function of the program's file, which has to be a file for TorchScript to find its
    source."""
    import importlib.util

    text = open(os.path.join(ROOT, "bench", "programs", stem + ".py")).read()
    path = os.path.join(folder, stem + ".py")
    with open(path, "w") as out:
        out.write(text)
    spec = importlib.util.spec_from_file_location(stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, re.findall(r"^def (\w+)\(", text, re.M)[-1])


def main(device_json, out_json):
    try:
        import torch
    except ImportError as e:
        print(f"no PyTorch: {e}")
        return 3
    if not torch.cuda.is_available():
        print(f"PyTorch {torch.__version__} sees no GPU")
        return 3
    results = json.load(open(device_json))
    out = {"version": torch.__version__, "gpu": torch.cuda.get_device_name(0), "benchmarks": []}
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for ours in results["benchmarks"]:
            function = function_of(ours["name"].split("/")[0], folder)
            inputs = [make_input(torch, spec) for spec in ours["inputs"]]
            ways = {"eager": function, "script": torch.jit.script(function)}
            if hasattr(torch, "compile"):
                ways["compile"] = torch.compile(function)
            row = {
                "name": ours["name"],
                "fusillade_eager": ours["eager"]["median_call_milliseconds"],
                "fusillade_fused": ours["fused"]["median_call_milliseconds"],
            }
            for name, way in ways.items():
                try:
                    row[name] = milliseconds(torch, way, inputs, len(ours["milliseconds"]))
                except Exception as e:  # what a compiler of theirs lacks is shown, the others go on
                    row[name] = {"failed": f"{type(e).__name__}: {e}"[:300]}
            out["benchmarks"].append(row)
            print(
                ours["name"],
                *(
                    f"{k} {v['median_milliseconds']:.4f} ms"
                    if "median_milliseconds" in v
                    else f"{k} failed"
                    for k, v in row.items()
                    if isinstance(v, dict)
                ),
            )
    with open(out_json, "w") as to:
        json.dump(out, to, indent=2)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("device_json")
    parser.add_argument("out_json")
    sys.exit(main(**vars(parser.parse_args())))
