"""Models that nobody here wrote (zoo.py) on this engine, as archives that PyTorch makes of them.

    /usr/bin/python3 suites/external/pytorch/models.py --out out/m113.json           # 1.13.1
    build/engines/bin/python suites/external/pytorch/models.py --out out/m213.json   # 2.13

Each is scripted, traced, frozen (of the scripted, else of the traced) and exported (`.pt2`), in
evaluation mode, and run under each plan. The outputs agree where no element is farther from
PyTorch's than one ten-thousandth of the largest.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import outputs
import torch
import zoo

PLANS = {"eager": "eager", "fused": "vm/o2,fuse(loopnest,llvm)"}
FORMS = ("scripted", "traced", "frozen", "exported")
FAR = 1e-4


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):  # the binary names its files by the keys
        return [t for key in sorted(value) for t in flatten(value[key])]
    return [t for item in value for t in flatten(item)] if isinstance(value, (list, tuple)) else []


def forms(module, inputs):
    """The archive of each form, or the reason why PyTorch makes none."""
    archives_by_form = {}
    for form in ("scripted", "traced", "frozen"):
        try:
            if form == "scripted":
                archives_by_form[form] = torch.jit.script(module)
            elif form == "traced":
                archives_by_form[form] = torch.jit.trace(
                    module, inputs, check_trace=False, strict=False
                )
            else:
                source = next(
                    m
                    for m in (archives_by_form.get("scripted"), archives_by_form.get("traced"))
                    if isinstance(m, torch.jit.ScriptModule)
                )
                archives_by_form[form] = torch.jit.freeze(source)
        except Exception as error:  # any
            archives_by_form[form] = f"PyTorch makes none: {type(error).__name__}"
    return archives_by_form


def exported(module, inputs):
    """The program of torch.export, or the reason why there is none."""
    try:
        return torch.export.export(module, inputs, strict=False)
    except Exception as error:  # any
        return f"PyTorch makes none: {type(error).__name__}"


def differing(got, wanted):
    if len(got) != len(wanted):
        return f"{len(got)} outputs in place of {len(wanted)}"
    for ours, theirs in zip(got, wanted):
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return outputs.difference(ours, theirs)
        off, most = (ours.double() - theirs.double()).abs(), theirs.double().abs()
        if theirs.numel() and not off.max() <= FAR * most.max():
            return f"off by {float(off.max()):.3g} where the largest is {float(most.max()):.3g}"
    return ""


def model(name):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    make, inputs_of = zoo.MODELS[name]
    found = {"name": name}
    try:
        module, inputs = make().eval(), inputs_of()
        with torch.no_grad():
            wanted = [t.detach() for t in flatten(module(*inputs))]
            archives_by_form = {**forms(module, inputs), "exported": exported(module, inputs)}
    except Exception as error:  # any
        return {"name": name, "unmade": f"PyTorch does not run it: {type(error).__name__}"}
    with tempfile.TemporaryDirectory(prefix="fusillade-model-") as folder:
        given = []
        for i, t in enumerate(inputs):
            np.save(f"{folder}/in{i}.npy", t.numpy())
            given += ["--in", f"{folder}/in{i}.npy"]
        for form, archive in archives_by_form.items():
            if isinstance(archive, str):
                found[form] = {"unmade": archive}
                continue
            path = Path(folder) / (form + (".pt2" if form == "exported" else ".pt"))
            try:
                (torch.export if form == "exported" else torch.jit).save(archive, str(path))
            except Exception as error:  # any
                found[form] = {"unmade": f"PyTorch saves none: {type(error).__name__}"}
                continue
            found[form] = {}
            for word, plan in PLANS.items():
                try:
                    found[form][word] = differing(outputs.ran(path, plan, given), wanted)
                except outputs.Refused as error:
                    found[form][word] = str(error)
            path.unlink()
    return found


def forms_of(record):
    return [record[form] for form in FORMS if form in record and "unmade" not in record[form]]


def write(known, path):
    """Those judged so far, in the order of the zoo: a sweep that is cut short is gone on with by
    --again."""
    records = [known[name] for name in zoo.MODELS if name in known]
    Path(path).write_text(
        json.dumps({"torch": torch.__version__, "models": records}, indent=1) + "\n",
        encoding="utf-8",
    )
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="JSON: one record per model")
    parser.add_argument(
        "--only", default="", help="models whose name holds one of these words, by commas"
    )
    parser.add_argument(
        "--again",
        help="JSON of an earlier run, whose models are judged again where a form did not run",
    )
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    chosen = [name for name in zoo.load() if any(word in name for word in given.only.split(","))]
    known = {}
    if given.again:
        before = json.loads(Path(given.again).read_text(encoding="utf-8"))
        if before["torch"] != torch.__version__:
            parser.error(f"--again {given.again} is of PyTorch {before['torch']}")
        known = {
            r["name"]: r
            for r in before["models"]
            if not any(any(run.values()) for run in forms_of(r))
        }
        chosen = [name for name in chosen if name not in known]
    with multiprocessing.get_context("fork").Pool(given.jobs, maxtasksperchild=1) as pool:
        for done, record in enumerate(pool.imap(model, chosen), 1):
            known[record["name"]] = record
            write(known, given.out)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(chosen)}", end="", file=sys.stderr)
    records = write(known, given.out)
    runs = [run for r in records for run in forms_of(r)]
    right = sum(not any(run.values()) for run in runs)
    print(
        f"torch {torch.__version__}: {right} of {len(runs)} archives of {len(records)} models run "
        "under every plan with PyTorch's results"
    )


if __name__ == "__main__":
    main()
