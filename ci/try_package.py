#!/usr/bin/env python3
"""Tries each verb of an installed `fusillade`, offline, as a user who is not root. Needs root.

ci/try_package.py [wheel] [tar] [deb]   what ci/package.sh left in dist/, on bare Debians: the wheel
                                        by the steps of Dockerfile, the archive without any Python
ci/try_package.py --prefix DIR          a copy of an installed tree on this machine, with the
                                        checkout hidden

A bare Debian is a chroot in ${FRESH_DIR:-/var/tmp/fresh-debian}: built by mmdebstrap once, kept as
base.tar. Mounts are those of a namespace, so that none is left behind.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FRESH = Path(os.environ.get("FRESH_DIR", "/var/tmp/fresh-debian"))
HANG = 1500  # seconds: what has not ended by then never does
HOME = "/opt/fusillade"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
SCRIPT = "def f(x: Tensor) -> Tensor:\n    return x.relu() + 1\n"
MODULE = (
    "class Scale(torch.nn.Module):\n"
    "    def __init__(self, n: int):\n"
    "        super().__init__()\n"
    "        self.weight = torch.nn.Parameter(torch.ones([n]))\n\n"
    "    def forward(self, x: Tensor) -> Tensor:\n"
    "        return x * self.weight\n"
)
FUZZ = "fuzz --seed 5 --jobs 1 --min-yield 0"
ENGINE = "--engine wrong=wrong.py"
WRONG = f"{FUZZ} --runs 400 --max-findings 1 {ENGINE} --plan wrong:eager"
BENCH = "bench --filter broadcast --size small --processes 2 --iterations 20 --plan eager"
NO_PYTHON = "cannot be run; FUSILLADE_PYTHON names another"


@dataclass
class Step:
    words: str  # of the command; {finding}: the case that was found
    codes: tuple = (0,)
    says: str = ""  # a regular expression
    without_python: str | None = None  # what is said instead, with exit code 1; None: no other
    numpy: bool = False  # only where Python has NumPy


STEPS = [
    Step("--version", says=r"fusillade \d+\.\d+\.\d+\ncommit .+\nbuild .+"),
    Step("help fuzz", says="--max-total-time"),
    Step("completion bash", says="complete .*fusillade"),
    Step("list ops", says="aten::softmax"),
    Step("list engines", says="torch:compile"),
    Step("run f.py --rand f32[3]", says="f32"),
    Step("opt f.py", says="aten::relu"),
    Step("gen --runs 1 --seed 3 --format case", says="fusillade case"),
    Step("show g.case", says="program:"),
    Step("repro g.case", says="ok"),
    Step("bisect g.case", says="nothing to blame"),
    Step("reduce g.case", says="nothing to reduce"),
    Step("save m.py --module Scale(3) --out m.pt"),
    Step("freeze m.pt --eval --out frozen.pt"),
    Step("check f.py --inputs 3 --jobs 1 --out check", says="1 program"),
    Step("selftest --runs 20 --jobs 1", says="false alarms +0"),
    Step("rules mul-one", says="mul-one"),
    Step("ulps --every 1000003 --doubles 1000 exp", says="exp"),
    Step(f"{FUZZ} --runs 60 --corpus kept --out fuzz", says="# Campaign"),
    Step("corpus minimise kept", says=r"of \d+ cases stay"),
    Step("recheck fuzz", says="0 of 0 findings judged again"),
    Step("prune fuzz --dry-run", says="of closed findings"),
    Step("report fuzz", without_python=NO_PYTHON),
    Step("merge merged fuzz --min-yield 0", says="Shards? 0 of 1"),
    Step(f"{BENCH} --plan vm/o2 --out bench/bench.json", says="broadcast"),
    Step("compare bench bench --gate none --out compare", without_python=NO_PYTHON),
    Step("truth --trials 1", says="two levels", without_python=NO_PYTHON),
    Step("history show --db history.sqlite", (1,), "history add makes it", NO_PYTHON),
    # What asks for a GPU, a checkout or another build says so.
    Step("gpu", (0, 3)),
    Step("planted", (1,), "--source"),
    Step("cost", (1,), "--against"),
    Step("releases --old nowhere --new nowhere --out rel", (1,), "is no interpreter"),
    Step("upstream fuzz", (1,), "not the folder of a finding"),
    Step(f"{WRONG} --out wrong", (2,), "Reproduce with", numpy=True),
    Step(f"repro {{finding}} {ENGINE}", (77,), numpy=True),
    Step(f"bisect {{finding}} {ENGINE}", (77,), "wrong", numpy=True),
    Step(f"reduce {{finding}} {ENGINE} --out small.case", (77,), numpy=True),
    Step(f"recheck wrong {ENGINE}", (2,), "1 of 1 findings judged again: 1 show", numpy=True),
    Step(f"prune wrong {ENGINE}", says="of closed findings", numpy=True),
    Step("report wrong", numpy=True),
]
LEFT = ["fuzz/campaign.json", "fuzz/summary.md", "check/campaign.json", "bench/bench.json"]
LEFT_BY_PYTHON = ["fuzz/campaign.png", "fuzz/report/index.html", "compare/report/index.html"]


class Place:
    """Where a command is installed: how it is run there, and its working folder seen from here."""

    def __init__(self, words, folder, python):
        self.words, self.folder, self.python = words, folder, python
        self.numpy = python and self.run("python3", "-c", "import numpy").returncode == 0

    def run(self, *words):
        return subprocess.run(
            [*self.words, *words], capture_output=True, text=True, timeout=HANG, cwd="/"
        )

    def fusillade(self, words):
        return self.run("fusillade", *shlex.split(words))

    def fill(self, share):
        """The files that the steps work on; a worker whose `neg` is wrong among them."""
        example = (share / "workers/example.py").read_text()
        wrong = example.replace("OPS = {", "def wrong(a):\n    return -2 * a\n\n\nOPS = {", 1)
        for name, text in (
            ("f.py", SCRIPT),
            ("m.py", MODULE),
            ("g.case", self.fusillade("gen --runs 1 --seed 3 --format case").stdout),
            ("wrong.py", wrong.replace("np.negative", "wrong")),
        ):
            (self.folder / name).write_text(text)

    def finding(self):
        found = sorted(self.folder.glob("wrong/findings/*/reduced.case"))
        return str(found[0].relative_to(self.folder)) if found else "none"


def untried_verbs(place):
    """Verbs of --help without a step."""
    shown = place.fusillade("--help").stdout
    verbs = re.findall(r"^  ([a-z]+) {2,}\S", shown.split("Subcommands:")[-1], re.M)
    return [v for v in verbs if not any(step.words.startswith(v) for step in STEPS)]


def failures(place, share):
    """What went otherwise than the steps say."""
    place.fill(share)
    out = [f"{verb}: no step of ci/try_package.py tries it" for verb in untried_verbs(place)]
    for step in STEPS:
        if step.numpy and not place.numpy:
            continue
        codes, says = step.codes, step.says
        if step.without_python and not place.python:
            codes, says = (1,), step.without_python
        words = step.words.replace("{finding}", place.finding())
        done = place.fusillade(shlex.join(words.split()))
        printed = done.stdout + done.stderr
        if done.returncode not in codes or not re.search(says, printed):
            wanted = f"wanted {' or '.join(map(str, codes))} and '{says}'"
            out.append(f"{words}: exit code {done.returncode}, {wanted}\n{printed[-2000:]}")
    left = LEFT + (LEFT_BY_PYTHON if place.numpy else [])
    return out + [f"{name} was not made" for name in left if not (place.folder / name).exists()]


def here(prefix, hidden):
    """A copy of the tree on this machine; its user is nobody, and `hidden` is an empty folder."""
    folder = Path(tempfile.mkdtemp(prefix="try-package-", dir="/var/tmp"))
    folder.chmod(0o755)
    shutil.copytree(prefix, folder / "moved")
    work = folder / "work"
    work.mkdir()
    os.chown(work, 65534, 65534)
    path = f"{folder}/moved/bin:{PATH}"
    inside = (
        f'mount -t tmpfs tmpfs "{hidden}" && cd "{work}" && exec setpriv --reuid=65534 '
        f'--regid=65534 --clear-groups env -i HOME="{work}" PATH="{path}" "$@"'
    )
    words = ["unshare", "--mount", "--net", "--", "sh", "-c", inside, "sh"]
    return folder, Place(words, work, shutil.which("python3", path=path) is not None)


def instructions(text):
    """Kind and words of each instruction of a Dockerfile."""
    return re.findall(r"^([A-Z]+) (.+)$", re.sub(r" *\\\n\s*", " ", text), re.M)


class Debian:
    """A bare Debian in a chroot, and what a Dockerfile does in it."""

    def __init__(self):
        self.root = FRESH / "package"
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        subprocess.run(["tar", "-C", self.root, "-xf", base()], check=True)
        for name in ("etc/resolv.conf", "etc/hosts"):
            shutil.copy(f"/{name}", self.root / name)
        certificates = Path("/etc/ssl/certs/ca-certificates.crt")
        if certificates.exists():
            shutil.copy(certificates, self.root / certificates.relative_to("/"))
        self.user, self.folder = "root", "/"
        self.env = {"PATH": PATH, "DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8"}

    def words(self, network=True):
        """What comes before a command that runs there."""
        home = HOME if self.user != "root" else "/root"
        env = [f"{name}={value}" for name, value in {**self.env, "HOME": home}.items()]
        enter = (
            f'mount -t proc proc "{self.root}/proc" && mount --rbind /dev "{self.root}/dev" && '
            f'exec chroot --userspec={self.user} --groups= "{self.root}" "$@"'
        )
        go = f'cd "{self.folder}" && exec "$@"'
        net = [] if network else ["--net"]
        return [
            *("unshare", "--mount", *net, "--", "sh", "-c", enter, "sh"),
            *("/usr/bin/env", "-i", *env, "sh", "-c", go, "sh"),
        ]

    def sh(self, command):
        done = subprocess.run(
            [*self.words(), "sh", "-c", command], capture_output=True, text=True, timeout=HANG
        )
        if done.returncode:
            sys.exit(f"try_package: '{command}' failed:\n{(done.stdout + done.stderr)[-3000:]}")

    def at(self, path):
        return self.root / path.lstrip("/")

    def docker(self, text):
        """The instructions of a Dockerfile, but for FROM."""
        for kind, words in instructions(text):
            if kind == "RUN":
                self.sh(words)
            elif kind == "COPY":
                *given, to = words.split()
                for path in (p for pattern in given for p in ROOT.glob(pattern)):
                    shutil.copy(path, self.at(to))
            elif kind == "USER":
                self.user = words
            elif kind == "ENV":
                name, value = words.split("=", 1)
                self.env[name] = value
            elif kind == "WORKDIR":
                self.folder = words
                self.at(words).mkdir(exist_ok=True)
            elif kind not in ("FROM", "ENTRYPOINT"):
                sys.exit(f"try_package: an instruction that is not known: {kind}")

    def place(self, python):
        work = self.at(self.folder)
        shutil.chown(work, *(os.stat(self.at(HOME)).st_uid,) * 2)
        return Place(self.words(network=False), work, python)


def base():
    """The bare Debian as an archive, built where there is none."""
    path = FRESH / "base.tar"
    if not path.exists():
        FRESH.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.tar")
        make = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates"]
        subprocess.run([*make, "bookworm", part], check=True)
        part.rename(path)
    return path


def package(pattern):
    found = sorted((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        sys.exit(f"try_package: dist/ holds {len(found)} of {pattern}; ci/package.sh makes one")
    return found[0]


def by_wheel():
    package("fusillade-*.whl")
    debian = Debian()
    debian.docker((ROOT / "Dockerfile").read_text())
    return debian.place(True), debian.at(HOME + "/.venv/share/fusillade")


def without_root(debian):
    debian.sh(f"useradd --create-home --home-dir {HOME} fusillade && mkdir {HOME}/work")
    debian.folder, debian.user = HOME + "/work", "fusillade"


def by_tar():
    debian = Debian()
    debian.sh("! command -v python3")
    shutil.copy(package("fusillade-*.tar.gz"), debian.at("/tmp/fusillade.tar.gz"))
    without_root(debian)
    (debian.at("/tmp/fusillade.tar.gz")).chmod(0o644)
    shutil.chown(debian.at(debian.folder), *(os.stat(debian.at(HOME)).st_uid,) * 2)
    debian.sh("tar -xzf /tmp/fusillade.tar.gz --strip-components=1 --one-top-level=../fusillade")
    debian.env["PATH"] = f"{HOME}/fusillade/bin:{PATH}"
    return debian.place(False), debian.at(HOME + "/fusillade/share/fusillade")


def by_deb():
    debian = Debian()
    shutil.copy(package("fusillade_*.deb"), debian.at("/tmp/fusillade.deb"))
    debian.sh("apt-get update -qq && apt-get install -y -qq /tmp/fusillade.deb >/dev/null")
    without_root(debian)
    return debian.place(True), debian.at("/usr/share/fusillade")


WAYS = {"wheel": by_wheel, "tar": by_tar, "deb": by_deb}


def tell(name, failed):
    for line in failed:
        print(f"{name}: {line}")
    print(f"try_package: {name}: {f'{len(failed)} FAILED' if failed else 'every verb works'}")
    return bool(failed)


def main(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prefix", metavar="DIR")
    parser.add_argument("way", nargs="*", help=f"of {', '.join(WAYS)} (default: all)")
    given = parser.parse_args(words)
    unknown = [way for way in given.way if way not in WAYS]
    if unknown or (given.prefix and given.way):
        parser.error(f"not with --prefix, or not known: {' '.join(given.way)}")
    if given.prefix:
        folder, place = here(given.prefix, ROOT)
        try:
            return tell("prefix", failures(place, folder / "moved/share/fusillade"))
        finally:
            shutil.rmtree(folder)
    if os.geteuid():
        sys.exit("try_package: making a bare Debian needs root")
    return max([tell(way, failures(*WAYS[way]())) for way in given.way or WAYS])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
