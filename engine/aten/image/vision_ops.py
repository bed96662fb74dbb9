# torchvision's own operators, as its 0.14.1 computes them on the CPU: suppression of boxes that
# overlap better ones, and parts of images brought to one size.
#
# Boxes are x1, y1, x2, y2. Half-precision images are declined; torchvision rounds each step of
# theirs.

prim::overlap_with(Tensor box, Tensor boxes) -> Tensor
    zero = torch.zeros_like(boxes[0])
    left = torch.where(box[0] < boxes[0], boxes[0], box[0])
    top = torch.where(box[1] < boxes[1], boxes[1], box[1])
    right = torch.where(boxes[2] < box[2], boxes[2], box[2])
    bottom = torch.where(boxes[3] < box[3], boxes[3], box[3])
    width = torch.where(right - left > 0, right - left, zero)
    height = torch.where(bottom - top > 0, bottom - top, zero)
    shared = width * height
    return shared / (box[4] + boxes[4] - shared)

torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor
    values
    traits dynamic shape
    draw dets=w[N,4]{-3..9} scores==[N]{0..3} iou_threshold=0.0|0.25|0.5|1.0
    if (
        dets.dim() != 2
        or dets.shape[1] != 4
        or scores.dim() != 1
        or dets.shape[0] != scores.shape[0]
    ):
        raise RuntimeError("nms takes boxes [n, 4] and n scores")
    if dets.dtype != scores.dtype or (dets.dtype != torch.float32 and dets.dtype != torch.float64):
        raise RuntimeError("nms takes boxes and scores of one dtype, float or double")
    order = scores.sort(stable=True, dim=0, descending=True)[1]
    boxes = dets.index_select(0, order).transpose(0, 1)
    areas = (boxes[2] - boxes[0]) * (boxes[3] - boxes[1])
    boxes = torch.cat([boxes, areas.unsqueeze(0)])
    indices = torch.arange(dets.shape[0])
    kept = torch.ones_like(scores, dtype=torch.bool)
    for i in range(dets.shape[0]):
        if bool(kept[i]):
            overlap = torch.ops.prim.overlap_with(boxes.select(1, i), boxes).to(torch.float64)
            kept = kept & ((overlap > iou_threshold).logical_not() | (indices <= i))
    return order.masked_select(kept)

prim::sample_positions(Tensor start, Tensor step, int count, int each, int size) -> (Tensor, Tensor,
                       Tensor, Tensor)
    parts = torch.arange(each).to(start.dtype) + 0.5
    whole = torch.arange(count).to(start.dtype)
    at = ((start + whole * step).unsqueeze(1) + parts * step / each).flatten()
    inside = ((at < -1.0) | (at > size)).logical_not()
    at = torch.where(at <= 0, torch.zeros_like(at), at)
    at = torch.where(at >= size - 1, torch.full_like(at, size - 1), at)
    low = at.to(torch.int64)
    return low, (low + 1).clamp(max=size - 1), at - low, inside

prim::align_box(Tensor image, Tensor box, int height, int width, int sampling_ratio,
                bool aligned) -> Tensor
    starts = box.narrow(0, 0, 2)
    sides = box.narrow(0, 2, 2) - starts
    if not aligned:
        sides = torch.where(sides < 1.0, torch.ones_like(sides), sides)
    x_step, y_step = sides[0] / width, sides[1] / height
    rows = sampling_ratio if sampling_ratio > 0 else int(torch.ceil(y_step))
    columns = sampling_ratio if sampling_ratio > 0 else int(torch.ceil(x_step))
    if rows <= 0 or columns <= 0:
        return torch.zeros([image.shape[0], height, width], dtype=image.dtype)
    low_y, high_y, ly, inside_y = torch.ops.prim.sample_positions(
        starts[1], y_step, height, rows, image.shape[1]
    )
    low_x, high_x, lx, inside_x = torch.ops.prim.sample_positions(
        starts[0], x_step, width, columns, image.shape[2]
    )
    inside = inside_y.unsqueeze(1) & inside_x
    corner = image.narrow(1, 0, 1).narrow(2, 0, 1)
    none = torch.zeros_like(ly.unsqueeze(1) * lx)
    upper, lower = image.index_select(1, low_y), image.index_select(1, high_y)
    ys, xs = [1.0 - ly, ly], [1.0 - lx, lx]
    sum = none
    for i in range(4):
        line = upper if i < 2 else lower
        values = torch.where(inside, line.index_select(2, low_x if i % 2 == 0 else high_x), corner)
        sum = sum + torch.where(inside, ys[i // 2].unsqueeze(1) * xs[i % 2], none) * values
    return sum.reshape([image.shape[0], height, rows, width, columns]).sum([2, 4]) / (
        rows * columns
    )

torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height,
                       int pooled_width, int sampling_ratio, bool aligned) -> Tensor
    if rois.dim() != 2 or rois.shape[1] != 5:
        raise RuntimeError("roi_align takes rois [k, 5]")
    if input.dim() != 4 or input.shape[2] < 1 or input.shape[3] < 1:
        raise RuntimeError("roi_align takes images of 4 dimensions that have elements")
    if input.dtype != rois.dtype or (input.dtype != torch.float32 and input.dtype != torch.float64):
        raise RuntimeError("roi_align takes images and rois of one dtype, float or double")
    if pooled_height < 1 or pooled_width < 1:
        raise RuntimeError("roi_align: the result has rows and columns")
    shape = [rois.shape[0], input.shape[1], pooled_height, pooled_width]
    parts = [torch.zeros([0] + shape[1:], dtype=input.dtype)]
    for k in range(rois.shape[0]):
        image = int(rois[k][0])
        if image < 0 or image >= input.shape[0]:
            raise RuntimeError("roi_align: a box is of an image that is not there")
        box = rois[k].narrow(0, 1, 4) * spatial_scale - (0.5 if aligned else 0.0)
        part = torch.ops.prim.align_box(
            input[image], box, pooled_height, pooled_width, sampling_ratio, aligned
        )
        parts.append(part.unsqueeze(0))
    return torch.zeros(shape, dtype=input.dtype).copy_(torch.cat(parts))
    draw input=w[1,C,H,W] rois==[K,5]{0..0} spatial_scale=1.0|0.5 pooled_height=1..3
        pooled_width=1..3 sampling_ratio=-1..2 aligned=True|False C=1..2 H=1..5 W=1..5 K=1..3
