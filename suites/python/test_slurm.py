"""ci/slurm on a real Slurm: a controller and two nodes on loopback, one of which is killed while
its shards run. They are requeued, go on, and the merge is what one machine comes to. So it is where
the tasks are warned by SIGUSR1, and where they run in scratch.

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
from pairs import stand_in_for_pairs
from under_test import BINARY, ROOT, programs_so_far, run

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
        socket_path = (self.folder / "munge.socket").exists
        self.until(socket_path, otherwise=pytest.skip)
        self.controller = self.process("slurmctld", "-D", "-c")
        for i in range(NODES):
            self.nodes[f"n{i}"] = self.process("slurmd", "-D", "-N", f"n{i}")
        self.until(self.is_up, otherwise=pytest.skip)

    def is_up(self):
        for name, node in self.nodes.items():
            if node.poll() is not None:  # as where /sys is not there, or no cgroups
                log = self.folder / f"slurmd.{name}.log"
                pytest.skip(f"slurmd cannot run here: {log.read_text()[-300:]}")
        return self.output_of("sinfo", "-h", "-t", "idle", "-o", "%D") == str(NODES)

    def process(self, *words):
        out = open(self.folder / f"{words[0]}.{len(self.nodes)}.out", "wb")
        return subprocess.Popen(words, env=self.env, stdout=out, stderr=out, start_new_session=True)

    def output_of(self, *words):
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
        node's log that it has open says."""
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
    cluster_ = Cluster(folder)
    try:
        cluster_.start()
        yield cluster_
    finally:
        cluster_.stop()


def edit_script(tmp_path, name, **lines):
    """A script of ci/slurm with other lines at its head."""
    text = (ROOT / "ci/slurm" / name).read_text()
    for key, value in lines.items():
        text, count = re.subn(rf"^{key}=.*?(?= *# )", f"{key}={value}", text, flags=re.M)
        assert count == 1, key
    script = tmp_path / name
    script.write_text(text)
    script.chmod(0o755)
    return script


