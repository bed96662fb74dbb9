"""trace.json: a bench as a Chrome trace, one process per program. A track per plan has its phases,
estimates over processes laid end to end; a second track, where events were recorded, has the plan's
first process on its own clock, as it ran: the calls before the rounds, the rounds, and what the
compiler did, with its duration or as an instant.
"""

import json

AS_IT_RAN = 1000  # added to the number of a plan: its second track


def _stretch(name, category, pid, tid, at, ns, **args):
    return {
        "name": name,
        "cat": category,
        "ph": "X",
        "pid": pid,
        "tid": tid,
        "ts": at / 1e3,
        "dur": ns / 1e3,
        "args": args,
    }


def _track(name, pid, tid):
    return {"name": "thread_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}}


def _phases(t, pid, tid):
    at = 0.0
    for name, x in (
        ("compile", t.compile),
        ("first call", t.first_call),
        ("steady call", t.steady),
    ):
        yield _stretch(
            name,
            "phase",
            pid,
            tid,
            at,
            x.estimate,
            **({} if x.lower is None else {"lower_us": x.lower / 1e3, "upper_us": x.upper / 1e3}),
            processes=x.processes,
        )
        at += x.estimate


def _event(e, pid, tid):
    args = {
        "what": e["what"],
        "call": e["call"],
        "round": e["round"],
        "count": e["count"],
        "took_us": e["took_ns"] / 1e3,
    }
    if e["count"] == 1 and e["took_ns"] > 0:
        return _stretch(e["kind"], "jit", pid, tid, e["at_ns"], e["took_ns"], **args)
    return {
        "name": e["kind"],
        "cat": "jit",
        "ph": "i",
        "s": "t",
        "pid": pid,
        "tid": tid,
        "ts": e["at_ns"] / 1e3,
        "args": args,
    }


def _first_process(t, pid, tid):
    before = t.before[0]
    parts = [
        ("compile", before["compile"]),
        ("call 0", before["first_call"]),
        ("call 1", before["second_call"]),
    ]
    parts += [(f"round {i}", ns * before["batch"]) for i, ns in enumerate(t.samples[0])]
    at = 0.0
    for name, ns in parts:
        more = {"calls": before["batch"]} if name.startswith("round") else {}
        yield _stretch(name, "run", pid, tid, at, ns, **more)
        at += ns
    for e in t.events[0]:
        yield _event(e, pid, tid)


def text(bench):
    events = []
    for pid, program in enumerate(bench.programs, 1):
        events.append(
            {"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": program}}
        )
        for tid, plan in enumerate(bench.plans, 1):
            t = bench.of(program, plan)
            if t is None:
                continue
            events += [_track(plan, pid, tid), *_phases(t, pid, tid)]
            if t.before and t.events and t.events[0]:
                events += [
                    _track(f"{plan}, its first process", pid, tid + AS_IT_RAN),
                    *_first_process(t, pid, tid + AS_IT_RAN),
                ]
    said = (
        "of a plan: estimates over processes, laid end to end; of its first process: what was "
        "measured of it, without what ran in between"
    )
    return (
        json.dumps(
            {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"durations": said}},
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )
