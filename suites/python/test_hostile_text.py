"""Text of strangers on the terminal, and links in folders that they hand over: every verb that
shows the one or writes into the other.

No byte that acts on a terminal reaches stdout or stderr, whatever a script raises, prints or warns
of, a case, an archive, a file's name, an external engine or a report says; no line of it looks like
one of ours. Nothing is written through a link.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile

import pytest
from under_test import BINARY, ROOT, wrong_engine

sys.path[:0] = [str(ROOT / "reports"), str(ROOT / "reports" / "tests")]

ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# As escapes of Python's; what a file's name can hold of it, too.
SPELLED = (
    r"\x1b[31m\x1b]0;title\x07\x1b]52;c;bXk=\x07\x08\x7f\x9b31m\u202e\u2066\u2028\r"
    r"::error::x\n::error::forged\n"
    r"##[error]x\n0 findings\n```\n</pre><script>alert(1)</script>![a](http://e.example)|`x`\x00"
)
NASTY = SPELLED.encode().decode("unicode_escape")
NAME = NASTY.replace("/", "").replace("\0", "")[:150].encode() + b"\xff\xc3"
F = b"def f(x):\n    return x.exp()\n"
CASE = """fusillade case 1
oracle: differential
verdict: mismatch
plan: vm/o2
{fields}program:
  graph(%x : Float(2, strides=[1], requires_grad=0, device=cpu)):
    %y : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::exp(%x)
    return (%y)
call:
    x = f32[2] {{1, 2}}
end
"""


def output_of(*words, **options):
    """What it prints, after checks that hold for all that is printed."""
    done = subprocess.run([BINARY, *words], capture_output=True, timeout=300, **options)
    assert done.returncode >= 0, done
    for stream in (done.stdout, done.stderr):
        text = stream.decode()  # UTF-8, or it fails here
        assert not ACTS.search(text), ascii(text)
        assert not re.search(r"^\s*::|##\[|^(0 findings|forged|\x60\x60\x60$)", text, flags=re.M), (
            text
        )
    return done


def both(done):
    return (done.stdout + done.stderr).decode()


def script(tmp_path, body, name="f.py"):
    path = tmp_path / name
    path.write_text(f"def f(x):\n{body}")
    return path


@pytest.mark.parametrize("plan", ["eager", "vm/o2", "jit/o2"])
def test_a_raised_error_is_spelled_out(tmp_path, plan):
    path = script(tmp_path, f'    raise ValueError("{SPELLED}")\n')
    done = output_of("run", path, "--plan", plan, "--rand", "f32[2]")
    assert (
        done.returncode == 1
        and "\\x1b]52;c;bXk=\\x07" in both(done)
        and "\n  0 findings" in both(done)
    )


def test_what_a_program_prints_warns_of_and_returns_is_spelled_out(tmp_path):
    path = script(
        tmp_path,
        f'    print("\\x1b[31m\\x9b\\u202e")\n    warnings.warn("{SPELLED}")\n'
        f'    return "{SPELLED}"\n',
    )
    done = output_of("run", path, "--rand", "f32[2]")
    assert "\\x1b[31m" in both(done)
    done = output_of(
        "run",
        script(tmp_path, '    print("\\x1b[31m\\x9b\\u202e")\n    return "\\x1b\\x9b\\u202e"\n'),
        "--rand",
        "f32[2]",
    )
    assert done.returncode == 0 and done.stdout.startswith(b"\\x1b[31m\\u009b\\u202e\n")


@pytest.mark.parametrize(
    "words",
    [
        ["opt"],
        ["run", "--rand", "f32[2]"],
        ["check", "--inputs", "2", "--jobs", "1"],
        ["gen", "--format", "python"],
    ],
)
def test_source_is_spelled_out(tmp_path, words):
    text = NASTY.replace("\n", " ").replace("\r", " ").replace("\0", "").replace('"', "")
    (tmp_path / "f.py").write_text(
        f'def f(x):\n    # {text}\n    s = "{text}"\n    if x.dim() == 9:\n'
        "        raise ValueError(s)\n    return x + 1, s\n"
    )
    (tmp_path / "bad.py").write_text(f"def f(x):\n    return {text}\n")
    for name in ("f.py", "bad.py"):
        more = ["--out", tmp_path / f"out-{name}"] if words[0] == "check" else []
        output_of(words[0], tmp_path / name, *words[1:], *more, cwd=tmp_path)


ENDLESS = """graph(%n : int):
  %a : int = prim::Constant[value=3]()
  %t : bool = prim::Constant[value=1]()
  %s : int = prim::Loop(%n, %t, %a) # {place}:3:4
    block0(%i : int, %s.1 : int):
      %3 : int = aten::mul(%s.1, %a)
      -> (%t, %3)
  return (%s)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["opt"],
        ["run", "--arg", "100000000000", "--timeout", "1s"],
        ["run", "--arg", "100000000000", "--timeout", "1s", "--plan", "vm"],
        ["check", "--arg", "100000000000", "--timeout", "1s", "--inputs", "1", "--jobs", "1"],
    ],
)
def test_a_place_that_a_graph_names_is_spelled_out(tmp_path, words):
    place = "".join(c for c in NASTY if c not in "\n\r\0\u2028")
    (tmp_path / "loop.ir").write_text(ENDLESS.format(place=place))
    done = output_of(words[0], "loop.ir", *words[1:], cwd=tmp_path)
    if words[0] == "run":
        assert done.returncode == 70 and "in the loop at \\x1b[31m" in both(done), both(done)


