"""Files written whole or not at all."""

import os


def write(path, text):  # or bytes
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    with open(path + ".part", "wb") as file:
        file.write(data)
    os.replace(path + ".part", path)
