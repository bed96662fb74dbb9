"""Functions of torch.nn.functional and of torch against PyTorch 1.13.1: one generated program holds
a call of each.

PyTorch scripts the program and runs it; `fusillade run` does under several plans. Functions that
PyTorch's own scripter compiles from Python, ours takes from engine/front/nn: both must take the
same calls.
"""

import importlib.util
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from under_test import BINARY

PLANS = ["vm", "vm/o2,fuse(loopnest,llvm)"]

HEAD = """import torch
import torch.nn.functional as F
from torch import Tensor
from typing import List


def main() -> List[Tensor]:
    v = torch.arange(6.0) - 2.5
    m = torch.arange(6.0).view(2, 3)
    line = torch.arange(12.0).view(1, 2, 6)
    image = torch.arange(32.0).view(1, 2, 4, 4) / 7
    square = torch.arange(8.0).view(1, 2, 2, 2)
    p = torch.tensor([[0.2, 0.8], [0.5, 0.5]])
    q = torch.tensor([[0.4, 0.6], [0.9, 0.1]])
    sign = torch.tensor([1.0, -1.0])
    classes = torch.tensor([0, 2])
    table = torch.arange(12.0).view(4, 3)
    total = "sum" if len(classes) > 1 else "none"
    return [
"""

CALLS = """
F.pad(m, (1, 2))
F.pad(line, [1, 2, 0, 1], "constant", 2.5)
F.pad(line, (1, 1), mode="reflect")
F.pad(line, (1, 1), mode="replicate")
F.pad(line, (1, 1), mode="circular")
F.pad(image, (1, 2, 1, 1), mode="reflect")
F.pad(line, (-1, 1))
F.normalize(m)
F.normalize(m, p=1.0, dim=0, eps=1e-6)
F.interpolate(square, scale_factor=2.0)
F.interpolate(square, size=[3, 5])
F.interpolate(square, size=(3, 5), mode="nearest")
F.interpolate(square, size=3)
F.interpolate(square, size=[3, 5], mode="bilinear", align_corners=False)
F.interpolate(square, scale_factor=2.0, mode="bilinear", align_corners=True)
F.interpolate(image, scale_factor=0.5)
F.interpolate(image, scale_factor=[1.5, 0.7], mode="bilinear")
F.interpolate(image, scale_factor=1.7, recompute_scale_factor=True)
F.interpolate(line, size=4, mode="linear")
F.interpolate(line, scale_factor=1.1, mode="linear")
F.interpolate(image, scale_factor=1.1)
F.interpolate(image, scale_factor=[1.1, 2.1])
F.interpolate(image, scale_factor=1.1, mode="nearest-exact")
F.interpolate(image, scale_factor=[1.1, 1.7], mode="bilinear")
F.interpolate(image, scale_factor=[2.1, 1.1], mode="bicubic")
F.interpolate(line, size=9)
F.interpolate(square.unsqueeze(0), scale_factor=2.0, mode="trilinear")
F.interpolate(image, size=[2, 3], mode="area")
F.upsample(square, scale_factor=2.0)
F.softmax(m)
F.softmax(m, dim=1, dtype=torch.float64)
F.log_softmax(line)
F.softmin(m, dim=1)
F.relu(v.clone(), inplace=True)
F.relu_(v.clone())
F.leaky_relu(v, 0.2)
F.elu(v, alpha=0.5)
F.selu(v)
F.celu(v, alpha=2.0)
F.gelu(v)
F.gelu(v, approximate="tanh")
F.silu(v)
F.mish(v)
F.hardtanh(v, -1.5, 1.5)
F.relu6(v * 4)
F.hardswish(v)
F.hardsigmoid(v)
F.hardshrink(v, 1.0)
F.softshrink(v, 0.7)
F.tanhshrink(v)
F.threshold(v, 0.5, 20.0)
F.prelu(v, torch.tensor([0.25]))
F.rrelu(v)
F.glu(v, dim=0)
F.softplus(v, 2.0, 4.0)
F.softsign(v)
F.logsigmoid(v)
F.sigmoid(v)
F.tanh(v)
F.linear(m, torch.ones(4, 3), torch.arange(4.0))
F.bilinear(m, m, torch.ones(4, 3, 3))
F.conv1d(line, torch.ones(3, 2, 2), stride=2, padding=1)
F.conv1d(line, torch.ones(3, 2, 3), padding="same")
F.conv2d(image, torch.ones(4, 1, 2, 2), torch.arange(4.0), stride=(1, 2), groups=2)
F.conv_transpose1d(line, torch.arange(12.0).view(2, 3, 2), stride=2)
F.conv_transpose2d(image, torch.arange(24.0).view(2, 3, 2, 2), stride=2, output_padding=1)
F.conv_transpose2d(image, torch.arange(8.0).view(2, 1, 2, 2), torch.ones(2), padding=1, groups=2, \
dilation=2)
F.max_pool1d(line, 2)
F.max_pool2d(image, (2, 2), stride=1, padding=1)
F.avg_pool1d(line, 2)
F.avg_pool2d(image, 3, 1, 1, count_include_pad=False)
F.adaptive_avg_pool1d(line, 4)
F.adaptive_avg_pool2d(image, (1, 3))
F.adaptive_max_pool1d(line, 4)
F.adaptive_max_pool2d(image, (3, 2))
F.alpha_dropout(v, 0.5, False)
F.lp_pool1d(line, 2.0, 2)
F.lp_pool2d(image, 2.0, 2)
F.unfold(image, 2, stride=2)
F.pixel_shuffle(torch.arange(16.0).view(1, 4, 2, 2), 2)
F.pixel_unshuffle(torch.arange(16.0).view(1, 1, 4, 4), 2)
F.one_hot(classes, 4)
F.embedding(classes, table, padding_idx=0)
F.dropout(v, 0.5, False)
F.dropout2d(image, 0.5, False)
F.batch_norm(line, torch.zeros(2), torch.ones(2), training=True)
F.batch_norm(line, torch.zeros(2), torch.ones(2), torch.ones(2), torch.ones(2))
F.instance_norm(line)
F.layer_norm(line, [2, 6])
F.layer_norm(line, line.shape[1:], torch.ones(2, 6), torch.ones(2, 6), 1e-3)
F.group_norm(torch.arange(24.0).view(2, 4, 3), 2)
F.local_response_norm(torch.arange(24.0).view(2, 4, 3), 2)
F.cosine_similarity(m, m + 1)
F.pairwise_distance(m, m * 2)
F.cross_entropy(m, classes, reduction="sum", label_smoothing=0.1)
F.cross_entropy(m, torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))
F.nll_loss(m, classes, reduction="none")
F.mse_loss(v, v * 2)
F.l1_loss(v, v * 3, reduction="sum")
F.smooth_l1_loss(v, v * 1.5, beta=0.7)
F.huber_loss(v, v * 3, delta=2.0)
F.binary_cross_entropy(p, q)
F.binary_cross_entropy_with_logits(p, q, pos_weight=torch.tensor([2.0, 1.0]))
F.kl_div(p.log(), q, reduction="batchmean")
F.kl_div(p.log(), q, reduction="sum")
F.kl_div(p.log(), q, reduction=total)
F.kl_div(p.log(), q, size_average=False)
F.kl_div(p.log(), q, reduce=False)
F.l1_loss(v, v * 3, reduction=total)
F.nll_loss(m, classes, reduction=total)
F.mse_loss(v, v * 2, size_average=False)
F.mse_loss(v, v * 2, None, False)
F.smooth_l1_loss(v, v * 2, True, True, "sum")
F.binary_cross_entropy(p, q, torch.tensor([1.0, 2.0]), reduction=total)
F.binary_cross_entropy(p, q, size_average=False)
F.binary_cross_entropy_with_logits(p, q, reduce=False)
F.multilabel_soft_margin_loss(p, q, reduce=False)
F.margin_ranking_loss(p[0], q[0], sign, size_average=False)
F.poisson_nll_loss(p, q)
F.poisson_nll_loss(p, q * 9, log_input=False, full=True)
F.gaussian_nll_loss(p, q, torch.ones(2, 2))
F.margin_ranking_loss(p[0], q[0], sign, margin=0.1)
F.hinge_embedding_loss(p[0], sign)
F.soft_margin_loss(p[0], sign)
F.triplet_margin_loss(p, q, p * 3)
F.cosine_embedding_loss(p, q, sign)
F.multilabel_soft_margin_loss(m, torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]))
torch.eye(3)
torch.eye(2, 3)
torch.linspace(0.0, 2.0, 7)
torch.nonzero(m > 2)
m.nonzero()
torch.cumprod(m, 1)
torch.diag(v)
torch.diag(m)
torch.trace(m)
torch.vstack([v, v])
torch.hstack([m, m])
m.tile([2, 1, 2])
torch.count_nonzero(m)
torch.bincount(torch.tensor([1, 3, 1]))
m.repeat_interleave(2, 1)
torch.median(v)
torch.linalg.norm(m, 1)
torch.linalg.norm(m, ord=float("inf"))
torch.linalg.norm(image, -1, dim=(-1, 1), keepdim=True)
torch.channel_shuffle(torch.arange(16.0).view(1, 4, 2, 2), 2)
torch.cdist(p, q)
F.interpolate(square, size=[3, 5], mode="bicubic")
F.interpolate(square, scale_factor=1.5, mode="bicubic", align_corners=True)
F.conv3d(torch.arange(36.0).view(1, 1, 3, 3, 4), torch.arange(16.0).view(2, 1, 2, 2, 2), \
torch.ones(2), padding=1)
F.conv_transpose3d(image.unsqueeze(0), torch.arange(8.0).view(1, 1, 2, 2, 2), stride=2)
F.max_pool3d(image, 2)
F.avg_pool3d(image, 2, 1, 1, count_include_pad=False)
F.adaptive_avg_pool3d(image, (1, 2, 3))
F.adaptive_max_pool3d(image, 2)
F.max_unpool2d(square, torch.tensor([[[[0, 2], [8, 10]], [[5, 7], [13, 15]]]]), 2)
F.max_unpool1d(torch.ones(1, 1, 2), torch.tensor([[[1, 2]]]), 2, output_size=[5])
F.grid_sample(image, torch.linspace(-1.2, 1.1, 18).view(1, 3, 3, 2), align_corners=False)
F.grid_sample(image, torch.linspace(-1.2, 1.1, 18).view(1, 3, 3, 2), mode="nearest", \
padding_mode="border", align_corners=True)
F.grid_sample(image, torch.linspace(-1.2, 1.1, 18).view(1, 3, 3, 2), mode="bicubic", \
align_corners=False)
F.grid_sample(image, torch.linspace(-1.2, 1.1, 18).view(1, 3, 3, 2), "bicubic", "reflection", True)
F.grid_sample(image[:0], torch.zeros(0, 4, 5, 2), align_corners=False)
F.grid_sample(image[:0], torch.zeros(0, 4, 5, 2), mode="bicubic", align_corners=False)
F.grid_sample(image[:0].unsqueeze(2), torch.zeros(0, 2, 3, 4, 3), mode="nearest", \
align_corners=True)
F.grid_sample(image, torch.zeros(1, 0, 5, 2), align_corners=False)
torch.fft.fftfreq(5)
torch.fft.fftfreq(6, 0.5, dtype=torch.float64)
torch.fft.rfftfreq(7, d=0.3)
torch.arange(6.0).resize_as_(m) + 1
torch.zeros_like(m, layout=m.layout) + (1 if m.layout == torch.strided else 2)
F.affine_grid(torch.tensor([[[0.5, 0.2, 0.1], [0.0, 1.0, -0.5]]]), [1, 1, 2, 3], \
align_corners=False)
F.embedding_bag(classes, table, torch.tensor([0, 1]), mode="sum")
F.embedding_bag(torch.tensor([[0, 1], [2, 3]]), table, mode="max", padding_idx=1)
F.embedding_bag(torch.tensor([0, 1, 2]), table, torch.tensor([0, 1, 1]))
F.ctc_loss(torch.log_softmax(torch.arange(24.0).view(4, 2, 3), 2), torch.tensor([[1, 2], [2, 1]]), \
torch.tensor([4, 3]), torch.tensor([2, 1]))
torch.einsum("ij,jk->ik", [m, m.t()])
torch.einsum("bij,bjk->bik", [line, line.transpose(1, 2)])
torch.einsum("...ij->...", [image])
torch.einsum("ii", [torch.ones(3, 3)])
torch.einsum("i,j,ij->", [v[:2], v[:3], m])
torch.clip(v, -1.0, 1.0)
v.clip(min=0.0)
v.clone().clip_(0.0, 1.0)
torch.absolute(v)
torch.arctan2(v, v + 1)
torch.multiply(v, 2.0)
torch.true_divide(v, 2)
torch.subtract(v, v, alpha=2)
torch.greater_equal(v, 0.5)
torch.special.expit(v)
torch.concat([m, m], 1)
torch.moveaxis(image, 1, 3)
torch.atleast_3d(v)
m.diagonal(1)
torch.cross(torch.ones(2, 3), m)
torch.quantile(m, 0.4, 1)
m.median(1)[0]
m.kthvalue(2, 1)[1]
torch.searchsorted(v, m)
torch.bucketize(m, v, right=True)
torch.logcumsumexp(m, 1)
torch.isclose(m, m + 1e-9)
torch.meshgrid([v, v[:2]])[1]
torch.cartesian_prod([v[:2], v[:3]])
torch.tril_indices(3, 3)
torch.inverse(torch.tensor([[2.0, 1.0], [1.0, 3.0]]))
torch.det(torch.tensor([[2.0, 1.0], [1.0, 3.0]]))
m.clone().renorm_(2, 0, 1.0)
torch.asinh(v)
torch.take_along_dim(m, classes.view(2, 1), 1)
torch.std_mean(m)[0]
torch.hann_window(5)
torch.tensor([torch.equal(m, m.clone()), torch.allclose(v, v + 1e-3), torch.allclose(v, v + 1e-7)])
F.max_pool2d(image, 2, return_indices=True)[1]
F.max_pool1d(line, 2, 2, 0, 1, False, True)[1]
F.adaptive_max_pool2d(image, (2, 2), return_indices=True)[1]
F._scaled_dot_product_attention(square, square, square, None, 0.0, True, True)[1]
F.multi_head_attention_forward(line.view(2, 3, 2), line.view(2, 3, 2), line.view(2, 3, 2), 2, 1, \
table.view(6, 2), None, None, None, True, 0.0, p, sign, False)[0]
F.multi_head_attention_forward(line.view(2, 3, 2), line.view(2, 3, 2), line.view(2, 3, 2), 2, 2, \
table.view(6, 2), v, None, None, False, 0.0, p, None, False, attn_mask=q, \
average_attn_weights=False)[0]
torch.linalg.norm(m, dim=1)
torch.linalg.norm(m, "fro")
torch.linalg.inv(p)
torch.linalg.cross(m, m + 1)
torch.special.entr(p)
torch.special.erfinv(p)
torch.special.i0e(v)
torch.frexp(v)[0]
torch.tensor([t.is_contiguous(memory_format=torch.channels_last) for t in [m, image, \
image.permute(0, 3, 1, 2), image.permute(0, 2, 3, 1), image[:, :1]]])
torch.tensor([image.view(1, 2, 4, 2, 2).permute(0, 4, 1, 2, 3).is_contiguous(memory_format=f) \
for f in [torch.contiguous_format, torch.channels_last, torch.channels_last_3d]])
torch.tensor([line.is_contiguous(memory_format=torch.contiguous_format), \
line.mT.is_contiguous(memory_format=torch.contiguous_format)])
torch.stft(v, 4, return_complex=False)
torch.stft(m, 3, 1, 2, v[:2], pad_mode="constant", normalized=True, return_complex=False)
torch.stft(v, 4, center=False, onesided=False, return_complex=False)
v.stft(4, return_complex=False)
torch.gradient(m)[1]
torch.nextafter(v, -v)
v.type(torch.float64)
v.sum_to_size(1)
torch.FloatTensor([1, 2])
m[slice(None), slice(0, 2)]
""".strip().splitlines()


