"""Models that nobody here wrote, each small and with random weights: recurrent cells and
transformers of torch.nn, torchvision's, and those of timm, transformers, diffusers and
segmentation_models_pytorch, where they are installed. Nothing is downloaded.

`MODELS` maps a name to (make, inputs): `make()` gives the module, `inputs()` what it is called on.
"""

import os
import sys
import types

import torch
import zoo_images
import zoo_transformers
from torch import Tensor, nn

EXTRA = os.path.join(os.path.dirname(__file__), "../../../build/models")  # ci/setup.sh --models
MODELS = {}


def image(*sizes):
    return lambda: (torch.randn(*sizes),)


class LSTMCell(nn.Module):
    """As in PyTorch's benchmarks of scripted cells: gates by one product, chunked."""

    def __init__(self, n_in: int, hidden: int):
        super().__init__()
        self.w_ih = nn.Parameter(torch.randn(4 * hidden, n_in) / 8)
        self.w_hh = nn.Parameter(torch.randn(4 * hidden, hidden) / 8)
        self.bias = nn.Parameter(torch.randn(4 * hidden) / 8)

    def forward(self, x: Tensor, state: "tuple[Tensor, Tensor]"):
        h, c = state
        i, f, g, o = (torch.mm(x, self.w_ih.t()) + torch.mm(h, self.w_hh.t()) + self.bias).chunk(
            4, 1
        )
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c


class CellOverTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = LSTMCell(8, 16)

    def forward(self, x: Tensor):
        h = torch.zeros(x.size(1), 16)
        c = torch.zeros(x.size(1), 16)
        out = []
        for i in range(x.size(0)):
            h, c = self.cell(x[i], (h, c))
            out.append(h)
        return torch.stack(out), h, c


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.net = kind(8, 16, num_layers=2, bidirectional=True)
        self.head = nn.Linear(32, 4)

    def forward(self, x: Tensor):
        out, _ = self.net(x)
        return self.head(out)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.net = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2)
        self.head = nn.Linear(16, 5)

    def forward(self, words: Tensor):
        return self.head(self.net(self.words(words)))


