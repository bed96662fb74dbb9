"""Archives of strangers: whatever lies in one is refused in words, and what is built from it is
bounded."""

import io
import os
import pickle
import resource
import struct
import subprocess
import zipfile

import pytest
from under_test import BINARY, run

MARK, NEW = b"(", b"c__torch__\nM\n)\x81"


class Pipe(io.RawIOBase):
    """Takes bytes and cannot seek: zipfile puts sizes behind the data then, in data descriptors."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


# One archive of a module with nothing in it, unpacked, changed in one place and put together
# again.
CODE = b"""class M(Module):
  __parameters__ = []
  __buffers__ = []
  t : Tensor
  def forward(self: __torch__.M) -> Tensor:
    return self.t
"""
MEGABYTE = 1 << 20


def number(n):
    return b"J" + struct.pack("<i", n) if abs(n) < 1 << 31 else b"\x8a\x08" + struct.pack("<q", n)


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s


def state(value):
    return b"\x80\x02" + NEW + b"}" + MARK + text(b"t") + value + b"ub."


def tensor(offset=0, sizes=(2,), strides=(1,), count=2, key=b"0", kind=b"Float"):
    numbers = [MARK + b"".join(map(number, dims)) + b"t" for dims in (sizes, strides)]
    storage = (
        MARK
        + text(b"storage")
        + b"ctorch\n"
        + kind
        + b"Storage\n"
        + text(key)
        + text(b"cpu")
        + number(count)
        + b"tQ"
    )
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n"
        + MARK
        + storage
        + number(offset)
        + b"".join(numbers)
        + b"\x89ccollections\nOrderedDict\n)RtR"
    )


def archive(path, changes=(), method=zipfile.ZIP_STORED):
    entries = {
        "data.pkl": state(tensor()),
        "data/0": struct.pack("<2f", 1, 2),
        "code/__torch__.py": CODE,
        "version": b"10\n",
    }
    entries.update(changes)
    with zipfile.ZipFile(path, "w", method) as z:
        for name, data in entries.items():
            z.writestr("m/" + name, data)
    return path


def code(body, head=""):
    return (head + CODE.decode().replace("return self.t", body)).encode()


def chain(n):
    calls = "".join(
        f"def f{i}(x: Tensor) -> Tensor:\n  return __torch__.f{i + 1}(x, )\n" for i in range(n)
    )
    return calls + f"def f{n}(x: Tensor) -> Tensor:\n  return x\n"


def nested_ifs(n):
    lines = ["pass"]
    for i in range(n):
        lines.append("  " * (i + 2) + "if True:")
    return "\n".join(lines + ["  " * (n + 2) + "pass", "    return self.t"])


HOSTILE = {
    "a pickle that calls": ("data.pkl", pickle.dumps(os.system, 2)),
    "a pickle of protocol 4": ("data.pkl", pickle.dumps([1], 4)),
    "a cycle": ("data.pkl", b"\x80\x02]q\x00h\x00a."),
    "a cycle by setting": ("data.pkl", state(b"}q\x00" + text(b"x") + b"h\x00s")),
    "a deep tuple": ("data.pkl", state(b"N" + b"\x85" * 100000)),
    "doubled 40 times": ("data.pkl", state(b"N\x85" + b"q\x01h\x01\x86" * 40)),
    "a million marks": ("data.pkl", b"\x80\x02" + MARK * (4 << 20)),
    "a string of 4 GiB": ("data.pkl", b"\x80\x02X\xff\xff\xff\xffx."),
    "an unknown memo": ("data.pkl", b"\x80\x02j\xff\xff\xff\xff."),
    "a storage that lies": ("data.pkl", state(tensor(count=1 << 40))),
    "a negative count": ("data.pkl", state(tensor(count=-2))),
    "sizes beyond the storage": ("data.pkl", state(tensor(sizes=(3,)))),
    "an offset beyond the storage": ("data.pkl", state(tensor(offset=1))),
    "a negative offset": ("data.pkl", state(tensor(offset=-1))),
    "a negative size": ("data.pkl", state(tensor(sizes=(-1,)))),
    "sizes that overflow": ("data.pkl", state(tensor(sizes=(1 << 62, 4), strides=(0, 0)))),
    "strides that overflow": ("data.pkl", state(tensor(sizes=(2, 2), strides=(1 << 62, 1 << 62)))),
    "a stride too few": ("data.pkl", state(tensor(strides=()))),
    "a thousand dimensions": ("data.pkl", state(tensor(sizes=(1,) * 1000, strides=(1,) * 1000))),
    "no such storage": ("data.pkl", state(tensor(key=b"../0"))),
    "no such type": ("data.pkl", state(tensor(kind=b"Complex"))),
    "deep parentheses": ("code/__torch__.py", code("return " + "(" * 100000)),
    "deep lists": ("code/__torch__.py", code("return " + "[" * 5000 + "]" * 5000)),
    "deep calls": (
        "code/__torch__.py",
        code("return " + "torch.neg(" * 20000 + "self.t" + ")" * 20000),
    ),
    "deep attributes": ("code/__torch__.py", code("return self" + ".t" * 20000)),
    "deep types": (
        "code/__torch__.py",
        CODE.replace(b"t : Tensor", b"t : " + b"List[" * 5000 + b"int" + b"]" * 5000),
    ),
    "deep ifs": ("code/__torch__.py", code(nested_ifs(3000))),
    "functions in a row": ("code/__torch__.py", code("return __torch__.f0(self.t, )", chain(3000))),
    "200,000 attributes": (
        "code/__torch__.py",
        CODE.replace(
            b"  t : Tensor", b"  t : Tensor" + b"".join(b"\n  x%d : int" % i for i in range(200000))
        ),
    ),
    "100,000 methods": (
        "code/__torch__.py",
        CODE
        + b"".join(
            b"  def f%d(self: __torch__.M) -> int:\n    return 1\n" % i for i in range(100000)
        ),
    ),
    "functions without end": (
        "code/__torch__.py",
        b"".join(b"def f%d(x: int) -> int:\n  return x\n" % i for i in range(100000))
        + code("return torch.nothing(self.t)"),
    ),
    "an attribute twice": (
        "code/__torch__.py",
        CODE.replace(b"  t : Tensor", b"  t : Tensor\n  t : Tensor"),
    ),
    "no end of the string": ("code/__torch__.py", code('return "')),
    "bytes that are no text": ("code/__torch__.py", bytes(range(128, 256)) * 100),
    "a version of a mile": ("version", b"9" * 1000),
    "big-endian": ("byteorder", b"big"),
}


def refusal(path):
    """What the command says of an archive it must refuse within 20 s of processor time and 2 GiB of
    memory."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    done = subprocess.run(
        [BINARY, "run", str(path)],
        capture_output=True,
        text=True,
        errors="replace",
        preexec_fn=limit,
    )
    assert done.returncode == 1, (done.returncode, done.stderr[-2000:])
    assert path.name in done.stderr and "internal" not in done.stderr
    return done.stderr