def test_a_file_is_named_by_what_can_be_seen(tmp_path):
    folder = os.fsencode(tmp_path) + b"/" + NAME
    os.mkdir(folder)
    for name, text in (
        (b"f.py", F),
        (b"bad.py", b"def f(x:\n"),
        (b"c.case", CASE.format(fields="").encode()),
        (b"bad.case", b"\x1b"),
        (b"x.ir", b"graph(\x1b"),
        (b"n.pt", b"\x1b"),
        (b"n.npy", b"\x1b"),
        (b"k.known", b"\x1b: y\n"),
    ):
        with open(folder + b"/" + name, "wb") as file:
            file.write(text)
    there = [
        folder + b"/" + name
        for name in (
            b"f.py",
            b"bad.py",
            b"c.case",
            b"bad.case",
            b"x.ir",
            b"n.pt",
            b"none.py",
            b"none\x1b",
        )
    ]
    for path in there:
        for verb in ("run", "opt", "repro", "show", "bisect", "freeze", "report", "compare"):
            output_of(verb, path)
        output_of("save", path, "--out", folder + b"/out.pt", "--fn", "\x1b")
        output_of("reduce", path)
    output_of("run", there[0], "--in", folder + b"/n.npy")
    output_of("run", there[0], "--rand", "f32[2]", "--out", folder + b"/out")
    output_of("check", there[1], "--jobs", "1", "--out", folder + b"/out2")
    output_of("check", there[0], "--known", folder + b"/k.known", "--out", folder + b"/out3")
    output_of("fuzz", "--seeds", folder, "--runs", "3", "--jobs", "1", "--out", folder + b"/out4")
    output_of("bench", "--programs", folder, "--out", folder + b"/b.json")


