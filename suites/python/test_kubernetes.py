"""The manifests of ci/kubernetes: taken by the schemas of three versions, and played here, each
index as a process with the manifest's own command, environment and volumes, some of them killed.

kubernetes-validate is that of build/recipes (ci/setup.sh --lint); where it is absent its tests are
skipped, and say so.
"""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from pairs import stand_in_for_pairs
from under_test import BINARY, ROOT, run

yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed")
MANIFESTS = sorted((ROOT / "ci/kubernetes").glob("*.yaml"))
TOOLS = ROOT / "build/recipes"
VERSIONS = ("1.30.0", "1.34.0", "1.37.0")
RUNS = 600


def objects(name):
    return list(yaml.safe_load_all((ROOT / "ci/kubernetes" / name).read_text()))


def valid(path, version):
    if not (TOOLS / "kubernetes_validate").is_dir():
        pytest.skip("kubernetes-validate is absent (ci/setup.sh --lint)")
    words = ["/usr/bin/python3", "-m", "kubernetes_validate", "--strict", "-k", version, path]
    env = os.environ | {"PYTHONPATH": str(TOOLS)}
    return subprocess.run(words, capture_output=True, text=True, env=env)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda p: p.stem)
def test_kubernetes_takes_it(path, version):
    done = valid(path, version)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_manifest_is_refused(tmp_path):
    text = MANIFESTS[0].read_text().replace("completionMode:", "completionMod:")
    (tmp_path / "wrong.yaml").write_text(text)
    assert valid(tmp_path / "wrong.yaml", VERSIONS[-1]).returncode != 0


def containers(thing):
    spec = thing["spec"]
    spec = spec.get("jobTemplate", {}).get("spec", spec)
    pod = spec["template"]["spec"] if "template" in spec else {}
    return pod.get("initContainers", []) + pod.get("containers", [])


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda p: p.stem)
def test_walls_and_commands(path):
    """Each container is confined, has all of its scratch in a volume, and a command that a shell
    reads."""
    every = [c for thing in yaml.safe_load_all(path.read_text()) for c in containers(thing)]
    assert every
    for container in every:
        settings = container["securityContext"]
        assert settings["readOnlyRootFilesystem"] and not settings["allowPrivilegeEscalation"]
        assert "/scratch" in [m["mountPath"] for m in container["volumeMounts"]]
        done = subprocess.run(["sh", "-n", "-c", container["command"][2]], capture_output=True)
        assert done.returncode == 0, done.stderr