class Detector(nn.Module):
    """The boxes, scores and labels of one image, in double: in float, PyTorch's own choice of boxes
    hangs on rounding. Scripted detectors give losses with them."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x: Tensor):
        out = self.net([x])
        if torch.jit.is_scripting():
            found = out[1][0]
        else:
            found = out[0]
        return found["boxes"], found["scores"], found["labels"]


def _of_torch():
    MODELS["lstm cell"] = (CellOverTime, image(5, 3, 8))
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        MODELS[f"nn.{kind.__name__}, two layers, both ways"] = (
            lambda kind=kind: Recurrent(kind),
            image(5, 3, 8),
        )
    MODELS["nn.Transformer"] = (
        lambda: nn.Transformer(16, 4, 1, 1, 32),
        lambda: (torch.randn(5, 2, 16), torch.randn(4, 2, 16)),
    )
    MODELS["nn.TransformerEncoder tagger"] = (Tagger, lambda: (torch.randint(0, 50, (2, 7)),))


def _of_torchvision():
    if (
        torch.__version__.split(".")[0] != "1"
    ):  # PyPI's library wants CUDA: the models are there, its operators are not
        sys.modules["torchvision._meta_registrations"] = types.ModuleType(
            "torchvision._meta_registrations"
        )
    import torchvision.models as tv

    for name, size in {
        "alexnet": 64,
        "squeezenet1_1": 64,
        "resnet18": 64,
        "resnext50_32x4d": 64,
        "densenet121": 64,
        "mobilenet_v2": 64,
        "mobilenet_v3_small": 64,
        "mobilenet_v3_large": 64,
        "shufflenet_v2_x1_0": 64,
        "mnasnet1_0": 64,
        "efficientnet_b0": 64,
        "regnet_y_400mf": 64,
        "regnet_x_400mf": 64,
        "convnext_tiny": 64,
        "swin_t": 64,
        "swin_v2_t": 64,
    }.items():
        if hasattr(tv, name):
            MODELS[name] = (getattr(tv, name), image(1, 3, size, size))
    MODELS["googlenet"] = (
        lambda: tv.googlenet(init_weights=True, aux_logits=False),
        image(1, 3, 64, 64),
    )
    MODELS["inception_v3"] = (
        lambda: tv.inception_v3(init_weights=True, aux_logits=False),
        image(1, 3, 96, 96),
    )
    MODELS["vit, 32 by 32"] = (
        lambda: tv.VisionTransformer(32, 8, 2, 4, 32, 64),
        image(1, 3, 32, 32),
    )
    seg = tv.segmentation
    bare = {"weights": None, "weights_backbone": None}
    for name in ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"):
        MODELS[name] = (lambda name=name: getattr(seg, name)(**bare), image(1, 3, 64, 64))
    for name in ("r3d_18", "mc3_18", "r2plus1d_18"):
        MODELS[name] = (getattr(tv.video, name), image(1, 3, 4, 32, 32))
    if not hasattr(torch.ops.torchvision, "nms"):
        return
    # every box counts: scores of random weights are low
    small = dict(bare, min_size=64, max_size=96)
    for name, every in {
        "fasterrcnn_resnet50_fpn": "box_score_thresh",
        "maskrcnn_resnet50_fpn": "box_score_thresh",
        "retinanet_resnet50_fpn": "score_thresh",
        "fcos_resnet50_fpn": "score_thresh",
    }.items():
        MODELS[name] = (
            lambda name=name, every=every: Detector(
                getattr(tv.detection, name)(**{every: 0.0}, **small)
            ).double(),
            lambda: (torch.randn(3, 64, 96).double(),),
        )


TIMM = """
    cait_xxs24_224 coat_lite_tiny convit_tiny convmixer_768_32 crossvit_tiny_240 cspresnet50
    deit_tiny_patch16_224 dla34 edgenext_xx_small efficientformer_l1 efficientnet_lite0
    fbnetc_100 gernet_s ghostnet_050 gmixer_12_224 hardcorenas_a hrnet_w18_small lcnet_050
    levit_128s mixer_s32_224 mixnet_s mobilenetv3_small_050 mobilenetv4_conv_small mobilevit_xxs
    nf_regnet_b0 pit_ti_224 poolformer_s12 pvt_v2_b0 regnetx_002 repvgg_a0 res2net50_26w_4s
    resmlp_12_224 resnet10t resnetv2_50 rexnet_100 selecsls42 semnasnet_075 sequencer2d_s
    skresnet18 spnasnet_100 swin_tiny_patch4_window7_224 tinynet_e tnt_s_patch16_224
    tf_efficientnet_b0 visformer_tiny vit_tiny_patch16_224 xcit_nano_12_p16_224
""".split()


def _of_timm():
    import timm

    for name in TIMM:
        if timm.is_model(name):

            def make(name=name):
                return timm.create_model(name, pretrained=False, scriptable=True)

            MODELS["timm " + name] = (
                make,
                lambda name=name: (torch.randn(1, *timm.get_pretrained_cfg(name).input_size),),
            )


# Of what they print and look for in the net nothing is wanted.
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")
OTHERS = [
    lambda fill=fill: fill(MODELS)
    for fill in (zoo_transformers.fill, zoo_images.of_diffusers, zoo_images.of_segmentation)
]


def load():
    """Fills MODELS with what is installed."""
    if torch.__version__.split(".")[0] != "1" and os.path.isdir(EXTRA):
        sys.path.insert(0, EXTRA)
    for fill in (_of_torch, _of_torchvision, _of_timm, *OTHERS):
        try:
            fill()
        except ImportError:
            continue
    return MODELS
