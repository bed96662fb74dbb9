"""The pictures, each one function from a model to a PNG file."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from . import model  # noqa: E402

INK = "#222222"
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]  # Okabe-Ito


def _save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def bars(counts, most=10, longest=40):
    """The commonest of a dict of counts, rarest first: labels cut to a length, the rest summed in one bar."""
    names = sorted(counts, key=counts.get)
    rest, names = (names[: -most + 1], names[-most + 1 :]) if len(names) > most else ([], names)
    out = [(f"{len(rest)} others", sum(counts[n] for n in rest))] if rest else []
    return out + [(n if len(n) <= longest else n[: longest - 1] + "\u2026", counts[n]) for n in names]


def campaign(c, path):
    """Rate, verdicts and findings of a campaign."""
    figure, (rate, verdicts, findings) = plt.subplots(1, 3, figsize=(13, 3.8))
    seconds = [s[0] for s in c.samples]
    programs = [s[1] for s in c.samples]
    steps = [
        (b[0], (b[1] - a[1]) / (b[0] - a[0]) / c.jobs)
        for a, b in zip(c.samples, c.samples[1:])
        if b[0] > a[0]
    ]
    rate.plot([s[0] for s in steps], [s[1] for s in steps], color=COLOURS[0], lw=1)
    rate.axhline(c.rate, color=INK, lw=0.8, ls=":", label=f"mean {c.rate:.0f}")
    rate.set(title="Programs per second and job", xlabel="seconds", ylim=(0, None))
    if steps:
        rate.legend(loc="lower right", frameon=False)
    shown = {k: v for k, v in c.verdicts.items() if v} | c.skips
    rows = bars(shown)
    verdicts.barh(range(len(rows)), [count for _, count in rows], color=COLOURS[2])
    verdicts.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    verdicts.set(title=f"Judgements of {c.programs} programs", xscale="log" if shown else "linear")
    findings.step(seconds, [s[2] for s in c.samples], where="post", color=COLOURS[1])
    findings.set(title=f"Findings: {len(c.findings)}", xlabel="seconds", ylim=(0, max(1, len(c.findings)) * 1.05))
    findings.yaxis.get_major_locator().set_params(integer=True)
    findings.twinx().plot(seconds, programs, color="#bbbbbb", lw=0.8)
    _save(figure, path)


def speedup(timings, path):
    """Speed-up over each program's first plan, with 95 % intervals, on a log scale."""
    rows = model.speedups(timings)
    plans = list(dict.fromkeys(r[1] for r in rows))
    programs = list(dict.fromkeys(r[0] for r in rows))
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.32 * max(1, len(rows))))
    height = 0.8 / max(1, len(plans))
    for i, plan in enumerate(plans):
        mine = [r for r in rows if r[1] == plan]
        at = [programs.index(r[0]) + (i - (len(plans) - 1) / 2) * height for r in mine]
        values = [r[2] for r in mine]
        errors = [[max(0, r[2] - r[3]) for r in mine], [max(0, r[4] - r[2]) for r in mine]]
        axes.barh(at, values, height * 0.9, xerr=errors, color=COLOURS[i % len(COLOURS)], label=plan)
    axes.axvline(1, color=INK, lw=0.8)
    axes.set(yticks=range(len(programs)), yticklabels=programs, xscale="log")
    axes.set_title("Speed-up over the first plan, steady state")
    axes.invert_yaxis()
    if plans:
        axes.legend(loc="best", frameon=False, fontsize=8)
    _save(figure, path)


def compile_against_run(timings, path):
    """Compile time plus first call against the steady call: where compilation pays."""
    figure, axes = plt.subplots(figsize=(7, 4.5))
    plans = list(dict.fromkeys(t.plan for t in timings))
    for i, plan in enumerate(plans):
        mine = [t for t in timings if t.plan == plan]
        axes.scatter(
            [t.steady.estimate / 1e3 for t in mine],
            [(t.compile.estimate + t.first_call.estimate) / 1e6 for t in mine],
            color=COLOURS[i % len(COLOURS)],
            label=plan,
        )
    axes.set(xscale="log", yscale="log", xlabel="steady call, us", ylabel="compile + first call, ms")
    axes.set_title("Compile against run time")
    if plans:
        axes.legend(frameon=False, fontsize=8)
    _save(figure, path)