def program(folder, calls):
    path = folder / "calls.py"
    path.write_text(HEAD + "".join(f"        {call},\n" for call in calls) + "    ]\n")
    spec = importlib.util.spec_from_file_location("calls", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["calls"] = module
    spec.loader.exec_module(module)
    return path, module


@pytest.mark.filterwarnings("ignore")
def test_calls_agree_with_torchscript(tmp_path):
    path, module = program(tmp_path, CALLS)
    scripted = torch.jit.script(module.main)
    with torch.jit.optimized_execution(
        False
    ):  # optimising a program this long takes PyTorch minutes
        expected = [t.numpy() for t in scripted()]
    assert len(expected) == len(CALLS)
    for plan in PLANS:
        out = tmp_path / "out"
        text = subprocess.run(
            [BINARY, "run", str(path), "--fn", "main", "--plan", plan, "--out", str(out)],
            capture_output=True,
            text=True,
        )
        assert text.returncode == 0, text.stderr
        for i, (call, want) in enumerate(zip(CALLS, expected)):
            got = np.load(out / f"out0.{i}.npy")
            assert got.dtype == want.dtype and got.shape == want.shape, (plan, call)
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6, err_msg=f"{plan} {call}")


@pytest.mark.filterwarnings("ignore")
def test_saved_calls_run_in_pytorch(tmp_path):
    """An archive holds what the library's functions consist of, under PyTorch's names of them."""
    path, module = program(tmp_path, CALLS)
    subprocess.run(
        [BINARY, "save", str(path), "--fn", "main", "--out", str(tmp_path / "calls.pt")], check=True
    )
    with torch.jit.optimized_execution(False):
        saved = torch.jit.load(str(tmp_path / "calls.pt"))()
        expected = torch.jit.script(module.main)()
    assert len(saved) == len(expected) == len(CALLS)
    for call, got, want in zip(CALLS, saved, expected):
        assert got.dtype == want.dtype and got.shape == want.shape, call
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-5, atol=2e-6, err_msg=call)


