"""Files of bench that hold one process each, as one: what `compare --commits` measures by turns.

All are of one build, one set of programs and one set of plans; what the first says of outputs, code
and instructions holds for all.
"""

import math

import numpy as np

from . import intervals, model, student


def _estimate(levels):
    """The mean over processes of logs, and its 95 % interval by Student's t."""
    logs = np.log(levels)
    mean = float(np.exp(logs.mean()))
    if len(logs) < 2:
        return {
            "estimate": mean,
            "lower": None,
            "upper": None,
            "level": intervals.LEVEL,
            "processes": len(levels),
        }
    half = (
        student.quantile(len(logs) - 1, 0.5 + intervals.LEVEL / 2)
        * logs.std(ddof=1)
        / math.sqrt(len(logs))
    )
    return {
        "estimate": mean,
        "lower": min(mean, float(np.exp(logs.mean() - half))),
        "upper": max(mean, float(np.exp(logs.mean() + half))),
        "level": intervals.LEVEL,
        "processes": len(levels),
    }


def _halves(levels):
    if len(levels) < 4:
        return None
    middle = len(levels) // 2
    return float(np.exp(np.log(levels[middle:]).mean() - np.log(levels[:middle]).mean()))


def _one(parts):
    out = dict(parts[0])
    phases = [phase for phase in out["phases"] if all(phase in p["phases"] for p in parts)]
    levels = {phase: [p["phases"][phase]["estimate"] for p in parts] for phase in phases}
    out["phases"] = {phase: _estimate(values) for phase, values in levels.items()}
    out["aa"] = {phase: _halves(levels[phase]) for phase in ("steady", "compile")}
    out |= {
        "repetitions": len(parts),
        "iterations": sum(p["iterations"] for p in parts),
        "real_time": out["phases"]["steady"]["estimate"],
        "cpu_time": float(np.exp(np.mean([math.log(max(p["cpu_time"], 1e-3)) for p in parts]))),
        "samples_ns": [s for p in parts for s in p["samples_ns"]],
    }
    for what in ("before_rounds", "events"):
        if what in out:
            out[what] = [x for p in parts for x in p[what]]
    out["warmup"] = {
        "rule": out["warmup"]["rule"],
        "per_process": [w for p in parts for w in p["warmup"]["per_process"]],
    }
    return out


def _noise(entries, phase):
    logs = [abs(math.log(e["aa"][phase])) for e in entries if e["aa"][phase]]
    return float(np.expm1(np.median(logs))) if logs else None


def merge(paths):
    """The content of one bench.json from those of several files."""
    files = [model.load(path, "bench") for path in paths]
    failed = {
        (x["program"], x["engine"]): x
        for data in files
        for x in data["context"].get("not_measured", [])
    }
    for data in files:
        data["benchmarks"] = [
            b for b in data["benchmarks"] if (b["program"], b["engine"]) not in failed
        ]
    names = [b["name"] for b in files[0]["benchmarks"]]
    for path, data in zip(paths, files):
        if [b["name"] for b in data["benchmarks"]] != names:
            raise model.Broken(f"{path} holds other timings than {paths[0]}")
        if any(b["repetitions"] != 1 for b in data["benchmarks"]):
            raise model.Broken(f"{path} holds more than one process")
    entries = [_one([data["benchmarks"][i] for data in files]) for i in range(len(names))]
    context = files[0]["context"] | {
        "noise_floor": {phase: _noise(entries, phase) for phase in ("steady", "compile")}
    }
    if "not_measured" in context:
        context["not_measured"] = list(failed.values())
    return {"context": context, "benchmarks": entries}
