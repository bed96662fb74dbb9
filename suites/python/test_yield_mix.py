"""fuzz --yield: policies are drawn by what an earlier campaign found with each, and --policy takes
several with weights."""

import json

import pytest
from under_test import error, run

FEW = ["--oracle=differential", "--min-yield=0", "--jobs=1", "--seed=3"]


def write_campaign(folder, policy, causes):
    rows = [{"by": "policy", "name": name, "causes": n} for name, n in causes.items()]
    folder.mkdir()
    campaign = {"schema": 3, "policy": policy, "found_by": rows}
    (folder / "campaign.json").write_text(json.dumps(campaign))
    return folder


def policies_of(*words):
    """The policy of each of some programs."""
    text = run("gen", "--seed=3", "--runs=40", *words).stdout
    return [line.split("policy=")[1].split()[0] for line in text.splitlines() if "policy=" in line]


def test_programs_go_where_causes_were(tmp_path):
    before = write_campaign(tmp_path / "before", "chains=1,large=1", {"chains": 40})
    out = tmp_path / "out"
    done = run("fuzz", "--yield", before, "--runs=40", "--out", out, *FEW)
    assert done.returncode == 0, done.stderr
    mix = json.loads((out / "campaign.json").read_text())["policy"]
    assert f"policy {mix}," in done.stderr
    weights = dict(part.split("=") for part in mix.split(","))
    assert set(weights) == {"chains", "large"} and int(weights["chains"]) > int(weights["large"])
    drawn = policies_of("--policy", mix)  # the text alone names the same programs anywhere
    assert set(drawn) <= {"chains", "large"} and drawn.count("chains") > 20
    again = run("fuzz", "--yield", before, "--runs=50", "--out", out, "--resume", *FEW)
    assert again.returncode == 0, again.stderr


def test_a_campaign_says_what_it_drew(tmp_path):
    run("fuzz", "--policy=chains=3,large=1", "--runs=5", "--out", tmp_path / "out", *FEW)
    assert json.loads((tmp_path / "out/campaign.json").read_text())["policy"] == "chains=3,large=1"


@pytest.mark.parametrize(
    "policy, says",
    [
        ("chains=0", "whole numbers from 1 to 1000000"),
        ("chains,large=2", "'chains' has no weight"),
        ("chains=1,chains=2", "is there twice"),
        ("chans=1", "did you mean chains"),
        ("python=1,chains=1", "external engines alone run"),
    ],
)
def test_weights_that_are_none(policy, says, tmp_path):
    assert says in error("fuzz", "--runs=1", "--policy", policy, "--out", tmp_path / "out")


def test_a_campaign_that_says_nothing(tmp_path):
    flags = ["fuzz", "--runs=1", "--out", tmp_path / "out", "--yield"]
    assert "no campaign.json" in error(*flags, tmp_path)
    alone = write_campaign(tmp_path / "alone", "chains", {"chains": 3})
    assert "one policy alone" in error(*flags, alone)
    (alone / "campaign.json").write_text("[1]")
    assert "is no campaign" in error(*flags, alone)
    (alone / "campaign.json").write_text('{"schema": 3, "found_by": [{}]}')
    assert "is no campaign" in error(*flags, alone)
    (alone / "campaign.json").write_text('{"schema": 99, "found_by": []}')
    assert "its schema is 99, and 3 is read" in error(*flags, alone)


def test_selftest_has_no_engine_that_runs_whole_python():
    assert "selftest has none" in error("selftest", "--runs=1", "--policy=python")
