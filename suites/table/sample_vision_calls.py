"""Calls of the rows of engine/aten/image/vision_ops.py, which torchvision adds to PyTorch.

Debian's python3-torchvision is 0.14.1.
"""

import torchvision  # noqa: F401
from sample_text import bound_text, inf, nan, numbers, tensor

CLOSE = bound_text(2.0**-18)
BOXES = [
    [0, 0, 4, 4],
    [1, 1, 5, 5],
    [0, 0, 4, 4.5],
    [6, 6, 9, 9],
    [6, 7, 9, 9],
    [2, 2, 2, 2],
    [5, 5, 1, 1],
    [-3, -2, 1, 1],
]
SCORES = [0.5, 0.75, 0.5, 0.25, 0.875, 0.125, 0.625, 0.5]
ODD = [
    [nan, 0, 4, 4],
    [0, 0, 4, 4],
    [0, 0, inf, 4],
    [1, nan, 5, 5],
    [0, 0, 4, nan],
    [-inf, 0, inf, inf],
    [0, 0, 3, 4],
]
ROIS = [
    [0, 0, 0, 4, 4],
    [1, 1.5, 0.25, 3, 3.75],
    [0, -2, -3, 1, 1],
    [1, 2, 2, 2, 2],
    [0, 3, 3, 9, 7],
    [1, 4, 4, 1, 2],
    [0.75, 0, 0, 5, 5],
    [0, 20, 20, 30, 30],
]


def vision(s):
    for dtype in ("f32", "f64"):
        boxes, scores = tensor(dtype, BOXES), tensor(dtype, SCORES)
        for threshold in (0.0, 0.25, 0.5, 0.9, 1.0, -1.0, nan):
            s.add("torchvision::nms", boxes, scores, threshold)
        s.add(
            "torchvision::nms",
            tensor(dtype, ODD),
            tensor(dtype, [0.5, 1.0, 0.25, nan, 2.0, inf, -1.0]),
            0.5,
        )
        s.add("torchvision::nms", boxes[:0], scores[:0], 0.5)
        # 3 of 10 shared: as a float that is more than 0.3
        s.add("torchvision::nms", tensor(dtype, [[0, 0, 10, 1], [0, 0, 3, 1]]), scores[:2], 0.3)
        images, rois = numbers(dtype, [2, 3, 5, 6]), tensor(dtype, ROIS)
        for scale in (1.0, 0.5):
            for ratio in (-1, 0, 1, 2):
                for aligned in (False, True):
                    s.add(
                        "torchvision::roi_align",
                        images,
                        rois,
                        scale,
                        2,
                        3,
                        ratio,
                        aligned,
                        arrow=CLOSE,
                    )
        s.add("torchvision::roi_align", images, rois[:0], 1.0, 2, 2, 2, False)
        s.add(
            "torchvision::roi_align",
            images[:, :, :1, :1],
            rois[:2],
            0.1,
            1,
            1,
            3,
            True,
            arrow=CLOSE,
        )
    boxes, scores, images = (
        tensor("f32", BOXES),
        tensor("f32", SCORES),
        numbers("f32", [1, 1, 3, 3]),
    )
    for wrong in (
        (boxes[0], scores, 0.5),
        (boxes[:, :3], scores, 0.5),
        (boxes, scores[:3], 0.5),
        (boxes, boxes, 0.5),
        (boxes, scores.double(), 0.5),
        (boxes.long(), scores.long(), 0.5),
    ):
        s.add("torchvision::nms", *wrong)
    for wrong in ((boxes, 1.0), (numbers("f64", [1, 5]), 1.0)):
        s.add("torchvision::roi_align", images, *wrong, 1, 1, 1, False)


FAMILIES = [vision]
