"""A sample of PyTorch's operator database and a few models run here with PyTorch's results
(suites/external/pytorch)."""

import json
import subprocess

import pytest
from under_test import PYTHON, ROOT, torch_needed

RUNNER = ROOT / "suites/external/pytorch"
pytestmark = torch_needed

# Families of the database that pass every sample, by words that their names hold.
WHOLE = (
    "addmm,narrow,special.chebyshev_polynomial_t,special.laguerre,special.modified_bessel_k0,"
    "pixel_shuffle,linalg.inv,linalg.lu_factor,"
    "igamma,isreal,fft.fftshift,nn.functional.conv1d,geqrf,linalg.ldl,linalg.lstsq,fft.hfft,"
    "fft.irfft,stft,native_layer_norm,"
    "fractional_max_pool,avg_pool,kthvalue,topk"
)


def report(tmp_path, runner, *words):
    out = tmp_path / "report.json"
    done = subprocess.run(
        [PYTHON, "-W", "ignore", RUNNER / runner, "--out", out, *words],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(out.read_text())


def test_operators_pass_their_samples(tmp_path):
    found = report(tmp_path, "operators.py", "--only", WHOLE, "--share", "6")["operators"]
    assert sum(r["samples"] for r in found) > 60
    assert [r for r in found if r["passed"] < r["samples"]] == []


def test_a_wrong_result_is_seen(tmp_path):
    code = """
import outputs, torch
one = torch.tensor([1.0, float("nan")])
assert outputs.difference(one, one) == ""
assert "elements differ" in outputs.difference(one + 1e-4, one)
assert "elements differ" in outputs.difference(torch.tensor([1.0, 2.0]), one)
assert "sizes" in outputs.difference(one[:1], one)
assert "float64" in outputs.difference(one.double(), one)
assert outputs.difference(torch.tensor([1.001]), torch.tensor([1.002]),
                          exact=torch.tensor([1.0], dtype=torch.float64)) == ""
assert outputs.difference(torch.tensor([1.005]), torch.tensor([1.002]),
                          exact=torch.tensor([1.0], dtype=torch.float64))
"""
    done = subprocess.run(
        [PYTHON, "-c", code], cwd=RUNNER, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    subprocess.run([PYTHON, "-c", "import torchvision"], capture_output=True).returncode != 0,
    reason="python3-torchvision is not installed",
)
def test_models_run(tmp_path):
    found = report(tmp_path, "models.py", "--only", "lstm cell,nn.GRU,squeezenet1_1,lraspp")[
        "models"
    ]
    runs = [
        r[form]
        for r in found
        for form in ("scripted", "traced", "frozen")
        if "unmade" not in r[form]
    ]
    assert len(runs) >= 10 and not any(word for run in runs for word in run.values()), found


def test_models_without_images_are_timed_without_torchvision(tmp_path):
    code = """
import importlib.util, sys
sys.modules["torchvision"] = None  # raises where it is imported
spec = importlib.util.spec_from_file_location("peers", sys.argv[1])
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)
peers.server(sys.argv[2])
"""
    command = [PYTHON, "-W", "ignore", "-c", code, ROOT / "bench/peers/models.py", tmp_path]
    done = subprocess.run(
        command, input="lstm\ntransformer\n", capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and done.stdout == "0.0\n0.0\n", done.stderr[-2000:]
    assert {path.name for path in tmp_path.glob("*.pt")} == {
        f"{m}-{form}.pt" for m in ("lstm", "transformer") for form in ("scripted", "frozen")
    }
    done = subprocess.run(command, input="alexnet\n", capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "torchvision" in done.stderr
