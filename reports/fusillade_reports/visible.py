"""Text of strangers as people may be shown it: what would act on a terminal, a page or a log is
spelled out.

ESC becomes \\x1b, U+202E \\u202e, a byte that is no text \\xff, a half of a surrogate pair \\ud800.
Newlines and tabs stay. `People` is a stream that does this to whatever is printed; in it a line
that GitHub's and Azure's logs take for a command ("::error::", "##[error]") no longer looks like
one. It is the same as engine/base/visible.cpp.
"""

import re

# Controls, what turns the direction of text, ends a line for some, or is not seen at all (Unicode's
# formatting characters, fillers and selectors of variants), halves of surrogate pairs.
ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
COMMAND = re.compile(r"^(\s*:):|##\[", flags=re.M)


def _escape(found):
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that is no text
        code -= 0xDC00
        return f"\\x{code:02x}"
    if code < 0x20:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text):
    return text if text.isascii() and text.isprintable() else ACTS.sub(_escape, text)


def printable(text):
    """In addition, no line of it is a command to a log."""
    return COMMAND.sub(lambda m: m[1] + "\\x3a" if m[1] else "##\\x5b", visible(text))


def line(text):
    """One line of it: it cannot look like a line of ours."""
    return printable(text).replace("\n", "\\n")


def lines(text):
    """Lines after the first are indented."""
    return printable(text).replace("\n", "\n  ")


PLAIN = re.compile(r"[\n\x20-\x7e]*")


def is_plain_json(text):
    """Whether no string of such a text has anything that would be spelled out: it is faster to look
    at the text than at each string."""
    return (
        text.isascii()
        and "\\u" not in text
        and PLAIN.fullmatch(text) is not None
        and not any(escape in text for escape in ("\\b", "\\f", "\\r"))
    )


def everywhere(value):
    """All strings of a JSON value, keys too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [everywhere(x) if isinstance(x, (str, list, dict)) else x for x in value]
    if isinstance(value, dict):
        return {
            visible(k): everywhere(x) if isinstance(x, (str, list, dict)) else x
            for k, x in value.items()
        }
    return value


class People:
    """A stream of text in front of another."""

    def __init__(self, stream):
        self._stream = stream
        self._line_so_far = ""  # of the line that goes on

    def write(self, text):
        shown = printable(self._line_so_far + text)
        self._stream.write(shown[len(self._line_so_far) :])
        self._line_so_far = shown[shown.rfind("\n") + 1 :]
        return len(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)
