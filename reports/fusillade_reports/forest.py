"""What changed as forest plots: new over old with intervals, of each metric under each plan, the
greatest changes first.

The axis is that of nine tenths of the intervals, for one that knows nothing would press the others
to a point; such a one is cut at the frame. The shaded width is too small to count.
"""

import math

from . import figures, spark, verdict


def _draw(axes, rows, least):
    reach = 1.1 * max(
        spark.reach([(r["lower"], r["upper"]) for r in rows if r["lower"]]),
        *(abs(math.log(r["ratio"])) for r in rows),
        2 * math.log(1 + least),
    )
    axes.axvspan(1 / (1 + least), 1 + least, color=figures.GRID, lw=0)
    axes.axvline(1, color=figures.INK, lw=0.7)
    for at, r in enumerate(rows):
        decided = r["verdict"] in figures.DECIDED
        ink = figures.colour(1 if r["verdict"] == "slower" else 0) if decided else figures.MUTED
        if r["lower"]:
            axes.plot([r["lower"], r["upper"]], [at, at], color=ink, lw=1.4, solid_capstyle="butt")
        axes.plot([r["ratio"]], [at], "o", ms=4, color=ink, mfc=ink if decided else "none")
    ends = [
        math.log(x) for r in rows for x in (r["lower"] or r["ratio"], r["upper"] or r["ratio"])
    ] + [-2 * math.log(1 + least), 2 * math.log(1 + least)]
    axes.set_xlim(math.exp(max(-reach, min(ends) * 1.1)), math.exp(min(reach, max(ends) * 1.1)))
    figures.log_axis(axes, "\u00d7")
    axes.set_yticks(range(len(rows)), [figures.short(r["program"]) for r in rows])
    axes.set_ylim(-0.7, len(rows) - 0.3)


def machines(c):
    """(caption, drawing) of each metric and plan: the mean over programs on each machine, and of
    all with its interval."""
    out = []
    for mean in c["means"]:
        if not mean.get("machines"):
            continue
        rows = [{**m, "lower": None, "upper": None} for m in mean["machines"]]
        rows = sorted(rows, key=lambda m: m["ratio"])[-figures.MOST_PROGRAMS :]
        off = {m["name"] for m in c["machines"] if m["off"]}
        for row in rows:
            row |= {"program": row["machine"] + (" (off)" if row["machine"] in off else "")}
            row["verdict"] = ""
        whole = {**mean, "program": "all machines", "verdict": "same"}
        figure, axes = figures.new(figures.WIDTH, 55 + 15 * len(rows), layout="constrained")
        _draw(axes, [whole, *rows], c["threshold"])
        title = f"{mean['metric']}, {mean['plan']}"
        alt = f"{title}: geometric means of new over old on each machine; the table has the numbers"
        drawn = figures.inline(figure, f"machines{len(out)}", alt)
        out.append((f"{title}, mean over {verdict.count(mean['programs'], 'program')}", drawn))
    return out


def changes(c):
    """(caption, drawing) of each metric and plan of which there are ratios."""
    out = []
    for metric, plan in dict.fromkeys((r["metric"], r["plan"]) for r in c["rows"]):
        rows = [r for r in c["rows"] if (r["metric"], r["plan"]) == (metric, plan) and r["ratio"]]
        kept = sorted(rows, key=lambda r: -abs(math.log(r["ratio"])))[: figures.MOST_PROGRAMS][::-1]
        if not kept:
            continue
        figure, axes = figures.new(figures.WIDTH, 40 + 15 * len(kept), layout="constrained")
        _draw(axes, kept, min(r["threshold"] for r in kept))
        alt = (
            f"{metric}, {plan}: new over old with 95 % intervals, "
            f"{verdict.count(len(kept), 'program')}; the table below has the numbers"
        )
        left = f", the {len(kept)} greatest of {len(rows)} changes" if len(kept) < len(rows) else ""
        out.append((f"{metric}, {plan}{left}", figures.inline(figure, f"changes{len(out)}", alt)))
    return out
