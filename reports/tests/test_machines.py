"""One pair from each of several machines: what holds of machines, few of them, one that is off, and
what is refused."""

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
import samples
from fusillade_reports import (
    compare,
    junit,
    machines,
    machines_truth,
    model,
    off,
    page,
    summary,
    what_changed,
)

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = tuple(f"p{i}" for i in range(6))


def side(name, level, seed, scatter, host, **context):
    entries = [
        samples.entry(
            p, "vm/o2", 1000.0 * level[p], i, processes=6, seed=f"{seed}{name}", scatter=scatter
        )
        for i, p in enumerate(PROGRAMS)
    ]
    b = samples.bench(*entries)
    b["context"] |= {"host_name": host} | context
    b["context"]["noise_floor"] = {"steady": 0.001, "compile": 0.001}
    for e in b["benchmarks"]:
        e["aa"] = {"steady": 1.001, "compile": 1.001}
    return b


def machine(folder, changes, speed=1.0, scatter=0.003, host="", **context):
    """A folder as `compare --commits` leaves it. `changes`: by how much each program's new code
    takes more there."""
    folder.mkdir(parents=True)
    host = host or folder.name
    for name in ("old", "again", "new"):
        level = {
            p: speed * (math.exp(changes.get(p, 0.0)) if name == "new" else 1) for p in PROGRAMS
        }
        data = side(name, level, folder.name, scatter, host, **context)
        (folder / f"{name}.json").write_text(json.dumps(data))
    return str(folder)


def cluster(tmp_path, count, change=0.0, spread=0.0, seed=1, programs=PROGRAMS, **changed):
    """So many machines; the change scatters between them. `changed`: of a machine by its number."""
    noise = random.Random(seed)
    out = []
    for i in range(count):
        mine = {p: noise.gauss(change, spread) for p in programs}
        out.append(machine(tmp_path / f"n{i}", mine, **changed.get(f"n{i}", {})))
    return out


def compare_folders(folders, **options):
    c = machines.compare_machines(folders, compare.Options(**options))
    return c


def check(c, folder):
    """The file is what its schema says, and everything that reports it can."""
    (folder / "compare.json").write_text(json.dumps(c))
    model.load(str(folder / "compare.json"), "compare")
    junit.text(None, [], None, c)
    summary.text(None, None, [], list(what_changed.lines(c)), c)
    page.write(str(folder))
    return (folder / "report/index.html").read_text()


def steady(c):
    return {r["program"]: r for r in c["rows"] if r["metric"] == "steady"}


def test_a_change_on_eight_machines_is_reported(tmp_path):
    c = compare_folders(cluster(tmp_path, 8, 0.05, 0.005, programs=("p1",)))
    rows = steady(c)
    assert c["exit_code"] == 2 and rows["p1"]["verdict"] == "slower", rows["p1"]
    assert {r["verdict"] for p, r in rows.items() if p != "p1"} <= {"same", "ambiguous"}
    assert rows["p1"]["lower"] < math.exp(0.05) < rows["p1"]["upper"]
    assert len(rows["p1"]["machines"]) == 8 and c["paired"]
    text = check(c, tmp_path)
    assert "n3" in text and "What changed" in text


def test_what_machines_differ_by_is_no_change(tmp_path):
    """Five per cent up on four and down on four: great on each machine, and nothing of machines."""
    folders = [machine(tmp_path / f"n{i}", {"p1": 0.05 if i % 2 else -0.05}) for i in range(8)]
    c = compare_folders(folders)
    row = steady(c)["p1"]
    assert c["exit_code"] == 0 and row["verdict"] in ("ambiguous", "unstable")
    assert row["between"] > 0.03 and row["lower"] < 1 < row["upper"]


def test_two_machines_show_hardly_anything_and_say_so(tmp_path):
    c = compare_folders(cluster(tmp_path, 2, 0.05, 0.005, programs=("p1",)))
    row = steady(c)["p1"]
    assert row["verdict"] != "slower" and c["exit_code"] == 3 and row["everywhere"] == "slower"
    assert "Gate steady: 1 timing slower on each machine" in what_changed.terminal(c)
    check(c, tmp_path)
    assert "slower on each of 2 machines, which are too few" in row["reason"]
    assert "2 machines say little of others" in what_changed.terminal(c)


OFF = {
    "ratio": ({"changes": 0.2}, "its ratios are 2"),
    "times": ({"speed": 1.8}, "its times are 80 % above"),
    "noise": ({"scatter": 0.08}, "its A/A is "),
}


