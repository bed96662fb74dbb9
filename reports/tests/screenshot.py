#!/usr/bin/python3
"""Pictures of a page as a headless Chromium shows it at 1280 and 400 pixels:
reports/tests/screenshot.py PAGE OUT [HEIGHT]

Writes OUT-1280.webp and OUT-400.webp (without loss), the first HEIGHT pixels of the page each (0,
the default: all, at most 6000). Those of README are taken so, of a folder with a campaign and a
bench:

    build/release/fusillade report out/shown
    reports/tests/screenshot.py out/shown/report/index.html docs/pictures/report 1420
"""

import os
import sys

from browser import Browser, find_browser
from PIL import Image

WIDTHS = (1280, 400)


def take(page, out, height=0):
    """The files written."""
    written = []
    os.makedirs(os.path.dirname(out) or ".", exist_ok=True)
    with Browser.start() as browser:
        for width in WIDTHS:
            browser.open(os.path.abspath(page), width=width, height=height or 900)
            written.append(f"{out}-{width}.webp")
            browser.screenshot(f"{out}-{width}.png", whole=not height)
            with Image.open(f"{out}-{width}.png") as picture:
                picture.convert("RGB").save(written[-1], lossless=True, method=6)
            os.remove(f"{out}-{width}.png")
    return written


def main(words):
    if words in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    if (
        len(words) not in (2, 3)
        or not find_browser()
        or not os.path.isfile(words[0])
        or not all(w.isdigit() for w in words[2:])
    ):
        print(
            __doc__
            if find_browser()
            else "screenshot: no chromium-headless-shell here: ci/setup.sh --browser",
            file=sys.stderr,
        )
        return 1
    print("\n".join(take(words[0], words[1], *map(int, words[2:]))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
