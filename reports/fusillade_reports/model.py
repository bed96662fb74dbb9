"""What the JSON files say: read strictly, checked against their schemas, wrong ones reported by
file and place.

A file is read whole or not at all: no field is unknown, none is missing, numbers are finite, and
what a schema cannot say (lists that must be equally long, names that must differ, bounds that
must be in order) is checked here.
"""

import functools
import itertools
import json
import math
import os
import stat
from collections import Counter
from dataclasses import dataclass, field, fields

import jsonschema

from . import shapes
from .visible import everywhere, is_plain_json

MOST_ERRORS_SHOWN = 5
MOST_ERRORS = 1000  # looked for
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas")


class Broken(Exception):
    """A file that is absent, not JSON, or not what its schema says."""


@functools.cache
def schema(kind):
    with open(os.path.join(SCHEMAS, f"{kind}.schema.json"), encoding="utf-8") as file:
        return json.load(file)


@functools.cache
def _shape(kind):
    return shapes.shape(schema(kind), schema(kind))


def _no_constant(word):
    raise ValueError(f"{word} is no number of JSON")


def _whole(text):
    """An int of 64 bits; of any other the text, which no schema takes for a number."""
    return (
        int(text)
        if len(text) < 20 or len(text) < 22 and -(1 << 63) <= int(text) < 1 << 64
        else text
    )


def _real(text):
    number = float(text)
    return number if math.isfinite(number) else text


def refuse_pipe(path):
    """A named pipe in a folder that was handed over would be waited for without end; those of a
    shell are fine."""
    if not path.startswith(("/dev/", "/proc/")) and os.path.exists(path):
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise Broken(f"{path} is a named pipe, not a file")


