"""A campaign over time: how fast it was, what its judgements came to, what they reached, what was
found. And campaign.png.

Samples are running totals, about one a second. Shares and rates are those of the stretch between
two samples at a distance of a hundredth of the campaign or more, so that a line says something at
any length.
"""

import io
import os
from collections import Counter

import matplotlib.pyplot as plt
from matplotlib import ticker

from . import figures, files
from .figures import GRID, MUTED, SERIES, WIDTH, inline, new

MOST_STRETCHES = 100
MOST_STEPS = 500  # of a line
KINDS = (
    ("compared", SERIES[2], lambda s: s.ok + s.failed),
    ("untrusted", SERIES[4], lambda s: s.untrusted),
    ("skipped", SERIES[3], lambda s: s.skipped),
)
JUDGED = "Judgements by verdict and reason, log"


def bars(counts, most=10, longest=40):
    """The commonest of a dict of counts, rarest first: labels cut to a length, the rest summed in
    one bar."""
    names = sorted(counts, key=counts.get)
    rest, names = (names[: -most + 1], names[-most + 1 :]) if len(names) > most else ([], names)
    out = [(f"{len(rest)} others", sum(counts[n] for n in rest))] if rest else []
    return out + [
        (n if len(n) <= longest else n[: longest - 1] + "\u2026", counts[n]) for n in names
    ]


def stretches(samples):
    """Pairs of samples, each beginning where the one before ends."""
    if len(samples) < 2:
        return []
    least = (samples[-1].seconds - samples[0].seconds) / MOST_STRETCHES
    kept = [samples[0]]
    for s in samples[1:]:
        if (
            s.seconds - kept[-1].seconds > max(least, 0)
            or s is samples[-1]
            and s.seconds > kept[-1].seconds
        ):
            kept.append(s)
    return list(zip(kept, kept[1:]))


def _mean(c):
    return f"{c.rate:.{0 if c.rate >= 10 else 1}f}"


def _rate_title(c):
    return f"Programs per second and job; dotted: the mean, {_mean(c)}"


def _over_time(axes, c):
    axes.set(xlabel="seconds", xlim=(0, max((s.seconds for s in c.samples), default=1) or 1))


def _draw_rate(axes, c):
    pairs = stretches(c.samples)
    axes.plot(
        [b.seconds for _, b in pairs],
        [(b.programs - a.programs) / (b.seconds - a.seconds) / c.jobs for a, b in pairs],
        color=SERIES[0],
        lw=1,
    )
    axes.axhline(c.rate, color=MUTED, lw=0.8, ls=":")
    _over_time(axes, c)
    axes.set(ylim=(0, None))


def _draw_verdicts(axes, c):
    rows = bars(c.verdicts | c.reasons)
    axes.barh(range(len(rows)), [count for _, count in rows], 0.7, color=SERIES[2])
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xscale("log" if rows else "linear")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.0f}" if v >= 1 else ""))
    axes.set_xlim(left=0.5 if rows else None)


def _draw_findings(axes, c):
    axes.step(
        [s.seconds for s in c.samples],
        [s.findings for s in c.samples],
        where="post",
        color=SERIES[1],
    )
    _over_time(axes, c)
    axes.set(ylim=(0, max(1, len(c.findings)) * 1.05))
    axes.yaxis.get_major_locator().set_params(integer=True)


def campaign_picture(c, folder):
    """Rate, verdicts and findings of a campaign as campaign.png in its folder."""
    figure, (rate, verdicts, findings) = new(1240, 340, ncols=3)
    for axes, draw, title in (
        (rate, _draw_rate, _rate_title(c)),
        (verdicts, _draw_verdicts, JUDGED),
        (findings, _draw_findings, "Findings"),
    ):
        draw(axes, c)
        axes.set_title(title)
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, dpi=110, metadata={"Software": None})
    plt.close(figure)
    files.write(os.path.join(folder, "campaign.png"), picture.getvalue(), folder)


def _shares(c):
    """What the judgements of each stretch came to; the names are at the right, where the lines
    end."""
    pairs = [(a, b) for a, b in stretches(c.samples) if b.judged > a.judged]
    if not pairs:
        return []
    figure, axes = new(WIDTH, 170, layout="constrained")
    for name, ink, of in KINDS:
        axes.plot(
            [b.seconds for _, b in pairs],
            [100 * (of(b) - of(a)) / (b.judged - a.judged) for a, b in pairs],
            color=ink,
            lw=1,
            label=name,
        )
    _over_time(axes, c)
    axes.set(ylim=(0, 102))
    axes.set_yticks([0, 25, 50, 75, 100], [f"{x} %" for x in (0, 25, 50, 75, 100)])
    axes.grid(axis="y", color=GRID, lw=0.5)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncol=len(KINDS),
        handlelength=1.2,
        columnspacing=1.2,
        borderaxespad=0.2,
    )
    alt = (
        f"Judgements over time: those that compared something, {100 * c.data['yield']:.1f} % of "
        "all, untrusted and skipped ones"
    )
    return [
        (
            (
                f"Yield over time: judgements that compared something ({100 * c.data['yield']:.1f} "
                "% of all), and what the others came to"
            ),
            inline(figure, "yield", alt),
        )
    ]


