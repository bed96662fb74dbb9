"""Writes each archive of torch.export as a seed of the libFuzzer target fuzz_parse_exported: the
text of its program and, behind a NUL, that of its tensors. They name the entries that the target
has, one for each number of a dtype (fuzz/target_parser.cpp).
"""

import argparse
import json
import zipfile
from pathlib import Path

BYTES = 512  # of an entry of the target
ITEM = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 2, 7: 4, 8: 8, 12: 1, 13: 2}  # by the number of a dtype


def without_traces(value):
    """What is said of where a node came from is long, and not read."""
    if isinstance(value, dict):
        return {k: without_traces(v) for k, v in value.items() if k != "metadata"}
    return [without_traces(v) for v in value] if isinstance(value, list) else value


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def fits(meta):
    size = ITEM.get(meta["dtype"], BYTES + 1)
    for n in meta["sizes"]:
        size *= n["as_int"]
    return size <= BYTES


def seed_of(archive):
    """None: a tensor has more bytes than an entry, or the layout is a former one."""
    entry = {name.split("/", 1)[-1]: name for name in archive.namelist()}
    if "models/model.json" not in entry:
        return None
    text = without_traces(json.loads(archive.read(entry["models/model.json"])))
    tensors = json.loads(archive.read(entry["data/weights/model_weights_config.json"]))
    for tensor in tensors["config"].values():
        if not fits(tensor["tensor_meta"]):
            return None
        tensor["path_name"] = f"weight_{tensor['tensor_meta']['dtype']}"
    return compact(text) + b"\0" + compact(tensors)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("archives", nargs="+", type=Path)
    words = parser.parse_args()
    words.folder.mkdir(parents=True, exist_ok=True)
    for path in words.archives:
        with zipfile.ZipFile(path) as archive:
            seed = seed_of(archive)
        if seed:
            (words.folder / f"{path.stem}.seed").write_bytes(seed)


if __name__ == "__main__":
    main()