@pytest.mark.parametrize("what", sorted(OFF))
def test_a_machine_that_is_off_is_named_and_kept(tmp_path, what):
    changed, reason = OFF[what]
    folders = cluster(tmp_path, 7, 0.05, 0.004)
    more = changed.pop("changes", 0.0)
    folders.append(machine(tmp_path / "n7", dict.fromkeys(PROGRAMS, 0.05 + more), **changed))
    changed |= {"changes": more}
    c = compare_folders(folders)
    by = {m["name"]: m for m in c["machines"]}
    assert [o["what"] for o in by["n7"]["off"]][:1] == [what], by["n7"]
    assert all(not m["off"] for name, m in by.items() if name != "n7")
    assert by["n7"]["off"][0]["told"].startswith(reason)
    assert all("n7" in [m["machine"] for m in r["machines"]] for r in c["rows"])
    text = what_changed.terminal(c)
    assert "WARN Machine n7 is off" in text and "It counts; without it" in text
    assert "Machine n7 is off" in check(c, tmp_path)


def test_what_leaving_it_out_would_change_is_reported(tmp_path):
    folders = cluster(tmp_path, 5, 0.05, 0.003)
    folders.append(machine(tmp_path / "n5", dict.fromkeys(PROGRAMS, -0.5)))
    c = compare_folders(folders)
    (m,) = [m for m in c["machines"] if m["off"]]
    assert c["exit_code"] != 2 and m["name"] == "n5" and m["without"]["exit_code"] == 2
    assert {x["without"] for x in m["without"]["changed"]} == {"slower"}
    assert "would change (exit code 2): " in what_changed.terminal(c)


def test_machines_alike_are_seldom_called_off():
    noise = random.Random(7)
    sets = [[noise.gauss(0, 1) for _ in range(8)] for _ in range(500)]
    assert sum(any(x is not None for x in off.far(s, 0.0)) for s in sets) <= 500 * 0.04
    assert off.far([0.0, 9.0], 0.0) == [None, None]
    assert off.far([0.0, 0.001, 1.0, None], 0.1)[2] is None or off.limit(3) < 1500
    assert off.far([0.0, 0.1, -0.1, 0.05, 0.0, 5.0], 0.1)[5] == pytest.approx(5.0)


def test_two_of_one_side_do_not_hide_each_other():
    values = [0.0, 0.01, -0.01, 0.005, -0.004, 0.002, 0.5, 0.0, 0.003]
    assert [i for i, x in enumerate(off.far(values, 0.1)) if x is not None] == [6]


def test_other_kinds_are_reported(tmp_path):
    folders = cluster(tmp_path, 3)
    other = {**samples.CONTEXT["machine"], "cpu": "Xeon"}
    folders.append(machine(tmp_path / "n3", {}, machine=other, mhz_per_cpu=3600))
    c = compare_folders(folders)
    assert "Processors: AMD EPYC (n0, n1, n2); Xeon (n3)" in c["mixed"]
    assert any(x.startswith("Clocks: n0 2596 MHz") for x in c["mixed"])
    assert "not of one kind" in what_changed.terminal(c)


def test_folders_of_one_machine_count_once(tmp_path):
    folders = cluster(tmp_path, 3)
    folders.append(machine(tmp_path / "again", {}, host="n1"))
    c = compare_folders(folders)
    assert [m["name"] for m in c["machines"]] == ["n0", "n1", "n2"]
    assert len(c["machines"][1]["folders"]) == 2 and "n1 counts once" in what_changed.terminal(c)
    assert len(steady(c)["p0"]["machines"]) == 3
    pods = [machine(tmp_path / f"pod{i}", {}, boot_id=f"b{i // 2}") for i in range(4)]
    assert [len(m["folders"]) for m in compare_folders(pods)["machines"]] == [2, 2]


def edit(folder, name, change):
    path = Path(folder) / f"{name}.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_what_few_machines_all_show_is_not_passed_over(tmp_path):
    """Otherwise the code is the same, which alone passes."""
    folders = cluster(tmp_path, 2, 0.05, 0.005, programs=("p1",))
    for folder in folders:
        for name in ("old", "again", "new"):

            def same(data):
                data["benchmarks"][0]["code"]["program"] = "f00d"

            edit(folder, name, same)
    assert compare_folders(folders)["exit_code"] == 3
    assert compare_folders(folders, gate="compile")["exit_code"] == 0


def test_wrong_outputs_and_lost_timings_of_one_machine_fail_the_gate(tmp_path):
    folders = cluster(tmp_path, 4)

    def wrong(data):
        data["benchmarks"][0]["correctness"]["verdict"] = "mismatch"
        del data["benchmarks"][1]

    edit(folders[2], "new", wrong)
    c = compare_folders(folders)
    rows = steady(c)
    assert c["exit_code"] == 2
    assert (rows["p0"]["verdict"], rows["p1"]["verdict"]) == ("error", "missing")
    assert rows["p0"]["reason"].startswith("n2: outputs") and rows["p1"]["lost"]
    check(c, tmp_path)


def test_a_timing_of_some_machines_is_of_these(tmp_path):
    folders = cluster(tmp_path, 3)

    def without(*numbers):
        def change(data):
            for i in sorted(numbers, reverse=True):
                del data["benchmarks"][i]

        return change

    for name in ("old", "again", "new"):
        edit(folders[0], name, without(0))
        edit(folders[1], name, without(0, 1))
    rows = steady(compare_folders(folders))
    assert rows["p0"]["reason"] == "measured on 1 of at least 2 machines"
    assert len(rows["p1"]["machines"]) == 2 and rows["p1"]["ratio"] is not None


