"""bench.json in the formats of others, one function each from a model to text; times of wrong
outputs are left out."""

import csv
import datetime
import io
import json

import numpy as np

from . import student


def _dump(data):
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _timings(bench):
    return [t for t in bench.timings if t.trusted]


def _bmf(bench):
    """Bencher Metric Format: nanoseconds, with bounds."""

    def measure(x):
        return {"value": x.estimate} | (
            {} if x.lower is None else {"lower_value": x.lower, "upper_value": x.upper}
        )

    return _dump(
        {
            t.name: {
                "latency": measure(t.steady),
                "compile-time": measure(t.compile),
                "first-call": measure(t.first_call),
            }
            for t in _timings(bench)
        }
    )


def _digits(x):
    """A computed number in six digits, the same from any library."""
    return float(f"{x:.6g}")


def _levels(t):
    """Seconds: the median of each process."""
    return [_digits(np.median(s) / 1e9) for s in t.steady_samples]


def _interval_99(levels):
    if len(levels) < 2:
        return None, None
    logs = np.log(levels)
    half = student.quantile(len(logs) - 1, 0.995) * logs.std(ddof=1) / np.sqrt(len(logs))
    return _digits(np.exp(logs.mean() - half)), _digits(np.exp(logs.mean() + half))


def _date(bench):
    return datetime.datetime.fromisoformat(bench.context["date"]).astimezone(datetime.UTC)


def _asv(bench):
    """A results file of airspeed velocity, version 2: seconds; quartiles and 99 % intervals of
    processes' medians.

    A bench knows no commit: the program's version takes its place."""
    columns = [
        "result",
        "params",
        "version",
        "started_at",
        "duration",
        "stats_ci_99_a",
        "stats_ci_99_b",
        "stats_q_25",
        "stats_q_75",
        "stats_number",
        "stats_repeat",
        "samples",
    ]
    c, when = bench.context, int(_date(bench).timestamp() * 1000)
    results = {}
    for t in _timings(bench):
        levels = _levels(t)
        low, high = _interval_99(levels)
        q25, q75 = (_digits(x) for x in np.quantile(levels, [0.25, 0.75]))
        results[t.name] = [
            [_digits(t.steady.estimate / 1e9)],
            [],
            None,
            when,
            None,
            [low],
            [high],
            [q25],
            [q75],
            [1],
            [len(levels)],
            [levels],
        ]
    return _dump(
        {
            "commit_hash": c["library_version"],
            "env_name": "fusillade",
            "date": when,
            "params": {
                "machine": c["host_name"],
                "cpu": c["machine"]["cpu"],
                "num_cpu": str(c["num_cpus"]),
            },
            "python": "",
            "requirements": {},
            "env_vars": {},
            "result_columns": columns,
            "results": results,
            "durations": {},
            "version": 2,
        }
    )


def _lnt(bench):
    """A report of LNT, format version 2, suite nts: seconds, a sample per process."""
    c, when = bench.context, _date(bench).strftime("%Y-%m-%dT%H:%M:%S")
    return _dump(
        {
            "format_version": "2",
            "machine": {
                "name": c["host_name"],
                "cpu": c["machine"]["cpu"],
                "num_cpus": str(c["num_cpus"]),
            },
            "run": {
                "start_time": when,
                "end_time": when,
                "llvm_project_revision": c["library_version"],
            },
            "tests": [
                {
                    "name": f"fusillade.{t.name}",
                    "execution_time": _levels(t),
                    "compile_time": _digits(t.compile.estimate / 1e9),
                }
                for t in _timings(bench)
            ],
        }
    )


def _action(bench):
    """github-action-benchmark's customSmallerIsBetter."""
    out = []
    for t in _timings(bench):
        one = {"name": t.name, "unit": "ns", "value": t.steady.estimate}
        extra = "one process"
        if t.steady.lower is not None:
            one["range"] = (
                "\u00b1 "
                f"{max(t.steady.upper - t.steady.estimate, t.steady.estimate - t.steady.lower):.1f}"
            )
            extra = (
                f"95 % interval {t.steady.lower:.1f} to {t.steady.upper:.1f} ns over "
                f"{t.steady.processes} processes"
            )
        out.append(one | {"extra": f"{extra}\noutputs: {t.verdict}\nwarm-up: {t.warm_class}"})
    return _dump(out)


def _csv(bench):
    """One row per round: nothing is left out but those of wrong outputs."""
    out = io.StringIO()

    def cell(text):
        """A spreadsheet takes what begins so for a formula."""
        return "'" + text if text.startswith(("=", "+", "-", "@")) else text

    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        [
            "program",
            "plan",
            "process",
            "round",
            "steady",
            "ns",
            "outputs",
            "allocations",
            "peak_bytes",
        ]
    )
    for t in _timings(bench):
        memory = (t.memory["allocations"], t.memory["peak_bytes"]) if t.memory else ("", "")
        for p, (series, (kind, start)) in enumerate(zip(t.samples, t.warm)):
            steady = kind not in ("no steady state", "too short")
            for i, ns in enumerate(series):
                rows.writerow(
                    [
                        cell(t.program),
                        cell(t.plan),
                        p,
                        i,
                        int(steady and i >= start),
                        f"{ns:.3f}",
                        t.verdict,
                        *memory,
                    ]
                )
    return out.getvalue()


FORMATS = {"bmf": _bmf, "asv": _asv, "lnt": _lnt, "github-action-benchmark": _action, "csv": _csv}