def _read(path):
    refuse_pipe(path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        plain = is_plain_json(text)
        data = json.loads(text, parse_constant=_no_constant, parse_int=_whole, parse_float=_real)
        del text
        return data if plain else everywhere(data)
    except FileNotFoundError:
        raise Broken(f"{path} does not exist") from None
    except OSError as error:
        raise Broken(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Broken(f"{path} is not JSON: {error}") from None


def _place(keys):
    out = ""
    for key in keys:
        out += f"[{key}]" if isinstance(key, int) else f".{key}" if out else str(key)
    return out or "the file"


def _short(value, most=60):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "\u2026"


def _message(error):
    """One error of jsonschema in plain words."""
    at, kind, given = _place(error.absolute_path), error.validator, error.validator_value
    if kind == "required":
        missing = [name for name in given if name not in error.instance]
        return f"{at}: no field {', '.join(missing)}"
    if kind == "additionalProperties":
        extra = sorted(set(error.instance) - set(error.schema.get("properties", {})))
        return (
            f"{at}: unknown field {', '.join(extra)}; legal: "
            f"{', '.join(sorted(error.schema['properties']))}"
        )
    if kind == "type":
        return (
            f"{at}: {_short(error.instance)} is not "
            f"{given if isinstance(given, str) else ' or '.join(given)}"
        )
    if kind == "enum":
        return f"{at}: {_short(error.instance)} is none of {', '.join(map(str, given))}"
    if kind == "const":
        return f"{at}: {_short(error.instance)} is not {given}"
    if kind in ("minimum", "exclusiveMinimum", "maximum"):
        word = {"minimum": "less than", "exclusiveMinimum": "not above", "maximum": "more than"}[
            kind
        ]
        return f"{at}: {_short(error.instance)} is {word} {given}"
    return f"{at}: {error.message[:200]}"


def _refuse(path, errors):
    messages = list(dict.fromkeys(errors))
    more = (
        f"; and {len(messages) - MOST_ERRORS_SHOWN} more"
        if len(messages) > MOST_ERRORS_SHOWN
        else ""
    )
    raise Broken(f"{path}: " + "; ".join(messages[:MOST_ERRORS_SHOWN]) + more)


def load(path, kind):
    """The checked content of a file of this kind: `bench`, `campaign`, `compare`, `finding`,
    `planted` or `releases`."""
    data = _read(path)
    if not _shape(kind)(data):
        validator = jsonschema.Draft202012Validator(schema(kind))
        errors = sorted(
            itertools.islice(validator.iter_errors(data), MOST_ERRORS),
            key=lambda e: [str(k) for k in e.absolute_path],
        )
        if errors:
            _refuse(path, [_message(e) for e in errors])
    wrong = list(
        {
            "bench": _bench_sense,
            "campaign": _campaign_sense,
            "compare": _compare_sense,
            "planted": _planted_sense,
        }.get(kind, lambda _: ())(data)
    )
    if wrong:
        _refuse(path, wrong)
    return data


def _twice(names):
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _bench_sense(data):
    for name in _twice(b["name"] for b in data["benchmarks"]):
        yield f"benchmarks: two are called {_short(name)}"
    for i, b in enumerate(data["benchmarks"]):
        at = f"benchmarks[{i}]"
        for phase, x in b["phases"].items():
            if (x["lower"] is None or x["upper"] is None) and x["processes"] > 1:
                yield f"{at}.phases.{phase}: no lower and upper, of {x['processes']} processes"
            elif (
                x["lower"] is not None
                and x["upper"] is not None
                and not x["lower"] <= x["estimate"] <= x["upper"]
            ):
                yield f"{at}.phases.{phase}: the estimate lies outside lower and upper"
        lists = [
            ("samples_ns", b["samples_ns"]),
            ("warmup.per_process", b["warmup"]["per_process"]),
        ]
        lists += [(what, b[what]) for what in ("before_rounds", "events") if what in b]
        for what, length in ((what, len(x)) for what, x in lists):
            if length != b["repetitions"]:
                yield f"{at}.{what}: {length} processes, and repetitions is {b['repetitions']}"
        for p, (series, warm) in enumerate(zip(b["samples_ns"], b["warmup"]["per_process"])):
            if warm["steady_from"] >= len(series):
                yield (
                    f"{at}.warmup.per_process[{p}].steady_from: {warm['steady_from']} of "
                    f"{len(series)} samples"
                )
        for p, (series, events) in enumerate(zip(b["samples_ns"], b.get("events", []))):
            for n, e in enumerate(events):
                if e["round"] is not None and (e["call"] is None or e["round"] >= len(series)):
                    yield f"{at}.events[{p}][{n}].round: {e['round']} of {len(series)} samples"


@dataclass
class Sample:
    """How far a campaign was: judgements by verdict, operators and rewrites by how many had run."""

    # a campaign that was killed and goes on may know of some less
    KEPT_SELDOM = (
        "rows",
        "rewrites",
    )
    seconds: float
    programs: int
    findings: int
    ok: int
    failed: int
    untrusted: int
    skipped: int
    rows: int
    rewrites: int

    @property
    def judged(self):
        return self.ok + self.failed + self.untrusted + self.skipped


def _campaign_sense(data):
    for bucket in _twice(f["bucket"] for f in data["findings"]):
        yield f"findings: two are called {_short(bucket)}"
    records = {k["name"] for k in data["known"]}
    for i, f in enumerate(data["findings"]):
        if f["known"] is not None and f["known"] not in records:
            yield f"findings[{i}].known: there is no record {_short(f['known'])}"
    for i, (a, b) in enumerate(zip(data["samples"], data["samples"][1:])):
        went = [f.name for f, later, earlier in zip(fields(Sample), b, a) if later < earlier]
        if went := [name for name in went if name not in Sample.KEPT_SELDOM]:
            yield f"samples[{i + 1}]: {', '.join(went)} went back"
    for i, f in enumerate(data["findings"]):
        said = f.get("builds")
        if f.get("state", "open") != "open" and not said:
            yield f"findings[{i}].builds: none, of a finding that is {f['state']}"
        elif said and said[-1]["shows"] == (f.get("state") == "closed"):
            yield f"findings[{i}].state: not what the last of its builds says"
    if data["elements"]["tight"] > data["elements"]["compared"]:
        yield "elements.tight: more than were compared"


def _compare_sense(data):
    counts = Counter(r["verdict"] for r in data["rows"])
    if counts != Counter(data["counts"]):
        yield "counts: they are not those of the rows"
    for i, r in enumerate(data["rows"]):
        if r["lower"] is not None and not r["lower"] <= r["ratio"] <= r["upper"]:
            yield f"rows[{i}]: the ratio lies outside lower and upper"


def _planted_sense(data):
    records, totals = data["records"], data["totals"]
    for name in _twice(r["id"] for r in records):
        yield f"records: two are called {_short(name)}"
    for i, r in enumerate(records):
        if r["detected"] and not r["triggered"] or r["blame_right"] and not r["detected"]:
            yield (
                f"records[{i}]: what was blamed right was detected, and what was detected triggered"
            )
    counted = {
        "records": len(records),
        "detected": sum(r["detected"] for r in records),
        "blamed_right": sum(r["blame_right"] for r in records),
    }
    for what, count in counted.items():
        if totals[what] != count:
            yield f"totals.{what}: {totals[what]}, and the records have {count}"


@dataclass(slots=True)
class Finding:
    bucket: str
    verdict: str
    oracle: str
    blame: str
    message: str
    nodes: int
    case: str  # relative to the folder
    origin: str
    count: int
    first_seen: float
    known: str | None  # the record that mutes it
    state: str = "open"  # or closed, reopened
    builds: list = ()  # what builds said of it, the last at the end

    @property
    def is_open(self):
        return self.known is None and self.state != "closed"

    @property
    def place(self):
        """By which they are sorted: the open ones first, of each kind those of most cases."""
        rank = 2 if self.state == "closed" else self.known is not None
        return rank, -self.count

    @property
    def told_by(self):
        """Who closed or reopened it; empty: it is neither."""
        if self.state == "open":
            return ""
        last = self.builds[-1]
        return f"{self.state} by {last['build']} on {last['at'][:10]}"


@dataclass
class Campaign:
    data: dict
    findings: list
    verdicts: dict  # by name, of judgements; what did not occur is left out
    reasons: dict  # of skips and of judgements that could not decide

    def __getattr__(self, name):
        return self.data[name]

    @property
    def rate(self):
        return self.data["programs_per_second_per_job"]

    @property
    def samples(self):
        return [Sample(*s) for s in self.data["samples"]]

    @property
    def open(self):
        return [f for f in self.findings if f.is_open]

    @functools.cached_property
    def sorted(self):
        return sorted(self.findings, key=lambda f: f.place)


def load_campaign(folder):
    data = load(os.path.join(folder, "campaign.json"), "campaign")
    verdicts = dict(data["verdicts"])
    reasons = {"skip: " + k: v for k, v in verdicts.pop("skip").items()}
    reasons |= {"untrusted: " + k: v for k, v in verdicts.pop("untrusted_reasons").items()}
    findings = [Finding(**f) for f in data.pop("findings")]
    return Campaign(data, findings, {k: v for k, v in verdicts.items() if v}, reasons)


@dataclass
class Interval:
    estimate: float  # ns
    lower: float | None  # None: one process, which says nothing of the next
    upper: float | None
    processes: int

    def __post_init__(self):
        if self.processes < 2:
            self.lower = self.upper = None

    def spread(self, text):
        """Its ends by `text`, or why there are none."""
        return "one process" if self.lower is None else f"{text(self.lower)}, {text(self.upper)}"


TRUSTED = ("ok", "untrusted", "not checked")  # outputs of which nothing wrong is known
UNSTEADY = ("no steady state", "too short")


@dataclass
class Timing:
    name: str
    program: str
    plan: str
    steady: Interval
    compile: Interval
    first_call: Interval
    verdict: str
    samples: list  # of each process: ns per call, in the order of rounds
    warm: list  # of each process: (class, index of the first steady sample)
    typed: bool = False  # compiled for the types of the inputs
    code: str | None = None  # hash of the graphs, kernels and libraries that ran; None: not known
    instructions: dict | None = None  # by phase; None: not counted
    aa: dict = field(default_factory=dict)  # by phase: later processes over earlier, or None
    # Intervals: what compiling consists of, and to_steady; those that are known
    stages: dict = field(default_factory=dict)
    memory: dict | None = None  # of a steady call: allocations, peak_bytes; None: not known
    work: dict | None = None  # of a steady call: bytes, flops; None: not known
    events: list = field(default_factory=list)  # of each process: what the compiler did
    # of each process: ns before the rounds, and calls of a round
    before: list = field(default_factory=list)
    engine_version: str | None = None  # of an external engine

    @property
    def trusted(self):
        """Whether the time is that of right outputs, as far as anybody knows."""
        return self.verdict in TRUSTED

    @property
    def steady_state(self):
        return all(kind not in UNSTEADY for kind, _ in self.warm)

    @property
    def compiles(self):
        """Of each process: ns; empty where they are not known, or none took time."""
        out = [b["compile"] for b in self.before]
        return out if all(c > 0 for c in out) else []

    @property
    def steady_samples(self):
        return [series[start:] for series, (_, start) in zip(self.samples, self.warm)]

    @property
    def warm_class(self):
        """The class of all processes, or each class with how many have it, commonest first."""
        counts = Counter(kind for kind, _ in self.warm)
        parts = [
            f"{kind} {n}/{len(self.warm)}"
            for kind, n in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))
        ]
        return next(iter(counts)) if len(counts) == 1 else ", ".join(parts)