@pytest.mark.parametrize(
    "words",
    [
        ["\x1b[31m"],
        ["run", "--\x1b]0;x\x07"],
        ["run", "x.\x9b"],
        ["list", "\u202e"],
        ["fuzz", "--plan", "\x1b/o2"],
        ["fuzz", "--policy", "\x1b\n0 findings"],
        ["fuzz", "--oracle", "\x1b\n::error::"],
        ["fuzz", "--seed", "\x1b"],
        ["opt", "x.py", "--pipeline", "\x1b"],
        ["bench", "--filter", "\x1b["],
        ["history", "show", "--db", "\x1b"],
        ["compare", "\x1b", "\u202e"],
        ["report", "\x9b"],
    ],
)
def test_words_that_are_refused(words, tmp_path):
    done = output_of(*words, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr


def test_fields_of_a_case_are_spelled_out(tmp_path):
    text = NASTY.replace("\n", " ")
    fields = f"blame: {text}\norigin: {text}\nnote: reason: {text}\nnote: {text}\n"
    (tmp_path / "c.case").write_text(CASE.format(fields=fields), newline="\n")
    assert "\\x1b[31m" in both(output_of("show", tmp_path / "c.case"))
    for verb in ("repro", "bisect", "reduce", "run", "opt"):
        output_of(verb, tmp_path / "c.case")
    for field in ("oracle", "verdict", "plan", "\x1b"):
        (tmp_path / "c.case").write_text(CASE.format(fields=f"{field}: {text}\n"), newline="\n")
        for verb in ("show", "repro", "bisect", "reduce"):
            output_of(verb, tmp_path / "c.case")


def test_a_case_keeps_exact_text(tmp_path):
    """Values and scripts read back as they were, though what is shown of them is spelled out."""
    path = script(tmp_path, f'    print(x)\n    return "{SPELLED}"\n')
    first = output_of("run", path, "--rand", "f32[2]").stdout
    body = "".join("  " + line + "\n" for line in path.read_text().splitlines())
    (tmp_path / "c.case").write_text(
        f"fusillade case 2\nverdict: ok\nscript:\n{body}call:\n    x = f32[2] {{1, 2}}\nend\n"
    )
    (tmp_path / "d.case").write_bytes(output_of("show", tmp_path / "c.case").stdout)
    assert (tmp_path / "d.case").read_text() == (tmp_path / "c.case").read_text().replace(
        "{1, 2}", "{0x1p+0, 0x1p+1}"
    ).replace("##[", "##\\x5b")
    assert output_of("run", tmp_path / "d.case").stdout.splitlines()[-1] == first.splitlines()[-1]


@pytest.mark.parametrize("where", ["class", "attribute", "archive"])
def test_names_in_an_archive_are_spelled_out(tmp_path, where):
    (tmp_path / "m.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.weight = 1\n\n    def forward(self, x):\n        return x + self.weight\n"
    )
    assert (
        output_of(
            "save", tmp_path / "m.py", "--module", "Net()", "--out", tmp_path / "m.pt"
        ).returncode
        == 0
    )
    old = {"class": b"Net", "attribute": b"weight", "archive": b"code"}[where]
    with (
        zipfile.ZipFile(tmp_path / "m.pt") as given,
        zipfile.ZipFile(tmp_path / "n.pt", "w") as archive,
    ):
        for name in given.namelist():
            data = given.read(name)
            if where != "archive":
                data = data.replace(old, b"\x1b" + b"\x9b"[:0] + old[1:])
            archive.writestr(
                name.replace("code", "c\x1b]0;x\x07\u202e")
                if where == "archive"
                else name.replace(old.decode(), "\x1b" + old.decode()[1:]),
                data,
            )
    for verb in ("opt", "run", "freeze", "save"):
        done = output_of(
            verb,
            tmp_path / "n.pt",
            *(["--out", tmp_path / "o.pt"] if verb in ("freeze", "save") else []),
        )
        assert where == "archive" or done.returncode == 1


NEG = (
    CASE.replace("differential", "conformance")
    .replace("plan: vm/o2", "plan: wrong:eager")
    .replace("aten::exp", "aten::neg")
)
WORKER = """
import os, sys
def send(kind, body):
    body = body.encode("utf-8", "surrogateescape")
    sys.stdout.buffer.write(f"{len(body)} {kind}\\n".encode() + body)
    sys.stdout.buffer.flush()
os.write(2, TEXT.encode("utf-8", "surrogateescape"))
if MODE != "dies":
    one = TEXT.replace("\\n", " ")
    spelled = TEXT.encode("unicode_escape").decode().replace("\\\\x", "\\\\u00").replace('"', "")
    engines = '{"eager": true}' if MODE == "deaf" else '{"eager": "' + spelled + '"}'
    send("hello", f"protocol: 1\\nname: {one}\\nversion: {one}\\nforms: graph\\nvalues: tensors\\n"
         f"engines: {engines}\\ncontract: {{}}\\n")
    sys.stdin.buffer.read(1)
    os.write(2, TEXT.encode("utf-8", "surrogateescape"))
"""


@pytest.mark.parametrize("mode", ["dies", "deaf", "absent"])
def test_an_engine_outside_is_quoted(tmp_path, mode):
    text = NASTY + "\udcff"
    (tmp_path / "w.py").write_text(f"TEXT = {ascii(text)}\nMODE = {mode!r}\n{WORKER}")
    path = tmp_path / "f.py"
    path.write_bytes(F)
    words = ["--engine", f"w={tmp_path}/w.py"]
    output_of("list", "engines", *words)
    output_of("run", path, "--plan", "w:eager", "--rand", "f32[2]", *words)
    output_of(
        "fuzz",
        "--plan",
        "w:eager",
        "--runs",
        "3",
        "--jobs",
        "1",
        "--min-yield",
        "0",
        "--out",
        tmp_path / "out",
        *words,
    )
    output_of(
        "bench",
        "--plan",
        "w:eager",
        "--processes",
        "1",
        "--filter",
        "ratio_iou",
        "--out",
        tmp_path / "b.json",
        *words,
    )


def test_a_finding_is_reported_as_text(tmp_path):
    """What a campaign says on the terminal, in summary.md and in the finding's README, of an
    engine's message."""
    done = output_of(
        "fuzz",
        *wrong_engine(tmp_path, NASTY),
        "--runs",
        "200",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--max-findings",
        "1",
        "--min-yield",
        "0",
        "--out",
        tmp_path / "out",
        "--max-total-time",
        "600",
    )
    assert done.returncode == 2, both(done)
    files = [*(tmp_path / "out").rglob("*.md"), *(tmp_path / "out").rglob("joined.txt")]
    assert len(files) >= 2
    data = [tmp_path / "out/campaign.json", *(tmp_path / "out/findings").glob("*/finding.json")]
    assert len(data) >= 2
    for file in data:  # spelled out: they are shown by cat, too
        assert file.read_bytes().isascii() and not ACTS.search(file.read_text()), file
    for file in files:
        text = file.read_text()
        assert not ACTS.search(text), file
        fence = ""
        for line in text.split("\n"):
            ticks = re.match("`{3,}", line)
            if fence:
                fence = "" if line == fence else fence
            else:
                fence = ticks[0] if ticks else ""
                assert "<script>" not in re.sub(r"(`+).*?\1", "", line), (file, line)
        assert not fence, file
    for case in (tmp_path / "out").rglob("*.case"):
        for verb in ("show", "repro"):
            output_of(
                verb, case, *wrong_engine(tmp_path, NASTY)[:4]
            ) if verb == "repro" else output_of(verb, case)


def test_a_report_of_a_stranger(tmp_path):
    import samples

    c = samples.with_findings(2, message=NASTY, blame=NASTY)
    samples.write(tmp_path, campaign=c)
    b = samples.two_plans()
    for entry in b["benchmarks"]:
        entry["program"] = entry["program"] + NASTY
    (tmp_path / "bench.json").write_text(json.dumps(b))
    assert output_of("report", tmp_path).returncode == 0
    assert output_of("compare", tmp_path, tmp_path, "--gate", "none").returncode == 0
    output_of(
        "history",
        "add",
        tmp_path,
        "--db",
        tmp_path / "h.sqlite",
        "--commit",
        "HEAD",
        "--machine",
        "\x1b[31m\n0 findings",
        cwd=ROOT,
    )
    output_of("history", "show", "--all", "--db", tmp_path / "h.sqlite")
    (tmp_path / "campaign.json").write_text(json.dumps(c | {NASTY: 1}))
    assert output_of("report", tmp_path).returncode == 1


def test_a_module_in_the_working_folder_is_not_loaded(tmp_path):
    import samples

    samples.write(tmp_path, campaign=samples.campaign())
    for name in ("json", "jinja2", "numpy"):
        (tmp_path / f"{name}.py").write_text("open('pwned', 'w')\n")
    output_of("report", ".", cwd=tmp_path)
    assert not (tmp_path / "pwned").exists()


# Links.


@pytest.fixture
def mine(tmp_path):
    there = tmp_path / "mine"
    there.mkdir()
    (there / "file").write_text("mine")
    return there


def check_untouched(there):
    assert [(p.name, p.read_text()) for p in there.iterdir()] == [("file", "mine")]


CAMPAIGN = ["--runs", "30", "--jobs", "1", "--seed", "1", "--policy", "chains", "--plan", "vm/o2"]
FILES = ["campaign.db", "campaign.db-journal", "campaign.lock"]  # refused; others are replaced


@pytest.mark.parametrize("name", ["findings", "pending", *FILES])
@pytest.mark.parametrize("there", [True, False])
def test_a_campaign_refuses_a_link_in_its_folder(tmp_path, mine, name, there):
    out = tmp_path / "out"
    out.mkdir()
    to = mine / ("file" if there else "new") if name in FILES else mine if there else mine / "new"
    (out / name).symlink_to(to)
    done = output_of("fuzz", *CAMPAIGN, "--out", out)
    assert done.returncode == 1 and f"{out}/{name} is a symbolic link" in both(done), both(done)
    check_untouched(mine)


@pytest.mark.parametrize(
    "name",
    [
        "campaign.json",
        "summary.md",
        "campaign.png",
        "campaign.json.part",
        "summary.md.part",
        "campaign.png.part",
    ],
)
def test_a_campaign_replaces_a_link_to_a_file(tmp_path, mine, name):
    out = tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(mine / "file")
    assert output_of("fuzz", *CAMPAIGN, "--out", out).returncode == 0
    check_untouched(mine)
    assert not (out / name).is_symlink() and (out / "campaign.json").is_file()


def test_a_campaign_is_resumed_in_a_folder_with_links(tmp_path, mine):
    out = tmp_path / "out"
    assert output_of("fuzz", *CAMPAIGN, "--out", out).returncode == 0
    for name in ("findings", "pending"):
        (out / name).rmdir()
        (out / name).symlink_to(mine)
        done = output_of("fuzz", *CAMPAIGN, "--out", out, "--resume")
        assert done.returncode == 1 and "is a symbolic link" in both(done)
        (out / name).unlink()
    (out / "campaign.db").rename(mine / "db")
    (out / "campaign.db").symlink_to(mine / "db")
    done = output_of("fuzz", *CAMPAIGN, "--out", out, "--resume")
    assert done.returncode == 1 and "campaign.db is a symbolic link" in both(done)
    (mine / "db").unlink()
    check_untouched(mine)


def test_a_finding_is_not_written_through_a_link(tmp_path, mine):
    """The folder of a cause that will be found is a link, and so are the files in one that is
    there; a bucket of the database leads out."""
    wrong = [
        *wrong_engine(tmp_path),
        "--runs",
        "300",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--min-yield",
        "0",
        "--max-total-time",
        "600",
    ]
    first = tmp_path / "first"
    assert output_of("fuzz", *wrong, "--out", first, "--max-findings", "1").returncode == 2
    bucket = next(p.name for p in (first / "findings").iterdir() if p.name != "untriaged")
    joined = first / "findings" / bucket / "joined.txt"
    joined.unlink(missing_ok=True)
    joined.symlink_to(mine / "file")
    done = output_of("fuzz", *wrong, "--out", first, "--resume")
    assert done.returncode == 2 and joined.is_file() and not joined.is_symlink(), both(done)
    check_untouched(mine)
    second = tmp_path / "second"
    (second / "findings").mkdir(parents=True)
    (second / "findings" / f"{bucket}.part").symlink_to(mine)
    (second / "findings" / "untriaged").symlink_to(mine)
    output_of("fuzz", *wrong, "--out", second, "--max-findings", "1")
    check_untouched(mine)
    (mine / "README.md").write_text("mine\n- cases: 7\n")
    text_before = (first / "findings" / bucket / "finding.json").read_text()
    (mine / "finding.json").write_text(text_before)
    with sqlite3.connect(first / "campaign.db") as db:
        db.execute("UPDATE finding SET bucket = '../../mine', count = 9")
    db.close()
    output_of("fuzz", *wrong, "--out", first, "--resume")
    assert (mine / "README.md").read_text() == "mine\n- cases: 7\n"
    assert (mine / "finding.json").read_text() == text_before


@pytest.mark.parametrize("name", ["out0.npy", "out0.npy.part"])
def test_outputs_are_not_written_through_a_link(tmp_path, mine, name):
    path = script(tmp_path, "    return x\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(mine / "file")
    assert output_of("run", path, "--rand", "f32[2]", "--out", tmp_path / "out").returncode == 0
    check_untouched(mine)


@pytest.mark.parametrize("name", ["c.case.min", "c.case.min.part"])
def test_a_reduced_case_is_not_written_through_a_link(tmp_path, mine, name):
    (tmp_path / "c.case").write_text(NEG.format(fields=""))
    (tmp_path / name).symlink_to(mine / "file")
    assert output_of("reduce", tmp_path / "c.case", *wrong_engine(tmp_path)[:4]).returncode == 77
    check_untouched(mine)


def test_a_report_is_not_written_through_a_link(tmp_path, mine):
    import samples

    samples.write(tmp_path / "given", campaign=samples.campaign())
    (tmp_path / "given" / "report").symlink_to(mine)
    done = output_of("report", tmp_path / "given")
    assert done.returncode == 1 and "is a symbolic link" in both(done)
    check_untouched(mine)


def test_the_folder_given_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert output_of("fuzz", *CAMPAIGN, "--out", tmp_path / "link").returncode == 0
    assert output_of("report", tmp_path / "link").returncode == 0
    assert (tmp_path / "real" / "campaign.json").is_file() and (
        tmp_path / "real" / "report" / "index.html"
    ).is_file()