def submit_script(tmp_path, cluster, script):
    (tmp_path / "bin").mkdir(exist_ok=True)
    if not (tmp_path / "bin/fusillade").exists():
        (tmp_path / "bin/fusillade").symlink_to(os.path.realpath(BINARY))
    env = cluster.env | {"PATH": f"{tmp_path}/bin:{PATHS}"}
    done = subprocess.run([script], env=env, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def until_all_ended(cluster):
    hurried = set()

    def all_ended():
        # A task that is requeued waits for two minutes, unless it is set not to. In the second in
        # which its first start was revoked, a node would refuse the next.
        for line in cluster.output_of("squeue", "-h", "-r", "-t", "PD", "-o", "%i %r").splitlines():
            job, reason = line.split(" ", 1)
            if reason == "BeginTime" and job not in hurried:
                cluster.output_of("scontrol", "update", f"jobid={job}", "StartTime=now+3")
                hurried.add(job)
        return not cluster.output_of("squeue", "-h")

    cluster.until(all_ended, 300)


def is_whole(tmp_path, out, flags):
    """The merge is what one machine comes to."""
    merged = json.loads((out / "all/campaign.json").read_text())
    assert merged["shards"] == {"of": SHARDS, "here": list(range(SHARDS))}
    one = tmp_path / "one"
    run("fuzz", *flags.split(), "--out", one)
    whole = json.loads((one / "campaign.json").read_text())
    logs = "".join(f"{log.name}:\n{log.read_text()}" for log in sorted(out.glob("*.log")))
    for result in (merged, whole):  # of many reasons each worker names the first ones by name
        result["verdicts"]["skip"] = sum(result["verdicts"]["skip"].values())
    for key in ("programs", "verdicts", "elements"):
        assert merged[key] == whole[key], f"{key}\n{logs}"
    assert merged["programs"] == RUNS


FLAGS = f"--seed 7 --runs {RUNS} --policy chains --min-yield 0"


@pytest.mark.parametrize("scratch", [False, True], ids=["in the folder of all", "in scratch"])
def test_an_array_of_which_a_node_is_killed_is_one_campaign(tmp_path, cluster, scratch):
    """In scratch, what is not copied yet is judged again."""
    out = tmp_path / "night"
    lines = {"scratch": tmp_path / "node", "every": 1} if scratch else {}
    script = edit_script(
        tmp_path, "campaign.sh", shards=SHARDS, out=out, flags=f"({FLAGS})", **lines
    )
    submit_script(tmp_path, cluster, script)
    cluster.until(lambda: len(list(out.glob("shard-*/campaign.db"))) == SHARDS)
    assert cluster.output_of("squeue", "-h", "-w", "n1", "-t", "R")
    cluster.kill("n1")
    until_all_ended(cluster)
    assert "Restarts=1" in cluster.output_of("scontrol", "show", "jobs")
    is_whole(tmp_path, out, FLAGS)
    if scratch:
        assert list((tmp_path / "node").iterdir()) == [] and list((out / ".copies").iterdir()) == []


@pytest.mark.parametrize("scratch", [False, True], ids=["in the folder of all", "in scratch"])
def test_tasks_that_are_warned_end_and_go_on(tmp_path, cluster, scratch):
    """By SIGUSR1, as Slurm does before a limit of time and before it takes a node away."""
    out = tmp_path / "night"
    node = tmp_path / "node"
    lines = {"scratch": node} if scratch else {}
    script = edit_script(
        tmp_path, "campaign.sh", shards=SHARDS, out=out, flags=f"({FLAGS})", **lines
    )
    submit_script(tmp_path, cluster, script)
    folders = (node, "fusillade-*/shard") if scratch else (out, "shard-*/")
    running = []

    def is_under_way():
        running[:] = cluster.output_of("squeue", "-h", "-r", "-t", "R", "-o", "%i").splitlines()
        return any(programs_so_far(folder) for folder in folders[0].glob(folders[1]))

    cluster.until(is_under_way)
    for job in running:
        cluster.output_of("scancel", "--signal=USR1", "--batch", job)
    until_all_ended(cluster)
    assert cluster.output_of("scontrol", "show", "jobs").count("Restarts=1") >= len(running) > 0
    said = "".join(log.read_text() for log in sorted(out.glob("shard-*.log")))
    assert "--resume" in said
    is_whole(tmp_path, out, FLAGS)


def test_a_task_that_is_cancelled_ends_and_has_saved_all(tmp_path, cluster):
    out = tmp_path / "night"
    lines = {"shards": 1, "out": out, "flags": "(--seed 7 --max-total-time=10m)"}
    script = edit_script(tmp_path, "campaign.sh", **lines, scratch=tmp_path / "node")
    submit_script(tmp_path, cluster, script)
    cluster.until(lambda: any(map(programs_so_far, (tmp_path / "node").glob("*/shard"))))
    cluster.output_of("scancel", "--signal=TERM", "--batch", "--name=fusillade")
    cluster.until(lambda: not cluster.output_of("squeue", "-h", "--name=fusillade"))
    assert json.loads((out / "shard-0/campaign.json").read_text())["exit_code"] == 72
    assert "ExitCode=72:0" in cluster.output_of("scontrol", "show", "jobs")
    until_all_ended(cluster)


def test_an_array_of_pairs_is_one_comparison(tmp_path, cluster):
    """Each node by turns; here both are this machine, and so are distinguished by their names."""
    out = tmp_path / "speed"
    (tmp_path / "bin").mkdir()
    stand_in_for_pairs(tmp_path / "bin/fusillade", "SLURMD_NODENAME")
    pair = "(compare --commits old new)"
    (tmp_path / "bin/fusillade.fails-2").touch()
    for i in (2, 7):  # of an earlier run
        (out / f"machine-{i}").mkdir(parents=True)
        (out / f"machine-{i}/old.json").write_text("old")
    script = edit_script(tmp_path, "bench.sh", machines=3, out=out, pair=pair)
    cluster.output_of("scontrol", "update", "PartitionName=all", "State=DOWN")  # none starts
    submit_script(tmp_path, cluster, script)
    assert not list(out.glob("machine-*/")), "a task that never starts leaves an old machine"
    cluster.output_of("scontrol", "update", "PartitionName=all", "State=UP")
    until_all_ended(cluster)
    assert not (out / "machine-7").exists()
    assert "2 of 3 machines have measured; not there: 2" in (out / "compare.log").read_text()
    logs = "".join(p.read_text() for p in sorted(out.glob("*.log")))
    assert (out / "all/compare.json").exists(), logs
    c = json.loads((out / "all/compare.json").read_text())
    assert [m["name"] for m in c["machines"]] == ["n0", "n1"], logs
    assert {r["verdict"] for r in c["rows"]} == {"code identical"} and c["exit_code"] == 0