PHASES = ("compile", "first_call", "steady")
ALONE = " (alone)"  # behind the plan, where it was measured in processes of its own


@dataclass
class Bench:
    context: dict
    timings: list
    plans: list = field(default_factory=list)  # in the order of the file
    programs: list = field(default_factory=list)

    def base_of(self, plan):
        """The plan that this one is a multiple of: the first of the file, in the same mode."""
        return self.plans[0] + (
            ALONE if plan.endswith(ALONE) and not self.plans[0].endswith(ALONE) else ""
        )

    @property
    def compared_plans(self):
        return [p for p in self.plans if p != self.base_of(p)]

    def of(self, program, plan):
        return self._by_name.get((program, plan))

    @functools.cached_property
    def failed(self):
        """What could not be measured: errors by program and engine, of two the first."""
        return {
            (x["program"], x["engine"]): x["error"]
            for x in reversed(self.context.get("not_measured", []))
        }

    @functools.cached_property
    def _by_name(self):
        # of two of one name the first
        return {(t.program, t.plan): t for t in reversed(self.timings)}


def bench_path(given):
    """The file meant by a path of a file or of a folder that holds bench.json."""
    return os.path.join(given, "bench.json") if os.path.isdir(given) else given


def load_bench(path):
    data = load(path, "bench")
    timings = []
    for b in data["benchmarks"]:
        interval = {
            k: Interval(p["estimate"], p["lower"], p["upper"], p["processes"])
            for k, p in b["phases"].items()
        }
        timings.append(
            Timing(
                name=b["name"],
                program=b["program"],
                plan=b["engine"] + (ALONE if b["mode"] == "alone" else ""),
                **{k: interval.pop(k) for k in PHASES},
                stages=interval,
                memory=b.get("memory"),
                work=b.get("work"),
                events=b.get("events", []),
                before=b.get("before_rounds", []),
                engine_version=b.get("engine_version"),
                verdict=b["correctness"]["verdict"],
                typed=b["typed"],
                aa=b["aa"],
                instructions=b["instructions"],
                code=None
                if b["code"]["program"] is None
                else f"{b['code']['program']}/{b['code']['runtime']}",
                samples=b["samples_ns"],
                warm=[(w["class"], w["steady_from"]) for w in b["warmup"]["per_process"]],
            )
        )
    return Bench(
        data["context"],
        timings,
        list(dict.fromkeys(t.plan for t in timings)),
        list(dict.fromkeys(t.program for t in timings)),
    )
