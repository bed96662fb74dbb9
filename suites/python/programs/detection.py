"""A detector as torchvision writes them: pyramid, anchors, heads, decoding, suppression."""

import math
from collections import OrderedDict
from functools import partial
from typing import Callable, Dict, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def box_area(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (box_area(a)[:, None] + box_area(b) - inter)


def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    order = torch.argsort(scores, descending=True)
    keep: List[int] = []
    while order.numel() > 0:
        first = order[0]
        keep.append(int(first))
        if order.numel() == 1:
            break
        iou = box_iou(boxes[first].unsqueeze(0), boxes[order[1:]])[0]
        order = order[1:][iou <= threshold]
    return torch.tensor(keep, dtype=torch.int64)


class Backbone(nn.Module):
    def __init__(self, widths):
        super().__init__()
        layers = []
        before = 3
        for w in widths:
            layers.append(
                nn.Sequential(
                    OrderedDict(
                        [
                            ("conv", nn.Conv2d(before, w, 3, stride=2, padding=1, bias=False)),
                            ("bn", nn.BatchNorm2d(w)),
                            ("act", nn.ReLU(inplace=True)),
                        ]
                    )
                )
            )
            before = w
        for i, layer in enumerate(layers):
            self.add_module(f"layer{i + 1}", layer)
        self.count = len(layers)

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        out: Dict[str, Tensor] = {}
        x = self.layer1(x)
        x = self.layer2(x)
        out["0"] = x
        x = self.layer3(x)
        out["1"] = x
        return out


class LastLevelMaxPool(nn.Module):
    def forward(self, x: List[Tensor], names: List[str]) -> Tuple[List[Tensor], List[str]]:
        names.append("pool")
        x.append(F.max_pool2d(x[-1], 1, 2, 0))
        return x, names


class FeaturePyramid(nn.Module):
    def __init__(self, in_channels_list: List[int], out_channels: int, extra=None):
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        for in_channels in in_channels_list:
            if in_channels == 0:
                raise ValueError("in_channels=0 is currently not supported")
            self.inner_blocks.append(nn.Conv2d(in_channels, out_channels, 1))
            self.layer_blocks.append(nn.Conv2d(out_channels, out_channels, 3, padding=1))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_uniform_(m.weight, a=1)
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0)
        self.extra = extra

    def get_inner(self, x: Tensor, idx: int) -> Tensor:
        num_blocks = len(self.inner_blocks)
        if idx < 0:
            idx += num_blocks
        out = x
        for i, module in enumerate(self.inner_blocks):
            if i == idx:
                out = module(x)
        return out

    def get_layer(self, x: Tensor, idx: int) -> Tensor:
        out = x
        for i, module in enumerate(self.layer_blocks):
            if i == idx:
                out = module(x)
        return out

    def forward(self, x: Dict[str, Tensor]) -> Dict[str, Tensor]:
        names = list(x.keys())
        xs = list(x.values())
        last = self.get_inner(xs[-1], -1)
        results = [self.get_layer(last, len(xs) - 1)]
        for idx in range(len(xs) - 2, -1, -1):
            lateral = self.get_inner(xs[idx], idx)
            top = F.interpolate(last, size=lateral.shape[-2:], mode="nearest")
            last = lateral + top
            results.insert(0, self.get_layer(last, idx))
        if self.extra is not None:
            results, names = self.extra(results, names)
        return {k: v for k, v in zip(names, results)}


