"""From which change on a timing's change counts, by its own history: what it differed by from
commit to commit without a change.

The differences are those of neighbouring runs on one machine and toolchain, on processors like
those of the run that is judged; the ones at which the history reports a change are left out. The
threshold is their third quartile and three interquartile ranges more: where nothing changes, hardly
any difference lies beyond (rustc-perf's rule).
"""

import numpy as np

from . import history, since_when

LEAST = 10  # differences
RANGES = 3.0


def _differences(series, group, changes):
    """Of neighbours in the group, but not those that a change may lie between."""
    left_out = {i for c in changes for i in range(c.first, c.last + 1)}
    logs = np.log([series.points[i].estimate for i in group])
    return [abs(logs[i] - logs[i - 1]) for i in range(1, len(logs)) if i not in left_out]


def of_differences(logs):
    low, high = np.quantile(logs, [0.25, 0.75])
    return float(np.expm1(high + RANGES * (high - low)))


def _alike(run, context):
    return (run.cpu, run.processors, run.blas_kernels) == (
        context["machine"]["cpu"],
        context["num_cpus"],
        context["machine"]["blas_kernels"],
    )


def read(path, bench):
    """Thresholds by (program, plan, typed, metric), of those timings of the bench that have enough
    of a history."""
    mine = {(t.program, t.plan, t.typed) for t in bench.timings}
    out = {}
    for s in history.load(path):
        if (s.program, s.plan, s.typed) not in mine:
            continue
        logs = []
        for group in since_when.groups(s):
            if _alike(s.points[group[0]].run, bench.context):
                values = [s.points[i].estimate for i in group]
                logs += _differences(s, group, since_when.find(s.metric, values))
        if len(logs) >= LEAST:
            out[s.program, s.plan, s.typed, s.metric] = of_differences(logs)
    return out