def test_a_count_is_more_where_it_is_more_on_any_machine(tmp_path):
    folders = cluster(tmp_path, 3)
    for i, folder in enumerate(folders):
        for name in ("old", "again", "new"):
            more = 2 if name == "new" and i == 1 else 1

            def with_counts(data, more=more):
                for e in data["benchmarks"]:
                    e["instructions"] = {"compile": 10, "first_call": 10, "steady": 1000 * more}

            edit(folder, name, with_counts)
    c = compare_folders(folders, gate="instructions")
    reason = {r["verdict"] for r in c["rows"] if r["metric"] == "instructions"}
    assert c["exit_code"] == 2 and reason == {"slower"}
    assert "on 1 of 3 machines" in what_changed.terminal(c)


def test_identical_code_everywhere_is_identical(tmp_path):
    folders = cluster(tmp_path, 3)
    for folder in folders:
        for name in ("old", "again", "new"):
            edit(
                folder,
                name,
                lambda data: [e["code"].update(program="f00d") for e in data["benchmarks"]],
            )
    c = compare_folders(folders)
    assert set(c["counts"]) == {"code identical"} and c["exit_code"] == 0


def refusal(folders, **options):
    with pytest.raises(model.Broken) as reason:
        compare_folders(folders, **options)
    return str(reason.value)


def test_what_is_refused(tmp_path):
    one, two, three = cluster(tmp_path, 3)
    assert "at least 2 machines are needed" in refusal([one])
    assert "all of n0" in refusal([one, one])
    assert "is no folder" in refusal([one, f"{tmp_path}/none"])
    assert "holds no pair" in refusal([one, str(tmp_path)])
    for name in ("new", "again"):
        edit(two, name, lambda data: data["context"].update(host_name="elsewhere"))
    assert "a ratio is of one machine" in refusal([one, two])
    Path(two, "new.json").unlink()
    assert "a ratio needs both, of one machine" in refusal([one, two])
    Path(two, "new.json").write_text("{")
    assert "n1/new.json is not JSON" in refusal([one, two])
    for name in ("old", "again", "new"):
        edit(
            three,
            name,
            lambda data: [e.update(program="x" + e["program"]) for e in data["benchmarks"]],
        )
    assert "no timing is of two of these machines" in refusal([one, three])


def test_other_builds_are_other_pairs(tmp_path):
    one, two = cluster(tmp_path, 2)
    for name in ("old", "again", "new"):
        edit(two, name, lambda data: data["context"].update(library_version="9"))
    assert "old is 0.1.0 on n0 and 9 on n1: these are other pairs" in refusal([one, two])


def test_folders_with_a_bench_json_for_each_side(tmp_path):
    folders = cluster(tmp_path, 3)
    for folder in folders:
        for name in ("old", "new"):
            (Path(folder) / name).mkdir()
            Path(folder, f"{name}.json").rename(Path(folder, name, "bench.json"))
        Path(folder, "again.json").unlink()
    c = compare_folders(folders)
    assert not c["paired"] and c["counts"]


def test_what_releases_leaves_needs_no_steady_state(tmp_path):
    """Old and new ran in the same processes there."""
    folders = cluster(tmp_path, 3)
    for folder in folders:
        (Path(folder) / "speed").mkdir()
        for name in ("old", "again", "new"):

            def unsteady(data):
                for e in data["benchmarks"]:
                    for w in e["warmup"]["per_process"]:
                        w["class"] = "no steady state"

            edit(folder, name, unsteady)
            Path(folder, f"{name}.json").rename(Path(folder, "speed", f"{name}.json"))
    c = compare_folders(folders)
    assert c["paired"] and "no steady state" not in c["counts"]


def test_the_command_and_its_files(tmp_path):
    folders = cluster(tmp_path, 4, 0.3, 0.001)
    words = [sys.executable, "-m", "fusillade_reports", "compare", "--machines", *folders]
    done = subprocess.run(
        [*words, "--out", str(tmp_path / "out")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2, done.stderr
    c = model.load(str(tmp_path / "out/compare.json"), "compare")
    assert len(c["machines"]) == 4 and "of which there are 4" in done.stdout
    assert (tmp_path / "out/report/summary.md").exists()
    done = subprocess.run(words[:4], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "required: old, new (or --machines)" in done.stderr


def test_nulls_raise_no_alarm_and_what_was_planted_is_found():
    rows = {(r.noise, r.count): r for r in machines_truth.table(trials=60, counts=(2, 3, 8))}
    for row in rows.values():
        assert row.alarms <= 1 / 60 and row.accused <= 1 / 60, row
        # Of machines of two kinds, some sets are all of one: what they show is of that kind.
        assert row.covered >= 0.93 or row.noise.startswith("two kinds"), row
    assert rows["alike", 8].found[0.05] >= 0.95
    assert rows["alike", 2].found[0.05] < 0.1  # two machines show nothing, and are not said to
