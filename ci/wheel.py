#!/usr/bin/env python3
"""Packs an installed tree (bin/, share/) as a wheel:  ci/wheel.py TREE VERSION DIST

The executable is a script of the wheel and the rest is its data, so that pip puts both below the
environment as `cmake --install` puts them below a prefix: bin/fusillade, share/fusillade. There is
nothing to import. Needs no package of Python.
"""

import argparse
import base64
import hashlib
import os
import time
import zipfile
from pathlib import Path

TAG = "py3-none-manylinux_2_36_x86_64"  # glibc 2.36, as ci/portable.sh checks
NEEDS = ("numpy>=1.24", "matplotlib>=3.6", "jinja2>=3.1", "jsonschema>=4.10")
METADATA = """Metadata-Version: 2.1
Name: fusillade
Version: {version}
Summary: Differential fuzzing and benchmarks for tensor JIT compilers
Requires-Python: >=3.11
{needs}
Description-Content-Type: text/plain

The command `fusillade`: campaigns, reduction, blame, reports and benchmarks. It runs against the
PyTorch, JAX or ONNX Runtime of the environment that it is installed in.
"""


def files_of(tree, version):
    """(name within the wheel, bytes, may it be run?), sorted by name."""
    info, data = f"fusillade-{version}.dist-info", f"fusillade-{version}.data"
    needs = "\n".join(f"Requires-Dist: {need}" for need in NEEDS)
    yield f"{info}/METADATA", METADATA.format(version=version, needs=needs).encode(), False
    wheel = f"Wheel-Version: 1.0\nGenerator: fusillade\nRoot-Is-Purelib: false\nTag: {TAG}\n"
    yield f"{info}/WHEEL", wheel.encode(), False
    for path in sorted(p for p in tree.rglob("*") if p.is_file()):
        inside = path.relative_to(tree)
        run = inside.parts[0] == "bin"
        name = f"scripts/{path.name}" if run else f"data/{inside.as_posix()}"
        yield f"{data}/{name}", path.read_bytes(), run


def add(archive, name, content, run):
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "946684800")))[:6]
    entry = zipfile.ZipInfo(name, when)
    entry.external_attr = (0o100755 if run else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def write(tree, version, dist):
    path = dist / f"fusillade-{version}-{TAG}.whl"
    record = f"fusillade-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w") as archive:
        for name, content, run in files_of(tree, version):
            add(archive, name, content, run)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            lines.append(f"{name},sha256={digest.decode()},{len(content)}\n")
        add(archive, record, "".join([*lines, f"{record},,\n"]).encode(), False)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("version")
    parser.add_argument("dist", type=Path, help="folder of the wheel")
    write(**vars(parser.parse_args()))
