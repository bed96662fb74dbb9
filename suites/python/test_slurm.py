"""ci/slurm/campaign.sh on a real Slurm: a controller and two nodes on loopback, one of which is
killed while its shards run. They are requeued, go on, and the merge is what one machine comes to.

Debian's munge, slurmctld, slurmd and slurm-client (ci/setup.sh --slurm); skipped without them, or
without root.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
from under_test import BINARY, ROOT, run

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo")
PATHS = os.environ["PATH"] + ":/usr/sbin:/sbin"
MISSING = [p for p in PROGRAMS if shutil.which(p, path=PATHS) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"no {', '.join(MISSING)} (ci/setup.sh --slurm)"),
    pytest.mark.skipif(os.getuid() != 0, reason="nodes of Slurm need root"),
]
RUNS, SHARDS, NODES = 2400, 4, 2

CONF = """ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=5
MessageTimeout=5
KillWait=2
InactiveLimit=0
"""


def below(pid):
    """A process and all that it started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        children = []
    return [pid] + [p for child in children for p in below(int(child))]


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.nodes, self.munged = {}, None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        host = socket.gethostname().split(".")[0]
        lines = CONF.format(folder=folder, host=host, port=port)
        for i in range(NODES):
            lines += (
                f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port + 1 + i} "
                "CPUs=2 RealMemory=1024 State=UNKNOWN\n"
            )
        lines += f"PartitionName=all Nodes=n[0-{NODES - 1}] Default=YES MaxTime=INFINITE State=UP\n"
        (folder / "slurm.conf").write_text(lines)
        (folder / "state").mkdir()
        folder.chmod(0o700)
        self.env = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": PATHS}

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.munged = self.process(
            "munged", "--foreground", "--force", f"--key-file={key}",
            *(f"--{what}={self.folder}/munge.{what[:3]}" for what in ("pid-file", "log-file")),
            f"--seed-file={self.folder}/munge.seed", f"--socket={self.folder}/munge.socket",
        )  # fmt: skip
        socket_made = (self.folder / "munge.socket").exists
        self.until(socket_made, otherwise=pytest.skip)
        self.controller = self.process("slurmctld", "-D", "-c")
        for i in range(NODES):
            self.nodes[f"n{i}"] = self.process("slurmd", "-D", "-N", f"n{i}")
        self.until(self.is_up, otherwise=pytest.skip)

    def is_up(self):
        for name, node in self.nodes.items():
            if node.poll() is not None:  # as where /sys is not there, or no cgroups
                log = self.folder / f"slurmd.{name}.log"
                pytest.skip(f"slurmd cannot run here: {log.read_text()[-300:]}")
        return self.asked("sinfo", "-h", "-t", "idle", "-o", "%D") == str(NODES)

    def process(self, *words):
        out = open(self.folder / f"{words[0]}.{len(self.nodes)}.out", "wb")
        return subprocess.Popen(words, env=self.env, stdout=out, stderr=out, start_new_session=True)

    def asked(self, *words):
        done = subprocess.run(words, env=self.env, capture_output=True, text=True)
        return done.stdout.strip()

    def until(self, condition, seconds=60, otherwise=pytest.fail):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(p.read_text()[-2000:] for p in sorted(self.folder.glob("*.log")))
                otherwise(f"the cluster does not come to it in {seconds} s\n{logs}")
            time.sleep(0.1)

    def kill(self, node):
        """The node, and what runs there: the manager of a step is a daemon of its own, whom the
        node's log that it has open tells."""
        doomed = below(self.nodes[node].pid)
        log = str(self.folder / f"slurmd.{node}.log")
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                files = {
                    os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")
                }
            except OSError:
                continue
            if log in files:
                doomed += below(int(pid))
        for pid in doomed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.nodes.pop(node).wait()

    def stop(self):
        for node in list(self.nodes):
            self.kill(node)
        for process in (getattr(self, "controller", None), self.munged):
            if process:
                process.kill()
                process.wait()


@pytest.fixture
def cluster(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    made = Cluster(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def test_an_array_of_which_a_node_is_killed_is_one_campaign(tmp_path, cluster):
    out = tmp_path / "night"
    flags = f"--seed 7 --runs {RUNS} --policy chains --min-yield 0"
    text = (ROOT / "ci/slurm/campaign.sh").read_text()
    for name, value in {"shards": SHARDS, "out": out, "flags": f"({flags})"}.items():
        text, count = re.subn(rf"^{name}=.*?(?= *#)", f"{name}={value}", text, flags=re.M)
        assert count == 1
    script = tmp_path / "campaign.sh"
    script.write_text(text)
    script.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/fusillade").symlink_to(os.path.realpath(BINARY))
    env = cluster.env | {"PATH": f"{tmp_path}/bin:{PATHS}"}
    done = subprocess.run([script], env=env, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    cluster.until(lambda: len(list(out.glob("shard-*/campaign.db"))) == SHARDS)
    assert cluster.asked("squeue", "-h", "-w", "n1", "-t", "R")
    cluster.kill("n1")

    def all_ended():
        # A task that is requeued waits for two minutes, unless it is told not to.
        for line in cluster.asked("squeue", "-h", "-r", "-t", "PD", "-o", "%i %r").splitlines():
            job, reason = line.split(" ", 1)
            if reason == "BeginTime":
                cluster.asked("scontrol", "update", f"jobid={job}", "StartTime=now")
        return not cluster.asked("squeue", "-h")

    cluster.until(all_ended, 300)
    assert "Restarts=1" in cluster.asked("scontrol", "show", "jobs")
    merged = json.loads((out / "all/campaign.json").read_text())
    assert merged["shards"] == {"of": SHARDS, "here": list(range(SHARDS))}
    one = tmp_path / "one"
    run("fuzz", *flags.split(), "--out", one)
    whole = json.loads((one / "campaign.json").read_text())
    for told in (merged, whole):  # of many reasons each worker tells the first ones by name
        told["verdicts"]["skip"] = sum(told["verdicts"]["skip"].values())
    for key in ("programs", "verdicts", "elements"):
        assert merged[key] == whole[key], key
    assert merged["programs"] == RUNS
