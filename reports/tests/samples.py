"""Inputs for the tests: folders as the binary leaves them, with what strangers may have put into
the texts."""

import copy
import hashlib
import json
import math
import random

from fusillade_reports import compare as comparing
from fusillade_reports import history

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&|`]]>$\\frac{x}$ \u202e"
GRAPH = """graph(%0 : Float(2, strides=[1], requires_grad=0, device=cpu),
      %1 : Float(2, strides=[1], requires_grad=0, device=cpu)):
  %2 : int = prim::Constant[value=1]()
  %3 : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::add(%0, %1, %2)
  %4 : bool = aten::Bool(%3)
  %5 : Float(2, strides=[1], requires_grad=0, device=cpu) = prim::If(%4)
    block0():
      -> (%3)
    block1():
      %6 : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::relu(%0)
      -> (%6)
  return (%5)"""
CAMPAIGN = {
    "schema": 3,
    "build": "fusillade 0.2.0, commit 0123456789ab",
    "seconds": 3.0,
    "seconds_after": 0.5,
    "jobs": 2,
    "seed": 1,
    "plans": ["vm/o2"],
    "programs": 600,
    "executions": 3000,
    "programs_per_second_per_job": 120.0,
    "verdicts": {
        "ok": 590,
        "mismatch": 1,
        "crash": 0,
        "hang": 0,
        "bug": 0,
        "memory": 0,
        "flaky": 0,
        "slow": 0,
        "untrusted": 5,
        "skip": {"the program raises an error": 4},
        "untrusted_reasons": {"a branch": 5},
    },
    "elements": {
        "compared": 10,
        "tight": 9,
        "untrusted": 1,
        "tight_share": 0.9,
        "untrusted_share": 0.1,
    },
    "yield": 0.985,
    "reach": {
        "line": "operators 2 of 4, rewrites 1, guards 1",
        "rows": {"aten::add.Tensor": 12, "aten::relu": 3},
        "rows_missing": ["aten::mm", "aten::mv"],
        "rewrites": {"peephole/mul-one": 3},
        "rules_missing": ["div-one"],
        "guards": {"fuse/dynamic-sizes": 2},
    },
    "cost": {
        "cpu_seconds": 4.0,
        "other_cpu_seconds": 0.5,
        "stages": {"compile": 0.25, "run": 0.75},
        "parts": [
            {
                "part": "differential",
                "times": 600,
                "executions": 9000,
                "cpu_seconds": 3.0,
                "cpu_us_each": 5000.0,
                "share": 0.75,
            },
            {
                "part": "generate",
                "times": 600,
                "executions": 0,
                "cpu_seconds": 1.0,
                "cpu_us_each": 1666.7,
                "share": 0.25,
            },
        ],
    },
    "findings_not_saved": 0,
    "findings": [],
    "known": [],
    "pending": 0,
    "pending_known": {},
    "waiting": [],
    "triage_seconds": 0.5,
    "samples": [
        [0.0, 0, 0, 0, 0, 0, 0, 0, 0],
        [1.0, 200, 0, 196, 0, 2, 2, 1, 0],
        [2.0, 400, 1, 394, 1, 3, 2, 2, 0],
        [3.0, 600, 1, 590, 1, 5, 4, 2, 1],
    ],
    "exit_code": 0,
}


def campaign(**changes):
    return copy.deepcopy(CAMPAIGN) | changes


def finding(number, **changes):
    bucket = f"mismatch-cse-{number:012x}"
    return {
        "bucket": bucket,
        "verdict": "mismatch",
        "oracle": "differential",
        "blame": "cse/merge",
        "nodes": 2 + number % 5,
        "case": f"findings/{bucket}/reduced.case",
        "origin": f"seed=1 index={number} policy=chains",
        "count": 1 + number % 7,
        "first_seen": 0.25 * number,
        "message": "wrong result",
        "known": None,
    } | changes


def with_findings(count, **changes):
    return campaign(findings=[finding(i, **changes) for i in range(count)], exit_code=2)


def interval(x):
    return {"estimate": x, "lower": 0.9 * x, "upper": 1.1 * x, "level": 0.95, "processes": 5}


def entry(
    program,
    plan,
    ns,
    number=0,
    verdict="ok",
    kind="flat",
    processes=5,
    rounds=40,
    code=None,
    seed="",
    mode="interleaved",
    scatter=0.02,
    instructions=None,
):
    """A timing whose processes and rounds scatter by 2 %, the same at every call."""
    noise = random.Random(f"{program}/{plan}{seed}")
    samples = []
    for _ in range(processes):
        level = ns * math.exp(noise.gauss(0, scatter))
        samples.append([round(level * noise.gauss(1, 0.02), 3) for _ in range(rounds)])
    name = f"{program}/{plan}" + (" (alone)" if mode == "alone" else "")
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "family_index": number,
        "per_family_instance_index": 0,
        "repetitions": processes,
        "repetition_index": 0,
        "threads": 1,
        "iterations": 1000,
        "real_time": ns,
        "cpu_time": ns,
        "time_unit": "ns",
        "engine": plan,
        "program": program,
        "typed": False,
        "phases": {"compile": interval(1e6), "first_call": interval(1e4), "steady": interval(ns)},
        "warmup": {
            "rule": "by windows",
            "per_process": [{"class": kind, "steady_from": 0}] * processes,
        },
        "correctness": {"verdict": verdict, "tight_share": 1.0},
        "samples_ns": samples,
        "code": {"program": code, "runtime": "0" * 16},
        "mode": mode,
        "instructions": instructions
        and {"compile": 3000, "first_call": 2000, "steady": instructions},
        "aa": {"steady": 1.01, "compile": 0.98}
        if processes > 3
        else {"steady": None, "compile": None},
    }


CONTEXT = {
    "date": "2026-11-25T18:50:29+00:00",
    "host_name": "host",
    "executable": "fusillade",
    "num_cpus": 2,
    "mhz_per_cpu": 2596,
    "cpu_scaling_enabled": False,
    "aslr_enabled": True,
    "caches": [{"level": 1, "num_sharing": 1, "size": 32768, "type": "Data"}],
    "load_avg": [0.5, 0.4, 0.3],
    "library_version": "0.1.0",
    "library_build_type": "release",
    "json_schema_version": 1,
    "schema": 1,
    "noise_floor": {"steady": 0.01, "compile": 0.02},
    "interrupted": False,
    "machine": {"blas_kernels": "Zen", "cpu": "AMD EPYC"},
}


def bench(*entries):
    return {"context": copy.deepcopy(CONTEXT), "benchmarks": list(entries)}


def event(kind, call=None, what="", round=None, count=1, at=0.0, took=0.0):
    return {
        "kind": kind,
        "what": what,
        "call": call,
        "round": round,
        "count": count,
        "at_ns": at,
        "took_ns": took,
    }


# A profiling engine: a profiled call, a version and its kernel in the next two, a guard that fails
# in the third round.
JIT_EVENTS = [
    event("passes run", at=2e5, took=7e5),
    event("call profiled", 0, at=1e6),
    event("version compiled", 0, at=1.001e6, took=5e3),
    event("group lowered", 1, "loopnest", at=1.01e6, took=1e3),
    event("kernel compiled", 1, "llvm", count=2, at=1.011e6, took=4e3),
    event("kernel linked", 1, "llvm", count=2, at=1.013e6, took=1e3),
    event("cache hit", 2, round=0, at=1.02e6),
    event("guard failed", 22, round=2, at=1.04e6),
]


def with_events(timing, events=tuple(JIT_EVENTS)):
    """The timing as an engine of ours leaves it: stages, calls before the rounds, and the same
    events in each process."""
    processes = timing["repetitions"]
    stages = {
        "script": 6e5,
        "passes": 7e5,
        "lowering": 1e3,
        "codegen": 3e3,
        "linking": 1e3,
        "to_steady": 1.02e6,
    }
    return timing | {
        "phases": timing["phases"] | {k: interval(v) for k, v in stages.items()},
        "events": [list(events) for _ in range(processes)],
        "before_rounds": [{"compile": 1e6, "first_call": 1e4, "second_call": 1e4, "batch": 10}]
        * processes,
        "memory": {"allocations": 12, "peak_bytes": 65536},
        "work": {"bytes": 8192, "flops": 4096, "footprint": 16384},
        "break_even_calls": None,
    }


PEAKS = {
    "threads": 2,
    "flops": {"one": 8e10, "all": 1.6e11},
    "copies": [
        {"bytes": 16384, "one": 1e11, "all": 2e11},
        {"bytes": 524288, "one": 6e10, "all": 1e11},
        {"bytes": 67108864, "one": 1e10, "all": 1.2e10},
    ],
}


def with_jit():
    out = bench(
        entry("a/N:16", "eager", 4000.0, 0),
        with_events(entry("a/N:16", "jit/o2", 1000.0, 1)),
        with_events(entry(HOSTILE, "eager", 5000.0, 2), [event("fallback", 0, HOSTILE)]),
        with_events(entry(HOSTILE, "jit/o2", 5000.0, 3)),
    )
    out["context"]["peaks"] = PEAKS
    return out


def two_plans():
    return bench(
        entry("a/N:16", "eager", 4000.0, 0),
        entry("a/N:16", "vm/o2", 1000.0, 1),
        entry("b", "eager", 5000.0, 2),
        entry("b", "vm/o2", 5000.0, 3, verdict="untrusted"),
    )


def two_runs(folder):
    """compare.json of two runs in which one timing grew by a half, one is gone and one has come."""
    write(
        folder / "old",
        bench=bench(
            entry("a/N:16", "vm/o2", 1000.0, 0, seed=1), entry(HOSTILE, "vm/o2", 500.0, 1, seed=1)
        ),
    )
    write(
        folder / "new",
        bench=bench(
            entry("a/N:16", "vm/o2", 1500.0, 0, seed=2), entry("b", "vm/o2", 500.0, 1, seed=2)
        ),
    )
    return comparing.compare(str(folder / "old"), str(folder / "new"), comparing.Options())


PARTS = (
    "engine/passes/cse.cpp",
    "engine/fuse/nest.cpp",
    "engine/front/emit_call.cpp",
    "engine/kernel/llvm.cpp",
)
ORACLES = ("differential", "gradient", "python", "adjoint", "schedules")


def record(number, seconds, **changes):
    """A planted bug that was detected after so many seconds."""
    return {
        "id": f"bug-{number}",
        "real": "own invention",
        "file": PARTS[number % 4],
        "class": "a class",
        "reached": 1000,
        "triggered": True,
        "detected": True,
        "seconds": seconds,
        "programs": int(90 * seconds) + 1,
        "oracle_expected": ORACLES[number % 5],
        "oracle_found": "differential",
        "verdict": "mismatch",
        "blame_expected": "cse | dce",
        "blame_found": "cse/merge",
        "blame_right": True,
        "nodes": 3,
        "buckets": 1,
        "cases": 4,
        "waiting": 0,
    } | changes


def missed_record(number, limit=60.0, **changes):
    none = {
        "triggered": False,
        "detected": False,
        "oracle_found": "",
        "verdict": "",
        "blame_found": "",
        "blame_right": False,
        "nodes": None,
        "buckets": 0,
        "cases": 0,
    }
    return record(number, limit, **(none | changes))


CONTROL = {"programs": 5000, "seconds": 60.0, "bucket": None}


def planted_hunt(records, control=CONTROL):
    nodes = sorted(r["nodes"] for r in records if r["detected"])
    return {
        "schema": 1,
        "limit_seconds": 60.0,
        "count_seconds": 0.0,
        "seed": 1,
        "records": records,
        "control": control,
        "totals": {
            "records": len(records),
            "detected": len(nodes),
            "blamed_right": sum(r["blame_right"] for r in records),
            "median_nodes": nodes[len(nodes) // 2] if nodes else None,
            "median_buckets": 1 if nodes else None,
            "most_buckets": 1 if nodes else None,
        },
    }


def hunt_of(count=40):
    """Most detected, some blamed wrong, some missed for each reason."""
    noise = random.Random(1)
    records = [record(i, round(math.exp(noise.gauss(1, 1.5)), 3)) for i in range(count)]
    records[1] |= {"blame_found": "vm", "blame_right": False}
    lost = [
        missed_record(count, reached=0),
        missed_record(count + 1, programs=900),
        missed_record(count + 2, triggered=True),
    ]
    return planted_hunt([r for r in records if r["seconds"] < 60] + lost)


def hostile_hunt():
    words = dict.fromkeys(
        (
            "id",
            "real",
            "class",
            "oracle_expected",
            "oracle_found",
            "blame_expected",
            "blame_found",
            "verdict",
        ),
        HOSTILE,
    )
    return planted_hunt(
        [
            record(1, 2.0, file=HOSTILE + "/x.cpp", **words),
            *(
                missed_record(i, file=HOSTILE + "/x.cpp", oracle_expected=HOSTILE)
                for i in range(2, 6)
            ),
        ],
        {"programs": 1, "seconds": 1.0, "bucket": HOSTILE},
    )


def commit_hash(number):
    return hashlib.sha1(str(number).encode()).hexdigest()


def over_commits(
    path,
    runs=40,
    programs=("a/N:16", "b"),
    changed=("a/N:16",),
    machines=lambda i: "old",
    subject="a commit",
):
    """A history in which some programs' calls take a tenth more from the 21st commit on, and their
    instructions too."""
    for i in range(runs):
        more = [1.1 if name in changed and i >= 20 else 1.0 for name in programs]
        b = bench(
            *(
                entry(
                    name,
                    "vm/o2",
                    1000.0 * x * math.exp(random.Random(f"{name}{i}").gauss(0, 0.01)),
                    n,
                    seed=i,
                    processes=4,
                    rounds=2,
                    instructions=round(50_000 * x),
                )
                for n, (name, x) in enumerate(zip(programs, more))
            )
        )
        b["context"]["date"] = f"2026-11-25T{i // 60:02d}:{i % 60:02d}:29+00:00"
        one = path.parent / "run.json"
        one.write_text(json.dumps(b))
        history.add(
            str(path),
            str(one),
            history.Commit(commit_hash(i), 1_700_000_000 + 86400 * i, i, f"{subject} {i}"),
            machines(i),
        )
    one.unlink()


def write(folder, campaign=None, bench=None, compare=None, over=None, planted=None):
    """The folder, with the findings' files."""
    folder.mkdir(parents=True, exist_ok=True)
    if over is not None:
        over(folder / "history.sqlite")
    if bench is not None:
        (folder / "bench.json").write_text(json.dumps(bench))
    if compare is not None:
        (folder / "compare.json").write_text(json.dumps(compare(folder)))
    if planted is not None:
        (folder / "planted.json").write_text(json.dumps(planted))
    if campaign is None:
        return folder
    (folder / "campaign.json").write_text(json.dumps(campaign))
    for f in campaign["findings"]:
        here = (folder / f["case"]).parent
        here.mkdir(parents=True, exist_ok=True)
        program = "\n".join(
            "  " + line
            for line in GRAPH.replace("aten::relu", f.get("op", "aten::relu")).split("\n")
        )
        (folder / f["case"]).write_text(
            f"fusillade case 1\noracle: differential\nprogram:\n{program}\ncall:\nend\n"
        )
        (here / "finding.json").write_text(json.dumps(finding_file(f, program)))
        (here / "README.md").write_text(
            f"# {f['bucket']}\n\n- verdict: {f['verdict']}\n\n```\n"
            f"output 0: element 0 is 1, legal is [2, 2] {f['message']}\n```\n\n"
            f"## Commands\n\nRun here.\n\n```\nsh repro.sh\nfusillade repro reduced.case\n```\n",
            errors="replace",
        )
    return folder


