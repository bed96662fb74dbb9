"""trace.json: the phases of a bench as a Chrome trace, one process per program, one track per plan.

A bench keeps how long phases take, not when they ran: their estimates are laid end to end, and the file says so.
"""

import json


def text(bench):
    events = []
    for pid, program in enumerate(bench.programs, 1):
        events.append({"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": program}})
        for tid, plan in enumerate(bench.plans, 1):
            t = bench.of(program, plan)
            if t is None:
                continue
            events.append({"name": "thread_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": plan}})
            at = 0.0
            for name, x in (("compile", t.compile), ("first call", t.first_call), ("steady call", t.steady)):
                events.append({"name": name, "cat": "phase", "ph": "X", "pid": pid, "tid": tid, "ts": at / 1e3,
                               "dur": x.estimate / 1e3,
                               "args": {"lower_us": x.lower / 1e3, "upper_us": x.upper / 1e3, "processes": x.processes}})
                at += x.estimate
    said = "estimates over processes, laid end to end; when a phase ran is not recorded"
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"durations": said}}, indent=1,
                      ensure_ascii=False) + "\n"
