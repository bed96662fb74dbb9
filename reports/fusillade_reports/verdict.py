"""The verdict, first on the page and in summary.md: sentences with a level, from what the files say
and nothing else."""

from dataclasses import dataclass

from . import intervals

FAIL, WARN, PASS, NOTE = "FAIL", "WARN", "PASS", "NOTE"


@dataclass
class Line:
    level: str
    text: str


def count(number, noun):
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def ended_badly(c):
    """Why a campaign without findings did not end well."""
    text = f"ended with exit code {c.exit_code}"
    if why := c.data.get("stopped"):
        return f"{text} ({why}; --resume goes on with it)"
    if c.exit_code == 72:
        return text + " (interrupted; --resume goes on with it)"
    if c.exit_code != 3:
        return text
    least = c.data.get("min_yield")
    asked = "" if least is None else f", less than the {100 * least:.4g} % of --min-yield"
    return (
        f"{text} (inconclusive: {100 * c.data['yield']:.4g} % of judgements compared something"
        f"{asked}; skipped and untrusted ones compare nothing)"
    )


def of_campaign(c):
    closed = sum(f.state == "closed" for f in c.findings)
    muted = len(c.findings) - len(c.open) - closed
    again = sum(f.state == "reopened" for f in c.open)
    judged = f"{count(c.programs, 'program')}, {count(c.executions, 'execution')}"
    also = f", {muted} more muted as known" if muted else ""
    also += f", {closed:,} closed" if closed else ""
    if again:
        yield Line(FAIL, f"{count(again, 'finding')} that had been closed show again (reopened).")
    if c.open:
        cases = count(sum(f.count for f in c.open), "case")
        yield Line(FAIL, f"{count(len(c.open), 'finding')} ({cases}) in {judged}{also}.")
        if c.data.get("stopped"):
            yield Line(WARN, f"The campaign {ended_badly(c)}.")
    elif c.exit_code in (0, 2):
        yield Line(PASS if c.exit_code == 0 else FAIL, f"No findings in {judged}{also}.")
    else:
        yield Line(
            WARN,
            f"No findings in {judged}{also}, but the campaign {ended_badly(c)}.",
        )
    if c.pending:
        known = sum(c.pending_known.values())
        yield Line(
            WARN,
            f"{count(c.pending, 'case')} wait for triage"
            + (f", {known} of them muted" if known else "")
            + ": fusillade fuzz --resume goes on with them.",
        )
    if c.findings_not_saved:
        yield Line(
            NOTE,
            f"{count(c.findings_not_saved, 'further failure')} of kinds that were saved often: "
            "counted only.",
        )
    for k in c.known:
        if k["expired"]:
            yield Line(
                WARN,
                f"Known record {k['name']} is past its day ({k['until']}): it mutes nothing; "
                f"{k['owner']} is to answer.",
            )
    yield Line(
        NOTE,
        f"{100 * c.data['yield']:.2f} % of judgements compared something; "
        f"{100 * c.elements['tight_share']:.2f} % of the elements compared tightly (bound under "
        f"1e-3); {count(c.elements['untrusted'], 'element')} not compared, for the bound admits "
        "every value.",
    )


def of_files(causes):
    """Findings whose files are gone or broken: they are counted, and their programs are not
    shown."""
    broken = [c.broken for c in causes if c.broken]
    if broken:
        more = f" And {len(broken) - 2} more." if len(broken) > 2 else ""
        yield Line(
            WARN,
            f"{count(len(broken), 'finding')} cannot be read: {' '.join(broken[:2])}{more}",
        )


def interval_text(ratio):
    if ratio.lower is None:
        return f"{ratio.estimate:.3g}\u00d7 (one process: no interval)"
    return f"{ratio.estimate:.3g}\u00d7 [{ratio.lower:.3g}, {ratio.upper:.3g}]"


def of_bench(bench, speedups):
    wrong = [t.name for t in bench.timings if not t.trusted]
    of = f"of {count(len(bench.timings), 'timing')}"
    if wrong:
        more = f" and {len(wrong) - 4} more" if len(wrong) > 4 else ""
        yield Line(FAIL, f"{len(wrong)} {of} computed wrong outputs: {', '.join(wrong[:4])}{more}.")
    left = bench.context.get("not_measured", [])
    if left:
        text = "; ".join(f"{x['program']} under {x['engine']}: {x['error']}" for x in left[:3])
        yield Line(
            FAIL,
            f"{count(len(left), 'timing')} could not be measured: "
            f"{text}{f'; and {len(left) - 3} more' if len(left) > 3 else ''}.",
        )
    if bench.context["interrupted"]:
        yield Line(WARN, "The bench was interrupted: less was measured than asked for.")
    if not bench.timings:
        return
    ok = sum(t.verdict == "ok" for t in bench.timings)
    if ok == len(bench.timings):
        yield Line(PASS, f"The outputs {of} lie within their bounds.")
    elif not wrong:
        yield Line(
            WARN,
            f"The outputs of {ok} {of} were seen to lie within their bounds, those of "
            f"{sum(t.verdict == 'untrusted' for t in bench.timings)} cannot be judged, "
            f"{sum(t.verdict == 'not checked' for t in bench.timings)} were not checked.",
        )
    if len(bench.plans) == 1:
        yield Line(
            NOTE,
            f"One plan was timed, {bench.plans[0]}: there is nothing to compare it with. "
            "Give bench a second --plan for speed-ups.",
        )
    for plan in bench.compared_plans:
        mine = [s for s in speedups if s.plan == plan]
        counts = {
            k: sum(s.status == k for s in mine) for k in dict.fromkeys(s.status for s in mine)
        }
        text = ", ".join(f"{k} {n}" for k, n in sorted(counts.items()))
        compared = [s.ratio for s in mine if s.status in ("faster", "slower", "same")]
        if compared:
            mean = intervals.geometric_mean(compared)
            yield Line(
                NOTE,
                f"{plan} against {bench.base_of(plan)}: speed-up {interval_text(mean)}, geometric "
                f"mean over {len(compared)} of {count(len(mine), 'program')} ({text}).",
            )
        else:
            yield Line(
                WARN,
                f"{plan} against {bench.base_of(plan)}: no program of {len(mine)} can be compared "
                f"({text}).",
            )


ORDER = (FAIL, WARN, PASS, NOTE)


def lines(campaign, bench, speedups, changes=()):
    """The worst first; of one level in the order of what they are about."""
    out = list(changes) + (list(of_campaign(campaign)) if campaign else [])
    out += list(of_bench(bench, speedups)) if bench else []
    return sorted(out, key=lambda line: ORDER.index(line.level))


def headline(sentences):
    worst = next(
        (level for level in (FAIL, WARN) if any(t.level == level for t in sentences)), PASS
    )
    return worst if sentences else WARN