def finding_file(f, program, **changes):
    """finding.json of a finding of campaign.json."""
    return {
        "schema": 1,
        **{k: f[k] for k in ("bucket", "verdict", "oracle", "message", "nodes", "origin")},
        "detail": f"output 0: element 0 is 1, legal is [2, 2] {f['message']}\n",
        "blame": {"kind": "rule", "name": "merge", "of": "cse", "words": f["blame"], "note": ""},
        "plan": "vm/cse",
        "cases": f["count"],
        "reproduced": 3,
        "tried": 3,
        "engines": [],
        "operators": ["aten::relu"],
        "program": {"language": "graph", "text": program.replace("\n  ", "\n")[2:]},
        "commands": {
            "repro": "fusillade repro reduced.case",
            "bisect": "fusillade bisect reduced.case",
            "show": "fusillade show reduced.case",
        },
        "no_script": None,
    } | changes


def hostile_campaign():
    c = with_findings(
        1,
        message=HOSTILE,
        blame=HOSTILE,
        oracle=HOSTILE,
        origin=HOSTILE,
        bucket="mismatch-" + HOSTILE,
        case="findings/x y&'\"/reduced.case",
        known=HOSTILE,
    )
    c["known"] = [
        {
            "name": HOSTILE,
            "reason": HOSTILE,
            "owner": HOSTILE,
            "until": HOSTILE,
            "expired": True,
            "findings": 1,
            "cases": 1,
        }
    ]
    c["plans"] = [HOSTILE]
    c["verdicts"]["skip"] = {HOSTILE: 3}
    c["reach"] = {
        "line": HOSTILE,
        "rows": {HOSTILE: 1},
        "rows_missing": [HOSTILE],
        "rewrites": {HOSTILE: 1},
        "rules_missing": [HOSTILE],
        "guards": {HOSTILE: 1},
        "productions": {HOSTILE: 1},
        "productions_missing": [HOSTILE],
    }
    c["waiting"], c["pending"] = [{"shows": HOSTILE, "cases": 1, "case": HOSTILE}], 1
    c["given"] = [{"file": HOSTILE, "accepted_draws": 1}]
    return c


def hostile_bench():
    b = bench(entry(HOSTILE, "eager", 10.0), entry(HOSTILE, HOSTILE, 20.0, 1))
    b["context"] |= {"host_name": HOSTILE, "library_version": HOSTILE}
    b["context"]["machine"] = {"cpu": HOSTILE, "blas_kernels": HOSTILE}
    return b
