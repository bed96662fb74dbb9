"""Complex numbers within a program, real ones around it: from source and from archives of real
TorchScript, `fusillade run` gives what PyTorch gives, in each plan.
"""

import subprocess

import numpy as np
import pytest
from under_test import BINARY

torch = pytest.importorskip("torch")

PLANS = ["eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)", "jit/o2"]

# Functions of x: f32[2, 64] or as it is said; each gives real tensors.
SPECTROGRAM = "return torch.stft(x, 16, 8, window=torch.hann_window(16), return_complex=True).abs()"
ROPE = """c = torch.view_as_complex(x.float().reshape(x.size(0), 4, 8, 2))
    angles = torch.arange(32.0).reshape(4, 8)
    turned = c * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(2)"""
FILTER = """c = torch.fft.rfft(x)
    kept = torch.zeros([x.size(0), c.size(1)], dtype=torch.cfloat)
    kept[:, :5] = c[:, :5] * 0.5
    return torch.fft.irfft(kept, n=x.size(1))"""
LOOP = """c = torch.complex(x, x)
    for i in range(3):
        c = c * c
    d = torch.complex(x, -x)
    if x.size(0) == 2:
        d = c
    return torch.view_as_real(d)"""
PROGRAMS = {
    "spectrogram": SPECTROGRAM,
    "rope": ROPE,
    "filter": FILTER,
    "loop": LOOP,
    "fftn": "return torch.view_as_real(torch.fft.fftn(x))",
    "rfft2": "return torch.fft.irfft2(torch.fft.rfft2(x) * 2.0)",
    "ifft": "return torch.fft.ifft(torch.fft.fft(x, dim=0), dim=0).real",
    "hfft": "return torch.fft.hfft(torch.fft.fft(x)), torch.fft.ihfft(x, norm='ortho').abs()",
    "shift": "return torch.fft.fftshift(torch.fft.fft(x), dim=-1).abs()",
    "polar": "p = torch.polar(torch.ones_like(x), x)\n    return p.real + p.imag.sin(), p.angle()",
    "quotient": "c = torch.complex(x, x + 1)\n    return torch.view_as_real(c / (c.conj() + 2))",
    "products": """c = torch.complex(x, x * 2)
    return torch.matmul(c, c.t()).imag, torch.view_as_real(c.sum(1)), c.mean(0, True).real""",
    "exp": "return torch.view_as_real(torch.exp(torch.complex(x, x * 3)))",
    "inverse": """w = torch.hann_window(16)
    return torch.istft(torch.stft(x, 16, 4, window=w, return_complex=True), 16, 4, window=w)""",
    "einsum": "c = torch.fft.fft(x)\n    return torch.einsum('ij,kj->ik', [c, c.conj()]).real",
    "joined": """c = [torch.complex(x, x), torch.complex(x, -x)]
    return torch.view_as_real(torch.cat(c, -1)), torch.view_as_real(torch.stack(c, 1))""",
    "shapes": "c = torch.fft.fft(x)\n    return c.unsqueeze(-1).transpose(-1, 0).reshape(-1).abs()",
}
# Of c, complex, and x.
CORNERS = {
    "dtypes": """d = x + 1.0
    if c.dtype == torch.complex64 and c.dtype != torch.complex128:
        d = d * 2.0
    if c.dtype != torch.float32 and x.dtype != torch.complex64 and c.dtype != x.dtype:
        d = d * 3.0
    return d, d + 1.0""",
    "in place": """c += 2.0
    c -= 1
    c[0] = 0.5
    c[x > 0.5] = 0.0
    return torch.view_as_real(c), torch.view_as_real(c.clone().fill_(2.0))""",
    "norms": """return (torch.norm(c), torch.linalg.vector_norm(c, 2, dim=[1]), c.norm(2, [-1]),
        torch.norm(c, 1, [0], True), torch.linalg.norm(c))""",
    "tests": """d = torch.where(x > 0.0, c, float('inf'))
    return (torch.isfinite(d).float(), torch.isnan(d).float(), torch.isinf(d).float(),
        x + float(torch.equal(c, c)) + float(torch.allclose(c, d)))""",
    "joined": """return torch.view_as_real(F.pad(c, [1, 2])), torch.view_as_real(
        torch.cat([torch.hstack([c, x.to(torch.complex64)]), torch.hstack([c, c])]))""",
    "views": """return (torch.view_as_real(c.mT), torch.view_as_real(c.H.resolve_conj()),
        torch.view_as_real(c.diagonal()), torch.view_as_real(c.split([60, 4], dim=1)[1]))""",
    "functions": "return torch.view_as_real((c * 0.25).tanh()), torch.view_as_real(c.sigmoid())",
    "made": """e = torch.eye(64, dtype=torch.cfloat)
    return (torch.view_as_real(torch.addmm(c, c, e)), torch.view_as_real(c.new_zeros([2]) + 1.0),
        torch.view_as_real(torch.full_like(c, 2.0)),
        torch.view_as_real(c.gather(1, (x * 0).long())))""",
}
SIGNAL = np.sin(np.arange(128) * 1.7).astype(np.float32).reshape(2, 64)