def test_the_archive_that_hostile_ones_are_made_from_runs(tmp_path):
    assert "f32[2]" in run("run", archive(tmp_path / "x.pt")).stdout
    repeated = state(tensor(sizes=(5, 2), strides=(0, 1)))
    assert "f32[5, 2]" in run("run", archive(tmp_path / "x.pt", {"data.pkl": repeated})).stdout


@pytest.mark.parametrize("name", HOSTILE, ids=lambda n: n.replace(" ", "-"))
def test_hostile_contents_are_refused(tmp_path, name):
    entry, data = HOSTILE[name]
    refusal(archive(tmp_path / "hostile.pt", {entry: data}))


def test_hostile_containers_are_refused(tmp_path):
    hostile = tmp_path / "hostile.pt"
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "compression" in refusal(archive(hostile, method=method))
    # tensors are stored
    assert "deflated" in refusal(archive(hostile, method=zipfile.ZIP_DEFLATED))
    zeros = bytes(100 * MEGABYTE)
    assert "inflate" in refusal(archive(hostile, {"x": zeros}, zipfile.ZIP_DEFLATED))
    assert "inflate" in refusal(
        archive(hostile, {f"x{i}": zeros[: 60 * MEGABYTE] for i in range(5)}, zipfile.ZIP_DEFLATED)
    )
    for name in ("../x", "a/../../x", "/x", "x\\y", "c:x"):
        with zipfile.ZipFile(archive(hostile), "a") as z:
            z.writestr(zipfile.ZipInfo(name), b"")
        assert "name" in refusal(hostile)
    with zipfile.ZipFile(archive(hostile), "a") as z, pytest.warns(UserWarning):
        z.writestr("m/version", b"10\n")
    assert "two entries" in refusal(hostile)
    refusal(archive(hostile, {**{f"x/{i}": b"" for i in range(70000)}, "version": b"x"}))


def test_sizes_behind_the_data_are_read(tmp_path):
    whole = zipfile.ZipFile(archive(tmp_path / "x.pt"))
    with open(tmp_path / "y.pt", "wb") as file, zipfile.ZipFile(Pipe(file), "w") as z:
        for name in whole.namelist():
            z.writestr(name, whole.read(name))
    assert "f32[2]" in run("run", tmp_path / "y.pt").stdout
    bytes_ = bytearray((tmp_path / "y.pt").read_bytes())
    at = bytes_.find(b"PK\x01\x02")
    bytes_[at + 16] ^= 1  # the checksum in the directory
    (tmp_path / "y.pt").write_bytes(bytes_)
    assert "checksum" in refusal(tmp_path / "y.pt")
