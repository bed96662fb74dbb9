"""What the JSON files say, checked: a missing or mistyped field is an error that names it."""

import json
import os
from dataclasses import dataclass


class Broken(Exception):
    """A file that is absent, not JSON, or lacks a field."""


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise Broken(f"{path} does not exist") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise Broken(f"{path} is not JSON: {error}") from None


def _field(data, path, *keys, kind=object):
    at = data
    for key in keys:
        if not isinstance(at, dict) or key not in at:
            raise Broken(f"{path}: no field {'.'.join(keys)}")
        at = at[key]
    if not isinstance(at, kind):
        raise Broken(f"{path}: {'.'.join(keys)} is a {type(at).__name__}")
    return at


@dataclass
class Campaign:
    seconds: float
    jobs: int
    seed: int
    programs: int
    executions: int
    rate: float
    verdicts: dict
    skips: dict
    tight_share: float
    untrusted_share: float
    findings: list
    samples: list  # [seconds, programs, findings]


def load_campaign(folder):
    path = os.path.join(folder, "campaign.json")
    data = _read(path)
    number = (int, float)
    verdicts = dict(_field(data, path, "verdicts", kind=dict))
    skips = {"skip: " + k: v for k, v in verdicts.pop("skip", {}).items()}
    skips |= {"untrusted: " + k: v for k, v in verdicts.pop("untrusted_reasons", {}).items()}
    return Campaign(
        seconds=_field(data, path, "seconds", kind=number),
        jobs=_field(data, path, "jobs", kind=int),
        seed=_field(data, path, "seed", kind=int),
        programs=_field(data, path, "programs", kind=int),
        executions=_field(data, path, "executions", kind=int),
        rate=_field(data, path, "programs_per_second_per_job", kind=number),
        verdicts=verdicts,
        skips=skips,
        tight_share=_field(data, path, "elements", "tight_share", kind=number),
        untrusted_share=_field(data, path, "elements", "untrusted_share", kind=number),
        findings=_field(data, path, "findings", kind=list),
        samples=_field(data, path, "samples", kind=list),
    )


@dataclass
class Interval:
    estimate: float  # ns
    lower: float
    upper: float


@dataclass
class Timing:
    program: str
    plan: str
    steady: Interval
    compile: Interval
    first_call: Interval
    verdict: str
    warmup: list


def load_bench(path):
    data = _read(path)
    out = []
    for entry in _field(data, path, "benchmarks", kind=list):
        def interval(phase):
            get = lambda key: float(_field(entry, path, "phases", phase, key, kind=(int, float)))
            return Interval(get("estimate"), get("lower"), get("upper"))

        out.append(
            Timing(
                program=_field(entry, path, "program", kind=str),
                plan=_field(entry, path, "engine", kind=str),
                steady=interval("steady"),
                compile=interval("compile"),
                first_call=interval("first_call"),
                verdict=_field(entry, path, "correctness", "verdict", kind=str),
                warmup=[p.get("class") for p in _field(entry, path, "warmup", "per_process", kind=list)],
            )
        )
    return out


def speedups(timings):
    """Per program and plan: (program, plan, ratio, lower, upper) against the program's first plan.

    The interval divides the ends of the two intervals: conservative when the two vary together."""
    base = {}
    out = []
    for t in timings:
        if t.program not in base:
            base[t.program] = t
            continue
        b = base[t.program]
        out.append(
            (
                t.program,
                t.plan,
                b.steady.estimate / t.steady.estimate,
                b.steady.lower / t.steady.upper,
                b.steady.upper / t.steady.lower,
            )
        )
    return out
