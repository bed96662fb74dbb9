"""Files written whole or not at all."""

import os


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)
    os.replace(path + ".part", path)
