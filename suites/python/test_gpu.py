"""Back end cuda from outside, on the driver of suites/stand_in: ci/gpu.sh with and without a GPU,
campaigns, what is said."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from under_test import BINARY, ROOT

STAND_IN = Path(BINARY).resolve().parent / "libcuda_stand_in.so"
ON_STAND_IN = {
    name: str(STAND_IN) for name in ("FUSILLADE_CUDA_DRIVER", "FUSILLADE_NVRTC", "FUSILLADE_CUBLAS")
}
stand_in_needed = pytest.mark.skipif(
    not STAND_IN.exists(), reason=f"no {STAND_IN}: the target cuda_stand_in builds it"
)


def run(*args, **env):
    words = [str(a) for a in args]
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
        env={**os.environ, "FUSILLADE_BINARY": BINARY, **env},
    )


def test_without_a_gpu_the_script_skips(tmp_path):
    """Nor is there, on any machine, one of that number."""
    done = run("ci/gpu.sh", "--out", tmp_path / "out", FUSILLADE_CUDA_DEVICE="1000")
    assert done.returncode == 0, done.stdout + done.stderr
    reason = json.loads((tmp_path / "out/gpu.json").read_text())["skipped"]
    assert reason and done.stdout.splitlines()[-1] == f"gpu: SKIP: {reason}"


def test_words_that_the_script_does_not_know(tmp_path):
    done = run("ci/gpu.sh", "--fast", "1")
    assert done.returncode == 1 and "unknown word '--fast'; legal: --out" in done.stderr
    assert run("ci/gpu.sh", "--out").returncode == 1


@stand_in_needed
def test_the_whole_script(tmp_path):
    done = run(
        "ci/gpu.sh",
        "--out",
        tmp_path / "out",
        "--runs",
        4,
        "--megabytes",
        0.02,
        "--rounds",
        1,
        "--cases",
        "suites/regress/c*.case",
        **ON_STAND_IN,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads((tmp_path / "out/gpu.json").read_text())
    assert data["gpu"]["name"] == "stand-in for a GPU" and data["gpu"]["capability"] == 90
    assert len(data["driver"]) == 8 and not [t for t in data["driver"] if t["failure"]]
    assert [b["name"].split("/")[0] for b in data["benchmarks"]] == [
        "ratio_iou",
        "softmax_scale",
        "layer_norm",
    ]
    assert all(
        b["launches"] == 1 and b["verdict"] == "ok" and b["median_milliseconds"] > 0
        for b in data["benchmarks"]
    )
    assert data["benchmarks"][0]["bytes"] == 9 * 4 * int(0.02 * (1 << 20) / 4)
    assert all(
        b["eager"]["launches"] > b["fused"]["launches"] == 1 and b["eager"]["operators_on_cpu"] == 0
        for b in data["benchmarks"]
    )
    assert data["conformance"]["exit_code"] == 0 and data["conformance"]["ok"] > 8
    assert "gpu: SKIP beside PyTorch: " in done.stdout and "pytorch" not in data
    assert set(data["campaigns"]) == {"differential", "ring", "groups", "there"}
    assert data["campaigns"]["there"]["operators_as_kernels"] > 5
    for name, campaign in data["campaigns"].items():
        assert (
            campaign["exit_code"] == 0 and campaign["programs"] == 4 and campaign["findings"] == []
        ), name
    assert data["campaigns"]["groups"]["launches"] > 10


@stand_in_needed
def test_a_driver_that_fails_fails_the_script(tmp_path):
    """The first launch of each process ends with an illegal address."""
    done = run(
        "ci/gpu.sh",
        "--out",
        tmp_path / "out",
        "--runs",
        1,
        "--megabytes",
        0.1,
        "--rounds",
        1,
        "--cases",
        "suites/regress/c*.case",
        **ON_STAND_IN,
        CUDA_STAND_IN_FAULT_AT="1",
    )
    assert done.returncode == 2 and "gpu: SKIP: " not in done.stdout
    data = json.loads((tmp_path / "out/gpu.json").read_text())
    failures = {t["what"]: t["failure"] for t in data["driver"] if t["failure"]}
    assert "CUDA_ERROR_ILLEGAL_ADDRESS (700)" in failures["runs kernels in order"]
    assert "is lost to this process" in failures["gives memory that is kept"]
    assert data["benchmarks"] == []
    assert [bucket.rsplit("-", 1)[0] for bucket in data["campaigns"]["groups"]["findings"]] == [
        "bug-backend-cuda"
    ]


@stand_in_needed
@pytest.mark.parametrize("fuser, runs, launches", [("pointwise", 25, 20), ("tile", 25, 20)])
def test_a_campaign_finds_nothing(tmp_path, fuser, runs, launches):
    done = run(
        BINARY,
        "fuzz",
        "--plan",
        f"vm/o2,fuse({fuser},cuda)",
        "--runs",
        runs,
        "--seed",
        4,
        "--out",
        tmp_path / "out",
        **ON_STAND_IN,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        json.loads((tmp_path / "out/campaign.json").read_text())["reach"]["guards"][
            "kernel/cuda-launched"
        ]
        > launches
    )


def judgements(verdicts):
    return sum(n for n in verdicts.values() if isinstance(n, int)) + sum(verdicts["skip"].values())


@stand_in_needed
def test_a_lost_gpu_is_a_finding_and_nothing_else_is_lost(tmp_path):
    """The 12th launch of a process loses it the GPU. The next worker goes on behind that plan: as
    many judgements as without."""
    data = {}
    for name, fault in {"whole": {}, "lost": {"CUDA_STAND_IN_FAULT_AT": "12"}}.items():
        done = run(
            BINARY,
            "fuzz",
            "--plan",
            "vm/o2,fuse(pointwise,cuda)",
            "--runs",
            24,
            "--seed",
            4,
            "--oracle",
            "differential",
            "--oracle",
            "ring",
            "--out",
            tmp_path / name,
            **ON_STAND_IN,
            **fault,
        )
        assert done.returncode == (2 if fault else 0), done.stdout + done.stderr
        data[name] = json.loads((tmp_path / name / "campaign.json").read_text())
    whole, lost = data["whole"], data["lost"]
    assert whole["programs"] == lost["programs"] == 24
    assert whole["reach"]["guards"]["kernel/cuda-launched"] > 24
    assert judgements(whole["verdicts"]) == judgements(lost["verdicts"])
    assert lost["verdicts"]["bug"] > 1 and not whole["verdicts"].get("bug")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in "".join(
        f.read_text() for f in (tmp_path / "lost").rglob("original.case")
    )


def outputs(path, out, **env):
    done = run(
        BINARY,
        "run",
        path,
        "--plan",
        "vm/o2,fuse(tile,cuda)",
        "--rand",
        "f32[5,33]",
        "--seed",
        4,
        "--out",
        out,
        **env,
    )
    assert done.returncode == 0, done.stderr
    return np.load(out / "out0.npy")


def needs(**env):
    rows = {
        r["name"]: r for r in json.loads(run(BINARY, "list", "backends", "--json", **env).stdout)
    }
    assert not rows["cuda"]["drawn"]
    return rows["cuda"]["needs"]


@stand_in_needed
def test_what_is_missing_is_said_and_groups_run_node_by_node(tmp_path):
    program = ROOT / "bench/programs/softmax_scale.py"
    here = outputs(program, tmp_path / "here", **ON_STAND_IN)
    absent = {**ON_STAND_IN, "CUDA_STAND_IN_VERSION": "12080"}
    assert "stand-in for a GPU (sm_90)" in needs(**ON_STAND_IN) and f"cuBLAS: {STAND_IN}" in needs(
        **ON_STAND_IN
    )
    assert "cuBLAS: " in needs(**{**ON_STAND_IN, "FUSILLADE_CUBLAS": "/nowhere/libcublas.so"})
    assert "is for CUDA 12.8; what NVRTC makes needs one for 13.0 or newer" in needs(**absent)
    np.testing.assert_allclose(
        outputs(program, tmp_path / "absent", **absent), here, rtol=1e-5, atol=1e-6
    )
    wrong = run(
        BINARY,
        "run",
        program,
        "--plan",
        "vm/o2,fuse(tile,cuda)",
        "--rand",
        "f32[5,33]",
        "--out",
        tmp_path / "wrong",
        FUSILLADE_CUDA_DRIVER="/nowhere/libcuda.so",
    )
    assert wrong.returncode == 1 and "option cuda_driver: /nowhere/libcuda.so" in wrong.stderr


@stand_in_needed
def test_kernels_are_printed_with_what_the_compiler_made():
    said = run(
        BINARY,
        "opt",
        "bench/programs/softmax_scale.py",
        "--kernels",
        "vm/o2,fuse(tile,cuda)",
        "--rand",
        "f32[3,40]",
        **ON_STAND_IN,
    )
    assert said.returncode == 0, said.stderr
    assert (
        "__global__" in said.stdout and "// kernel_0: 1 registers, 0 bytes of local" in said.stdout
    )