RAISING = """
F.batch_norm(m[:1], None, None, training=True)
F.batch_norm(m[:1].view(1, 3, 1), torch.zeros(3), torch.ones(3), training=True)
F.instance_norm(line[:, :, :1])
F.instance_norm(m)
F.instance_norm(image[:, :, :1, :1], torch.zeros(2), torch.ones(2))
F.group_norm(image[:, :, :1, :1], 2)
F.group_norm(m[:1], 3)
F.binary_cross_entropy(p * 2, q)
F.binary_cross_entropy(p - 0.3, q, reduction="none")
F.binary_cross_entropy(p / 0, q, reduction="sum")
F.binary_cross_entropy(p * float("nan"), q)
F.binary_cross_entropy(p, q[:1])
F.binary_cross_entropy_with_logits(p, q[:, :1], reduction="none")
nn.BatchNorm1d(3)(m[:1])
nn.BatchNorm1d(3, track_running_stats=False).eval()(m[:1])
nn.BatchNorm2d(2)(image[:, :, :1, :1])
nn.BatchNorm3d(2, affine=False)(image[:, :, :1, :1].unsqueeze(-1))
nn.InstanceNorm1d(2)(line[:, :, :1])
nn.InstanceNorm1d(2)(line[0, :, :1])
nn.InstanceNorm2d(2, track_running_stats=True)(image[:, :, :1, :1])
nn.InstanceNorm3d(2)(image[:, :, :1, :1].unsqueeze(-1))
nn.GroupNorm(2, 2)(image[:, :, :1, :1])
nn.BCELoss()(p + 0.5, q)
nn.BCELoss()(p, q[0])
nn.BCEWithLogitsLoss()(p, q[0])
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", RAISING)
def test_what_raises_does_with_pytorchs_words(call, tmp_path):
    """Variances over one value, losses of what is no probability or of another size, also from an
    archive that PyTorch runs."""
    head = (
        HEAD.replace("main()", "forward(self)")
        .replace("\n    ", "\n        ")
        .replace("\ndef", "\n    def")
    )
    statement = "pass"
    if call.startswith("nn."):
        cut = call.rindex(")(") + 1
        statement, call = f"self.layer = {call[:cut]}", "self.layer" + call[cut:]
    setup = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        {statement}\n"
    )
    head = head.replace("\n    def", f"\nfrom torch import nn\n\n\n{setup}\n    def", 1)
    path = tmp_path / "net.py"
    path.write_text(head + f"        {call},\n    ]\n")
    spec = importlib.util.spec_from_file_location("net", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(Exception) as raised:
        torch.jit.script(module.Net())()
    wanted = str(raised.value).strip().split("\n")[-1].split("Error: ")[-1]
    assert wanted.startswith(
        ("Expected more than 1", "all elements of input", "Using a target size", "Target size")
    )
    kind = "RuntimeError: " if wanted.startswith("all") else "ValueError: "
    for plan in ["eager", *PLANS]:
        text = subprocess.run(
            [BINARY, "run", str(path), "--module", "Net()", "--plan", plan],
            capture_output=True,
            text=True,
        )
        assert text.returncode == 1 and kind + wanted in text.stderr, (plan, text.stderr)
    saved = str(tmp_path / "net.pt")
    subprocess.run([BINARY, "save", str(path), "--module", "Net()", "--out", saved], check=True)
    with pytest.raises(Exception, match=re.escape(wanted)):
        torch.jit.load(saved)()


@pytest.mark.parametrize(
    "call,reason",
    [
        ("F.interpolate(line, size=[3], mode='bicubic')", "mode 'bicubic'"),
        ("F.grid_sample(image, torch.zeros(1, 2, 2, 2), mode='cubic')", "mode 'cubic'"),
        (
            "F.max_unpool2d(square, square.to(torch.int64), 2, output_size=[9, 9])",
            "sizes lie within a stride",
        ),
        ("F.embedding_bag(classes, table)", "takes offsets"),
        ("torch.einsum('ij,jk->ik', [m, m])", "dims of one name have two sizes"),
        ("torch.einsum('ij->k', [m])", "one that no operand has"),
        ("torch.cdist(m, v)", "rows of one length"),
        ("v.cumprod_(1)", "dims of cumprod lie from -1 to 0, got 1"),
        ("torch.arange(4).renorm_(2, 0, 1.0)", "two or more dims"),
        ("F.conv_transpose2d(image, torch.ones(3, 1, 2, 2))", "channels are the weight's"),
        ("F.conv3d(image, torch.ones(1, 2, 1, 1, 1))", "2 channels"),
        ("F.interpolate(square, size=3, scale_factor=2.0)", "one of size and scale_factor"),
        ("F.interpolate(square, size=[3, 0])", "sizes are positive"),
        ("F.interpolate(image, scale_factor=2.0, align_corners=True)", "align_corners goes with"),
        (
            "F.max_pool2d(image, 2, return_indices=v)",
            "'return_indices' is True or False as it is written",
        ),
        ("F.embedding(classes, table, max_norm=1.0)", "'max_norm' of embedding is not supported"),
        ("F.mse_loss(v, v, reduction='avg')", "'none', 'mean' or 'sum'"),
        ("F.mse_loss(v, v, reduction=total + 's')", "'none', 'mean' or 'sum', given 'sums'"),
        ("F.mse_loss(v, v, reduction=2)", "argument 'reduction' is str, given int"),
        ("F.kl_div(p, q, reduction='avg')", "'none', 'mean' or 'sum', given 'avg'"),
        ("F.pixel_shuffle(image, 2)", "multiple of 2 squared"),
        ("F.normalise(v)", "there is no op"),
    ],
)
def test_what_is_not_taken_says_so(call, reason, tmp_path):
    path = tmp_path / "calls.py"
    path.write_text(HEAD + f"        {call},\n    ]\n")
    text = subprocess.run(
        [BINARY, "run", str(path), "--fn", "main", "--plan", "vm"], capture_output=True, text=True
    )
    assert text.returncode == 1 and reason in text.stderr, text.stderr
