"""Small drawings within a row of a table: an interval on the axis that all rows share, a timing
over commits.

They repeat what the row says in numbers, so they are hidden from screen readers. They are written
as they are, without Matplotlib, for a table has hundreds.
"""

import math

from markupsafe import Markup

WIDTH, HEIGHT = 96, 13
MOST_POINTS = 48  # the latest
LEAST_REACH = math.log(1.05)  # an axis is at least that wide to each side


def _svg(inside):
    return Markup(
        f'<svg class="spark" aria-hidden="true" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 '
        f'{WIDTH} {HEIGHT}">{inside}</svg>'
    )


def reach(rows):
    """How far the axis goes from 1 to each side, in logs: as far as nine tenths of the
    intervals."""
    ends = sorted(max(abs(math.log(x)) for x in (low, high)) for low, high in rows if low > 0)
    return max(LEAST_REACH, ends[math.ceil(0.9 * len(ends)) - 1] if ends else 0)


def interval(ratio, lower, upper, reach, ink):
    """A ratio with its interval; what goes beyond the axis ends at its end."""

    def place(x):
        return round(WIDTH / 2 + (WIDTH / 2 - 3) * max(-1, min(1, math.log(x) / reach)), 1)

    middle = HEIGHT / 2
    bar = (
        f'<path d="M{place(lower)} {middle}H{place(upper)}" stroke="{ink}" stroke-width="2"/>'
        if lower and upper
        else ""
    )
    return _svg(
        f'<path d="M{WIDTH / 2} 1V{HEIGHT - 1}" stroke="var(--muted)"/>{bar}<circle '
        f'cx="{place(ratio)}" cy="{middle}" r="2.6" fill="{ink}"/>'
    )


def line(values, ink):
    """Values in their order, from the least at the foot to the greatest at the head; a dot at the
    last."""
    values = values[-MOST_POINTS:]
    low, high = min(values), max(values)

    def place(i, v):
        x = 3 + (WIDTH - 6) * (i / (len(values) - 1) if len(values) > 1 else 1)
        return round(x, 1), round(
            HEIGHT - 3 - (HEIGHT - 6) * ((v - low) / (high - low) if high > low else 0.5), 1
        )

    points = [place(i, v) for i, v in enumerate(values)]
    path = "L".join(f"{x} {y}" for x, y in points)
    return _svg(
        f'<path d="M{path}" fill="none" stroke="{ink}"/><circle cx="{points[-1][0]}" '
        f'cy="{points[-1][1]}" r="2" fill="{ink}"/>'
    )