class Cluster:
    """Plays jobs on this machine. A claim is a folder, whose place takes that of the mount in the
    environment."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin" / "fusillade").symlink_to(Path(BINARY).resolve())

    def pod(self, container, index=None, **changed):
        places = {m["mountPath"]: self.folder / m["name"] for m in container["volumeMounts"]}
        for place in places.values():
            place.mkdir(exist_ok=True)
        env = {e["name"]: e["value"] for e in container["env"]} | changed
        env = {name: str(places.get(value, value)) for name, value in env.items()}
        env |= {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": "/nonexistent"}
        if index is not None:
            env["JOB_COMPLETION_INDEX"] = str(index)
        return subprocess.Popen(
            container["command"], env=env, start_new_session=True, stderr=subprocess.PIPE, text=True
        )

    def play(self, job, kills, **changed):
        """Exit codes of all pods, by index. `kills`: signals that so many of them get."""
        spec = job["spec"]
        (container,) = spec["template"]["spec"]["containers"]
        codes = {index: [] for index in range(spec.get("completions", 1))}
        chance = random.Random(5)
        for index, seen in codes.items():
            while not seen or seen[-1] != 0:
                pod = self.pod(container, index, **changed)
                if kills and not seen:
                    time.sleep(chance.uniform(0.1, 0.6))
                    how = kills.pop()
                    # A kill of the kubelet's takes the whole pod, a wish to stop its first process.
                    (os.killpg if how == signal.SIGKILL else os.kill)(pod.pid, how)
                said = pod.communicate()[1]
                seen.append(pod.returncode)
                # 143: it was ordered to stop before it had started.
                assert pod.returncode in (0, 72, 143, -9), said
                failed = sum(code not in (0, 72) for code in seen)
                assert failed <= spec["backoffLimitPerIndex"], said
        return codes


def test_eight_indices_of_which_some_are_killed_are_one_campaign(tmp_path):
    _, job, merge = objects("campaign.yaml")
    cluster = Cluster(tmp_path)
    flags = f"--seed 7 --runs {RUNS} --jobs 1"
    kills = [signal.SIGKILL, signal.SIGTERM] * 3
    codes = cluster.play(job, kills, FLAGS=flags)
    assert len(codes) == 8 and any(len(seen) > 1 for seen in codes.values())
    (wait,) = merge["spec"]["template"]["spec"]["initContainers"]
    waited = cluster.pod(wait)
    assert waited.wait(60) == 0
    (container,) = merge["spec"]["template"]["spec"]["containers"]
    merged = cluster.pod(container)
    said = merged.communicate()[1]
    assert merged.returncode in (0, 2) and "8 of 8 shards" in said, said
    one = tmp_path / "one"
    run("fuzz", *flags.split(), "--out", one)
    merged, whole = (
        json.loads((folder / "campaign.json").read_text()) for folder in (tmp_path / "out/all", one)
    )
    assert merged["programs"] == whole["programs"] == RUNS
    assert [f["bucket"] for f in merged["findings"]] == [f["bucket"] for f in whole["findings"]]


def test_the_wait_ends_with_its_time(tmp_path):
    merge = objects("campaign.yaml")[2]
    (wait,) = merge["spec"]["template"]["spec"]["initContainers"]
    assert Cluster(tmp_path).pod(wait, MOST_SECONDS="5").wait(60) == 0


def test_a_night_has_a_folder_and_a_seed(tmp_path):
    night, morning = objects("nightly.yaml")
    cluster = Cluster(tmp_path)
    job = night["spec"]["jobTemplate"]
    job["spec"]["completions"] = 2
    cluster.play(job, [], FLAGS="--runs 40 --jobs 1", SHARDS="2")
    (container,) = morning["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    merged = cluster.pod(container)
    assert "2 of 2 shards" in merged.communicate()[1]
    (whole,) = (tmp_path / "out/nights").glob("*/all/campaign.json")
    date = whole.parent.parent.name
    assert json.loads(whole.read_text())["seed"] == int(date.replace("-", ""))


def test_pairs_of_two_nodes_are_one_comparison(tmp_path):
    bench, joining = objects("bench.yaml")
    cluster = Cluster(tmp_path)
    (tmp_path / "bin/fusillade").unlink()
    stand_in_for_pairs(tmp_path / "bin/fusillade", "JOB_COMPLETION_INDEX")
    bench["spec"]["completions"] = 2
    codes = cluster.play(bench, [], PAIR="compare --commits old new")
    assert codes == {0: [0], 1: [0]}
    (wait,) = joining["spec"]["template"]["spec"]["initContainers"]
    assert cluster.pod(wait, MACHINES="2").wait(60) == 0
    (container,) = joining["spec"]["template"]["spec"]["containers"]
    (tmp_path / "out/speed/machine-7").mkdir()  # of an earlier run
    joined = cluster.pod(container, MACHINES="3")
    said = joined.communicate()[1]
    assert joined.returncode == 0 and "2 of 3 machines have measured; not there: 2" in said, said
    c = json.loads((tmp_path / "out/speed/all/compare.json").read_text())
    assert [m["name"] for m in c["machines"]] == ["0", "1"]


def test_each_pair_has_a_node_of_its_own():
    spec = objects("bench.yaml")[0]["spec"]["template"]
    (rule,) = spec["spec"]["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert rule["labelSelector"]["matchLabels"] == spec["metadata"]["labels"]
    settings = spec["spec"]["containers"][0]["resources"]
    assert settings["requests"] == settings["limits"]