def function_of(body):
    return torch.jit.CompilationUnit(f"def f(x: Tensor):\n    {body}\n").f


def run(program, folder, plan="vm/o2", signal=SIGNAL, more=()):
    np.save(folder / "x.npy", signal)
    return subprocess.run(
        [
            BINARY,
            "run",
            program,
            "--plan",
            plan,
            "--in",
            folder / "x.npy",
            "--out",
            folder / "out",
            *more,
        ],
        capture_output=True,
        text=True,
    )


def check(folder, done, wanted):
    assert done.returncode == 0, done.stderr
    several = isinstance(wanted, tuple)
    for i, one in enumerate(wanted if several else (wanted,)):
        got = np.load(folder / "out" / (f"out0.{i}.npy" if several else "out0.npy"))
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, one.numpy(), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_archives(tmp_path, name, plan):
    function = function_of(PROGRAMS[name])
    torch.jit.save(function, str(tmp_path / "p.pt"))
    check(tmp_path, run(tmp_path / "p.pt", tmp_path, plan), function(torch.from_numpy(SIGNAL)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_source(tmp_path, name):
    (tmp_path / "s.py").write_text(
        f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    {PROGRAMS[name]}\n"
    )
    wanted = function_of(PROGRAMS[name])(torch.from_numpy(SIGNAL))
    check(tmp_path, run(tmp_path / "s.py", tmp_path), wanted)


# Of real signals some parts are exactly 0, with the sign that PyTorch's have: angles show it.
ANGLES = {
    "rfft": "c = torch.fft.rfft(x)",
    "rfft of odd": "c = torch.fft.rfft(x, n=63)",
    "rfft of dim": "c = torch.fft.rfft(x, dim=0, norm='ortho')",
    "fft": "c = torch.fft.fft(x)",
    "fft of integers": "c = torch.fft.fft((x * 9.0).long())",
    "fft of a sum": "c = torch.fft.fft(torch.complex(x, torch.zeros_like(x)))",
    "ifft": "c = torch.fft.ifft(x)",
    "ihfft": "c = torch.fft.ihfft(x)",
    "rfft2": "c = torch.fft.rfft2(x)",
    "fftn": "c = torch.fft.fftn(x.reshape(2, 4, 16))",
    "stft": "c = torch.stft(x, 16, 8, center=False, return_complex=True)",
    "stft whole": """c = torch.stft(x, 12, 6, window=torch.hann_window(12), onesided=False,
        center=False, return_complex=True)""",
}


@pytest.mark.parametrize("name", ANGLES)
def test_parts_that_are_zero_are_exactly_zero(tmp_path, name):
    body = ANGLES[name] + "\n    return torch.view_as_real(c.resolve_conj()), c.angle()"
    (tmp_path / "s.py").write_text(
        f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    {body}\n"
    )
    wanted, angles = function_of(body)(torch.from_numpy(SIGNAL))
    check(tmp_path, run(tmp_path / "s.py", tmp_path), (wanted, angles))
    parts = np.load(tmp_path / "out/out0.0.npy")
    at_zero = wanted.numpy() == 0
    assert at_zero.any() and (parts[at_zero] == 0).all()
    assert (np.signbit(parts[at_zero]) == np.signbit(wanted.numpy()[at_zero])).all()


def test_a_frame_that_is_its_own_mirror_has_no_imaginary_part(tmp_path):
    """The first one, where the signal is reflected at its start."""
    body = "return torch.view_as_real(torch.stft(x, 16, 8, return_complex=True))"
    (tmp_path / "s.py").write_text(
        f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    {body}\n"
    )
    wanted = function_of(body)(torch.from_numpy(SIGNAL))
    check(tmp_path, run(tmp_path / "s.py", tmp_path), wanted)
    assert (wanted[:, :, 0, 1] == 0).all()
    assert (np.load(tmp_path / "out/out0.npy")[:, :, 0, 1] == 0).all()


@pytest.mark.parametrize("plan", ["eager", "vm/o2,fuse(loopnest,llvm)"])
@pytest.mark.parametrize("name", CORNERS)
def test_corners(tmp_path, name, plan):
    body = "c = torch.complex(x, x + 1.0)\n    " + CORNERS[name]
    text = f"def f(x: Tensor):\n    {body}\n"
    (tmp_path / "s.py").write_text(
        "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n" + text
    )
    wanted = torch.jit.CompilationUnit(text.replace("F.", "torch.nn.functional.")).f(
        torch.from_numpy(SIGNAL)
    )
    check(tmp_path, run(tmp_path / "s.py", tmp_path, plan), wanted)


class Spectral(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.weight = torch.nn.Parameter(torch.randn(4, 4, 5, dtype=torch.cfloat))
        self.register_buffer("turn", torch.randn(5, dtype=torch.cfloat))

    def forward(self, x):
        f = torch.fft.rfft(x)
        out = torch.zeros([x.size(0), 4, f.size(2)], dtype=torch.cfloat)
        out[:, :, :5] = torch.einsum("bix,iox->box", [f[:, :, :5], self.weight * self.turn])
        return torch.relu(torch.fft.irfft(out, n=x.size(2)))


@pytest.mark.parametrize("plan", PLANS)
def test_complex_parameters_and_buffers(tmp_path, plan):
    module = torch.jit.script(Spectral())
    module.save(str(tmp_path / "p.pt"))
    signal = SIGNAL.reshape(2, 4, 16)
    with torch.no_grad():
        wanted = module(torch.from_numpy(signal))
    check(tmp_path, run(tmp_path / "p.pt", tmp_path, plan, signal), wanted)


def test_gradients_go_through_pairs(tmp_path):
    body = "c = torch.fft.rfft(x)\n    return (c.abs() * c.real).sum()"
    (tmp_path / "s.py").write_text(
        f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    {body}\n"
    )
    done = run(tmp_path / "s.py", tmp_path, "eager", SIGNAL, ["--grad"])
    assert done.returncode == 0, done.stderr
    x = torch.from_numpy(SIGNAL).requires_grad_()
    c = torch.fft.rfft(x)
    (c.abs() * c.real).sum().backward()
    got = np.load(next((tmp_path / "out").glob("grad*.npy")))
    np.testing.assert_allclose(got, x.grad.numpy(), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("plan", ["eager", "vm/o2,autodiff"])
@pytest.mark.parametrize(
    "body",
    [
        "torch.fft.fft(x * 0.0).abs()",
        "torch.view_as_real(torch.fft.fft(x * 0.0).sgn())",
        "torch.stft(x * 0.0, 8, 4, window=torch.hann_window(8), return_complex=True).abs()",
        (
            "torch.istft(torch.stft(x, 8, 4, window=torch.hann_window(8), return_complex=True) * "
            "2.0, 8, 4, window=torch.hann_window(8))"
        ),
    ],
)
def test_gradients_are_numbers_where_parts_are_zero(tmp_path, body, plan):
    """A silent frame, and a window that ends in zero."""
    (tmp_path / "s.py").write_text(
        f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    return {body}\n"
    )
    done = run(tmp_path / "s.py", tmp_path, plan, SIGNAL, ["--grad"])
    assert done.returncode == 0, done.stderr
    x = torch.from_numpy(SIGNAL).requires_grad_()
    eval(body, {"torch": torch, "x": x}).sum().backward()
    got = np.load(next((tmp_path / "out").glob("grad*.npy")))
    np.testing.assert_allclose(got, x.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_engines_outside_judge_them(tmp_path):
    """PyTorch's eager mode gets complex tensors, and agrees within the bound."""
    names = ["spectrogram", "rope", "filter", "quotient", "products", "exp", "joined", "hfft"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(
            f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    {PROGRAMS[name]}\n"
        )
    np.save(tmp_path / "x.npy", SIGNAL)
    done = subprocess.run(
        [
            BINARY,
            "check",
            *[tmp_path / f"{name}.py" for name in names],
            "--in",
            tmp_path / "x.npy",
            "--engine-python",
            "torch=/usr/bin/python3",
            "--plan",
            "torch:eager",
            "--oracle",
            "conformance",
            "--inputs",
            "3",
            "--out",
            tmp_path / "out",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"| ok | {len(names)} |" in done.stdout, done.stdout


@pytest.mark.parametrize(
    "body,why",
    [
        ("return torch.fft.fft(x)", "torch.view_as_real"),
        ("return torch.fft.fft(x).acosh().real", "aten::acosh is not there for complex numbers"),
    ],
)
def test_what_is_not_there_says_so(tmp_path, body, why):
    (tmp_path / "s.py").write_text(
        f"import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n    {body}\n"
    )
    done = run(tmp_path / "s.py", tmp_path)
    assert done.returncode == 1 and why in done.stderr and "s.py" in done.stderr