def _verdicts(c):
    if not (c.verdicts or c.reasons):
        return []
    figure, axes = new(WIDTH, 36 + 15 * len(bars(c.verdicts | c.reasons)), layout="constrained")
    _draw_verdicts(axes, c)
    return [
        (
            JUDGED,
            inline(
                figure,
                "verdicts",
                "Judgements by verdict and reason; the table below has the numbers",
            ),
        )
    ]


def _draw_reached(c):
    """Operators, and rewrites, that had run."""
    if not c.samples or not c.samples[-1].rows:
        return []
    of = len(c.reach["rows"]) + len(c.reach["rows_missing"])
    figure, (operators, rewrites) = new(WIDTH, 170, ncols=2, layout="constrained")
    for axes, field, title, ink in (
        (operators, "rows", "operators", SERIES[0]),
        (rewrites, "rewrites", "rewrites", SERIES[3]),
    ):
        axes.step(
            [s.seconds for s in c.samples],
            [getattr(s, field) for s in c.samples],
            where="post",
            color=ink,
            lw=1.2,
        )
        _over_time(axes, c)
        axes.set_title(title)
        axes.set(
            ylim=(0, (of if field == "rows" else max(s.rewrites for s in c.samples) or 1) * 1.05)
        )
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.0f}"))
        axes.xaxis.set_major_locator(ticker.MaxNLocator(4, integer=True))
    operators.axhline(of, color=MUTED, lw=0.8, ls=":")
    last = c.samples[-1]
    caption = f"{last.rows:,} operators of {of:,} (dotted), {last.rewrites:,} rewrites"
    return [
        (
            f"Reached over time: {caption}",
            inline(figure, "reached", f"Operators and rewrites reached over time: {caption}"),
        )
    ]


def _steps(seen, end):
    """The points of a line that climbs by one at each of these times; of many points some, evenly
    spread, and the last."""
    points = [(0, 0), *zip(seen, range(1, len(seen) + 1))]
    step = -(-len(points) // MOST_STEPS)
    kept = points[::step]
    kept += [points[-1]] if kept[-1] != points[-1] else []
    return [*(x for x, _ in kept), end], [*(y for _, y in kept), len(seen)]


def _corpus(c):
    """What the cases of the corpus and the campaign reach together."""
    corpus = c.data.get("corpus")
    if not corpus:
        return []
    figure, axes = new(WIDTH, 170, layout="constrained")
    points = corpus["coverage"] or [[0, corpus["features"]]]
    axes.step(
        [*(seconds for seconds, _ in points), c.seconds],
        [*(features for _, features in points), corpus["features"]],
        where="post",
        color=SERIES[0],
        lw=1.2,
    )
    axes.axhline(corpus["features_before"], color=MUTED, lw=0.8, ls=":")
    axes.set(xlabel="seconds", xlim=(0, c.seconds or 1), ylim=(0, None))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.0f}"))
    caption = (
        f"{corpus['features']:,} features, {corpus['features_before']:,} of them at the start "
        f"(dotted); {corpus['kept']:,} cases kept, {corpus['judged_again']:,} of "
        f"{corpus['cases']:,} judged again"
    )
    return [
        (
            f"Corpus over time: {caption}",
            inline(figure, "corpus", f"Features known over time: {caption}"),
        )
    ]


def _draw_found(c):
    """Causes by when the first case of each was seen, by verdict where there are several."""
    if not c.findings:
        return []
    figure, axes = new(WIDTH, 170, layout="constrained")
    kinds = [name for name, _ in Counter(f.verdict for f in c.findings).most_common()]
    end = max([c.seconds, *(f.first_seen for f in c.findings)])
    for i, kind in enumerate(kinds):
        seen = sorted(f.first_seen for f in c.findings if f.verdict == kind)
        axes.step(
            *_steps(seen, end),
            where="post",
            color=figures.colour(i + 1),
            lw=1.2,
            label=kind,
        )
    axes.set(xlabel="seconds", xlim=(0, end), ylim=(0, None))
    axes.yaxis.get_major_locator().set_params(integer=True)
    if len(kinds) > 1:
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncol=4,
            handlelength=1.2,
            columnspacing=1.2,
            borderaxespad=0.2,
        )
    only = f", all {kinds[0]}" if len(kinds) == 1 else ""
    return [
        (
            f"Causes by when they were first seen{only}",
            inline(
                figure, "found", f"Causes of findings over time, {len(c.findings)} at the end{only}"
            ),
        )
    ]


def campaign_health(c):
    """(caption, drawing) of each; none of what did not happen."""
    figure, axes = new(WIDTH, 170, layout="constrained")
    _draw_rate(axes, c)
    alt = f"Programs per second and job over {c.seconds:.0f} seconds, mean {_mean(c)}"
    return [
        (_rate_title(c), inline(figure, "rate", alt)),
        *_shares(c),
        *_verdicts(c),
        *_draw_reached(c),
        *_corpus(c),
        *_draw_found(c),
    ]
