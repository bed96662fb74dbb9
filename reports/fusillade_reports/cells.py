"""Tables of the page: a column is its title, its style and how its cell is built; a cell is its
text, what it sorts by, where it leads, its level, and what is drawn in it."""

from collections.abc import Callable
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


NOTHING = Cell("", sort=-1.0)


@dataclass(frozen=True)
class Column:
    title: str
    style: str  # CSS classes
    cell: Callable  # of what a row is about


def text(name):
    """A cell that shows an attribute, or an item, of what the row is about."""
    return lambda x: Cell(x[name] if isinstance(x, dict) else getattr(x, name))


def table(name, columns, things):
    """What the page's template takes: titles and styles, and rows, under names that begin alike."""
    return {
        f"{name}_columns": [(c.title, c.style) for c in columns],
        f"{name}_rows": [[c.cell(x) for c in columns] for x in things],
    }