class AnchorGenerator(nn.Module):
    __annotations__ = {"cell_anchors": List[torch.Tensor]}

    def __init__(self, sizes=((128, 256, 512),), aspect_ratios=((0.5, 1.0, 2.0),)):
        super().__init__()
        if not isinstance(sizes[0], (list, tuple)):
            sizes = tuple((s,) for s in sizes)
        if not isinstance(aspect_ratios[0], (list, tuple)):
            aspect_ratios = (aspect_ratios,) * len(sizes)
        self.sizes = sizes
        self.aspect_ratios = aspect_ratios
        self.cell_anchors = [
            self.generate_anchors(size, ratio) for size, ratio in zip(sizes, aspect_ratios)
        ]

    def generate_anchors(
        self,
        scales: List[int],
        aspect_ratios: List[float],
        dtype: torch.dtype = torch.float32,
        device: torch.device = torch.device("cpu"),
    ) -> Tensor:
        scales = torch.as_tensor(scales, dtype=dtype, device=device)
        aspect_ratios = torch.as_tensor(aspect_ratios, dtype=dtype, device=device)
        h_ratios = torch.sqrt(aspect_ratios)
        w_ratios = 1 / h_ratios
        ws = (w_ratios[:, None] * scales[None, :]).view(-1)
        hs = (h_ratios[:, None] * scales[None, :]).view(-1)
        return (torch.stack([-ws, -hs, ws, hs], dim=1) / 2).round()

    def num_anchors_per_location(self) -> List[int]:
        return [len(s) * len(a) for s, a in zip(self.sizes, self.aspect_ratios)]

    def grid_anchors(
        self, grid_sizes: List[List[int]], strides: List[List[Tensor]]
    ) -> List[Tensor]:
        anchors = []
        cell_anchors = self.cell_anchors
        torch._assert(cell_anchors is not None, "cell_anchors should not be None")
        torch._assert(len(grid_sizes) == len(strides) == len(cell_anchors), "one of each per level")
        for size, stride, base in zip(grid_sizes, strides, cell_anchors):
            grid_height, grid_width = size
            stride_height, stride_width = stride
            device = base.device
            shifts_x = torch.arange(0, grid_width, dtype=torch.int32, device=device) * stride_width
            shifts_y = (
                torch.arange(0, grid_height, dtype=torch.int32, device=device) * stride_height
            )
            shift_y, shift_x = torch.meshgrid(shifts_y, shifts_x, indexing="ij")
            shift_x = shift_x.reshape(-1)
            shift_y = shift_y.reshape(-1)
            shifts = torch.stack((shift_x, shift_y, shift_x, shift_y), dim=1)
            anchors.append((shifts.view(-1, 1, 4) + base.view(1, -1, 4)).reshape(-1, 4))
        return anchors

    def forward(self, image: Tensor, maps: List[Tensor]) -> Tensor:
        grid_sizes = [feature_map.shape[-2:] for feature_map in maps]
        image_size = image.shape[-2:]
        dtype, device = maps[0].dtype, maps[0].device
        strides = [
            [
                torch.tensor(image_size[0] // g[0], dtype=torch.int64, device=device),
                torch.tensor(image_size[1] // g[1], dtype=torch.int64, device=device),
            ]
            for g in grid_sizes
        ]
        return torch.cat(self.grid_anchors(grid_sizes, strides))


class BoxCoder:
    def __init__(
        self, weights: Tuple[float, float, float, float], clip: float = math.log(1000.0 / 16)
    ):
        self.weights = weights
        self.clip = clip

    def decode(self, rel: Tensor, boxes: Tensor) -> Tensor:
        boxes = boxes.to(rel.dtype)
        widths = boxes[:, 2] - boxes[:, 0]
        heights = boxes[:, 3] - boxes[:, 1]
        ctr_x = boxes[:, 0] + 0.5 * widths
        ctr_y = boxes[:, 1] + 0.5 * heights
        wx, wy, ww, wh = self.weights
        dx = rel[:, 0::4] / wx
        dy = rel[:, 1::4] / wy
        dw = torch.clamp(rel[:, 2::4] / ww, max=self.clip)
        dh = torch.clamp(rel[:, 3::4] / wh, max=self.clip)
        cx = dx * widths[:, None] + ctr_x[:, None]
        cy = dy * heights[:, None] + ctr_y[:, None]
        w = torch.exp(dw) * widths[:, None]
        h = torch.exp(dh) * heights[:, None]
        half = torch.tensor(0.5, dtype=cx.dtype, device=w.device)
        return torch.stack(
            (cx - half * w, cy - half * h, cx + half * w, cy + half * h), dim=2
        ).flatten(1)


class Head(nn.Module):
    def __init__(
        self,
        channels,
        anchors,
        classes,
        norm: Optional[Callable[..., nn.Module]] = None,
        prior=0.01,
    ):
        super().__init__()
        conv = []
        for _ in range(2):
            conv.append(nn.Conv2d(channels, channels, 3, padding=1))
            if norm is not None:
                conv.append(norm(channels))
            conv.append(nn.ReLU())
        self.conv = nn.Sequential(*conv)
        for layer in self.conv.modules():
            if isinstance(layer, nn.Conv2d):
                torch.nn.init.normal_(layer.weight, std=0.01)
                torch.nn.init.constant_(layer.bias, 0)
        self.cls_logits = nn.Conv2d(channels, anchors * classes, 3, padding=1)
        torch.nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior) / prior))
        self.boxes = nn.Conv2d(channels, anchors * 4, 3, padding=1)
        self.num_classes = classes

    def _flat(self, y: Tensor, k: int) -> Tensor:
        n, _, h, w = y.shape
        return y.view(n, -1, k, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, k)

    def forward(self, xs: List[Tensor]) -> Dict[str, Tensor]:
        logits, boxes = [], []
        for x in xs:
            x = self.conv(x)
            logits.append(self._flat(self.cls_logits(x), self.num_classes))
            boxes.append(self._flat(self.boxes(x), 4))
        return {"cls_logits": torch.cat(logits, dim=1), "bbox": torch.cat(boxes, dim=1)}


