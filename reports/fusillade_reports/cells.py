"""A cell of the page's tables: its text, what it sorts by, where it leads, its level, and what is
drawn in it."""

from dataclasses import dataclass


@dataclass
class Cell:
    text: str
    sort: float | None = None  # numbers sort by this
    href: str | None = None
    level: str | None = None
    drawn: object = ""  # Markup, behind the text
    quiet: bool = False  # of the first cell: the row is none of those that "only ..." shows


def number(value, text):
    return Cell(text, sort=value)