class Detector(nn.Module):
    """RetinaNet in small: transform, backbone, pyramid, anchors, head, decoding and suppression."""

    image_mean = [0.485, 0.456, 0.406]
    image_std = [0.229, 0.224, 0.225]

    def __init__(self, classes=3, widths=(4, 6, 8), topk: int = 20, thresh: float = 0.5):
        super().__init__()
        self.backbone = Backbone(widths)
        self.fpn = FeaturePyramid(list(widths[1:]), 8, extra=LastLevelMaxPool())
        sizes = tuple((x, int(x * 2 ** (1.0 / 3)), int(x * 2 ** (2.0 / 3))) for x in [8, 16, 32])
        self.anchors = AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))
        self.head = Head(
            8, self.anchors.num_anchors_per_location()[0], classes, norm=partial(nn.GroupNorm, 4)
        )
        self.coder = BoxCoder((1.0, 1.0, 1.0, 1.0))
        self.topk = topk
        self.thresh = thresh
        self.mean = [m for m in self.image_mean]
        self.std = [s for s in self.image_std]

    def normalize(self, image: Tensor) -> Tensor:
        if not image.is_floating_point():
            raise TypeError(f"Expected input images to be of floating type, found {image.dtype}")
        mean = torch.as_tensor(self.mean, dtype=image.dtype, device=image.device)
        std = torch.as_tensor(self.std, dtype=image.dtype, device=image.device)
        return (image - mean[:, None, None]) / std[:, None, None]

    def batch(self, images: List[Tensor], divisible: int = 8) -> Tensor:
        sizes = [list(img.shape) for img in images]
        maxes = sizes[0]
        for sub in sizes[1:]:
            for index, item in enumerate(sub):
                maxes[index] = max(maxes[index], item)
        stride = float(divisible)
        maxes[1] = int(math.ceil(float(maxes[1]) / stride) * stride)
        maxes[2] = int(math.ceil(float(maxes[2]) / stride) * stride)
        out = images[0].new_full([len(images)] + maxes, 0)
        for i in range(out.shape[0]):
            img = images[i]
            out[i, : img.shape[0], : img.shape[1], : img.shape[2]].copy_(img)
        return out

    def forward(self, a: Tensor, b: Tensor) -> Tuple[List[Tensor], List[Tensor], Tensor]:
        x = self.batch([self.normalize(a), self.normalize(b)])
        features = list(self.fpn(self.backbone(x)).values())
        head = self.head(features)
        anchors = self.anchors(x, features)
        scores = head["cls_logits"].sigmoid()
        boxes: List[Tensor] = []
        kept: List[Tensor] = []
        for i in range(x.shape[0]):
            best, label = scores[i].max(dim=1)
            num = min(self.topk, best.size(0))
            values, order = best.topk(num)
            decoded = self.coder.decode(head["bbox"][i][order], anchors[order])
            decoded[..., 0::2] = decoded[..., 0::2].clamp(min=0, max=x.shape[3])
            decoded[..., 1::2].clamp_(0, x.shape[2])
            keep = nms(decoded, values, self.thresh)
            boxes.append(decoded[keep])
            kept.append(label[order][keep])
        return boxes, kept, anchors
